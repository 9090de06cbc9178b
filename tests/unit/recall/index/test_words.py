"""The lexical arm: shares of what was asked for, read from postings, wherever those happen to be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.domain.posting import passage_number
from heldtrue.domain.principal import EVERYTHING, Sight
from heldtrue.domain.rows import Collection
from heldtrue.language.terms import query_terms
from heldtrue.recall.index import scoring as module
from heldtrue.recall.index.cache import IndexCache
from heldtrue.recall.index.scoring import rarity_of, saturate
from heldtrue.recall.index.term_postings import WordIndex
from heldtrue.recall.index.words import WordHits, find_words, read_words
from heldtrue.recall.question import parse_question
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore
from tests.acceptance.homes import times
from tests.conformance.samples import insert_all, make_piece, make_plain_version, make_source

EVERY = tuple(Collection)
VOCABULARY = "amber birch cedar delta ember flint grove heath islet".split()
Turn = tuple[str, str, str]
"""A thread, who speaks, and what is said."""


class Holding:
    """A real store in memory, filled with memories and turns."""

    def __init__(self) -> None:
        self.store = SqlStore(SqliteConnector(None))
        self.cache = IndexCache()
        self._version = self._source = 0

    def learn(self, *texts: str, **fields: object) -> None:
        with self.store.write() as writing:
            for text in texts:
                self._version += 1
                insert_all(writing, make_plain_version(self._version, text, **fields))

    def hear(self, *turns: Turn, scope: str = "global", private_to: str = "") -> None:
        with self.store.write() as writing:
            for thread, speaker, text in turns:
                self._source += 1
                visibility = {"author": private_to, "visibility": "private"} if private_to else {}
                source = make_source(
                    self._source, content=text, speaker=speaker, thread=thread, scope=scope, **visibility
                )
                writing.ledger.insert(source)
                writing.passages.add(source, thread, [make_piece(source)], collection=Collection.SESSIONS)

    def post(self) -> None:
        with self.store.write() as writing:
            writing.index.post_words()

    def ask(self, question: str, sight: Sight = EVERYTHING) -> Any:
        with self.store.read() as reading:
            shelves = reading.index.shelves(EVERY, sight)
            index = WordIndex(reading, reading.index.space_state(None), shelves, self.cache)
            return find_words(index, parse_question(question, now=0))


@pytest.fixture
def holding() -> Iterator[Holding]:
    held = Holding()
    yield held
    held.store.close()


def chat(*texts: str, thread: str = "chat", speaker: str = "user") -> list[Turn]:
    return [(thread, speaker, text) for text in texts]


def spoken_at(position: int, thread: int = 1) -> int:
    return passage_number(thread, position)


def tell(hits: WordHits) -> dict[str, object]:
    return msgspec.structs.asdict(hits)


# Memories


@pytest.mark.covers("A7", "B22")
def test_a_rarer_word_counts_more(holding: Holding) -> None:
    holding.learn("amber lamp", "birch lamp", "amber desk", "amber door", "amber wall")
    scores = holding.ask("amber birch").memories
    assert set(scores) == {1, 2, 3, 4, 5}
    assert scores[2] > scores[1] == scores[3] == scores[4] == scores[5] > 0
    assert rarity_of(1, 5) > rarity_of(2, 5) > rarity_of(5, 5) > 0


@pytest.mark.covers("A7")
def test_a_word_that_is_repeated_counts_less_each_time(holding: Holding) -> None:
    fill = " ".join(f"x{number}" for number in range(40))
    counts = (1, 2, 3, 4, 8, 40)
    holding.learn(*(" ".join(["amber"] * count + fill.split()[count:]) for count in counts))
    scores = holding.ask("amber").memories
    once, twice, thrice, four, eight, forty = (scores[number] for number in range(1, 7))
    assert 0 < once < twice < thrice < four < eight < forty < 1
    assert twice - once > thrice - twice > four - thrice > (eight - four) / 4


@pytest.mark.covers("A7")
def test_a_longer_text_says_less_with_the_same_word(holding: Holding) -> None:
    holding.learn("amber", "amber " + "birch " * 10, "amber " + "birch " * 60)
    scores = holding.ask("amber").memories
    assert scores[1] > scores[2] > scores[3] > 0


@pytest.mark.covers("A7")
def test_more_of_the_question_is_a_better_match_and_all_of_it_scores_the_same_in_any_store(holding: Holding) -> None:
    holding.learn("amber birch cedar", "amber birch", "amber")
    small = holding.ask("amber birch cedar").memories
    assert small[1] > small[2] > small[3]
    holding.learn(*(f"heath islet w{number}x" for number in range(300)))
    large = holding.ask("amber birch cedar").memories
    assert set(large) == {1, 2, 3}
    assert large[1] == pytest.approx(small[1], abs=0.1), "a share means the same among three and among three hundred"


def test_a_word_that_nobody_used_makes_every_share_smaller_and_changes_no_order(holding: Holding) -> None:
    holding.learn("amber birch", "amber", "cedar")
    asked, with_unknown = holding.ask("amber birch").memories, holding.ask("amber birch 77q99z").memories
    assert asked.keys() == with_unknown.keys() == {1, 2}
    assert all(with_unknown[number] < asked[number] for number in asked)
    assert (asked[1] > asked[2]) == (with_unknown[1] > with_unknown[2])
    assert holding.ask("77q99z").memories == {}


words = st.sampled_from(VOCABULARY)
texts = st.lists(words, min_size=1, max_size=12).map(" ".join)
asking = st.builds(lambda text, ask: text + ("?" if ask else "."), texts, st.booleans())
turns = st.tuples(st.sampled_from(["one", "two"]), st.sampled_from(["Ada", "Grace", "user"]), asking)
questions = st.lists(st.sampled_from([*VOCABULARY, "Ada", "Grace", "when"]), min_size=1, max_size=6).map(" ".join)


@pytest.mark.covers("A7", "B15")
@settings(max_examples=times(60))
@given(st.lists(texts, max_size=12), st.lists(turns, max_size=12), questions)
def test_every_score_is_a_share(memories: list[str], said: list[Turn], question: str) -> None:
    holding = Holding()
    holding.learn(*memories)
    holding.hear(*said)
    hits = holding.ask(question)
    for scores in (hits.memories, hits.passages, hits.threads):
        assert all(0 < score <= 1 for score in scores.values())
    held = set(query_terms(question))
    assert set(hits.memories) == {number for number, text in enumerate(memories, 1) if held & set(query_terms(text))}, (
        "what has a word is found, and nothing else"
    )
    holding.store.close()


# Conversations


@pytest.mark.covers("C13")
def test_a_match_counts_for_the_turns_around_it(holding: Holding) -> None:
    holding.hear(*chat("one two", "three four", "five six", "the amber is here", "seven", "eight", "nine"))
    scores = holding.ask("amber").passages
    assert set(scores) >= {spoken_at(position) for position in (1, 2, 3, 4, 5)}
    assert scores[spoken_at(3)] > scores[spoken_at(4)] > scores[spoken_at(2)] > 0, "itself, after it, before it"
    assert scores[spoken_at(2)] == scores[spoken_at(1)] == scores[spoken_at(5)]
    assert spoken_at(0) not in scores
    assert spoken_at(6) not in scores


@pytest.mark.covers("C13")
def test_what_follows_a_question_is_taken_for_its_answer(holding: Holding) -> None:
    holding.hear(*chat("where is the amber?", "in the shed", thread="asked"))
    holding.hear(*chat("there is the amber.", "in the shed", thread="told"))
    scores = holding.ask("amber").passages
    answer, remark = scores[spoken_at(1, thread=1)], scores[spoken_at(1, thread=2)]
    assert answer > remark > 0
    assert answer == pytest.approx(saturate(0.7, 1.0))
    assert remark == pytest.approx(saturate(0.3, 1.0))


def test_what_is_said_around_a_turn_adds_up_with_what_it_says_itself(holding: Holding) -> None:
    holding.hear(*chat("amber", "birch", "stone", thread="near"))
    holding.hear(*chat("amber", "x1", "x2", "x3", "birch", thread="far"))
    scores = holding.ask("amber birch").passages
    assert scores[spoken_at(1, thread=1)] > scores[spoken_at(4, thread=2)]
    assert scores[spoken_at(0, thread=1)] > scores[spoken_at(0, thread=2)]


def test_nothing_carries_over_from_one_thread_into_another(holding: Holding) -> None:
    holding.hear(*chat("amber", thread="first"), *chat("birch", "cedar", thread="second"))
    hits = holding.ask("amber")
    held = {doc for doc in hits.passages if doc // passage_number(1, 0) == 2}
    assert held == set()
    assert set(hits.threads) == {1}


@pytest.mark.covers("C13")
def test_a_thread_scores_by_all_that_is_said_in_it(holding: Holding) -> None:
    holding.hear(*chat("amber", "x1", "x2", "x3", "birch", thread="both"))
    holding.hear(*chat("amber", "x1", "x2", "x3", "heath", thread="one"))
    holding.hear(*chat("heath", "islet", thread="none"))
    threads = holding.ask("amber birch").threads
    assert threads[1] > threads[2] > 0
    assert 3 not in threads


@pytest.mark.covers("C13")
@pytest.mark.parametrize("question", ["what did Grace say about amber", "Grace's amber", "amber, grace?"])
def test_who_is_named_and_speaks_is_known_as_a_speaker_and_not_as_a_word(holding: Holding, question: str) -> None:
    holding.hear(("chat", "Grace Hopper", "amber it is"), ("chat", "Ada", "so grace likes amber"))
    hits = holding.ask(question)
    assert hits.spoken == {spoken_at(0)}
    assert hits.named == frozenset(query_terms("grace"))
    unnamed = holding.ask("amber " + question.replace("Grace", "").replace("grace", "").replace("'s", ""))
    assert unnamed.spoken == set()
    assert hits.passages == unnamed.passages, "a name that is a speaker's is no word to look for in what is said"


def test_a_role_names_nobody(holding: Holding) -> None:
    holding.hear(("chat", "user", "amber"), ("chat", "assistant", "birch"), ("chat", "Ada", "cedar"))
    hits = holding.ask("what did the user say to the assistant")
    assert (hits.spoken, hits.named) == (set(), frozenset())
    assert holding.ask("what did Ada say").spoken == {spoken_at(2)}


def test_what_says_when_is_marked_only_where_that_is_asked_for(holding: Holding) -> None:
    holding.learn("amber came on 5 March 2026", "amber came")
    holding.hear(*chat("amber left yesterday", "amber left"))
    asked = holding.ask("when did the amber come")
    assert asked.dated == ({1}, {spoken_at(0)})
    assert holding.ask("did the amber come").dated == (set(), set())


# What is added up


@pytest.mark.covers("A7")
def test_where_too_much_matches_the_common_words_only_tell_the_rare_finds_apart(
    holding: Holding, monkeypatch: pytest.MonkeyPatch
) -> None:
    holding.learn("birch amber", "birch stone", *(f"amber w{number}x" for number in range(30)))
    holding.hear(*chat("birch", "x1", "x2", "x3", *(f"amber w{number}x" for number in range(30))))
    whole = holding.ask("amber birch")
    assert len(whole.memories) == 32
    whole_budget = module.within_budget
    monkeypatch.setattr(module, "within_budget", lambda side, terms, *_most: whole_budget(side, terms, 20))
    cut = holding.ask("amber birch")
    assert cut.memories == {number: whole.memories[number] for number in (1, 2)}, (
        "the rare word's finds, exactly scored"
    )
    assert cut.memories[1] > cut.memories[2]
    assert spoken_at(0) in cut.passages
    assert spoken_at(12) not in cut.passages
    assert len(holding.ask("amber").memories) == 31, "one word is always looked for, however common it is"


# Waiting and posted


class Step(msgspec.Struct, frozen=True):
    """Something that is written, in order."""

    memory: str | None = None
    turn: Turn | None = None
    post: bool = False


steps = st.lists(
    st.one_of(
        st.builds(Step, memory=texts),
        st.builds(Step, turn=turns),
        st.just(Step(post=True)),
        st.builds(Step, turn=turns),
    ),
    max_size=16,
)


def write(holding: Holding, done: Iterable[Step], *, post: bool) -> None:
    for step in done:
        if step.memory is not None:
            holding.learn(step.memory)
        elif step.turn is not None:
            holding.hear(step.turn)
        elif post:
            holding.post()


@pytest.mark.covers("B27", "C13")
@settings(max_examples=times(60))
@given(steps, st.lists(questions, min_size=1, max_size=3))
def test_words_that_wait_and_words_that_are_posted_score_the_same(done: list[Step], asked: list[str]) -> None:
    waiting, mixed = Holding(), Holding()
    write(waiting, done, post=False)
    for index in range(len(done)):
        # Asked in between, so that what it keeps in memory has to follow.
        write(mixed, done[index : index + 1], post=True)
        mixed.ask(asked[0])
    told = [tell(waiting.ask(question)) for question in asked]
    assert [tell(mixed.ask(question)) for question in asked] == told
    mixed.post()
    assert [tell(mixed.ask(question)) for question in asked] == told
    mixed.cache = IndexCache()
    assert [tell(mixed.ask(question)) for question in asked] == told, "and for a process that has just begun"
    for holding in (waiting, mixed):
        holding.store.close()


@pytest.mark.covers("B6")
@settings(max_examples=times(40))
@given(st.lists(texts, max_size=8), st.lists(turns, max_size=8), questions)
def test_texts_that_are_read_one_by_one_score_as_they_do_by_the_index(
    memories: list[str], said: list[Turn], question: str
) -> None:
    holding = Holding()
    holding.learn(*memories)
    holding.hear(*said)
    by_index = holding.ask(question)
    with holding.store.read() as reading:
        passages = {passage.no: passage for passage in reading.passages.written(after=0, until=10_000)}
        texts_of = {text.no: text.text for text in reading.passages.texts(passages)}
    read = read_words(
        dict(enumerate(memories, 1)),
        [(number, texts_of[number], passage.speaker) for number, passage in passages.items()],
        parse_question(question, now=0),
    )
    for name in ("memories", "passages", "threads"):
        assert getattr(read, name) == pytest.approx(getattr(by_index, name))
    assert (read.spoken, read.named, read.dated) == (by_index.spoken, by_index.named, by_index.dated)
    holding.store.close()


@pytest.mark.covers("C13", "B11")
def test_only_the_shelves_that_are_asked_count(holding: Holding) -> None:
    holding.learn("amber", "birch amber", scope="project:a")
    alone = tell(holding.ask("amber birch", Sight(("project:a",))))
    holding.learn(*["amber birch"] * 20, scope="project:b")
    holding.learn(*["birch"] * 20, scope="project:a", author="agent:y", visibility="private")
    holding.hear(*chat("amber", "birch"), scope="project:a", private_to="agent:y")
    seen = Sight(("project:a",), reader="agent:x")
    for _ in range(2):
        assert tell(holding.ask("amber birch", seen)) == alone, "not even how often others use a word shows"
        assert len(holding.ask("amber birch", Sight(("project:b",))).memories) == 20
        assert len(holding.ask("birch", Sight(("project:a",), reader="agent:y")).memories) == 21
        holding.post()


def damage(holding: Holding, *tables: str) -> None:
    with holding.store.connector.writing() as connection:
        for table in tables:
            connection.run(f"DELETE FROM {table}", {})


@pytest.mark.covers("B6")
def test_postings_that_are_gone_are_missed_even_if_newer_words_wait(holding: Holding) -> None:
    holding.learn("amber", "birch")
    assert not holding.ask("amber").missing
    holding.post()
    holding.learn("amber again")
    assert not holding.ask("amber").missing
    assert not holding.ask("cedar").missing, "a word that nobody used is no sign of damage"
    damage(holding, "postings")
    assert holding.ask("amber").missing
    assert holding.ask("cedar").missing


def test_an_index_that_is_empty_says_so(holding: Holding) -> None:
    holding.learn("amber", "birch")
    holding.hear(*chat("amber"))
    assert holding.ask("amber").documents == 3
    damage(holding, "unposted")
    assert holding.ask("amber").documents == 3, "what this process has read it still knows"
    holding.cache = IndexCache()
    assert (holding.ask("amber").documents, holding.ask("amber").memories) == (0, {})


def test_a_mistyped_word_is_taken_for_one_that_is_used_where_the_asker_may_see(holding: Holding) -> None:
    holding.learn("amber lamp", scope="project:a")
    holding.learn("falcon lamp", scope="project:b")
    for _ in range(2):
        seen, hidden = holding.ask("ambre", Sight(("project:a",))), holding.ask("facon", Sight(("project:a",)))
        assert {word: said[0] for word, said in seen.read_as.items()} == {"ambr": "amber"}
        assert len(seen.memories) == 1
        assert (hidden.read_as, hidden.memories) == ({}, {}), "a word of another scope is no word to be corrected to"
        assert len(holding.ask("facon", Sight(("project:b",))).memories) == 1
        assert holding.ask("amber", Sight(("project:a",))).read_as == {}
        holding.post()
