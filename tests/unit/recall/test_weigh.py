"""The parts of a score, each between nought and one by itself, and their sum."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.domain.ledger import EMPTY_HEAD
from heldtrue.domain.posting import passage_number
from heldtrue.domain.principal import EVERYTHING, OWNER
from heldtrue.domain.rows import Collection, Passage, RankedHeader, SpaceState, VersionFilter
from heldtrue.language.periods import Period
from heldtrue.model_ports import TokenMatcher
from heldtrue.models.scripted import ScriptedEmbedder
from heldtrue.models.static import StaticEmbedder, WordTable
from heldtrue.recall.documents import Hits, LinkHits, RankedDocument, VectorHits
from heldtrue.recall.index.nearest import NearestDocuments
from heldtrue.recall.index.words import WordHits
from heldtrue.recall.profiles import DEFAULT, PARTS, PROFILES, Profile, choose_profile
from heldtrue.recall.score import add_part, add_up, break_down, recency_part
from heldtrue.recall.search import ParsedQuestion, Search
from heldtrue.recall.weigh import absent_parts, fill_parts, time_part, topic_part
from tests.acceptance.homes import times

DAY = 86_400_000_000
NOW = 1_000 * DAY
FITTING = ("text", "thread", "meaning", "likeness")
STANDING = ("recency", "confidence", "priority", "verified", "tone", "domain")
NO_STATE = SpaceState(EMPTY_HEAD, 0, 0, 0, 0, False, False, False, None, 0)
unit = st.floats(0, 1)


def make_header(**changed: Any) -> RankedHeader:
    fields: dict[str, Any] = {
        "no": 1, "memory_id": "m1", "kind": "note", "scope": "global", "topic": None, "category": None,
        "confidence": 0.9, "author": "person:owner", "verified_by": None, "valid_from": None, "valid_to": None,
        "observed_at": NOW, "recorded_from": NOW, "priority": None, "recalled": None,
    }  # fmt: skip
    return RankedHeader(**(fields | changed))


def make_passage(**changed: Any) -> Passage:
    fields: dict[str, Any] = {
        "no": passage_number(1, 0), "shelf": 1, "source_id": "s1", "seq": 1, "span_start": 0, "span_end": 9,
        "speaker": "Ada", "happened_at": NOW, "terms": 3, "hidden_seq": None,
    }  # fmt: skip
    return Passage(**(fields | changed))


def make_search(profile: Profile = PROFILES[DEFAULT], **changed: Any) -> Search:
    fields: dict[str, Any] = {
        "words": "amber", "chosen": VersionFilter(sight=EVERYTHING), "collections": tuple(Collection),
        "limit": 10, "now": NOW,
        "decay": {"": 0.01}, "principal": OWNER, "state": NO_STATE,
    }  # fmt: skip
    return Search(profile=profile, words_profile=profile, **(fields | changed))


def make_hits(**changed: Any) -> WordHits:
    fields: dict[str, Any] = {
        "memories": {}, "passages": {}, "threads": {}, "spoken": set(), "named": frozenset(), "dated": (set(), set()),
    }  # fmt: skip
    return WordHits(**(fields | changed))


def make_vectors(matcher: TokenMatcher | None) -> VectorHits:
    nothing = NearestDocuments()
    return VectorHits(
        vector=None, tokens=b"", shelves={}, memory_shelves=(), memories=nothing, passages=nothing, unrelated=0.0,
        matcher=matcher, stores_tokens=False, model=None,
    )  # fmt: skip


def weigh(candidate: RankedDocument, hits: WordHits, **changed: Any) -> dict[str, float]:
    fill_parts([candidate], make_search(**changed), hits)
    return candidate.parts


# Single parts


@pytest.mark.covers("A7", "D11")
@pytest.mark.parametrize(("days", "part"), [(0, 1.0), (10, math.exp(-0.1)), (100, math.exp(-1)), (-5, 1.0)])
def test_freshness_fades_exponentially_and_the_future_is_no_fresher(days: int, part: float) -> None:
    candidate = RankedDocument(header=make_header(observed_at=NOW - days * DAY))
    assert recency_part(candidate, make_search()) == pytest.approx(part)


@pytest.mark.covers("D11")
def test_each_category_has_its_own_rate() -> None:
    question = make_search(decay={"": 0.01, "news": 0.5, "law": 0.0})
    parts = {
        category: recency_part(
            RankedDocument(header=make_header(category=category, observed_at=NOW - 10 * DAY)), question
        )
        for category in ("news", "law", "other", None)
    }
    assert parts == pytest.approx({"news": math.exp(-5), "law": 1.0, "other": math.exp(-0.1), None: math.exp(-0.1)})
    passage = RankedDocument(passage=make_passage(happened_at=NOW - 10 * DAY))
    assert recency_part(passage, question) == pytest.approx(math.exp(-0.1))


@pytest.mark.covers("A7")
@pytest.mark.parametrize(
    ("held", "asked", "part"),
    [
        ("api", "api", 1.0),
        ("API", "api", 1.0),
        ("api", "parser", 0.0),
        (None, "api", 0.0),
        ("api", None, 0.0),
        ("", "", 0.0),
    ],
)
def test_a_topic_is_met_or_not(held: str | None, asked: str | None, part: float) -> None:
    assert topic_part(make_header(topic=held), asked) == part


@pytest.mark.covers("A7", "D21", "E5")
def test_standing_is_read_from_what_is_recorded() -> None:
    def part(name: str, **changed: Any) -> float:
        return weigh(RankedDocument(header=make_header(**changed)), make_hits(), domain="agent:me")[name]

    assert [part("priority", priority=value) for value in (-1, -0.5, None, 0, 0.5, 1, 7)] == [
        0,
        0.25,
        0.5,
        0.5,
        0.75,
        1,
        1,
    ]
    assert [part("access", recalled=count) for count in (None, 0, 5, 45)] == [0, 0, 0.5, 0.9]
    assert (part("verified"), part("verified", verified_by="person:ada")) == (0, 1)
    assert part("confidence", confidence=0.3) == 0.3
    assert (part("scope"), part("scope", scope="project:a")) == (0.5, 1)
    owners = {author: part("domain", author=author) for author in ("agent:me", "agent:you", "person:owner")}
    assert owners == {"agent:me": 1, "agent:you": 0, "person:owner": 1}


@pytest.mark.covers("A7", "C13")
def test_what_words_found_becomes_the_parts_of_a_memory_and_of_a_passage() -> None:
    number = passage_number(3, 7)
    hits = make_hits(
        memories={1: 0.4},
        passages={number: 0.3},
        threads={3: 0.6},
        spoken={number},
        named=frozenset({"ada"}),
        dated=({1}, {number}),
    )
    memory = weigh(RankedDocument(header=make_header()), hits)
    passage = weigh(RankedDocument(passage=make_passage(no=number)), hits)
    assert [memory[part] for part in ("text", "thread", "speaker", "when")] == [0.4, 0.4, 1, 1]
    assert [passage[part] for part in ("text", "thread", "speaker", "when")] == [0.3, 0.6, 1, 1]
    other_memory = weigh(RankedDocument(header=make_header(no=2)), hits)
    other_passage = weigh(RankedDocument(passage=make_passage(no=number + 1)), hits)
    assert [other_memory[part] for part in ("text", "thread", "speaker", "when")] == [0, 0, 0, 0]
    assert [other_passage[part] for part in ("text", "thread", "speaker", "when")] == [0, 0.6, 0, 0]


headers = st.builds(
    make_header,
    confidence=unit,
    priority=st.none() | st.floats(-1, 1),
    recalled=st.none() | st.integers(0, 10**9),
    author=st.sampled_from(["agent:me", "agent:you", "person:owner"]),
    verified_by=st.sampled_from([None, "person:ada"]),
    scope=st.sampled_from(["global", "project:a"]),
    topic=st.sampled_from([None, "api", "birds"]),
    category=st.sampled_from([None, "news"]),
    observed_at=st.integers(0, 2 * NOW),
    valid_from=st.none() | st.integers(0, 2 * NOW),
    valid_to=st.none() | st.integers(0, 2 * NOW),
)
passages = st.builds(make_passage, happened_at=st.integers(0, 2 * NOW))
periods = st.builds(
    lambda start, days, relation: Period(start, start + days * DAY, "then", "range", relation),
    st.integers(0, 2 * NOW),
    st.integers(1, 400),
    st.sampled_from(["within", "before", "after"]),
)


@pytest.mark.covers("A7", "B15")
@settings(max_examples=times(100))
@given(
    headers.map(lambda header: RankedDocument(header=header))
    | passages.map(lambda passage: RankedDocument(passage=passage)),
    st.lists(periods, max_size=3),
    unit,
)
def test_every_part_is_between_nought_and_one(candidate: RankedDocument, asked: list[Period], score: float) -> None:
    hits = make_hits(memories={1: score}, passages={candidate.no: score}, named=frozenset({"ada"}))
    parts = weigh(
        candidate,
        hits,
        question=ParsedQuestion(periods=tuple(asked), wants_time=True),
        topic="api",
        domain="agent:me",
        decay={"": 0.01, "news": 0.9},
    )
    assert set(parts) <= set(PARTS)
    assert all(0 <= value <= 1 for value in parts.values())


# Time


def period(first_day: int, days: int, relation: str = "within") -> Period:
    return Period(first_day * DAY, (first_day + days) * DAY, "then", "range", relation)


def said_on(day: float) -> RankedDocument:
    return RankedDocument(passage=make_passage(happened_at=round(day * DAY)))


@pytest.mark.covers("C13")
@settings(max_examples=times(100))
@given(st.integers(0, 2_000), st.integers(0, 2_000), st.integers(1, 60), st.sampled_from(["within", "before", "after"]))
def test_what_lies_where_the_question_looks_has_the_whole_part(day: int, first: int, days: int, relation: str) -> None:
    asked = period(first, days, relation)
    part = time_part(said_on(day + 0.5), [asked])
    assert (part == 1) == asked.covers(round((day + 0.5) * DAY))
    assert 0 <= part <= 1


@pytest.mark.covers("C13")
def test_a_time_fades_on_either_side_and_faster_before_it_since_things_are_told_later() -> None:
    asked = [period(100, 30)]
    before = [time_part(said_on(100 - days), asked) for days in (1, 7, 30)]
    after = [time_part(said_on(130 + days), asked) for days in (1, 7, 30)]
    assert 1 > before[0] > before[1] > before[2] > 0
    assert 1 > after[0] > after[1] > after[2] > 0
    assert all(late > early for early, late in zip(before, after, strict=True))


@pytest.mark.covers("C13")
def test_before_and_after_ask_for_what_lies_on_that_side() -> None:
    before, after = [period(100, 30, "before")], [period(100, 30, "after")]
    assert time_part(said_on(20), before) == time_part(said_on(99), before) == 1
    assert time_part(said_on(110), before) < 1
    assert time_part(said_on(200), after) == time_part(said_on(131), after) == 1
    assert time_part(said_on(110), after) < 1
    assert time_part(said_on(20), after) < 0.01


@pytest.mark.covers("C13", "A14")
def test_a_memory_counts_by_when_it_held_or_by_when_it_was_said_whichever_fits_better() -> None:
    asked = [period(100, 30)]

    def part(**changed: Any) -> float:
        return time_part(RankedDocument(header=make_header(**changed)), asked)

    assert part(observed_at=110 * DAY) == 1
    assert part(observed_at=400 * DAY) < 0.01
    assert part(observed_at=400 * DAY, valid_from=90 * DAY, valid_to=105 * DAY) == 1
    assert part(observed_at=400 * DAY, valid_from=10 * DAY, valid_to=20 * DAY) < 0.01
    assert part(observed_at=110 * DAY, valid_from=10 * DAY, valid_to=20 * DAY) == 1
    assert part(observed_at=90 * DAY, valid_to=105 * DAY) == part(observed_at=400 * DAY, valid_to=105 * DAY) == 1
    assert part(observed_at=400 * DAY, valid_to=20 * DAY) < 0.01, "said in hindsight, it held no longer"
    assert part(observed_at=10 * DAY, valid_from=400 * DAY) < 0.01, "said in advance, it did not hold yet"
    assert part(observed_at=110 * DAY, valid_from=400 * DAY) == 1


def test_of_several_times_the_nearest_counts_and_without_any_there_is_no_part() -> None:
    assert time_part(said_on(110), [period(500, 3), period(100, 30)]) == 1
    assert time_part(said_on(110), []) == 0


# What a question gives a chance to


@pytest.mark.covers("A7", "B15")
def test_a_part_that_nobody_can_have_is_absent_and_one_that_was_asked_for_is_not() -> None:
    plain = absent_parts(make_search(), Hits())
    assert plain == {"meaning", "likeness", "speaker", "time", "when", "topic", "proximity", "tone", "domain"}
    question = ParsedQuestion(periods=(period(1, 2),), wants_time=True, tone="positive")
    search, links = make_search(question=question, topic="api", domain="agent:me"), LinkHits({"m1": 1.0})
    by_token = make_vectors(WordTable.__new__(WordTable))
    assert absent_parts(search, Hits(make_hits(named=frozenset("a")), by_token, links)) == set()
    assert absent_parts(search, Hits(make_hits(), make_vectors(None), links)) == {"likeness", "speaker"}


# The sum


@pytest.mark.covers("A7", "B15")
@settings(max_examples=times(100))
@given(
    st.dictionaries(st.sampled_from(PARTS), unit),
    st.dictionaries(st.sampled_from(PARTS), st.floats(0, 10), min_size=1),
    st.sets(st.sampled_from(PARTS)),
    st.booleans(),
    st.integers(0, 3_000),
)
def test_the_contributions_are_the_score_and_the_score_is_between_nought_and_one(
    parts: dict[str, float], weights: dict[str, float], absent: set[str], decays: bool, days: int
) -> None:
    question = make_search(Profile(name="mine", weights=weights, decays=decays))
    in_play = question.profile.in_play(absent)
    candidate = RankedDocument(header=make_header(observed_at=NOW - days * DAY))
    candidate.parts = parts
    add_up(candidate, in_play, question)
    score, shares, _ = break_down(candidate, question)
    assert score == pytest.approx(candidate.score, abs=1e-5)
    assert score == pytest.approx(sum(shares.values()), abs=1e-5)
    assert 0 <= score <= 1 + 1e-5
    assert set(shares) == set(in_play)
    assert all(share == 0 for part, share in shares.items() if not parts.get(part))


@pytest.mark.parametrize("decays", [False, True])
@pytest.mark.parametrize("before", [None, 0.9])
def test_a_part_that_comes_later_counts_as_if_it_had_been_there_from_the_start(
    decays: bool, before: float | None
) -> None:
    question = make_search(Profile(name="mine", weights={"text": 2.0, "likeness": 1.0}, decays=decays))
    weights = question.profile.in_play(())
    late, early = (RankedDocument(header=make_header(observed_at=NOW - 10 * DAY)) for _ in range(2))
    late.parts = {"text": 0.5} if before is None else {"text": 0.5, "likeness": before}
    early.parts = {"text": 0.5, "likeness": 0.25}
    add_up(late, weights, question)
    add_up(early, weights, question)
    add_part(late, "likeness", 0.25, question)
    assert late.score == pytest.approx(early.score)
    assert late.parts == early.parts
    add_part(late, "scope", 1.0, question)
    assert late.score == pytest.approx(early.score), "a part without weight counts nothing"


def score_of(parts: Mapping[str, float], weights: Mapping[str, float]) -> float:
    candidate = RankedDocument(header=make_header())
    candidate.parts = dict(parts)
    add_up(candidate, weights, make_search())
    return candidate.score


standings = st.fixed_dictionaries(dict.fromkeys(STANDING, unit))
fits = st.fixed_dictionaries(dict.fromkeys(FITTING, unit))
FAR_BETTER = 0.2
"""How much more of all that may fit makes a far better match."""
WAYS = [{}, dict(StaticEmbedder.weights), dict(ScriptedEmbedder().weights)]
"""What an embedding model has to say besides the words; first none."""


@pytest.mark.covers("B22", "D21")
@settings(max_examples=times(200))
@given(fits, fits, standings, standings, st.sampled_from(WAYS), st.booleans())
def test_no_standing_buries_a_far_better_match(
    fit: dict[str, float],
    other_fit: dict[str, float],
    standing: dict[str, float],
    other_standing: dict[str, float],
    model: dict[str, float],
    is_broken: bool,
) -> None:
    weights = choose_profile(DEFAULT, model).in_play({"meaning", "likeness"} if is_broken else ())
    whole = sum(weights.get(part, 0.0) for part in FITTING)
    better, worse = sorted((fit, other_fit), key=lambda score_parts: -score_of(score_parts, weights))
    ahead = (score_of(better, weights) - score_of(worse, weights)) / whole
    if ahead >= FAR_BETTER:
        assert score_of(better | standing, weights) > score_of(worse | other_standing, weights)


@pytest.mark.covers("B22", "D21", "A28")
@pytest.mark.parametrize("part", STANDING)
def test_each_standing_decides_between_equals(part: str) -> None:
    for model in WAYS:
        weights = choose_profile(DEFAULT, model).in_play(())
        equal = dict.fromkeys(FITTING, 0.5) | dict.fromkeys(STANDING, 0.5)
        assert score_of(equal | {part: 0.6}, weights) > score_of(equal, weights)
        assert weights[part] <= 0.05, "by a few hundredths and no more"
