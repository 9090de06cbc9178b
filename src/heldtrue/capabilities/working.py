"""The queue for people and agents: what waits, what ran, what failed, and doing it now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from heldtrue.capabilities.arguments import ListLimit, Reason, Scopes
from heldtrue.capabilities.call import Call, parse_number
from heldtrue.capabilities.references import complete_id
from heldtrue.capabilities.registry import Effect, capability
from heldtrue.capabilities.shapes import Id, JobStateName, ScopeName, When
from heldtrue.capabilities.writing import WriteAnswer, answer_of
from heldtrue.domain.errors import InvalidInput, NotFound, WrongState
from heldtrue.domain.job import Job, JobState
from heldtrue.domain.ledger import LedgerEntry
from heldtrue.domain.limits import LIST_MAX
from heldtrue.domain.memory import MemoryVersion, Staleness, Visibility
from heldtrue.domain.principal import require_person
from heldtrue.domain.times import to_iso, to_iso_or_none
from heldtrue.engine.queue import ask_for, cancel_job, retry_job
from heldtrue.engine.summarise import read_categories, write_summary
from heldtrue.ingest.candidate import Proposal, prepare_candidate, read_scope
from heldtrue.ingest.consolidating import undo as undo_entry
from heldtrue.ingest.extracting import Taken
from heldtrue.ingest.journal import Pen
from heldtrue.ingest.learn import learn
from heldtrue.ports import Reading

UNDONE_AT_ONCE = 100
"""Entries that one transaction takes back: a few milliseconds each."""
JobRef = Annotated[str, Meta(description="The id of a job.")]


class JobView(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of work: what, for whom, how far, and what became of it."""

    id: Id
    name: str
    about: str | None
    """What it works on, where that is one thing: a file, a conversation."""
    scope: str
    asked_by: str
    brought_by: str
    """capture, schedule, or who asked for it."""
    state: JobStateName
    done: int
    total: int
    tries: int
    due_at: When
    error: str | None
    note: str | None
    """What went otherwise than meant, such as a model that failed."""
    counts: dict[str, int]
    """What it has come to so far."""
    created_at: When
    finished_at: When | None


class JobsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The newest jobs first."""

    jobs: list[JobView]
    waiting: int
    running: int
    failed: int
    suspended: int
    """Asked for by someone who lost its token since: a person may let it be done (retry)."""
    next_cursor: str | None = None


class JobAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One job with everything that came of it."""

    job: JobView
    arguments: dict[str, Any]
    outcome: dict[str, Any]


class WorkAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What was done, and what still waits."""

    jobs: list[JobView]
    waiting: int
    """Jobs that are not due yet, or that another worker has."""


class Consolidated(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that consolidation did, or would do."""

    outcome: str
    """merged or promoted."""
    memory: Id
    """The memory that is held."""
    content: str
    merged: Id | None
    """The memory that became part of it."""
    linked: list[Id]
    """Conflicts that it is in now."""
    reason: str
    entry: int | None
    """The entry of the ledger; none in a dry run."""


class ConsolidateAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a consolidation did, or would do, one by one."""

    dry_run: bool
    counts: dict[str, int]
    """merged, promoted, and linked: conflicts that this raised, which a dry run does not know."""
    changes: list[Consolidated]
    """At most a thousand of them; `counts` counts all."""
    job: JobView | None


class CompactAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a compaction did, or would do."""

    dry_run: bool
    counts: dict[str, int]
    """retired (forgotten long ago), doubtful, stale, unused, merged."""
    job: JobView | None


class UndoAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What was taken back."""

    undone: int
    """How many entries."""
    memories: list[Id]
    left: list[str]
    """What could not be taken back, and why."""
    seq: int


@capability("memory.work", Effect.ADMIN)
def work(
    call: Call,
    *,
    names: Annotated[list[str] | None, Meta(description="Only jobs of these names, such as extract.")] = None,
) -> WorkAnswer:
    """Do the work that waits: read what was captured, and what is due regularly. Several may do it side by side."""
    engine = call.instance.engine
    engine.ask_overdue()
    ended = engine.run_due(names or [], lambda _job: None, lambda: True)
    with call.instance.store.read() as reading:
        waiting = sum(
            number for _, state, number in reading.count_jobs() if state in (JobState.WAITING, JobState.RUNNING)
        )
    return WorkAnswer(jobs=[_view(job) for job in ended if _may_see(call, job)], waiting=waiting)


@capability("memory.consolidate", Effect.ADMIN, for_persons=True)
def consolidate(
    call: Call,
    *,
    scope: Annotated[str | None, Meta(description="Only this scope; left out, all of them, each by itself.")] = None,
    dry_run: Annotated[bool, Meta(description="Only say what would be done.")] = False,
) -> ConsolidateAnswer:
    """Make one memory of those that say the same, and let what is confirmed by the rules of promotion count.

    Nothing leaves history, and `undo` takes it back.
    """
    require_person(call.principal, "consolidate memories")
    where = read_scope(scope) if scope else ""
    if dry_run:
        return _foresee_consolidation(call, where)
    done = _do_now(call, "consolidate", where, {})
    with call.instance.store.read() as reading:
        seqs = sorted(_entries_of(call, reading, _find(call, reading, done.id)))[:LIST_MAX]
        changes = [_view_change(reading, entry) for seq in seqs if (entry := reading.ledger_entry(seq)) is not None]
    return ConsolidateAnswer(dry_run=False, counts=done.counts, changes=changes, job=done)


def _foresee_consolidation(call: Call, scope: str) -> ConsolidateAnswer:
    found = call.instance.engine.foresee_consolidation(scope)
    counts: dict[str, int] = {}
    for one in found:
        counts[one.outcome] = counts.get(one.outcome, 0) + 1
    changes = [
        Consolidated(
            outcome=one.outcome,
            memory=one.memory.memory_id,
            content=one.memory.content,
            merged=one.merged.memory_id if one.merged is not None else None,
            linked=[],
            reason=one.reason,
            entry=None,
        )
        for one in found[:LIST_MAX]
    ]
    return ConsolidateAnswer(dry_run=True, counts=counts, changes=changes, job=None)


def _view_change(reading: Reading, entry: LedgerEntry) -> Consolidated:
    detail = msgspec.json.decode(entry.detail, type=dict[str, Any])
    memory = reading.version(entry.target or "", entry.seq)
    return Consolidated(
        outcome=entry.outcome,
        memory=entry.target or "",
        content=memory.content if memory is not None else "",
        merged=detail.get("replaced"),
        linked=detail.get("conflicts", []),
        reason=entry.reason or "",
        entry=entry.seq,
    )


@capability("memory.compact", Effect.ADMIN, for_persons=True)
def compact(
    call: Call,
    *,
    min_confidence: Annotated[
        float, Meta(ge=0, le=1, description="Archive what is less certain and no person stands behind.")
    ] = 0.3,
    max_staleness: Annotated[
        Staleness, Meta(description="Archive what is past its time, up to this policy.")
    ] = Staleness.WEEKLY,
    scope: Annotated[str | None, Meta(description="Only this scope; left out, all of them, each by itself.")] = None,
    dry_run: Annotated[bool, Meta(description="Only say what would be done.")] = False,
) -> CompactAnswer:
    """Tidy the working set: archive what is doubtful, out of date or long forgotten, and merge what is said twice.

    Nothing leaves history, and `undo` takes it back.
    """
    require_person(call.principal, "compact memories")
    wanted = {"min_confidence": min_confidence, "max_staleness": max_staleness.value}
    where = read_scope(scope) if scope else ""
    if dry_run:
        return CompactAnswer(dry_run=True, counts=call.instance.engine.foresee_compaction(where, wanted), job=None)
    done = _do_now(call, "compact", where, wanted)
    return CompactAnswer(dry_run=False, counts=done.counts, job=done)


def _do_now(call: Call, name: str, scope: str, arguments: Mapping[str, Any]) -> JobView:
    """Put a job into the queue and run it, unless another worker is at it already."""

    def act(pen: Pen) -> JobView:
        return _view(
            ask_for(
                pen.transaction,
                name,
                now=pen.now,
                asked_by=pen.actor.id,
                brought_by=pen.actor.id,
                scope=scope,
                arguments=arguments,
                once=f"{name}:{scope}",
            )
        )

    asked = call.submit(act, JobView)
    call.instance.engine.run_due([name], lambda _job: None, lambda: True)
    with call.instance.store.read() as reading:
        return _view(_find(call, reading, asked.id))


class EarlierSummary(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    made_at: When
    replaced_at: When | None


class SummaryView(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a category in a scope."""

    scope: ScopeName
    category: str
    memories: int
    text: str
    """Markdown, as of now."""
    made_at: When | None
    """When it was last written down; none if that was never."""
    earlier: list[EarlierSummary]
    """As it was written down before, newest first; for a person who asks."""


class SummariesAnswer(msgspec.Struct, frozen=True, kw_only=True):
    summaries: list[SummaryView]


