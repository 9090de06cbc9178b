"""Captured evidence is found where it is asked for, with what was said around it, and never beside itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from heldtrue import InvalidInput, ManualClock, Memory
from tests.acceptance.homes import MakeHome, new_clock

THEN = "2026-05-04T12:00"
"""A few hours after the clock starts."""
EVERYWHERE: list[Any] = ["memory", "items", "sessions", "sources"]
CHAT = [
    {"role": "user", "name": "Ana", "content": "I walked along the canal before breakfast."},
    {"role": "assistant", "content": "Which bird did you see at the weir?"},
    {"role": "user", "name": "Ana", "content": "A kingfisher, bright blue, on the old sluice."},
    {"role": "user", "name": "Bo", "content": "I only saw pigeons near the station."},
    {"role": "assistant", "content": "Noted, thank you both."},
    {"role": "user", "name": "Ana", "content": "Tomorrow I will bring the good camera."},
]
MANUAL = """# Boiler manual

## Starting

Open the brass valve by a quarter turn and wait until the needle reaches forty.

## Stopping

Close the gas tap first, then let the pump run for ten minutes.
"""


PLACES = {
    "sqlite with vectors": ("sqlite", "auto"),
    "sqlite by words": ("sqlite", "none"),
    "postgres with vectors": ("postgres", "auto"),
}


@pytest.fixture(params=PLACES.values(), ids=list(PLACES))
def space(request: pytest.FixtureRequest, make_home: MakeHome, clock: ManualClock) -> Iterator[Memory]:
    """A home on each kind of store, with vectors and without."""
    kind, model = request.param
    with Memory.open(make_home(kind, f'[recall]\nvector_model = "{model}"\n'), clock=clock) as memory:
        yield memory


def told(memory: Memory, words: str, **arguments: Any) -> list[str]:
    """The texts that a question brings up, best first, whatever they are."""
    arguments.setdefault("limit", 100)
    return [
        result.memory.content if result.memory else result.passage.text
        for result in memory.recall(words, **arguments).results
    ]


# Where it is looked for


@pytest.mark.covers("C13", "B15")
def test_it_is_no_answer_only_because_it_is_by_them(space: Memory) -> None:
    said = ["The boat was painted green.", "Lunch was late again.", "The gate has a new lock."]
    space.capture(messages=[{"name": "Vera", "content": text} for text in said], thread="yard")
    assert told(space, "what colour did Vera paint the boat?", within=["sessions"])[:1] == said[:1]
    asked = "which university did Vera attend before she moved to Oslo?"
    assert told(space, asked, within=["sessions"]) == []


@pytest.mark.covers("C13", "C14", "B4")
def test_conversations_are_searched_only_where_they_are_asked_for(space: Memory) -> None:
    space.capture(messages=CHAT, thread="walk")
    space.learn("The camera is in the drawer.")
    assert told(space, "kingfisher on the sluice") == []
    assert told(space, "kingfisher on the sluice", within=["memory", "items", "sources"]) == []
    assert told(space, "kingfisher on the sluice", within=["sessions"])[0] == CHAT[2]["content"]
    assert told(space, "kingfisher on the sluice", within=EVERYWHERE)[0] == CHAT[2]["content"]
    assert told(space, "camera drawer", within=["sessions"]) != ["The camera is in the drawer."]
    assert "The camera is in the drawer." not in told(space, "camera drawer", within=["sessions"])
    assert "The camera is in the drawer." in told(space, "camera drawer", within=EVERYWHERE)


@pytest.mark.covers("C13", "C14")
def test_documents_are_searched_by_default_and_each_collection_by_its_name(space: Memory) -> None:
    space.capture(MANUAL, title="Boiler manual")
    space.learn("The boiler stands in the cellar.")
    space.learn("Boiler", kind="entity")
    space.capture(messages=[{"content": "The boiler makes a noise like a kettle."}], thread="noise")
    assert "quarter turn" in told(space, "brass valve quarter turn")[0]
    by_name = {name: " ".join(told(space, "boiler", within=[name])) for name in EVERYWHERE}
    assert ["cellar" in text for text in by_name.values()] == [True, False, False, False]
    assert by_name["items"] == "Boiler"
    assert ["kettle" in text for text in by_name.values()] == [False, False, True, False]
    assert ["needle" in text for text in by_name.values()] == [False, False, False, True]


@pytest.mark.covers("C13", "B15")
def test_a_piece_of_evidence_says_where_it_is_from_and_that_nobody_has_weighed_it(space: Memory) -> None:
    space.capture(MANUAL, title="Boiler manual", source="docs/boiler.md")
    space.as_agent("codex").capture(messages=CHAT, thread="walk")
    piece = space.recall("brass valve quarter turn").results[0]
    assert (piece.memory, piece.evidence, piece.around) == (None, [], [])
    assert (piece.passage.title, piece.passage.reference, piece.passage.kind) == (
        "Boiler manual",
        "docs/boiler.md",
        "document",
    )
    assert [tag.tag for tag in piece.trust] == ["unconfirmed"]
    assert piece.matched_scope == piece.passage.scope == "global"
    assert "source text" in piece.explanation
    assert sum(piece.breakdown.values()) == pytest.approx(piece.score, abs=1e-5)
    turn = space.recall("kingfisher", within=["sessions"]).results[0].passage
    assert (turn.speaker, turn.thread, turn.place, turn.author) == ("Ana", "walk", 2, "agent:codex")


@pytest.mark.covers("C13")
def test_the_answer_of_a_question_is_found_though_it_has_none_of_its_words(space: Memory) -> None:
    space.capture(messages=CHAT, thread="walk")
    for number in range(6):
        space.capture(messages=[{"content": f"Item i{number}x is in bin b{number}y."}], thread=f"other {number}")
    found = told(space, "which bird was at the weir", within=["sessions"])
    assert set(found[:2]) == {CHAT[1]["content"], CHAT[2]["content"]}
    assert not any(text.startswith("Item") for text in found)


@pytest.mark.covers("C13")
def test_what_someone_said_comes_before_what_others_said(space: Memory) -> None:
    for name in ("Ana", "Bo", "Cleo"):
        space.capture(messages=[{"name": name, "content": f"My favourite dish is {name[::-1]} stew."}], thread=name)
    for name in ("Ana", "Bo", "Cleo"):
        results = space.recall(f"What is {name}'s favourite dish?", within=["sessions"]).results
        assert results[0].passage.speaker == name
        assert results[0].breakdown["speaker"] > 0
        assert [result.breakdown["speaker"] for result in results[1:]] == [0] * (len(results) - 1)
    assert "speaker" not in space.recall("favourite dish", within=["sessions"]).results[0].breakdown


# Around it


@pytest.mark.covers("C13", "B15")
def test_the_turns_around_a_hit_are_shown_where_they_are_asked_for(space: Memory) -> None:
    space.capture(messages=CHAT, thread="walk")
    space.capture(messages=[{"content": "Another talk altogether."}], thread="other")
    for reach in (0, 1, 2, 5):
        result = space.recall("kingfisher sluice", within=["sessions"], around=reach, limit=1).results[0]
        assert result.passage.place == 2
        places = [index for index in range(2 - reach, 3 + reach) if index in range(len(CHAT)) and index != 2]
        assert [passage.place for passage in result.around] == places
        assert [passage.text for passage in result.around] == [CHAT[index]["content"] for index in places]
    first = space.recall("canal breakfast", within=["sessions"], around=3, limit=1).results[0]
    assert [passage.place for passage in first.around] == [1, 2, 3]
    with pytest.raises(InvalidInput):
        space.recall("kingfisher", around=6)


@pytest.mark.covers("C13", "A5")
def test_what_is_hidden_is_not_shown_around_a_hit_either(space: Memory) -> None:
    space.capture(messages=CHAT, thread="walk")
    space.forget(space.learn(CHAT[3]["content"]).memory.id, reason="it was not so")
    around = space.recall("kingfisher sluice", within=["sessions"], around=2, limit=1).results[0].around
    assert [passage.place for passage in around] == [0, 1, 4]


# Once


@pytest.mark.covers("B24", "C13", "B22")
def test_a_memory_and_its_own_evidence_are_one_result(space: Memory) -> None:
    said = "The kingfisher nests in the bank below the mill."
    source = space.capture(said, title="walks").sources[0]
    kept = space.learn(said).memory.id
    chat = space.capture(messages=[{"content": said}, {"content": "Is that so?"}], thread="walk").sources[0]
    results = space.recall("where does the kingfisher nest", within=EVERYWHERE).results
    assert results[0].memory.id == kept, "what somebody stands behind comes before raw evidence"
    assert set(results[0].folded) == {source, chat}
    assert said not in [result.passage.text for result in results[1:]]
    alone = space.recall("where does the kingfisher nest", within=["sessions"]).results[0]
    assert (alone.passage.source_id, alone.folded) == (chat, [])


@pytest.mark.covers("B22")
def test_evidence_that_differs_in_a_number_is_a_result_of_its_own(space: Memory) -> None:
    for number in (30, 40):
        space.capture(f"The needle of the old brass boiler in the cellar must reach {number} before lunch.")
    assert len(told(space, "needle of the brass boiler")) == 2


@pytest.mark.covers("C13")
def test_one_document_gives_no_more_than_its_share_and_leaves_room_for_the_rest(space: Memory) -> None:
    parts = [
        f"## Part {number}\n\nThe ferry timetable, part p{number}q. " + " ".join(f"w{number}x{j}y" for j in range(140))
        for number in range(30)
    ]
    whole = space.capture("\n\n".join(parts), title="Timetable").sources[0]
    others = [
        space.capture(f"A ferry timetable hangs at pier n{number}z.", title=f"Pier {number}").sources[0]
        for number in range(4)
    ]
    for most in (1, 2, 3, 7):
        sources = [
            result.passage.source_id for result in space.recall("ferry timetable", per_source=most, limit=20).results
        ]
        assert sources.count(whole) == most
        assert [sources.count(source) for source in others] == [1] * 4
    assert [result.passage.source_id for result in space.recall("ferry timetable").results].count(whole) == 3
    assert len(space.recall("ferry timetable", per_source=50, limit=50).results) > 20


@pytest.mark.covers("C13")
def test_many_that_say_the_same_leave_room_for_the_rest(space: Memory) -> None:
    for number in range(40):
        space.capture(messages=[{"content": "The ferry timetable is out."}], thread=f"talk {number}")
    space.capture(messages=[{"content": "The ferry timetable hangs at the pier."}], thread="pier")
    results = space.recall("ferry timetable", within=["sessions"], limit=5).results
    assert sorted(result.passage.text for result in results) == [
        "The ferry timetable hangs at the pier.",
        "The ferry timetable is out.",
    ]
    assert sorted(len(result.folded) for result in results) == [0, 39]


# What was rejected since


@pytest.mark.covers("A5", "C13", "A14")
def test_what_was_forgotten_is_no_longer_found_in_evidence_and_its_siblings_are(
    space: Memory, clock: ManualClock
) -> None:
    turns = ["The office is in Madrid.", "The lab is in Rome.", "The archive is in Oslo."]
    space.capture(messages=[{"content": turn} for turn in turns], thread="places")
    learned = space.learn("The lab is in Rome.").memory.id
    question: dict[str, Any] = {"within": EVERYWHERE}
    assert "The lab is in Rome." in told(space, "where is the lab", **question)
    clock.advance(days=1)
    space.forget(learned, reason="it moved")
    assert "The lab is in Rome." not in told(space, "where is the lab, office, archive", **question)
    assert {turns[0], turns[2]} <= set(told(space, "where is the lab, office, archive", **question))
    then = space.recall("where is the lab", as_of=THEN, **question).results
    assert then[0].memory.id == learned
    assert (then[0].since.status, then[0].since.reason) == ("retracted", "it moved")
    assert "The lab is in Rome." in told(space, "where is the lab", as_of=THEN, within=["sessions"])
    space.restore(learned, reason="it moved back")
    assert "The lab is in Rome." in told(space, "where is the lab", within=["sessions"])


@pytest.mark.covers("A4", "C13", "A14")
def test_what_was_corrected_is_no_longer_found_in_evidence_but_what_is_right_is(
    space: Memory, clock: ManualClock
) -> None:
    space.capture("The pump pressure is 4 bar. The pump colour is red.", title="pump notes")
    space.capture("Serviced it again: the pump pressure is 6 bar.", title="service log")
    learned = space.learn("The pump pressure is 4 bar.").memory.id
    clock.advance(days=1)
    new = space.correct(learned, "The pump pressure is 6 bar.", reason="measured").memory.id
    found = space.recall("pump pressure", within=EVERYWHERE).results
    assert found[0].memory.id == new
    assert not any("4 bar" in text for text in told(space, "pump pressure", within=EVERYWHERE))
    assert any("6 bar" in text for text in told(space, "pump pressure", within=["sources"]))
    assert any("4 bar" in text for text in told(space, "pump pressure", within=["sources"], as_of=THEN))


@pytest.mark.covers("B24", "C13")
def test_a_source_in_quarantine_is_found_at_no_moment_and_again_when_it_is_let_out(
    space: Memory, clock: ManualClock
) -> None:
    source = space.capture("The mill wheel turns westward.", title="mill").sources[0]
    space.capture("The mill roof is slate.", title="roof")
    clock.advance(days=1)
    space.quarantine(source, reason="forged")
    for moment in (None, THEN, "now"):
        assert told(space, "mill wheel roof", as_of=moment) == ["The mill roof is slate."]
    space.quarantine(source, reason="it was not", release=True)
    assert set(told(space, "mill wheel roof")) == {"The mill roof is slate.", "The mill wheel turns westward."}


# When


@pytest.mark.covers("A14", "C13")
def test_evidence_is_found_as_of_a_moment_once_it_was_recorded(space: Memory, clock: ManualClock) -> None:
    clock.advance(days=2)
    space.capture("The lock gate was mended.", title="lock", occurred_at="2026-05-05")
    assert told(space, "lock gate mended") == ["The lock gate was mended."]
    assert told(space, "lock gate mended", as_of="2026-05-05T12:00") == [], "it had happened, but nobody had said so"
    assert told(space, "lock gate mended", valid_at="2026-05-05T12:00") == ["The lock gate was mended."]
    assert told(space, "lock gate mended", valid_at="2026-05-04T12:00") == [], "it had not happened yet"


@pytest.mark.covers("A7", "C13")
def test_what_is_too_old_is_left_out_by_when_it_was_said(space: Memory, clock: ManualClock) -> None:
    clock.advance(days=10)
    space.capture(
        messages=[
            {"content": "The weir was dry.", "at": "2026-05-04"},
            {"content": "The weir was full.", "at": "2026-05-13"},
        ],
        thread="weir",
    )
    assert len(told(space, "weir", within=["sessions"])) == 2
    assert told(space, "weir", within=["sessions"], max_age="3d") == ["The weir was full."]
    assert told(space, "weir", within=["sessions"], max_age="1h") == []


@pytest.mark.covers("A7", "C13")
def test_who_asks_for_kinds_or_for_certainty_asks_for_memories(space: Memory) -> None:
    space.capture("The lock keeper is called Ines.", title="lock")
    space.learn("The lock keeper lives upstream.", kind="note", confidence=0.9)
    assert len(told(space, "lock keeper")) == 2
    for arguments in ({"kinds": ["note"]}, {"min_confidence": 0.5}):
        assert told(space, "lock keeper", **arguments) == ["The lock keeper lives upstream."]


@pytest.mark.covers("B27", "D28", "C14")
@pytest.mark.parametrize("model", ["auto", "none"])
def test_both_stores_find_the_same_evidence_with_the_same_scores(make_home: MakeHome, model: str) -> None:
    answers = []
    for kind in ("sqlite", "postgres"):
        with Memory.open(make_home(kind, f'[recall]\nvector_model = "{model}"\n'), clock=new_clock()) as memory:
            memory.capture(messages=CHAT, thread="walk")
            memory.capture(MANUAL, title="Boiler manual")
            memory.learn("The camera is in the drawer.")
            answers.append(
                [
                    (text, result.score, result.breakdown, result.explanation)
                    for question in ("kingfisher", "which bird at the weir", "boiler valve", "camera", "Bo and pigeons")
                    for result in memory.recall(question, within=EVERYWHERE, around=1).results
                    for text in [result.memory.content if result.memory else result.passage.text]
                ]
            )
    assert answers[0] == answers[1]
    assert len(answers[0]) > 5


@pytest.mark.covers("C14")
def test_what_is_believed_stands_for_its_evidence_wherever_that_ranks(space: Memory) -> None:
    """A memory says how far to trust it and what contradicts it; the same words as raw evidence say neither."""
    space.capture("The API listens on port 9090.", source="api.md", title="The API listens on port")
    believed = space.learn("The API listens on port 9090.", source="meeting").memory.id
    for question in ("api port", "which port does the API listen on?", "The API listens on port"):
        results = space.recall(question).results
        assert [result.memory.id for result in results if result.memory] == [believed]
        assert not any(result.passage and "9090" in result.passage.text for result in results)
