"""The status, verification and maintenance of a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from heldtrue.audit.ports import AuditReadTransaction
from heldtrue.audit.verify import Report, Verifier
from heldtrue.capabilities.call import Call, Instance
from heldtrue.capabilities.declaration import EverydayCommand, EverydayTool, Group, Route
from heldtrue.capabilities.parameters import NoArguments, Request
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import HeadText, When
from heldtrue.distribution import suggest_reader
from heldtrue.domain.action import Audience, Effect
from heldtrue.domain.carried import ANSWERS_AFTER
from heldtrue.domain.continuity import OutsideHead, describe_loss, find_lost
from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.job import JobState
from heldtrue.domain.limits import CLOCK_SKEW_US, IDEMPOTENCY_KEPT_HOURS, LIST_MAX
from heldtrue.domain.memory import Status
from heldtrue.domain.plural import count
from heldtrue.domain.times import DAY_US, HOUR_US, to_iso_or_none
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.language.guard import list_failures
from heldtrue.ports import ReadTransaction


class StatusAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The size and state of a store, limited to what the caller may see."""

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
    """The number of active memories for each staleness value."""
    stale: int
    inbox: int
    pending_conflicts: int
    rejected_values: int | None
    """For the whole store; people only."""
    rejected_by_agents: int | None
    """How many claims agents have rejected. Each is refused only from the agent that rejected it. People only."""
    sources: int | None
    jobs: dict[str, int] | None
    """Waiting, running, failed and suspended jobs, by state; people only."""
    reader: bool | None
    """Whether the reader is in use, which judges what agents say and recognises rejected claims in a different wording.
    People only.
    """
    analysis_failures: int | None
    """How often text analysis has failed since this process started; the texts are stored anyway. People only."""
    ledger_entries: int | None
    """This and the following fields are for the whole store. Null for an agent that sees only part of it."""
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
    everyday=EverydayCommand(11, "Show counts, warnings and where the store is"),
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
    """Show the size of the store, the inbox, stale memories, authors and warnings."""
    instance, now = call.instance, call.now
    stored = instance.heads.stored()  # before the view begins: the ledger can only have grown since
    with instance.store.read() as reading:
        groups = reading.memories.counts(sight=call.sight, now=now)
        statuses = _sum(groups, 2)
        active = [row for row in groups if row[2] == Status.ACTIVE]
        pending = reading.records.conflicts_page(pending=True, sight=call.sight, limit=LIST_MAX)
        whole = _whole_space(call, reading, stored, statuses.get(Status.ACTIVE, 0))
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
    """Fields for the whole store that only a person sees."""
    if not call.principal.is_person:
        return dict.fromkeys(
            ("rejected_values", "rejected_by_agents", "sources", "jobs", "reader", "analysis_failures")
        )
    return {
        "rejected_values": reading.ledger.tally("rejections"),
        "rejected_by_agents": reading.ledger.tally("rejected_by_agents"),
        "sources": reading.ledger.tally("sources"),
        "jobs": _open_jobs(reading),
        "reader": call.instance.has_reader(),
        "analysis_failures": sum(failure.times for failure in list_failures()),
    }


def _whole_space(call: Call, reading: ReadTransaction, stored: Sequence[OutsideHead], active: int) -> dict[str, Any]:
    """Fields for the whole store. Empty for an agent that sees only part of it."""
    hidden: dict[str, Any] = dict.fromkeys(("home", "ledger_entries", "head", "last_write", "bytes_on_disk"))
    reach = call.principal.reach
    if reach is not None and not reach.is_wide:
        return {**hidden, "warnings": []}
    instance, head = call.instance, reading.ledger.head()
    return {
        "home": str(instance.home) if instance.home else None,
        "ledger_entries": head.seq,
        "head": head.as_text(),
        "last_write": to_iso_or_none(head.recorded_at or None),
        "bytes_on_disk": instance.store.size_bytes(),
        "warnings": _warnings(call, reading, stored, active),
    }


def _open_jobs(reading: IngestReadTransaction) -> dict[str, int]:
    shown = (JobState.WAITING, JobState.RUNNING, JobState.FAILED, JobState.SUSPENDED)
    counts = dict.fromkeys((state.value for state in shown), 0)
    for _, state, number in reading.queue.count_jobs():
        if state in counts:
            counts[state] += number
    return counts


def _sum(groups: list[tuple[object, ...]], column: int) -> dict[str, int]:
    """Counts by one column, largest first. Equal counts are sorted by name."""
    totals: dict[str, int] = {}
    for row in groups:
        totals[str(row[column])] = totals.get(str(row[column]), 0) + int(str(row[6]))
    return dict(sorted(totals.items(), key=lambda item: (-item[1], item[0])))