@capability("memory.summaries", Effect.READ)
def summaries(
    call: Call,
    category: Annotated[str | None, Meta(description="Only this category, such as work or preferences.")] = None,
    *,
    scopes: Scopes = None,
    earlier: Annotated[int, Meta(ge=0, le=50, description="Also so many older versions; only a person may.")] = 0,
) -> SummariesAnswer:
    """One summary for each category and scope, made from what counts now, as Markdown."""
    if earlier:
        require_person(call.principal, "look at older summaries")
    with call.instance.store.read() as reading:
        held = read_categories(reading, call.visible_scopes(scopes), category.strip().lower() if category else None)
        views = [_view_summary(reading, place, memories, earlier) for place, memories in sorted(held.items())]
    return SummariesAnswer(summaries=views)


def _view_summary(
    reading: Reading, place: tuple[str, str], memories: Sequence[MemoryVersion], earlier: int
) -> SummaryView:
    rows = reading.summaries_of(*place, limit=max(1, earlier))
    return SummaryView(
        scope=place[0],
        category=place[1],
        memories=len(memories),
        text=write_summary(place[1], memories),
        made_at=to_iso(rows[0].made_at) if rows else None,
        earlier=[
            EarlierSummary(text=row.text, made_at=to_iso(row.made_at), replaced_at=to_iso_or_none(row.replaced_at))
            for row in rows[:earlier]
        ],
    )


@capability("memory.undo", Effect.WRITE, for_persons=True)
def undo(
    call: Call,
    job: Annotated[str | None, Meta(description="The id of a job: all that it changed.")] = None,
    *,
    entry: Annotated[str | None, Meta(description="One entry of the ledger that a job made, such as #120.")] = None,
    reason: Reason,
) -> UndoAnswer:
    """Take back what maintenance changed: a whole job, or one entry of it. History keeps both."""
    require_person(call.principal, "undo what maintenance did")
    if (job is None) == (entry is None):
        raise InvalidInput("a job or an entry is to be named, and not both", field="job", hint="see: `jobs`")

    if entry is not None:
        digits = entry.removeprefix("#")
        seqs = [parse_number(digits, entry, field="entry", hint="name an entry as history shows it, such as #120")]
    else:
        assert job is not None
        with call.instance.store.read() as reading:
            seqs = sorted(_entries_of(call, reading, _find(call, reading, job)), reverse=True)
    # In parts, so that nobody waits long for it; a request that may come again is one part, so that it is one answer.
    at_once = UNDONE_AT_ONCE if call.idempotency_key is None else max(1, len(seqs))
    parts = [seqs[start : start + at_once] for start in range(0, max(1, len(seqs)), at_once)]
    done = [call.submit(partial(_undo_part, part, reason), UndoAnswer) for part in parts]
    undone, left = sum(one.undone for one in done), [text for one in done for text in one.left]
    if left and not undone:
        raise WrongState(left[0].partition(": ")[2], field="entry" if job is None else "job")
    memories = list(dict.fromkeys(name for one in done for name in one.memories))
    return UndoAnswer(undone=undone, memories=memories, left=left, seq=done[-1].seq)


def _undo_part(seqs: Sequence[int], reason: str, pen: Pen) -> UndoAnswer:
    """Take back some entries in one transaction, newest first."""
    done, left = [], []
    for seq in seqs:
        try:
            done.append(undo_entry(pen, seq, reason))
        except WrongState as problem:
            left.append(f"#{seq}: {problem.message}")
    memories = list(dict.fromkeys(one.memory.memory_id for one in done if one.memory is not None))
    return UndoAnswer(undone=len(done), memories=memories, left=left, seq=pen.head.seq)


def _entries_of(call: Call, reading: Reading, job: Job) -> set[int]:
    """The ledger entries that a job made, and those of the jobs that a regular one is made of."""
    outcome = msgspec.json.decode(job.outcome, type=dict[str, Any])
    seqs = set(outcome.get("entries", []))
    for one in outcome.get("asked", []):
        if (asked := reading.job(one)) is not None and _may_see(call, asked):
            seqs |= _entries_of(call, reading, asked)
    return seqs


@capability("memory.jobs", Effect.READ)
def jobs(
    call: Call,
    *,
    names: Annotated[list[str] | None, Meta(description="Only jobs of these names, such as extract.")] = None,
    states: Annotated[list[JobState] | None, Meta(description="Only jobs in these states.")] = None,
    limit: ListLimit = 20,
    cursor: Annotated[str | None, Meta(description="Where the page before ended (its next_cursor).")] = None,
) -> JobsAnswer:
    """List the work that waits, runs, failed or is done, newest first. An agent sees what it asked for itself."""
    with call.instance.store.read() as reading:
        found = reading.jobs(
            names=names or [],
            states=[state.value for state in states or ()],
            asked_by=call.reader,
            before=cursor or "~",
            limit=limit + 1,
        )
        counts = reading.count_jobs() if call.reader is None else _own_counts(reading, call.reader)
    by_state = {state: sum(number for _, one, number in counts if one == state) for state in JobState}
    page = found[:limit]
    return JobsAnswer(
        jobs=[_view(job) for job in page],
        waiting=by_state[JobState.WAITING],
        running=by_state[JobState.RUNNING],
        failed=by_state[JobState.FAILED],
        suspended=by_state[JobState.SUSPENDED],
        next_cursor=page[-1].id if len(found) > limit else None,
    )


