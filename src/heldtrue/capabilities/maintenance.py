"""Merge, promote, archive and summarise memories, and undo such changes."""

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
from heldtrue.capabilities.shapes import CauseName, Expanded, Id, ListPage, ScopeName, When
from heldtrue.domain.action import Action, Audience, Effect
from heldtrue.domain.errors import InvalidInput, WrongState
from heldtrue.domain.job import Job
from heldtrue.domain.ledger import LedgerEntry
from heldtrue.domain.limits import LIST_MAX, UNDO_BATCH_ENTRIES
from heldtrue.domain.memory import MemoryVersion, Staleness, short_title
from heldtrue.domain.records import Source
from heldtrue.domain.retention import kept_since
from heldtrue.domain.rows import SourceHead
from heldtrue.domain.times import DAY_US, to_iso, to_iso_or_none
from heldtrue.engine.ports import EngineReadTransaction
from heldtrue.engine.queue import NewJob, ask_for
from heldtrue.engine.summarise import read_categories, write_summary
from heldtrue.ingest.acts.maintenance import undo as undo_entry
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ingest.stages.candidate import read_scope
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ports import ReadTransaction

_EARLIER = Action("memory.summaries with earlier", Effect.READ, Audience.PEOPLE)


class Consolidated(msgspec.Struct, frozen=True, kw_only=True):
    """A change that consolidation made, or would make."""

    outcome: str
    """What was done: `merged` or `promoted`."""
    memory: Id
    """The memory that stays."""
    content: str
    merged: Id | None
    """The memory that was merged into `memory`."""
    linked: list[Id]
    """Its conflicts."""
    reason: str
    entry: int | None
    """The ledger entry; null in a dry run."""


class ConsolidateAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The changes that a consolidation made, or would make."""

    dry_run: bool
    counts: dict[str, int]
    """The number of changes: `merged`, `promoted` and `linked` (new conflicts, which a dry run does not count)."""
    changes: list[Consolidated]
    """At most a thousand changes. `counts` includes all of them."""
    job: JobView | None


class Compacted(msgspec.Struct, frozen=True, kw_only=True):
    """A change that compaction made, or would make."""

    outcome: str
    """What was done: `archived`, `merged`, or in a dry run `erased`."""
    what: Expanded
    """The type of the item: `memory` or `source`."""
    id: Id
    """The memory or source that was archived, or the memory that stays after a merge."""
    title: str
    """Its first words."""
    cause: CauseName | None
    """Why it was archived. Null for a merge."""
    reason: str
    """The cause in words. For a retention rule, what the rule says."""
    age_days: int
    """Whole days since a memory was last stated, or since a source was stored."""
    merged: Id | None
    """The memory that was merged into the one that stays."""
    entry: int | None
    """The ledger entry; null in a dry run."""


class CompactAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a compaction, or of its dry run."""

    dry_run: bool
    counts: dict[str, int]
    """The number of memories by cause: `retired` (forgotten long ago), `doubtful`, `stale`, `retention` (by a rule),
    `unused` and `merged`; and the number of archived `sources`."""
    changes: list[Compacted]
    """At most a thousand changes. `counts` includes all of them."""
    job: JobView | None


class UndoAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What was undone."""

    undone: int
    """How many ledger entries were undone."""
    memories: list[Id]
    left: list[str]
    """What could not be undone, and why."""
    seq: int


class ConsolidateRequest(Request):
    scope: Annotated[str | None, Meta(description="Only this scope. Default: all scopes, each separately.")] = None
    dry_run: Annotated[bool, Meta(description="Only report what would change.")] = False


@capability(
    "memory.consolidate",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.WORK,
    destructive=True,
    progress="consolidating",
)
def consolidate(call: Call, request: ConsolidateRequest) -> ConsolidateAnswer:
    """Merge duplicates and promote inbox items that satisfy the promotion rules.

    Everything stays in the history, and `undo` reverts the changes.
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
    planned = call.instance.engine.foresee_consolidation(scope)
    counts: dict[str, int] = {}
    for change in planned:
        counts[change.outcome] = counts.get(change.outcome, 0) + 1
    changes = [
        Consolidated(
            outcome=change.outcome,
            memory=change.memory.memory_id,
            content=change.memory.content,
            merged=change.merged.memory_id if change.merged is not None else None,
            linked=[],
            reason=change.reason,
            entry=None,
        )
        for change in planned[:LIST_MAX]
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
        Annotated[float, Meta(ge=0, le=1)] | None,
        Meta(
            description="Archive memories below this confidence that no person has verified. "
            "Default: the setting `retention.min_confidence`, which is 0.3 unless changed."
        ),
    ] = None
    max_staleness: Annotated[StalenessWord, Meta(description="Archive stale memories up to this staleness policy.")] = (
        Staleness.WEEKLY
    )
    scope: Annotated[str | None, Meta(description="Only this scope. Default: all scopes, each separately.")] = None
    dry_run: Annotated[bool, Meta(description="Only report what would change.")] = False


