"""Telling: the results with their evidence, what is to know of them, and why they were chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.posting import PLACES_MAX
from heldtrue.domain.records import Conflict, Evidence, Source
from heldtrue.language.terms import words_of_terms
from heldtrue.ports import PassageText, Reading, Reranker
from heldtrue.recall.candidates import Candidate
from heldtrue.recall.explain import describe_age, explain_memory, explain_passage
from heldtrue.recall.fold import Said, fold_alike, held_terms, limit_each
from heldtrue.recall.search import ParsedQuestion, Search
from heldtrue.recall.trust import RAW_EVIDENCE, TrustTag, find_overridden, put_in_order, tag_memory
from heldtrue.recall.weigh import add_up, break_down

_SPARE = 3
"""How many more than are wanted are read at first, since some may say the same."""
_FURTHER = 4
"""How many times further it is looked where those were too many to leave enough."""
_RERANKED = 20
_RERANKER_SHARE = 0.5
"""How many of the first results a reranker reads, and what its word counts of their scores then."""

Folded = tuple[Candidate, list[Candidate]]
"""A candidate, and those that say the same."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One result with everything that explains it: a memory, or a passage of evidence."""

    memory: MemoryVersion | None
    passage: PassageText | None
    score: float
    breakdown: dict[str, float]
    evidence: tuple[tuple[Evidence, Source], ...]
    trust: tuple[TrustTag, ...]
    explanation: str
    folded: tuple[str, ...]
    """What said the same and was left out: ids of memories and sources."""
    around: tuple[PassageText, ...] = ()


def tell_results(
    reading: Reading,
    question: Search,
    asked: ParsedQuestion,
    shelves: Sequence[int],
    ranked: Sequence[Candidate],
    reranker: Reranker | None,
) -> list[Found]:
    """The best of some candidates, folded and limited, each with everything that explains it."""
    if reranker is not None:
        ranked = _Teller(reading, question, asked, shelves, ranked[:_RERANKED]).rerank(reranker, ranked)
    looked_at = question.limit + _SPARE
    while True:
        teller = _Teller(reading, question, asked, shelves, ranked[:looked_at])
        told = [(one, teller.said(one)) for one in ranked[:looked_at] if teller.knows(one)]
        sources = [
            ((one, alike), None if one.is_memory else teller.source_of(one))
            for one, alike in fold_alike(told, _stands_for)
        ]
        folded = limit_each(sources, question.per_source)
        if len(folded) >= question.limit or looked_at >= len(ranked):
            return teller.tell(folded[: question.limit])
        looked_at *= _FURTHER


def _stands_for(one: Candidate, other: Candidate) -> bool:
    """What is believed stands for evidence that says the same: it says how far to trust it, and what contradicts it."""
    return one.is_memory and not other.is_memory


