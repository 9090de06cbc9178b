"""The vector arm, as the pipeline uses it: what is near a question in meaning, and how near each candidate is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.domain.errors import ModelProblem
from holdfast.domain.posting import PLACES_MAX
from holdfast.language.terms import STOPWORDS, split_words
from holdfast.ports import Collection, Embedder, Reading, Shelf, TokenMatcher
from holdfast.recall.candidates import Candidate
from holdfast.recall.vectors import Matrix, Nearest, VectorCache

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

_AROUND = ((-1, 0.5), (1, 0.3), (-2, 0.3), (2, 0.3))
"""What the vectors of the passages before and after one count for it."""
_ANSWER = 0.5
"""What the one before counts more if it asks, with a word of the question: then this is its answer."""


class Meanings(msgspec.Struct):
    """What the vector arm found, and all it takes to compare a candidate with the question."""

    vector: Any
    tokens: bytes
    matrices: dict[int, Matrix]
    unrelated: float
    matcher: TokenMatcher | None
    memories: Nearest
    passages: Nearest
    memory_shelves: tuple[int, ...]
    read_tokens: Callable[[int, Sequence[int]], dict[int, bytes]] | None = None
    """Reads the tokens of some documents of a shelf, where they are too large to be kept in memory."""
    unseen: AbstractSet[int] = frozenset()
    """Passages that count nowhere, not for what stands beside them either."""
    asking: AbstractSet[int] = frozenset()
    """Passages that ask something, with a word of the question."""
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
    memories = [shelf.no for shelf in shelves if shelf.collection == Collection.MEMORY]
    passages = [shelf.no for shelf in shelves if shelf.collection != Collection.MEMORY]
    return Meanings(
        vector=vector,
        tokens=embedded.tokens,
        matrices=matrices,
        unrelated=embedder.unrelated,
        matcher=embedder.matcher,
        read_tokens=None if embedder.is_quick else _token_reader(reading, embedder),
        memories=Nearest(vector, [matrices[shelf] for shelf in memories]),
        passages=Nearest(vector, [matrices[shelf] for shelf in passages]),
        memory_shelves=tuple(memories),
        missing=missing,
        behind=max(missing, cache.behind),
    )


def fill_meaning(candidates: Sequence[Candidate], meanings: Meanings) -> None:
    """The part `meaning` of those of some candidates that have a vector."""
    for shelf, own in _by_shelf(candidates, meanings).items():
        _fill_vectors(own, meanings.matrices[shelf], meanings, around=own[0].passage is not None)


def fill_likeness(candidates: Sequence[Candidate], meanings: Meanings) -> None:
    """The part `likeness` of some candidates, where the embedder can compare token by token."""
    if meanings.matcher is not None and meanings.tokens:
        for shelf, own in _by_shelf(candidates, meanings).items():
            _fill_likeness(own, shelf, meanings, around=own[0].passage is not None)


def _token_reader(reading: Reading, embedder: Embedder) -> Callable[[int, Sequence[int]], dict[int, bytes]]:
    known = reading.model(embedder.name)
    return lambda shelf, docs: reading.vector_tokens(known[0], shelf, docs) if known else {}


def _by_shelf(candidates: Sequence[Candidate], meanings: Meanings) -> dict[int, list[Candidate]]:
    """Some candidates by the shelf that they are on."""
    by_shelf: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        shelf = candidate.passage.shelf if candidate.passage is not None else _shelf_of(candidate, meanings)
        if shelf in meanings.matrices:
            by_shelf.setdefault(shelf, []).append(candidate)
    return by_shelf


def _shelf_of(candidate: Candidate, meanings: Meanings) -> int:
    """The shelf of a memory: the one whose vectors have its version. A version is on one shelf only."""
    for shelf in meanings.memory_shelves:
        if candidate.no in meanings.matrices[shelf].places:
            return shelf
    return -1


def _fill_vectors(candidates: Sequence[Candidate], matrix: Matrix, meanings: Meanings, *, around: bool) -> None:
    import numpy

    if around:
        cosines = _compare_around(candidates, matrix, meanings)
    else:
        cosines = matrix.compare([candidate.no for candidate in candidates], meanings.vector)
    near = numpy.clip((cosines - meanings.unrelated) / (1 - meanings.unrelated), 0.0, 1.0)
    for candidate, cosine in zip(candidates, near.tolist(), strict=True):
        if candidate.no in matrix.places:
            candidate.parts["meaning"] = cosine


def _compare_around(candidates: Sequence[Candidate], matrix: Matrix, meanings: Meanings) -> Array:
    """How near some passages are, each with what is said around it; 0 for one without a vector of its own."""
    import numpy

    places = [matrix.places.get(candidate.no, -1) for candidate in candidates]
    rows = matrix.unit_rows(places)
    for offset, weight in _AROUND:
        weights = numpy.array(_weights(candidates, offset, weight, _ANSWER, meanings.asking), dtype=rows.dtype)
        rows = rows + weights[:, None] * matrix.unit_rows(_shifted(matrix, candidates, offset, meanings.unseen))
    rows = rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    cosines: Array = numpy.einsum("ij,j->i", rows, meanings.vector) * (numpy.array(places) >= 0)
    return cosines


def _shifted(matrix: Matrix, candidates: Sequence[Candidate], offset: int, unseen: AbstractSet[int]) -> list[int]:
    """Where the passages are that stand some places from each candidate, in the same thread; -1 for none to be seen."""
    numbers = [candidate.no + offset for candidate in candidates]
    return [
        matrix.places.get(number, -1)
        if number // PLACES_MAX == candidate.no // PLACES_MAX and number not in unseen
        else -1
        for number, candidate in zip(numbers, candidates, strict=True)
    ]


def _weights(
    candidates: Sequence[Candidate], offset: int, weight: float, answer: float, asking: AbstractSet[int]
) -> list[float]:
    """What the passage some places from each candidate counts for it."""
    if offset != -1 or not asking:
        return [weight] * len(candidates)
    return [weight + answer if candidate.no - 1 in asking else weight for candidate in candidates]


def _fill_likeness(candidates: Sequence[Candidate], shelf: int, meanings: Meanings, *, around: bool) -> None:
    from holdfast.recall.likeness import compare_tokens

    assert meanings.matcher is not None
    matrix = meanings.matrices[shelf]
    offsets = ((0, 1.0), *meanings.matcher.around) if around else ((0, 1.0),)
    answer = meanings.matcher.answer
    columns = [
        (
            _shifted(matrix, candidates, offset, meanings.unseen),
            _weights(candidates, offset, weight, answer, meanings.asking),
        )
        for offset, weight in offsets
    ]
    tokens: Sequence[bytes] = matrix.tokens
    if meanings.read_tokens is not None:
        docs = {matrix.docs[place]: place for places, _ in columns for place in places if place >= 0}
        held = dict.fromkeys(docs.values(), b"")
        held |= {docs[doc]: data for doc, data in meanings.read_tokens(shelf, sorted(docs)).items()}
        tokens = [held.get(place, b"") for place in range(max(held, default=-1) + 1)]
    likeness = compare_tokens(meanings.matcher, meanings.tokens, tokens, columns)
    for candidate, value in zip(candidates, likeness, strict=True):
        candidate.parts["likeness"] = value
