"""A memory and its versions."""

from __future__ import annotations

import re
from enum import StrEnum

import msgspec

from heldtrue.domain.limits import TITLE_CHARS_MAX
from heldtrue.domain.privacy import Privacy
from heldtrue.domain.times import DAY_US, HOUR_US


class Kind(StrEnum):
    """The type of statement that a memory makes."""

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
    """Who may ever see the memory: only the agent that wrote it, only this instance, or other instances too."""

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
    DISMISS = "dismiss"
    FORGET = "forget"
    ERASE = "erase"
    RESTORE = "restore"
    RESOLVE = "resolve"
    MERGE = "merge"
    PROMOTE = "promote"
    ARCHIVE = "archive"
    RETURN = "return"
    UNDO = "undo"
    QUARANTINE = "quarantine"
    RELEASE = "release"


STALE_AFTER_US: dict[Staleness, int | None] = {
    Staleness.STABLE: None,
    Staleness.WEEKLY: 7 * DAY_US,
    Staleness.DAILY: DAY_US,
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


class ValidTime(msgspec.Struct, frozen=True, gc=False):
    """When something is true in the world: from `start` until before `end`; None means without a bound."""

    start: int | None
    end: int | None

    @classmethod
    def of(cls, valid_from: int | None, valid_to: int | None, *, said_at: int) -> ValidTime:
        """The valid time of a statement. One without dates is about the time from which on it is said, and says nothing
        about what ended before.
        """
        is_dated = valid_from is not None or valid_to is not None
        return cls(valid_from if is_dated else said_at, valid_to)

    def overlaps(self, other: ValidTime) -> bool:
        """Whether there is a moment that both contain."""
        return not (self.is_before(other) or other.is_before(self))

    def is_before(self, other: ValidTime) -> bool:
        """Whether it ends before the other begins, or right there."""
        return self.end is not None and other.start is not None and self.end <= other.start


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

    @property
    def valid_time(self) -> ValidTime:
        """When it is true. Without dates: since it was first said."""
        return ValidTime.of(self.valid_from, self.valid_to, said_at=min(self.observed_at, self.created_at))

    def is_stale(self, now: int) -> bool:
        """Whether it is older than its staleness policy allows."""
        after = STALE_AFTER_US[Staleness(self.staleness)]
        return after is not None and now - self.observed_at >= after

    def has_ended(self, moment: int) -> bool:
        """Whether it was true until before that moment."""
        return self.valid_to is not None and self.valid_to <= moment

    def holds_at(self, moment: int) -> bool:
        """Whether this version was valid at that moment."""
        started = self.valid_from is None or self.valid_from <= moment
        return started and not self.has_ended(moment)
