"""Transcripts of Claude Code: one JSON Lines file for a session. Nobody publishes the format; it is read as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from heldtrue.readers.feeds import Feed
from heldtrue.readers.plain import as_text, moment_of, name_thread
from heldtrue.readers.strict_json import Row, read_rows
from heldtrue.readers.talk import Talk
from heldtrue.readers.values import Value

_SPOKEN = ("user", "assistant")
_TITLES = {"custom-title": ("customTitle", 2), "ai-title": ("aiTitle", 1), "summary": ("summary", 0)}
"""The line types that name a session, the key of the name, and their priority."""
_OURS = (
    "<command-",
    "<local-command-",
    "<bash-",
    "<user-memory-input>",
    "<task-notification>",
    "[Request interrupted by user",
)
"""The starts of texts that the program inserted instead of a person's words."""
_BESIDE = re.compile(r"\s*<(ide_\w{1,50}|system-reminder)>")
"""The starts of texts that the program put before a person's words."""
_NAMES = {"thinking": "reasoning", "redacted_thinking": "reasoning", "tool_use": "tool call"}
_LEFT_OUT = (
    ("isSidechain", "message from a subagent"),
    ("isMeta", "message from the program"),
    ("isCompactSummary", "summary of the earlier conversation"),
    ("isApiErrorMessage", "error message"),
)


class _ClaudeCodeSession:
    """Collects the content of the lines of one file."""

    def __init__(self) -> None:
        self.talk = Talk()
        self.id: object = None
        self.folder: object = None
        self.messages: set[str] = set()
        self.titles: list[tuple[int, str, str | None]] = []

    def add(self, record: dict[str, Any]) -> None:
        kind = record.get("type")
        if isinstance(record.get("uuid"), str):
            self.messages.add(record["uuid"])
        self.id = self.id or record.get("sessionId")
        if isinstance(kind, str) and kind in _TITLES:
            name, rank = _TITLES[kind]
            of = record.get("leafUuid") if kind == "summary" else None
            self.titles.append((rank, as_text(record.get(name)), of if isinstance(of, str) else None))
        elif kind not in _SPOKEN or not isinstance(record.get("message"), dict):
            self.talk.leave_out(f"line of type {kind[:50]}" if isinstance(kind, str) else "line without a type")
        elif why := next((what for mark, what in _LEFT_OUT if record.get(mark) is True), None):
            self.talk.leave_out(why)
        else:
            self.folder = self.folder or record.get("cwd")
            self._say(kind, record["message"], moment_of(record.get("timestamp")))

    def _say(self, role: Any, message: dict[str, Any], at: int | None) -> None:
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        words = "\n\n".join(self._words_of(blocks, role))
        # An answer is written down piece by piece, each on a line of its own.
        self.talk.say(role, words, at=at, part_of=message.get("id") if role == "assistant" else None)

    def _words_of(self, blocks: object, role: str) -> Iterator[str]:
        for block in blocks if isinstance(blocks, list) else []:
            kind = block.get("type") if isinstance(block, dict) else None
            if kind == "text" and isinstance(block.get("text"), str):
                yield self._own_words(block["text"]) if role == "user" else block["text"]
            else:
                name = kind[:50].replace("_", " ") if isinstance(kind, str) else "part of unknown type"
                self.talk.leave_out(_NAMES.get(kind, name) if isinstance(kind, str) else name)

    def _own_words(self, text: str) -> str:
        """The text that a person wrote, without the text that the program put before it."""
        at = 0
        while found := _BESIDE.match(text, at):
            self.talk.leave_out("message from the program")
            closing = f"</{found[1]}>"
            end = text.find(closing, found.end())
            at = len(text) if end < 0 else end + len(closing)
        words = text[at:]
        if words.lstrip().startswith(_OURS):
            self.talk.leave_out("message from the program")
            return ""
        return words

    def strangers(self) -> int:
        """The number of summaries that belong to other sessions."""
        return sum(of is not None and of not in self.messages for _, _, of in self.titles)

    def title(self) -> str | None:
        """The best name of the session, and the last of its kind."""
        own = [(rank, title) for rank, title, of in self.titles if title and (of is None or of in self.messages)]
        best = max((rank for rank, _ in own), default=None)
        return [title for rank, title in own if rank == best][-1] if own else None


def read_claude_code(feed: Feed) -> Iterator[Value]:
    """One session as one conversation; tools, reasoning and the program's messages are skipped and reported."""
    session = _ClaudeCodeSession()
    for row in read_rows(feed):
        if isinstance(row, Row):
            session.add(row.record)
        else:
            yield row
    session.talk.leave_out("summary of another session", session.strangers())
    yield from session.talk.finish(
        thread=name_thread("claude-code", session.id, feed.path),
        origin=feed.path,
        title=session.title(),
        folder=session.folder,
    )
