"""The job `compact`: merges duplicates, and archives what is out of date, doubtful, unused or kept long enough.

The history keeps all of it. Verification by a person protects a memory from being archived as doubtful or unused, and
from nothing else: a fact that its author gave a time is over after that time, and a retention rule is the owner's word.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

import msgspec

from heldtrue.domain.cause import ArchiveCause, ErasureCause
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.limits import ARCHIVE_STEP_SOURCES_MAX, SOURCE_HEAD_CHARS_MAX, SWEEP_BATCH_MAX
from heldtrue.domain.memory import MemoryVersion, Staleness, Status
from heldtrue.domain.principal import EVERYTHING, SYSTEM, Sight
from heldtrue.domain.records import Source
from heldtrue.domain.retention import RetentionEnd, RetentionPolicy, RetentionRule
from heldtrue.domain.rows import SourceHead, VersionFilter
from heldtrue.domain.times import DAY_US
from heldtrue.engine.consolidate import Foreseen, WhatIf, find_near, find_twin, merge_twin
from heldtrue.engine.ports import EngineReadTransaction, EngineStore
from heldtrue.engine.sweep import CHANNEL, Change, Swept, carry_out, sweep
from heldtrue.engine.worker import Run
from heldtrue.ingest.acts.erase import ERASE, ErasureResult, erase_act, finish_erasure
from heldtrue.ingest.acts.maintenance import archive, archive_source, was_brought_back
from heldtrue.ingest.gateway import Gate, WriteRequest
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.ports import ErasureNotes
from heldtrue.ingest.stages.erasing import Selection, plan_erasure
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ports import Clock, ReadTransaction

ACTION = "memory.compact"
POLICIES = (Staleness.VOLATILE, Staleness.HOURLY, Staleness.DAILY, Staleness.WEEKLY, Staleness.STABLE)
"""The staleness policies, from the shortest-lived on."""
WORKING = (Status.ACTIVE, Status.RETRACTED)
SOURCES = "sources"
"""The name under which archived sources are counted."""
_log = logging.getLogger("heldtrue.engine")


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a compaction is to do besides what the settings say: the arguments of the job."""

    min_confidence: float | None = None
    """Unverified memories with less confidence are archived; None for what the settings say."""
    max_staleness: Staleness = Staleness.WEEKLY
    """Stale memories are archived, up to this staleness policy."""
    unused_days: dict[str, int] | None = None
    """How many days a memory may go unused before it is archived, by category; the empty name stands for all others."""
    merges: bool = True


class Archivable(NamedTuple):
    """Why a memory is archived."""

    cause: ArchiveCause
    """The cause, which is also the name under which it is counted."""
    reason: str


class ForeseenCompaction(NamedTuple):
    """Something that a compaction would do."""

    outcome: OutcomeKind
    """archived or merged."""
    row: MemoryVersion | SourceHead
    """What would be archived, or would stay."""
    reason: str
    cause: ArchiveCause | None = None
    merged: MemoryVersion | None = None
    """What would become part of it."""

    @property
    def counted_as(self) -> str:
        if self.outcome is OutcomeKind.ERASED:
            return self.outcome.value
        if isinstance(self.row, SourceHead):
            return SOURCES
        return (self.cause or self.outcome).value


