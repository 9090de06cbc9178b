"""Vectors: compared exactly while they are few, nearly so when they are many, and always those of what is written."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue import Memory
from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.principal import EVERYTHING, Sight
from heldtrue.domain.rows import Collection, VectorRow
from heldtrue.models.scripted import ScriptedEmbedder
from heldtrue.recall.index import embedding, nearest
from heldtrue.recall.index import vectors as module
from heldtrue.recall.index.embedding import cut_text, keep_vectors, kept_until
from heldtrue.recall.index.matrix import Matrix
from heldtrue.recall.index.nearest import NearestDocuments, ShelfComparison
from heldtrue.recall.index.vectors import VectorCache
from heldtrue.storage.vectors import VectorPart
from tests.acceptance.homes import times

numpy = pytest.importorskip("numpy")
WORDS = "amber birch cedar delta ember flint grove heath islet jetty knoll ledge".split()


def pack(rows: Any) -> list[bytes]:
    """Vectors as they are stored: one signed byte a dimension."""
    array = numpy.asarray(rows, dtype=numpy.float64)
    most = numpy.maximum(numpy.abs(array).max(axis=1, keepdims=True), 1e-12)
    return [row.tobytes() for row in numpy.rint(array / most * 127).astype(numpy.int8)]


def unit(row: Any) -> Any:
    array = numpy.asarray(row, dtype=numpy.float32)
    return array / max(float(numpy.linalg.norm(array)), 1e-9)


def fill(vectors: Sequence[bytes], docs: Sequence[int] | None = None, *, dimension: int) -> Matrix:
    matrix = Matrix(dimension)
    numbers = docs or range(len(vectors))
    matrix.add([VectorRow(doc, 0, vector, b"") for doc, vector in zip(numbers, vectors, strict=True)])
    return matrix


def cosines(vectors: Sequence[bytes], questions: Any) -> Any:
    """By brute force, in double precision: for each vector and each question."""
    rows = numpy.array([numpy.frombuffer(vector, dtype=numpy.int8) for vector in vectors], dtype=numpy.float64)
    lengths = numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return rows / lengths @ numpy.asarray(questions, dtype=numpy.float64).T


def clusters(seed: int, count: int, dimension: int, middles: int) -> tuple[Any, Any]:
    """Random points around random middles, as texts lie around their subjects; and questions near some of them."""
    chance = numpy.random.default_rng(seed)
    centres = chance.normal(size=(middles, dimension))
    rows = centres[chance.integers(0, middles, count)] + 0.7 * chance.normal(size=(count, dimension))
    asked = rows[chance.integers(0, count, 40)] + 0.4 * chance.normal(size=(40, dimension))
    return rows, asked


# One shelf


@pytest.mark.covers("C14", "B19")
@settings(max_examples=times(60))
@given(st.integers(0, 10_000), st.integers(1, 90), st.integers(1, 70), st.integers(1, 40))
def test_few_vectors_are_compared_as_exactly_as_by_brute_force(
    seed: int, count: int, dimension: int, wanted: int
) -> None:
    chance = numpy.random.default_rng(seed)
    vectors = pack(chance.normal(size=(count, dimension)))
    question = unit(chance.normal(size=dimension))
    truth = cosines(vectors, [question])[:, 0]
    found = dict(ShelfComparison(fill(vectors, dimension=dimension), question).nearest(wanted))
    assert len(found) == min(count, wanted)
    assert all(cosine == pytest.approx(truth[doc], abs=1e-5) for doc, cosine in found.items())
    assert min(found.values()) >= sorted(truth, reverse=True)[len(found) - 1] - 1e-5


@pytest.mark.covers("C14")
@pytest.mark.parametrize("dimension", [256, 100])
def test_among_many_their_signs_find_nearly_the_same(dimension: int) -> None:
    rows, asked = clusters(7, 6_000, dimension, 300)
    vectors = pack(rows)
    matrix = fill(vectors, dimension=dimension)
    assert matrix.size > nearest._COMPARED_EXACTLY
    hits = first = 0
    questions = [unit(numbers) for numbers in asked]
    for question, near in zip(questions, cosines(vectors, questions).T, strict=True):
        truth = numpy.argsort(-near)[:10].tolist()
        found = sorted(ShelfComparison(matrix, question).nearest(30), key=lambda hit: -hit[1])
        assert len(found) == 30
        hits += len(set(truth) & {doc for doc, _ in found[:10]})
        first += truth[0] == found[0][0]
    assert hits / (10 * len(asked)) >= 0.95
    assert first / len(asked) >= 0.95


@pytest.mark.parametrize("dimension", [1, 7, 9, 63, 65])
def test_a_dimension_need_not_fill_whole_bytes(dimension: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "_COMPARED_EXACTLY", 10)
    chance = numpy.random.default_rng(3)
    rows = chance.normal(size=(50, dimension))
    vectors = pack(rows)
    matrix = fill(vectors, dimension=dimension)
    for index in range(0, 50, 7):
        question = unit(numpy.frombuffer(vectors[index], dtype=numpy.int8))
        best = max(ShelfComparison(matrix, question).nearest(10), key=lambda hit: hit[1])
        assert best[1] == pytest.approx(1, abs=1e-5)


@pytest.mark.covers("C14")
def test_a_document_counts_by_its_best_piece_and_comes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = Matrix(2)
    pieces = [(1, (0, 9)), (1, (9, 0)), (1, (0, 9)), (2, (9, 9)), (3, (0, 9))]
    vectors = pack([vector for _, vector in pieces])
    docs = [doc for doc, _ in pieces]
    matrix.add([VectorRow(doc, index, vectors[index], b"") for index, doc in enumerate(docs)])
    question = unit((1, 0))
    assert dict(ShelfComparison(matrix, question).nearest(9)) == pytest.approx({1: 1.0, 2: 0.7071, 3: 0.0}, abs=1e-3)
    near = pytest.approx({3: 0.0, 1: 1.0, 2: 0.7071}, abs=1e-3)
    assert ShelfComparison(matrix, question).cosines([3, 1, 77, 2]) == near
    monkeypatch.setattr(nearest, "_COMPARED_EXACTLY", 2)
    assert ShelfComparison(matrix, question).cosines([3, 1, 77, 2]) == near, "the same where not all are compared"
    assert ShelfComparison(matrix, question).cosines([77]) == {}


def test_a_text_without_a_word_is_near_to_nothing_and_breaks_nothing() -> None:
    matrix = fill([bytes(8), *pack([[1] * 8])], dimension=8)
    assert dict(ShelfComparison(matrix, unit([1] * 8)).nearest(9)) == pytest.approx({0: 0.0, 1: 1.0}, abs=1e-5)
    assert dict(ShelfComparison(matrix, numpy.zeros(8, dtype=numpy.float32)).nearest(9)) == {0: 0.0, 1: 0.0}
    assert ShelfComparison(Matrix(8), unit([1] * 8)).nearest(9) == []


@pytest.mark.covers("B27")
@pytest.mark.parametrize("exact_max", [4_096, 20])
def test_the_order_in_which_vectors_came_does_not_show(exact_max: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many are equally near: which of them are taken must not depend on who asked what before."""
    monkeypatch.setattr(nearest, "_COMPARED_EXACTLY", exact_max)
    chance = random.Random(5)
    few = pack(numpy.random.default_rng(5).normal(size=(6, 16)))
    rows = [(doc, chance.choice(few)) for doc in range(300)]
    question = unit(numpy.frombuffer(few[0], dtype=numpy.int8))
    told = set()
    for _ in range(4):
        chance.shuffle(rows)
        matrix = Matrix(16)
        for start in range(0, 300, 60):
            matrix.add([VectorRow(doc, 0, vector, b"") for doc, vector in rows[start : start + 60]])
            ShelfComparison(matrix, question).nearest(5)
        told.add(tuple(sorted(doc for doc, _ in ShelfComparison(matrix, question).nearest(30))))
        told.add(tuple(sorted(NearestDocuments([ShelfComparison(matrix, question)]).find(30)[0])))
    assert len(told) == 1
    assert len(told.pop()) == 30