def _own_counts(reading: Reading, asked_by: str) -> list[tuple[str, str, int]]:
    own = reading.jobs(names=[], states=[], asked_by=asked_by, before="~", limit=10_000)
    return [(job.name, job.state, 1) for job in own]


@capability("memory.job", Effect.READ)
def job(call: Call, job: JobRef) -> JobAnswer:
    """Show one job; of an extraction also every candidate, its scores at the gate and what became of it."""
    with call.instance.store.read() as reading:
        found = _find(call, reading, job)
    return JobAnswer(
        job=_view(found),
        arguments=msgspec.json.decode(found.arguments, type=dict[str, Any]),
        outcome=msgspec.json.decode(found.outcome, type=dict[str, Any]),
    )


@capability("memory.rescue", Effect.WRITE, for_persons=True)
def rescue(
    call: Call,
    job: JobRef,
    candidate: Annotated[int, Meta(ge=1, description="Which of its candidates, counted from 1 as `job` shows them.")],
) -> WriteAnswer:
    """Learn a candidate that the gate refused, as a person's own word; only a person can."""
    require_person(call.principal, "rescue what the gate refused")
    with call.instance.store.read() as reading:
        found = _find(call, reading, job)
    candidates = msgspec.json.decode(found.outcome, type=_Candidates).candidates
    if candidate > len(candidates):
        raise NotFound(f"the job has {len(candidates)} candidates", field="candidate", hint="see: `job`")
    refused = candidates[candidate - 1]
    with call.instance.store.read() as reading:
        source = reading.source(refused.source)
    assert source is not None
    if refused.outcome != "refused":
        raise WrongState(f"that candidate was {refused.outcome}, not refused", field="candidate")
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
    return call.submit(lambda pen: answer_of(learn(pen, ready, rule_for), pen), WriteAnswer)


class _Candidates(msgspec.Struct, frozen=True):
    """The part of an extraction's outcome that lists what was found."""

    candidates: list[Taken] = []


@capability("memory.retry", Effect.WRITE)
def retry(call: Call, job: JobRef) -> JobView:
    """Let a job that failed, waits or was cancelled be tried again at once, from where it had come to.

    Only a person lets one be done that is held, because whoever asked for it lost its token. What comes of it still
    counts as said by that agent.
    """

    def act(pen: Pen) -> JobView:
        found = _find(call, pen.transaction, job)
        return _view(retry_job(pen.transaction, found, now=pen.now, principal=pen.actor))

    return call.submit(act, JobView)


@capability("memory.cancel", Effect.WRITE)
def cancel(call: Call, job: JobRef) -> JobView:
    """End a job that waits or runs; what it has done so far stays done, and can be undone like any other change."""

    def act(pen: Pen) -> JobView:
        found = _find(call, pen.transaction, job)
        return _view(cancel_job(pen.transaction, found, now=pen.now, principal=pen.actor))

    return call.submit(act, JobView)


def _find(call: Call, reading: Reading, ref: str) -> Job:
    job_id = complete_id(reading, "job", ref, call.sight)
    found = reading.job(job_id) if job_id is not None else None
    if found is None or not _may_see(call, found):
        raise NotFound(f"there is no job {ref}", field="job", hint="see: `jobs`")
    return found


def _may_see(call: Call, job: Job) -> bool:
    own = call.reader in (None, job.asked_by)
    return own and (not job.scope or call.principal.may_see(job.scope))


def _view(job: Job) -> JobView:
    outcome = msgspec.json.decode(job.outcome, type=dict[str, Any])
    return JobView(
        id=job.id,
        name=job.name,
        about=msgspec.json.decode(job.arguments, type=_About).about,
        scope=job.scope,
        asked_by=job.asked_by,
        brought_by=job.brought_by,
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
    """The part of a job's arguments that names what it works on."""

    about: str | None = None


def _note_of(outcome: Mapping[str, Any]) -> str | None:
    fallbacks, problem = outcome.get("fallbacks", 0), outcome.get("problem")
    if not fallbacks:
        return None
    return f"the model failed on {fallbacks:,} of the sources, and the rules did it: {problem}"
