"""The export of Claude: conversations.json with chat_messages, and memories.json with its notes about the user."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from heldtrue.domain.limits import SOURCE_BYTES_MAX
from heldtrue.readers.branches import follow_branch
from heldtrue.readers.feeds import Feed
from heldtrue.readers.json_parts import read_conversations
from heldtrue.readers.plain import as_text, moment_of, name_thread, shorten
from heldtrue.readers.talk import Talk
from heldtrue.readers.values import Document, Skipped, Value

FILES = re.compile(r"(?:^|/)(?:conversations(?:-\d+)?|memories(?:-\d+)?|memories/[^/]+)\.json$")
_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}
_NAMES = {"thinking": "reasoning", "tool_use": "tool call", "tool_result": "tool result"}


def read_claude_export(feed: Feed) -> Iterator[Value]:
    """Each conversation, the files that were attached as text, and the memories as documents."""
    return read_conversations(feed, _read_one, keys={"chat_messages", "conversations_memory"})


def _read_one(record: Any, origin: str) -> Iterator[Value]:
    if isinstance(record, dict) and isinstance(record.get("chat_messages"), list):
        yield from _read_conversation(record, origin)
    elif isinstance(record, dict) and "conversations_memory" in record:
        yield from _read_memories(record, origin)
    else:
        yield Skipped(path=origin, reason="it is not a conversation: it has no chat_messages")


def _read_conversation(record: dict[str, Any], origin: str) -> Iterator[Value]:
    talk = Talk()
    messages = [message for message in record["chat_messages"] if isinstance(message, dict)]
    talk.leave_out("message that is not an object", len(record["chat_messages"]) - len(messages))
    chosen = _branch_of(messages, record.get("current_leaf_message_uuid"))
    talk.leave_out("message from another branch", len(messages) - len(chosen))
    for message in chosen:
        yield from _read_attachments(message, origin)
        role = _ROLES.get(as_text(message.get("sender")))
        words = _words_of(talk, message)
        if role is None:
            talk.leave_out("message from an unknown sender")
        else:
            talk.say(role, words, at=moment_of(message.get("created_at")))
    yield from talk.finish(
        thread=name_thread("claude", record.get("uuid"), origin),
        origin=origin,
        title=record.get("name"),
        started_at=moment_of(record.get("created_at")),
    )


def _branch_of(messages: list[dict[str, Any]], leaf: object) -> list[dict[str, Any]]:
    """The messages of the visible branch; all messages in order if the export does not name a branch."""
    named = {message["uuid"]: message for message in messages if isinstance(message.get("uuid"), str)}
    if not isinstance(leaf, str) or leaf not in named or len(named) != len(messages):
        return messages
    parents = {key: as_text(message.get("parent_message_uuid")) or None for key, message in named.items()}
    return [named[key] for key in follow_branch(parents, leaf)]


def _words_of(talk: Talk, message: dict[str, Any]) -> str:
    """The text blocks of a message; its whole text if it has no text blocks."""
    blocks = message.get("content")
    words = []
    for block in blocks if isinstance(blocks, list) else []:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            words.append(block["text"])
        else:
            talk.leave_out(_NAMES.get(kind, kind[:50]) if isinstance(kind, str) else "part of unknown type")
    files = message.get("files")
    talk.leave_out("file", len(files) if isinstance(files, list) else 0)
    return "\n\n".join(words) if any(word.strip() for word in words) else as_text(message.get("text"))


def _read_attachments(message: dict[str, Any], origin: str) -> Iterator[Document | Skipped]:
    attached = message.get("attachments")
    for number, file in enumerate(attached if isinstance(attached, list) else [], 1):
        name = shorten(file.get("file_name") if isinstance(file, dict) else None)
        path = f"{origin}/{name or number}"
        text = as_text(file.get("extracted_content") if isinstance(file, dict) else None)
        yield _make_document(path, text, name, "text/plain", moment_of(message.get("created_at")))


def _read_memories(record: dict[str, Any], origin: str) -> Iterator[Document | Skipped]:
    about = as_text(record.get("conversations_memory"))
    yield _make_document(origin, about, "What Claude remembered", "text/markdown", None)
    projects = record.get("project_memories")
    for key, text in projects.items() if isinstance(projects, dict) else ():
        path = f"{origin}/{as_text(key)[:200]}"
        yield _make_document(path, as_text(text), "What Claude remembered of a project", "text/markdown", None)


def _make_document(path: str, text: str, title: str | None, content_type: str, at: int | None) -> Document | Skipped:
    if not text.strip():
        return Skipped(path=path, reason="it contains no text")
    if len(text.encode()) > SOURCE_BYTES_MAX:
        return Skipped(path=path, reason=f"its text is longer than {SOURCE_BYTES_MAX:,} bytes")
    return Document(path=path, title=title, text=text, content_type=content_type, lines=False, modified_at=at)