def test_several_shelves_are_searched_as_one() -> None:
    vectors = pack(numpy.random.default_rng(1).normal(size=(60, 16)))
    question = unit(numpy.random.default_rng(2).normal(size=16))
    whole = ShelfComparison(fill(vectors, dimension=16), question)
    parts = (vectors[:30], range(30)), (vectors[30:], range(30, 60))
    halves = [ShelfComparison(fill(half, docs, dimension=16), question) for half, docs in parts]
    for wanted in (1, 7, 60, 99):
        assert NearestDocuments(halves).find(wanted) == NearestDocuments([whole]).find(wanted)
    assert NearestDocuments(halves).find(99)[1]
    assert not NearestDocuments(halves).find(59)[1]
    assert NearestDocuments().find(5) == (set(), True)


@pytest.mark.parametrize("exact_max", [4_096, 100])
def test_one_thread_may_add_while_others_compare(exact_max: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "_COMPARED_EXACTLY", exact_max)
    vectors = pack(numpy.random.default_rng(4).normal(size=(1_500, 32)))
    question = unit(numpy.frombuffer(vectors[0], dtype=numpy.int8))
    matrix = fill(vectors[:1], dimension=32)
    problems: list[BaseException] = []
    done = threading.Event()

    def compare() -> None:
        try:
            while not done.is_set():
                assert max(ShelfComparison(matrix, question).nearest(30), key=lambda hit: hit[1])[0] == 0
        except BaseException as problem:  # noqa: BLE001 - whatever it is, the test tells
            problems.append(problem)

    threads = [threading.Thread(target=compare) for _ in range(3)]
    for thread in threads:
        thread.start()
    for doc in range(1, len(vectors)):
        matrix.add([VectorRow(doc, 0, vectors[doc], b"")])
    done.set()
    for thread in threads:
        thread.join()
    assert problems == []
    fresh = fill(vectors, dimension=32)
    assert sorted(ShelfComparison(matrix, question).nearest(30)) == sorted(ShelfComparison(fresh, question).nearest(30))


