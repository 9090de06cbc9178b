"""Postings in memory: the best of very many without adding them all up, and never those of another view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue import Memory
from heldtrue.domain.posting import pack_posting, to_bytes
from heldtrue.domain.principal import Sight
from heldtrue.domain.rows import Collection
from heldtrue.recall.index import best_scores, scoring
from heldtrue.recall.index import postings as module
from heldtrue.recall.index.best_scores import MemoryScores, ShelfScores
from heldtrue.recall.index.cache import IndexCache
from heldtrue.recall.index.postings import PostingCache, PostingList
from heldtrue.recall.index.scoring import SaturatedShares, saturate
from heldtrue.recall.index.term_postings import WordIndex
from heldtrue.recall.index.words import find_words
from heldtrue.recall.question import parse_question
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore
from tests.acceptance.homes import times
from tests.conformance.samples import insert_all, make_plain_version

numpy = pytest.importorskip("numpy")
USUAL = 12.0


def post(docs: Sequence[tuple[int, int, int]]) -> PostingList:
    """Postings of documents, each with how often it has the word and how long it is."""
    return PostingList(to_bytes(pack_posting(doc, times, length) for doc, times, length in sorted(docs)))


def by_hand(lists: Sequence[tuple[float, PostingList]]) -> dict[int, float]:
    scores: dict[int, float] = {}
    shares = SaturatedShares(USUAL)
    for worth, postings in lists:
        for posting in postings:
            scores[posting >> 16] = scores.get(posting >> 16, 0.0) + worth * shares[posting & 0x7FFF]
    return scores


posting = st.tuples(st.integers(1, 400), st.integers(1, 4), st.integers(3, 60))
word = st.lists(posting, min_size=1, max_size=300, unique_by=lambda pair: pair[0])


@pytest.mark.covers("A7", "B27")
@settings(max_examples=times(80))
@given(st.lists(word, min_size=1, max_size=6), st.integers(1, 60))
def test_the_best_of_many_are_those_of_adding_all_up(said: list[list[tuple[int, int, int]]], wanted: int) -> None:
    lists = sorted((post(docs) for docs in said), key=len)
    worths = [1 / (2 + len(posted)) for posted in lists]
    whole = by_hand(list(zip(worths, lists, strict=True)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_scores, "_LOOK_FROM", 1)
        scores = ShelfScores(list(zip(worths, lists, strict=True)), saturate, USUAL)
        for _ in range(2):
            docs, found, are_all = scores.best(wanted)
            best = sorted(whole, key=lambda doc: (-whole[doc], -doc))[:wanted]
            assert docs.tolist() == best
            assert found.tolist() == [whole[doc] for doc in best], "to the last bit"
            assert not are_all or len(best) == len(whole)
        least = whole[best[-1]]
        assert scores.best(wanted, least)[0].tolist() == best, "nothing that has as much is left out"
        assert scores.best(10_000)[2]
    asked = sorted({*whole, 1, 500})
    assert scores.of(numpy.array(asked)).tolist() == [whole.get(doc, 0.0) for doc in asked]


def test_common_words_are_not_read_through_where_rare_ones_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    rare = post([(doc, 1, 10) for doc in range(100, 140)])
    common = post([(doc, 1, 10) for doc in range(1, 30_000)])
    scores = ShelfScores([(0.8, rare), (0.1, common)], saturate, USUAL)
    looked: list[int] = []
    plain = ShelfScores.of

    def count(self: ShelfScores, docs: Any, **more: Any) -> Any:
        looked.append(len(docs))
        return plain(self, docs, **more)

    monkeypatch.setattr(ShelfScores, "of", count)
    docs, _, are_all = scores.best(30)
    assert (docs.tolist(), are_all) == (list(range(139, 109, -1)), False)
    assert 0 < max(looked) <= 40, "only what the rare word found is looked up"


# What is kept


class Holding:
    """A real store in memory, and what is kept of its postings."""

    def __init__(self) -> None:
        self.store = SqlStore(SqliteConnector(None))
        self.cache = IndexCache()
        self._version = 0

    def learn(self, *texts: str, scope: str = "global", post: bool = True) -> None:
        with self.store.write() as writing:
            for text in texts:
                self._version += 1
                insert_all(writing, make_plain_version(self._version, text, scope=scope))
            if post:
                writing.index.post_words()

    def ask(self, question: str, *scopes: str, cache: IndexCache | None = None) -> dict[int, float]:
        with self.store.read() as reading:
            shelves = reading.index.shelves(tuple(Collection), Sight(scopes or None))
            index = WordIndex(reading, reading.index.space_state(None), shelves, cache or self.cache)
            found = find_words(index, parse_question(question, now=0)).memories
            if isinstance(found, MemoryScores):
                return found.of(sorted(found.best(1 << 40)[0]))
            return found


@pytest.fixture
def holding(monkeypatch: pytest.MonkeyPatch) -> Iterator[Holding]:
    monkeypatch.setattr(module, "_KEPT_FROM", 2)
    held = Holding()
    yield held
    held.store.close()


@pytest.mark.covers("B27", "B28")
@pytest.mark.parametrize("many", [1, 10_000])
def test_what_is_kept_is_what_is_there(holding: Holding, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "MANY_POSTINGS", many)
    holding.learn(*["amber birch"] * 5, "amber")
    first = holding.ask("amber birch")
    assert len(first) == 6
    assert holding.cache.posted._lists.keys() == {"amber", "birch"}, "both are kept now"
    holding.learn("amber birch", post=False)
    assert len(holding.ask("amber birch")) == 7, "what waits is found beside it"
    holding.learn("amber cedar")
    after = holding.ask("amber birch")
    assert len(after) == 8
    assert after == holding.ask("amber birch", cache=IndexCache()), "as one sees it that has kept nothing"


@pytest.mark.covers("C13")
def test_what_is_kept_of_one_scope_is_not_shown_in_another(holding: Holding) -> None:
    holding.learn(*["amber birch"] * 5, scope="project:a")
    holding.learn(*["amber birch"] * 3, scope="project:b")
    for _ in range(2):
        assert set(holding.ask("amber", "project:a")) == {1, 2, 3, 4, 5}
        assert set(holding.ask("amber", "project:b")) == {6, 7, 8}
        assert holding.ask("amber", "project:c") == {}
        assert len(holding.ask("amber")) == 8


def test_kept_postings_are_let_go_when_there_are_too_many(holding: Holding, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POSTINGS_CACHED_MAX", 12)
    names = "amber birch cedar delta".split()
    holding.learn(*(name for name in names for _ in range(5)))
    for name in names * 2:
        assert len(holding.ask(name)) == 5
        assert holding.cache.posted._held <= 12
    assert 0 < len(holding.cache.posted._lists) <= 2


@pytest.mark.covers("B6")
def test_postings_that_were_deleted_are_not_answered_from_memory(holding: Holding) -> None:
    holding.learn(*["amber"] * 5)
    assert len(holding.ask("amber")) == 5
    with holding.store.connector.writing() as connection:
        connection.run("DELETE FROM postings", {})
    assert holding.ask("amber") == {}


def test_damaged_blocks_are_left_out(holding: Holding) -> None:
    holding.learn(*["amber"] * 5)
    holding.learn("birch")
    with holding.store.connector.writing() as connection:
        connection.run("UPDATE postings SET data = 'text' WHERE term = 'amber'", {})
    assert holding.ask("amber birch").keys() == {6}


@pytest.mark.covers("B6")
@pytest.mark.parametrize("damage", [b"\xff" * 8, to_bytes([pack_posting(3, 1, 2)] * 3), to_bytes([9 << 16, 2 << 16])])
def test_postings_that_say_what_cannot_be_break_nothing(
    holding: Holding, damage: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "MANY_POSTINGS", 1)
    holding.learn(*["amber"] * 5, "birch")
    with holding.store.connector.writing() as connection:
        connection.run("UPDATE postings SET data = data || :more WHERE term = 'amber'", {"more": damage})
        connection.run("UPDATE postings SET data = CAST(data AS BLOB)", {})
    found = holding.ask("amber birch")
    assert found.keys() >= {1, 2, 3, 4, 5, 6}
    assert found[6] > found[1] > 0


def test_what_breaks_off_leaves_nothing_for_the_next_question(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = [(0.5, post([(doc, 1, 10) for doc in range(1, 50)])), (0.5, post([(doc, 1, 10) for doc in range(20, 90)]))]
    whole = ShelfScores(lists, saturate, USUAL).best(10)[1].tolist()
    broken = ShelfScores(lists, saturate, USUAL)
    broken._words.append((None, lists[0][1]))  # type: ignore[arg-type]
    broken._rest.append(1.0)
    with pytest.raises(TypeError):
        broken.best(10)
    assert ShelfScores(lists, saturate, USUAL).best(10)[1].tolist() == whole


def test_a_view_that_is_older_neither_sees_nor_spoils_what_a_newer_one_keeps(tmp_path: Path) -> None:
    store = SqlStore(SqliteConnector(tmp_path / "one.db"))
    cache = PostingCache()

    def learn(number: int) -> None:
        with SqlStore(SqliteConnector(tmp_path / "one.db")).write() as writing:
            insert_all(writing, make_plain_version(number, "amber"))
            writing.index.post_words()

    def read(reading: Any) -> int:
        return sum(
            len(postings) for _, _, postings in cache.read(reading, reading.index.space_state(None), [1], ["amber"])
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_KEPT_FROM", 1)
        learn(1)
        with store.read() as old:
            assert read(old) == 1
            learn(2)
            with SqlStore(SqliteConnector(tmp_path / "one.db")).read() as new:
                for _ in range(3):
                    assert (read(new), read(old)) == (2, 1)
    store.close()


# Shelves


@pytest.mark.covers("B28")
def test_a_shelf_that_another_process_makes_is_seen_at_once(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as mine, Memory.open(tmp_path) as theirs:
        theirs.learn("The heron nests under the pier.")
        asked = [result.memory.content for result in mine.recall("where does the heron nest").results]
        assert asked == ["The heron nests under the pier."]
        theirs.learn("The heron nests in the reeds.", scope="project:a")
        found = {
            result.memory.content for result in mine.recall("where does the heron nest", scopes=["project:a"]).results
        }
        assert found == {"The heron nests in the reeds."}
        theirs.capture("The heron nests on the roof, says the note.", title="note")
        found = {result.passage.text for result in mine.recall("where does the heron nest").results if result.passage}
        assert found == {"The heron nests on the roof, says the note."}
