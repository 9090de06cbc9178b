"""The queue: adding jobs, leasing them, and storing their progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from heldtrue.access.policy import require
from heldtrue.domain.action import WRITE, JobResource
from heldtrue.domain.errors import NotAllowed, WrongState
from heldtrue.domain.ids import new_id
from heldtrue.domain.job import Job, JobState, pause_after
from heldtrue.domain.limits import JOB_DEATHS_MAX, JOB_ERROR_CHARS_MAX, JOB_LEASE_US, JOB_TRIES_MAX
from heldtrue.domain.principal import Principal, PrincipalKind
from heldtrue.engine.ports import EngineStore
from heldtrue.ingest.ports import IngestWriteTransaction
from heldtrue.language.masking import mask_text


class LostLease(Exception):
    """Another worker took over this job, or it was suspended or cancelled; its former worker must not write."""


class NewJob(msgspec.Struct, frozen=True, kw_only=True):
    """A requested job."""

    name: str
    asked_by: str
    trigger: str
    """What triggered it: a capture, a schedule, a person."""
    scope: str = ""
    arguments: Mapping[str, Any] = {}
    total: int = 0
    once: str | None = None
    """While a job with this mark is unfinished, no second one is added."""
    due_at: int | None = None
    """If omitted, the job is due at once."""


def ask_for(transaction: IngestWriteTransaction, new: NewJob, *, now: int) -> Job:
    """Add a job to the queue in the current transaction, unless an open job has the same mark."""
    if new.once is not None and (present := transaction.queue.open_job(new.once)) is not None:
        return present
    job = Job(
        id=new_id(now),
        name=new.name,
        scope=new.scope,
        asked_by=new.asked_by,
        trigger=new.trigger,
        arguments=msgspec.json.encode(new.arguments).decode(),
        once=new.once,
        state=JobState.WAITING,
        due_at=now if new.due_at is None else new.due_at,
        tries=0,
        fence=0,
        worker=None,
        leased_until=None,
        done=0,
        total=new.total,
        error=None,
        outcome="{}",
        created_at=now,
        finished_at=None,
    )
    transaction.queue.add(job)
    return job


def take_job(store: EngineStore, *, worker: str, now: int, names: Sequence[str] = ()) -> Job | None:
    """Lease the job that has been due longest; None if no job is due."""
    with store.read() as reading:
        if reading.queue.due_job(now, names) is None:
            return None
    with store.write() as transaction:
        while (job := transaction.queue.due_job(now, names)) is not None and _killed_its_workers(job):
            transaction.queue.keep(_set_aside(job, now=now))
        if job is None:
            return None
        taken = msgspec.structs.replace(
            job,
            state=JobState.RUNNING,
            tries=job.tries + 1,
            fence=job.fence + 1,
            worker=worker,
            leased_until=now + JOB_LEASE_US,
        )
        transaction.queue.keep(taken)
        return taken


def _killed_its_workers(job: Job) -> bool:
    """Whether the last try of a job ended with its process, after as many tries without progress as are allowed."""
    return job.state == JobState.RUNNING and job.tries >= JOB_DEATHS_MAX


def _set_aside(job: Job, *, now: int) -> Job:
    """A job that waits for a person to retry it."""
    error = f"the process running this job ended before it was done; the job made no progress in {job.tries} tries"
    return msgspec.structs.replace(
        job, state=JobState.FAILED, worker=None, leased_until=None, error=error, finished_at=now
    )


def renew_lease(store: EngineStore, job: Job, *, now: int) -> None:
    """Renew the lease of a job; raises `LostLease` if another worker has it."""
    with store.write() as transaction:
        held = _still_held(transaction, job)
        transaction.queue.keep(msgspec.structs.replace(held, leased_until=now + JOB_LEASE_US))


def note_progress(
    transaction: IngestWriteTransaction, job: Job, *, now: int, done: int, total: int | None = None, outcome: Any = None
) -> Job:
    """Store the progress of a job after a step, and renew the lease. A try that gets further is its first one again."""
    held = _still_held(transaction, job)
    moved = msgspec.structs.replace(
        held,
        leased_until=now + JOB_LEASE_US,
        tries=1 if done > held.done else held.tries,
        done=done,
        total=held.total if total is None else total,
        outcome=held.outcome if outcome is None else msgspec.json.encode(outcome).decode(),
    )
    transaction.queue.keep(moved)
    return moved


def finish_job(transaction: IngestWriteTransaction, job: Job, *, now: int, outcome: Any = None) -> Job:
    """Mark a job as done."""
    held = _still_held(transaction, job)
    ended = msgspec.structs.replace(
        held,
        state=JobState.DONE,
        worker=None,
        leased_until=None,
        error=None,
        finished_at=now,
        outcome=held.outcome if outcome is None else msgspec.json.encode(outcome).decode(),
    )
    transaction.queue.keep(ended)
    return ended


def fail_job(transaction: IngestWriteTransaction, job: Job, *, now: int, error: str) -> Job:
    """Record a failed try: the job is retried later, or waits for a person after too many tries."""
    held = _still_held(transaction, job)
    spent = held.tries >= JOB_TRIES_MAX
    failed = msgspec.structs.replace(
        held,
        state=JobState.FAILED if spent else JobState.WAITING,
        due_at=now + pause_after(held.tries),
        worker=None,
        leased_until=None,
        error=mask_text(error).text[:JOB_ERROR_CHARS_MAX],
        finished_at=now if spent else None,
    )
    transaction.queue.keep(failed)
    return failed


def suspend_jobs(transaction: IngestWriteTransaction, asked_by: str, *, now: int) -> int:
    """Suspend the jobs of a requester that lost its token; a running job stops before its next step."""
    return transaction.queue.suspend(
        asked_by, now=now, error=f"the token of {asked_by} was revoked before the job finished"
    )


def retry_job(transaction: IngestWriteTransaction, job: Job, *, now: int, principal: Principal) -> Job:
    """Retry a failed, waiting, suspended or cancelled job now, resuming where it stopped.

    It stays the job of its requester even if a person retries it: its results are statements of that agent, not of the
    person.
    """
    if job.state in (JobState.DONE, JobState.RUNNING):
        raise WrongState(
            f"the job is {job.state} and cannot be retried",
            field="job",
            hint="only failed, waiting, suspended or cancelled jobs can be retried",
        )
    if job.state == JobState.SUSPENDED:
        require(principal, WRITE, JobResource(job.scope, job.asked_by, is_suspended=True))
        job = msgspec.structs.replace(job, error=None)
    elif not _is_of_same_agent(transaction, job, principal):
        raise NotAllowed(
            "the job was requested before this agent was registered", field="job", hint="ask a person to retry it"
        )
    if job.once is not None and (present := transaction.queue.open_job(job.once)) is not None and present.id != job.id:
        raise WrongState("an identical job is already in the queue", field="job", hint=f"see `job` {present.id}")
    again = msgspec.structs.replace(job, state=JobState.WAITING, due_at=now, tries=0, finished_at=None)
    transaction.queue.keep(again)
    return again


def _is_of_same_agent(transaction: IngestWriteTransaction, job: Job, principal: Principal) -> bool:
    """Whether the agent was already registered under its name when the job was requested."""
    record = transaction.agents.named(principal.name) if principal.kind is PrincipalKind.AGENT else None
    return record is None or (record.revoked_at is None and record.created_at <= job.created_at)


def cancel_job(transaction: IngestWriteTransaction, job: Job, *, now: int, principal: Principal) -> Job:
    """Cancel a job; finished steps stay done. A running job stops before its next step."""
    if job.state == JobState.SUSPENDED:
        require(principal, WRITE, JobResource(job.scope, job.asked_by, is_suspended=True))
    if job.finished_at is not None and job.state != JobState.SUSPENDED:
        raise WrongState(f"the job is already {job.state}", field="job")
    ended = msgspec.structs.replace(job, state=JobState.CANCELLED, worker=None, leased_until=None, finished_at=now)
    transaction.queue.keep(ended)
    return ended


def _still_held(transaction: IngestWriteTransaction, job: Job) -> Job:
    present = transaction.queue.job(job.id)
    if present is None or present.fence != job.fence or present.state != JobState.RUNNING:
        raise LostLease(job.id)
    return present
