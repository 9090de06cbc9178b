"""The job `insights`: archived memories that belong together leave one sentence behind, which waits for a person.

Nothing is concluded that the memories do not say: an insight tells what they were about, how many there were and since
when, and quotes a few. It is no more certain than the least certain of them, and points at each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from heldtrue.domain.cause import ArchiveCause, PendingCause, PendingReason
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.limits import INSIGHT_QUOTE_CHARS_MAX, INSIGHT_QUOTES_MAX, JOB_PAGE_MAX
from heldtrue.domain.memory import Kind, MemoryVersion, Status, Strength
from heldtrue.domain.principal import EVERYTHING, SYSTEM
from heldtrue.domain.records import SourceKind
from heldtrue.domain.rows import VersionFilter
from heldtrue.domain.times import to_iso
from heldtrue.engine.ports import EngineStore
from heldtrue.engine.summarise import category_of
from heldtrue.engine.sweep import CHANNEL, Swept
from heldtrue.engine.worker import Run
from heldtrue.ingest.acts.learn import learn
from heldtrue.ingest.acts.links import link
from heldtrue.ingest.gate import EXTRACTED, ConflictRule
from heldtrue.ingest.gateway import Gate, WriteRequest
from heldtrue.ingest.stages.candidate import Candidate, Proposal, prepare_candidate
from heldtrue.ingest.stages.dismissals import is_dismissed
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ingest.stages.tombstones import tombstones_over_memory
from heldtrue.language.terms import STOP_STEMS, index_terms, words_of_terms
from heldtrue.ports import ReadTransaction

ACTION = "memory.insights"
MADE_FROM = "derived_from"
_ALIKE = 0.25
"""Share of common words from which on two memories belong together."""
_LEAST, _MOST = 3, 20
"""The minimum and maximum number of memories in one insight."""
_WAITS = PendingReason(PendingCause.INSIGHT, "generated from archived memories; waiting for a person to approve it")


class InsightsJob:
    """Runs the job."""

    def __init__(self, store: EngineStore, gate: Gate, rule_for: ConflictRule) -> None:
        self._store = store
        self._gate = gate
        self._rule_for = rule_for

    def __call__(self, run: Run) -> Swept:
        with self._store.read() as reading:
            clusters = list(find_clusters(_archived(reading)))
        so_far = run.outcome(Swept)
        total = so_far.looked_at + len(clusters)
        for cluster in clusters:
            so_far = self._write(run, cluster, so_far, total=total)
        return so_far

    def _write(self, run: Run, cluster: Sequence[MemoryVersion], so_far: Swept, *, total: int) -> Swept:
        candidate = _propose(cluster)

        def act(session: WriteSession) -> Swept:
            written = self._learn(session, cluster, candidate)
            counts = {"insights": so_far.counts.get("insights", 0) + 1} if written else so_far.counts
            looked_at, entries = so_far.looked_at + 1, [*so_far.entries, *written]
            moved = Swept(looked_at=looked_at, counts=counts, entries=entries)
            run.note(session.transaction, done=looked_at, total=total, outcome=moved)
            return moved

        return self._gate.submit(WriteRequest(principal=SYSTEM, channel=CHANNEL, action=ACTION), act, Swept)

    def _learn(self, session: WriteSession, cluster: Sequence[MemoryVersion], candidate: Candidate) -> list[int]:
        """The entries of a new insight and of its links; none where there is something against it."""
        if any(tombstones_over_memory(session, memory) for memory in cluster):
            return []
        outcome = learn(session, candidate, self._rule_for, lane=EXTRACTED)
        if outcome.memory is None:
            return []
        written = [] if outcome.outcome is OutcomeKind.KNOWN else [outcome.seq]
        linked = [link(session, outcome.memory, memory.memory_id, MADE_FROM, None)[1].seq for memory in cluster]
        return [*written, *linked]


def _archived(reading: ReadTransaction) -> Iterator[MemoryVersion]:
    """What is archived, is nobody's alone, and no insight was ever made from: one that was undone is not made again."""
    chosen, before = VersionFilter(sight=EVERYTHING, statuses=(Status.ARCHIVED.value,)), None
    while page := reading.memories.list_versions(chosen, before=before, limit=JOB_PAGE_MAX):
        before = page[-1].no
        covered = {
            link.to_ref for link in reading.records.links_ever_to([memory.memory_id for memory in page], MADE_FROM)
        }
        for memory in page:
            is_shared = not memory.privacy.is_private and not _was_rejected(reading, memory)
            # What was kept for as long as a rule allows must not come back in other words.
            is_over = memory.cause == ArchiveCause.RETENTION
            may_serve = memory.kind != Kind.INSIGHT and not is_dismissed(memory) and not is_over
            if is_shared and may_serve and memory.memory_id not in covered:
                yield memory