def _warnings(call: Call, reading: ReadTransaction, stored: Sequence[OutsideHead], active: int) -> list[str]:
    warnings = []
    limit = call.instance.settings.max_facts
    if limit and active > limit:
        warnings.append(f"{active:,} active memories exceed the soft limit of {limit:,} (memory.max_facts)")
    head = reading.ledger.head()
    if (behind := head.recorded_at - call.now) > CLOCK_SKEW_US:
        warnings.append(
            f"the clock is {behind // 1_000_000:,} s behind the last record; new records are still in the correct order"
        )
    if call.principal.is_person and not call.instance.has_reader() and reading.ledger.tally("rejections"):
        warnings.append(
            "the reader is not installed, so a rejected claim is only recognised in the same wording; "
            f"{suggest_reader()}"
        )
    if lost := find_lost(stored, head, reading.ledger.entry):
        newest = max(lost, key=lambda known: known.seq)
        warnings.append(f"{describe_loss(newest, head)}; run `verify` for details")
    return warnings + warnings_of(call.instance)


def warnings_of(instance: Instance) -> list[str]:
    """Warnings about background work."""
    found = []
    if instance.store.read_only:
        found.append("the file system is read-only, so this store can be read but not written")
    if instance.heads.problem:
        found.append(instance.heads.problem)
    if lost := instance.recall_log.dropped:
        found.append(f"{count(lost, 'recall was', 'recalls were')} not logged because the log could not be written")
    found += [
        f"text analysis failed {count(failure.times, 'time')}, at {failure.place}; the texts were stored"
        for failure in list_failures()
    ]
    return found + [f"{name} failed: {problem}" for name, problem in instance.background.failures.items()]


class VerifyRequest(Request):
    head: Annotated[
        str | None,
        Meta(description="A ledger head you saved earlier (SEQ:HASH), to prove that nothing before it has changed."),
    ] = None
    deep: Annotated[
        bool,
        Meta(
            description="Also verify the search index: recompute its words, vectors, passages and lookup keys from the "
            "records, and compare. Takes about as long as `reindex`."
        ),
    ] = False


@capability(
    "memory.verify",
    Effect.READ,
    audience=Audience.PEOPLE,
    group=Group.UPKEEP,
    synonyms=("doctor", "check", "fsck"),
    progress="verifying",
)
def verify(call: Call, request: VerifyRequest) -> Report:
    """Verify the whole store and report everything that was edited, deleted, inserted, reordered or truncated.

    By default this covers the ledger, all records, tokens, stored responses and the database schema. `deep` also
    covers what is derived from the records. The report lists what was and was not covered.
    """
    rebuilder = ScratchRebuilder(call.instance) if request.deep else None
    return Verifier(call.instance.store, call.instance.heads, rebuilder).run(request.head)


class ScratchRebuilder:
    """Rebuilds the index of a space in a temporary space."""

    def __init__(self, instance: Instance) -> None:
        self._open_scratch = instance.open_scratch
        embedder = instance.tools().embedder
        # A model that is not quick is somebody else's, and may answer differently each time.
        self._embedder = embedder if embedder is not None and embedder.is_quick else None

    @property
    def vector_model(self) -> str | None:
        return None if self._embedder is None else self._embedder.name

    @contextmanager
    def rebuild(self, reading: AuditReadTransaction) -> Iterator[AuditReadTransaction]:
        from heldtrue.ingest.acts.reindex import copy_records, rebuild_index  # as in reindex
        from heldtrue.recall.index.embedding import keep_vectors

        scratch = self._open_scratch()
        try:
            copy_records(reading, scratch)
            rebuild_index(scratch)
            if self._embedder is not None:
                keep_vectors(scratch, self._embedder)
            with scratch.read() as rebuilt:
                yield rebuilt
        finally:
            scratch.close()


@capability(
    "memory.maintain",
    Effect.ADMIN,
    group=Group.UPKEEP,
)
def maintain(call: Call, _request: NoArguments) -> UpkeepAnswer:
    """Clean up and optimise the database in short steps, without blocking other users. No memory is changed."""
    done = ["deleted expired responses that were stored for retries"]
    with call.instance.store.write() as transaction:
        before = call.now - IDEMPOTENCY_KEPT_HOURS * HOUR_US
        transaction.ledger.drop_old_answers(before)
        transaction.index.set_state(ANSWERS_AFTER, max(before, transaction.index.state(ANSWERS_AFTER)))
    if days := call.instance.settings.log_days:
        with call.instance.store.write() as transaction:
            dropped = transaction.log.drop(max(0, call.now - days * DAY_US))
        done.append(f"deleted {count(dropped, 'recall')} logged more than {count(days, 'day')} ago")
    if days := call.instance.settings.jobs_days:
        with call.instance.store.write() as transaction:
            dropped = transaction.queue.drop(max(0, call.now - days * DAY_US))
        done.append(f"deleted {count(dropped, 'job')} that ended more than {count(days, 'day')} ago")
    call.instance.store.tidy()
    done.append("optimised the database")
    try:
        if embedded := call.instance.keep_vectors():
            done.append(f"stored vectors of {count(embedded, 'memory or passage', 'memories and passages')}")
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