class CompactionJob:
    """Runs the job, and says beforehand what it would do."""

    def __init__(
        self, store: EngineStore, gate: Gate, clock: Clock, policy: RetentionPolicy, outside: ErasureNotes
    ) -> None:
        self._store = store
        self._gate = gate
        self._clock = clock
        self._policy = policy
        self._outside = outside

    def __call__(self, run: Run) -> Swept:
        wanted = run.arguments(Wanted)
        near = find_near(self._store) if wanted.merges else set()

        def plan(reading: ReadTransaction, memory: MemoryVersion) -> Iterable[Change]:
            if _may_merge(memory) and memory.no in near and find_twin(reading, memory) is not None:
                yield lambda session: merge_twin(session, memory.memory_id)
            elif (found := self._find(reading, memory, wanted)) is not None:
                yield lambda session: self._archive(session, memory.memory_id, wanted, found)

        swept = sweep(run, self._store, self._gate, self._chosen(run.job.scope), plan, action=ACTION)
        swept = self._erase(run, self._sweep_sources(run, swept))
        _log.info("compaction %s: %s", run.job.id, _tell_counts(swept.counts))
        return swept

    def _sweep_sources(self, run: Run, so_far: Swept) -> Swept:
        """Archive the sources that a rule is about, a few in each transaction: a conversation has many.

        What was archived is not found again, so an interrupted run goes on from there.
        """
        for page in self._find_sources(run.job.scope, RetentionEnd.ARCHIVE):
            changes = [partial(archive_source, source=source, reason=reason, action=ACTION) for source, reason in page]
            for start in range(0, len(changes), ARCHIVE_STEP_SOURCES_MAX):
                step = changes[start : start + ARCHIVE_STEP_SOURCES_MAX]
                so_far = carry_out(run, self._gate, step, so_far, action=ACTION, counted_as=SOURCES)
        return so_far

    def _select_erasable(self, scope: str) -> tuple[Selection, str] | None:
        """What rules with this end are about, and why it goes; None if there is nothing."""
        reasons: set[str] = set()
        memories, sources = [], []
        for memory, rule in self._find_erasable(scope):
            memories.append(memory.memory_id)
            reasons.add(rule.reason)
        for page in self._find_sources(scope, RetentionEnd.ERASE):
            sources += [source.id for source, _ in page]
            reasons |= {reason for _, reason in page}
        if not reasons:
            return None
        selection = Selection(memories=frozenset(memories), sources=frozenset(sources), keeps_memories=True)
        return selection, "; ".join(sorted(reasons))

    def _foresee_erasure(self, reading: EngineReadTransaction, scope: str) -> Iterator[ForeseenCompaction]:
        """Everything that the rules would erase, also what goes along with it."""
        if (found := self._select_erasable(scope)) is None:
            return
        selection, reason = found
        plan = plan_erasure(reading, selection)
        current = {version.memory_id: version for version in plan.records["memory_versions"]}
        rows = [*(current[memory_id] for memory_id in plan.memory_ids), *map(_head_of, plan.records["sources"])]
        for row in rows:
            yield ForeseenCompaction(OutcomeKind.ERASED, row, reason, ArchiveCause.RETENTION)

    def _erase(self, run: Run, so_far: Swept) -> Swept:
        """Erase all that rules with this end are about, in one erasure, which cannot be undone."""
        found = self._select_erasable(run.job.scope)
        if found is None:
            return so_far
        selection, reason = found

        def note(result: ErasureResult, session: WriteSession) -> Swept:
            erased = len(result.plan.memories) + len(result.plan.sources)
            moved = msgspec.structs.replace(so_far, counts=so_far.counts | {OutcomeKind.ERASED.value: erased})
            run.note(session.transaction, done=so_far.looked_at, outcome=moved)
            return moved

        request = WriteRequest(principal=SYSTEM, channel=CHANNEL, action=ERASE)
        moved = self._gate.submit(request, erase_act(selection, reason, None, note), Swept)
        finish_erasure(self._store, self._outside)
        return moved

    def _find_erasable(self, scope: str) -> Iterator[tuple[MemoryVersion, RetentionRule]]:
        """The memories of any status that a rule says to erase, and that were kept for long enough."""
        if not any(rule.then is RetentionEnd.ERASE and rule.describes_memories for rule in self._policy.rules):
            return
        chosen = VersionFilter(sight=Sight((scope,)) if scope else EVERYTHING)
        before: int | None = None
        while True:
            with self._store.read() as reading:
                page = reading.memories.list_versions(chosen, before=before, limit=SWEEP_BATCH_MAX)
                found = [
                    (memory, rule)
                    for memory in page
                    if memory.cause != ErasureCause.ERASED
                    and (rule := self._rule_for(reading, memory)) is not None
                    and rule.then is RetentionEnd.ERASE
                ]
            if not page:
                return
            yield from found
            before = page[-1].no

    def _rule_for(self, reading: ReadTransaction, memory: MemoryVersion) -> RetentionRule | None:
        """The rule by which a memory has been kept for long enough."""
        rule = self._policy.memory_rule(memory, partial(_kinds_of_sources, reading, memory))
        return rule if rule is not None and rule.is_over(memory, self._clock.now()) else None

    def _find_sources(self, scope: str, then: RetentionEnd) -> Iterator[list[tuple[SourceHead, str]]]:
        """Page by page, the sources that have been kept for as long as a rule says, each with the reason."""
        days, after, now = self._policy.source_days(then), "", self._clock.now()
        archived_too = then is RetentionEnd.ERASE
        while days is not None:
            with self._store.read() as reading:
                latest = now - days * DAY_US
                page = reading.sources.archivable(
                    scope, latest=latest, after=after, limit=SWEEP_BATCH_MAX, archived_too=archived_too
                )
            if not page:
                return
            rules = [(source, self._policy.source_rule(source)) for source in page]
            fitting = [(source, rule) for source, rule in rules if rule is not None and rule.then is then]
            yield [(source, rule.reason) for source, rule in fitting if rule.is_over(source, now)]
            after = page[-1].id

    def foresee(self, scope: str, wanted: Wanted) -> list[ForeseenCompaction]:
        """List what a compaction would do, in its order, without changing anything."""
        foreseen: list[ForeseenCompaction] = []
        before: int | None = None
        with self._store.read() as reading:
            what_if, near = WhatIf(reading), reading.memories.numbers_sharing_keys() if wanted.merges else set()
            while page := reading.memories.list_versions(self._chosen(scope), before=before, limit=SWEEP_BATCH_MAX):
                before = page[-1].no
                held, merging = what_if.plan_page(page, near)
                for memory in held:
                    if _may_merge(memory) and memory.memory_id in merging:
                        foreseen += map(_foresee_merging, what_if.merge(memory))
                    else:
                        foreseen += self._foresee_archiving(reading, what_if, memory, wanted)
            foreseen += self._foresee_erasure(reading, scope)
        for sources in self._find_sources(scope, RetentionEnd.ARCHIVE):
            foreseen += [
                ForeseenCompaction(OutcomeKind.ARCHIVED, source, reason, ArchiveCause.RETENTION)
                for source, reason in sources
            ]
        return foreseen

    def _foresee_archiving(
        self, reading: ReadTransaction, what_if: WhatIf, memory: MemoryVersion, wanted: Wanted
    ) -> list[ForeseenCompaction]:
        """What would become of a memory, if nothing before it on its page has changed that."""
        found = self._find(reading, memory, wanted)
        if found is None or self._find(reading, what_if.now(memory), wanted) != found:
            return []
        what_if.archive(memory)
        return [ForeseenCompaction(OutcomeKind.ARCHIVED, memory, found.reason, found.cause)]

    def _archive(self, session: WriteSession, memory_id: str, wanted: Wanted, expected: Archivable) -> Outcome | None:
        current = session.transaction.memories.version(memory_id)
        if current is None or self._find(session.transaction, current, wanted) != expected:
            return None
        return archive(session, current, expected.cause, expected.reason, action=ACTION)

    def _find(self, reading: ReadTransaction, memory: MemoryVersion, wanted: Wanted) -> Archivable | None:
        """Why a memory is to be archived; None if it is not."""
        now = self._clock.now()
        if was_brought_back(memory) or memory.cause == ErasureCause.ERASED:
            return None
        if memory.status == Status.RETRACTED:
            return self._find_retracted(memory, now)
        return (
            self._find_outdated(memory, wanted, now)
            or self._find_kept_enough(reading, memory)
            or _find_unused(reading, memory, wanted.unused_days or {}, now)
        )

    def _find_outdated(self, memory: MemoryVersion, wanted: Wanted, now: int) -> Archivable | None:
        least = self._policy.min_confidence if wanted.min_confidence is None else wanted.min_confidence
        if _may_be_dropped(memory) and memory.confidence < least:
            return Archivable(ArchiveCause.DOUBTFUL, f"confidence {memory.confidence:.2f} is below {least:.2f}")
        if memory.status == Status.ACTIVE and _is_stale(memory, wanted.max_staleness, now):
            return Archivable(ArchiveCause.STALE, f"out of date (staleness: {memory.staleness})")
        return None

    def _find_kept_enough(self, reading: ReadTransaction, memory: MemoryVersion) -> Archivable | None:
        rule = self._rule_for(reading, memory)
        if rule is None or rule.then is not RetentionEnd.ARCHIVE:
            return None
        return Archivable(ArchiveCause.RETENTION, rule.reason)

    def _find_retracted(self, memory: MemoryVersion, now: int) -> Archivable | None:
        days = self._policy.retracted_days
        if now - memory.recorded_from < days * DAY_US:
            return None
        return Archivable(ArchiveCause.RETIRED, f"forgotten more than {days} days ago")

    def _chosen(self, scope: str) -> VersionFilter:
        sight = Sight((scope,)) if scope else EVERYTHING
        # Only rules are about what is pending.
        statuses = (*WORKING, Status.INBOX) if self._policy.rules else WORKING
        return VersionFilter(sight=sight, statuses=tuple(status.value for status in statuses))