@capability(
    "memory.compact",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.WORK,
    destructive=True,
    progress="compacting",
    tool=EverydayTool(
        "Use only when the user asks for it: archive doubtful and outdated memories, and merge duplicates.",
        {"min_confidence": "Default 0.3", "dry_run": "Only report what would change"},
        rank=10,
    ),
    examples=("heldtrue compact --dry-run", "heldtrue compact --min-confidence 0.4"),
)
def compact(call: Call, request: CompactRequest) -> CompactAnswer:
    """Archive doubtful, outdated and long-forgotten memories, apply the retention rules, and merge duplicates.

    Everything stays in the history, and `undo` reverts the changes. Only rules with `then = "erase"` destroy
    something for good.
    """
    wanted = {"min_confidence": request.min_confidence, "max_staleness": request.max_staleness.value}
    where = read_scope(request.scope) if request.scope else ""
    if request.dry_run:
        return _foresee_compaction(call, where, wanted)
    done = _do_now(call, "compact", where, wanted)
    with call.instance.store.read() as reading:
        seqs = sorted(_entries_of(call, reading, find_job(call, reading, done.id)))[:LIST_MAX]
        entries = [entry for seq in seqs if (entry := reading.ledger.entry(seq)) is not None]
        changes = [_view_compacted(reading, entry, call.now) for entry in entries]
    return CompactAnswer(dry_run=False, counts=done.counts, changes=changes, job=done)


def _foresee_compaction(call: Call, scope: str, wanted: Mapping[str, Any]) -> CompactAnswer:
    planned = call.instance.engine.foresee_compaction(scope, wanted)
    counts: dict[str, int] = {}
    for change in planned:
        counts[change.counted_as] = counts.get(change.counted_as, 0) + 1
    changes = [
        Compacted(
            outcome=change.outcome,
            **_name_compacted(change.row, call.now),
            cause=change.cause,
            reason=change.reason,
            merged=change.merged.memory_id if change.merged is not None else None,
            entry=None,
        )
        for change in planned[:LIST_MAX]
    ]
    return CompactAnswer(dry_run=True, counts=dict(sorted(counts.items())), changes=changes, job=None)


def _view_compacted(reading: IngestReadTransaction, entry: LedgerEntry, now: int) -> Compacted:
    target = entry.target or ""
    row = reading.memories.version(target, entry.seq) or reading.sources.get(target)
    assert row is not None, "compaction changes memories and sources"
    detail = msgspec.json.decode(entry.detail, type=dict[str, Any])
    return Compacted(
        outcome=entry.outcome,
        **_name_compacted(row, now),
        cause=entry.cause,
        reason=entry.reason or "",
        merged=detail.get("replaced"),
        entry=entry.seq,
    )


def _name_compacted(row: MemoryVersion | Source | SourceHead, now: int) -> dict[str, Any]:
    """The fields that name a memory or a source."""
    text = row.beginning if isinstance(row, SourceHead) else row.content
    what, row_id = ("memory", row.memory_id) if isinstance(row, MemoryVersion) else ("source", row.id)
    age_days = max(0, now - kept_since(row)) // DAY_US
    return {"what": what, "id": row_id, "title": short_title(text), "age_days": age_days}


def _do_now(call: Call, name: str, scope: str, arguments: Mapping[str, Any]) -> JobView:
    """Queue a job and run it, unless another worker is already running it."""

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
    """The summary of a category in a scope."""

    scope: ScopeName
    category: str
    memories: int
    text: str
    """The current summary, as Markdown."""
    made_at: When | None
    """When the summary was last stored. Null if it has never been stored."""
    earlier: list[EarlierSummary]
    """Earlier versions, newest first; people only."""


class SummariesAnswer(ListPage[SummaryView], frozen=True, kw_only=True):
    """Summaries."""