def _was_rejected(reading: ReadTransaction, memory: MemoryVersion) -> bool:
    return any(stone.recorded_to is None for stone in reading.records.tombstones_of(memory.memory_id))


def find_clusters(memories: Iterable[MemoryVersion]) -> Iterator[list[MemoryVersion]]:
    """Memories of one scope and category whose words overlap, three or more together."""
    groups: dict[tuple[str, str], list[MemoryVersion]] = {}
    for memory in memories:
        groups.setdefault((memory.scope, category_of(memory)), []).append(memory)
    for members in groups.values():
        yield from _cluster(sorted(members, key=lambda memory: memory.no))


def _cluster(members: Sequence[MemoryVersion]) -> Iterator[list[MemoryVersion]]:
    """Each memory that is in no cluster yet, with those after it that share enough words with it."""
    telling = [_telling(memory) for memory in members]
    numbers: dict[str, list[int]] = {}
    for number, terms in enumerate(telling):
        for term in terms:
            numbers.setdefault(term, []).append(number)
    taken: set[int] = set()
    for first in range(len(members)):
        if first in taken:
            continue
        cluster = [first, *_near(first, telling, numbers, taken)]
        taken.update(cluster)
        if len(cluster) >= _LEAST:
            yield [members[number] for number in cluster]


def _near(
    first: int, telling: Sequence[frozenset[str]], numbers: Mapping[str, Sequence[int]], used: AbstractSet[int]
) -> list[int]:
    """The numbers of those after a memory that share enough words with it and are not taken yet."""
    terms = telling[first]
    # Only what shares a word at all is looked at: archives are large, and most of them have nothing in common.
    shared = Counter(number for term in terms for number in numbers[term] if number > first and number not in used)
    near = [number for number, count in shared.items() if count >= _ALIKE * _fewer(terms, telling[number])]
    return sorted(near)[: _MOST - 1]


def _fewer(terms: frozenset[str], others: frozenset[str]) -> int:
    return max(1, min(len(terms), len(others)))


def _telling(memory: MemoryVersion) -> frozenset[str]:
    return frozenset(index_terms(memory.content)) - STOP_STEMS


def _propose(cluster: Sequence[MemoryVersion]) -> Candidate:
    first, last = (to_iso(pick(memory.observed_at for memory in cluster))[:10] for pick in (min, max))
    subject = _name_subject(cluster)
    quoted = " ".join(_shortened(memory) for memory in cluster[:INSIGHT_QUOTES_MAX])
    when = f"on {first}" if first == last else f"from {first} to {last}"
    return prepare_candidate(
        Proposal(
            content=f"{len(cluster)} archived memories {when} were about {subject}, such as: {quoted}",
            kind=Kind.INSIGHT,
            scope=cluster[0].scope,
            project=cluster[0].project_id,
            category=cluster[0].category,
            topic=cluster[0].topic,
            strength=Strength.INFERRED,
            confidence=min(memory.confidence for memory in cluster),
            source_text="\n".join(f"{memory.memory_id}: {_shortened(memory)}" for memory in cluster),
            source_kind=SourceKind.RUN,
            hold_because=_WAITS,
        )
    )


def _shortened(memory: MemoryVersion) -> str:
    said = " ".join(memory.content.split())
    return said if len(said) <= INSIGHT_QUOTE_CHARS_MAX else said[:INSIGHT_QUOTE_CHARS_MAX].rsplit(" ", 1)[0] + "…"


def _name_subject(cluster: Sequence[MemoryVersion]) -> str:
    """What most of them are about: their topic, else the words that most of them share."""
    topics = Counter(memory.topic for memory in cluster if memory.topic)
    if topics:
        return topics.most_common(1)[0][0]
    counts = Counter(term for memory in cluster for term in _telling(memory))
    common = [term for term, number in counts.most_common(8) if number * 2 > len(cluster)][:3]
    words = dict(words_of_terms(" ".join(memory.content for memory in cluster), common))
    return " ".join(words.get(term, term) for term in common) or category_of(cluster[0])
