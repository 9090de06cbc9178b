"""The job `insights`: archived memories that belong together leave one sentence behind, which waits for a person.

Nothing is concluded that the memories do not say: an insight tells what they were about, how many there were and since
when, and quotes a few. It is no more certain than the least certain of them, and points at each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from heldtrue.domain.memory import Kind, MemoryVersion, Status, Strength, Visibility
from heldtrue.domain.principal import EVERYTHING, SYSTEM
from heldtrue.domain.records import SourceKind
from heldtrue.domain.times import to_iso
from heldtrue.engine.summarise import category_of
from heldtrue.engine.sweep import CHANNEL, Gate, Swept
from heldtrue.engine.worker import Run
from heldtrue.ingest.burial import find_stones, stones_over
from heldtrue.ingest.candidate import Candidate, Proposal, prepare_candidate
from heldtrue.ingest.decide import refuse_chatter
from heldtrue.ingest.gateway import Request
from heldtrue.ingest.journal import Pen
from heldtrue.ingest.learn import ConflictRule, learn
from heldtrue.ingest.retire import link
from heldtrue.language.terms import STOP_STEMS, index_terms, words_of_terms
from heldtrue.ports import Reading, Store, VersionFilter

ACTION = "memory.insights"
MADE_FROM = "derived_from"
_ALIKE = 0.25
"""Share of common words from which on two memories belong together."""
_LEAST, _MOST = 3, 20
"""Memories that make an insight, and that one insight stands for."""
_QUOTED, _QUOTE_CHARS_MAX = 3, 400
_PAGE = 1_000
_WAITS = "it was made from archived memories, and waits until a person finds it useful"


class Finding:
    """Runs the job."""

    def __init__(self, store: Store, gate: Gate, rule_for: ConflictRule) -> None:
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

        def act(pen: Pen) -> Swept:
            written = self._learn(pen, cluster, candidate)
            counts = {"insights": so_far.counts.get("insights", 0) + 1} if written else so_far.counts
            looked_at, entries = so_far.looked_at + 1, [*so_far.entries, *written]
            moved = Swept(looked_at=looked_at, counts=counts, entries=entries)
            run.note(pen.transaction, done=looked_at, total=total, outcome=moved)
            return moved

        return self._gate.submit(Request(principal=SYSTEM, channel=CHANNEL, action=ACTION), act, Swept)

    def _learn(self, pen: Pen, cluster: Sequence[MemoryVersion], candidate: Candidate) -> list[int]:
        """The entries of a new insight and of its links; none where there is something against it."""
        is_rejected = any(stones_over(pen, one) for one in cluster) or bool(find_stones(pen, candidate))
        if is_rejected or refuse_chatter(candidate, pen.actor) is not None:
            return []
        outcome = learn(pen, candidate, self._rule_for)
        if outcome.memory is None:
            return [outcome.seq]
        linked = [link(pen, outcome.memory, one.memory_id, MADE_FROM, None)[1].seq for one in cluster]
        return [outcome.seq, *linked]


def _archived(reading: Reading) -> Iterator[MemoryVersion]:
    """What is archived, is nobody's alone, and no insight was ever made from: one that was undone is not made again."""
    chosen, before = VersionFilter(sight=EVERYTHING, statuses=(Status.ARCHIVED.value,)), None
    while page := reading.list_versions(chosen, before=before, limit=_PAGE):
        before = page[-1].no
        covered = {one.to_ref for one in reading.links_ever_to([one.memory_id for one in page], MADE_FROM)}
        for memory in page:
            is_shared = memory.visibility != Visibility.PRIVATE and not _was_rejected(reading, memory)
            if is_shared and memory.kind != Kind.INSIGHT and memory.memory_id not in covered:
                yield memory


def _was_rejected(reading: Reading, memory: MemoryVersion) -> bool:
    return any(stone.recorded_to is None for stone in reading.tombstones_of(memory.memory_id))


def find_clusters(memories: Iterable[MemoryVersion]) -> Iterator[list[MemoryVersion]]:
    """Memories of one scope and category whose words overlap, three or more together."""
    groups: dict[tuple[str, str], list[MemoryVersion]] = {}
    for memory in memories:
        groups.setdefault((memory.scope, category_of(memory)), []).append(memory)
    for members in groups.values():
        yield from _cluster(sorted(members, key=lambda one: one.no))


def _cluster(members: Sequence[MemoryVersion]) -> Iterator[list[MemoryVersion]]:
    """Each memory that is in no cluster yet, with those after it that share enough words with it."""
    telling = [_telling(one) for one in members]
    places: dict[str, list[int]] = {}
    for place, terms in enumerate(telling):
        for term in terms:
            places.setdefault(term, []).append(place)
    taken: set[int] = set()
    for first, terms in enumerate(telling):
        if first in taken:
            continue
        # Only what shares a word at all is looked at: archives are large, and most of them have nothing in common.
        shared = Counter(place for term in terms for place in places[term] if place > first and place not in taken)
        near = sorted(place for place, number in shared.items() if number >= _ALIKE * _fewer(terms, telling[place]))
        cluster = [first, *near[: _MOST - 1]]
        taken.update(cluster)
        if len(cluster) >= _LEAST:
            yield [members[place] for place in cluster]


def _fewer(one: frozenset[str], other: frozenset[str]) -> int:
    return max(1, min(len(one), len(other)))


def _telling(memory: MemoryVersion) -> frozenset[str]:
    return frozenset(index_terms(memory.content)) - STOP_STEMS


def _propose(cluster: Sequence[MemoryVersion]) -> Candidate:
    first, last = (to_iso(pick(one.observed_at for one in cluster))[:10] for pick in (min, max))
    subject = _name_subject(cluster)
    quoted = " ".join(_shortened(one) for one in cluster[:_QUOTED])
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
            confidence=min(one.confidence for one in cluster),
            source_text="\n".join(f"{one.memory_id}: {_shortened(one)}" for one in cluster),
            source_kind=SourceKind.RUN,
            hold_because=_WAITS,
            vouched=False,
        )
    )


def _shortened(memory: MemoryVersion) -> str:
    said = " ".join(memory.content.split())
    return said if len(said) <= _QUOTE_CHARS_MAX else said[:_QUOTE_CHARS_MAX].rsplit(" ", 1)[0] + "…"


def _name_subject(cluster: Sequence[MemoryVersion]) -> str:
    """What most of them are about: their topic, else the words that most of them share."""
    topics = Counter(one.topic for one in cluster if one.topic)
    if topics:
        return topics.most_common(1)[0][0]
    counts = Counter(term for one in cluster for term in _telling(one))
    common = [term for term, number in counts.most_common(8) if number * 2 > len(cluster)][:3]
    words = dict(words_of_terms(" ".join(one.content for one in cluster), common))
    return " ".join(words.get(term, term) for term in common) or category_of(cluster[0])
