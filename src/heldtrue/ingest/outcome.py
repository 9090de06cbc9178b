"""What a write came to, told to whoever asked for it."""

from __future__ import annotations

import msgspec

from heldtrue.domain.memory import MemoryVersion


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one act at the gateway."""

    outcome: str
    memory: MemoryVersion | None
    reason: str
    hint: str | None = None
    notes: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    """Ids of the conflicts this opened or settled."""
    kept: tuple[MemoryVersion, ...] = ()
    """Parts of a corrected memory that still stand, now on their own."""
    seq: int
