"""The export of ChatGPT: conversations.json, or conversations-000.json and so on in newer ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from heldtrue.readers.branches import find_leaf, follow_branch
from heldtrue.readers.feeds import Feed
from heldtrue.readers.json_parts import read_conversations
from heldtrue.readers.plain import moment_of, name_thread
from heldtrue.readers.talk import Talk
from heldtrue.readers.values import Skipped, Value

FILES = re.compile(r"(?:^|/)conversations(?:-\d+)?\.json$")
_SPOKEN = ("user", "assistant")
_TEXTS = ("text", "multimodal_text")
_NAMES = {
    "thoughts": "reasoning",
    "reasoning_recap": "reasoning",
    "user_editable_context": "custom instruction",
    "model_editable_context": "saved memory",
    "image_asset_pointer": "image",
    "audio_asset_pointer": "recording",
    "real_time_user_audio_video_asset_pointer": "recording",
}


def read_chatgpt(feed: Feed) -> Iterator[Value]:
    """Each conversation along the branch that its user saw last."""
    return read_conversations(feed, _read_conversation, keys={"mapping"})


def _read_conversation(record: Any, origin: str) -> Iterator[Value]:
    if not isinstance(record, dict) or not isinstance(record.get("mapping"), dict):
        yield Skipped(path=origin, reason="it is not a conversation: it has no message mapping")
        return
    nodes = {key: node for key, node in record["mapping"].items() if isinstance(node, dict)}
    talk = Talk()
    talk.leave_out("node that is not an object", len(record["mapping"]) - len(nodes))
    branch = _branch_of(nodes, record.get("current_node"))
    for key in branch:
        message = nodes[key].get("message")
        if message is not None:
            _add_message(talk, message)
    chosen = set(branch)
    others = sum(bool(node.get("message")) for key, node in nodes.items() if key not in chosen)
    talk.leave_out("message from another branch", others)
    yield from talk.finish(
        thread=name_thread("chatgpt", record.get("conversation_id") or record.get("id"), origin),
        origin=origin,
        title=record.get("title"),
        started_at=moment_of(record.get("create_time")),
    )


def _branch_of(nodes: dict[str, dict[str, Any]], current: object) -> list[str]:
    parents = {key: _as_key(node.get("parent")) for key, node in nodes.items()}
    leaf = current if isinstance(current, str) and current in nodes else find_leaf(parents)
    return follow_branch(parents, leaf) if leaf is not None else []


def _as_key(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _add_message(talk: Talk, message: Any) -> None:
    author = message.get("author") if isinstance(message, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(author, dict) or not isinstance(content, dict):
        talk.leave_out("message without author or content")
        return
    role, kind = author.get("role"), content.get("content_type")
    words = _words_of(talk, content) if role in _SPOKEN and kind in _TEXTS else ""
    if role == "tool":
        talk.leave_out("tool result")
    elif role not in _SPOKEN:
        if _has_words(content):
            talk.leave_out("system message")
    elif kind not in _TEXTS:
        talk.leave_out(_name_of(kind))
    elif message.get("recipient") not in (None, "all"):
        talk.leave_out("tool call")
    elif _is_hidden(message):
        talk.leave_out("hidden message")
    else:
        talk.say(role, words, at=moment_of(message.get("create_time")), speaker=author.get("name"))


def _is_hidden(message: dict[str, Any]) -> bool:
    metadata = message.get("metadata")
    return isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation") is True


def _words_of(talk: Talk, content: dict[str, Any]) -> str:
    """The text of a message; its pictures and recordings are named."""
    words = []
    parts = content.get("parts")
    for part in parts if isinstance(parts, list) else [content.get("text")]:
        if isinstance(part, str):
            words.append(part)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            words.append(part["text"])  # what was said, written down
        elif part is not None:
            talk.leave_out(_name_of(part.get("content_type") if isinstance(part, dict) else None))
    return "\n".join(words)


def _has_words(content: dict[str, Any]) -> bool:
    parts = content.get("parts")
    return any(bool(part) for part in parts) if isinstance(parts, list) else bool(content.get("text"))


def _name_of(kind: object) -> str:
    return _NAMES.get(kind, kind[:50].replace("_", " ")) if isinstance(kind, str) else "part of unknown type"
