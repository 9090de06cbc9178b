"""Jobs: rows in the queue, from the request to the outcome."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from heldtrue.domain.limits import JOB_FIRST_PAUSE_US, JOB_LONGEST_PAUSE_US


class JobState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SUSPENDED = "suspended"
    """The agent that requested it lost its token. A person must release the job."""


class Job(msgspec.Struct, frozen=True, gc=False):
    """One piece of work. Times are microseconds UTC."""

    id: str
    name: str
    """Which work it is: extract, consolidate, ..."""
    scope: str
    """Where it works; empty for the whole space."""
    asked_by: str
    trigger: str
    """What triggered it: a capture, a schedule, a person."""
    arguments: str
    """JSON."""
    once: str | None
    """While a job with this mark is open, a second one is not made."""
    state: str
    due_at: int
    tries: int
    fence: int
    """How often it was taken; only the last one who took it may write under it."""
    worker: str | None
    leased_until: int | None
    done: int
    total: int
    error: str | None
    outcome: str
    """JSON: the outcome."""
    created_at: int
    finished_at: int | None


class ScheduleRun(msgspec.Struct, frozen=True, gc=False):
    """When a regular job was last asked for, and by which row."""

    name: str
    slot: int
    """The time it was due at."""
    asked_at: int
    job_id: str


class SummaryRow(msgspec.Struct, frozen=True, gc=False):
    """The summary of a category in a scope, from one moment to another."""

    scope: str
    category: str
    made_at: int
    memories: int
    text: str
    replaced_at: int | None = None


def pause_after(tries: int) -> int:
    """How long a job waits after so many failed tries: ten seconds, then twice as long each time, at most an hour."""
    return min(JOB_FIRST_PAUSE_US << max(0, tries - 1), JOB_LONGEST_PAUSE_US)
