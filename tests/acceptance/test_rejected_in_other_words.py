"""What a person rejected is recognised in other words, and waits for a person through every way in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from heldtrue import Memory
from heldtrue.domain.cause import PendingCause
from heldtrue.language.guard import take_failures
from heldtrue.wiring.models import Models
from tests.acceptance.homes import MakeHome, recalled

REJECTED = "The payroll service runs on port 8443."
REWORDED = "Port 8443 is where the payroll service listens"
FRAMED = "As agreed in the meeting, the payroll service runs on port 8443, and it will stay there"
SAYINGS = (REWORDED, FRAMED)
OTHERS = (
    "The payroll service writes its log to a file",
    "The travel service runs on port 8443",
    "It is not true that the payroll service runs on port 8443",
    "The payroll service runs on port 9443",
)


@pytest.fixture
def memory(make_home: MakeHome) -> Iterator[Memory]:
    """A store in which a person has rejected a claim."""
    with Memory.open(make_home()) as memory:
        memory.forget(memory.learn(REJECTED).memory.id, reason="it moved long ago")
        yield memory


def waits_for_it(memory: Memory, memory_id: str) -> bool:
    found = memory.get(memory_id).memory
    return found.status == "inbox" and found.cause == PendingCause.SAYS_REJECTED


@pytest.mark.covers("B7", "D5")
@pytest.mark.parametrize("text", SAYINGS)
def test_an_agent_that_says_it_in_other_words_waits_and_the_reason_quotes_it(memory: Memory, text: str) -> None:
    answer = memory.as_agent("codex").learn(text)
    assert (answer.outcome, answer.cause) == ("pending", PendingCause.SAYS_REJECTED)
    assert REJECTED in answer.reason
    assert recalled(memory, "which port has payroll") == []


@pytest.mark.covers("B7")
@pytest.mark.parametrize("text", OTHERS)
def test_what_only_looks_like_it_does_not_wait_for_it(memory: Memory, text: str) -> None:
    assert memory.as_agent("codex").learn(text).cause != PendingCause.SAYS_REJECTED


@pytest.mark.covers("B7", "A5")
def test_a_person_may_say_it_again_in_any_words(memory: Memory) -> None:
    assert memory.learn(REWORDED).outcome == "created"


def test_what_was_lifted_is_not_recognised_any_more(memory: Memory) -> None:
    memory.learn(REJECTED)
    assert memory.as_agent("codex").learn(FRAMED).cause != PendingCause.SAYS_REJECTED


@pytest.mark.covers("B7")
def test_saying_it_twice_or_by_two_agents_does_not_make_it_count(memory: Memory) -> None:
    held = memory.as_agent("codex").learn(REWORDED).memory.id
    for who in ("codex", "claude"):
        memory.as_agent(who).learn(REWORDED)
        assert waits_for_it(memory, held)
    memory.approve(held)
    assert memory.get(held).memory.status == "active"


def test_one_of_a_batch_waits_and_the_rest_counts(memory: Memory) -> None:
    answer = memory.as_agent("codex").learn_many([{"content": FRAMED}, {"content": OTHERS[0]}])
    assert [found.outcome for found in answer.answers] == ["pending", "created"]


def test_what_comes_with_an_import_waits(memory: Memory, make_home: MakeHome, tmp_path: Path) -> None:
    with Memory.open(make_home()) as other:
        other.learn(REWORDED)
        other.learn(OTHERS[0])
        other.export(str(tmp_path / "other.jsonl"))
    memory.import_(str(tmp_path / "other.jsonl"))
    waiting = {item.content: item.cause for item in memory.list(statuses=["inbox"]).items}
    assert waiting[REWORDED] == PendingCause.SAYS_REJECTED
    assert OTHERS[0] not in waiting or waiting[OTHERS[0]] != PendingCause.SAYS_REJECTED


def test_what_was_erased_is_not_quoted(memory: Memory) -> None:
    secret = memory.learn("Ludmila Petrenko collects old maps").memory.id
    memory.forget(secret, reason="not wanted")
    said = memory.as_agent("codex").learn("Old maps are what Ludmila Petrenko collects")
    assert "Ludmila" in said.reason
    planned = memory.erase(memories=[secret], reason="asked for")
    memory.erase(memories=[secret], reason="asked for", confirm=planned.confirm)
    again = memory.as_agent("claude").learn("Ludmila Petrenko has a collection of old maps")
    assert again.cause != PendingCause.SAYS_REJECTED


@pytest.mark.covers("B7")
def test_without_the_reader_only_the_words_themselves_are_recognised(
    make_home: MakeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Models, "has_reader", lambda _self: False)
    with Memory.open(make_home()) as memory:
        memory.forget(memory.learn(REJECTED).memory.id, reason="it moved long ago")
        agent = memory.as_agent("codex")
        assert memory.status().reader is False
        assert agent.learn(FRAMED).cause == PendingCause.SAYS_REJECTED
        assert agent.learn(OTHERS[2]).cause != PendingCause.SAYS_REJECTED
        assert agent.learn(REWORDED).cause != PendingCause.SAYS_REJECTED, "this is what the reader is for"


@pytest.mark.covers("A14")
def test_a_reader_that_fails_never_costs_a_text(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: object) -> None:
        raise MemoryError

    monkeypatch.setattr("heldtrue.models.reader.Reader.compare", fail)
    assert memory.as_agent("codex").learn(OTHERS[0]).outcome == "created"
    assert memory.as_agent("codex").learn(FRAMED).cause == PendingCause.SAYS_REJECTED
    failures = memory.status().analysis_failures
    assert failures
    assert {failure.place.split()[0] for failure in take_failures()} == {"MemoryError"}
