"""Recall, in order: the question, the shelves, three arms, candidates, weights, trust, and what is told of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from heldtrue.domain.errors import ModelProblem
from heldtrue.ports import Collection, Embedder, Glance, Reading, Reranker, Shelf, VersionFilter
from heldtrue.recall.candidates import Candidate, choose_memories, choose_passages, first_scores, thread_passages
from heldtrue.recall.links import best_seeds, follow_links, memory_refs
from heldtrue.recall.meaning import Meanings, compare_likeness, fill_meaning, find_meaning, plain_question
from heldtrue.recall.question import Asked, Question, read_question
from heldtrue.recall.tell import Found, tell_results
from heldtrue.recall.vectors import Nearest, VectorCache
from heldtrue.recall.weigh import absent_parts, add_part, add_up, fill_parts
from heldtrue.recall.words import WaitingWords, WordHits, find_words, read_words

_COMPARED, _COMPARED_MEMORIES = 100, 25
"""Candidates that are compared word by word for ten results, where passages are among them and where not."""
_READ_DIRECTLY = 500
"""Documents that are read one by one where the word index is missing."""


class Tools(msgspec.Struct, frozen=True):
    """What a recall works with besides the store. The caches are shared by all recalls of an opened space."""

    waiting: WaitingWords
    vectors: VectorCache
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    problems: tuple[str, ...] = ()
    """Why a model is not there though it was asked for."""


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, and what it took."""

    results: list[Found]
    notes: list[str]
    """What was missing or did not work, in words."""
    weak: int
    """How many were found but were not good enough."""
    behind: int
    """Documents that have no stored vector of the embedder yet."""
    cost: dict[str, int]


def recall(reading: Reading, question: Question, tools: Tools, glance: Glance) -> Recalled:
    """The best for a question: at most `limit`, in an order that never varies for the same store and clock."""
    asked = read_question(question.words, now=question.now)
    chosen = question.chosen
    shelves = tools.waiting.shelves(reading, glance, question.collections, chosen.sight)
    evidence = [shelf.no for shelf in shelves if shelf.collection != Collection.MEMORY]
    unseen = reading.unseen_passages(evidence, chosen.seq) if evidence else frozenset()
    words = find_words(reading, shelves, asked, tools.waiting, unseen, glance)
    notes = list(tools.problems)
    if words.missing or (not words.documents and _is_unindexed(reading, question, evidence)):
        words, note = _read_directly(reading, question, evidence, asked)
        notes.append(note)
    meanings = _find_meaning(reading, question, shelves, words, tools, notes, glance)
    if meanings is not None:
        meanings.unseen, meanings.asking = unseen, words.asking
    near = follow_links(reading, question, dict.fromkeys(question.near, 1.0)) if question.near else {}
    candidates = _choose(reading, question, asked, words, meanings, near, evidence)
    notes += _say_read_as(words, candidates)
    _weigh(reading, question, asked, words, meanings, near, candidates)
    ranked = _rank(candidates)
    if question.profile.needs("proximity"):
        ranked = _follow_best(reading, question, asked, words, meanings, near, ranked)
    good = _leave_out_weak([candidate for candidate in ranked if _fits(candidate)], question, asked)
    try:
        results = tell_results(reading, question, asked, evidence, good, tools.reranker)
    except ModelProblem as problem:
        notes.append(f"the reranker was not used: {problem.message}")
        results = tell_results(reading, question, asked, evidence, good, None)
    cost = {"shelves": len(shelves), "candidates": len(ranked), "language_model_calls": 0}
    return Recalled(
        results=results,
        notes=notes,
        weak=len(ranked) - len(good),
        behind=meanings.behind if meanings is not None else 0,
        cost=cost,
    )


# Finding


def _is_unindexed(reading: Reading, question: Question, evidence: Sequence[int]) -> bool:
    """Whether there is something to be found, though the index knows of nothing."""
    if Collection.MEMORY in question.collections and reading.newest_leads(question.chosen, limit=1):
        return True
    return bool(evidence and reading.newest_passages(evidence, question.chosen, limit=1))


def _read_directly(reading: Reading, question: Question, evidence: Sequence[int], asked: Asked) -> tuple[WordHits, str]:
    """Do without the word index: read the newest documents themselves."""
    leads = reading.newest_leads(question.chosen, limit=_READ_DIRECTLY)
    memories = {
        version.no: "\n".join(filter(None, (version.title, version.content, version.summary, version.topic)))
        for version in reading.versions_numbered([lead.no for lead in leads])
    }
    passages = reading.newest_passages(evidence, question.chosen, limit=_READ_DIRECTLY)
    texts = {text.no: text.text for text in reading.passage_texts([one.no for one in passages])}
    spoken = [(one.no, texts.get(one.no, ""), one.speaker) for one in passages]
    note = (
        f"the word index is missing, so only the newest {_READ_DIRECTLY} memories and passages were read: "
        "run heldtrue reindex"
    )
    return read_words(memories, spoken, asked), note


