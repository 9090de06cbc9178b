"""How near documents are to a question by their vectors and tokens, each passage with its neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

from heldtrue.domain.posting import PLACES_MAX
from heldtrue.model_ports import TokenMatcher
from heldtrue.recall.documents import RankedDocument, VectorHits
from heldtrue.recall.index.likeness import compare_tokens
from heldtrue.recall.index.matrix import Matrix
from heldtrue.recall.ports import RecallReadTransaction

_AROUND = ((-1, 0.5), (1, 0.3), (-2, 0.3), (2, 0.3))
"""What the vectors of the passages before and after one count for it."""
_ANSWER = 0.5
"""What the one before counts more if it asks, with a word of the question: then this is its answer."""
_ITSELF = ((0, 1.0),)
Offsets = Sequence[tuple[int, float]]
"""Passages around one, by their distance, and what each counts."""


class Nearness:
    """Compares documents with a question."""

    def __init__(
        self, reading: RecallReadTransaction, hits: VectorHits, unseen: AbstractSet[int], asking: AbstractSet[int]
    ) -> None:
        """`unseen` passages count nowhere; `asking` ones ask something, with a word of the question."""
        self._reading = reading
        self._hits = hits
        self._unseen = unseen
        self._asking = asking

    def fill_meaning(self, documents: Sequence[RankedDocument]) -> None:
        """Fill in the part `meaning` of those of some documents that have a vector."""
        hits = self._hits
        memories = [document for document in documents if document.is_memory]
        for shelf in hits.memory_shelves:
            self._fill(memories, hits.shelves[shelf].cosines([document.no for document in memories]))
        others = [document for document in documents if not document.is_memory]
        for shelf, passages in self._by_shelf(others).items():
            self._fill(passages, self._compare_around(passages, hits.shelves[shelf].matrix))

    def _fill(self, documents: Sequence[RankedDocument], cosines: Mapping[int, float]) -> None:
        """From how near to how much nearer than what is unrelated."""
        least, span = self._hits.unrelated, 1 - self._hits.unrelated
        for document in documents:
            cosine = cosines.get(document.no)
            if cosine is not None:
                document.parts["meaning"] = min(1.0, max(0.0, (cosine - least) / span))

    def compare_likeness(self, documents: Sequence[RankedDocument]) -> Iterator[tuple[RankedDocument, float]]:
        """The part `likeness` of some documents, where the embedder can compare token by token."""
        matcher = self._hits.matcher
        if matcher is None or not self._hits.tokens:
            return
        by_shelf = self._by_shelf(documents)
        for are_memories, offsets in ((True, _ITSELF), (False, (*_ITSELF, *matcher.around))):
            alike = {shelf: own for shelf, own in by_shelf.items() if own[0].is_memory == are_memories}
            if alike:
                yield from self._compare_shelves(alike, matcher, offsets)

    def _by_shelf(self, documents: Sequence[RankedDocument]) -> dict[int, list[RankedDocument]]:
        """Some documents by the shelf that they are on."""
        by_shelf: dict[int, list[RankedDocument]] = {}
        for document in documents:
            shelf = document.passage.shelf if document.passage is not None else self._shelf_of(document)
            if shelf in self._hits.shelves:
                by_shelf.setdefault(shelf, []).append(document)
        return by_shelf

    def _shelf_of(self, memory: RankedDocument) -> int:
        """The shelf of a memory: the one whose vectors have its version. A version is on one shelf only."""
        for shelf in self._hits.memory_shelves:
            if memory.no in self._hits.shelves[shelf].matrix.positions:
                return shelf
        return -1

    def _compare_around(self, passages: Sequence[RankedDocument], matrix: Matrix) -> dict[int, float]:
        """How near those of some passages are that have a vector, each with what is said around it."""
        import numpy

        positions = [matrix.positions.get(passage.no, -1) for passage in passages]
        rows = matrix.unit_rows(positions)
        for offset, weight in _AROUND:
            weights = numpy.array(self._weights(passages, offset, weight, _ANSWER), dtype=rows.dtype)
            rows = rows + weights[:, None] * matrix.unit_rows(self._shifted(matrix, passages, offset))
        rows = rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        cosines = numpy.vecdot(rows, self._hits.vector).tolist()
        compared = zip(passages, cosines, positions, strict=True)
        return {passage.no: cosine for passage, cosine, position in compared if position >= 0}

    def _shifted(self, matrix: Matrix, documents: Sequence[RankedDocument], offset: int) -> list[int]:
        """Where the passages are that are some turns from each document, in the same thread; -1 for none to be seen."""
        numbers = [document.no + offset for document in documents]
        return [
            matrix.positions.get(number, -1)
            if number // PLACES_MAX == document.no // PLACES_MAX and number not in self._unseen
            else -1
            for number, document in zip(numbers, documents, strict=True)
        ]

    def _weights(self, documents: Sequence[RankedDocument], offset: int, weight: float, answer: float) -> list[float]:
        """What the passage some turns from each document counts for it."""
        if offset != -1 or not self._asking:
            return [weight] * len(documents)
        return [weight + answer if document.no - 1 in self._asking else weight for document in documents]

    def _compare_shelves(
        self, by_shelf: Mapping[int, Sequence[RankedDocument]], matcher: TokenMatcher, offsets: Offsets
    ) -> Iterator[tuple[RankedDocument, float]]:
        """Compare all documents of some shelves at once, each with what is at some offsets from it."""
        documents = list(chain.from_iterable(by_shelf.values()))
        told = [self._tokens_around(own, shelf, offsets) for shelf, own in by_shelf.items()]
        columns = [
            (list(chain.from_iterable(texts)), self._weights(documents, offset, weight, matcher.answer))
            for (offset, weight), *texts in zip(offsets, *told, strict=True)
        ]
        return zip(documents, compare_tokens(matcher, self._hits.tokens, columns), strict=True)

    def _tokens_around(self, documents: Sequence[RankedDocument], shelf: int, offsets: Offsets) -> list[list[bytes]]:
        """For each offset the tokens of what is there, seen from each document of a shelf."""
        matrix = self._hits.shelves[shelf].matrix
        columns = [self._shifted(matrix, documents, offset) for offset, _ in offsets]
        tokens: Sequence[bytes] | Mapping[int, bytes] = matrix.tokens
        if self._hits.stores_tokens:
            tokens = self._read_tokens(matrix, shelf, columns)
        return [[tokens[position] if position >= 0 else b"" for position in positions] for positions in columns]

    def _read_tokens(self, matrix: Matrix, shelf: int, columns: Sequence[Sequence[int]]) -> dict[int, bytes]:
        """The tokens of the documents at some positions, from the store."""
        used = sorted({position for positions in columns for position in positions if position >= 0})
        docs = dict(zip(matrix.docs_at(used), used, strict=True))
        tokens = dict.fromkeys(docs.values(), b"")
        model = self._hits.model
        stored = self._reading.vectors.tokens(model, shelf, sorted(docs)) if model is not None else {}
        return tokens | {docs[doc]: data for doc, data in stored.items()}
