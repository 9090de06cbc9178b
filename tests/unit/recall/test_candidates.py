"""Candidates: the best that the filter lets through, however much it leaves out, and the threads around a match."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from heldtrue.domain.posting import passage_number
from heldtrue.domain.principal import EVERYTHING
from heldtrue.domain.rows import Collection, VectorRow, VersionFilter
from heldtrue.recall.candidates import choose_memories, choose_passages, first_scores, thread_passages
from heldtrue.recall.documents import RankedDocument
from heldtrue.recall.index.matrix import Matrix
from heldtrue.recall.index.nearest import NearestDocuments, ShelfComparison
from heldtrue.recall.index.words import WordHits
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore
from tests.conformance.samples import insert_all, make_piece, make_plain_version, make_source

numpy = pytest.importorskip("numpy")
NOTHING_NEAR = NearestDocuments()
ACTIVE = VersionFilter(sight=EVERYTHING, statuses=("active",))
SHELVES = (1,)


@pytest.fixture
def store() -> Iterator[SqlStore]:
    opened = SqlStore(SqliteConnector(None))
    yield opened
    opened.close()


def learn(store: SqlStore, count: int, *, first: int = 1, **fields: Any) -> None:
    with store.write() as writing:
        for number in range(first, first + count):
            insert_all(writing, make_plain_version(number, f"item {number}", **fields))


def hear(store: SqlStore, count: int, *, hidden: int = 0) -> None:
    """Turns of one conversation, the first of them hidden."""
    with store.write() as writing:
        for index in range(count):
            source = make_source(index + 1, content="amber", seq=1)
            writing.ledger.insert(source)
            piece = make_piece(source, 0, 5, hidden_seq=0 if index < hidden else None)
            writing.passages.add(source, "chat", [piece], collection=Collection.SESSIONS)


def numbers(candidates: list[RankedDocument]) -> list[int]:
    return sorted(candidate.no for candidate in candidates)


def nearest_first(docs: range) -> NearestDocuments:
    """A question to which the first of some documents is nearest, then the next, and so on."""
    matrix = Matrix(2)
    angles = [index / (2 * len(docs)) for index in range(len(docs))]
    rows = [(numpy.cos(angle), numpy.sin(angle)) for angle in angles]
    # More than a signed byte can tell apart is told apart by the number of the document.
    packed = [numpy.rint(numpy.array(row) * 127).astype(numpy.int8).tobytes() for row in rows]
    matrix.add([VectorRow(doc, 0, vector, b"") for doc, vector in zip(docs, packed, strict=True)])
    return NearestDocuments([ShelfComparison(matrix, numpy.array([1.0, 0.0], dtype=numpy.float32))])


@pytest.mark.covers("B19", "A7")
@pytest.mark.parametrize("retired", [0, 100, 3_000])
def test_what_a_filter_leaves_out_is_made_up_for_from_further_down(store: SqlStore, retired: int) -> None:
    learn(store, retired, status="retracted")
    learn(store, 30, first=retired + 1)
    # Those that may not be recalled match best.
    scores = {number: 1 - number / 10_000 for number in range(1, retired + 31)}
    with store.read() as reading:
        chosen = choose_memories(reading, ACTIVE, scores, NOTHING_NEAR, (), limit=10)
        retracted = choose_memories(
            reading, VersionFilter(sight=EVERYTHING, statuses=("retracted",)), scores, NOTHING_NEAR, (), limit=10
        )
    assert len(chosen) >= 15, "enough to choose ten from"
    assert set(numbers(chosen)) <= set(range(retired + 1, retired + 31))
    assert all(number <= retired for number in numbers(retracted))
    assert bool(retracted) == bool(retired)


@pytest.mark.covers("B19", "C14")
@pytest.mark.parametrize("retired", [0, 100, 3_000])
def test_the_same_holds_for_what_is_near_in_meaning(store: SqlStore, retired: int) -> None:
    learn(store, retired, status="superseded")
    learn(store, 40, first=retired + 1)
    near = nearest_first(range(1, retired + 41))
    with store.read() as reading:
        chosen = numbers(choose_memories(reading, ACTIVE, {}, near, (), limit=10))
        assert len(chosen) >= 15
        assert set(chosen) <= set(range(retired + 1, retired + 41))
        assert retired + 1 in chosen
        kinds = VersionFilter(sight=EVERYTHING, statuses=("active",), kinds=("entity",))
        assert choose_memories(reading, kinds, {}, near, (), limit=10) == []


@pytest.mark.covers("C13", "C14")
def test_hidden_passages_are_made_up_for_too(store: SqlStore) -> None:
    hear(store, 700, hidden=650)
    docs = range(passage_number(1, 0), passage_number(1, 700))
    shown = list(docs[650:])
    scores = {doc: 1 - (doc - docs[0]) / 10_000 for doc in docs}
    with store.read() as reading:
        assert numbers(choose_passages(reading, ACTIVE, SHELVES, scores, NOTHING_NEAR, (), limit=10)) == shown
        assert set(numbers(choose_passages(reading, ACTIVE, SHELVES, {}, nearest_first(docs), (), limit=10))) <= set(
            shown
        )
        assert numbers(choose_passages(reading, ACTIVE, SHELVES, {}, nearest_first(docs), (), limit=10))
        assert numbers(choose_passages(reading, ACTIVE, SHELVES, {}, NOTHING_NEAR, [docs[0], docs[699]], limit=10)) == [
            docs[699]
        ]
        assert choose_passages(reading, ACTIVE, (2,), scores, nearest_first(docs), docs, limit=10) == [], (
            "another shelf"
        )


def test_of_many_only_the_best_are_looked_at_and_more_for_a_higher_limit(store: SqlStore) -> None:
    learn(store, 500)
    scores = {number: number / 1_000 for number in range(1, 501)}
    with store.read() as reading:
        few = numbers(choose_memories(reading, ACTIVE, scores, NOTHING_NEAR, (), limit=10))
        many = numbers(choose_memories(reading, ACTIVE, scores, NOTHING_NEAR, (), limit=100))
        beside = numbers(choose_memories(reading, ACTIVE, scores, NOTHING_NEAR, [1, 2, 9_999], limit=10))
    assert few == list(range(501 - len(few), 501))
    assert 10 <= len(few) < len(many) < 500
    assert many == list(range(501 - len(many), 501))
    assert beside == [1, 2, *few]


@pytest.mark.covers("B27")
def test_of_equals_the_newest_are_taken(store: SqlStore) -> None:
    learn(store, 200)
    with store.read() as reading:
        chosen = numbers(
            choose_memories(reading, ACTIVE, dict.fromkeys(range(1, 201), 0.5), NOTHING_NEAR, (), limit=10)
        )
    assert chosen == list(range(201 - len(chosen), 201))


def hits(**found: Any) -> WordHits:
    fields: dict[str, Any] = {
        "memories": {}, "passages": {}, "threads": {}, "spoken": set(), "named": frozenset(), "dated": (set(), set()),
    }  # fmt: skip
    return WordHits(**(fields | found))


@pytest.mark.covers("C13")
def test_the_best_threads_are_looked_at_from_their_first_match_to_their_last(store: SqlStore) -> None:
    places = {doc: 0.5 for thread in range(1, 9) for doc in (passage_number(thread, 10), passage_number(thread, 16))}
    words = hits(passages=places, threads={thread: thread / 10 for thread in range(1, 9)})
    found = thread_passages(words)
    assert {doc // passage_number(1, 0) for doc in found} == {4, 5, 6, 7, 8}, "the five best"
    own = sorted(doc for doc in found if doc // passage_number(1, 0) == 8)
    assert own == [passage_number(8, index) for index in range(8, 19)], "and two places beyond"


def test_a_thread_is_never_left_and_only_so_much_of_it_is_looked_at() -> None:
    first, last = passage_number(3, 0), passage_number(3, 900)
    found = thread_passages(hits(passages={first: 0.4, last: 0.4}, threads={3: 0.4}))
    assert all(doc // passage_number(1, 0) == 3 for doc in found)
    assert 10 < len(found) < 120
    assert thread_passages(hits()) == set()


@pytest.mark.covers("C13")
def test_a_first_score_is_what_the_words_alone_say() -> None:
    one, other = passage_number(1, 0), passage_number(2, 0)
    words = hits(passages={one: 0.5, other: 0.5}, threads={1: 0.2, 2: 0.9}, spoken={one})
    assert first_scores(words, {"text": 2.0, "thread": 1.0, "speaker": 0.75}) == pytest.approx(
        {one: 2 * 0.5 + 0.2 + 0.75, other: 2 * 0.5 + 0.9}
    )
    assert first_scores(words, {"text": 1.0}) == {one: 0.5, other: 0.5}
