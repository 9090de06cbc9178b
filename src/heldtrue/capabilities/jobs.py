"""The job queue: list, run, retry and cancel jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from heldtrue.access.policy import is_allowed
from heldtrue.capabilities.arguments import ListLimit
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import Group
from heldtrue.capabilities.parameters import Reference, Request
from heldtrue.capabilities.references import complete_id
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import Id, JobStateName, ListPage, When
from heldtrue.capabilities.writing import WriteAnswer, answer_of
from heldtrue.domain.action import READ, Audience, Effect, JobResource
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import NotFound, WrongState
from heldtrue.domain.job import Job, JobState
from heldtrue.domain.memory import Visibility
from heldtrue.domain.plural import count
from heldtrue.domain.times import to_iso, to_iso_or_none
from heldtrue.engine.queue import cancel_job, retry_job
from heldtrue.ingest.acts.batch import learn_act
from heldtrue.ingest.acts.extracted_lane import Taken
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ingest.stages.candidate import Proposal, prepare_candidate
from heldtrue.ingest.stages.journal import WriteSession

JOB = Reference(("job",), "jobs")
JobRef = Annotated[str, Meta(description="The id of a job."), JOB]


class JobView(msgspec.Struct, frozen=True, kw_only=True):
    """A job: its name, who requested it, its progress and its result."""

    id: Id
    name: str
    about: str | None
    """The file or conversation that the job works on, if there is only one."""
    scope: str
    asked_by: str
    trigger: str
    """What started the job: `capture`, `schedule`, or the caller who requested it."""
    state: JobStateName
    done: int
    total: int
    tries: int
    due_at: When
    error: str | None
    note: str | None
    """A problem that did not stop the job, such as a model that failed."""
    counts: dict[str, int]
    """The number of results so far, by outcome."""
    created_at: When
    finished_at: When | None


class JobsAnswer(ListPage[JobView], frozen=True, kw_only=True):
    """Jobs, newest first."""

    waiting: int
    running: int
    failed: int
    suspended: int
    """How many jobs are suspended because their agent's token was revoked. A person can `retry` them."""


class JobAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A job with its full result."""

    job: JobView
    arguments: dict[str, Any]
    outcome: dict[str, Any]


class WorkAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The jobs that ran, and how many are still waiting."""

    jobs: list[JobView]
    waiting: int
    """Jobs that are scheduled for later or taken by another worker."""


class WorkRequest(Request):
    names: Annotated[list[str] | None, Meta(description="Only jobs with these names, for example extract.")] = None


@capability(
    "memory.work",
    Effect.ADMIN,
    group=Group.WORK,
    progress="working",
    examples=("heldtrue work", "heldtrue work --name extract"),
)
def work(call: Call, request: WorkRequest) -> WorkAnswer:
    """Run the waiting jobs: extraction from captured text, and scheduled jobs. Workers can run in parallel."""
    engine = call.instance.engine
    engine.ask_overdue()
    ended = engine.run_due(request.names or [], lambda _job: None, lambda: True)
    with call.instance.store.read() as reading:
        waiting = sum(
            number for _, state, number in reading.queue.count_jobs() if state in (JobState.WAITING, JobState.RUNNING)
        )
    return WorkAnswer(jobs=[view_job(job) for job in ended if may_see_job(call, job)], waiting=waiting)


class JobsRequest(Request):
    names: Annotated[list[str] | None, Meta(description="Only jobs with these names, for example extract.")] = None
    states: Annotated[list[JobState] | None, Meta(description="Only jobs in these states.")] = None
    limit: ListLimit = 20
    cursor: Annotated[str | None, Meta(description="The `next_cursor` of the previous page.")] = None


@capability(
    "memory.jobs",
    Effect.READ,
    group=Group.WORK,
)
def jobs(call: Call, request: JobsRequest) -> JobsAnswer:
    """List waiting, running, failed and finished jobs, newest first. An agent sees only its own jobs."""
    with call.instance.store.read() as reading:
        found = reading.queue.jobs(
            names=request.names or [],
            states=[state.value for state in request.states or ()],
            asked_by=call.reader,
            before=request.cursor or "~",
            limit=request.limit + 1,
        )
        counts = reading.queue.count_jobs() if call.reader is None else _own_counts(reading, call.reader)
    by_state = {
        state: sum(number for _, counted_state, number in counts if counted_state == state) for state in JobState
    }
    page = found[: request.limit]
    return JobsAnswer(
        items=[view_job(job) for job in page],
        waiting=by_state[JobState.WAITING],
        running=by_state[JobState.RUNNING],
        failed=by_state[JobState.FAILED],
        suspended=by_state[JobState.SUSPENDED],
        next_cursor=page[-1].id if len(found) > request.limit else None,
    )


def _own_counts(reading: IngestReadTransaction, asked_by: str) -> list[tuple[str, str, int]]:
    own = reading.queue.jobs(names=[], states=[], asked_by=asked_by, before="~", limit=10_000)
    return [(job.name, job.state, 1) for job in own]


class JobRequest(Request):
    job: JobRef


