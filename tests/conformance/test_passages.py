"""Evidence is found in pieces, in the order of its thread, and hidden from the moment that is said."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from heldtrue.domain.limits import SOURCE_HEAD_CHARS_MAX
from heldtrue.domain.posting import PLACES_MAX, from_bytes, thread_of
from heldtrue.domain.principal import EVERYTHING
from heldtrue.domain.privacy import SHARED, Privacy
from heldtrue.domain.records import Source
from heldtrue.domain.rows import Collection, NewPassage, Passage, PassageText, VersionFilter
from heldtrue.storage.store import SqlStore
from tests.conformance.samples import (
    close_record,
    insert_all,
    make_archived_source,
    make_evidence,
    make_piece,
    make_quarantine,
    make_source,
    memory_id,
)

ANY = VersionFilter(sight=EVERYTHING)
TEXT = "Ein Bär 🐻 wohnt hier. Zweiter Satz, e\u0301."


def keep(store: SqlStore, source: Source, *pieces: NewPassage, collection: str = Collection.SESSIONS) -> list[Passage]:
    """Write a source and make it findable; its passages."""
    assert source.thread is not None
    with store.write() as writing:
        writing.ledger.insert(source)
        writing.passages.add(source, source.thread, pieces, collection=collection)
        return writing.passages.of_source(source.id)


@pytest.mark.covers("D2", "B18")
def test_a_passage_tells_where_it_is_from_and_what_it_says(store: SqlStore) -> None:
    source = make_source(1, content=TEXT, seq=4, occurred_at=77)
    first, second = keep(
        store, source, make_piece(source, 0, 22, "the zoo", keys=(5, 6)), make_piece(source, 23, hidden_seq=9)
    )
    assert first == Passage(PLACES_MAX, 1, "source-1", 4, 0, 22, "Grace", 77, first.terms, None)
    assert (second.no, second.span_start, second.span_end, second.hidden_seq) == (PLACES_MAX + 1, 23, len(TEXT), 9)
    with store.read() as reading:
        texts = reading.passages.texts([second.no, first.no, 5])
        assert [text.text for text in texts] == [TEXT[:22], TEXT[23:]]
        said = {name: getattr(source, name) for name in PassageText.__struct_fields__ if hasattr(source, name)}
        assert {name: getattr(texts[0], name) for name in said} == said
        assert (texts[0].no, texts[0].source_id) == (first.no, source.id)
        assert reading.passages.of_source("source-9") == []


def test_what_has_no_time_of_its_own_happened_when_it_was_recorded(store: SqlStore) -> None:
    source = make_source(1, occurred_at=None, recorded_at=123)
    assert [passage.happened_at for passage in keep(store, source, make_piece(source))] == [123]


@pytest.mark.covers("B19", "C13")
def test_the_words_of_a_passage_count_and_those_around_it_count_half(store: SqlStore) -> None:
    source = make_source(1, content="the bear", speaker=None)
    (passage,) = keep(store, source, make_piece(source, 0, 8, "bear zoo"))
    with store.write() as writing:
        writing.index.post_words()
        posted = {
            term: from_bytes(data)[0] for _shelf, term, data in writing.index.postings([1], ["bear", "zoo", "absent"])
        }
    assert {term: (packed >> 16, (packed >> 8 & 127) / 2) for term, packed in posted.items()} == {
        "bear": (passage.no, 1.5),
        "zoo": (passage.no, 0.5),
    }


def test_characters_that_nobody_sees_do_not_keep_a_word_from_being_found(store: SqlStore) -> None:
    source = make_source(1, content="the be\u00ada\u200br")
    (passage,) = keep(store, source, make_piece(source))
    with store.write() as writing:
        writing.index.post_words()
        assert [from_bytes(data)[0] >> 16 for _shelf, _term, data in writing.index.postings([1], ["bear"])] == [
            passage.no
        ]
        assert [text.text for text in writing.passages.texts([passage.no])] == ["the be\u00ada\u200br"], "as it came"


@pytest.mark.covers("B11")
def test_a_thread_goes_on_where_it_ended_and_is_one_for_each_shelf(store: SqlStore) -> None:
    sources = [
        make_source(1),
        make_source(2),
        make_source(3, thread="other"),
        make_source(4, scope="team:x"),
        make_source(5, visibility="private"),
        make_source(6),
    ]
    numbers = [
        [passage.no for passage in keep(store, source, make_piece(source), make_piece(source))] for source in sources
    ]
    assert numbers[1] == [numbers[0][1] + 1, numbers[0][1] + 2]
    assert numbers[5] == [numbers[1][1] + 1, numbers[1][1] + 2]
    assert len({thread_of(pair[0]) for pair in numbers}) == 4
    with store.read() as reading:
        shelves = {(shelf.scope, shelf.privacy): shelf.no for shelf in reading.index.shelves(["sessions"], EVERYTHING)}
        assert reading.passages.count_threads([shelves["global", SHARED]]) == 2
        assert reading.passages.count_threads(list(shelves.values())) == 4
        assert reading.passages.count_threads([]) == 0


def test_a_thread_that_is_full_goes_on_as_another(store: SqlStore) -> None:
    first, second = make_source(1), make_source(2)
    (before,) = keep(store, first, make_piece(first))
    with store.connector.writing() as connection:
        connection.run(store.connector.spell("UPDATE threads SET places = :many"), {"many": PLACES_MAX - 1})
    after = keep(store, second, make_piece(second), make_piece(second))
    assert [passage.no for passage in after] == [before.no + PLACES_MAX, before.no + PLACES_MAX + 1]


@pytest.mark.covers("A14")
@pytest.mark.parametrize(
    ("asked", "seen"),
    [
        ({}, [1]),
        ({"seq": 3}, []),
        ({"seq": 4}, [1, 2]),
        ({"seq": 8}, [1, 2]),
        ({"seq": 9}, [1]),
        ({"seq": 2**62}, [1]),
        ({"observed_after": 50}, [1]),
        ({"observed_after": 51}, []),
        ({"valid_at": 49}, []),
        ({"valid_at": 50}, [1]),
        ({"valid_at": 50, "seq": 5}, [1, 2]),
    ],
)
def test_a_passage_is_seen_as_of_a_sequence_and_hidden_from_one_on(
    store: SqlStore, asked: dict[str, Any], seen: list[int]
) -> None:
    """The second was hidden by entry 9, the third is hidden from every moment."""
    numbers = {}
    for number, hidden_seq in ((1, None), (2, 9), (3, 0)):
        source = make_source(number, seq=4, occurred_at=50)
        (passage,) = keep(store, source, make_piece(source, hidden_seq=hidden_seq))
        numbers[passage.no] = number
    with store.read() as reading:
        chosen = VersionFilter(sight=EVERYTHING, **asked)
        assert [numbers[passage.no] for passage in reading.passages.numbered([*numbers, 7], [1], chosen)] == seen
        assert reading.passages.numbered(list(numbers), [2], chosen) == [], "on another shelf it is not there"
        unseen = reading.passages.unseen([1], chosen.seq)
        assert unseen.isdisjoint(passage.no for passage in reading.passages.numbered(list(numbers), [1], chosen))
        assert reading.passages.unseen([2], chosen.seq) == set()
        newest = reading.passages.newest([1], chosen, limit=9)
        assert [numbers[passage.no] for passage in newest] == seen[::-1]
        assert reading.passages.newest([2], chosen, limit=9) == []
        assert reading.passages.newest([1], chosen, limit=1) == newest[:1]


def test_passages_are_hidden_and_shown_by_number_and_no_others(store: SqlStore) -> None:
    source = make_source(1)
    numbers = [
        passage.no for passage in keep(store, source, make_piece(source), make_piece(source), make_piece(source))
    ]

    def hidden() -> list[int | None]:
        with store.read() as reading:
            return [passage.hidden_seq for passage in reading.passages.of_source(source.id)]

    def hide(chosen: list[int], hidden_seq: int | None) -> None:
        with store.write() as writing:
            writing.passages.hide(chosen, hidden_seq)

    hide(numbers[:2], 7)
    assert hidden() == [7, 7, None]
    hide(numbers[1:], 0)
    assert hidden() == [7, 0, 0]
    hide([numbers[0], numbers[2]], None)
    assert hidden() == [None, 0, None]
    hide([], 5)
    assert hidden() == [None, 0, None]


def test_passages_are_found_by_the_keys_of_what_they_say(store: SqlStore) -> None:
    first, second = make_source(1), make_source(2)
    one, other = keep(store, first, make_piece(first, keys=(5, -6, 5)), make_piece(first, keys=(2**62,)))
    (third,) = keep(store, second, make_piece(second, keys=(5,)))
    with store.read() as reading:
        assert reading.passages.by_keys([5]) == [one, third]
        assert reading.passages.by_keys(iter([-6, 5, 99])) == [one, third]
        assert reading.passages.by_keys([2**62]) == [other]
        assert reading.passages.by_keys([]) == reading.passages.by_keys([99]) == []


def test_passages_are_found_by_the_entry_that_made_them(store: SqlStore) -> None:
    kept = []
    for number, thread in ((1, "a"), (2, "b"), (3, "a")):
        source = make_source(number, thread=thread)
        kept += keep(store, source, make_piece(source))
    one, two, three = kept
    with store.read() as reading:
        assert reading.passages.written(after=0, until=3) == [one, two, three]
        assert reading.passages.written(after=1, until=2) == [two]
        assert reading.vectors.count_documents(after=0) == 3
        assert reading.vectors.count_documents(after=2) == 1


@pytest.mark.covers("D2")
def test_the_turns_of_a_thread_are_read_in_order_apart_from_what_nobody_said(store: SqlStore) -> None:
    others = [
        make_source(7, place=2, speaker=None),
        make_source(8, place=9, scope="team:x"),
        make_source(9, place=5, visibility="private", author="agent:a"),
        make_source(10, place=4, thread="other"),
    ]
    turns = [make_source(number, place=index) for number, index in ((1, 1), (2, 0), (3, 3))]
    with store.write() as writing:
        insert_all(writing, *others, *turns)
    with store.read() as reading:
        assert [turn.place for turn in reading.sources.thread_turns("chat 12", "global", SHARED, limit=9)] == [0, 1, 3]
        assert [turn.place for turn in reading.sources.thread_turns("chat 12", "global", SHARED, limit=2)] == [0, 1]
        assert [turn.place for turn in reading.sources.turns_before(turns[2], limit=9)] == [0, 1]
        assert [turn.place for turn in reading.sources.turns_before(turns[2], limit=1)] == [1]
        assert reading.sources.turns_before(turns[1], limit=9) == reading.sources.turns_before(others[2], limit=9) == []
        assert reading.sources.turns_before(make_source(11, thread=None, place=None), limit=9) == []
        assert reading.sources.documents_before(turns[2]) == reading.sources.documents_after(turns[1]) == []
        own = reading.sources.thread_turns("chat 12", "global", Privacy("agent:a"), limit=9)
        assert [source.id for source in own] == ["source-9"]
        assert reading.sources.thread_turns("chat 12", "global", Privacy("agent:b"), limit=9) == []
        lengths = [
            reading.sources.thread_length(*asked)
            for asked in (
                ("chat 12", "global", SHARED), ("chat 12", "team:x", SHARED),
                ("chat 12", "global", Privacy("agent:a")), ("nothing", "global", SHARED),
            )
        ]  # fmt: skip
        assert lengths == [4, 10, 6, 0]


@pytest.mark.covers("B18")
def test_a_source_is_in_quarantine_once_until_it_is_let_out(store: SqlStore) -> None:
    first, again = make_quarantine(1), make_quarantine(2, source_id="source-1")
    with store.write() as writing:
        writing.ledger.insert(first)
        assert writing.sources.open_quarantine("source-1") == first
        assert writing.sources.open_quarantine("source-2") is None
        assert writing.sources.quarantined(["source-1", "source-2"]) == {"source-1"}
        writing.ledger.close(close_record(first, 2))
        assert writing.sources.open_quarantine("source-1") is None
        writing.ledger.insert(again)
        assert writing.sources.open_quarantine("source-1") == again


def test_the_memories_that_rest_on_a_source_are_named_once(store: SqlStore) -> None:
    pieces = [
        make_evidence(1),
        make_evidence(2, source_id="source-1"),
        make_evidence(2, version=2, source_id="source-1"),
        make_evidence(3),
    ]
    with store.write() as writing:
        insert_all(writing, *pieces)
        assert writing.sources.memories_of("source-1") == [memory_id(1), memory_id(2)]
        assert writing.sources.memories_of("source-9") == []


def test_a_tally_counts_the_sources_that_should_be_findable_and_are_not(store: SqlStore) -> None:
    source = make_source(1)
    keep(store, source, make_piece(source))
    with store.write() as writing:
        insert_all(writing, make_source(2), make_source(3, thread=None))
        assert writing.ledger.tally("unfindable_sources") == 1


def test_a_rebuilt_index_forgets_passages_threads_and_keys_but_no_log(store: SqlStore) -> None:
    source = make_source(1)
    keep(store, source, make_piece(source, keys=(5,)))
    with store.write() as writing:
        writing.log.count_uses([memory_id(1)], recalled=1)
        writing.index.set_state("other", 3)
        folds = writing.index.state("folds")
        writing.index.clear()
        assert writing.passages.written(after=0, until=9) == writing.passages.by_keys([5]) == []
        assert writing.passages.count_threads([1]) == 0
        assert writing.index.unposted(0) == []
        assert writing.index.state("folds") == folds + 1
        assert (writing.index.state("other"), writing.index.state("nothing")) == (3, 0)
        assert len(writing.log.uses([memory_id(1)])) == 1
        assert writing.sources.get(source.id) == source
    again = msgspec.structs.replace(source, id="source-2", lookup_key=7)
    assert [passage.no for passage in keep(store, again, make_piece(again))] == [PLACES_MAX]


@pytest.mark.covers("C4")
def test_the_texts_of_one_document_are_found_by_their_place(store: SqlStore) -> None:
    same: dict[str, Any] = {"kind": "document", "thread": "a.md", "reference": "a.md", "speaker": None}
    texts = [make_source(number, place=index, **same) for number, index in ((1, 0), (2, 2), (3, 5))]
    others = [
        make_source(4, place=1, **(same | {"reference": "b.md"})),
        make_source(5, place=3, **(same | {"scope": "team:x"})),
        make_source(6, place=4, **(same | {"kind": "manual"})),
        make_source(7, place=6, **(same | {"author": "agent:other"})),
    ]
    with store.write() as writing:
        insert_all(writing, *texts, *others)
    with store.read() as reading:
        assert [document.place for document in reading.sources.documents_before(texts[2])] == [0, 2]
        assert [document.place for document in reading.sources.documents_after(texts[0])] == [2, 5]
        assert reading.sources.documents_before(texts[0]) == reading.sources.documents_after(texts[2]) == []
        assert reading.sources.documents_before(others[2]) == [], "what is no document has no earlier texts"


@pytest.mark.covers("A32")
def test_an_archived_source_is_not_found_from_its_entry_on_until_the_entry_that_brings_it_back(store: SqlStore) -> None:
    passages = [keep(store, make_source(number, seq=number), make_piece(make_source(number)))[0] for number in (1, 2)]
    numbers, shelves = [passage.no for passage in passages], sorted({passage.shelf for passage in passages})
    archiving = make_archived_source(1, seq=5)
    with store.write() as writing:
        assert not writing.sources.was_archived("source-1")
        writing.ledger.insert(archiving)
    for closed in (False, True):
        with store.write() as writing:
            if closed:
                writing.ledger.close(close_record(archiving, 9))
            # By entry: before it was archived, while it was, and now.
            for seq, seen in ((4, numbers), (5, numbers[1:]), (8, numbers[1:]), (None, numbers[not closed :])):
                chosen = VersionFilter(sight=EVERYTHING, seq=seq)
                assert [row.no for row in writing.passages.numbered(numbers, shelves, chosen)] == seen
                assert [row.no for row in writing.passages.newest(shelves, chosen, limit=9)] == seen[::-1]
                assert writing.passages.unseen(shelves, seq) == set(numbers) - set(seen)
            assert writing.sources.was_archived("source-1"), "also when it is back"
            assert writing.passages.of_source("source-1") == passages[:1], "by its id it is there"


@pytest.mark.covers("A32")
def test_what_can_be_archived_is_findable_old_enough_in_scope_and_was_never_archived(store: SqlStore) -> None:
    own: dict[int, dict[str, Any]] = {
        1: {"recorded_at": 50},
        2: {"recorded_at": 51, "content": "x" * 2_000},
        3: {"recorded_at": 52},
        4: {"recorded_at": 50, "scope": "project:shop"},
        5: {"recorded_at": 50, "thread": None},
        6: {"recorded_at": 50, "content": ""},
        7: {"recorded_at": 50},
    }
    with store.write() as writing:
        insert_all(writing, *(make_source(number, seq=number, **more) for number, more in own.items()))
        writing.ledger.insert(make_archived_source(7))

        def names(scope: str = "", *, latest: int = 51, after: str = "", limit: int = 9) -> list[str]:
            found = writing.sources.archivable(scope, latest=latest, after=after, limit=limit)
            return [head.id for head in found]

        assert names() == ["source-1", "source-2", "source-4"]
        assert names(latest=52) == ["source-1", "source-2", "source-3", "source-4"]
        assert names("project:shop") == ["source-4"]
        assert (names(limit=1), names(after="source-1")) == (["source-1"], ["source-2", "source-4"])
        head = writing.sources.archivable("", latest=51, after="source-1", limit=1)[0]
        assert (head.kind, head.scope, head.recorded_at) == (make_source(2).kind, "global", 51)
        assert head.beginning == "x" * SOURCE_HEAD_CHARS_MAX
