"""The queue: asking for work, taking it for a while, and writing down how far it has come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from heldtrue.access.policy import require
from heldtrue.domain.action import WRITE, JobResource
from heldtrue.domain.errors import NotAllowed, WrongState
from heldtrue.domain.ids import new_id
from heldtrue.domain.job import Job, JobState, pause_after
from heldtrue.domain.limits import JOB_ERROR_CHARS_MAX, JOB_LEASE_US, JOB_TRIES_MAX
from heldtrue.domain.principal import Principal, PrincipalKind
from heldtrue.engine.ports import EngineStore
from heldtrue.ingest.ports import IngestWriteTransaction
from heldtrue.language.secrets import redact_secrets


class LostLease(Exception):
    """Another worker has taken this job over, or it was held or cancelled: whoever had it must not write under it."""


class NewJob(msgspec.Struct, frozen=True, kw_only=True):
    """Work that somebody asks for."""

    name: str
    asked_by: str
    trigger: str
    """What made it necessary: a capture, a schedule, a person."""
    scope: str = ""
    arguments: Mapping[str, Any] = {}
    total: int = 0
    once: str | None = None
    """While a job with this mark is open, a second one is not made."""
    due_at: int | None = None
    """At once, if left out."""


def ask_for(transaction: IngestWriteTransaction, new: NewJob, *, now: int) -> Job:
    """Put work into the queue, in the transaction that makes it necessary; an open job with the same mark is enough."""
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
    """Take the job that has been due longest, for as long as a lease lasts; none if nothing is due."""
    with store.read() as reading:
        if reading.queue.due_job(now, names) is None:
            return None
    with store.write() as transaction:
        job = transaction.queue.due_job(now, names)
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


def renew_lease(store: EngineStore, job: Job, *, now: int) -> None:
    """Say that whoever has a job is still at it; raises `LostLease` if it is someone else's by now."""
    with store.write() as transaction:
        held = _still_held(transaction, job)
        transaction.queue.keep(msgspec.structs.replace(held, leased_until=now + JOB_LEASE_US))


def note_progress(
    transaction: IngestWriteTransaction, job: Job, *, now: int, done: int, total: int | None = None, outcome: Any = None
) -> Job:
    """Write down how far a job has come, with the step that brought it there; this renews the lease."""
    held = _still_held(transaction, job)
    moved = msgspec.structs.replace(
        held,
        leased_until=now + JOB_LEASE_US,
        done=done,
        total=held.total if total is None else total,
        outcome=held.outcome if outcome is None else msgspec.json.encode(outcome).decode(),
    )
    transaction.queue.keep(moved)
    return moved


def finish_job(transaction: IngestWriteTransaction, job: Job, *, now: int, outcome: Any = None) -> Job:
    """The work is done."""
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
    """A try failed: it is kept with its error and comes again later, or waits for someone after too many tries."""
    held = _still_held(transaction, job)
    spent = held.tries >= JOB_TRIES_MAX
    failed = msgspec.structs.replace(
        held,
        state=JobState.FAILED if spent else JobState.WAITING,
        due_at=now + pause_after(held.tries),
        worker=None,
        leased_until=None,
        error=redact_secrets(error).text[:JOB_ERROR_CHARS_MAX],
        finished_at=now if spent else None,
    )
    transaction.queue.keep(failed)
    return failed


def suspend_jobs(transaction: IngestWriteTransaction, asked_by: str, *, now: int) -> int:
    """Keep from being done what somebody asked for who may no longer act; one that runs stops before its next step."""
    return transaction.queue.suspend(asked_by, now=now, error=f"{asked_by} lost its token before this was done")


def retry_job(transaction: IngestWriteTransaction, job: Job, *, now: int, principal: Principal) -> Job:
    """Let a job that failed, was held or cancelled, or waits be tried at once, from where it had come to.

    It stays the work of whoever asked for it, also where a person lets it be done: what comes of it is what an agent
    said, and no person's word.
    """
    if job.state in (JobState.DONE, JobState.RUNNING):
        raise WrongState(
            f"the job is {job.state}", field="job", hint="only what failed, waits, is held or was cancelled"
        )
    if job.state == JobState.SUSPENDED:
        require(principal, WRITE, JobResource(job.scope, job.asked_by, is_suspended=True))
        job = msgspec.structs.replace(job, error=None)
    elif not _is_of_same_agent(transaction, job, principal):
        raise NotAllowed("this was asked for before the agent was let in", field="job", hint="ask a person")
    if job.once is not None and (present := transaction.queue.open_job(job.once)) is not None and present.id != job.id:
        raise WrongState("the same work is in the queue already", field="job", hint=f"see `job` {present.id}")
    again = msgspec.structs.replace(job, state=JobState.WAITING, due_at=now, tries=0, finished_at=None)
    transaction.queue.keep(again)
    return again


def _is_of_same_agent(transaction: IngestWriteTransaction, job: Job, principal: Principal) -> bool:
    """Whether a job is not from a time when somebody else came by the name of an agent that asks for it now."""
    record = transaction.agents.named(principal.name) if principal.kind is PrincipalKind.AGENT else None
    return record is None or (record.token_digest is not None and record.created_at <= job.created_at)


def cancel_job(transaction: IngestWriteTransaction, job: Job, *, now: int, principal: Principal) -> Job:
    """End a job; what it has done so far stays done. One that runs stops before its next step."""
    if job.state == JobState.SUSPENDED:
        require(principal, WRITE, JobResource(job.scope, job.asked_by, is_suspended=True))
    if job.finished_at is not None and job.state != JobState.SUSPENDED:
        raise WrongState(f"the job is {job.state} already", field="job")
    ended = msgspec.structs.replace(job, state=JobState.CANCELLED, worker=None, leased_until=None, finished_at=now)
    transaction.queue.keep(ended)
    return ended


def _still_held(transaction: IngestWriteTransaction, job: Job) -> Job:
    present = transaction.queue.job(job.id)
    if present is None or present.fence != job.fence or present.state != JobState.RUNNING:
        raise LostLease(job.id)
    return present