@capability(
    "memory.job",
    Effect.READ,
    group=Group.WORK,
    positional=("job",),
)
def job(call: Call, request: JobRequest) -> JobAnswer:
    """Show one job. For an extraction, also show every candidate with its scores and its outcome."""
    with call.instance.store.read() as reading:
        found = find_job(call, reading, request.job)
    return JobAnswer(
        job=view_job(found),
        arguments=msgspec.json.decode(found.arguments, type=dict[str, Any]),
        outcome=msgspec.json.decode(found.outcome, type=dict[str, Any]),
    )


class RescueRequest(Request):
    job: JobRef
    candidate: Annotated[int, Meta(ge=1, description="The number of the candidate, as shown by `job`, starting at 1.")]


@capability(
    "memory.rescue",
    Effect.WRITE,
    audience=Audience.PEOPLE,
    group=Group.WORK,
    positional=("job", "candidate"),
)
def rescue(call: Call, request: RescueRequest) -> WriteAnswer:
    """Store an extraction candidate although it was refused (people only)."""
    with call.instance.store.read() as reading:
        found = find_job(call, reading, request.job)
    candidates = msgspec.json.decode(found.outcome, type=_Candidates).candidates
    if request.candidate > len(candidates):
        raise NotFound(
            f"the job has only {count(len(candidates), 'candidate')}",
            field="candidate",
            hint="list the candidates with `job`",
        )
    refused = candidates[request.candidate - 1]
    with call.instance.store.read() as reading:
        source = reading.sources.get(refused.source)
    assert source is not None
    if refused.outcome is not OutcomeKind.REFUSED:
        raise WrongState(f"this candidate was not refused; its outcome is {refused.outcome}", field="candidate")
    proposal = Proposal(
        content=refused.text,
        kind=refused.kind,
        strength=refused.strength,
        rationale=refused.rationale,
        scope=source.scope,
        visibility=Visibility(source.visibility or Visibility.LOCAL),
        source_id=refused.source,
        span=(refused.start, refused.end),
    )
    ready = prepare_candidate(proposal)
    rule_for = call.instance.settings.conflict_rule
    act = learn_act([ready], rule_for, lambda outcomes, session: answer_of(outcomes[0], session))
    return call.submit(act, WriteAnswer)


class _Candidates(msgspec.Struct, frozen=True):
    """The part of an extraction's outcome that lists the candidates."""

    candidates: list[Taken] = []


class RetryRequest(Request):
    job: JobRef


@capability(
    "memory.retry",
    Effect.WRITE,
    group=Group.WORK,
    positional=("job",),
)
def retry(call: Call, request: RetryRequest) -> JobView:
    """Retry a failed, waiting or cancelled job now, resuming where it stopped.

    A job is suspended when the token of its agent is revoked. Then only a person can retry it; the
    results are still attributed to that agent.
    """

    def act(session: WriteSession) -> JobView:
        found = find_job(call, session.transaction, request.job)
        return view_job(retry_job(session.transaction, found, now=session.now, principal=session.actor))

    return call.submit(act, JobView)


class CancelRequest(Request):
    job: JobRef


@capability(
    "memory.cancel",
    Effect.WRITE,
    group=Group.WORK,
    positional=("job",),
    destructive=True,
)
def cancel(call: Call, request: CancelRequest) -> JobView:
    """Cancel a waiting or running job. The changes it already made stay; `undo` can revert them."""

    def act(session: WriteSession) -> JobView:
        found = find_job(call, session.transaction, request.job)
        return view_job(cancel_job(session.transaction, found, now=session.now, principal=session.actor))

    return call.submit(act, JobView)


def find_job(call: Call, reading: IngestReadTransaction, ref: str) -> Job:
    job_id = complete_id(reading, "job", ref, call.sight)
    found = reading.queue.job(job_id) if job_id is not None else None
    if found is None or not may_see_job(call, found):
        raise NotFound(f"no job with id {ref}", field="job", hint="list the jobs with `jobs`")
    return found


def may_see_job(call: Call, job: Job) -> bool:
    return is_allowed(call.principal, READ, JobResource(job.scope, job.asked_by))


def view_job(job: Job) -> JobView:
    outcome = msgspec.json.decode(job.outcome, type=dict[str, Any])
    return JobView(
        id=job.id,
        name=job.name,
        about=msgspec.json.decode(job.arguments, type=_About).about,
        scope=job.scope,
        asked_by=job.asked_by,
        trigger=job.trigger,
        state=job.state,
        done=job.done,
        total=job.total,
        tries=job.tries,
        due_at=to_iso(job.due_at),
        error=job.error,
        note=_note_of(outcome),
        counts=outcome.get("counts", {}),
        created_at=to_iso(job.created_at),
        finished_at=to_iso_or_none(job.finished_at),
    )


class _About(msgspec.Struct, frozen=True):
    """The part of a job's arguments that identifies its subject."""

    about: str | None = None


def _note_of(outcome: Mapping[str, Any]) -> str | None:
    fallbacks, problem = outcome.get("fallbacks", 0), outcome.get("problem")
    if not fallbacks:
        return None
    return f"the model failed on {fallbacks:,} of the sources, so the built-in reader was used for them: {problem}"
