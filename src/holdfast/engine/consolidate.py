"""The job `consolidate`: memories that say the same become one, and what is confirmed begins to count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

from holdfast.domain.limits import CANDIDATES_MAX
from holdfast.domain.memory import MemoryVersion, Status
from holdfast.domain.promotion import PromotionRule
from holdfast.engine.sweep import Change, Gate, Swept, sweep
from holdfast.engine.worker import Run
from holdfast.ingest.consolidating import find_duplicate, merge, promote, reason_to_promote
from holdfast.ingest.journal import Pen, is_live
from holdfast.ingest.match import version_keys
from holdfast.ingest.outcome import Outcome
from holdfast.ports import Reading, Store, VersionFilter

NAME = "consolidate"
ACTION = "memory.consolidate"


class Consolidating:
    """Runs the job."""

    def __init__(self, store: Store, gate: Gate, rules: Sequence[PromotionRule]) -> None:
        self._store = store
        self._gate = gate
        self._rules = rules

    def __call__(self, run: Run) -> Swept:
        scopes = (run.job.scope,) if run.job.scope else None
        chosen = VersionFilter(scopes=scopes, statuses=(Status.INBOX.value, Status.ACTIVE.value))
        near = find_near(self._store)
        return sweep(run, self._store, self._gate, chosen, partial(self._plan, near), action=ACTION)

    def _plan(self, near: AbstractSet[int], reading: Reading, memory: MemoryVersion) -> Iterable[Change]:
        if memory.no in near and find_twin(reading, memory) is not None:
            yield lambda pen: merge_twin(pen, memory.memory_id)
        elif memory.status == Status.INBOX and self._reason(reading, memory):
            yield lambda pen: self._promote(pen, memory.memory_id)

    def _reason(self, reading: Reading, memory: MemoryVersion) -> str | None:
        evidence = reading.evidence_of([memory.memory_id])
        out = reading.quarantined(source.id for _, source in evidence)
        trusted = [(tie, source) for tie, source in evidence if source.id not in out]
        return reason_to_promote(reading.versions(memory.memory_id), trusted, self._rules)

    def _promote(self, pen: Pen, memory_id: str) -> Outcome | None:
        memory = pen.transaction.version(memory_id)
        if memory is None or memory.status != Status.INBOX:
            return None
        reason = self._reason(pen.transaction, memory)
        return promote(pen, memory, reason) if reason else None


def find_near(store: Store) -> set[int]:
    """The versions that may have a twin; of all others that is known without reading what they say."""
    with store.read() as reading:
        return reading.numbers_sharing_keys()


def find_twin(reading: Reading, memory: MemoryVersion) -> MemoryVersion | None:
    """Another live memory of the same scope that says the same."""
    if not is_live(memory):
        return None
    held = reading.live_by_keys(version_keys(reading.space().key, memory), limit=CANDIDATES_MAX)
    return find_duplicate(memory, held) if len(held) > 1 else None


def merge_twin(pen: Pen, memory_id: str) -> Outcome | None:
    """Make one of a memory and the other that says the same, if that is still so."""
    memory = pen.transaction.version(memory_id)
    twin = find_twin(pen.transaction, memory) if memory is not None else None
    return merge(pen, memory, twin, "both say the same") if memory is not None and twin is not None else None
