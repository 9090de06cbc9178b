"""The result of a write, as returned to the caller."""

from __future__ import annotations

import msgspec

from heldtrue.domain.cause import Cause
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.memory import MemoryVersion


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one act at the gateway."""

    outcome: OutcomeKind
    memory: MemoryVersion | None
    reason: str
    """For people; no code reads it."""
    cause: Cause | None = None
    """Why it is pending, archived or refused."""
    hint: str | None = None
    notes: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    """Ids of the conflicts that were opened or resolved."""
    kept: tuple[MemoryVersion, ...] = ()
    """Parts of a corrected memory that are still valid, now as separate memories."""
    seq: int
