"""From postings to scores: how much of what a question asks for each memory, passage and thread says.

A score is a share, from 0 to 1, of the most that the question's words could give, so it means the same in a store of
three memories and in one of a million. Words that no document has count too: a question about something else scores
low.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import chain

from heldtrue.domain.limits import PASSAGE_POSTINGS_READ_MAX, POSTINGS_READ_MAX
from heldtrue.domain.posting import LENGTHS, PLACES_MAX
from heldtrue.recall.index.best_scores import MemoryScores, ShelfScores
from heldtrue.recall.index.postings import PostingList, find_posting
from heldtrue.recall.index.term_postings import TermPostings

_SATURATION, _LENGTH_SHARE = 0.9, 0.4
"""BM25's constants for short texts: how soon a repeated word stops counting, and how much length is held against it."""
_BEFORE, _AFTER, _FAR, _ANSWER = 0.3, 0.2, 0.2, 0.4
"""What the words of a passage count for the next one (more if they are a question: then that is its answer), for the
previous one, and for those two positions away."""
MANY_POSTINGS = 1_500
"""Postings of a question's words on a shelf from which on they are added up as arrays, and not all of them, where numpy
is installed. The scores are the same, to the last bit."""
_DOCS_FROM = 100
"""The minimum document count for rarity: among three memories, every word would look common."""
_SELF_SHARE = 1 / (1 + _BEFORE + _AFTER + 2 * _FAR)
"""The share of a passage's own length in that of itself and its neighbours, each as much as it counts."""
_SHARE_BITS, _ASKS_BIT = 0x7FFF, 0x8000
"""The bits of a posting for frequency and length, and the bit that marks a passage as a question."""


def rarity_of(documents: int, total: int, *, least: int = _DOCS_FROM) -> float:
    """The rarity of a term, from its document count; never zero, so that a small store ranks well too."""
    return math.log(1 + (max(total, documents, least) - documents + 0.5) / (documents + 0.5))


def saturate(times: float, length: float) -> float:
    """BM25 saturation: 0 for a missing word, rising towards 1; `length` is relative to the average."""
    return times / (times + _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length))


class SaturatedShares(dict[int, float]):
    """Maps the low bytes of a posting (frequency, length) to a share of the maximum score."""

    def __init__(self, usual_length: float) -> None:
        self._usual_length = usual_length

    def __missing__(self, low: int) -> float:
        share = saturate((low >> 8 & 127) / 2, LENGTHS[low & 255] / self._usual_length)
        self[low] = share
        return share


def _worths(postings: TermPostings, terms: Sequence[str]) -> dict[str, float]:
    """The weight of each word by its rarity, 1 in total; words without documents are then left out."""
    rarities = {term: rarity_of(postings.count(term), postings.docs) for term in terms}
    total = sum(rarities.values())
    return {term: rarity / total for term, rarity in rarities.items() if term in postings.lists}


def within_budget(postings: TermPostings, terms: Sequence[str], most: int = POSTINGS_READ_MAX) -> list[str]:
    """The words to score, rarest first: at least one, then as many as the budget allows."""
    kept: list[str] = []
    spent = 0
    for term in sorted(terms, key=postings.count):
        spent += postings.count(term)
        if kept and spent > most:
            break
        kept.append(term)
    return kept


# Memories


def score_memories(memory: TermPostings, terms: Sequence[str]) -> dict[int, float] | MemoryScores:
    """For each memory, the share of the question's words that it contains, weighted by rarity."""
    worths = _worths(memory, terms)
    large = _large_shelves(memory, worths)
    if not large:
        return _add_up(memory.lists, memory, worths)
    own = {id(postings) for lists in large.values() for postings in lists.values()}
    ordered = sorted(worths, key=memory.count)
    rest = {term: [postings for postings in memory.lists[term] if id(postings) not in own] for term in ordered}
    shelves = [
        ShelfScores([(worths[term], lists[term]) for term in ordered if term in lists], saturate, memory.usual_length)
        for lists in sorted(large.values(), key=lambda lists: -sum(map(len, lists.values())))
    ]
    return MemoryScores(_add_up(rest, memory, worths), shelves)


def _large_shelves(memory: TermPostings, worths: Mapping[str, float]) -> dict[int, dict[str, PostingList]]:
    """The shelves with so many postings that they are summed as arrays; none without numpy."""
    large = {
        shelf: lists
        for shelf, lists in memory.shelves.items()
        if sum(len(lists[term]) for term in worths if term in lists) >= MANY_POSTINGS
    }
    if large and _has_numpy() and all(postings.is_sound for lists in large.values() for postings in lists.values()):
        return large
    return {}


