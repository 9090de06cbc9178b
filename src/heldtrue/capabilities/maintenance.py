"""Maintenance of what is held: merge, promote, archive, summarise, and take it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from heldtrue.access.policy import require
from heldtrue.capabilities.arguments import Reason, Scopes, StalenessWord
from heldtrue.capabilities.call import Call, parse_number
from heldtrue.capabilities.declaration import EverydayTool, Group
from heldtrue.capabilities.jobs import JOB, JobView, find_job, may_see_job, view_job
from heldtrue.capabilities.parameters import Request
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import Id, ListPage, ScopeName, When
from heldtrue.domain.action import Action, Audience, Effect
from heldtrue.domain.errors import InvalidInput, WrongState
from heldtrue.domain.job import Job
from heldtrue.domain.ledger import LedgerEntry
from heldtrue.domain.limits import LIST_MAX
from heldtrue.domain.memory import MemoryVersion, Staleness
from heldtrue.domain.times import to_iso, to_iso_or_none
from heldtrue.engine.ports import EngineReadTransaction
from heldtrue.engine.queue import NewJob, ask_for
from heldtrue.engine.summarise import read_categories, write_summary
from heldtrue.ingest.acts.maintenance import undo as undo_entry
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ingest.stages.candidate import read_scope
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ports import ReadTransaction

UNDONE_AT_ONCE = 100
"""Entries that one transaction takes back: a few milliseconds each."""

_EARLIER = Action("memory.summaries with earlier", Effect.READ, Audience.PEOPLE)


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


class ConsolidateRequest(Request):
    scope: Annotated[str | None, Meta(description="Only this scope; left out, all of them, each by itself.")] = None
    dry_run: Annotated[bool, Meta(description="Only say what would be done.")] = False


@capability(
    "memory.consolidate",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.WORK,
    destructive=True,
    progress="consolidating",
)
def consolidate(call: Call, request: ConsolidateRequest) -> ConsolidateAnswer:
    """Make one memory of those that say the same, and let what is confirmed by the rules of promotion count.

    Nothing leaves history, and `undo` takes it back.
    """
    where = read_scope(request.scope) if request.scope else ""
    if request.dry_run:
        return _foresee_consolidation(call, where)
    done = _do_now(call, "consolidate", where, {})
    with call.instance.store.read() as reading:
        seqs = sorted(_entries_of(call, reading, find_job(call, reading, done.id)))[:LIST_MAX]
        changes = [_view_change(reading, entry) for seq in seqs if (entry := reading.ledger.entry(seq)) is not None]
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


def _view_change(reading: ReadTransaction, entry: LedgerEntry) -> Consolidated:
    detail = msgspec.json.decode(entry.detail, type=dict[str, Any])
    memory = reading.memories.version(entry.target or "", entry.seq)
    return Consolidated(
        outcome=entry.outcome,
        memory=entry.target or "",
        content=memory.content if memory is not None else "",
        merged=detail.get("replaced"),
        linked=detail.get("conflicts", []),
        reason=entry.reason or "",
        entry=entry.seq,
    )


class CompactRequest(Request):
    min_confidence: Annotated[
        float, Meta(ge=0, le=1, description="Archive what is less certain and no person stands behind.")
    ] = 0.3
    max_staleness: Annotated[StalenessWord, Meta(description="Archive what is past its time, up to this policy.")] = (
        Staleness.WEEKLY
    )
    scope: Annotated[str | None, Meta(description="Only this scope; left out, all of them, each by itself.")] = None
    dry_run: Annotated[bool, Meta(description="Only say what would be done.")] = False


@capability(
    "memory.compact",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.WORK,
    destructive=True,
    progress="compacting",
    tool=EverydayTool(
        "Tidy up, when you are asked to: archive what is doubtful or out of date, merge what is said twice.",
        {"min_confidence": "0.3 if left out", "dry_run": "Only count"},
        rank=10,
    ),
    examples=("heldtrue compact --dry-run", "heldtrue compact --min-confidence 0.4"),
)
def compact(call: Call, request: CompactRequest) -> CompactAnswer:
    """Tidy the working set: archive what is doubtful, out of date or long forgotten, and merge what is said twice.

    Nothing leaves history, and `undo` takes it back.
    """
    wanted = {"min_confidence": request.min_confidence, "max_staleness": request.max_staleness.value}
    where = read_scope(request.scope) if request.scope else ""
    if request.dry_run:
        return CompactAnswer(dry_run=True, counts=call.instance.engine.foresee_compaction(where, wanted), job=None)
    done = _do_now(call, "compact", where, wanted)
    return CompactAnswer(dry_run=False, counts=done.counts, job=done)


def _do_now(call: Call, name: str, scope: str, arguments: Mapping[str, Any]) -> JobView:
    """Put a job into the queue and run it, unless another worker is at it already."""

    def act(session: WriteSession) -> JobView:
        asker = session.actor.id
        new = NewJob(name=name, asked_by=asker, trigger=asker, scope=scope, arguments=arguments, once=f"{name}:{scope}")
        return view_job(ask_for(session.transaction, new, now=session.now))

    asked = call.submit(act, JobView)
    call.instance.engine.run_due([name], lambda _job: None, lambda: True)
    with call.instance.store.read() as reading:
        return view_job(find_job(call, reading, asked.id))


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


class SummariesAnswer(ListPage[SummaryView], frozen=True, kw_only=True):
    """Summaries."""


class SummariesRequest(Request):
    category: Annotated[str | None, Meta(description="Only this category, such as work or preferences.")] = None
    scopes: Scopes = None
    earlier: Annotated[int, Meta(ge=0, le=50, description="Also so many older versions; only a person may.")] = 0


@capability(
    "memory.summaries",
    Effect.READ,
    group=Group.WORK,
    positional=("category",),
)
def summaries(call: Call, request: SummariesRequest) -> SummariesAnswer:
    """One summary for each category and scope, made from what counts now, as Markdown."""
    if request.earlier:
        require(call.principal, _EARLIER)
    with call.instance.store.read() as reading:
        held = read_categories(
            reading, call.visible_scopes(request.scopes), request.category.strip().lower() if request.category else None
        )
        views = [_view_summary(reading, place, memories, request.earlier) for place, memories in sorted(held.items())]
    return SummariesAnswer(items=views, next_cursor=None)


def _view_summary(
    reading: EngineReadTransaction, place: tuple[str, str], memories: Sequence[MemoryVersion], earlier: int
) -> SummaryView:
    rows = reading.summaries.of_category(*place, limit=max(1, earlier))
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


class UndoRequest(Request):
    job: Annotated[str | None, Meta(description="The id of a job: all that it changed."), JOB] = None
    entry: Annotated[str | None, Meta(description="One entry of the ledger that a job made, such as #120.")] = None
    reason: Reason


@capability(
    "memory.undo",
    Effect.WRITE,
    audience=Audience.PEOPLE,
    group=Group.WORK,
    positional=("job",),
    destructive=True,
    examples=('heldtrue undo JOB_ID --reason "too much"', "heldtrue undo --entry '#120' --reason 'still needed'"),
)
def undo(call: Call, request: UndoRequest) -> UndoAnswer:
    """Take back what maintenance changed: a whole job, or one entry of it. History keeps both."""
    seqs = _entries_to_undo(call, request.job, request.entry)
    # In parts, so that nobody waits long for it; a request that may come again is one part, so that it is one answer.
    at_once = UNDONE_AT_ONCE if call.idempotency_key is None else max(1, len(seqs))
    parts = [seqs[start : start + at_once] for start in range(0, max(1, len(seqs)), at_once)]
    done = [call.submit(partial(_undo_part, part, request.reason), UndoAnswer) for part in parts]
    undone, left = sum(one.undone for one in done), [text for one in done for text in one.left]
    if left and not undone:
        raise WrongState(left[0].partition(": ")[2], field="entry" if request.job is None else "job")
    memories = list(dict.fromkeys(name for one in done for name in one.memories))
    return UndoAnswer(undone=undone, memories=memories, left=left, seq=done[-1].seq)


def _entries_to_undo(call: Call, job: str | None, entry: str | None) -> list[int]:
    """The ledger entries that are meant, newest first."""
    if job is not None and entry is None:
        with call.instance.store.read() as reading:
            return sorted(_entries_of(call, reading, find_job(call, reading, job)), reverse=True)
    if entry is not None and job is None:
        hint = "name an entry as history shows it, such as #120"
        return [parse_number(entry.removeprefix("#"), entry, field="entry", hint=hint)]
    raise InvalidInput("a job or an entry is to be named, and not both", field="job", hint="see: `jobs`")


def _undo_part(seqs: Sequence[int], reason: str, session: WriteSession) -> UndoAnswer:
    """Take back some entries in one transaction, newest first."""
    done, left = [], []
    for seq in seqs:
        try:
            done.append(undo_entry(session, seq, reason))
        except WrongState as problem:
            left.append(f"#{seq}: {problem.message}")
    memories = list(dict.fromkeys(one.memory.memory_id for one in done if one.memory is not None))
    return UndoAnswer(undone=len(done), memories=memories, left=left, seq=session.head.seq)


def _entries_of(call: Call, reading: IngestReadTransaction, job: Job) -> set[int]:
    """The ledger entries that a job made, and those of the jobs that a regular one is made of."""
    outcome = msgspec.json.decode(job.outcome, type=dict[str, Any])
    seqs = set(outcome.get("entries", []))
    for one in outcome.get("asked", []):
        if (asked := reading.queue.job(one)) is not None and may_see_job(call, asked):
            seqs |= _entries_of(call, reading, asked)
    return seqs