class SummariesRequest(Request):
    category: Annotated[str | None, Meta(description="Only this category, for example work or preferences.")] = None
    scopes: Scopes = None
    earlier: Annotated[int, Meta(ge=0, le=50, description="Number of earlier versions to include (people only).")] = 0


@capability(
    "memory.summaries",
    Effect.READ,
    group=Group.WORK,
    positional=("category",),
)
def summaries(call: Call, request: SummariesRequest) -> SummariesAnswer:
    """Summarise the active memories of each category and scope, as Markdown. Ended facts are listed separately."""
    if request.earlier:
        require(call.principal, _EARLIER)
    with call.instance.store.read() as reading:
        categories = read_categories(
            reading, call.visible_scopes(request.scopes), request.category.strip().lower() if request.category else None
        )
        views = [_view_summary(reading, call.now, *item, request.earlier) for item in sorted(categories.items())]
    return SummariesAnswer(items=views, next_cursor=None)


def _view_summary(
    reading: EngineReadTransaction, now: int, key: tuple[str, str], memories: Sequence[MemoryVersion], earlier: int
) -> SummaryView:
    scope, category = key
    rows = reading.summaries.of_category(scope, category, limit=max(1, earlier))
    return SummaryView(
        scope=scope,
        category=category,
        memories=len(memories),
        text=write_summary(category, memories, now=now),
        made_at=to_iso(rows[0].made_at) if rows else None,
        earlier=[
            EarlierSummary(text=row.text, made_at=to_iso(row.made_at), replaced_at=to_iso_or_none(row.replaced_at))
            for row in rows[:earlier]
        ],
    )


class UndoRequest(Request):
    job: Annotated[str | None, Meta(description="The id of a job whose changes should all be undone."), JOB] = None
    entry: Annotated[str | None, Meta(description="One ledger entry written by a job, for example #120.")] = None
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
    """Undo all changes of a maintenance job, or one of its entries. The history keeps the changes and the undo."""
    seqs = _entries_to_undo(call, request.job, request.entry)
    # In parts, so that other writers do not wait long; a request with an idempotency key must be one part.
    at_once = UNDO_BATCH_ENTRIES if call.idempotency_key is None else max(1, len(seqs))
    parts = [seqs[start : start + at_once] for start in range(0, max(1, len(seqs)), at_once)]
    done = [call.submit(partial(_undo_part, part, request.reason), UndoAnswer) for part in parts]
    undone, left = sum(part.undone for part in done), [text for part in done for text in part.left]
    if left and not undone:
        raise WrongState(left[0].partition(": ")[2], field="entry" if request.job is None else "job")
    memories = list(dict.fromkeys(memory_id for part in done for memory_id in part.memories))
    return UndoAnswer(undone=undone, memories=memories, left=left, seq=done[-1].seq)


def _entries_to_undo(call: Call, job: str | None, entry: str | None) -> list[int]:
    """The ledger entries to undo, newest first."""
    if job is not None and entry is None:
        with call.instance.store.read() as reading:
            return sorted(_entries_of(call, reading, find_job(call, reading, job)), reverse=True)
    if entry is not None and job is None:
        hint = "specify a ledger entry as shown by `history`, for example #120"
        return [parse_number(entry.removeprefix("#"), entry, field="entry", hint=hint)]
    raise InvalidInput("specify either a job or an entry, and not both", field="job", hint="list the jobs with `jobs`")


def _undo_part(seqs: Sequence[int], reason: str, session: WriteSession) -> UndoAnswer:
    """Undo entries in one transaction, newest first."""
    done, left = [], []
    for seq in seqs:
        try:
            done.append(undo_entry(session, seq, reason))
        except WrongState as problem:
            left.append(f"#{seq}: {problem.message}")
    memories = list(dict.fromkeys(undone.memory.memory_id for undone in done if undone.memory is not None))
    return UndoAnswer(undone=len(done), memories=memories, left=left, seq=session.head.seq)


def _entries_of(call: Call, reading: IngestReadTransaction, job: Job) -> set[int]:
    """The ledger entries of a job and of the jobs that it queued."""
    outcome = msgspec.json.decode(job.outcome, type=dict[str, Any])
    seqs = set(outcome.get("entries", []))
    for job_id in outcome.get("asked", []):
        if (asked := reading.queue.job(job_id)) is not None and may_see_job(call, asked):
            seqs |= _entries_of(call, reading, asked)
    return seqs
