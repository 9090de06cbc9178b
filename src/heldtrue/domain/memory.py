"""A memory and its versions."""

from __future__ import annotations

import re
from enum import StrEnum

import msgspec

from heldtrue.domain.limits import TITLE_CHARS_MAX
from heldtrue.domain.privacy import Privacy


class Kind(StrEnum):
    """What sort of belief a memory is."""

    PROFILE = "profile"
    PREFERENCE = "preference"
    DECISION = "decision"
    CONVENTION = "convention"
    PATTERN = "pattern"
    PROJECT = "project"
    ARTIFACT = "artifact"
    EPISODE = "episode"
    TASK_HINT = "task_hint"
    LESSON = "lesson"
    INSIGHT = "insight"
    ENTITY = "entity"
    CLAIM = "claim"
    NOTE = "note"


class Status(StrEnum):
    """Whether a memory may be acted on."""

    INBOX = "inbox"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    CONTRADICTED = "contradicted"
    REJECTED = "rejected"
    RETRACTED = "retracted"
    ARCHIVED = "archived"


LIVE = (Status.ACTIVE, Status.INBOX)
"""The statuses of memories that new ones are compared with; all others are history."""


class Visibility(StrEnum):
    """Who may ever see it: the writing agent alone, this instance, or peers too."""

    PRIVATE = "private"
    LOCAL = "local"
    SHARED = "shared"


class Staleness(StrEnum):
    """How soon a memory becomes stale."""

    STABLE = "stable"
    WEEKLY = "weekly"
    DAILY = "daily"
    HOURLY = "hourly"
    VOLATILE = "volatile"


class Strength(StrEnum):
    """How the evidence supports it: stated explicitly, implied, or inferred."""

    EXPLICIT = "explicit"
    IMPLIED = "implied"
    INFERRED = "inferred"


class VersionChange(StrEnum):
    """The act that made a version of a memory."""

    LEARN = "learn"
    EXTRACT = "extract"
    INGEST = "ingest"
    IMPORT = "import"
    REFRESHED = "refreshed"
    CORROBORATED = "corroborated"
    END = "end"
    """A later fact ended it."""
    CONTRADICT = "contradict"
    CORRECT = "correct"
    KEEP = "keep"
    """The part of a corrected memory that was not corrected."""
    APPROVE = "approve"
    REJECT = "reject"
    FORGET = "forget"
    RESTORE = "restore"
    RESOLVE = "resolve"
    MERGE = "merge"
    PROMOTE = "promote"
    ARCHIVE = "archive"
    RETURN = "return"
    UNDO = "undo"
    QUARANTINE = "quarantine"
    RELEASE = "release"


HOUR_US = 3_600_000_000
STALE_AFTER_US: dict[Staleness, int | None] = {
    Staleness.STABLE: None,
    Staleness.WEEKLY: 7 * 24 * HOUR_US,
    Staleness.DAILY: 24 * HOUR_US,
    Staleness.HOURLY: HOUR_US,
    Staleness.VOLATILE: 0,
}
STARTING_CONFIDENCE = {Strength.EXPLICIT: 0.9, Strength.IMPLIED: 0.7, Strength.INFERRED: 0.5}

REFRESH_GAIN = 0.05
CORROBORATION_GAIN = 0.1
CONTRADICTION_LOSS = 0.2
UNCERTAIN_BELOW = 0.3


def adjust_confidence(confidence: float, change: float) -> float:
    """A confidence changed by a step, clamped to [0, 1] and rounded."""
    return round(min(1.0, max(0.0, confidence + change)), 6)


_FIRST_SENTENCE = re.compile(r".+?(?:[.!?](?=\s)|[。！？]|$)")


def short_title(content: str) -> str:
    """A title for a memory that was given none: its first sentence, cut at a word."""
    first_line = content.split("\n", 1)[0]
    sentence = _FIRST_SENTENCE.match(first_line)
    title = (sentence.group() if sentence else first_line).strip()
    if len(title) <= TITLE_CHARS_MAX // 2:
        return title
    return title[: TITLE_CHARS_MAX // 2].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


class MemoryVersion(msgspec.Struct, frozen=True, gc=False):
    """One memory as it was believed from one moment of record to the next."""

    no: int
    """Ordinal of the version in its space; the index rows of a version carry it."""
    memory_id: str
    version: int
    seq: int
    kind: str
    title: str | None
    """As given; without one, `short_title` of the content is shown."""
    content: str
    summary: str | None
    rationale: str | None
    scope: str
    project_id: str | None
    repo_id: str | None
    visibility: str
    status: str
    confidence: float
    strength: str
    topic: str | None
    category: str | None
    staleness: str
    author: str
    verified_by: str | None
    """The person who verified it; None if no person has."""
    valid_from: int | None
    valid_to: int | None
    observed_at: int
    created_at: int
    """When the first version was recorded."""
    recorded_from: int
    change: str
    """The act that made this version, one of `VersionChange`."""
    changed_by: str
    reason: str | None
    """Why this version was made, in words."""
    salt: bytes | None = None
    digest: bytes | None = None
    recorded_to: int | None = None
    seq_to: int | None = None
    closing_digest: bytes | None = None
    sentiment: str | None = None
    """The tone it was said in, frustrated, excited or uncertain; empty for neutral."""
    cause: str | None = None
    """Why it waits, is archived or was retracted: a value of `domain.cause`."""

    @property
    def is_live(self) -> bool:
        """Whether it is active or pending; anything else is history."""
        return self.status in LIVE

    @property
    def privacy(self) -> Privacy:
        return Privacy.of(self.visibility, self.author)

    def is_stale(self, now: int) -> bool:
        """Whether it is older than its staleness policy allows."""
        after = STALE_AFTER_US[Staleness(self.staleness)]
        return after is not None and now - self.observed_at >= after

    def holds_at(self, moment: int) -> bool:
        """Whether this version was valid at that moment."""
        started = self.valid_from is None or self.valid_from <= moment
        return started and (self.valid_to is None or moment < self.valid_to)
