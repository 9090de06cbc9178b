"""Rollouts of the Codex command line: one JSON Lines file for a session, with or without envelopes around its items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from heldtrue.readers.feeds import Feed
from heldtrue.readers.plain import as_text, moment_of, name_thread
from heldtrue.readers.strict_json import Row, read_rows
from heldtrue.readers.talk import Talk
from heldtrue.readers.values import Value

ENVELOPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_READ = ("session_meta", "response_item", "event_msg")
_SETTINGS = ("turn_context", "world_state")
_SPOKEN = ("user", "assistant")
_OURS = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<skill>",
    "<goal_context>",
    "<codex_internal_context",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
)
"""The starts of messages that the program writes in the user's name."""
_REQUEST = "## My request for Codex:"
"""Editors put their open files before this line."""
_EVENTS = {"user_message": "user", "agent_message": "assistant"}


class _CodexSession:
    """What is gathered from the lines of one file.

    Most is there twice, as items of the model and as events of the screen: events count only where items say nothing.
    """

    def __init__(self) -> None:
        self.items, self.events = Talk(), Talk()
        self.meta: dict[str, Any] = {}

    def add(self, record: dict[str, Any]) -> None:
        kind, payload, at = record.get("type"), record.get("payload"), moment_of(record.get("timestamp"))
        if kind in _SETTINGS:
            return  # settings of the program: nobody said them
        if kind in _READ and isinstance(payload, dict):
            self._open(kind, payload, at)
        elif kind is None and isinstance(record.get("id"), str):
            self.meta = self.meta or record  # before there were envelopes
        elif kind is None and "record_type" in record:
            return
        elif isinstance(kind, str) and payload is None:
            self._add_item(record, at)
        else:
            self.items.leave_out(f"line of type {kind[:50]}" if isinstance(kind, str) else "line without a type")

    def _open(self, kind: Any, payload: dict[str, Any], at: int | None) -> None:
        """Read the content of an envelope."""
        if kind == "session_meta":
            self.meta = self.meta or payload
        elif kind == "response_item":
            self._add_item(payload, at)
        else:
            self._add_event(payload, at)

    def _add_item(self, item: dict[str, Any], at: int | None) -> None:
        kind, role = item.get("type"), item.get("role")
        if kind != "message":
            name = kind[:50].replace("_", " ") if isinstance(kind, str) else "item without a type"
            self.items.leave_out(name)
        elif role not in _SPOKEN:
            self.items.leave_out("system message")
        else:
            self._say(self.items, role, self._texts_of(item.get("content")), at)

    def _add_event(self, event: dict[str, Any], at: int | None) -> None:
        role = _EVENTS.get(as_text(event.get("type")))
        if role is not None:
            self._say(self.events, role, [as_text(event.get("message"))], at)

    def _say(self, talk: Talk, role: Any, texts: Iterable[str], at: int | None) -> None:
        words = []
        for text in texts:
            if role == "user" and text.lstrip().startswith(_OURS):
                talk.leave_out("message from the program")
            else:
                words.append(text.partition(_REQUEST)[2] if role == "user" and _REQUEST in text else text)
        talk.say(role, "\n\n".join(words), at=at)

    def _texts_of(self, content: object) -> Iterator[str]:
        for block in [content] if isinstance(content, str) else content if isinstance(content, list) else []:
            text = block if isinstance(block, str) else block.get("text") if isinstance(block, dict) else None
            if isinstance(text, str):
                yield text
            else:
                kind = block.get("type") if isinstance(block, dict) else None
                self.items.leave_out(kind[:50].replace("_", " ") if isinstance(kind, str) else "part without a type")


def read_codex(feed: Feed) -> Iterator[Value]:
    """One session as one conversation; tools, reasoning and the program's messages are skipped and reported."""
    session = _CodexSession()
    for row in read_rows(feed):
        if isinstance(row, Row):
            session.add(row.record)
        else:
            yield row
    talk = session.items
    if talk.is_silent and not session.events.is_silent:
        talk = session.events
        talk.leave_out_with(session.items)
    yield from talk.finish(
        thread=name_thread("codex", session.meta.get("id"), feed.path),
        origin=feed.path,
        started_at=moment_of(session.meta.get("timestamp")),
        folder=session.meta.get("cwd"),
    )