@cache
def _has_numpy() -> bool:
    return find_spec("numpy") is not None


def _add_up(
    lists: Mapping[str, Sequence[Sequence[int]]], memory: TermPostings, worths: Mapping[str, float]
) -> dict[int, float]:
    """The scores of all memories that have any of some words, one by one."""
    shares = SaturatedShares(memory.usual_length)
    scores: dict[int, float] = {}
    score_of = scores.get
    # What is added up as arrays is not counted here, and what is left beside it is little.
    within = within_budget(memory, list(worths)) if lists is memory.lists else sorted(worths, key=memory.count)
    for term in within:
        worth = worths[term]
        for posting in chain.from_iterable(lists[term]):
            doc = posting >> 16
            scores[doc] = score_of(doc, 0.0) + worth * shares[posting & _SHARE_BITS]
    for term, worth in worths.items():
        if term not in within:
            _add_common(lists[term], worth, shares, scores)
    return scores


def _add_common(
    lists: Iterable[Sequence[int]], worth: float, shares: Mapping[int, float], scores: dict[int, float]
) -> None:
    """Score a common word only for documents that rarer words have found; its postings are sorted."""
    for postings in lists:
        for doc in scores:
            if (posting := find_posting(postings, doc)) is not None:
                scores[doc] += worth * shares[posting & _SHARE_BITS]


# Passages and threads


def score_passages(evidence: TermPostings, terms: Sequence[str]) -> dict[int, float]:
    """For each passage the share of the question's words that it and its neighbours have."""
    worths = _worths(evidence, terms)
    scores: dict[int, float] = {}
    for term in within_budget(evidence, list(worths), PASSAGE_POSTINGS_READ_MAX):
        worth = worths[term]
        near, lengths = _spread(evidence, term)
        for doc, times in near.items():
            scores[doc] = scores.get(doc, 0.0) + worth * saturate(times, lengths.get(doc, 1.0))
    return scores


def _spread(evidence: TermPostings, term: str) -> tuple[dict[int, float], dict[int, float]]:
    """How often a word counts for each passage that has it or is near one, and how long those that have it are."""
    near: dict[int, float] = {}
    lengths: dict[int, float] = {}
    usual = evidence.usual_length
    for postings in evidence.lists[term]:
        for posting in postings:
            doc, times = posting >> 16, (posting >> 8 & 127) / 2
            lengths[doc] = 1 - _SELF_SHARE + _SELF_SHARE * LENGTHS[posting & 255] / usual
            near[doc] = near.get(doc, 0.0) + times
            turn = doc % PLACES_MAX
            if turn < PLACES_MAX - 1:
                near[doc + 1] = near.get(doc + 1, 0.0) + times * (_BEFORE + (_ANSWER if posting & _ASKS_BIT else 0.0))
            if turn < PLACES_MAX - 2:
                near[doc + 2] = near.get(doc + 2, 0.0) + times * _FAR
            if turn > 0:
                near[doc - 1] = near.get(doc - 1, 0.0) + times * _AFTER
            if turn > 1:
                near[doc - 2] = near.get(doc - 2, 0.0) + times * _FAR
    return near, lengths


def score_threads(evidence: TermPostings, terms: Sequence[str], threads: int) -> dict[int, float]:
    """For each thread the share of the question's words, by their rarity among threads, that it has."""
    counted: dict[str, dict[int, float]] = {}
    for term in terms:
        whole: dict[int, float] = {}
        counted[term] = whole
        for postings in evidence.lists.get(term, ()):
            for posting in postings:
                thread = (posting >> 16) // PLACES_MAX
                whole[thread] = whole.get(thread, 0.0) + (posting >> 8 & 127) / 2
    rarities = {term: rarity_of(len(whole), threads, least=1) for term, whole in counted.items()}
    total = sum(rarities.values())
    scores: dict[int, float] = {}
    for term, whole in counted.items():
        for thread, times in whole.items():
            scores[thread] = scores.get(thread, 0.0) + rarities[term] / total * saturate(times, 1.0)
    return scores


def find_asking(evidence: TermPostings, terms: Sequence[str]) -> frozenset[int]:
    """The passages that are questions and contain one of the words."""
    return frozenset(
        posting >> 16
        for term in terms
        for postings in evidence.lists.get(term, ())
        for posting in postings
        if posting & _ASKS_BIT
    )
