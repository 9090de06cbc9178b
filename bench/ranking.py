"""How good an order of results is, and the plain searches that ours is held against."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from heldtrue.language.terms import index_terms, query_terms

RECALL_AT = (1, 5, 10, 20)


class Marks(NamedTuple):
    """The marks of one answer, or the means of many; each from 0 to 1."""

    recall_1: float
    recall_5: float
    recall_10: float
    recall_20: float
    ndcg_10: float
    mrr: float


MARK_NAMES = ("R@1", "R@5", "R@10", "R@20", "NDCG@10", "MRR")


def mark(order: Sequence[int], gold: Collection[int]) -> Marks:
    """Mark one answer: `order` is what came back, best first, and `gold` what should have."""
    hits = [found in gold for found in order]
    one, five, ten, twenty = (sum(hits[:count]) / len(gold) for count in RECALL_AT)
    gained = sum(_worth(rank) for rank, hit in enumerate(hits[:10]) if hit)
    best = sum(_worth(rank) for rank in range(min(10, len(gold))))
    first = next((rank for rank, hit in enumerate(hits) if hit), None)
    return Marks(one, five, ten, twenty, gained / best, 0.0 if first is None else 1 / (first + 1))


def _worth(rank: int) -> float:
    return 1 / math.log2(rank + 2)


def mean_marks(marks: Iterable[Marks]) -> Marks:
    return Marks(*(fmean(values) for values in zip(*marks, strict=True)))


_SATURATION, _LENGTH_SHARE = 0.9, 0.4
"""BM25's constants, at the values that serve short texts best: a reference must not be a weak one."""


class PlainSearch:
    """BM25 over stemmed words without stop words, and nothing else."""

    def __init__(self, texts: Iterable[str]) -> None:
        counts = [Counter(index_terms(text)) for text in texts]
        self._lengths = [count.total() for count in counts]
        self._usual = fmean(self._lengths)
        self._holders: dict[str, list[tuple[int, int]]] = {}
        for number, count in enumerate(counts):
            for term, times in count.items():
                self._holders.setdefault(term, []).append((number, times))

    def find(self, question: str, limit: int) -> list[int]:
        """The numbers of the best texts, best first."""
        scores: dict[int, float] = {}
        for term in query_terms(question):
            holders = self._holders.get(term, ())
            rarity = math.log(1 + (len(self._lengths) - len(holders) + 0.5) / (len(holders) + 0.5))
            for number, times in holders:
                scores[number] = scores.get(number, 0.0) + rarity * self._saturate(number, times)
        return sorted(scores, key=lambda number: (-scores[number], number))[:limit]

    def _saturate(self, number: int, times: int) -> float:
        length = 1 - _LENGTH_SHARE + _LENGTH_SHARE * self._lengths[number] / self._usual
        return times / (times + _SATURATION * length)
