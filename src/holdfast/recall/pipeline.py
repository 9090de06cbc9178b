"""Recall, in order: words, candidates inside the caller's scopes, weights, trust, explanation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from holdfast.domain.limits import QUERY_TERMS_MAX
from holdfast.domain.memory import MemoryVersion
from holdfast.domain.records import Conflict, Evidence, Link, Source
from holdfast.language.terms import index_terms, query_terms, words_of_terms
from holdfast.ports import Reading, VersionFilter
from holdfast.recall.explain import describe_age, explain_result
from holdfast.recall.trust import TrustTag, find_overridden, tag_memory
from holdfast.recall.weigh import rarity_of, recency_part, text_part, topic_part, weigh_parts

_WIDTH = 5
"""How many candidates are gathered for each result that is wanted."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked, of what, as of when."""

    words: str
    chosen: VersionFilter
    topic: str | None
    near: tuple[str, ...]
    limit: int
    now: int
    weights: Mapping[str, float]
    half_life_days: float
    visible_conflicts: Callable[[Sequence[Conflict]], Sequence[Conflict]]
    """Leaves out the conflicts with a side that the caller may not see."""
    visible_links: Callable[[Sequence[Link]], Sequence[Link]]
    """Likewise for links with such an end."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One result with everything that explains it."""

    memory: MemoryVersion
    score: float
    breakdown: dict[str, float]
    evidence: tuple[tuple[Evidence, Source], ...]
    trust: tuple[TrustTag, ...]
    explanation: str


def recall_memories(reading: Reading, question: Question) -> list[Found]:
    """The best memories for a question: at most `limit`, in an order that never varies for the same store and clock."""
    terms = query_terms(question.words)[:QUERY_TERMS_MAX]
    candidates = reading.match_text(terms, question.chosen, limit=max(50, question.limit * _WIDTH))
    proximity = _measure_proximity(reading, question)
    total, counts = reading.term_counts(terms)
    rarities = {term: rarity_of(counts.get(term, 0), total) for term in terms}
    weighed = [_weigh(question, proximity, rarities, memory) for memory, _ in candidates]
    weighed.sort(key=lambda one: (-one[1], -one[0].no))
    return _tell(reading, question, terms, weighed[: question.limit])


_Weighed = tuple[MemoryVersion, float, dict[str, float]]


def _weigh(
    question: Question, proximity: Mapping[str, float], rarities: Mapping[str, float], memory: MemoryVersion
) -> _Weighed:
    held, length = _count_terms(memory)
    parts = {
        "text": text_part(held, length, rarities),
        "topic": topic_part(memory, question.topic),
        "recency": recency_part(memory, now=question.now, half_life_days=question.half_life_days),
        "confidence": memory.confidence,
        "proximity": proximity.get(memory.memory_id, 0.0),
    }
    score, shares = weigh_parts(parts, question.weights)
    return memory, score, shares


def _count_terms(memory: MemoryVersion) -> tuple[dict[str, float], int]:
    """How often each term is in a memory, words of the title and the topic counting more, and how many there are."""
    held: dict[str, float] = {}
    length = 0
    for text, weight in ((memory.content, 1.0), (memory.title, 2.0), (memory.topic, 1.5)):
        for term in index_terms(text) if text else ():
            held[term] = held.get(term, 0.0) + weight
            length += 1
    return held, length


def _measure_proximity(reading: Reading, question: Question) -> dict[str, float]:
    """1 for what is linked to a place the caller asks from, a half for what is linked to that."""
    near: dict[str, float] = dict.fromkeys(question.near, 1.0)
    frontier: Sequence[str] = question.near
    for value in (1.0, 0.5):
        if not frontier:
            break
        links = question.visible_links(reading.links_of(frontier, question.chosen.seq))
        reached = {end for link in links for end in (link.from_id, link.to_ref)} - near.keys()
        near |= dict.fromkeys(reached, value)
        frontier = sorted(reached)
    return near


def _tell(reading: Reading, question: Question, terms: Sequence[str], weighed: Sequence[_Weighed]) -> list[Found]:
    ids = [memory.memory_id for memory, _, _ in weighed]
    if not ids:
        return []
    seq = question.chosen.seq
    evidence = _group(reading.evidence_of(ids, seq))
    conflicts = [one for one in question.visible_conflicts(reading.conflicts_of(ids, seq)) if _is_pending(one, seq)]
    links = question.visible_links(reading.links_of(ids, seq))
    overridden = find_overridden([memory for memory, _, _ in weighed], links)
    words = words_of_terms(question.words, terms)
    found = []
    for memory, score, shares in _put_overridden_last(weighed, overridden):
        own = evidence.get(memory.memory_id, ())
        tags = tag_memory(memory, own, conflicts, now=question.now)
        if memory.memory_id in overridden:
            winner, why = overridden[memory.memory_id]
            tags.append(TrustTag("overridden", why, winner))
        held = set(index_terms("\n".join(filter(None, (memory.title, memory.content, memory.summary, memory.topic)))))
        matched = list(dict.fromkeys(word for term, word in words if term in held))
        age = describe_age(memory.observed_at, question.now)
        explanation = explain_result(memory, matched, shares, tags, age=age)
        found.append(
            Found(
                memory=memory,
                score=score,
                breakdown=shares,
                evidence=tuple(own),
                trust=tuple(tags),
                explanation=explanation,
            )
        )
    return found


def _put_overridden_last(weighed: Sequence[_Weighed], overridden: Mapping[str, object]) -> list[_Weighed]:
    """The louder of two that disagree comes first, whatever their scores."""
    return sorted(weighed, key=lambda one: one[0].memory_id in overridden)


def _is_pending(conflict: Conflict, seq: int | None) -> bool:
    """Whether it was open, now or as of a sequence."""
    return conflict.seq_to is None or (seq is not None and conflict.seq_to > seq)


def _group(rows: Sequence[tuple[Evidence, Source]]) -> dict[str, list[tuple[Evidence, Source]]]:
    grouped: dict[str, list[tuple[Evidence, Source]]] = {}
    for evidence, source in rows:
        grouped.setdefault(evidence.memory_id, []).append((evidence, source))
    return grouped
