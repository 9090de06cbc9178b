"""Finds the best of very many documents without summing all their postings.

Where the words of a question have very many postings on a shelf, not all of them are added up. Words are taken from
the rarest on; as soon as all that the others could give together is less than what the best have already, a document
that has none of the words so far cannot be among the best any more, and the others are only looked up for those that
can. What comes out is the same as if all had been added up.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from heldtrue.domain.posting import LENGTHS
from heldtrue.recall.index.postings import PostingList

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

_LOOK_FROM = 2_000
"""A word with at least this many postings is checked for whether it can be skipped."""
_DUST = 1e-12
"""Larger than any rounding difference between two orders of summation."""
Saturate = Callable[[Any, Any], Any]
"""Maps term frequency and document length to a share; takes numbers or arrays."""


@cache
def _lengths() -> Array:
    import numpy

    return numpy.array(LENGTHS)


class ShelfScores:
    """Scores the documents of one shelf on demand."""

    def __init__(self, words: Sequence[tuple[float, PostingList]], saturate: Saturate, usual_length: float) -> None:
        """`words` holds the weight and the postings of each word, rarest first."""
        import numpy

        self._numpy = numpy
        self._words: list[tuple[Array, PostingList]] = []
        """The score of each distinct posting code of a word, and its postings."""
        for worth, postings in words:
            codes, _ = postings.kinds
            shares = saturate((codes >> 8) / 2, _lengths()[codes & 255] / usual_length)
            self._words.append((worth * shares, postings))
        most = [float(gains.max()) for gains, _ in self._words]
        self._rest = [sum(most[start:]) + _DUST for start in range(len(most) + 1)]
        """For each word, the maximum score that it and the words after it can add."""

    def of(self, docs: Array, *, start: int = 0, scores: Array | None = None) -> Array:
        """Adds the scores of the words from `start` on to the scores that the documents have already."""
        numpy = self._numpy
        total = numpy.zeros(len(docs)) if scores is None else scores
        for gains, postings in self._words[start:]:
            positions = numpy.minimum(numpy.searchsorted(postings.docs, docs), len(postings) - 1)
            found = postings.docs[positions] == docs
            total = total + numpy.where(found, gains[postings.kinds[1][positions]], 0.0)
        return total

    def best(self, wanted: int, least: float = 0.0) -> tuple[Array, Array, bool]:
        """The documents that score best, with their scores, and whether there are no others; of equals the newest.

        What scores less than `least` need not be among them: as many as are wanted are known that have more.
        """
        numpy = self._numpy
        touched: list[Array] = []
        sums = _scratch(max(int(postings.docs[-1]) for _, postings in self._words) + 1)
        try:
            count, stop = 0, len(self._words)
            for index, (gains, postings) in enumerate(self._words):
                if wanted <= count < len(postings) >= _LOOK_FROM:
                    least = max(least, self._least_of_best(numpy.concatenate(touched), sums, wanted, index))
                if self._rest[index] < least:
                    stop = index
                    break
                before = sums[postings.docs]
                sums[postings.docs] = before + gains[postings.kinds[1]]
                touched.append(postings.docs[before == 0.0])
                count += len(touched[-1])
            docs = numpy.concatenate(touched) if touched else numpy.zeros(0, dtype=numpy.int64)
            scores = sums[docs]
            for numbers in touched:
                sums[numbers] = 0.0
        except BaseException:
            # Whatever broke it off, nothing half added up may stay behind for the next question.
            _local.sums = None
            raise
        if stop < len(self._words):
            able = scores + self._rest[stop] >= least
            docs = docs[able]
            scores = self.of(docs, start=stop, scores=scores[able])
        chosen = _first(docs, scores, wanted)
        return docs[chosen], scores[chosen], stop == len(self._words) and len(docs) <= wanted

    def _least_of_best(self, docs: Array, sums: Array, wanted: int, start: int) -> float:
        """The lowest score among the best `wanted` documents, once the words from `start` on are looked up."""
        scores = sums[docs]
        chosen = self._numpy.argpartition(scores, len(scores) - wanted)[len(scores) - wanted :]
        return float(self.of(docs[chosen], start=start, scores=scores[chosen]).min())


class MemoryScores:
    """Scores memories that are too many to score them all."""

    def __init__(self, few: Mapping[int, float], shelves: Sequence[ShelfScores]) -> None:
        self._few = few
        self._shelves = shelves

    def best(self, wanted: int) -> tuple[set[int], bool]:
        """The memories that score best, and whether there are no others; of equals the newest."""
        found, are_all = dict(self._few), True
        for shelf in self._shelves:
            least = heapq.nlargest(wanted, found.values())[-1] if len(found) >= wanted else 0.0
            docs, scores, is_whole = shelf.best(wanted, least)
            found.update(zip(docs.tolist(), scores.tolist(), strict=True))
            are_all = are_all and is_whole
        ranked = sorted(found, key=lambda doc: (-found[doc], -doc))
        return set(ranked[:wanted]), are_all and len(ranked) <= wanted

    def of(self, docs: Sequence[int]) -> dict[int, float]:
        """The scores of the given memories; memories without a score are left out."""
        import numpy

        scores = {doc: self._few[doc] for doc in docs if doc in self._few}
        wanted = numpy.array(docs, dtype=numpy.int64)
        for shelf in self._shelves:
            found = zip(docs, shelf.of(wanted).tolist(), strict=True)
            scores.update((doc, score) for doc, score in found if score > 0)
        return scores


def _first(docs: Array, scores: Array, wanted: int) -> Array:
    """The positions of the best documents; among equal scores, the newest."""
    import numpy

    if len(docs) > wanted:
        least = numpy.partition(scores, len(scores) - wanted)[len(scores) - wanted]
        near = numpy.flatnonzero(scores >= least)
    else:
        near = numpy.arange(len(docs))
    order = numpy.lexsort((-docs[near], -scores[near]))
    chosen: Array = near[order[:wanted]]
    return chosen


_local = threading.local()


def _scratch(size: int) -> Array:
    """An array of zeros, one for each document; callers must reset it. Untouched pages take no memory."""
    import numpy

    sums: Array | None = getattr(_local, "sums", None)
    if sums is None or len(sums) < size:
        sums = _local.sums = numpy.zeros(size + size // 4)
    return sums