def _find_meaning(
    reading: Reading,
    question: Question,
    shelves: Sequence[Shelf],
    words: WordHits,
    tools: Tools,
    notes: list[str],
    glance: Glance,
) -> Meanings | None:
    if tools.embedder is None or not question.profile.needs("meaning", "likeness"):
        return None
    try:
        plain = question.words if tools.embedder.reads_sentences else plain_question(question.words, words.named)
        meanings = find_meaning(reading, shelves, tools.embedder, tools.vectors, plain, glance)
    except ModelProblem as problem:
        # A broken model costs its arm and nothing else.
        notes.append(f"vectors were not used: {problem.message}")
        return None
    if meanings.missing:
        # They are those of the whole space: how many others have written is for a person to know.
        count = f"{meanings.missing:,}" if question.chosen.sight.reader is None else "some"
        notes.append(f"{count} memories and passages have no vector yet and were found by their words only")
    return meanings


def _choose(
    reading: Reading,
    question: Question,
    asked: Asked,
    words: WordHits,
    meanings: Meanings | None,
    near: Mapping[str, float],
    evidence: Sequence[int],
) -> list[Candidate]:
    chosen, limit = question.chosen, question.limit
    candidates: list[Candidate] = []
    if Collection.MEMORY in question.collections:
        linked = _versions_of(reading, near, chosen.seq)
        linked |= {lead.no for then in _times(question, asked) for lead in reading.newest_leads(then, limit=_FROM_THEN)}
        nearest = meanings.memories if meanings else Nearest()
        candidates += choose_memories(reading, chosen, words.memories, nearest, linked, limit=limit)
    if question.evidence_wanted and evidence:
        scores = first_scores(words, question.profile.weights)
        nearest = meanings.passages if meanings else Nearest()
        beside = thread_passages(words)
        for then in _times(question, asked):
            beside |= {one.no for one in reading.newest_passages(evidence, then, limit=_SAID_THEN)}
        candidates += choose_passages(reading, chosen, evidence, scores, nearest, beside, limit=limit)
    return candidates


def _say_read_as(words: WordHits, candidates: Sequence[Candidate]) -> list[str]:
    """What a mistyped word was taken for, where something that may be seen has that word."""
    seen = {(candidate.is_memory, candidate.no) for candidate in candidates}
    return [
        f'"{word}" is not known here and was read as "{near}"'
        for word, (near, documents) in words.read_as.items()
        if not seen.isdisjoint(documents)
    ]


# Weighing


