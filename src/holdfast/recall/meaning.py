"""The vector arm, as the pipeline uses it: what is near a question in meaning, and how near each candidate is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.domain.errors import ModelProblem
from holdfast.domain.posting import PLACES_MAX
from holdfast.language.terms import STOPWORDS, split_words
from holdfast.ports import Collection, Embedder, Reading, Shelf, TokenTable
from holdfast.recall.candidates import Candidate
from holdfast.recall.vectors import Matrix, VectorCache

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

_MEMORIES, _PASSAGES = 30, 100
"""Documents that the vector arm brings in by itself."""
_AROUND = ((-1, 0.5), (1, 0.3), (-2, 0.3), (2, 0.3))
"""What the vectors of the passages before and after one count for it."""
_AROUND_LIKE = ((-1, 0.3), (1, 0.2), (-2, 0.2), (2, 0.2))
"""The same for single words."""


class Meanings(msgspec.Struct):
    """What the vector arm found, and all it takes to compare a candidate with the question."""

    vector: Any
    tokens: bytes
    matrices: dict[int, Matrix]
    table: TokenTable | None
    memories: dict[int, float]
    """The nearest memories, with their cosines."""
    passages: dict[int, float]
    memory_shelves: tuple[int, ...]
    missing: int = 0
    """Documents that have no vector yet."""
    behind: int = 0
    """Documents whose vectors are not stored yet, though they may be in memory."""


def plain_question(words: str, named: Iterable[str]) -> str:
    """A question as it is embedded: without the words that say nothing, and without those who are named in it."""
    from holdfast.language.terms import stem_word

    names = frozenset(named)
    telling = [
        word
        for word in split_words(words)
        if word.casefold() not in STOPWORDS and stem_word(word.casefold().removesuffix("'s")) not in names
    ]
    return " ".join(telling) or words


def find_meaning(
    reading: Reading, shelves: Sequence[Shelf], embedder: Embedder, cache: VectorCache, words: str
) -> Meanings:
    """The documents nearest to a question. Raises `ModelProblem` where the embedder fails."""
    import numpy

    embedded = embedder.embed_question(words)
    if len(embedded.vector) != embedder.dimension:
        raise ModelProblem(f"{embedder.name} gave {len(embedded.vector)} dimensions instead of {embedder.dimension}")
    vector = numpy.frombuffer(embedded.vector, dtype=numpy.int8).astype(numpy.float32)
    length = float(numpy.linalg.norm(vector))
    vector = vector / length if length else vector
    matrices, missing = cache.matrices(reading, embedder, shelves)
    memories: dict[int, float] = {}
    passages: dict[int, float] = {}
    for shelf in shelves:
        if shelf.collection == Collection.MEMORY:
            memories.update(matrices[shelf.no].nearest(vector, _MEMORIES))
        else:
            passages.update(matrices[shelf.no].nearest(vector, _PASSAGES))
    return Meanings(
        vector=vector,
        tokens=embedded.tokens,
        matrices=matrices,
        table=embedder.table,
        memories=_best(memories, _MEMORIES),
        passages=_best(passages, _PASSAGES),
        memory_shelves=tuple(shelf.no for shelf in shelves if shelf.collection == Collection.MEMORY),
        missing=missing,
        behind=max(missing, cache.behind),
    )


def _best(found: Mapping[int, float], wanted: int) -> dict[int, float]:
    ranked = sorted(found.items(), key=lambda one: (-one[1], one[0]))
    return dict(ranked[:wanted])


def fill_meaning(candidates: Sequence[Candidate], meanings: Meanings) -> None:
    """The part `meaning` of some candidates."""
    for matrix, own in _by_matrix(candidates, meanings):
        _fill_vectors(own, matrix, meanings.vector, around=own[0].passage is not None)


def fill_likeness(candidates: Sequence[Candidate], meanings: Meanings) -> None:
    """The part `likeness` of some candidates, where the embedder has a token table."""
    if meanings.table is not None and meanings.tokens:
        for matrix, own in _by_matrix(candidates, meanings):
            _fill_likeness(own, matrix, meanings, around=own[0].passage is not None)


def _by_matrix(candidates: Sequence[Candidate], meanings: Meanings) -> list[tuple[Matrix, list[Candidate]]]:
    """Some candidates by the vectors of the shelf that they are on."""
    by_shelf: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        shelf = candidate.passage.shelf if candidate.passage is not None else _shelf_of(candidate, meanings)
        if shelf in meanings.matrices:
            by_shelf.setdefault(shelf, []).append(candidate)
    return [(meanings.matrices[shelf], own) for shelf, own in by_shelf.items()]


def _shelf_of(candidate: Candidate, meanings: Meanings) -> int:
    """The shelf of a memory: the one whose vectors have its version. A version is on one shelf only."""
    for shelf in meanings.memory_shelves:
        if candidate.no in meanings.matrices[shelf].places:
            return shelf
    return -1


def _fill_vectors(candidates: Sequence[Candidate], matrix: Matrix, vector: Array, *, around: bool) -> None:
    import numpy

    places = [matrix.places.get(candidate.no, -1) for candidate in candidates]
    present = numpy.array(places) >= 0
    rows = matrix.unit_rows(places)
    if around:
        for offset, weight in _AROUND:
            rows = rows + weight * matrix.unit_rows(_shifted(matrix, candidates, offset))
        lengths = numpy.linalg.norm(rows, axis=1, keepdims=True)
        rows = rows / numpy.maximum(lengths, 1e-9)
    near = numpy.maximum(numpy.einsum("ij,j->i", rows, vector), 0.0) * present
    for candidate, cosine in zip(candidates, near.tolist(), strict=True):
        candidate.parts["meaning"] = cosine


def _shifted(matrix: Matrix, candidates: Sequence[Candidate], offset: int) -> list[int]:
    """Where the passages are that stand some places from each candidate, in the same thread; -1 for none."""
    return [
        matrix.places.get(candidate.no + offset, -1) if 0 <= candidate.no % PLACES_MAX + offset < PLACES_MAX else -1
        for candidate in candidates
    ]


def _fill_likeness(candidates: Sequence[Candidate], matrix: Matrix, meanings: Meanings, *, around: bool) -> None:
    from holdfast.recall.likeness import compare_tokens

    assert meanings.table is not None
    offsets = ((0, 1.0), *_AROUND_LIKE) if around else ((0, 1.0),)
    columns = [(_shifted(matrix, candidates, offset), weight) for offset, weight in offsets]
    likeness = compare_tokens(meanings.table, meanings.tokens, matrix.tokens, columns)
    for candidate, value in zip(candidates, likeness, strict=True):
        candidate.parts["likeness"] = value