def _head_of(source: Source) -> SourceHead:
    return SourceHead(source.id, source.kind, source.scope, source.recorded_at, source.content[:SOURCE_HEAD_CHARS_MAX])


def _foresee_merging(change: Foreseen) -> ForeseenCompaction:
    return ForeseenCompaction(change.outcome, change.memory, change.reason, merged=change.merged)


def _may_merge(memory: MemoryVersion) -> bool:
    """Pending memories are left to `consolidate`."""
    return memory.status != Status.INBOX


def _may_be_dropped(memory: MemoryVersion) -> bool:
    """Whether nobody stands behind a memory that counts."""
    return memory.status == Status.ACTIVE and memory.verified_by is None


def _is_stale(memory: MemoryVersion, longest: Staleness, now: int) -> bool:
    """Whether a memory is past its time, by a policy that is not longer-lived than another."""
    return memory.is_stale(now) and POLICIES.index(Staleness(memory.staleness)) <= POLICIES.index(longest)


def _kinds_of_sources(reading: ReadTransaction, memory: MemoryVersion) -> set[str]:
    return {source.kind for _, source in reading.records.evidence_of([memory.memory_id])}


def _tell_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in sorted(counts.items())) or "nothing to do"


def _find_unused(
    reading: ReadTransaction, memory: MemoryVersion, days: Mapping[str, int], now: int
) -> Archivable | None:
    allowed = days.get((memory.category or "").lower(), days.get("", 0))
    if not allowed or not _may_be_dropped(memory):
        return None
    (use,) = reading.log.uses([memory.memory_id]) or (None,)
    last = max(memory.recorded_from, memory.observed_at, (use.last_recalled_at or 0) if use is not None else 0)
    return Archivable(ArchiveCause.UNUSED, f"not used for {allowed} days") if now - last >= allowed * DAY_US else None
