"""What Heldtrue rendered is never taken as evidence: no memory confirms itself by being recalled."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from heldtrue import InvalidInput, Memory

FACT = "The ferry to the island leaves at noon."
SAID = "Thanks, then I will take the ferry on Friday."


def renderings(memory: Memory) -> dict[str, str]:
    """Everything that is made to be read by a model or a program."""
    learned = memory.learn(FACT)
    memory.capture(messages=[{"name": "Ana", "content": "The ferry is never late."}], thread="quay")
    answers: dict[str, Any] = {
        "learn": learned,
        "recall": memory.recall("when does the ferry leave?"),
        "explain": memory.explain(learned.memory.id),
        "capture": memory.capture("The island has one inn.", source="island.md"),
        "inject as an answer": memory.inject("when does the ferry leave?"),
    }
    blocks = {
        "inject": memory.inject("when does the ferry leave?", within=["memory", "sessions"]).block,
        "inject summaries": memory.inject("ferry", tier="summaries").block,
        "context": memory.context_for(task="take the ferry").block,
    }
    assert all("recalled-memory" in block for block in blocks.values())
    return blocks | {name: msgspec.json.encode(answer).decode() for name, answer in answers.items()}


@pytest.mark.covers("B4", "D5")
def test_a_rendering_is_left_out_of_a_turn_and_the_rest_is_kept(owner: Memory) -> None:
    for name, text in renderings(owner).items():
        messages = [{"role": "tool", "content": text}, {"name": "Ana", "content": SAID}]
        answer = owner.capture(messages=messages, thread=name)
        assert answer.captured == 1, name
        assert any("Heldtrue itself had generated" in note for note in answer.notes), name
    told = owner.recall("which ferry will be taken?", within=["sessions"], limit=50).results
    assert {SAID} <= {result.passage.text for result in told} <= {SAID, "The ferry is never late."}


@pytest.mark.covers("B4")
def test_what_stands_around_a_block_in_one_text_stays(owner: Memory) -> None:
    block = renderings(owner)["inject"]
    answer = owner.capture(f"Before the crossing.\n\n{block}\n\nAfter the crossing.", source="log.md")
    kept = owner.expand(answer.sources[0]).text
    assert kept == "Before the crossing.\n\nAfter the crossing."


@pytest.mark.covers("B4")
def test_a_text_that_is_nothing_but_a_rendering_is_refused(owner: Memory) -> None:
    with pytest.raises(InvalidInput, match="content is empty"):
        owner.capture(renderings(owner)["inject"], source="log.md")


@pytest.mark.covers("B4")
@pytest.mark.parametrize(
    "text",
    [
        '<recalled-memory part="a" fence="0123456789">\nThe mill has two wheels\n</recalled-memory fence="9876543210">',
        'The tag <recall id="none"/> is ours, and the mill has two wheels.',
        '{"memory": "64 GB", "mill": "two wheels"}',
        "The following was recalled from memory by my aunt: the mill has two wheels.",
    ],
)
def test_what_only_looks_like_one_is_evidence_like_any_other(owner: Memory, text: str) -> None:
    """The control: nothing of a user's own is lost."""
    answer = owner.capture(text, source="notes.md")
    assert owner.expand(answer.sources[0]).text == text
    assert answer.notes == []


@pytest.mark.covers("D2", "B5")
def test_a_conversation_that_took_another_turn_adds_only_what_is_new(anywhere: Memory) -> None:
    def turns(*texts: str) -> list[dict[str, str]]:
        return [{"name": "Ana", "content": text} for text in texts]

    anywhere.capture(messages=turns("one", "two", "three"), thread="talk")
    parted = anywhere.capture(messages=turns("one", "two", "drei"), thread="talk")
    assert (parted.known, parted.captured) == (2, 1)
    other = anywhere.capture(messages=turns("one", "zwei"), thread="talk")
    assert (other.known, other.captured) == (0, 2), "one word in common is no common beginning"


@pytest.mark.covers("D2")
def test_the_same_words_at_another_time_are_another_turn(anywhere: Memory) -> None:
    def turn(day: str) -> list[dict[str, str]]:
        return [{"name": "Ana", "content": "ok", "at": f"2026-03-{day}"}]

    assert anywhere.capture(messages=turn("01"), thread="talk").captured == 1
    assert anywhere.capture(messages=turn("01"), thread="talk").captured == 0
    assert anywhere.capture(messages=turn("02"), thread="talk").captured == 1
