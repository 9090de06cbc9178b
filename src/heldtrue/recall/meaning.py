"""The vector arm, as the pipeline uses it: what is near a question in meaning, and how near each candidate is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any

import msgspec

from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.posting import PLACES_MAX
from heldtrue.language.terms import STOPWORDS, split_words
from heldtrue.ports import Collection, Embedder, Glance, Reading, Shelf, TokenMatcher
from heldtrue.recall.candidates import Candidate
from heldtrue.recall.index.matrix import Matrix
from heldtrue.recall.index.nearest import NearestDocuments, ShelfComparison
from heldtrue.recall.index.vectors import VectorCache

_AROUND = ((-1, 0.5), (1, 0.3), (-2, 0.3), (2, 0.3))
"""What the vectors of the passages before and after one count for it."""
_ANSWER = 0.5
"""What the one before counts more if it asks, with a word of the question: then this is its answer."""


class Meanings(msgspec.Struct):
    """What the vector arm found, and all it takes to compare a candidate with the question."""

    vector: Any
    tokens: bytes
    shelves: dict[int, ShelfComparison]
    unrelated: float
    matcher: TokenMatcher | None
    memories: NearestDocuments
    passages: NearestDocuments
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
    from heldtrue.language.terms import stem_word

    names = frozenset(named)
    telling = [
        word
        for word in split_words(words)
        if word.casefold() not in STOPWORDS and stem_word(word.casefold().removesuffix("'s")) not in names
    ]
    return " ".join(telling) or words


def find_meaning(
    reading: Reading, shelves: Sequence[Shelf], embedder: Embedder, cache: VectorCache, words: str, glance: Glance
) -> Meanings:
    """The documents nearest to a question. Raises `ModelProblem` where the embedder fails."""
    import numpy

    embedded = embedder.embed_question(words)
    if len(embedded.vector) != embedder.dimension:
        raise ModelProblem(f"{embedder.name} gave {len(embedded.vector)} dimensions instead of {embedder.dimension}")
    vector = numpy.frombuffer(embedded.vector, dtype=numpy.int8).astype(numpy.float32)
    length = float(numpy.linalg.norm(vector))
    vector = vector / length if length else vector
    matrices, missing = cache.matrices(reading, embedder, shelves, glance)
    compared = {shelf: ShelfComparison(matrix, vector) for shelf, matrix in matrices.items()}
    memories = [shelf.no for shelf in shelves if shelf.collection == Collection.MEMORY]
    passages = [shelf.no for shelf in shelves if shelf.collection != Collection.MEMORY]
    return Meanings(
        vector=vector,
        tokens=embedded.tokens,
        shelves=compared,
        unrelated=embedder.unrelated,
        matcher=embedder.matcher,
        read_tokens=None if embedder.is_quick else _token_reader(reading, glance),
        memories=NearestDocuments([compared[shelf] for shelf in memories]),
        passages=NearestDocuments([compared[shelf] for shelf in passages]),
        memory_shelves=tuple(memories),
        missing=missing,
        behind=max(missing, cache.behind),
    )


def fill_meaning(candidates: Sequence[Candidate], meanings: Meanings) -> None:
    """The part `meaning` of those of some candidates that have a vector."""
    memories = [candidate for candidate in candidates if candidate.is_memory]
    for shelf in meanings.memory_shelves:
        _fill_nearness(memories, meanings.shelves[shelf].cosines([one.no for one in memories]), meanings)
    others = [candidate for candidate in candidates if not candidate.is_memory]
    for shelf, passages in _by_shelf(others, meanings).items():
        _fill_nearness(passages, _compare_around(passages, meanings.shelves[shelf].matrix, meanings), meanings)


def _fill_nearness(candidates: Sequence[Candidate], cosines: Mapping[int, float], meanings: Meanings) -> None:
    """From how near to how much nearer than what is unrelated."""
    least, span = meanings.unrelated, 1 - meanings.unrelated
    for candidate in candidates:
        cosine = cosines.get(candidate.no)
        if cosine is not None:
            candidate.parts["meaning"] = min(1.0, max(0.0, (cosine - least) / span))


def compare_likeness(candidates: Sequence[Candidate], meanings: Meanings) -> Iterator[tuple[Candidate, float]]:
    """The part `likeness` of some candidates, where the embedder can compare token by token."""
    matcher = meanings.matcher
    if matcher is None or not meanings.tokens:
        return
    by_shelf = _by_shelf(candidates, meanings)
    itself = ((0, 1.0),)
    for are_memories, offsets in ((True, itself), (False, (*itself, *matcher.around))):
        alike = {shelf: own for shelf, own in by_shelf.items() if own[0].is_memory == are_memories}
        if alike:
            yield from _compare_shelves(alike, matcher, offsets, meanings)


def _token_reader(reading: Reading, glance: Glance) -> Callable[[int, Sequence[int]], dict[int, bytes]]:
    known = glance.model
    return lambda shelf, docs: reading.vector_tokens(known[0], shelf, docs) if known else {}


def _by_shelf(candidates: Sequence[Candidate], meanings: Meanings) -> dict[int, list[Candidate]]:
    """Some candidates by the shelf that they are on."""
    by_shelf: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        shelf = candidate.passage.shelf if candidate.passage is not None else _shelf_of(candidate, meanings)
        if shelf in meanings.shelves:
            by_shelf.setdefault(shelf, []).append(candidate)
    return by_shelf


def _shelf_of(candidate: Candidate, meanings: Meanings) -> int:
    """The shelf of a memory: the one whose vectors have its version. A version is on one shelf only."""
    for shelf in meanings.memory_shelves:
        if candidate.no in meanings.shelves[shelf].matrix.positions:
            return shelf
    return -1


def _compare_around(candidates: Sequence[Candidate], matrix: Matrix, meanings: Meanings) -> dict[int, float]:
    """How near those of some passages are that have a vector, each with what is said around it."""
    import numpy

    positions = [matrix.positions.get(candidate.no, -1) for candidate in candidates]
    rows = matrix.unit_rows(positions)
    for offset, weight in _AROUND:
        weights = numpy.array(_weights(candidates, offset, weight, _ANSWER, meanings.asking), dtype=rows.dtype)
        rows = rows + weights[:, None] * matrix.unit_rows(_shifted(matrix, candidates, offset, meanings.unseen))
    rows = rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    cosines = numpy.vecdot(rows, meanings.vector).tolist()
    numbers = (candidate.no for candidate in candidates)
    return {
        number: cosine for number, cosine, position in zip(numbers, cosines, positions, strict=True) if position >= 0
    }


def _shifted(matrix: Matrix, candidates: Sequence[Candidate], offset: int, unseen: AbstractSet[int]) -> list[int]:
    """Where the passages are that stand some turns from each candidate, in the same thread; -1 for none to be seen."""
    numbers = [candidate.no + offset for candidate in candidates]
    return [
        matrix.positions.get(number, -1)
        if number // PLACES_MAX == candidate.no // PLACES_MAX and number not in unseen
        else -1
        for number, candidate in zip(numbers, candidates, strict=True)
    ]


def _weights(
    candidates: Sequence[Candidate], offset: int, weight: float, answer: float, asking: AbstractSet[int]
) -> list[float]:
    """What the passage some turns from each candidate counts for it."""
    if offset != -1 or not asking:
        return [weight] * len(candidates)
    return [weight + answer if candidate.no - 1 in asking else weight for candidate in candidates]


def _compare_shelves(
    by_shelf: Mapping[int, Sequence[Candidate]],
    matcher: TokenMatcher,
    offsets: Sequence[tuple[int, float]],
    meanings: Meanings,
) -> Iterator[tuple[Candidate, float]]:
    """Compare all candidates of some shelves at once, each with what stands at some offsets from it."""
    from heldtrue.recall.index.likeness import compare_tokens

    candidates = list(chain.from_iterable(by_shelf.values()))
    told = [_tokens_around(own, shelf, offsets, meanings) for shelf, own in by_shelf.items()]
    columns = [
        (
            list(chain.from_iterable(texts)),
            _weights(candidates, offset, weight, matcher.answer, meanings.asking),
        )
        for (offset, weight), *texts in zip(offsets, *told, strict=True)
    ]
    return zip(candidates, compare_tokens(matcher, meanings.tokens, columns), strict=True)


def _tokens_around(
    candidates: Sequence[Candidate], shelf: int, offsets: Sequence[tuple[int, float]], meanings: Meanings
) -> list[list[bytes]]:
    """For each offset the tokens of what stands there, seen from each candidate of a shelf."""
    matrix = meanings.shelves[shelf].matrix
    columns = [_shifted(matrix, candidates, offset, meanings.unseen) for offset, _ in offsets]
    tokens: Sequence[bytes] | Mapping[int, bytes] = matrix.tokens
    if meanings.read_tokens is not None:
        used = sorted({position for positions in columns for position in positions if position >= 0})
        docs = dict(zip(matrix.docs_at(used), used, strict=True))
        tokens = dict.fromkeys(docs.values(), b"")
        tokens |= {docs[doc]: data for doc, data in meanings.read_tokens(shelf, sorted(docs)).items()}
    return [[tokens[position] if position >= 0 else b"" for position in positions] for positions in columns]
