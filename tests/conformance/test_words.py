"""Both stores find the same words and score them alike, as BM25 says."""

from __future__ import annotations

import random

import pytest

from holdfast.language.terms import index_terms, query_terms
from holdfast.ports import VersionFilter
from holdfast.storage.store import SqlStore
from tests.conformance.backends import Backend, MemoryBackend, PostgresBackend
from tests.conformance.bm25 import Document, score_documents
from tests.conformance.samples import insert_all, make_plain_version, make_version

ANY = VersionFilter()
CLOSE = 1e-12
WORDS = "amber birch cedar delta ember flint grove heath islet jetty knoll ledge marsh north ochre".split()
HOSTILE = [
    '"', '""', '"amber', 'amber"', "'", "''", "amber'", "*", "amber*", "am*", "^amber", "-amber", "+amber", "!amber",
    "amber OR birch", "amber AND birch", "NOT", "NEAR", "NEAR(amber birch)", "NEAR(amber birch, 2)", "AND", "OR",
    "(", ")", "(amber)", "title:amber", "content : amber", "{title content}", ":x", "::text", "%", "%s",
    "%(name)s", "_", "\\", "\\\\", "amber\\", "a:*", "amber:*", "amber & birch", "amber|birch", "<->",
    "amber <-> birch", "$1", "$$", "--", "/*", ";", "{}", '{"a","b"}', "NULL", "{filter}", "", " ", "\t", "amber birch",
    "amber\u00a0birch", "\u200b", "\ufeff", "💥", "x" * 5_000, "漢" * 3_000,
]  # fmt: skip


