"""Why a memory is pending, archived or retracted, or a write was refused: closed sets of stored values.

The reason beside a cause is text for people. It may be reworded at any time, and no code reads it.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class PendingCause(StrEnum):
    """Why a memory is in the inbox."""

    EXTRACTED = "extracted"
    """An extractor found it in captured material."""
    IMPORTED = "imported"
    """It comes from another product."""
    PENDING_ELSEWHERE = "pending_elsewhere"
    """It was pending in the space that it was imported from."""
    INSIGHT = "insight"
    """Maintenance made it from archived memories."""
    CONTRADICTION = "contradiction"
    PROTECTED = "protected"
    """It would change a memory that others have stated or verified."""
    NEEDS_RATIONALE = "needs_rationale"
    NEEDS_SOURCE = "needs_source"
    NEEDS_RATIONALE_AND_SOURCE = "needs_rationale_and_source"
    PERSONAL = "personal"
    """An agent stated it about a person."""
    OPINION = "opinion"
    """It reads as an opinion or a guess."""
    CHATTER = "chatter"
    """It reads as small talk or an instruction."""
    TRANSCRIPT = "transcript"
    """It reads as raw dialogue, a log or code."""
    PEER = "peer"
    """Another instance stated it."""
    QUARANTINE = "quarantine"
    """Its only source was put into quarantine."""
    SAYS_REJECTED = "says_rejected"
    """It says, in other words, what was rejected before."""
    UNPROVEN = "unproven"
    """It comes from an export that names this space, without a valid authentication code."""


CONFIRMABLE = frozenset({PendingCause.EXTRACTED, PendingCause.IMPORTED})
"""Memories that are pending for one of these causes only need confirmation, so maintenance may promote them."""


class ArchiveCause(StrEnum):
    """Why a memory was archived."""

    DOCUMENT_GONE = "document_gone"
    """The document that it is based on no longer exists."""
    DOCUMENT_CHANGED = "document_changed"
    """The document that it is based on no longer says it."""
    RETIRED = "retired"
    """It was forgotten longer ago than the retention time."""
    DOUBTFUL = "doubtful"
    """Its confidence is below the limit."""
    STALE = "stale"
    UNUSED = "unused"
    RETENTION = "retention"
    """A retention rule of the settings says so."""
    DISMISSED = "dismissed"
    """A person took it out of the inbox, without saying that it is wrong."""


class RetractionCause(StrEnum):
    """Why a memory was retracted although it is not wrong."""

    REPLACED = "replaced"
    """A newer value replaced it."""
    DELETED = "deleted"
    """It is no longer wanted."""


class ErasureCause(StrEnum):
    """Why a retracted memory has no words."""

    ERASED = "erased"
    """A person had them destroyed for good."""


class RefusalCause(StrEnum):
    """Why a write was refused."""

    REJECTED_BEFORE = "rejected_before"
    """Its value was rejected before."""
    ERASED_BEFORE = "erased_before"
    """Its value was erased before. Neither the refusal nor anything else keeps its words."""
    QUARANTINE = "quarantine"
    """Its source is in quarantine."""
    CHATTER = "chatter"
    """It has no words, or greets or acknowledges and says nothing else."""
    TRANSCRIPT = "transcript"
    """It is raw dialogue, a log or code."""
    CONTRADICTION = "contradiction"
    """It contradicts an active memory, and the rule of the scope is to refuse."""
    NOT_ALLOWED = "not_allowed"
    DATA_REFUSED = "data_refused"
    """It contains data of a kind that its scope does not accept."""


VersionCause = PendingCause | ArchiveCause | RetractionCause | ErasureCause
"""The causes that a version of a memory can have."""
Cause = VersionCause | RefusalCause
"""The causes that a ledger entry can have."""
_KEPT: dict[str, VersionCause] = {
    cause.value: cause for causes in (PendingCause, ArchiveCause, RetractionCause, ErasureCause) for cause in causes
}


def read_cause(text: str | None) -> VersionCause | None:
    """The cause that a version of a memory was stored with."""
    return None if text is None else _KEPT[text]


class PendingReason(msgspec.Struct, frozen=True):
    """Why a memory is pending: the cause, and the sentence that is shown."""

    cause: PendingCause
    text: str
