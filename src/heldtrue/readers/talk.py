"""Collects the turns of one conversation, and counts what was skipped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from heldtrue.domain.limits import CONVERSATION_BYTES_MAX, SOURCE_BYTES_MAX
from heldtrue.readers.plain import as_text, shorten
from heldtrue.readers.values import Conversation, Skipped, Turn

_BETWEEN = "\n\n"
"""The separator between the parts of one message."""


@dataclass
class _Said:
    """A turn that is still being read."""

    turn: Turn
    parts: list[str]
    size: int
    part_of: object


class Talk:
    """The turns of one conversation in order."""

    def __init__(self) -> None:
        self._said: list[_Said] = []
        self._left_out: Counter[str] = Counter()
        self._bytes = 0

    @property
    def is_silent(self) -> bool:
        return not self._said

    def say(self, role: str, text: str, *, at: int | None, speaker: object = None, part_of: object = None) -> None:
        """Add a turn, or extend the previous turn if both are parts of one message."""
        words = as_text(text).strip("\n")
        if not words.strip():
            return
        size = len(words.encode())
        if size > SOURCE_BYTES_MAX:
            self.leave_out(f"turn longer than {SOURCE_BYTES_MAX:,} bytes")
            return
        if self._bytes + size > CONVERSATION_BYTES_MAX:
            self.leave_out(f"turn after the first {CONVERSATION_BYTES_MAX:,} bytes of the conversation")
            return
        self._bytes += size
        last = self._said[-1] if self._said else None
        if last is not None and _goes_on(last, role, size, part_of):
            last.parts.append(words)
            last.size += size + len(_BETWEEN)
        else:
            turn = Turn(speaker=shorten(speaker), role=role, text="", at=at)
            self._said.append(_Said(turn, [words], size, part_of))

    def leave_out(self, what: str, count: int = 1) -> None:
        """Count something that was skipped, by a name in the singular."""
        if count:
            self._left_out[what] += count

    def leave_out_with(self, other: Talk) -> None:
        """Add the skipped parts of another conversation."""
        self._left_out.update(other._left_out)

    def finish(
        self,
        *,
        thread: str,
        origin: str,
        title: object = None,
        started_at: int | None = None,
        folder: object = None,
    ) -> Iterator[Conversation | Skipped]:
        """The conversation, if it has turns, and one note about the skipped parts."""
        if self._said:
            turns = tuple(msgspec.structs.replace(said.turn, text=_BETWEEN.join(said.parts)) for said in self._said)
            begun = started_at if started_at is not None else next((turn.at for turn in turns if turn.at), None)
            yield Conversation(
                thread=thread,
                title=shorten(title),
                turns=turns,
                started_at=begun,
                folder=shorten(folder, 2_000),
                origin=origin,
            )
        else:
            self.leave_out("empty conversation")
        if self._left_out:
            yield Skipped(path=origin, reason=f"skipped: {tell_counts(self._left_out)}")


def _goes_on(last: _Said, role: str, size: int, part_of: object) -> bool:
    is_same = part_of is not None and part_of == last.part_of and role == last.turn.role
    return is_same and last.size + size + len(_BETWEEN) <= SOURCE_BYTES_MAX


def tell_counts(counts: Mapping[str, int]) -> str:
    """Counted things as a list: `image, 3 × tool result`."""
    return ", ".join(name if count == 1 else f"{count} × {name}" for name, count in sorted(counts.items()))
