"""Both stores hold the same words of the same documents, on the shelves where they belong."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from heldtrue.domain.ledger import EMPTY_HEAD
from heldtrue.domain.posting import LENGTHS, Words, from_bytes, length_code
from heldtrue.domain.principal import EVERYTHING, Sight
from heldtrue.domain.rows import Collection, NewPassage, SpaceState, VectorRow
from heldtrue.language.features import count_passage
from heldtrue.language.terms import index_terms, query_terms
from heldtrue.storage import index as word_index
from heldtrue.storage.store import SqlStore
from tests.conformance.backends import Backend, MemoryBackend, PostgresBackend
from tests.conformance.samples import (
    insert_all,
    make_conflict,
    make_entry,
    make_link,
    make_piece,
    make_plain_version,
    make_source,
    words_of,
)

EVERY = tuple(Collection)
WORDS = "amber birch cedar delta ember flint grove heath islet jetty knoll ledge marsh north ochre".split()
HOSTILE = [
    '"', '""', '"amber', 'amber"', "'", "''", "amber'", "*", "amber*", "am*", "^amber", "-amber", "+amber", "!amber",
    "amber OR birch", "amber AND birch", "NOT", "NEAR", "NEAR(amber birch)", "NEAR(amber birch, 2)", "AND", "OR",
    "(", ")", "(amber)", "title:amber", "content : amber", "{title content}", ":x", "::text", "%", "%s",
    "%(name)s", "_", "\\", "\\\\", "amber\\", "a:*", "amber:*", "amber & birch", "amber|birch", "<->",
    "amber <-> birch", "$1", "$$", "--", "/*", ";", "{}", '{"a","b"}', "NULL", "{filter}", "", " ", "\t", "amber birch",
    "amber\u00a0birch", "\u200b", "\ufeff", "💥", "x" * 5_000, "漢" * 3_000,
]  # fmt: skip
Told = dict[str, dict[int, tuple[float, int]]]
"""For each word the documents that have it: how much it counts there, and about how long the document is."""


def random_corpus(seed: int, size: int) -> list[tuple[str, str, str]]:
    """Titles, contents and topics of many lengths, with common and rare words."""
    chance = random.Random(seed)
    weights = [2 ** -(index / 2) for index in range(len(WORDS))]

    def text(longest: int) -> str:
        return " ".join(chance.choices(WORDS, weights, k=chance.randint(0, longest)))

    return [(text(4), text(40), text(2)) for _ in range(size)]


def tell(corpus: Sequence[tuple[str, str, str]]) -> Told:
    """What the postings of a corpus must say."""
    told: Told = {}
    for no, fields in enumerate(corpus, 1):
        counted: dict[str, float] = {}
        for text, weight in zip(fields, (2.0, 1.0, 1.5), strict=True):
            for term in index_terms(text):
                counted[term] = counted.get(term, 0.0) + weight
        length = sum(len(index_terms(text)) for text in fields)
        for term, weight in counted.items():
            told.setdefault(term, {})[no] = (weight, length_code(length))
    return told


def fill(store: SqlStore, corpus: Sequence[tuple[str, str, str]], *, post_each: bool = False) -> None:
    for no, (title, content, topic) in enumerate(corpus, 1):
        with store.write() as writing:
            insert_all(writing, make_plain_version(no, content, title=title or None, topic=topic or None))
            if post_each:
                writing.index.post_words()


def post(store: SqlStore) -> None:
    with store.write() as writing:
        writing.index.post_words()


def read_postings(store: SqlStore, terms: Sequence[str], collections: Sequence[str] = EVERY) -> Told:
    """What the postings of all shelves say about some words."""
    told: Told = {}
    with store.read() as reading:
        shelves = [shelf.no for shelf in reading.index.shelves(collections, EVERYTHING)]
        for _shelf, term, data in reading.index.postings(shelves, terms):
            for packed in from_bytes(data):
                told.setdefault(term, {})[packed >> 16] = ((packed >> 8 & 127) / 2, packed & 255)
    return told


def documents(store: SqlStore, *terms: str) -> list[int]:
    """The documents with any of some words."""
    return sorted({doc for docs in read_postings(store, terms).values() for doc in docs})


@pytest.mark.covers("B19")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_word_is_posted_with_what_it_counts_and_how_long_its_document_is(store: SqlStore, seed: int) -> None:
    corpus = random_corpus(seed, 40)
    fill(store, corpus)
    post(store)
    told = tell(corpus)
    assert read_postings(store, [*told, "absent"]) == told
    assert len(told) > 10
    lengths = [length for docs in told.values() for _weight, length in docs.values()]
    assert LENGTHS[min(lengths)] < 8 < 30 < LENGTHS[max(lengths)]


@pytest.mark.covers("B19")
def test_words_wait_until_they_are_posted_and_nothing_is_lost_on_the_way(store: SqlStore) -> None:
    corpus = random_corpus(4, 12)
    fill(store, corpus)
    with store.read() as reading:
        waiting, totals, folds = reading.index.unposted(0), reading.index.totals(), reading.index.state("folds")
        shelf = reading.index.shelves(["memory"], EVERYTHING)[0]
        assert not reading.index.has_postings([shelf.no])
        assert reading.index.unposted(waiting[4].place) == waiting[5:]
    assert [row.doc for row in waiting] == list(range(1, 13))
    assert {row.shelf for row in waiting} == {shelf.no}
    assert (shelf.docs, shelf.tokens) == (0, 0)
    assert [wanted for _no, _scope, wanted, _there in totals] == [sum(len(docs) for docs in tell(corpus).values())]
    post(store)
    with store.read() as reading:
        assert reading.index.unposted(0) == []
        assert reading.index.has_postings([shelf.no])
        assert not reading.index.has_postings([shelf.no + 1])
        assert not reading.index.has_postings([])
        assert reading.index.totals() == totals
        assert all(wanted == there for _no, _scope, wanted, there in totals)
        assert reading.index.state("folds") == folds + 1
        posted = reading.index.shelves(["memory"], EVERYTHING)[0]
    assert (posted.docs, posted.tokens) == (12, sum(row.length for row in waiting))
    post(store)
    with store.read() as reading:
        assert reading.index.state("folds") == folds + 1, "where nothing waits, nothing changes"


@pytest.mark.covers("B19", "B27")
def test_posting_one_by_one_comes_to_the_same_as_posting_together(backend: Backend) -> None:
    corpus = random_corpus(5, 30)
    one, other = backend.open("one"), backend.open("other")
    fill(one, corpus, post_each=True)
    fill(other, corpus)
    post(other)
    with one.read() as mine, other.read() as theirs:
        assert mine.index.postings([1], WORDS) == theirs.index.postings([1], WORDS) != []
        assert mine.index.shelves(EVERY, EVERYTHING) == theirs.index.shelves(EVERY, EVERYTHING)


def test_a_long_list_is_kept_in_blocks_and_read_in_order(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = random_corpus(6, 30)
    one, other = backend.open("one"), backend.open("other")
    fill(one, corpus, post_each=True)
    monkeypatch.setattr(word_index, "_BLOCK_DOCS", 4)
    fill(other, corpus, post_each=True)
    with one.read() as mine, other.read() as theirs:
        whole, blocks = mine.index.postings([1], ["amber"]), theirs.index.postings([1], ["amber"])
    assert len(whole) == 1
    assert len(blocks) > 4
    assert b"".join(data for _shelf, _term, data in blocks) == whole[0][2]


def test_words_are_posted_by_themselves_when_many_wait(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_index, "WORDS_WAITING_MAX", 6)
    monkeypatch.setattr(word_index, "_LOOK_EVERY", 4)
    corpus = random_corpus(7, 20)
    fill(store, corpus)
    with store.read() as reading:
        assert [row.doc for row in reading.index.unposted(0)] == [17, 18, 19, 20]
        assert all(wanted == there for _no, _scope, wanted, there in reading.index.totals())
    post(store)
    assert read_postings(store, index_terms(" ".join(WORDS))) == tell(corpus)


def test_title_and_topic_count_more_than_content(store: SqlStore) -> None:
    fill(store, [("", "amber cedar", ""), ("amber", "cedar", ""), ("", "cedar", "amber"), ("amber", "amber", "amber")])
    post(store)
    weights = {doc: weight for doc, (weight, _length) in read_postings(store, ["amber"])["amber"].items()}
    assert weights == {1: 1.0, 2: 2.0, 3: 1.5, 4: 4.5}


@pytest.mark.covers("B19")
def test_an_index_made_anew_holds_what_it_held(store: SqlStore) -> None:
    fill(store, random_corpus(8, 20))
    post(store)
    before = read_postings(store, WORDS)
    with store.write() as writing:
        versions = writing.memories.versions_page(after=0, limit=1_000)
        writing.index.clear()
        assert writing.index.indexed_numbers(after=0, limit=9) == []
        assert writing.index.shelves(EVERY, EVERYTHING) == []
        assert writing.index.totals() == []
        for version in versions:
            writing.index.add_version(version, (), words_of(version))
        writing.index.post_words()
    assert before
    assert read_postings(store, WORDS) == before
    assert store.check_structure() == []


@pytest.mark.covers("B19")
def test_words_of_every_script_are_found_by_the_same_words(store: SqlStore) -> None:
    texts = [
        "Straße nach Łódź", "データベースはSQLiteです", "ΑΘΗΝΑ και Σίσυφος", "Москва́ не сразу строилась",
        "C++ and C# and node.js", "max_facts in HttpServer2", "don't ship on fridays", "ภาษาไทย", "한국어 검색",
        "naïve café", "a-b/c@d:e+f#g", "١٢٣ عربى", "𐐀𐐁 deseret", "\U0001e4d0 nag mundari",
        "ǅ titlecase", "İstanbul ve ısı",
    ]  # fmt: skip
    fill(store, [("", text, "") for text in texts])
    post(store)
    for no, text in enumerate(texts, 1):
        for term in query_terms(text):
            assert no in documents(store, term), (text, term)


@pytest.mark.parametrize("term", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_in_a_term_is_syntax(store: SqlStore, term: str) -> None:
    fill(store, [("", "amber birch", ""), ("", "cedar", ""), ("", "delta", "")])
    post(store)
    assert documents(store, term) == []
    # The control: the same search finds what it should, whatever stands beside it.
    assert documents(store, term, "cedar") == [2]
    assert documents(store, "cedar", term, "cedar") == [2]


def test_hostile_words_that_were_stored_are_found_as_themselves(store: SqlStore) -> None:
    texts = ["near and or not", "x" * 5_000, "x" * 5_001, "a:b c++", "漢" * 9]
    fill(store, [("", text, "") for text in texts])
    post(store)
    assert documents(store, "near") == [1]
    assert documents(store, "x" * 5_000) == [2]
    assert documents(store, "x" * 5_001) == [3]
    assert documents(store, "c++") == documents(store, "a:b") == [4]
    assert documents(store, "漢漢") == [5]


def test_no_terms_no_shelves_and_an_empty_space_find_nothing(store: SqlStore) -> None:
    assert documents(store, "amber") == []
    fill(store, [("", "amber", ""), ("", "!!!", "")])
    post(store)
    assert documents(store) == []
    with store.read() as reading:
        assert reading.index.postings([], ["amber"]) == []
        assert reading.index.postings([99], ["amber"]) == []
        assert [row[1:] for row in reading.index.totals()] == [("project:atlas", 1, 1)]
    assert documents(store, "amber") == [1]


def test_words_are_listed_by_how_they_begin(store: SqlStore) -> None:
    fill(store, [("", "alpha alphabet alpine beta Älg zebra", "")])
    post(store)
    with store.read() as reading:
        assert reading.index.terms_between([1], "alph", "alpi", limit=9) == ["alpha", "alphabet"]
        assert reading.index.terms_between([1], "al", "b", limit=2) == ["alpha", "alphabet"]
        assert reading.index.terms_between([1], "z", "zzz", limit=9) == ["zebra"]
        assert reading.index.terms_between([1], "\x80", "\U0010ffff", limit=9) == ["älg"], (
            "by code point, in every database"
        )
        assert reading.index.terms_between([2], "a", "z", limit=9) == []


@pytest.fixture
def shelved(store: SqlStore) -> SqlStore:
    """The same word in several scopes, for everyone and for two agents alone, said and written."""
    with store.write() as writing:
        insert_all(
            writing,
            make_plain_version(1, "amber", scope="global", author="agent:a"),
            make_plain_version(2, "amber", scope="global", author="agent:a", visibility="private"),
            make_plain_version(3, "amber", scope="global", author="agent:b", visibility="private"),
            make_plain_version(4, "amber", scope="team:x", author="agent:a", visibility="shared"),
            make_plain_version(5, "amber", scope="global", author="agent:b"),
        )
        turn = make_source(1, content="amber", author="agent:a", visibility="private")
        writing.ledger.insert(turn)
        writing.passages.add(turn, "chat", [make_piece(turn, 0, 5)], collection=Collection.SESSIONS)
        note = make_source(2, content="amber", scope="team:x")
        writing.ledger.insert(note)
        writing.passages.add(note, "note", [make_piece(note, 0, 5)], collection=Collection.SOURCES)
        writing.index.post_words()
    return store


@pytest.mark.covers("B11", "B19")
@pytest.mark.parametrize(
    ("collections", "scopes", "reader", "wanted"),
    [
        (["memory"], ("global",), None, [("global", "", 2), ("global", "agent:a", 1), ("global", "agent:b", 1)]),
        (["memory"], None, "agent:b", [("global", "", 2), ("global", "agent:b", 1), ("team:x", "", 1)]),
        (["memory"], ("global",), "agent:a", [("global", "", 2), ("global", "agent:a", 1)]),
        (["memory"], ("global",), "agent:c", [("global", "", 2)]),
        (["memory"], ("global",), "", [("global", "", 2)]),
        (["memory"], ("team:x",), "agent:a", [("team:x", "", 1)]),
        (["memory"], ("team:y", "%", ""), None, []),
        (["memory"], (), None, []),
        (["sessions"], None, None, [("global", "agent:a", 1)]),
        (["sessions"], None, "agent:b", []),
        (["sources", "sessions"], None, "agent:a", [("global", "agent:a", 1), ("team:x", "", 1)]),
        ([], None, None, []),
    ],
)  # fmt: skip
def test_a_shelf_is_seen_by_those_who_may_see_it(
    shelved: SqlStore,
    collections: list[str],
    scopes: tuple[str, ...] | None,
    reader: str | None,
    wanted: list[tuple[str, str, int]],
) -> None:
    with shelved.read() as reading:
        found = reading.index.shelves(collections, Sight(scopes, reader=reader))
        posted = reading.index.postings([shelf.no for shelf in found], ["amber"])
    assert sorted((shelf.scope, shelf.privacy.author or "", shelf.docs) for shelf in found) == wanted
    assert sorted(len(from_bytes(data)) for _shelf, _term, data in posted) == sorted(docs for *_, docs in wanted)


def test_a_version_knows_its_shelf(shelved: SqlStore) -> None:
    with shelved.read() as reading:
        shelves = reading.index.shelves(["memory"], EVERYTHING)
        names = {shelf.no: (shelf.scope, shelf.privacy.author or "") for shelf in shelves}
        found = reading.index.shelf_numbers([1, 3, 4, 99])
    assert {no: names[shelf] for no, shelf in found.items()} == {
        1: ("global", ""),
        3: ("global", "agent:b"),
        4: ("team:x", ""),
    }


def test_a_version_whose_shelf_is_gone_does_not_count_as_indexed(shelved: SqlStore) -> None:
    with shelved.connector.writing() as connection:
        connection.run("DELETE FROM shelves WHERE scope = 'team:x'", {})
    with shelved.read() as reading:
        assert reading.index.indexed_numbers(after=0, limit=9) == [1, 2, 3, 5]


@pytest.mark.parametrize(
    "damage",
    ["DELETE FROM postings", "UPDATE passages SET terms = terms + 1", "UPDATE memory_index SET terms = terms + 1"],
)
def test_totals_tell_when_words_are_missing(shelved: SqlStore, damage: str) -> None:
    def uneven() -> int:
        with shelved.read() as reading:
            return sum(wanted != there for _no, _scope, wanted, there in reading.index.totals())

    assert uneven() == 0
    with shelved.connector.writing() as connection:
        connection.run(damage, {})
    assert uneven() > 0


@pytest.mark.covers("D28")
def test_sqlite_and_postgres_hold_the_same_bytes(postgres: PostgresBackend) -> None:
    memory = MemoryBackend()
    first, second = memory.open(), postgres.open()
    corpus = random_corpus(11, 120)
    for store in (first, second):
        fill(store, corpus)
    with first.read() as mine, second.read() as theirs:
        assert mine.index.unposted(0) == theirs.index.unposted(0) != []
    for store in (first, second):
        post(store)
    with first.read() as mine, second.read() as theirs:
        assert mine.index.postings([1], WORDS) == theirs.index.postings([1], WORDS) != []
        assert mine.index.shelves(EVERY, EVERYTHING) == theirs.index.shelves(EVERY, EVERYTHING)
        assert mine.index.terms_between([1], "a", "zz", limit=99) == theirs.index.terms_between(
            [1], "a", "zz", limit=99
        )
    memory.close()


# Where a space stands


def test_the_state_of_a_space_tells_whatever_has_changed(store: SqlStore) -> None:
    def look(model: str | None = "m") -> SpaceState:
        with store.read() as reading:
            return reading.index.space_state(model)

    assert look() == look(None) == SpaceState(EMPTY_HEAD, 0, 0, 0, 0, False, False, False, None, 0)
    seen = [look()]
    with store.write() as writing:
        writing.ledger.append(make_entry(1))
        insert_all(writing, make_plain_version(1, "amber"))
    seen.append(look())
    assert (seen[-1].head.seq, seen[-1].unposted, seen[-1].last_shelf, seen[-1].is_posted) == (1, 1, 1, False)
    with store.write() as writing:
        writing.index.post_words()
    seen.append(look())
    assert (seen[-1].folds, seen[-1].unposted, seen[-1].is_posted) == (1, 0, True)
    with store.write() as writing:
        number = writing.vectors.register("m", 2)
        writing.index.set_state(f"embedded:{number}", 1)
    seen.append(look())
    assert (seen[-1].model, seen[-1].embedded) == ((number, 2), 0), "there is no vector yet"
    with store.write() as writing:
        writing.vectors.add(number, [(1, VectorRow(1, 0, b"ab", b"t"))])
    seen.append(look())
    assert (seen[-1].model, seen[-1].embedded) == ((number, 2), 1)
    assert (look(None).model, look("other").embedded) == (None, 0)
    with store.write() as writing:
        writing.ledger.insert(make_link(1))
        writing.ledger.insert(make_conflict(1))
    seen.append(look())
    assert (seen[-1].has_links, seen[-1].has_conflicts) == (True, True)
    with store.write() as writing:
        writing.index.clear()
    seen.append(look())
    assert (seen[-1].rebuilds, seen[-1].is_posted, seen[-1].model) == (1, False, None)
    assert len(set(seen)) == len(seen), "each step shows"


def test_what_entries_have_written_is_found_with_its_shelf_and_its_vectors(store: SqlStore) -> None:
    with store.write() as writing:
        insert_all(writing, *(make_plain_version(no, f"amber {no}", seq=no) for no in (1, 2, 3)))
        source = make_source(1, content="birch", seq=3)
        writing.ledger.insert(source)
        writing.passages.add(source, "chat", [make_piece(source, 0, 5)], collection=Collection.SESSIONS)
        number = writing.vectors.register("m", 2)
        rows = [VectorRow(1, 0, b"aa", b"t"), VectorRow(2, 0, b"bb", b"u"), VectorRow(2, 1, b"cc", b"v")]
        writing.vectors.add(number, [(1, row) for row in rows])
    with store.read() as reading:
        assert reading.vectors.documents_written(after=0, until=1) == [(1, 1)]
        (passage,) = reading.passages.of_source(source.id)
        assert sorted(reading.vectors.documents_written(after=1, until=3)) == [
            (1, 2),
            (1, 3),
            (passage.shelf, passage.no),
        ]
        assert reading.vectors.documents_written(after=3, until=9) == []
        assert reading.vectors.numbered(number, 1, [2, 3]) == rows[1:]
        assert reading.vectors.numbered(number, 2, [2]) == reading.vectors.numbered(number + 1, 1, [2]) == []


def test_the_words_that_are_given_are_the_ones_that_are_posted(store: SqlStore) -> None:
    version = make_plain_version(1, "The amber gate opens on Monday.", title="Gates")
    source = make_source(2, content="An amber bell", speaker=None)

    def postings(words: Words, passage: Words) -> list[tuple[int, str, bytes]]:
        with store.write() as writing:
            writing.index.clear()
            writing.index.add_version(version, (), words)
            piece = NewPassage(0, len(source.content), passage)
            writing.passages.add(source, "chat", [piece], collection=Collection.SOURCES)
            writing.index.post_words()
            return writing.index.postings([1, 2], ["amber", "gate", "bell", "#when", "topaz"])

    plain = postings(words_of(version), count_passage(source.content, "gates"))
    assert len(plain) == 6, "when, amber and gate of the memory; amber, bell and gate of the passage"
    other = postings(Words({"topaz": 1.0}, 1), Words({"topaz": 2.0}, 1))
    assert [(shelf, term) for shelf, term, _ in other] == [(1, "topaz"), (2, "topaz")], (
        "the control: no more is counted"
    )
