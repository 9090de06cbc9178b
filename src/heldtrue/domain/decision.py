"""The possible decisions of the gate, and the possible outcomes of every act. Both sets are closed."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from heldtrue.domain.cause import PendingCause, RefusalCause
from heldtrue.domain.memory import MemoryVersion


class OutcomeKind(StrEnum):
    """The outcome of an act, as in its ledger entry and its answer."""

    # The gate
    CREATED = "created"
    CORROBORATED = "corroborated"
    REFRESHED = "refreshed"
    SUPERSEDED = "superseded"
    PENDING = "pending"
    REFUSED = "refused"
    KNOWN = "known"
    """It already has the same source as evidence; nothing was written."""
    UNCHANGED = "unchanged"
    # Changes to existing memories
    APPROVED = "approved"
    REJECTED = "rejected"
    DISMISSED = "dismissed"
    ERASED = "erased"
    RETRACTED = "retracted"
    RESTORED = "restored"
    RESOLVED = "resolved"
    MERGED = "merged"
    LINKED = "linked"
    UNLINKED = "unlinked"
    # Evidence
    CAPTURED = "captured"
    QUARANTINED = "quarantined"
    RELEASED = "released"
    # Maintenance
    PROMOTED = "promoted"
    ARCHIVED = "archived"
    RETURNED = "returned"
    UNDONE = "undone"
    ACCEPTED = "accepted"
    """The owner accepted a store that lost entries, or a clock that is far ahead of its last entry."""
    CONTRADICTED = "contradicted"
    """It lost a conflict in the space that it was imported from."""
    # Agents
    ADMITTED = "admitted"
    ROTATED = "rotated"
    """It was given a new token."""
    REVOKED = "revoked"
    """It lost its token."""
    SHARED = "shared"
    # Feedback and saved views
    NOTED = "noted"
    SAVED = "saved"
    REPLACED = "replaced"
    DROPPED = "dropped"


class Contrary(msgspec.Struct, frozen=True):
    """An existing memory that contradicts the candidate, and what contradicts."""

    memory: MemoryVersion
    finding: str
    pair_key: int
    weaker_is_new: bool
    is_sure: bool = True
    """Whether they contradict each other for certain; else the two are only flagged."""


class Created(msgspec.Struct, frozen=True, tag="created"):
    """It is new and active; if the scope lets contradicting memories coexist, they are flagged."""

    reason: str
    contraries: tuple[Contrary, ...] = ()


class Corroborated(msgspec.Struct, frozen=True, tag="corroborated"):
    """Another author already said the same thing. The memory gains evidence, and confidence if the author is new."""

    memory: MemoryVersion
    gain: float
    reason: str


class Refreshed(msgspec.Struct, frozen=True, tag="refreshed"):
    """The same author said the same thing before. The memory gets the newer wording."""

    memory: MemoryVersion
    reason: str


class Superseded(msgspec.Struct, frozen=True, tag="superseded"):
    """It is valid from a later date than the existing memory, which ends where this one begins, if not before."""

    memory: MemoryVersion
    reason: str


class Pending(msgspec.Struct, frozen=True, tag="pending"):
    """It waits in the inbox for a person."""

    cause: PendingCause
    reason: str
    contraries: tuple[Contrary, ...] = ()


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """It is not kept."""

    cause: RefusalCause
    reason: str
    hint: str | None = None
    memory_id: str | None = None
    """The rejected memory that blocks it, if that is the cause."""
    tombstone_id: str | None = None
    """The rejection that blocks it, likewise."""


Decision = Created | Corroborated | Refreshed | Superseded | Pending | Refused