# The vectors of a space


class Watched:
    """A real space, and what a cache holds of it."""

    def __init__(self, memory: Memory, embedder: ScriptedEmbedder | None = None) -> None:
        self.memory = memory
        self.store: Any = memory._call.instance.store
        self.embedder = embedder or ScriptedEmbedder()
        self.cache = VectorCache()

    def look(self, *scopes: str) -> tuple[dict[str, int], int]:
        """The contents that have a vector, with their shelves, and how many documents have none."""
        with self.store.read() as reading:
            shelves = reading.index.shelves(tuple(Collection), Sight(scopes or None))
            matrices, missing = self.cache.matrices(reading, self.embedder, shelves, dimension=self.embedder.dimension)
            held = {doc: shelf for shelf, matrix in matrices.items() for doc in matrix.docs}
            assert sum(matrix.size for matrix in matrices.values()) == len(held)
            texts = {version.no: version.content for version in reading.memories.versions_numbered(held)}
            texts |= {text.no: text.text for text in reading.passages.texts(held)}
            for shelf, matrix in matrices.items():
                for row, doc in enumerate(matrix.docs):
                    vector = matrix.unit_rows([row])[0]
                    truth = unit(numpy.frombuffer(self.embedder._embed(texts[doc]).vector, dtype=numpy.int8))
                    assert vector.tolist() == pytest.approx(truth.tolist(), abs=1e-5), shelf
            return {texts[doc]: shelf for doc, shelf in held.items()}, missing

    def texts(self, *scopes: str) -> list[str]:
        held, missing = self.look(*scopes)
        assert missing == 0
        return sorted(held)

    def keep(self) -> int:
        """What the background, or another process, does."""
        return keep_vectors(self.store, ScriptedEmbedder(name=self.embedder.name, dimension=self.embedder.dimension))

    def damage(self, statement: str) -> None:
        with self.store.connector.writing() as connection:
            connection.run(statement, {})


