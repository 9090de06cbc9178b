"""Stage: the documents worth a closer look, as far as the caller may see them."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from heldtrue.domain.posting import PLACES_MAX
from heldtrue.domain.rows import Passage, RankedHeader, VersionFilter
from heldtrue.ports import ReadTransaction
from heldtrue.recall.documents import Hits, RankedDocument
from heldtrue.recall.index.best_scores import MemoryScores
from heldtrue.recall.index.words import WordHits
from heldtrue.recall.search import Search

if TYPE_CHECKING:
    from heldtrue.recall.index.nearest import NearestDocuments

Document = TypeVar("Document", bound=RankedHeader | Passage)
_MEMORIES, _PASSAGES = 30, 200
"""How many are looked at for ten results: passages more, since their order still depends on what is around them."""
_NEAR = 15, 100
"""Memories and passages that vectors bring in by themselves."""
_ROUNDS = 6
"""How often the number is quadrupled when a filter leaves too few."""
_EVERY = 1 << 60
_MEMORIES_IN_PERIOD, _PASSAGES_IN_PERIOD = 30, 100
"""Memories and passages that a time in the question brings in by itself."""
Scores = Mapping[int, float] | MemoryScores


def _wanted(base: int, limit: int) -> int:
    return base * max(1, -(-limit // 10))


def choose_candidates(reading: ReadTransaction, search: Search, hits: Hits) -> list[RankedDocument]:
    """The memories and passages that words, vectors, links and times bring in."""
    chosen, limit = search.chosen, search.limit
    candidates: list[RankedDocument] = []
    periods = list(_periods_asked_for(search))
    if search.wants_memories:
        also = set(hits.links.versions)
        for period in periods:
            also |= {header.no for header in reading.memories.newest_headers(period, limit=_MEMORIES_IN_PERIOD)}
        nearest = hits.vectors.memories if hits.vectors else None
        candidates += choose_memories(reading, chosen, hits.words.memories, nearest, also, limit=limit)
    shelves = search.evidence_shelves
    if search.wants_evidence and shelves:
        also = thread_passages(hits.words)
        for period in periods:
            also |= {passage.no for passage in reading.passages.newest(shelves, period, limit=_PASSAGES_IN_PERIOD)}
        scores = first_scores(hits.words, search.profile.weights)
        nearest = hits.vectors.passages if hits.vectors else None
        candidates += choose_passages(reading, chosen, shelves, scores, nearest, also, limit=limit)
    return candidates


def _periods_asked_for(search: Search) -> Iterator[VersionFilter]:
    """What was observed in a time that was asked for; the question may have no other word for it."""
    for period in search.question.periods:
        if period.relation == "within":
            start = max(period.start, search.chosen.observed_after or period.start)
            yield msgspec.structs.replace(search.chosen, observed_after=start, observed_before=period.end)


def choose_memories(
    reading: ReadTransaction,
    chosen: VersionFilter,
    scores: Scores,
    near: NearestDocuments | None,
    also: Iterable[int],
    *,
    limit: int,
) -> list[RankedDocument]:
    """The best memories by a first score and the nearest ones that the filter lets through, and `also` such others.

    What the filter leaves out is made up for from further down, so that it works like a part of the search itself.
    """
    headers = _choose(
        lambda numbers: reading.memories.headers(numbers, chosen),
        scores,
        near,
        also,
        wanted=_wanted(_MEMORIES, limit),
        close=_NEAR[0],
    )
    return [RankedDocument(header=header) for header in headers]


def choose_passages(
    reading: ReadTransaction,
    chosen: VersionFilter,
    shelves: Sequence[int],
    scores: Mapping[int, float],
    near: NearestDocuments | None,
    also: Iterable[int],
    *,
    limit: int,
) -> list[RankedDocument]:
    """The same for passages."""
    passages = _choose(
        lambda numbers: reading.passages.numbered(numbers, shelves, chosen),
        scores,
        near,
        also,
        wanted=_wanted(_PASSAGES, limit),
        close=_NEAR[1],
    )
    return [RankedDocument(passage=passage) for passage in passages]


def _choose(
    read: Callable[[list[int]], list[Document]],
    scores: Scores,
    near: NearestDocuments | None,
    also: Iterable[int],
    *,
    wanted: int,
    close: int,
) -> list[Document]:
    """Read documents from the best on, until half of what is wanted has passed the filter, or none are left."""
    beside: set[int] = set(also)
    enough, enough_close = wanted // 2, close // 2
    nearest, are_all = _nearest(near, close)
    for _ in range(_ROUNDS):
        best, are_best_all = _best(scores, wanted)
        found = read(sorted(best | nearest | beside)) if best or nearest or beside else []
        passed = {document.no for document in found}
        is_short = not are_best_all and len(best & passed) < enough
        is_far = not are_all and len(nearest & passed) < enough_close
        if not (is_short or is_far):
            return found
        wanted *= 4 if is_short else 1
        if is_far:
            close *= 4
            nearest, are_all = _nearest(near, close)
    return read(sorted({*_best(scores, _EVERY)[0], *nearest, *beside}))


def _nearest(near: NearestDocuments | None, wanted: int) -> tuple[set[int], bool]:
    """The documents nearest to the question, and whether there are no others."""
    return near.find(wanted) if near is not None else (set(), True)


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
