"""A time that a question names moves what happened then up; a past moment is the same to words, vectors and links."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from heldtrue import ManualClock, Memory
from heldtrue.models.scripted import ScriptedEmbedder
from tests.acceptance.homes import MakeHome

VISITS = {"fox": "2026-02-10", "owl": "2026-03-15", "elk": "2026-04-18", "hare": "2026-05-15", "crow": "2026-05-28"}
"""Who came to the pond on which day."""
ASKED_AT = datetime(2026, 5, 29, 9, 0, tzinfo=UTC)
"""A Friday."""
ASKED = [
    ("in February", {"fox"}),
    ("in March", {"owl"}),
    ("in April 2026", {"elk"}),
    ("in May", {"hare", "crow"}),
    ("two weeks ago", {"hare"}),
    ("yesterday", {"crow"}),
    ("last month", {"elk"}),
    ("on 15 March", {"owl"}),
    ("between 1 March and 30 April", {"owl", "elk"}),
    ("before March", {"fox"}),
    ("before April", {"fox", "owl"}),
    ("before 1 May", {"fox", "owl", "elk"}),
    ("after 1 April", {"elk", "hare", "crow"}),
    ("since April", {"elk", "hare", "crow"}),
    ("this week", {"crow"}),
    ("in 2026", set(VISITS)),
]


@pytest.fixture(params=["auto", "none"], ids=["with vectors", "by words"])
def space(request: pytest.FixtureRequest, make_home: MakeHome, clock: ManualClock) -> Iterator[Memory]:
    """A home with the default vectors and without any."""
    home = make_home(settings=f'[recall]\nvector_model = "{request.param}"\n')
    with Memory.open(home, clock=clock) as memory:
        yield memory


def ranked(memory: Memory, question: str, **arguments: Any) -> list[tuple[str, float, float]]:
    """Who is told of, best first, with the score and what the time contributed to it."""
    results = memory.recall(question, limit=100, **arguments).results
    return [
        (
            (result.memory.content if result.memory else result.passage.text).split()[1],
            result.score,
            result.breakdown.get("time", -1),
        )
        for result in results
    ]


def first_ones(found: list[tuple[str, float, float]], count: int) -> set[str]:
    return {name for name, _, _ in found[:count]}


# Memories


@pytest.mark.covers("A7")
@pytest.mark.parametrize(("when", "came"), ASKED)
def test_a_time_that_is_asked_for_moves_what_was_observed_then_up(
    space: Memory, clock: ManualClock, when: str, came: set[str]
) -> None:
    clock.set(ASKED_AT)
    for name, day in VISITS.items():
        space.learn(f"The {name} came to the pond.", observed_at=day)
    found = ranked(space, f"who came to the pond {when}?")
    assert len(found) == len(VISITS), "what is from another time moves down, it does not vanish"
    assert first_ones(found, len(came)) == came
    most = max(part for _, _, part in found)
    assert {name for name, _, part in found if part == most} == came
    assert "time" not in space.recall("who came to the pond?").results[0].breakdown


@pytest.mark.covers("A14")
def test_what_held_then_moves_up_whenever_it_was_said(space: Memory) -> None:
    space.learn("The ferry leaves from pier one.", valid_from="2026-01-01", valid_to="2026-02-20")
    space.learn("The tram leaves from pier two.", valid_from="2026-03-01", valid_to="2027-01-01")
    space.learn("The boat leaves from pier three.", valid_from="2026-06-01", valid_to="2027-01-01")
    moment = {"valid_at": "2026-02-01"}
    assert ranked(space, "what leaves from the pier in April?")[0][0] == "tram"
    assert [name for name, _, _ in ranked(space, "what leaves from the pier", **moment)] == ["ferry"]
    assert "ferry" not in {name for name, _, _ in ranked(space, "what leaves from the pier")}, "it has ended"


@pytest.mark.covers("B22")
def test_a_time_does_not_make_up_for_what_does_not_fit(space: Memory) -> None:
    space.learn("The fox came to the pond.", observed_at="2026-02-10")
    for number in range(5):
        space.learn(f"The bin b{number}x holds item i{number}y.", observed_at="2026-04-10")
    assert ranked(space, "which fox came to the pond in April?")[0][0] == "fox"


# Turns


@pytest.mark.covers("C13")
@pytest.mark.parametrize(("when", "came"), ASKED)
def test_the_same_holds_for_what_was_said_then(space: Memory, clock: ManualClock, when: str, came: set[str]) -> None:
    clock.set(ASKED_AT)
    for name, day in VISITS.items():
        turn = {"name": "Ana", "content": f"The {name} came to the pond.", "at": day}
        space.capture(messages=[turn], thread=f"day of the {name}")
    found = ranked(space, f"who came to the pond {when}?", within=["sessions"])
    assert len(found) == len(VISITS)
    assert first_ones(found, len(came)) == came


@pytest.mark.covers("C13")
def test_what_says_when_comes_first_where_that_is_asked_for(space: Memory) -> None:
    space.capture(messages=[{"content": "The lock gate was mended by Ines."}], thread="one")
    space.capture(messages=[{"content": "The lock gate was mended on Tuesday."}], thread="two")
    space.learn("The lock gate was mended with oak.")
    space.learn("The lock gate was mended on 7 April 2026.")
    dated_in: dict[Any, str] = {"memory": "on 7 April 2026.", "sessions": "on Tuesday."}
    for within, dated in dated_in.items():
        when = space.recall("when was the lock gate mended?", within=[within]).results
        assert (when[0].memory.content if when[0].memory else when[0].passage.text).endswith(dated)
        assert [result.breakdown["when"] > 0 for result in when] == [True, False]
        assert ["it says when" in result.explanation for result in when] == [True, False]
        how = space.recall("how was the lock gate mended?", within=[within]).results
        assert ["when" in result.breakdown for result in how] == [False, False]


# A past moment, by every arm

WORDED, KINDRED = "The heron nests by the quarry.", "A stork breeds near an old mine."
"""Two ways to say a thing, of which one shares no telling word with the question."""
SAME = {"stork": "heron", "breeds": "nests", "mine": "quarry"}
MORNING, EVENING = "2026-05-04T10:00", "2026-05-05T10:00"


@pytest.fixture(params=["quick", "slow"])
def embedder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ScriptedEmbedder:
    """A model that knows synonyms, instead of the default one."""
    model = ScriptedEmbedder(synonyms=SAME, is_quick=request.param == "quick")
    monkeypatch.setattr("heldtrue.wiring.models.open_static", lambda: model)
    return model


def contents(memory: Memory, words: str, **arguments: Any) -> set[str]:
    arguments.setdefault("limit", 100)
    return {result.memory.content for result in memory.recall(words, **arguments).results}


def keep_vectors(memory: Memory, embedder: ScriptedEmbedder) -> None:
    from heldtrue.recall.index.embedding import keep_vectors as keep

    keep(memory._call.instance.store, embedder)


@pytest.mark.covers("A14", "C14")
@pytest.mark.parametrize("change", ["forget", "correct"])
def test_as_of_a_moment_vectors_find_what_words_find(
    anywhere: Memory, clock: ManualClock, embedder: ScriptedEmbedder, change: str
) -> None:
    ids = {text: anywhere.learn(text).memory.id for text in (WORDED, KINDRED)}
    clock.advance(days=1)
    for text, ref in ids.items():
        if change == "correct":
            anywhere.correct(ref, f"Nothing of the sort: {text[2:7]} left.", reason="looked again")
        else:
            anywhere.forget(ref, reason="looked again")
    clock.advance(days=1)
    anywhere.learn("The heron nests by the quarry gate.")
    keep_vectors(anywhere, embedder)
    question = "where does the heron nest at the quarry: heron nests quarry"
    assert contents(anywhere, question, as_of=MORNING) == {WORDED, KINDRED}
    found = {result.memory.content: result.breakdown for result in anywhere.recall(question, as_of=MORNING).results}
    assert (found[KINDRED]["text"], found[KINDRED]["meaning"] > 0) == (0, True)
    assert found[WORDED]["text"] > 0
    now = contents(anywhere, question)
    assert "The heron nests by the quarry gate." in now
    assert now.isdisjoint({WORDED, KINDRED})
    assert contents(anywhere, question, as_of="2026-05-01") == set()


@pytest.mark.covers("A14", "C14")
def test_valid_at_a_moment_vectors_find_what_words_find(anywhere: Memory, embedder: ScriptedEmbedder) -> None:
    for text, until in ((WORDED, "2026-03-01"), (KINDRED, "2026-02-01")):
        anywhere.learn(text, valid_from="2026-01-01", valid_to=until)
    keep_vectors(anywhere, embedder)
    question = "heron nests quarry"
    moments = ("2025-12-31", "2026-01-15", "2026-02-15", "2026-03-15")
    assert [contents(anywhere, question, valid_at=moment) for moment in moments] == [
        set(),
        {WORDED, KINDRED},
        {WORDED},
        set(),
    ]
    assert contents(anywhere, question) == set(), "both have ended by now"


@pytest.mark.covers("C14", "C13")
def test_a_time_brings_in_what_was_said_then_though_no_word_is_the_same(space: Memory, clock: ManualClock) -> None:
    clock.set(ASKED_AT)
    said = [{"content": "The owl came.", "at": "2026-03-15"}, {"content": "The crow stayed.", "at": "2026-05-28"}]
    for number, message in enumerate(said):
        space.capture(messages=[message], thread=f"t{number}")
    assert [name for name, _, _ in ranked(space, "what happened in March?", within=["sessions"])] == ["owl"]
    assert [name for name, _, _ in ranked(space, "what happened in May?", within=["sessions"])] == ["crow"]


@pytest.mark.covers("A14", "A31", "D14")
@pytest.mark.parametrize("profile", ["default", "brain", "dual"])
def test_as_of_a_moment_links_lead_to_what_was_linked_then_as_it_was_then(
    make_home: MakeHome, clock: ManualClock, profile: Any
) -> None:
    settings = '[recall]\nvector_model = "none"\nfloor = 0.0\n'
    with Memory.open(make_home(settings=settings), clock=clock) as memory:
        seed = memory.learn("The heron nests by the quarry.").memory.id
        linked = memory.learn("Pliny wrote a letter about feathers.").memory.id
        later = memory.learn("The miller keeps bees.").memory.id
        memory.link(seed, linked)
        clock.advance(days=1)
        new = memory.correct(linked, "Pliny wrote a letter about fish.", reason="read it").memory.id
        memory.link(seed, new)
        memory.link(later, seed)
        clock.advance(days=1)

        def linked_to(**arguments: Any) -> set[str]:
            results = memory.recall("heron", near=[seed], profile=profile, limit=100, **arguments).results
            return {result.memory.content for result in results if result.breakdown["proximity"] > 0}

        # `weights` lets what is only linked count, whatever else it lacks.
        weights = {"proximity": 10.0}
        assert linked_to(as_of=MORNING, weights=weights) == {"Pliny wrote a letter about feathers."}
        assert linked_to(weights=weights) == {"Pliny wrote a letter about fish.", "The miller keeps bees."}
        memory.unlink(later, seed, reason="no")
        assert linked_to(weights=weights) == {"Pliny wrote a letter about fish."}
        assert linked_to(as_of=EVENING, weights=weights) == {
            "Pliny wrote a letter about fish.",
            "The miller keeps bees.",
        }


@pytest.mark.covers("A14", "A31")
def test_valid_at_a_moment_links_lead_only_to_what_held_then(make_home: MakeHome, clock: ManualClock) -> None:
    with Memory.open(make_home(settings='[recall]\nvector_model = "none"\n'), clock=clock) as memory:
        seed = memory.learn("The heron nests by the quarry.").memory.id
        bees, goats = "The miller keeps bees.", "The smith keeps goats."
        for text, until in ((bees, "2026-02-01"), (goats, "2026-04-01")):
            memory.link(seed, memory.learn(text, valid_from="2026-01-01", valid_to=until).memory.id)
        held = {
            "2025-12-15": set(),
            "2026-01-15": {bees, goats},
            "2026-03-15": {goats},
            "2026-04-15": set(),
            None: set(),
        }
        for moment, linked in held.items():
            found = memory.recall("heron", near=[seed], valid_at=moment, weights={"proximity": 10.0}, limit=100).results
            assert {result.memory.content for result in found if result.breakdown["proximity"] > 0} == linked


@pytest.mark.covers("A14", "D11")
def test_as_of_a_moment_ages_and_times_are_told_from_there(space: Memory, clock: ManualClock) -> None:
    space.learn("The fox came to the pond.", observed_at="2026-03-10")
    clock.advance(days=400)
    then, now = (space.recall("who came to the pond in March?", as_of=moment).results[0] for moment in (MORNING, None))
    assert then.breakdown["time"] > now.breakdown["time"], "March of the year in which it is asked"
    assert then.breakdown["recency"] > now.breakdown["recency"]
    assert "1 month ago" in then.explanation
    assert "1 year ago" in now.explanation
