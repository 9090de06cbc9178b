"""The status, verification and maintenance of a space."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from heldtrue.audit.verify import Report, Verifier
from heldtrue.capabilities.call import Call, Instance
from heldtrue.capabilities.declaration import EverydayCommand, EverydayTool, Group, Route
from heldtrue.capabilities.parameters import NoArguments, Request
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import HeadText, When
from heldtrue.domain.action import Audience, Effect
from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.job import JobState
from heldtrue.domain.ledger import Head
from heldtrue.domain.limits import CLOCK_SKEW_US, IDEMPOTENCY_KEPT_HOURS, LIST_MAX
from heldtrue.domain.memory import HOUR_US, Status
from heldtrue.domain.principal import Role
from heldtrue.domain.times import to_iso_or_none
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ports import ReadTransaction


class StatusAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The size and state of a space, limited to what the caller may see."""

    name: str
    space: str
    home: str | None
    active: int
    statuses: dict[str, int]
    kinds: dict[str, int]
    scopes: dict[str, int]
    topics: dict[str, int]
    agents: dict[str, int]
    staleness: dict[str, int]
    """Active memories by staleness policy."""
    stale: int
    inbox: int
    pending_conflicts: int
    rejected_values: int | None
    """For the whole space; people only."""
    sources: int | None
    jobs: dict[str, int] | None
    """Waiting, running, failed and suspended jobs, by state; people only."""
    ledger_entries: int | None
    """This and the following fields are for the whole space; null for an agent that sees only a part of it."""
    head: HeadText | None
    last_write: When | None
    bytes_on_disk: int | None
    warnings: list[str]


class UpkeepAnswer(msgspec.Struct, frozen=True, kw_only=True):
    done: list[str]


class ReindexAnswer(msgspec.Struct, frozen=True, kw_only=True):
    versions: int


@capability(
    "memory.status",
    Effect.READ,
    group=Group.UPKEEP,
    everyday=EverydayCommand(11, "Show counts, warnings and where the memory is stored"),
    synonyms=("info", "stats"),
    routes=(Route("GET", "/v1/status"),),
    tool=EverydayTool(
        "Show statistics: number of memories by kind and scope, inbox size, stale memories, warnings. "
        "Not for searching.",
        {},
        rank=9,
    ),
)
def status(call: Call, _request: NoArguments) -> StatusAnswer:
    """Show the size of the memory, the inbox, stale memories, authors and warnings."""
    instance, now = call.instance, call.now
    recorded = instance.heads.last()  # before the view begins: the ledger can only have grown since
    with instance.store.read() as reading:
        groups = reading.memories.counts(sight=call.sight, now=now)
        statuses = _sum(groups, 2)
        active = [row for row in groups if row[2] == Status.ACTIVE]
        pending = reading.records.conflicts_page(pending=True, sight=call.sight, limit=LIST_MAX)
        whole = _whole_space(call, reading, recorded, statuses.get(Status.ACTIVE, 0))
        return StatusAnswer(
            name=instance.settings.name,
            space=reading.ledger.space().id,
            active=statuses.get(Status.ACTIVE, 0),
            statuses=statuses,
            kinds=_sum(active, 1),
            scopes=_sum(active, 0),
            topics=_sum([row for row in active if row[5]], 5),
            agents=_sum(active, 4),
            staleness=_sum(active, 3),
            stale=sum(int(row[7]) for row in active),
            inbox=statuses.get(Status.INBOX, 0),
            pending_conflicts=len(pending),
            **_owned(call, reading),
            **whole,
        )


def _owned(call: Call, reading: IngestReadTransaction) -> dict[str, Any]:
    """Fields of the whole space that only a person sees."""
    if not call.principal.is_person:
        return {"rejected_values": None, "sources": None, "jobs": None}
    return {
        "rejected_values": reading.ledger.tally("open_tombstones"),
        "sources": reading.ledger.tally("sources"),
        "jobs": _open_jobs(reading),
    }


def _whole_space(
    call: Call, reading: ReadTransaction, recorded: tuple[str, Head] | None, active: int
) -> dict[str, Any]:
    """Fields of the whole space; empty for an agent that sees only a part of it."""
    hidden: dict[str, Any] = dict.fromkeys(("home", "ledger_entries", "head", "last_write", "bytes_on_disk"))
    reach = call.principal.reach
    if reach is not None and reach.role is not Role.ADMIN:
        return {**hidden, "warnings": []}
    instance, head = call.instance, reading.ledger.head()
    return {
        "home": str(instance.home) if instance.home else None,
        "ledger_entries": head.seq,
        "head": head.as_text(),
        "last_write": to_iso_or_none(head.recorded_at or None),
        "bytes_on_disk": instance.store.size_bytes(),
        "warnings": _warnings(call, reading, recorded, active),
    }