@pytest.fixture
def watched() -> Iterator[Watched]:
    with Memory.open(":memory:") as memory:
        yield Watched(memory)


SAID = [f"The {subject} is {other}." for subject, other in zip(WORDS[::2], WORDS[1::2], strict=True)]


@pytest.mark.covers("B6", "C14")
def test_a_quick_model_embeds_what_is_new_when_it_is_asked_and_only_that(watched: Watched) -> None:
    assert watched.texts() == []
    watched.memory.learn(SAID[0])
    assert watched.texts() == SAID[:1]
    calls = watched.embedder.calls
    assert watched.texts() == SAID[:1]
    assert watched.embedder.calls == calls, "what is known is not embedded again"
    watched.memory.learn(SAID[1])
    watched.memory.capture(SAID[2])
    watched.memory.learn(SAID[3], scope="project:a")
    held, _ = watched.look()
    assert sorted(held) == sorted(SAID[:4])
    assert len(set(held.values())) == 3, "each on the shelf of its scope and sort"
    assert watched.texts("project:a") == [SAID[3]]
    assert watched.cache.behind == 4


@pytest.mark.covers("B6", "B28")
def test_what_others_have_kept_meanwhile_is_read_and_not_missed(watched: Watched) -> None:
    watched.memory.learn(SAID[0])
    watched.keep()
    assert watched.texts() == SAID[:1]
    assert watched.embedder.calls == 0, "it was there already"
    watched.memory.learn(SAID[1])
    assert watched.keep() == 1
    assert watched.texts() == sorted(SAID[:2]), "written and kept before this one looked again"
    watched.memory.learn(SAID[2])
    assert watched.texts() == sorted(SAID[:3])
    watched.memory.learn(SAID[3])
    watched.keep()
    assert watched.texts() == sorted(SAID[:4]), "one embedded here, one by others, both kept"
    assert watched.cache.behind == 0


