"""Dismissing takes a candidate out of the inbox. Rejecting calls it wrong, and hides the sentence that states it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from heldtrue import Memory, NotAllowed, WrongState
from tests.acceptance.homes import listed

TURNS = [
    {"name": "Melanie", "content": "Thanks! I make pottery every weekend, it helps me express my emotions."},
    {
        "name": "Ana",
        "content": "Remember that I hate default exports, please never use them. We decided last week to use the "
        "decimal.js library for rounding because Math.round got two invoices wrong in April. "
        "I prefer named exports everywhere.",
    },
]
DECIMAL, EXPORTS = "why did we choose decimal.js for rounding?", "default exports"


@pytest.fixture
def captured(anywhere: Memory) -> Memory:
    anywhere.capture(messages=TURNS, thread="tuesday")
    anywhere.work()
    assert said(anywhere, DECIMAL)
    return anywhere


def said(memory: Memory, question: str, **arguments: Any) -> list[str]:
    """The passages of conversations that a question finds."""
    results = memory.recall(question, within=["sessions"], **arguments).results
    return [result.passage.text for result in results]


def waiting(memory: Memory, word: str) -> str:
    """The inbox item that mentions a word."""
    return next(item.memory.id for item in memory.inbox().items if word in item.memory.content)


@pytest.mark.covers("B8", "A5")
def test_dismissing_hides_nothing_and_refuses_nothing(captured: Memory) -> None:
    before = said(captured, EXPORTS)
    wrong = waiting(captured, "default exports")
    content = captured.get(wrong).memory.content
    answer = captured.dismiss(wrong, reason="badly worded")
    assert (answer.outcome, answer.memory.status, answer.cause) == ("dismissed", "archived", "dismissed")
    assert wrong not in {item.memory.id for item in captured.inbox().items}
    assert said(captured, EXPORTS) == before
    assert captured.rejections().items == []
    assert captured.status().statuses["archived"] == 1
    assert captured.dismiss(wrong).outcome == "unchanged"
    assert captured.as_agent("codex").learn(content).outcome != "refused"
    assert captured.verify().ok


@pytest.mark.covers("B8", "D5")
def test_what_was_dismissed_is_not_proposed_again_from_that_source(anywhere: Memory, tmp_path: Path) -> None:
    note = tmp_path / "notes.md"
    note.write_text("# Rules\n\nThe Larkspur gateway listens on port 4410.\n\nWe always deploy on Thursdays.\n")
    anywhere.ingest(str(tmp_path))
    anywhere.work()
    proposed = {item.memory.content for item in anywhere.inbox().items}
    assert len(proposed) == 2
    anywhere.dismiss(waiting(anywhere, "Larkspur"))
    note.write_text(note.read_text() + "\nThe mail server is called Otto.\n")
    anywhere.ingest(str(tmp_path))
    anywhere.work()
    contents = [item.memory.content for item in anywhere.inbox().items]
    assert not any("Larkspur" in content for content in contents)
    assert any("Otto" in content for content in contents), "the control: the rest of the new text is proposed"
    anywhere.capture("The Larkspur gateway listens on port 4410.", source="other.md")
    anywhere.work()
    assert waiting(anywhere, "Larkspur"), "another source may propose it"


@pytest.mark.covers("B8")
def test_an_imported_memory_that_was_dismissed_is_not_proposed_again(anywhere: Memory, tmp_path: Path) -> None:
    file = tmp_path / "mem0.json"
    file.write_text(json.dumps({"results": [{"id": "1", "memory": "Ada keeps bees in her garden.", "user_id": "ada"}]}))
    anywhere.ingest(str(file))
    anywhere.dismiss(waiting(anywhere, "bees"))
    anywhere.ingest(str(file))
    assert anywhere.inbox().items == []


@pytest.mark.covers("B8")
def test_a_person_dismisses_many_at_once_and_can_bring_one_back(captured: Memory) -> None:
    number = len(captured.inbox().items)
    assert number > 1
    first = captured.inbox().items[0].memory
    answer = captured.review("dismiss", reason="noise")
    assert (answer.counts, captured.inbox().items) == ({"dismissed": number}, [])
    assert captured.restore(first.id).memory.status == "active"
    assert listed(captured) == [first.content]


@pytest.mark.covers("B7", "B8")
def test_only_a_person_dismisses_and_only_what_waits(captured: Memory) -> None:
    with pytest.raises(NotAllowed):
        captured.as_agent("codex").dismiss(captured.inbox().items[0].memory.id)
    with pytest.raises(WrongState, match="not in the inbox"):
        captured.dismiss(captured.learn("The well is dry.").memory.id)


@pytest.mark.covers("B8", "A5")
def test_rejecting_hides_the_sentence_and_not_the_turn(captured: Memory) -> None:
    captured.reject(waiting(captured, "default exports"), reason="she never said that")
    turn = said(captured, DECIMAL)[0]
    assert "decimal.js" in turn
    assert "default exports" not in turn
    assert turn.startswith("[…]")
    assert "default exports" not in "".join(said(captured, EXPORTS))
    rejected = captured.as_agent("codex")
    assert all("default exports" not in text for text in said(rejected, "what does Ana hate?"))
    source = captured.recall(DECIMAL, within=["sessions"]).results[0].passage.source_id
    assert "default exports" not in captured.expand(source).text
    assert "decimal.js" in captured.expand(source).text
    before = captured.recall(EXPORTS, within=["sessions"], as_of="#1").results
    assert "default exports" in before[0].passage.text, "as of an earlier moment it was said"
    captured.reindex()
    assert said(captured, DECIMAL)[0] == turn
    assert captured.verify().ok


@pytest.mark.covers("B29")
def test_verify_reports_a_hidden_sentence_that_somebody_uncovered(captured: Memory) -> None:
    captured.reject(waiting(captured, "default exports"), reason="no")
    assert captured.verify(deep=True).ok
    source = captured.recall(DECIMAL, within=["sessions"]).results[0].passage.source_id
    with captured._call.instance.store.write() as writing:
        (passage,) = writing.passages.of_source(source)
        writing.passages.hide([passage.no], None)
    assert "default exports" in said(captured, DECIMAL)[0]
    assert not captured.verify(deep=True).ok


@pytest.mark.covers("A5")
def test_what_is_restored_is_shown_again(captured: Memory) -> None:
    wrong = waiting(captured, "default exports")
    captured.reject(wrong, reason="no")
    captured.restore(wrong, reason="she did say it")
    assert "default exports" in said(captured, DECIMAL)[0]


@pytest.mark.covers("A5", "B7")
def test_a_person_may_state_what_a_person_rejected(captured: Memory) -> None:
    wrong = waiting(captured, "pottery")
    content = captured.get(wrong).memory.content
    captured.reject(wrong, reason="badly worded")
    assert captured.as_agent("codex").learn(content).outcome == "refused", "the control: it is rejected"
    stated = captured.learn(content)
    assert stated.outcome == "created"
    assert stated.notes == ["this was rejected by person:owner (badly worded); the rejection was lifted"]
    lifted = captured.explain(wrong).rejected
    assert {(value.lifted_by, value.lift_reason) for value in lifted} == {("person:owner", "stated by a person")}
    assert captured.as_agent("codex").learn(content).outcome == "corroborated"
    assert captured.rejections().items == []
    assert len(captured.rejections(lifted=True).items) == 1


@pytest.mark.covers("A4", "A5")
def test_a_person_corrects_back_to_what_was_corrected_away(anywhere: Memory) -> None:
    first, second = "The API port is 8080.", "The API port is 9090."
    memory = anywhere.learn(first).memory.id
    for content in (second, first, second, first):
        answer = anywhere.correct(memory, content, reason="it moved")
        assert answer.outcome == "superseded"
        memory = answer.memory.id
    assert answer.notes == ["this was rejected by person:owner (it moved); the rejection was lifted"]
    assert listed(anywhere) == [first]