def _open_jobs(reading: IngestReadTransaction) -> dict[str, int]:
    shown = (JobState.WAITING, JobState.RUNNING, JobState.FAILED, JobState.SUSPENDED)
    counts = dict.fromkeys((state.value for state in shown), 0)
    for _, state, number in reading.queue.count_jobs():
        if state in counts:
            counts[state] += number
    return counts


def _sum(groups: list[tuple[object, ...]], column: int) -> dict[str, int]:
    """Counts by one column, largest first, equal ones by name."""
    totals: dict[str, int] = {}
    for row in groups:
        totals[str(row[column])] = totals.get(str(row[column]), 0) + int(str(row[6]))
    return dict(sorted(totals.items(), key=lambda item: (-item[1], item[0])))


def _warnings(call: Call, reading: ReadTransaction, recorded: tuple[str, Head] | None, active: int) -> list[str]:
    warnings = []
    limit = call.instance.settings.max_facts
    if limit and active > limit:
        warnings.append(f"{active:,} active memories exceed the soft limit of {limit:,} (memory.max_facts)")
    if (behind := reading.ledger.head().recorded_at - call.now) > CLOCK_SKEW_US:
        warnings.append(
            f"the clock is {behind // 1_000_000:,} s behind the last record; new records keep their order regardless"
        )
    if recorded is not None and reading.ledger.head().seq < recorded[1].seq:
        warnings.append("the ledger ends before its recorded head; run `verify` for details")
    return warnings + warnings_of(call.instance)


def warnings_of(instance: Instance) -> list[str]:
    """Warnings about background work."""
    found = []
    if lost := instance.recall_log.dropped:
        found.append(f"{lost:,} recalls were not logged because the log could not be written")
    return found + [f"{name} failed: {problem}" for name, problem in instance.background.failures.items()]


class VerifyRequest(Request):
    head: Annotated[
        str | None,
        Meta(description="A ledger head you saved earlier (SEQ:HASH), to prove that nothing before it changed."),
    ] = None


@capability(
    "memory.verify",
    Effect.READ,
    audience=Audience.PEOPLE,
    group=Group.UPKEEP,
    synonyms=("doctor", "check", "fsck"),
    progress="verifying",
)
def verify(call: Call, request: VerifyRequest) -> Report:
    """Verify the whole ledger and report every edited, deleted, inserted, reordered or truncated entry."""
    return Verifier(call.instance.store, call.instance.heads).run(request.head)


@capability(
    "memory.maintain",
    Effect.ADMIN,
    group=Group.UPKEEP,
)
def maintain(call: Call, _request: NoArguments) -> UpkeepAnswer:
    """Maintain the database in short steps, while others use it. No memory changes."""
    done = ["deleted expired idempotency answers"]
    with call.instance.store.write() as transaction:
        transaction.ledger.drop_old_answers(call.now - IDEMPOTENCY_KEPT_HOURS * HOUR_US)
        transaction.agents.drop_handed(call.now)
    if days := call.instance.settings.log_days:
        with call.instance.store.write() as transaction:
            dropped = transaction.log.drop(max(0, call.now - days * 24 * HOUR_US))
        done.append(f"deleted {dropped:,} recalls logged more than {days:,} days ago")
    if days := call.instance.settings.jobs_days:
        with call.instance.store.write() as transaction:
            dropped = transaction.queue.drop(max(0, call.now - days * 24 * HOUR_US))
        done.append(f"deleted {dropped:,} jobs that ended more than {days:,} days ago")
    call.instance.store.tidy()
    done.append("optimised the database")
    try:
        if embedded := call.instance.keep_vectors():
            done.append(f"stored the vectors of {embedded:,} memories and passages")
    except ModelProblem as problem:
        # Everything else is done; what lacks a vector is found by its words.
        done.append(f"no vectors stored: {problem.message}")
    return UpkeepAnswer(done=[*done, *(note.text for note in call.instance.tools().problems)])


@capability(
    "memory.reindex",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.UPKEEP,
    synonyms=("rebuild",),
    progress="indexing",
)
def reindex(call: Call, _request: NoArguments) -> ReindexAnswer:
    """Rebuild the word index, the lookup keys and the vectors from the records."""
    from heldtrue.ingest.acts.reindex import rebuild_index  # brings the language analysis, which status does without

    versions = rebuild_index(call.instance.store)
    call.instance.keep_vectors_soon()
    return ReindexAnswer(versions=versions)