class _Teller:
    """Knows the texts of the results, and tells of each what a reader must know."""

    def __init__(
        self,
        reading: Reading,
        question: Search,
        asked: ParsedQuestion,
        shelves: Sequence[int],
        candidates: Sequence[Candidate],
    ) -> None:
        self._reading = reading
        self._question = question
        self._terms = asked.terms
        self._shelves = shelves
        memories = [one.no for one in candidates if one.is_memory]
        passages = [one.no for one in candidates if not one.is_memory]
        self._said: dict[Candidate, Said] = {}
        self._memories = {version.no: version for version in reading.versions_numbered(memories)} if memories else {}
        self._passages = {text.no: text for text in reading.passage_texts(passages)} if passages else {}

    def knows(self, candidate: Candidate) -> bool:
        return candidate.no in (self._memories if candidate.is_memory else self._passages)

    def text_of(self, candidate: Candidate) -> str:
        return self._memories[candidate.no].content if candidate.is_memory else self._passages[candidate.no].text

    def said(self, candidate: Candidate) -> Said:
        said = self._said.get(candidate)
        if said is None:
            said = self._said[candidate] = Said(self.text_of(candidate))
        return said

    def source_of(self, candidate: Candidate) -> str:
        return self._passages[candidate.no].source_id

    def id_of(self, candidate: Candidate) -> str:
        return self._memories[candidate.no].memory_id if candidate.is_memory else self.source_of(candidate)

    def rerank(self, reranker: Reranker, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The first of some candidates in the order a model gives them."""
        first = [one for one in candidates[:_RERANKED] if self.knows(one)]
        scores = reranker.rerank(self._question.words, [self.text_of(one) for one in first])
        for candidate, score in zip(first, scores, strict=True):
            candidate.parts["reranker"] = score
            own = {part: weight * (1 - _RERANKER_SHARE) for part, weight in candidate.weights.items()}
            add_up(candidate, {**own, "reranker": _RERANKER_SHARE}, self._question)
        first.sort(key=lambda one: -one.score)
        return [*first, *candidates[_RERANKED:]]

    def tell(self, results: Sequence[Folded]) -> list[Found]:
        question, reading = self._question, self._reading
        versions = [self._memories[one.no] for one, _ in results if one.is_memory]
        ids, seq = [version.memory_id for version in versions], question.chosen.seq
        evidence = _group(question.visible_evidence(reading.evidence_of(ids, seq))) if ids else {}
        has_conflicts, has_links = bool(ids) and question.has_conflicts, len(ids) > 1 and question.has_links
        conflicts = question.visible_conflicts(reading.conflicts_of(ids, seq)) if has_conflicts else ()
        conflicts = [one for one in conflicts if _is_pending(one, seq)]
        links = question.visible_links(reading.links_of(ids, seq)) if has_links else ()
        overridden = find_overridden(versions, links) if len(versions) > 1 else {}
        words = words_of_terms(question.words, self._terms)
        around = self._read_around(results)
        found = []
        for one, alike in put_in_order(results, lambda pair: self.id_of(pair[0]), conflicts, overridden):
            folded = tuple(self.id_of(other) for other in alike)
            if one.is_memory:
                own = evidence.get(self._memories[one.no].memory_id, ())
                found.append(self._tell_memory(one, own, conflicts, overridden, words, folded))
            else:
                found.append(self._tell_passage(one, words, folded, around.get(one.no, ())))
        return found

    def _tell_memory(
        self,
        candidate: Candidate,
        evidence: Sequence[tuple[Evidence, Source]],
        conflicts: Sequence[Conflict],
        overridden: Mapping[str, tuple[str, str]],
        words: Sequence[tuple[str, str]],
        folded: tuple[str, ...],
    ) -> Found:
        memory = self._memories[candidate.no]
        score, shares, counted = break_down(candidate, self._question)
        tags = tag_memory(memory, evidence, conflicts, now=self._question.now)
        if memory.memory_id in overridden:
            winner, why = overridden[memory.memory_id]
            tags.append(TrustTag("overridden", why, winner))
        texts = filter(None, (memory.title, memory.content, memory.summary, memory.topic))
        age = describe_age(memory.observed_at, self._question.now)
        return Found(
            memory=memory,
            passage=None,
            score=score,
            breakdown=shares,
            evidence=tuple(evidence),
            trust=tuple(tags),
            explanation=explain_memory(memory, _matched(texts, words), counted, tags, age=age),
            folded=folded,
        )

    def _tell_passage(
        self,
        candidate: Candidate,
        words: Sequence[tuple[str, str]],
        folded: tuple[str, ...],
        around: Sequence[PassageText],
    ) -> Found:
        passage = self._passages[candidate.no]
        score, shares, counted = break_down(candidate, self._question)
        moment = passage.recorded_at if passage.occurred_at is None else passage.occurred_at
        age = describe_age(moment, self._question.now)
        return Found(
            memory=None,
            passage=passage,
            score=score,
            breakdown=shares,
            evidence=(),
            trust=(RAW_EVIDENCE,),
            explanation=explain_passage(passage, _matched((passage.text,), words), counted, age=age),
            folded=folded,
            around=tuple(around),
        )

    def _read_around(self, results: Sequence[Folded]) -> dict[int, list[PassageText]]:
        """The neighbouring passages of each hit, as far as the caller may see them."""
        reach = self._question.around
        numbers = {
            one.no: [
                other
                for other in range(one.no - reach, one.no + reach + 1)
                if other // PLACES_MAX == one.no // PLACES_MAX
            ]
            for one, _ in results
            if not one.is_memory and reach
        }
        if not numbers:
            return {}
        wanted = {other for others in numbers.values() for other in others}
        seen = [passage.no for passage in self._reading.passages(sorted(wanted), self._shelves, self._question.chosen)]
        texts = {text.no: text for text in self._reading.passage_texts(seen)}
        return {
            no: [texts[other] for other in others if other in texts and other != no] for no, others in numbers.items()
        }


def _matched(texts: Iterable[str], words: Sequence[tuple[str, str]]) -> list[str]:
    """The words of the question that some texts have."""
    held: frozenset[str] = frozenset()
    for text in texts:
        held = held | held_terms(text) if held else held_terms(text)
    return list(dict.fromkeys(word for term, word in words if term in held))


def _is_pending(conflict: Conflict, seq: int | None) -> bool:
    """Whether it was open, now or as of a sequence."""
    return conflict.seq_to is None or (seq is not None and conflict.seq_to > seq)


def _group(rows: Sequence[tuple[Evidence, Source]]) -> dict[str, list[tuple[Evidence, Source]]]:
    grouped: dict[str, list[tuple[Evidence, Source]]] = {}
    for evidence, source in rows:
        grouped.setdefault(evidence.memory_id, []).append((evidence, source))
    return grouped
