"""The vectors of a space in memory.

Those of a shelf are kept once read, and followed by ledger sequence: what was written since is embedded here where the
embedder is quick, and read from the store where it is not. Nothing is written.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import msgspec

from heldtrue.domain.limits import EMBEDDED_IN_RECALL_MAX, VECTORS_BYTES_MAX, VECTORS_FOLLOWED_MAX
from heldtrue.domain.rows import Shelf, SpaceState, VectorRow
from heldtrue.model_ports import Embedder
from heldtrue.recall.index.embedding import NewVector, check_dimension, embed_documents, read_documents
from heldtrue.recall.index.matrix import Matrix
from heldtrue.recall.ports import RecallReadTransaction


class VectorCache:
    """The vectors of a space in memory. One for a store, shared by its threads."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._model: tuple[str, int, int] | None = None
        """The name, the number and the dimension of the model whose vectors are here."""
        self._matrices: dict[int, Matrix] = {}
        self._fresh: list[NewVector] = []
        self._rebuilds = 0
        self._kept = -1
        """The ledger sequence up to which the store had vectors when it was last read."""
        self._seen = -1
        """The ledger sequence up to which this process embedded documents without stored vectors."""

    @property
    def behind(self) -> int:
        """Documents that were embedded here and are not stored yet."""
        return len(self._fresh)

    def matrices(
        self,
        reading: RecallReadTransaction,
        embedder: Embedder,
        shelves: Sequence[Shelf],
        state: SpaceState | None = None,
        *,
        dimension: int,
    ) -> tuple[dict[int, Matrix], int]:
        """The vectors of some shelves, and how many documents of the space have none yet.

        They are to be compared with a vector of this dimension.
        """
        state = state or reading.index.space_state(embedder.name)
        with self.lock:
            number = self._use_model(state, embedder.name, dimension)
            missing = self._follow(reading, state, embedder, number)
            before = len(self._matrices)
            held = {
                shelf.no: self._load(reading, number, dimension, shelf.no, with_tokens=embedder.is_quick)
                for shelf in shelves
            }
            if len(self._matrices) != before:
                self._let_go(held)
            return held, missing

    def _use_model(self, state: SpaceState, name: str, dimension: int) -> int | None:
        known = state.model
        check_dimension(name, dimension, stored=known[1] if known else None)
        number = known[0] if known else None
        if self._model != (name, number or 0, dimension):
            self._model = (name, number or 0, dimension)
            self._forget()
        return number

    def forget(self) -> None:
        """Read everything again: what is here may rest on damaged rows."""
        with self.lock:
            self._forget()

    def _forget(self) -> None:
        self._matrices, self._fresh, self._kept, self._seen = {}, [], -1, -1

    def _follow(self, reading: RecallReadTransaction, state: SpaceState, embedder: Embedder, number: int | None) -> int:
        """Add what was written since; return the number of documents that have no vector yet."""
        kept, head = state.embedded, state.head.seq
        if state.rebuilds != self._rebuilds:
            self._rebuilds = state.rebuilds
            self._forget()
        if kept == 0 < self._kept:
            # They were dropped. An older view has fewer of them, but not none.
            self._forget()
        if kept > self._kept:
            self._read_kept(reading, number, kept, with_tokens=embedder.is_quick)
            self._kept = kept
            self._fresh = [vector for vector in self._fresh if vector.seq > kept]
        start = max(self._seen, self._kept) if embedder.is_quick else self._kept
        if head <= start:
            return 0
        waiting = reading.vectors.count_documents(after=start)
        if waiting > EMBEDDED_IN_RECALL_MAX or not embedder.is_quick:
            return waiting
        self._take_in(
            embed_documents(
                embedder, read_documents(reading, after=start, until=head, with_speakers=embedder.reads_sentences)
            )
        )
        self._seen = head
        return 0

    def _read_kept(self, reading: RecallReadTransaction, number: int | None, seq: int, *, with_tokens: bool) -> None:
        """Add only the vectors that other processes stored since, without reading the known ones again."""
        known = max(self._kept, self._seen)
        if seq <= known or number is None or not self._matrices:
            return
        if seq - known > VECTORS_FOLLOWED_MAX:
            self._matrices = {}
            return
        by_shelf: dict[int, list[int]] = {}
        for shelf, doc in reading.vectors.documents_written(after=known, until=seq):
            by_shelf.setdefault(shelf, []).append(doc)
        for shelf, docs in by_shelf.items():
            if shelf in self._matrices:
                rows = reading.vectors.numbered(number, shelf, docs)
                if not with_tokens:
                    rows = [msgspec.structs.replace(row, tokens=b"") for row in rows]
                self._matrices[shelf].add(rows)

    def _take_in(self, fresh: Sequence[NewVector]) -> None:
        self._fresh += fresh
        by_shelf: dict[int, list[VectorRow]] = {}
        for vector in fresh:
            by_shelf.setdefault(vector.shelf, []).append(vector.row)
        for shelf, rows in by_shelf.items():
            if shelf in self._matrices:
                self._matrices[shelf].add(rows)

    def _load(
        self, reading: RecallReadTransaction, number: int | None, dimension: int, shelf: int, *, with_tokens: bool
    ) -> Matrix:
        matrix = self._matrices.pop(shelf, None)
        if matrix is None:
            matrix = Matrix(dimension)
            if number is not None:
                matrix.add(reading.vectors.of_shelf(number, shelf, with_tokens=with_tokens))
            matrix.add([vector.row for vector in self._fresh if vector.shelf == shelf])
        # Put back at the end: the first ones are those used least recently.
        self._matrices[shelf] = matrix
        return matrix

    def _let_go(self, matrices: Mapping[int, Matrix]) -> None:
        total = sum(matrix.bytes_held for matrix in self._matrices.values())
        for shelf in list(self._matrices):
            if total <= VECTORS_BYTES_MAX:
                return
            if shelf not in matrices:
                total -= self._matrices.pop(shelf).bytes_held
