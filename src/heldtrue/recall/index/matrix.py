"""The vectors of one shelf as arrays, which grow at the end and are compared with a question's.

Products are taken with vecdot: `@` wakes threads that spin, which costs more than it saves here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from heldtrue.domain.rows import VectorRow

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

_STEP = 512
"""Vectors that are compared at once: this many fit into the processor cache as floats."""
_BESIDE_BYTES = 200
"""The memory overhead of a vector: its number, its position, its tokens."""


class Matrix:
    """The vectors of one shelf, growing at the end. One thread may add to it while others compare."""

    def __init__(self, dimension: int) -> None:
        import numpy

        self._numpy = numpy
        self._rows = numpy.zeros((64, dimension), dtype=numpy.int8)
        self._scales = numpy.zeros(64, dtype=numpy.float32)
        self._floats: Array | None = None
        self._signs: Array = numpy.zeros((-(-dimension // 64), 0), dtype=numpy.uint64)
        self.size = 0
        self._docs = numpy.zeros(64, dtype=numpy.int64)
        self._is_cut = False
        """Whether any document has several pieces."""
        self.positions: dict[int, int] = {}
        """The position of the first piece of each document."""
        self.tokens: list[bytes] = []

    @property
    def bytes_held(self) -> int:
        arrays = (self._rows, self._scales, self._signs, *(() if self._floats is None else (self._floats,)))
        return sum(int(array.nbytes) for array in arrays) + _BESIDE_BYTES * self.size

    @property
    def docs(self) -> list[int]:
        """The document of each vector."""
        return self.docs_at(slice(0, self.size))

    @property
    def numbers(self) -> Array:
        """The same as an array with spare capacity at its end."""
        return self._docs

    def docs_at(self, positions: Sequence[int] | slice) -> list[int]:
        docs: list[int] = self._docs[positions].tolist()
        return docs

    def add(self, rows: Sequence[VectorRow]) -> None:
        """Add vectors; a document that is already present is not changed."""
        known = self.positions
        # A row of another length is damaged; it counts like one that is not there.
        width = self._rows.shape[1]
        fresh = [row for row in rows if row.doc not in known and len(row.vector) == width]
        if not fresh:
            return
        numpy = self._numpy
        self._make_room(len(fresh))
        packed = numpy.frombuffer(b"".join(row.vector for row in fresh), dtype=numpy.int8)
        added = packed.reshape(len(fresh), -1)
        end = self.size + len(fresh)
        self._rows[self.size : end] = added
        lengths = numpy.linalg.norm(added.astype(numpy.float32), axis=1)
        self._scales[self.size : end] = numpy.divide(1.0, lengths, out=numpy.zeros_like(lengths), where=lengths > 0)
        docs = [row.doc for row in fresh]
        self._docs[self.size : end] = docs
        self.tokens += [row.tokens for row in fresh]
        if len(set(docs)) == len(docs):
            self.positions.update(zip(docs, range(self.size, end), strict=True))
        else:
            self._is_cut = True
            for position, doc in enumerate(docs, start=self.size):
                self.positions.setdefault(doc, position)
        # Last: whoever compares meanwhile sees only what is all there.
        self.size = end
        self._floats = None

    def _make_room(self, wanted: int) -> None:
        """Grow the arrays: exactly for a bulk read, to twice the size for small additions."""
        more = self.size + wanted - len(self._rows)
        if more <= 0:
            return
        numpy, more = self._numpy, max(more, self.size)
        self._rows = numpy.concatenate([self._rows, numpy.zeros((more, self._rows.shape[1]), dtype=numpy.int8)])
        self._scales = numpy.concatenate([self._scales, numpy.zeros(more, dtype=numpy.float32)])
        self._docs = numpy.concatenate([self._docs, numpy.zeros(more, dtype=numpy.int64)])

    def pieces_of(self, docs: Iterable[int]) -> tuple[list[int], list[int]]:
        """Where the pieces of some documents that are here are, and where among those each document starts."""
        if not self._is_cut:
            positions = [self.positions[doc] for doc in docs]
            return positions, list(range(len(positions)))
        positions = []
        starts: list[int] = []
        for doc in docs:
            starts.append(len(positions))
            positions.append(self.positions[doc])
            while positions[-1] < self.size - 1 and self._docs[positions[-1] + 1] == doc:
                positions.append(positions[-1] + 1)
        return positions, starts

    def unit_rows(self, positions: Sequence[int]) -> Array:
        """The vectors at some positions, of length 1; zeros for a position below 0."""
        numpy = self._numpy
        wanted = numpy.array(positions)
        rows = self._rows[wanted].astype(numpy.float32) * self._scales[wanted, None]
        rows[wanted < 0] = 0.0
        unit: Array = rows
        return unit

    def all_unit_rows(self) -> Array:
        """All vectors, of length 1."""
        floats, size = self._floats, self.size
        if floats is None or len(floats) < size:
            floats = self._rows[:size].astype(self._numpy.float32) * self._scales[:size, None]
            self._floats = floats
        return floats

    def compare(self, positions: Array, question: Array) -> Array:
        """The similarity of the vectors at the given positions to a unit vector."""
        numpy = self._numpy
        compared: Array = numpy.empty(len(positions), dtype=numpy.float32)
        for start in range(0, len(positions), _STEP):
            rows = self._rows[positions[start : start + _STEP]].astype(numpy.float32)
            compared[start : start + _STEP] = numpy.vecdot(rows, question)
        compared *= self._scales[positions]
        return compared

    def count_differing(self, question: Array) -> Array:
        """The number of signs in which each vector differs from the question's vector."""
        numpy = self._numpy
        differing = numpy.bitwise_count(self._all_signs() ^ self._signs_of(question[None]))
        counted: Array = differing.sum(axis=0, dtype=numpy.uint16)
        return counted

    def _all_signs(self) -> Array:
        signs, size = self._signs, self.size
        if signs.shape[1] < size:
            fresh = self._signs_of(self._rows[signs.shape[1] : size])
            self._signs = signs = self._numpy.concatenate([signs, fresh], axis=1)
        return signs

    def _signs_of(self, rows: Array) -> Array:
        """The signs of some vectors, 64 in a number; a vector is a column, since whole rows are added up fastest."""
        numpy = self._numpy
        bits = numpy.packbits(rows > 0, axis=1)
        padded = numpy.zeros((len(bits), 8 * len(self._signs)), dtype=numpy.uint8)
        padded[:, : bits.shape[1]] = bits
        signs: Array = numpy.ascontiguousarray(padded.view(numpy.uint64).T)
        return signs