def _weigh(
    reading: Reading,
    question: Question,
    asked: Asked,
    words: WordHits,
    meanings: Meanings | None,
    near: Mapping[str, float],
    candidates: Sequence[Candidate],
) -> None:
    """Fill in the parts of all candidates and add them up."""
    fill_parts(candidates, question, asked, words)
    for candidate in candidates if near else ():
        if candidate.lead is not None:
            candidate.parts["proximity"] = near.get(candidate.lead.memory_id, 0.0)
    if meanings is not None:
        fill_meaning(candidates, meanings)
    if question.tone != "neutral":
        _fill_tone(reading, question, candidates)
    absent = absent_parts(
        question,
        asked,
        words,
        vectors=meanings is not None,
        tokens=meanings is not None and meanings.matcher is not None,
        links=bool(near),
    )
    weights = question.profile.in_play(absent)
    # What has no vector yet is not held to what only a vector could tell.
    bare = question.profile.in_play({*absent, "meaning", "likeness"})
    for candidate in candidates:
        add_up(candidate, weights if "meaning" in candidate.parts else bare, question)
    if meanings is not None and "likeness" in weights:
        # Comparing word by word takes longest, and only changes the order of those that are near the top already.
        compared = _COMPARED_MEMORIES if all(one.is_memory for one in candidates) else _COMPARED
        best = _rank(candidates)[: compared * max(1, question.limit // 10)]
        for candidate, likeness in compare_likeness(best, meanings):
            add_part(candidate, "likeness", likeness, question)


def _fill_tone(reading: Reading, question: Question, candidates: Sequence[Candidate]) -> None:
    from heldtrue.language.tone import read_tone

    texts = _texts_of(reading, candidates)
    for candidate in candidates:
        candidate.parts["tone"] = 1.0 if read_tone(texts.get(_key(candidate), "")) == question.tone else 0.0


def _texts_of(reading: Reading, candidates: Sequence[Candidate]) -> dict[tuple[bool, int], str]:
    memories = [candidate.no for candidate in candidates if candidate.is_memory]
    passages = [candidate.no for candidate in candidates if not candidate.is_memory]
    texts = {(True, version.no): version.content for version in reading.versions_numbered(memories)} if memories else {}
    if passages:
        texts |= {(False, text.no): text.text for text in reading.passage_texts(passages)}
    return texts


def _key(candidate: Candidate) -> tuple[bool, int]:
    return candidate.is_memory, candidate.no


def _rank(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Best first; of equals memories before evidence, and the newest first."""
    ranked = [(-round(one.score, 9), not one.is_memory, -one.no, place) for place, one in enumerate(candidates)]
    ranked.sort()
    return [candidates[place] for _, _, _, place in ranked]


def _follow_best(
    reading: Reading,
    question: Question,
    asked: Asked,
    words: WordHits,
    meanings: Meanings | None,
    near: Mapping[str, float],
    ranked: list[Candidate],
) -> list[Candidate]:
    """A second look along the links of what fits best: what hangs together with it comes in, or moves up."""
    seeds = best_seeds((one.lead.memory_id, one.score) for one in ranked if one.lead is not None and _fits(one))
    reached = follow_links(reading, question, seeds) if seeds else {}
    reached = {ref: value for ref, value in reached.items() if value > near.get(ref, 0.0)}
    if not reached:
        return ranked
    known = {one.no for one in ranked if one.is_memory}
    fresh = _versions_of(reading, reached, question.chosen.seq) - known
    joined = [*ranked, *(Candidate(lead=lead) for lead in reading.leads(fresh, question.chosen))]
    _weigh(reading, question, asked, words, meanings, {**near, **reached}, joined)
    return _rank(joined)


def _leave_out_weak(ranked: Sequence[Candidate], question: Question, asked: Asked) -> list[Candidate]:
    """Nothing where even the best is not good enough; else what is not far below it. Without a floor, all of it."""
    if not ranked or not question.floor:
        return list(ranked)
    best = ranked[0]
    if _match(best) < question.floor and not (_is_from_then(best) and len(asked.terms) <= _FEW_TERMS):
        return []
    return [candidate for candidate in ranked if candidate.score >= question.weak_share * best.score]


def _versions_of(reading: Reading, near: Mapping[str, float], seq: int | None) -> set[int]:
    """The versions of what links lead to, as of a sequence."""
    refs = memory_refs(near)
    if seq is None:
        return {version.no for version in reading.current_versions(refs)} if refs else set()
    return {version.no for ref in refs if (version := reading.version(ref, seq)) is not None}


def _times(question: Question, asked: Asked) -> Iterator[VersionFilter]:
    """What was observed in a time that was asked for; the question may have no other word for it."""
    for period in asked.periods:
        if period.relation == "within":
            start = max(period.start, question.chosen.observed_after or period.start)
            yield msgspec.structs.replace(question.chosen, observed_after=start, observed_before=period.end)


def _match(candidate: Candidate) -> float:
    """The score without who speaks: everything that someone says is by that person, whatever it is about."""
    weight = candidate.weights.get("speaker", 0.0)
    rest = candidate.score - weight * candidate.parts.get("speaker", 0.0)
    return rest / (1 - weight) if weight < 1 else candidate.score


_FEW_TERMS = 2
"""Up to how many words besides a time make a question one about that time, whatever its words."""
_FROM_THEN, _SAID_THEN = 30, 100
"""Memories and passages that a time in the question brings in by itself."""
_FITTING = ("text", "topic", "proximity")
_THEN = 0.99
"""The part `time` of what falls into the time that was asked for."""
_NEAR, _NEAR_ENOUGH = ("meaning", "likeness"), 0.3
"""How near a document must be to fit though it has none of the question's words; unrelated ones stay below."""


def _fits(candidate: Candidate) -> bool:
    """Whether anything of it fits the question at all."""
    parts = candidate.parts
    for part in _FITTING:
        if parts.get(part, 0.0) > 0:
            return True
    for part in _NEAR:
        if parts.get(part, 0.0) >= _NEAR_ENOUGH:
            return True
    return _is_from_then(candidate)


def _is_from_then(candidate: Candidate) -> bool:
    """Whether it is from the very time that was asked for."""
    return candidate.parts.get("time", 0.0) >= _THEN
