"""When facts are true in the world: corrections keep it, later facts end earlier ones, and things change back."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from heldtrue import InvalidInput, ManualClock, Memory
from tests.acceptance.homes import listed, recalled

QUESTION = "what is the default branch?"
MAIN, TRUNK = "The default branch is main", "The default branch is trunk"


def day(moment: str | None) -> str | None:
    return moment and moment[:10]


# Corrections


@pytest.mark.covers("A4", "A7")
def test_a_correction_is_true_for_the_time_of_what_it_corrects(anywhere: Memory) -> None:
    old = anywhere.learn("The Plover licence is MIT", valid_from="2023-10-01", valid_to="2024-11-04").memory.id
    new = anywhere.correct(old, "The Plover licence is Apache", reason="typo").memory
    assert (day(new.valid_from), day(new.valid_to)) == ("2023-10-01", "2024-11-04")
    assert recalled(anywhere, "what is the Plover licence?") == [], "it ended in 2024"
    assert listed(anywhere, valid_at="2021-01-01") == []
    assert listed(anywhere, valid_at="2024-01-01") == ["The Plover licence is Apache"]


def test_a_correction_takes_valid_times_of_its_own(owner: Memory) -> None:
    old = owner.learn("The Plover licence is MIT", valid_from="2023-10-01", valid_to="2024-11-04").memory.id
    later = owner.correct(old, "The Plover licence is Apache", reason="moved", valid_to="March 2026").memory
    assert (day(later.valid_from), day(later.valid_to)) == ("2023-10-01", "2026-03-01")
    open_end = owner.correct(later.id, "The Plover licence is BSD", reason="moved", valid_to="none").memory
    assert (day(open_end.valid_from), open_end.valid_to) == ("2023-10-01", None)
    assert recalled(owner, "what is the Plover licence?") == ["The Plover licence is BSD"]


def test_only_the_valid_time_of_a_memory_can_be_corrected(owner: Memory) -> None:
    old = owner.learn("The Plover licence is MIT", valid_from="2023-10-01").memory.id
    with pytest.raises(InvalidInput, match="says the same"):
        owner.correct(old, "The Plover licence is MIT", reason="nothing new")
    new = owner.correct(old, "The Plover licence is MIT", reason="it ended", valid_to="2024-11-04")
    assert (new.outcome, day(new.memory.valid_to)) == ("superseded", "2024-11-04")
    assert owner.as_agent("codex").learn("The Plover licence is MIT").outcome != "refused", "the value is not rejected"


def test_a_correction_must_end_after_it_begins(owner: Memory) -> None:
    old = owner.learn("The Plover licence is MIT", valid_from="2023-10-01", valid_to="2024-11-04").memory.id
    with pytest.raises(InvalidInput) as refused:
        owner.correct(old, "The Plover licence is Apache", reason="typo", valid_from="2025-01-01")
    assert refused.value.field == "valid_to"


def test_the_kept_half_of_a_correction_and_a_merged_text_keep_the_valid_time(owner: Memory) -> None:
    times: dict[str, Any] = {"valid_from": "2023-10-01", "valid_to": "2027-11-04"}
    old = owner.learn("The Petrel team sits in Turku and reports to Hanna Lind", **times).memory.id
    answer = owner.correct(old, "The Petrel team sits in Vaasa", reason="moved")
    assert [(day(kept.valid_from), day(kept.valid_to)) for kept in answer.kept] == [("2023-10-01", "2027-11-04")]
    first = owner.learn("The Heron office is in Oslo", **times)
    second = owner.learn("The Heron office is in Bergen", valid_to="2027-11-04")
    assert (first.outcome, second.outcome) == ("created", "pending")
    merged = owner.resolve(second.conflicts[0], "merge", text="The Heron office is in Moss", reason="asked").memory
    assert (day(merged.valid_from), day(merged.valid_to)) == ("2023-10-01", "2027-11-04")


# Later facts


@pytest.mark.covers("A7")
def test_a_later_fact_never_moves_an_end_that_was_stated(anywhere: Memory) -> None:
    first = anywhere.learn("The Heron lead is Ann Roe", valid_from="2022-04-01", valid_to="2023-05-06").memory.id
    second = anywhere.learn("The Heron lead is Bo Strand", valid_from="2023-11-01")
    assert second.outcome == "superseded"
    assert day(anywhere.get(first).memory.valid_to) == "2023-05-06"
    assert listed(anywhere, valid_at="2023-07-01") == [], "nobody is known to have led between the two"
    assert listed(anywhere, valid_at="2023-05-05") == ["The Heron lead is Ann Roe"]
    assert recalled(anywhere, "who is the Heron lead?") == ["The Heron lead is Bo Strand"]
    assert [step.memory.id for step in anywhere.explain(second.memory.id).replaces] == [first]
    third = anywhere.learn("The Heron lead is Cy Vale", valid_from="2024-02-01")
    assert third.outcome == "superseded", "what ended long before is not in the way"
    assert day(anywhere.get(second.memory.id).memory.valid_to) == "2024-02-01"
    assert day(anywhere.get(first).memory.valid_to) == "2023-05-06"


def test_a_later_fact_ends_one_without_an_end_or_with_a_later_one(owner: Memory) -> None:
    first = owner.learn("The Heron lead is Ann Roe", valid_from="2022-04-01", valid_to="2030-01-01").memory.id
    owner.learn("The Heron lead is Bo Strand", valid_from="2023-11-01")
    assert day(owner.get(first).memory.valid_to) == "2023-11-01"


def test_values_of_different_times_do_not_contradict_each_other(owner: Memory) -> None:
    assert owner.learn("The Heron lead is Bo Strand", valid_from="2023-11-01").outcome == "created"
    past = owner.learn("The Heron lead is Ann Roe", valid_from="2022-04-01", valid_to="2023-05-06")
    assert (past.outcome, past.conflicts) == ("created", [])
    overlapping = owner.learn("The Heron lead is Cy Vale", valid_from="2022-06-01", valid_to="2024-01-01")
    assert overlapping.outcome == "pending", "both are said to hold in 2023"
    assert owner.learn("The Heron lead is Ann Roe", valid_from="2026-01-01").outcome == "superseded"
    assert [day(item.valid_from) for item in owner.list(valid_at="2026-02-01").items] == ["2026-01-01"]


def test_a_fact_that_is_said_again_takes_the_end_that_was_added(owner: Memory) -> None:
    first = owner.learn("The Heron lead is Ann Roe").memory.id
    again = owner.learn("The Heron lead is Ann Roe", valid_to="2027-01-01")
    assert (again.outcome, again.memory.id, day(again.memory.valid_to)) == ("refreshed", first, "2027-01-01")
    earlier = owner.learn("The Heron lead is Ann Roe", valid_from="2020-01-01")
    assert (day(earlier.memory.valid_from), day(earlier.memory.valid_to)) == ("2020-01-01", "2027-01-01")
    later = owner.learn("The Heron lead is Ann Roe", valid_from="2025-01-01")
    assert day(later.memory.valid_from) == "2020-01-01", "it says nothing about the time before"


# It changed back


def current(memory: Memory) -> list[str]:
    return [item.content for item in memory.list().items if not item.ended]


@pytest.mark.covers("A4", "A5")
def test_a_person_can_correct_a_value_back(anywhere: Memory, clock: ManualClock) -> None:
    first = anywhere.learn(MAIN).memory.id
    clock.advance(days=1)
    second = anywhere.correct(first, TRUNK, reason="renamed").memory.id
    clock.advance(days=1)
    back = anywhere.correct(second, MAIN, reason="moved back")
    assert back.outcome == "superseded"
    assert any("rejected by person:owner (renamed)" in note for note in back.notes)
    assert current(anywhere) == [MAIN]
    assert anywhere.conflicts().items == []
    assert recalled(anywhere, QUESTION) == [MAIN]
    assert [anywhere.get(memory).memory.status for memory in (first, second)] == ["superseded", "superseded"]
    assert recalled(anywhere, QUESTION, as_of="1 day ago") == [TRUNK]
    assert recalled(anywhere, QUESTION, as_of="2 days ago") == [MAIN]
    assert anywhere.as_agent("codex").learn(TRUNK).outcome == "refused", "the value that was replaced is rejected now"
    assert anywhere.as_agent("codex").learn(MAIN).outcome == "corroborated"
    clock.advance(days=1)
    assert anywhere.correct(back.memory.id, TRUNK, reason="and again").outcome == "superseded"
    assert current(anywhere) == [TRUNK]


def test_a_person_can_learn_that_a_corrected_value_changed_back(anywhere: Memory, clock: ManualClock) -> None:
    first = anywhere.learn(MAIN).memory.id
    clock.advance(days=1)
    second = anywhere.correct(first, TRUNK, reason="renamed").memory.id
    clock.advance(days=2)
    back = anywhere.learn(MAIN)
    assert (back.outcome, back.reason.split(":")[0]) == ("superseded", "the value changed back")
    assert any("rejected by person:owner (renamed)" in note for note in back.notes)
    assert current(anywhere) == [MAIN]
    assert recalled(anywhere, QUESTION) == [MAIN]
    assert anywhere.conflicts().items == []
    ended = anywhere.get(second).memory
    assert (ended.status, ended.valid_to) == ("active", back.memory.valid_from)
    assert listed(anywhere, valid_at="1 day ago") == [TRUNK], "it was true until it changed back"


def test_dated_facts_change_back_and_forth(owner: Memory) -> None:
    steps = [
        (MAIN, "2020-01-01"),
        (TRUNK, "2021-01-01"),
        (MAIN, "2022-01-01"),
        (TRUNK, "2023-01-01"),
        (MAIN, "2024-01-01"),
    ]
    learned = [owner.learn(content, valid_from=start) for content, start in steps]
    assert [answer.outcome for answer in learned] == ["created", *["superseded"] * 4]
    times = [
        (memory.valid_from, memory.valid_to) for memory in (owner.get(answer.memory.id).memory for answer in learned)
    ]
    assert all(earlier[1] == later[0] for earlier, later in pairwise(times))
    assert current(owner) == [MAIN]
    for year, held in enumerate([MAIN, TRUNK, MAIN, TRUNK, MAIN], 2020):
        assert listed(owner, valid_at=f"{year}-06-01") == [held]
    assert owner.learn(TRUNK).outcome == "superseded", "without a date it changed back as well"
    assert current(owner) == [TRUNK]


def test_a_dated_statement_by_a_person_lifts_a_rejection_and_ends_what_came_between(owner: Memory) -> None:
    first = owner.learn(MAIN).memory.id
    owner.correct(first, TRUNK, reason="renamed")
    back = owner.learn(MAIN, valid_from="2026-11-01")
    assert back.outcome == "superseded"
    assert listed(owner, valid_at="2026-12-01") == [MAIN]
    assert listed(owner, valid_at="2026-10-01") == [TRUNK]


@pytest.mark.covers("A5", "B26")
def test_a_person_may_state_what_a_person_rejected_and_an_agent_may_not(anywhere: Memory) -> None:
    memory = anywhere.learn("The API timeout is 30 seconds").memory.id
    anywhere.forget(memory, reason="wrong")
    assert anywhere.as_agent("codex").learn("The API timeout is 30 seconds").outcome == "refused"
    assert (
        anywhere.as_agent("codex")
        .correct(
            anywhere.as_agent("codex").learn("The cache timeout is 5 seconds").memory.id,
            "The API timeout is 30 seconds",
            reason="guess",
        )
        .outcome
        == "refused"
    )
    again = anywhere.learn("The API timeout is 30 seconds")
    assert again.outcome == "created"
    assert again.notes == ["this was rejected by person:owner (wrong); the rejection was lifted"]
    assert recalled(anywhere, "API timeout")[0] == "The API timeout is 30 seconds"


def test_a_new_value_without_a_date_still_waits(owner: Memory) -> None:
    first = owner.learn(MAIN).memory.id
    owner.correct(first, TRUNK, reason="renamed")
    waiting = owner.learn("The default branch is develop")
    assert waiting.outcome == "pending", "only a value that was replaced before is known to have changed back"
    assert "correct" in (waiting.hint or "")
