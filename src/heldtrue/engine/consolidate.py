"""The job `consolidate`: merges duplicates, and promotes inbox items that satisfy the promotion rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import count
from typing import NamedTuple

import msgspec

from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.limits import CANDIDATES_MAX, COMPARED_DAYS_MAX, SWEEP_BATCH_MAX
from heldtrue.domain.memory import MemoryVersion, Status
from heldtrue.domain.principal import EVERYTHING, SYSTEM, Sight
from heldtrue.domain.promotion import PromotionRule
from heldtrue.domain.rows import VersionFilter
from heldtrue.domain.times import DAY_US
from heldtrue.engine.ports import EngineStore
from heldtrue.engine.sweep import Change, Swept, sweep
from heldtrue.engine.worker import Run
from heldtrue.ingest.acts.maintenance import (
    choose_kept,
    find_duplicate,
    is_in_the_way,
    merge,
    promote,
    reason_to_promote,
    was_undone,
)
from heldtrue.ingest.gateway import Gate
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ingest.stages.match import version_keys
from heldtrue.ingest.stages.near import NearStatements
from heldtrue.ports import Clock, ReadTransaction

NAME = "consolidate"
ACTION = "memory.consolidate"
SAME = "both say the same thing"
REWORDED = "both say the same thing in other words"


class Foreseen(NamedTuple):
    """Something that consolidation would do."""

    outcome: OutcomeKind
    """merged or promoted."""
    memory: MemoryVersion
    merged: MemoryVersion | None
    """What would become part of it."""
    reason: str


class ConsolidationJob:
    """Runs the job."""

    def __init__(
        self,
        store: EngineStore,
        gate: Gate,
        rules: Sequence[PromotionRule],
        clock: Clock,
        near: NearStatements | None = None,
    ) -> None:
        self._store = store
        self._gate = gate
        self._rules = rules
        self._clock = clock
        self._near = near or NearStatements()

    def __call__(self, run: Run) -> Swept:
        near = find_near(self._store)
        plan = partial(self._plan, near)
        return sweep(run, self._store, self._gate, _chosen(run.job.scope), plan, action=ACTION)

    def foresee(self, scope: str) -> list[Foreseen]:
        """List what a consolidation would do, in the order of the sweep, without changing anything."""
        found: list[Foreseen] = []
        with self._store.read() as reading:
            what_if, near, before = WhatIf(reading), reading.memories.numbers_sharing_keys(), None
            while page := reading.memories.list_versions(_chosen(scope), before=before, limit=SWEEP_BATCH_MAX):
                before = page[-1].no
                held, merging = what_if.plan_page(page, near)
                for memory in held:
                    if memory.memory_id in merging:
                        found += what_if.merge(memory)
                    elif twin := self._find_reworded(reading, memory, what_if.now):
                        found += what_if.merge_with(memory, twin, REWORDED)
                    else:
                        found += what_if.promote(memory, self._reason)
        return found

    def _plan(self, near: AbstractSet[int], reading: IngestReadTransaction, memory: MemoryVersion) -> Iterable[Change]:
        if memory.no in near and find_twin(reading, memory) is not None:
            yield lambda session: merge_twin(session, memory.memory_id)
        elif twin := self._find_reworded(reading, memory, lambda other: other):
            yield lambda session: merge_reworded(session, memory, twin)
        elif memory.status == Status.INBOX and self._reason(reading, memory):
            yield lambda session: self._promote(session, memory.memory_id)

    def _find_reworded(
        self,
        reading: IngestReadTransaction,
        memory: MemoryVersion,
        now: Callable[[MemoryVersion], MemoryVersion],
    ) -> MemoryVersion | None:
        """Another active memory that says the same in other words as one that changed lately."""
        is_fresh = memory.recorded_from > self._clock.now() - COMPARED_DAYS_MAX * DAY_US
        if not is_fresh or not now(memory).is_live or was_undone(memory):
            return None
        same = [now(other) for other in self._near.find_same(reading, memory) if not was_undone(other)]
        return min((other for other in same if other.is_live), key=lambda other: other.no, default=None)

    def _reason(
        self, reading: IngestReadTransaction, memory: MemoryVersion, with_others: Sequence[str] = ()
    ) -> str | None:
        evidence = reading.records.evidence_of([memory.memory_id, *with_others])
        out = reading.sources.quarantined(source.id for _, source in evidence)
        trusted = [(tie, source) for tie, source in evidence if source.id not in out]
        return reason_to_promote(reading.memories.versions(memory.memory_id), trusted, self._rules)

    def _promote(self, session: WriteSession, memory_id: str) -> Outcome | None:
        memory = session.transaction.memories.version(memory_id)
        if memory is None or memory.status != Status.INBOX:
            return None
        reason = self._reason(session.transaction, memory)
        return promote(session, memory, reason) if reason else None


class WhatIf:
    """Memories as they would be after some changes that are not made."""

    def __init__(self, reading: IngestReadTransaction) -> None:
        self._reading = reading
        self._merged: dict[str, list[str]] = {}
        """By memory, what has become part of it."""
        self.changed: dict[str, MemoryVersion] = {}
        self._numbers = count(_LATER)

    def plan_page(self, page: Sequence[MemoryVersion], near: AbstractSet[int]) -> tuple[list[MemoryVersion], set[str]]:
        """The memories that a sweep would find on a page, and which of them would be merged; those in `near` may have
        a duplicate."""
        # What has changed has a new number, which is above those that are still to come.
        held = [memory for memory in page if memory.memory_id not in self.changed]
        twins = {memory.memory_id for memory in held if memory.no in near and self._find_twin(memory) is not None}
        return held, twins

    def _find_twin(self, memory: MemoryVersion) -> MemoryVersion | None:
        now = self.now(memory)
        if not now.is_live:
            return None
        keys = version_keys(self._reading.ledger.space().key, now)
        # So many more, because those that have changed are among what is found, in their old places.
        held = self._reading.memories.live_by_keys(keys, limit=CANDIDATES_MAX + len(self.changed))
        live = sorted((memory for memory in map(self.now, held) if memory.is_live), key=_by_standing)
        return find_duplicate(now, live[:CANDIDATES_MAX])

    def merge(self, memory: MemoryVersion) -> list[Foreseen]:
        twin = self._find_twin(memory)
        return [] if twin is None else self.merge_with(memory, twin, SAME)

    def merge_with(self, memory: MemoryVersion, twin: MemoryVersion, reason: str) -> list[Foreseen]:
        kept, gone = choose_kept(self.now(memory), self.now(twin))
        self._merged.setdefault(kept.memory_id, []).extend((gone.memory_id, *self._merged.get(gone.memory_id, ())))
        merged = self._change(kept, confidence=max(kept.confidence, gone.confidence))
        self._change(gone, status=Status.SUPERSEDED.value)
        return [Foreseen(OutcomeKind.MERGED, merged, gone, reason)]

    def promote(self, memory: MemoryVersion, reason_for: Callable[..., str | None]) -> list[Foreseen]:
        now, others = self.now(memory), self._merged.get(memory.memory_id, ())
        reason = reason_for(self._reading, now, others) if now.status == Status.INBOX else None
        if not reason or is_in_the_way(self._reading, now, actor=SYSTEM.id, with_others=others):
            return []
        return [Foreseen(OutcomeKind.PROMOTED, self._change(now, status=Status.ACTIVE.value), None, reason)]

    def archive(self, memory: MemoryVersion) -> None:
        self._change(self.now(memory), status=Status.ARCHIVED.value)

    def now(self, memory: MemoryVersion) -> MemoryVersion:
        """A memory as it would be by now."""
        return self.changed.get(memory.memory_id, memory)

    def _change(self, memory: MemoryVersion, **changes: object) -> MemoryVersion:
        changed = msgspec.structs.replace(memory, no=next(self._numbers), **changes)
        self.changed[memory.memory_id] = changed
        return changed


_LATER = 2**60
"""Above the number of any version that is there."""


def _by_standing(memory: MemoryVersion) -> tuple[bool, str, int]:
    """The order in which a store gives the neighbours of a memory."""
    return memory.verified_by is None, memory.status, -memory.no


def _chosen(scope: str) -> VersionFilter:
    sight = Sight((scope,)) if scope else EVERYTHING
    return VersionFilter(sight=sight, statuses=(Status.INBOX.value, Status.ACTIVE.value))


def find_near(store: EngineStore) -> set[int]:
    """The versions that may have a duplicate; the others are ruled out without reading their text."""
    with store.read() as reading:
        return reading.memories.numbers_sharing_keys()


def find_twin(reading: ReadTransaction, memory: MemoryVersion) -> MemoryVersion | None:
    """Another live memory of the same scope that says the same thing."""
    if not memory.is_live:
        return None
    held = reading.memories.live_by_keys(version_keys(reading.ledger.space().key, memory), limit=CANDIDATES_MAX)
    return find_duplicate(memory, held) if len(held) > 1 else None


def merge_reworded(session: WriteSession, memory: MemoryVersion, twin: MemoryVersion) -> Outcome | None:
    """Merge two memories that were found to say the same in other words, if neither has changed since."""
    reading = session.transaction.memories
    found = [reading.version(planned.memory_id) for planned in (memory, twin)]
    now = [version for version in found if version is not None and version.is_live]
    if [version.content for version in now] != [memory.content, twin.content]:
        return None
    return merge(session, now[0], now[1], REWORDED)


def merge_twin(session: WriteSession, memory_id: str) -> Outcome | None:
    """Merge a memory with its duplicate, if it still is one."""
    memory = session.transaction.memories.version(memory_id)
    twin = find_twin(session.transaction, memory) if memory is not None else None
    return merge(session, memory, twin, SAME) if memory is not None and twin is not None else None
