"""The reader finds contradictions and duplicates in other words: sure ones wait or merge, others are only flagged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from heldtrue import Memory
from heldtrue.domain.judged import StatementRelation
from heldtrue.domain.records import ConflictKind
from heldtrue.language.guard import take_failures
from heldtrue.wiring.models import Models
from tests.acceptance.homes import MakeHome

HELD = "The launch of Kestrel is on 3 May."
MOVED = "Kestrel's go-live slipped to 17 June"
REWORDED = "3 May is the day on which Kestrel will be launched"
BESIDE = "The launch of Kestrel has 40 guests"


@pytest.fixture
def memory(make_home: MakeHome) -> Iterator[Memory]:
    """A store in which an agent has stated a fact."""
    with Memory.open(make_home()) as memory:
        memory.as_agent("codex").learn(HELD)
        yield memory


def kinds_of(memory: Memory) -> list[str]:
    return [item.conflict.kind for item in memory.conflicts().items]


@pytest.mark.covers("D5", "B7", "B25")
def test_a_contradiction_in_other_words_waits_and_its_reason_quotes_both(memory: Memory) -> None:
    answer = memory.as_agent("claude").learn(MOVED)
    assert (answer.outcome, answer.cause) == ("pending", "contradiction")
    assert MOVED in answer.reason
    assert HELD in answer.reason
    assert kinds_of(memory) == [ConflictKind.CONTRADICTION]


@pytest.mark.covers("D6")
def test_the_same_in_other_words_corroborates_and_what_stands_beside_it_is_new(memory: Memory) -> None:
    assert memory.as_agent("claude").learn(REWORDED).outcome == "corroborated"
    assert memory.as_agent("claude").learn(BESIDE).outcome == "created"
    assert kinds_of(memory) == []


def relate(says: float, contradicts: float) -> object:
    """A reader that has one answer to every pair."""
    return lambda _self, pairs: [StatementRelation(says, contradicts) for _ in pairs]


@pytest.mark.covers("D5", "D4")
def test_what_the_reader_is_not_sure_of_is_flagged_on_both_sides_and_holds_nothing_up(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heldtrue.models.reader.Reader.compare", relate(0.0, 0.9))
    answer = memory.as_agent("claude").learn(BESIDE)
    assert (answer.outcome, answer.memory.status) == ("created", "active")
    assert "it may contradict an existing memory" in answer.reason
    assert kinds_of(memory) == [ConflictKind.POSSIBLE]
    held = memory.recall("when is the launch of Kestrel?").results
    assert {found.memory.confidence for found in held} == {0.9}, "neither side loses confidence"
    assert len(held) == 2
    assert all("conflicting" in {tag.tag for tag in found.trust} for found in held)


@pytest.mark.covers("D5")
def test_a_finding_of_the_rules_that_the_reader_does_not_share_is_only_flagged(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heldtrue.models.reader.Reader.compare", relate(0.0, 0.0))
    answer = memory.as_agent("claude").learn("The launch of Kestrel is on 4 May.")
    assert answer.outcome == "created"
    assert kinds_of(memory) == [ConflictKind.POSSIBLE]


@pytest.mark.covers("D5")
def test_without_the_reader_the_rules_decide_alone(make_home: MakeHome, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Models, "has_reader", lambda _self: False)
    with Memory.open(make_home()) as memory:
        memory.as_agent("codex").learn(HELD)
        assert memory.as_agent("claude").learn(MOVED).outcome == "created"
        assert memory.as_agent("claude").learn("The launch of Kestrel is on 4 May.").outcome == "pending"


@pytest.mark.covers("B7")
def test_what_is_private_to_another_agent_is_compared_with_nothing(make_home: MakeHome) -> None:
    with Memory.open(make_home()) as memory:
        memory.as_agent("codex").learn(HELD, visibility="private")
        assert memory.as_agent("claude").learn(MOVED).outcome == "created"
        assert memory.as_agent("codex").learn(MOVED, visibility="private").outcome == "pending", "its own is"


def test_a_reader_that_fails_never_costs_a_text(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: object) -> None:
        raise MemoryError

    monkeypatch.setattr("heldtrue.models.reader.Reader.compare", fail)
    assert memory.as_agent("claude").learn(MOVED).outcome == "created"
    assert memory.status().analysis_failures
    assert {failure.place.split()[0] for failure in take_failures()} == {"MemoryError"}


@pytest.mark.covers("D16", "D6")
def test_consolidation_merges_what_came_in_other_words_and_foresees_it(memory: Memory, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "other") as other:
        other.as_agent("claude").learn(REWORDED)
        other.as_agent("claude").learn(BESIDE)
        other.export(str(tmp_path / "other.jsonl"))
    memory.import_(str(tmp_path / "other.jsonl"))
    for item in memory.list(statuses=["inbox"]).items:
        memory.approve(item.id)
    foreseen = memory.consolidate(dry_run=True)
    memory.consolidate()
    memory.work()
    active = [item.content for item in memory.list(statuses=["active"]).items]
    assert len(active) == 2
    assert BESIDE in active
    assert [change.outcome for change in foreseen.changes] == ["merged"]
