"""Between finding and weighing: the documents worth a closer look, as far as the caller may see them."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from heldtrue.domain.posting import PLACES_MAX
from heldtrue.ports import Lead, Passage, Reading, VersionFilter
from heldtrue.recall.index.best_scores import MemoryScores
from heldtrue.recall.index.nearest import NearestDocuments
from heldtrue.recall.index.words import WordHits

Document = TypeVar("Document", bound=Lead | Passage)
_MEMORIES, _PASSAGES = 30, 200
"""How many are looked at for ten results: passages more, since their order still depends on what is around them."""
_NEAR = 15, 100
"""Memories and passages that vectors bring in by themselves."""
_ROUNDS = 6
"""How often the number is quadrupled when a filter leaves too few."""
_EVERY = 1 << 60
Scores = Mapping[int, float] | MemoryScores


class Candidate:
    """A document that may become a result, and the parts of its score."""

    __slots__ = ("happened_at", "is_memory", "lead", "no", "parts", "passage", "score", "weights")

    def __init__(self, *, lead: Lead | None = None, passage: Passage | None = None) -> None:
        self.lead = lead
        self.passage = passage
        self.is_memory = lead is not None
        if lead is not None:
            self.no, self.happened_at = lead.no, lead.observed_at
        elif passage is not None:
            self.no, self.happened_at = passage.no, passage.happened_at
        self.parts: dict[str, float] = {}
        self.weights: Mapping[str, float] = {}
        """What the parts count for; what has no vector is weighed by its words."""
        self.score = 0.0


def _wanted(base: int, limit: int) -> int:
    return base * max(1, -(-limit // 10))


def choose_memories(
    reading: Reading,
    chosen: VersionFilter,
    scores: Scores,
    near: NearestDocuments,
    also: Iterable[int],
    *,
    limit: int,
) -> list[Candidate]:
    """The best memories by a first score and the nearest ones that the filter lets through, and `also` such others.

    What the filter leaves out is made up for from further down, so that it works like a part of the search itself.
    """
    leads = _choose(
        lambda numbers: reading.leads(numbers, chosen),
        scores,
        near,
        also,
        wanted=_wanted(_MEMORIES, limit),
        close=_NEAR[0],
    )
    return [Candidate(lead=lead) for lead in leads]


def choose_passages(
    reading: Reading,
    chosen: VersionFilter,
    shelves: Sequence[int],
    scores: Mapping[int, float],
    near: NearestDocuments,
    also: Iterable[int],
    *,
    limit: int,
) -> list[Candidate]:
    """The same for passages."""
    passages = _choose(
        lambda numbers: reading.passages(numbers, shelves, chosen),
        scores,
        near,
        also,
        wanted=_wanted(_PASSAGES, limit),
        close=_NEAR[1],
    )
    return [Candidate(passage=passage) for passage in passages]


def _choose(
    read: Callable[[list[int]], list[Document]],
    scores: Scores,
    near: NearestDocuments,
    also: Iterable[int],
    *,
    wanted: int,
    close: int,
) -> list[Document]:
    """Read documents from the best on, until half of what is wanted has passed the filter, or none are left."""
    beside: set[int] = set(also)
    enough, enough_close = wanted // 2, close // 2
    nearest, are_all = near.find(close)
    for _ in range(_ROUNDS):
        best, are_best_all = _best(scores, wanted)
        found = read(sorted(best | nearest | beside)) if best or nearest or beside else []
        passed = {one.no for one in found}
        is_short = not are_best_all and len(best & passed) < enough
        is_far = not are_all and len(nearest & passed) < enough_close
        if not (is_short or is_far):
            return found
        wanted *= 4 if is_short else 1
        if is_far:
            close *= 4
            nearest, are_all = near.find(close)
    return read(sorted({*_best(scores, _EVERY)[0], *nearest, *beside}))


def _best(scores: Scores, wanted: int) -> tuple[set[int], bool]:
    """The documents that score best, and whether there are no others; of equals the newest."""
    if isinstance(scores, MemoryScores):
        return scores.best(wanted)
    if len(scores) <= wanted:
        return set(scores), True
    least = heapq.nlargest(wanted, scores.values())[-1]
    best = {no for no, score in scores.items() if score >= least}
    oldest = sorted(no for no in best if scores[no] == least)
    return best.difference(oldest[: len(best) - wanted]), False


_THREADS, _REACH, _THREAD_DOCS = 5, 2, 80
"""How many of the best threads are looked at whole, how far beyond what matched in them, and how much of each."""


def thread_passages(words: WordHits) -> set[int]:
    """The passages of the threads that fit best: one may answer though none of its own words match."""
    best = heapq.nlargest(_THREADS, words.threads, key=lambda thread: (words.threads[thread], thread))
    ends: dict[int, tuple[int, int]] = {}
    for doc in words.passages:
        thread = doc // PLACES_MAX
        if thread in best:
            first, last = ends.get(thread, (doc, doc))
            ends[thread] = (min(first, doc), max(last, doc))
    return {
        doc
        for thread, (first, last) in ends.items()
        for doc in range(first - _REACH, min(last, first + _THREAD_DOCS) + _REACH + 1)
        if doc // PLACES_MAX == thread
    }


def first_scores(words: WordHits, weights: Mapping[str, float]) -> dict[int, float]:
    """A first score of passages, from what the words alone say."""
    text, thread, speaker = (weights.get(part, 0.0) for part in ("text", "thread", "speaker"))
    threads, spoken = words.threads, words.spoken
    return {
        doc: text * score + thread * threads.get(doc // PLACES_MAX, 0.0) + (speaker if doc in spoken else 0.0)
        for doc, score in words.passages.items()
    }
