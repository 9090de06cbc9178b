"""The types of texts in a response: one of a few words, a time, an id or a scope.

In Python they are plain strings. Only the published schemas are stricter, so that this version can still read a
response with a word that a later version added.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Generic, TypeVar

import msgspec
from msgspec import Meta

from heldtrue.domain.cause import ArchiveCause, ErasureCause, PendingCause, RefusalCause, RetractionCause
from heldtrue.domain.job import JobState
from heldtrue.domain.memory import Kind, Staleness, Status, Strength, Visibility
from heldtrue.domain.principal import Role
from heldtrue.domain.records import ConflictKind, Disposition, SourceKind
from heldtrue.domain.scope import GLOBAL, SCOPE_KINDS

Item = TypeVar("Item")
Word = TypeVar("Word")


class ListPage(msgspec.Struct, Generic[Item], frozen=True, kw_only=True):
    """One page of a list. Every list has this form."""

    items: list[Item]
    next_cursor: str | None
    """The cursor of the next page. Null at the end of the list."""


class Written(msgspec.Struct, Generic[Word], frozen=True, kw_only=True):
    """The outcome of a write, the reason, and its ledger entry."""

    outcome: Word
    reason: str
    seq: int


def one_of(enum: type[StrEnum]) -> Meta:
    """Schema metadata: the text is one of the values of an enum."""
    return _words(enum.__name__, *enum)


def _words(title: str, *words: str) -> Meta:
    return Meta(title=title, extra_json_schema={"enum": sorted(str(word) for word in words)})


def _form(pattern: str) -> Meta:
    return Meta(extra_json_schema={"pattern": pattern})


When = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Id = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
ScopeName = Annotated[str, _form(f"^({GLOBAL}|({'|'.join(SCOPE_KINDS)}):.+)$")]
EntryName = Annotated[str, _form(r"^#[0-9]+$")]
"""An entry of the ledger."""
HeadText = Annotated[str, _form("^[0-9]+:[0-9a-f]{64}$")]
"""The head of the ledger: the number and the hash of its last entry."""
Place = Annotated[str, _form(r"^[0-9]+\.[0-9]+$")]
"""A position in the stream of events."""

KindName = Annotated[str, one_of(Kind)]
StatusName = Annotated[str, one_of(Status)]
VisibilityName = Annotated[str, one_of(Visibility)]
StalenessName = Annotated[str, one_of(Staleness)]
StrengthName = Annotated[str, one_of(Strength)]
SourceKindName = Annotated[str, one_of(SourceKind)]
ConflictKindName = Annotated[str, one_of(ConflictKind)]
DispositionName = Annotated[str, one_of(Disposition)]
JobStateName = Annotated[str, one_of(JobState)]
Standing = Annotated[str, _words("Standing", "person", *Role)]
"""The role of an agent; `person` for the owner."""

Tone = Annotated[str, _words("Tone", "frustrated", "excited", "uncertain", "neutral")]
ConflictStatus = Annotated[str, _words("ConflictStatus", "pending", "settled")]
Grain = Annotated[str, _words("Grain", "text", "claim")]
WriteOutcome = Annotated[
    str,
    _words(
        "WriteOutcome",
        *("created", "corroborated", "refreshed", "superseded", "pending", "refused"),
        *("retracted", "rejected", "dismissed", "approved", "restored", "resolved", "merged", "unchanged"),
    ),
]
_CAUSES = (PendingCause, ArchiveCause, RetractionCause, ErasureCause, RefusalCause)
CauseName = Annotated[str, _words("Cause", *{cause for causes in _CAUSES for cause in causes})]
"""Why something is pending, was archived or was refused."""
PendingCauseName = Annotated[str, one_of(PendingCause)]
LinkOutcome = Annotated[str, _words("LinkOutcome", "linked", "unlinked", "unchanged")]
CaptureOutcome = Annotated[str, _words("CaptureOutcome", "captured", "unchanged")]
QuarantineOutcome = Annotated[str, _words("QuarantineOutcome", "quarantined", "released")]
FeedbackOutcome = Annotated[str, _words("FeedbackOutcome", "noted", "undone", "unchanged")]
SavedOutcome = Annotated[str, _words("SavedOutcome", "saved", "replaced", "unchanged", "dropped")]
ImportWay = Annotated[str, _words("ImportWay", "replayed", "proposed")]
Detail = Annotated[str, _words("Detail", "L0", "L1", "L2")]
Tier = Annotated[str, _words("Tier", "summaries", "items", "none")]
ProfileName = Annotated[str, _words("ProfileName", "default", "brain", "hybrid", "dual", "rank")]
MessageType = Annotated[str, _words("MessageType", "request", "response", "event")]
Expanded = Annotated[str, _words("Expanded", "memory", "source")]
Recalled = Annotated[str, _words("Recalled", "memory", "passage")]
