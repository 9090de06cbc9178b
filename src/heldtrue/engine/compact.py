"""The job `compact`: archives memories that are out of date, unused or duplicate; the history keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from heldtrue.domain.cause import ArchiveCause
from heldtrue.domain.limits import SWEEP_BATCH_MAX
from heldtrue.domain.memory import MemoryVersion, Staleness, Status
from heldtrue.domain.principal import EVERYTHING, Sight
from heldtrue.domain.rows import VersionFilter
from heldtrue.domain.times import DAY_US
from heldtrue.engine.consolidate import WhatIf, find_near, find_twin, merge_twin
from heldtrue.engine.ports import EngineStore
from heldtrue.engine.sweep import Change, Swept, sweep
from heldtrue.engine.worker import Run
from heldtrue.ingest.acts.maintenance import archive, was_undone
from heldtrue.ingest.gateway import Gate
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ports import Clock, ReadTransaction

ACTION = "memory.compact"
POLICIES = (Staleness.VOLATILE, Staleness.HOURLY, Staleness.DAILY, Staleness.WEEKLY, Staleness.STABLE)
"""The staleness policies, from the shortest-lived on."""
WORKING = (Status.ACTIVE, Status.RETRACTED)


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a compaction is to do: the arguments of the job."""

    min_confidence: float = 0.3
    """Unverified memories with less confidence are archived."""
    max_staleness: Staleness = Staleness.WEEKLY
    """Stale memories are archived, up to this staleness policy."""
    retention_days: int = 30
    """How long forgotten memories stay before they are archived."""
    unused_days: dict[str, int] | None = None
    """How many days a memory may go unused before it is archived, by category; the empty name stands for all others."""
    merges: bool = True


class Archivable(NamedTuple):
    """Why a memory is archived."""

    cause: ArchiveCause
    """The cause, which is also the name under which it is counted."""
    reason: str


class CompactionJob:
    """Runs the job, and says beforehand what it would do."""

    def __init__(self, store: EngineStore, gate: Gate, clock: Clock) -> None:
        self._store = store
        self._gate = gate
        self._clock = clock

    def __call__(self, run: Run) -> Swept:
        wanted = run.arguments(Wanted)
        chosen = _chosen(run.job.scope)
        near = find_near(self._store) if wanted.merges else set()

        def plan(reading: ReadTransaction, memory: MemoryVersion) -> Iterable[Change]:
            if memory.no in near and find_twin(reading, memory) is not None:
                yield lambda session: merge_twin(session, memory.memory_id)
            elif (found := self._find(reading, memory, wanted)) is not None:
                yield lambda session: self._archive(session, memory.memory_id, wanted, found)

        return sweep(run, self._store, self._gate, chosen, plan, action=ACTION)

    def foresee(self, scope: str, wanted: Wanted) -> dict[str, int]:
        """Count what a compaction would do, without changing anything."""
        labels: list[str] = []
        before: int | None = None
        with self._store.read() as reading:
            what_if, near = WhatIf(reading), reading.memories.numbers_sharing_keys() if wanted.merges else set()
            while page := reading.memories.list_versions(_chosen(scope), before=before, limit=SWEEP_BATCH_MAX):
                before = page[-1].no
                held, merging = what_if.plan_page(page, near)
                for memory in held:
                    if memory.memory_id in merging:
                        labels += [merged.outcome.value for merged in what_if.merge(memory)]
                    elif (found := self._find(reading, memory, wanted)) is not None:
                        labels.append(found.cause.value)
        return {label: labels.count(label) for label in sorted(set(labels))}

    def _archive(self, session: WriteSession, memory_id: str, wanted: Wanted, expected: Archivable) -> Outcome | None:
        current = session.transaction.memories.version(memory_id)
        if current is None or self._find(session.transaction, current, wanted) != expected:
            return None
        return archive(session, current, expected.cause, expected.reason, action=ACTION)

    def _find(self, reading: ReadTransaction, memory: MemoryVersion, wanted: Wanted) -> Archivable | None:
        now = self._clock.now()
        if memory.status == Status.RETRACTED:
            old = now - memory.recorded_from >= wanted.retention_days * DAY_US and not was_undone(memory)
            return (
                Archivable(ArchiveCause.RETIRED, f"forgotten more than {wanted.retention_days} days ago")
                if old
                else None
            )
        if memory.status != Status.ACTIVE or memory.verified_by is not None or was_undone(memory):
            return None
        if memory.confidence < wanted.min_confidence:
            return Archivable(
                ArchiveCause.DOUBTFUL, f"confidence {memory.confidence:.2f} is below {wanted.min_confidence:.2f}"
            )
        policy = Staleness(memory.staleness)
        if memory.is_stale(now) and POLICIES.index(policy) <= POLICIES.index(wanted.max_staleness):
            return Archivable(ArchiveCause.STALE, f"out of date (staleness: {policy.value})")
        return _find_unused(reading, memory, wanted.unused_days, now) if wanted.unused_days else None


def _find_unused(
    reading: ReadTransaction, memory: MemoryVersion, days: Mapping[str, int], now: int
) -> Archivable | None:
    allowed = days.get((memory.category or "").lower(), days.get("", 0))
    if not allowed:
        return None
    (use,) = reading.log.uses([memory.memory_id]) or (None,)
    last = max(memory.recorded_from, memory.observed_at, (use.last_recalled_at or 0) if use is not None else 0)
    return Archivable(ArchiveCause.UNUSED, f"not used for {allowed} days") if now - last >= allowed * DAY_US else None


def _chosen(scope: str) -> VersionFilter:
    sight = Sight((scope,)) if scope else EVERYTHING
    return VersionFilter(sight=sight, statuses=tuple(status.value for status in WORKING))
