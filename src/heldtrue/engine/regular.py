"""The nightly, weekly and monthly jobs. Each queues the jobs it consists of, and does the rest itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.job import Job, JobState
from heldtrue.domain.limits import JOB_PAGE_MAX, UNUSED_DAYS_MAX
from heldtrue.domain.memory import Status
from heldtrue.domain.principal import EVERYTHING, SYSTEM
from heldtrue.domain.rows import VersionFilter
from heldtrue.domain.times import DAY_US, to_iso
from heldtrue.engine.compact import Wanted
from heldtrue.engine.ports import EngineStore
from heldtrue.engine.queue import NewJob, ask_for, retry_job
from heldtrue.engine.sweep import CHANNEL
from heldtrue.engine.worker import Run
from heldtrue.ingest.acts.feedback import boost
from heldtrue.ingest.gateway import Gate, WriteRequest
from heldtrue.ingest.ports import IngestWriteTransaction
from heldtrue.ingest.stages.journal import WriteSession


class Slot(msgspec.Struct, frozen=True):
    """The arguments of a regular job: the time it was due at."""

    slot: int = 0


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a regular job so far."""

    counts: dict[str, int] = {}
    asked: list[str] = []
    """The jobs it asked for."""
    entries: list[int] = []
    """The ledger entries it made itself."""
    health: dict[str, int] = {}
    problems: list[str] = []
    """What could not be done, and why."""


class Nightly:
    """Merges duplicates, archives what is past its time, raises the priority of the memories of the day, and retries
    failed extractions.
    """

    def __init__(self, store: EngineStore, gate: Gate) -> None:
        self._store = store
        self._gate = gate

    def __call__(self, run: Run) -> Done:
        so_far = run.outcome(Done)
        if not so_far.asked:
            so_far = self._ask(run)
        slot = run.arguments(Slot).slot or run.now
        for occasion, memory_ids in _occasions(slot, self._learned_by(slot)):
            so_far = self._move_up(run, occasion, memory_ids, so_far)
        return so_far

    def _ask(self, run: Run) -> Done:
        with self._store.write() as transaction:
            asked = [
                ask_again(transaction, "consolidate", run.job, now=run.now),
                ask_again(transaction, "compact", run.job, now=run.now, arguments=without_merging()),
            ]
            failed = _failed_extractions(transaction)
            again = [retry_job(transaction, job, now=run.now, principal=SYSTEM) for job in failed]
            done = Done(counts={"promoted": 0, "extracted_again": len(again)}, asked=[job.id for job in asked])
            run.note(transaction, done=0, outcome=done)
        return done

    def _learned_by(self, slot: int) -> list[str]:
        """The memories that were learned in the day before a moment and count."""
        found: list[str] = []
        chosen, before = VersionFilter(sight=EVERYTHING, statuses=(Status.ACTIVE.value,)), None
        with self._store.read() as reading:
            while page := reading.memories.list_versions(chosen, before=before, limit=JOB_PAGE_MAX):
                before = page[-1].no
                found += [memory.memory_id for memory in page if slot - DAY_US < memory.created_at <= slot]
                if page[-1].recorded_from <= slot - DAY_US:
                    break  # versions are in the order of record: all that follow are of memories still older
        return sorted(found)

    def _move_up(self, run: Run, occasion: str, memory_ids: Sequence[str], so_far: Done) -> Done:
        """Let some memories gain a step of retrieval priority, once for an occasion."""

        def act(session: WriteSession) -> Done:
            given = boost(session, occasion, memory_ids)
            if given is None:
                return so_far
            promoted = so_far.counts.get("promoted", 0) + len(given.feedback.moved)
            counts = so_far.counts | {"promoted": promoted}
            moved = msgspec.structs.replace(so_far, counts=counts, entries=[*so_far.entries, given.seq])
            run.note(session.transaction, done=promoted, outcome=moved)
            return moved

        return self._gate.submit(WriteRequest(principal=SYSTEM, channel=CHANNEL, action="memory.feedback"), act, Done)


