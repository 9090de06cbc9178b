"""Why a memory is pending, archived or retracted, or a write was refused: closed sets of stored values.

The reason beside a cause is text for people. It may be reworded at any time, and no code reads it.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class PendingCause(StrEnum):
    """Why a memory waits in the inbox."""

    EXTRACTED = "extracted"
    """An extractor found it in captured material."""
    IMPORTED = "imported"
    """It comes from another product."""
    PENDING_ELSEWHERE = "pending_elsewhere"
    """It waited in the space that it was imported from."""
    INSIGHT = "insight"
    """Maintenance made it from archived memories."""
    CONTRADICTION = "contradiction"
    PROTECTED = "protected"
    """It would correct a memory that a person has verified."""
    NEEDS_RATIONALE = "needs_rationale"
    NEEDS_SOURCE = "needs_source"
    NEEDS_RATIONALE_AND_SOURCE = "needs_rationale_and_source"
    PERSONAL = "personal"
    """An agent says it about a person."""
    OPINION = "opinion"
    PEER = "peer"
    """Another instance says it."""
    QUARANTINE = "quarantine"
    """Its only source was put into quarantine."""


CONFIRMABLE = frozenset({PendingCause.EXTRACTED, PendingCause.IMPORTED})
"""Memories that are pending for one of these causes only need confirmation, so maintenance may promote them."""


class ArchiveCause(StrEnum):
    """Why a memory was archived."""

    DOCUMENT_GONE = "document_gone"
    """The document it rests on is no longer where it was."""
    DOCUMENT_CHANGED = "document_changed"
    """The document it rests on no longer says it."""
    RETIRED = "retired"
    """It was forgotten longer ago than the retention time."""
    DOUBTFUL = "doubtful"
    """Its confidence is below the limit."""
    STALE = "stale"
    UNUSED = "unused"


class RetractionCause(StrEnum):
    """Why a memory was retracted although it is not wrong."""

    REPLACED = "replaced"
    """A newer value replaced it."""
    DELETED = "deleted"
    """It is no longer wanted."""


class RefusalCause(StrEnum):
    """Why a write was not kept."""

    REJECTED_BEFORE = "rejected_before"
    """A tombstone covers what it says."""
    QUARANTINE = "quarantine"
    """Its source is in quarantine."""
    CHATTER = "chatter"
    OPINION = "opinion"
    CONTRADICTION = "contradiction"
    """It contradicts an active memory, and the rule of the scope is to refuse."""
    NOT_ALLOWED = "not_allowed"


VersionCause = PendingCause | ArchiveCause | RetractionCause
"""The causes that a version of a memory can have."""
Cause = VersionCause | RefusalCause
"""The causes that a ledger entry can have."""
_KEPT: dict[str, VersionCause] = {
    cause.value: cause for causes in (PendingCause, ArchiveCause, RetractionCause) for cause in causes
}


def read_cause(text: str | None) -> VersionCause | None:
    """The cause that a version of a memory was stored with."""
    return None if text is None else _KEPT[text]


class PendingReason(msgspec.Struct, frozen=True):
    """Why a memory waits: the cause, and the sentence that is shown."""

    cause: PendingCause
    text: str
