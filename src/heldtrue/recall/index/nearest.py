"""The documents nearest to a question's vector, among the vectors of some shelves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heldtrue.recall.index.matrix import Matrix

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

_COMPARED_EXACTLY = 4_096
"""Vectors of a shelf that are compared one by one; above it their signs choose which."""
_RESCORED, _RESCORED_SHARE, _RESCORED_OF_MANY = 8, 16, 4_096
"""How many the signs choose: so many times the wanted number, and at least one in sixteen, up to a limit. Texts of one
form have signs that are much alike: with fewer, a part of the nearest ten is lost (docs/adr/0017)."""


class ShelfComparison:
    """The vectors of a shelf as they were when a question was asked, compared with it."""

    def __init__(self, matrix: Matrix, question: Any) -> None:
        self.matrix = matrix
        self.size = matrix.size
        self._question = question

    @cached_property
    def _cosines(self) -> Array | None:
        """How near each vector is; none where they are too many to compare them all."""
        import numpy

        if self.size > _COMPARED_EXACTLY:
            return None
        cosines: Array = numpy.vecdot(self.matrix.all_unit_rows(), self._question)
        return cosines

    def nearest(self, wanted: int) -> list[tuple[int, float]]:
        """The documents nearest to the question, with their cosines; a document counts by its best piece."""
        return list(NearestDocuments([self]).rank(wanted).items())

    def near(self) -> tuple[Array, Array] | None:
        """All documents and their cosines; none where they are too many."""
        cosines = self._cosines
        return None if cosines is None else (self.matrix.numbers[: len(cosines)], cosines)

    def count_differing(self) -> Array:
        return self.matrix.count_differing(self._question)

    def compare(self, differing: Array, most: int, looked_at: int) -> tuple[Array, Array]:
        """The documents whose vectors differ from the question's in at most so many signs, and their cosines."""
        import numpy

        docs, positions = self.matrix.numbers, numpy.flatnonzero(differing <= most)
        if len(positions) > 2 * looked_at:
            positions = positions[least_of(differing[positions], docs[positions], looked_at)]
        return docs[positions], self.matrix.compare(positions, self._question)

    def cosines(self, docs: Iterable[int]) -> dict[int, float]:
        """How near those of some documents are that have a vector, each by its nearest piece."""
        import numpy

        known = [doc for doc in docs if doc in self.matrix.positions]
        if not known:
            return {}
        positions, starts = self.matrix.pieces_of(known)
        every = self._cosines
        if every is None or max(positions) >= len(every):
            cosines = numpy.vecdot(self.matrix.unit_rows(positions), self._question)
        else:
            cosines = every[positions]
        if len(starts) < len(positions):
            cosines = numpy.maximum.reduceat(cosines, starts)
        return dict(zip(known, cosines.tolist(), strict=True))


def least_of(values: Array, docs: Array, wanted: int) -> Array:
    """Where the least of some values are; of equal ones those of the first documents, however they came in."""
    import numpy

    if len(values) <= wanted:
        every: Array = numpy.arange(len(values))
        return every
    last = values[numpy.argpartition(values, wanted - 1)[wanted - 1]]
    chosen: Array = numpy.flatnonzero(values <= last)
    if len(chosen) > wanted:
        equal = chosen[values[chosen] == last]
        surplus = equal[numpy.argsort(docs[equal], kind="stable")[wanted - len(chosen) :]]
        chosen = numpy.setdiff1d(chosen, surplus, assume_unique=True)
    return chosen


def _compare_by_signs(shelves: Sequence[ShelfComparison], wanted: int) -> list[tuple[Array, Array]]:
    """The documents that signs choose on some shelves together, and their cosines."""
    import numpy

    counted = [shelf.count_differing() for shelf in shelves]
    looked_at = max(wanted * _RESCORED, min(sum(map(len, counted)) // _RESCORED_SHARE, _RESCORED_OF_MANY))
    # A count by number instead of a sort, since there are few different numbers; equal ones are all looked at.
    width = 1 + max(int(differing.max()) for differing in counted)
    numbers = sum(numpy.bincount(differing, minlength=width) for differing in counted)
    most = int(numpy.searchsorted(numpy.cumsum(numbers), looked_at))
    return [shelf.compare(differing, most, looked_at) for shelf, differing in zip(shelves, counted, strict=True)]


class NearestDocuments:
    """The documents nearest to a question among the vectors of some shelves."""

    def __init__(self, shelves: Sequence[ShelfComparison] = ()) -> None:
        self._shelves = shelves

    def find(self, wanted: int) -> tuple[set[int], bool]:
        """At most so many documents, and whether there are no more."""
        return set(self.rank(wanted)), sum(shelf.size for shelf in self._shelves) <= wanted

    def rank(self, wanted: int) -> dict[int, float]:
        """At most so many documents with their cosines, each by its best piece."""
        shelves = [(shelf, shelf.near()) for shelf in self._shelves if shelf.size]
        near = [compared for _, compared in shelves if compared is not None]
        if large := [shelf for shelf, compared in shelves if compared is None]:
            near += _compare_by_signs(large, wanted)
        if not near:
            return {}
        import numpy

        docs, cosines = near[0] if len(near) == 1 else map(numpy.concatenate, zip(*near, strict=True))
        best = least_of(-cosines, docs, wanted)
        found: dict[int, float] = {}
        for doc, cosine in zip(docs[best].tolist(), cosines[best].tolist(), strict=True):
            found[doc] = max(found.get(doc, -1.0), cosine)
        return found