def _occasions(slot: int, memory_ids: Sequence[str]) -> list[tuple[str, list[str]]]:
    """One occasion for a night; where very much was learned several, so that nobody has to wait long for one of them.

    Which of them a memory belongs to depends on nothing but its id, so that a second run finds the same ones.
    """
    night = f"nightly:{to_iso(slot)[:10]}"
    if len(memory_ids) <= JOB_PAGE_MAX:
        return [(night, list(memory_ids))] if memory_ids else []
    parts: dict[str, list[str]] = {}
    for memory_id in memory_ids:
        parts.setdefault(f"{night}:{memory_id[-1]}", []).append(memory_id)
    return sorted(parts.items())


class Weekly:
    """Archives memories that were unused for longer than their category allows, rewrites summaries, finds insights.

    Jobs run in the order in which they are due, so that the insights see what was just archived.
    """

    def __init__(self, store: EngineStore, unused_days: Mapping[str, int]) -> None:
        self._store = store
        self._unused_days = unused_days

    def __call__(self, run: Run) -> Done:
        so_far = run.outcome(Done)
        if so_far.asked:
            return so_far
        with self._store.write() as transaction:
            wanted = without_merging(self._unused_days)
            asked = [
                ask_again(transaction, "compact", run.job, now=run.now, arguments=wanted, due_at=run.now - 1),
                ask_again(transaction, "summarise", run.job, now=run.now),
                ask_again(transaction, "insights", run.job, now=run.now),
            ]
            done = Done(asked=[job.id for job in asked])
            run.note(transaction, done=0, outcome=done)
        return done


class Monthly:
    """Updates vectors, archives memories that were unused for half a year, and writes the health report."""

    def __init__(self, store: EngineStore, keep_vectors: Callable[[], int]) -> None:
        self._store = store
        self._keep_vectors = keep_vectors

    def __call__(self, run: Run) -> Done:
        so_far = run.outcome(Done)
        if not so_far.asked:
            so_far = self._ask(run)
        return msgspec.structs.replace(so_far, health=self._health(run.now))

    def _ask(self, run: Run) -> Done:
        embedded, problems = 0, list[str]()
        try:
            embedded = self._keep_vectors()
        except ModelProblem as problem:
            # The rest of the job needs no model.
            problems.append(problem.message)
        with self._store.write() as transaction:
            job = ask_again(
                transaction, "compact", run.job, now=run.now, arguments=without_merging({"": UNUSED_DAYS_MAX})
            )
            transaction.index.post_words()
            done = Done(counts={"embedded": embedded}, asked=[job.id], problems=problems)
            run.note(transaction, done=0, outcome=done)
        return done

    def _health(self, now: int) -> dict[str, int]:
        """How many memories there are by their state, how many are past their time, and how many came this month."""
        with self._store.read() as reading:
            rows = reading.memories.counts(sight=EVERYTHING, now=now)
            fresh = reading.ledger.tally("learned_since", since=now - 30 * DAY_US)
        by_status: dict[str, int] = {}
        for _, _, status, _, _, _, number, _ in rows:
            by_status[status] = by_status.get(status, 0) + int(number)
        stale = sum(int(row[7]) for row in rows)
        return by_status | {"past_their_time": stale, "learned_in_30_days": fresh}


def without_merging(unused_days: Mapping[str, int] | None = None) -> dict[str, Any]:
    """The arguments of a compaction that archives, what was not used for some days too, and leaves merging to
    `consolidate`.
    """
    wanted = Wanted(unused_days=None if unused_days is None else dict(unused_days), merges=False)
    return msgspec.to_builtins(wanted)  # type: ignore[no-any-return]


def ask_again(
    transaction: IngestWriteTransaction,
    name: str,
    regular: Job,
    *,
    now: int,
    arguments: Mapping[str, Any] | None = None,
    due_at: int | None = None,
) -> Job:
    """Add a job that a regular job consists of; each try adds it only once."""
    new = NewJob(
        name=name,
        asked_by=SYSTEM.id,
        trigger=regular.name,
        once=f"{name}:{regular.id}",
        arguments=arguments or {},
        due_at=due_at,
    )
    return ask_for(transaction, new, now=now)


def _failed_extractions(transaction: IngestWriteTransaction) -> Sequence[Job]:
    return transaction.queue.jobs(
        names=["extract"], states=[JobState.FAILED], asked_by=None, before="~", limit=JOB_PAGE_MAX
    )