def random_corpus(seed: int, size: int) -> list[tuple[str, str, str]]:
    """Titles, contents and topics of many lengths, with common and rare words and plenty of ties."""
    chance = random.Random(seed)
    weights = [2 ** -(index / 2) for index in range(len(WORDS))]

    def text(longest: int) -> str:
        return " ".join(chance.choices(WORDS, weights, k=chance.randint(0, longest)))

    corpus = [(text(4), text(40), text(2)) for _ in range(size)]
    return corpus + corpus[: size // 4]


def fill(store: SqlStore, corpus: list[tuple[str, str, str]]) -> dict[int, Document]:
    """Write a corpus; returns what a reference needs to know of it."""
    documents: dict[int, Document] = {}
    with store.write() as writing:
        for no, (title, content, topic) in enumerate(corpus, 1):
            version = make_plain_version(no, content, title=title or None, topic=topic or None)
            documents[no] = (index_terms(title), index_terms(content), index_terms(topic))
            insert_all(writing, version)
    return documents


def search(
    store: SqlStore, terms: list[str], chosen: VersionFilter = ANY, limit: int = 1_000
) -> list[tuple[int, float]]:
    with store.read() as reading:
        return [(version.no, score) for version, score in reading.match_text(terms, chosen, limit=limit)]


def rank(scores: dict[int, float]) -> list[int]:
    """Best first, equal ones newest first; what differs only by rounding is equal."""
    return sorted(scores, key=lambda no: (-float(f"{scores[no]:.12g}"), -no))


@pytest.mark.covers("B19")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_scores_and_order_are_those_of_bm25(store: SqlStore, seed: int) -> None:
    documents = fill(store, random_corpus(seed, 40))
    chance = random.Random(seed)
    for count in (1, 2, 3, 5, len(WORDS)):
        terms = index_terms(" ".join(chance.sample(WORDS, count)))
        wanted = score_documents(documents, terms)
        found = search(store, terms)
        assert dict(found) == pytest.approx(wanted, rel=CLOSE)
        assert [no for no, _score in found] == rank(wanted)


def test_the_best_are_kept_when_there_are_more_than_the_limit(store: SqlStore) -> None:
    documents = fill(store, random_corpus(4, 40))
    terms = index_terms("amber ledge ochre")
    found = search(store, terms, limit=7)
    assert [no for no, _score in found] == rank(score_documents(documents, terms))[:7]


def test_a_filter_hides_versions_but_does_not_change_scores(store: SqlStore) -> None:
    """All versions of a space count, so that a score does not depend on who asks."""
    fill(store, random_corpus(5, 20))
    with store.write() as writing:
        insert_all(writing, make_plain_version(900, "amber birch", scope="team:y"))
    terms = index_terms("amber birch")
    everything = dict(search(store, terms))
    assert search(store, terms, VersionFilter(scopes=("team:y",))) == [(900, everything[900])]


def test_title_and_topic_weigh_more_than_content(store: SqlStore) -> None:
    filler = [("", "birch", "")] * 8
    fill(store, [("", "amber cedar", ""), ("amber", "cedar", ""), ("", "cedar", "amber"), *filler])
    scores = dict(search(store, ["amber"]))
    assert set(scores) == {1, 2, 3}
    assert scores[1] < scores[3] < scores[2]


def test_equal_scores_come_newest_first(store: SqlStore) -> None:
    fill(store, [("", "amber birch", "")] * 5 + [("", "cedar delta", "")] * 9)
    found = search(store, ["birch", "amber"])
    assert [no for no, _score in found] == [5, 4, 3, 2, 1]
    assert len({score for _no, score in found}) == 1


def test_a_word_in_every_version_still_finds_them(store: SqlStore) -> None:
    fill(store, [("", "amber", ""), ("", "amber birch", "")])
    scores = dict(search(store, ["amber"]))
    assert set(scores) == {1, 2}
    assert all(0 < score < 1e-5 for score in scores.values())


def test_a_word_asked_twice_counts_twice(store: SqlStore) -> None:
    documents = fill(store, random_corpus(6, 20))
    assert dict(search(store, ["ledg", "ledg"])) == pytest.approx(
        score_documents(documents, ["ledg", "ledg"]), rel=CLOSE
    )


@pytest.mark.covers("B19")
def test_an_index_made_anew_answers_as_before(store: SqlStore) -> None:
    fill(store, random_corpus(7, 20))
    terms = index_terms("amber flint jetty")
    before = search(store, terms)
    with store.write() as writing:
        versions = writing.versions_page(after=0, limit=1_000)
        writing.clear_index()
        assert writing.indexed_numbers(after=0, limit=9) == []
        assert writing.match_text(terms, ANY, limit=9) == []
        for version in versions:
            writing.index_version(version, ())
    assert before
    assert search(store, terms) == before
    assert store.check_structure() == []


@pytest.mark.covers("B19")
def test_words_of_every_script_are_found_by_the_same_words(store: SqlStore) -> None:
    texts = [
        "Straße nach Łódź", "データベースはSQLiteです", "ΑΘΗΝΑ και Σίσυφος", "Москва́ не сразу строилась",
        "C++ and C# and node.js", "max_facts in HttpServer2", "don't ship on fridays", "ภาษาไทย", "한국어 검색",
        "naïve café", "a-b/c@d:e+f#g", "١٢٣ عربى", "𐐀𐐁 deseret", "\U0001e4d0 nag mundari",
        "ǅ titlecase", "İstanbul ve ısı",
    ]  # fmt: skip
    with store.write() as writing:
        for no, text in enumerate(texts, 1):
            insert_all(writing, make_plain_version(no, text))
    for no, text in enumerate(texts, 1):
        for term in query_terms(text):
            assert no in dict(search(store, [term])), (text, term)


@pytest.mark.parametrize("term", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_in_a_term_is_syntax(store: SqlStore, term: str) -> None:
    fill(store, [("", "amber birch", ""), ("", "cedar", ""), ("", "delta", "")])
    assert search(store, [term]) == []
    # The control: the same search finds what it should, whatever stands beside it.
    assert [no for no, _score in search(store, [term, "cedar"])] == [2]
    assert [no for no, _score in search(store, ["cedar", term, "cedar"])] == [2]


def test_hostile_words_that_were_stored_are_found_as_themselves(store: SqlStore) -> None:
    with store.write() as writing:
        insert_all(writing, make_plain_version(1, "near and or not"), make_plain_version(2, "x" * 5_000))
        insert_all(writing, make_plain_version(3, "x" * 5_001), make_plain_version(4, "a:b c++"))
    assert [no for no, _score in search(store, ["near"])] == [1]
    assert [no for no, _score in search(store, ["x" * 5_000])] == [2]
    assert [no for no, _score in search(store, ["x" * 5_001])] == [3]
    assert [no for no, _score in search(store, ["c++"])] == [4]
    assert [no for no, _score in search(store, ["a:b"])] == [4]


def test_no_terms_find_nothing(store: SqlStore) -> None:
    fill(store, [("", "amber", "")])
    assert search(store, []) == []


def test_an_empty_space_answers(store: SqlStore) -> None:
    assert search(store, ["amber"]) == []


@pytest.mark.covers("D28")
def test_sqlite_and_postgres_give_the_same_answer_to_the_last_digits(postgres: Backend) -> None:
    assert isinstance(postgres, PostgresBackend)
    memory = MemoryBackend()
    first, second = memory.open(), postgres.open()
    corpus = random_corpus(11, 120)
    for store in (first, second):
        fill(store, corpus)
    chance = random.Random(11)
    for _ in range(40):
        terms = index_terms(" ".join(chance.choices(WORDS, k=chance.randint(1, 8))))
        ours, theirs = search(first, terms, limit=25), search(second, terms, limit=25)
        assert [no for no, _score in ours] == [no for no, _score in theirs]
        assert [score for _no, score in ours] == pytest.approx([score for _no, score in theirs], rel=CLOSE)
    memory.close()


def test_terms_are_counted_by_the_versions_that_have_them(store: SqlStore) -> None:
    with store.write() as writing:
        for no, content in enumerate(("red red apple", "green apple", "grün 東京都 c++"), 1):
            version = make_version(no, title=None, content=content, topic=None)
            writing.insert(version)
            writing.index_version(version, [])
    with store.read() as reading:
        total, counts = reading.term_counts(["red", "appl", "grün", "東京", "absent", "two words", ""])
    assert total == 3
    assert {term: count for term, count in counts.items() if count} == {"red": 1, "appl": 2, "grün": 1, "東京": 1}
