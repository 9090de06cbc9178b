"""Agents never see words that a person rejected: as evidence, through other verbs, or in what is captured later."""

from __future__ import annotations

from typing import Literal

import pytest

from heldtrue import Memory, NotFound
from heldtrue.language.statements import analyse_statement

COMPOUND = "The Petrel team sits in Turku and reports to Hanna Lind"


@pytest.mark.covers("A5", "B8")
def test_evidence_under_a_kept_half_shows_only_what_was_kept(anywhere: Memory) -> None:
    codex = anywhere.as_agent("codex")
    old = anywhere.learn(COMPOUND).memory.id
    (before,) = codex.recall("who does the Petrel team report to?").results
    assert [source.content for source in before.evidence] == [COMPOUND], "the control: it is shown before"
    (kept,) = anywhere.correct(old, "The Petrel team sits in Vaasa", reason="moved").kept
    assert kept.content == "The Petrel team reports to Hanna Lind"
    found = {
        result.memory.content: [source.content for source in result.evidence]
        for result in codex.recall("who does the Petrel team report to?").results
        if result.memory is not None
    }
    assert found[kept.content] == ["reports to Hanna Lind"]
    for shown in (codex.get(kept.id), codex.expand(kept.id), codex.explain(kept.id)):
        assert "Turku" not in " ".join(source.content for source in shown.evidence)
    audit = anywhere.explain(kept.id)
    assert [source.content for source in audit.evidence] == [COMPOUND], "a person who audits sees the whole source"


@pytest.mark.parametrize(
    ("said", "kept", "gone", "question"),
    [
        (
            "Remember that my sister Ida is a nurse. I live in Gent.",
            "I live in Gent.",
            "sister",
            "where does Nora live?",
        ),
        (
            "Remember that we use Jenkins for builds. I drive a Volvo.",
            "I drive a Volvo.",
            "Jenkins",
            "what does Nora drive?",
        ),
    ],
)
def test_what_is_captured_later_is_hidden_sentence_by_sentence(
    owner: Memory, said: str, kept: str, gone: str, question: str
) -> None:
    turn = [{"role": "user", "name": "Nora", "content": said}]
    owner.as_agent("codex").capture(messages=turn, thread="first")
    owner.work()
    for item in owner.inbox().items:
        owner.approve(item.memory.id)
    (rejected,) = [item.id for item in owner.list().items if gone in item.content]
    owner.forget(rejected, reason="wrong")
    gemini = owner.as_agent("gemini")
    gemini.capture(messages=turn, thread="second")
    owner.work()
    selections: list[list[Literal["memory", "sessions"]]] = [["sessions"], ["memory", "sessions"]]
    for within in selections:
        results = gemini.recall(question, within=within).results
        shown = [source.content for result in results for source in result.evidence]
        shown += [result.passage.text for result in results if result.passage is not None]
        assert not any(gone in text for text in shown)
        assert any(kept in text for text in shown), "the other sentence is still shown"
    owner.reindex()
    again = gemini.recall(question, within=["sessions"]).results
    assert not any(gone in result.passage.text for result in again if result.passage is not None)
    assert owner.verify().problems == []


@pytest.mark.covers("A5")
def test_expand_and_why_show_an_agent_no_memory_that_is_gone(anywhere: Memory) -> None:
    codex = anywhere.as_agent("codex")
    memory = anywhere.learn("The API timeout is 30 seconds").memory.id
    recall = codex.recall("API timeout").recall_id
    assert codex.why(recall).results[0].content == "The API timeout is 30 seconds"
    assert "30 seconds" in codex.expand(memory).text
    anywhere.forget(memory, reason="wrong")
    assert codex.why(recall).results[0].content is None
    with pytest.raises(NotFound):
        codex.expand(memory)
    assert "30 seconds" in anywhere.expand(memory).text, "a person who audits still sees it"


def test_search_shows_memories_without_evidence(anywhere: Memory) -> None:
    anywhere.learn("The API timeout is 30 seconds", source_text="As measured, the API timeout is 30 seconds.")
    (result,) = anywhere.search("API timeout").results
    assert (result.memory.content, result.evidence) == ("The API timeout is 30 seconds", [])
    assert anywhere.recall("API timeout").results[0].evidence, "the control: recall shows it"


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        ("Sam: Mia drives a Volvo and has a dog named Rex.", "Sam: Mia has a dog named Rex"),
        ("Ana (lead): Bo likes tea and drinks coffee", "Ana (lead): Bo drinks coffee"),
    ],
)
def test_a_kept_part_is_spaced_as_it_was_written(statement: str, part: str) -> None:
    assert [claim.text for claim in analyse_statement(statement).claims][-1] == part