@pytest.mark.covers("B6", "B28")
@pytest.mark.parametrize("is_quick", [True, False])
def test_what_others_keep_is_taken_in_without_reading_all_again(
    watched: Watched, is_quick: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.embedder.is_quick = is_quick
    read: list[int] = []
    plain = VectorPart.of_shelf

    def count(self: VectorPart, model: int, shelf: int, *, with_tokens: bool) -> list[VectorRow]:
        read.append(shelf)
        return plain(self, model, shelf, with_tokens=with_tokens)

    monkeypatch.setattr(VectorPart, "of_shelf", count)
    watched.memory.learn(SAID[0])
    watched.keep()
    assert watched.texts() == SAID[:1]
    assert len(read) == 1
    for number, text in enumerate(SAID[1:], 2):
        watched.memory.learn(text)
        watched.keep()
        assert watched.texts() == sorted(SAID[:number])
    assert len(read) == 1, "only what is new was read"
    assert watched.embedder.calls == 0
    monkeypatch.setattr(module, "VECTORS_FOLLOWED_MAX", 0)
    watched.memory.learn("The quay is long.")
    watched.keep()
    assert watched.texts() == sorted([*SAID, "The quay is long."])
    assert len(read) == 2, "after very many all are read anew"


def test_a_view_that_is_older_does_not_make_it_forget(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as mine, Memory.open(tmp_path) as theirs:
        here, there = Watched(mine), Watched(theirs)
        here.embedder.is_quick = False
        mine.learn(SAID[0])
        here.keep()
        with theirs._call.instance.store.read() as older:
            shelves = older.index.shelves(tuple(Collection), EVERYTHING)
            assert here.cache.matrices(older, here.embedder, shelves, dimension=here.embedder.dimension)[1] == 0
            mine.learn(SAID[1])
            here.keep()
            assert here.texts() == sorted(SAID[:2])
            held = dict(here.cache._matrices)
            assert here.cache.matrices(older, here.embedder, shelves, dimension=here.embedder.dimension)[0] == held, (
                "what a newer one has read stays"
            )
            assert here.texts() == sorted(SAID[:2])
        assert there.texts() == sorted(SAID[:2])


@pytest.mark.covers("B28", "C14")
def test_writes_of_another_process_are_followed(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as mine, Memory.open(tmp_path) as theirs:
        here, there = Watched(mine), Watched(theirs)
        for number, text in enumerate(SAID, 1):
            (mine if number % 2 else theirs).learn(text)
            assert here.texts() == sorted(SAID[:number])
            if number % 3 == 0:
                there.keep()
            assert there.texts() == sorted(SAID[:number])


@pytest.mark.covers("B6")
@pytest.mark.parametrize("is_quick", [True, False])
def test_vectors_that_were_deleted_are_made_again_or_missed_aloud(watched: Watched, is_quick: bool) -> None:
    watched.memory.learn_many([{"content": text} for text in SAID])
    watched.keep()
    watched.embedder.is_quick = is_quick
    assert watched.texts() == sorted(SAID)
    watched.damage("DELETE FROM vectors")
    held, missing = watched.look()
    assert (sorted(held), missing) == ((sorted(SAID), 0) if is_quick else ([], len(SAID)))
    assert watched.keep() == len(SAID)
    assert watched.texts() == sorted(SAID)


@pytest.mark.covers("B6")
def test_a_slow_model_says_how_much_it_has_not_seen_and_embeds_nothing_itself(watched: Watched) -> None:
    watched.embedder.is_quick = False
    watched.memory.learn(SAID[0])
    assert watched.look() == ({}, 1)
    assert watched.keep() == 1
    assert watched.texts() == SAID[:1]
    watched.memory.learn(SAID[1])
    held, missing = watched.look()
    assert (list(held), missing) == (SAID[:1], 1)
    watched.keep()
    assert watched.texts() == sorted(SAID[:2])
    assert watched.embedder.calls == 0


def test_more_than_a_recall_may_embed_waits_for_the_background(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EMBEDDED_IN_RECALL_MAX", 3)
    watched.memory.learn_many([{"content": text} for text in SAID[:4]])
    assert watched.look() == ({}, 4)
    assert watched.embedder.calls == 0
    watched.keep()
    assert watched.texts() == sorted(SAID[:4])


@pytest.mark.covers("B6")
def test_another_model_has_vectors_of_its_own_and_the_old_ones_go_when_it_has_caught_up(watched: Watched) -> None:
    old = watched.embedder
    watched.memory.learn_many([{"content": text} for text in SAID])
    watched.keep()
    assert watched.texts() == sorted(SAID)
    watched.embedder = ScriptedEmbedder(name="other/24", dimension=24)
    assert watched.texts() == sorted(SAID), "the same cache, another model"
    with watched.store.read() as reading:
        number = reading.vectors.model(old.name)[0]
        assert reading.vectors.has_any(number), "nothing of the new one is stored yet"
    assert watched.keep() == len(SAID)
    with watched.store.read() as reading:
        assert not reading.vectors.has_any(number)
        assert reading.vectors.has_any(reading.vectors.model("other/24")[0])
    assert watched.texts() == sorted(SAID)
    watched.embedder = old
    assert watched.texts() == sorted(SAID), "and back"
    assert watched.keep() == len(SAID)
    assert watched.texts() == sorted(SAID)


def test_a_model_of_the_same_name_and_another_dimension_is_refused(watched: Watched) -> None:
    watched.memory.learn(SAID[0])
    watched.keep()
    watched.embedder = ScriptedEmbedder(dimension=32)
    with pytest.raises(ModelProblem, match="dimensions"):
        watched.look()
    watched.embedder = ScriptedEmbedder()
    assert watched.texts() == SAID[:1]


@pytest.mark.covers("B6")
def test_a_model_that_fails_for_a_while_misses_nothing_afterwards(watched: Watched) -> None:
    watched.memory.learn(SAID[0])
    watched.embedder.fails_from = 1
    with pytest.raises(ModelProblem):
        watched.look()
    watched.memory.learn(SAID[1])
    with pytest.raises(ModelProblem):
        watched.look()
    watched.embedder.fails_from = None
    assert watched.texts() == sorted(SAID[:2])


def test_what_is_not_asked_for_is_let_go_when_there_is_too_much(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, text in enumerate(SAID):
        watched.memory.learn(text, scope=f"project:{number}")
    one = 64 * watched.embedder.dimension
    monkeypatch.setattr(module, "VECTORS_BYTES_MAX", 2 * one)
    for _ in range(2):
        for number, text in enumerate(SAID):
            assert watched.texts(f"project:{number}") == [text]
            assert len(watched.cache._matrices) <= 2
    assert watched.texts() == sorted(SAID), "what is asked for is never let go, however much it is"


def test_what_was_rejected_or_replaced_keeps_its_vector_since_a_past_moment_may_be_asked_about(
    watched: Watched,
) -> None:
    learned = watched.memory.learn(SAID[0]).memory.id
    watched.memory.correct(learned, SAID[1], reason="so it is")
    with watched.store.read() as reading:
        (shelf,) = reading.index.shelves((Collection.MEMORY,), EVERYTHING)
        matrices, _ = watched.cache.matrices(reading, watched.embedder, [shelf], dimension=watched.embedder.dimension)
        versions = reading.memories.versions_page(after=0, limit=9)
    assert sorted(matrices[shelf.no].docs) == [version.no for version in versions]
    assert len(versions) >= 3


# Keeping


@pytest.mark.covers("B6", "B28")
def test_keeping_goes_step_by_step_and_can_be_stopped_and_taken_up_again(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "EMBEDDING_STEP_ENTRIES", 20)
    for number in range(45):
        watched.memory.learn(f"Bin b{number}x holds {WORDS[number % 12]} item i{number}y.")
    told: list[tuple[int, int]] = []

    def go_on(done: int, all_of_them: int) -> bool:
        told.append((done, all_of_them))
        return len(told) < 2

    kept = keep_vectors(watched.store, ScriptedEmbedder(), go_on=go_on)
    assert told == [(20, 45), (40, 45)]
    with watched.store.read() as reading:
        assert kept_until(reading, reading.vectors.model(watched.embedder.name)[0]) == 40
    assert kept + watched.keep() == 45
    assert watched.keep() == 0
    assert len(watched.texts()) == 45
    assert watched.embedder.calls == 0


@pytest.mark.covers("B28")
def test_two_that_keep_at_the_same_time_do_not_get_in_each_others_way(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as mine, Memory.open(tmp_path) as theirs:
        mine.learn_many([{"content": f"Bin b{number}x holds item i{number}y."} for number in range(50)])
        here, there = Watched(mine), Watched(theirs)

        def meanwhile(_done: int, _all: int) -> bool:
            there.keep()
            return True

        class Slow(ScriptedEmbedder):
            """The other one overtakes it while it embeds."""

            def embed(self, texts: Sequence[str]) -> list[Any]:
                there.keep()
                return super().embed(texts)

        assert keep_vectors(here.store, Slow(), go_on=meanwhile) == 0
        assert len(here.texts()) == len(there.texts()) == 50
        assert here.embedder.calls == there.embedder.calls == 0


@pytest.mark.parametrize("length", [10, 1_200, 1_201, 9_000])
def test_a_long_text_is_embedded_in_pieces_that_leave_nothing_out(length: int) -> None:
    text = " ".join(f"w{number}x" for number in range(length))[:length]
    pieces = cut_text(text)
    assert (len(pieces) == 1) == (length <= 1_200)
    assert all(len(piece) <= 1_600 for piece in pieces)
    assert set(text.split()) <= {word for piece in pieces for word in piece.split()} | {text.split()[-1]}
