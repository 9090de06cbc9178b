"""What was tried against recall and must not work again, each with what must go on working beside it."""

from __future__ import annotations

import os
import threading
from typing import Any

import apsw
import msgspec
import pytest

from heldtrue import Memory
from tests.acceptance.homes import MakeHome

pytestmark = pytest.mark.without_reader


def told(answer: object) -> str:
    return msgspec.json.encode(answer).decode()


@pytest.mark.covers("B22", "B16")
def test_evidence_in_quarantine_is_shown_nowhere_and_other_evidence_is(owner: Memory) -> None:
    ana, bob = owner.as_agent("ana"), owner.as_agent("bob")
    said = "The staging database listens on port 5433."
    fact = ana.learn(said, source_text=f"Ops: {said} A zebra said so.", source="chat:1").memory
    bob.learn(said, source_text=f"Runbook: {said}", source="runbook.md")
    poisoned = next(evidence for evidence in bob.get(fact.id).evidence if "zebra" in evidence.content)
    owner.quarantine(poisoned.source_id, reason="poison")
    for answer in (
        bob.recall("staging database port"),
        bob.get(fact.id),
        bob.explain(fact.id),
        bob.context_for(task="staging database port"),
        bob.inject("staging database port"),
        bob.expand(fact.id),
    ):
        assert "zebra" not in told(answer)
        assert "5433" in told(answer)
    assert "zebra" in told(owner.explain(fact.id)), "a person who audits sees what was set aside"


@pytest.mark.covers("B22")
def test_evidence_shows_no_value_that_was_rejected_and_the_rest_of_it(owner: Memory) -> None:
    notes: dict[str, Any] = {
        "source_text": "Team notes.\n\nDeploys go out on Tuesdays.\n\nThe cache is Redis.",
        "source": "notes.md",
    }
    day = owner.learn("Deploys go out on Tuesdays", **notes).memory
    owner.learn("The cache is Redis", **notes)
    assert "Tuesdays" in told(owner.recall("which cache is used, Redis?"))
    owner.forget(day.id, reason="no longer")
    answer = owner.recall("which cache is used, Redis?")
    assert answer.results
    assert "Tuesdays" not in told(answer)


@pytest.mark.covers("C14")
def test_what_is_hidden_cannot_be_asked_for_by_its_neighbours(owner: Memory) -> None:
    turns = ["Where is the party?", "It is in the botanical garden.", "Great, how many come?"]
    hidden = owner.capture(messages=[{"name": "Tom", "content": turn} for turn in turns], thread="chat").sources[1]
    asked: dict[str, Any] = {"within": ["sessions"], "around": 5}
    assert len(owner.recall("botanical garden", **asked).results) > 1, "before, its neighbours are found by it"
    owner.quarantine(hidden, reason="a joke")
    assert owner.recall("botanical garden", **asked).results == []
    assert owner.recall("botancial", **asked).notes == owner.recall("xylophne", **asked).notes, "nor by a mistype"
    assert owner.recall("where is the party", **asked).results, "while what was said around it is still there"


@pytest.mark.covers("C14")
@pytest.mark.parametrize("memories", ["memory", "items"])
def test_memories_of_one_sort_can_be_searched_together_with_evidence(owner: Memory, memories: str) -> None:
    owner.capture(messages=[{"content": "The falcon project starts in May"}], thread="x")
    owner.capture("The falcon has a sibling.", source="notes.md")
    answer = owner.recall("falcon", within=[memories, "sessions", "sources"])  # type: ignore[list-item]
    assert len([result for result in answer.results if result.passage is not None]) == 2


@pytest.mark.covers("C14")
def test_the_last_turn_of_a_full_thread_is_no_neighbour_of_the_next_thread(make_home: MakeHome) -> None:
    home = make_home()
    with Memory.open(home) as owner:
        owner.as_agent("bob").capture(messages=[{"content": "The start of it"}], thread="mine")
        ana = owner.as_agent("ana")
        ana.capture(messages=[{"content": "My salary is 9000"}], thread="hers", visibility="private")
    database = apsw.Connection(str(home / "heldtrue.db"))
    database.execute("UPDATE threads SET places = 1048575 WHERE name = 'mine'").fetchall()
    database.close()
    with Memory.open(home) as owner:
        bob = owner.as_agent("bob")
        bob.capture(messages=[{"content": "xyzzy xyzzy xyzzy xyzzy?"}], thread="mine")
        answer = bob.recall("xyzzy", within=["sessions"], around=5)
        assert answer.results
        assert "9000" not in told(answer)


@pytest.mark.covers("B28")
def test_recalls_beside_writes_of_other_threads_and_in_forked_children_go_on(make_home: MakeHome) -> None:
    with Memory.open(make_home()) as memory:
        memory.learn("The heron nests by the weir")
        stop, problems = threading.Event(), []

        def ask() -> None:
            number = 0
            while not stop.is_set():
                number += 1
                try:
                    memory.recall(f"heronn{'abcdefghij'[number % 10]}")
                except Exception as problem:  # noqa: BLE001 - whatever it is, it is told
                    problems.append(problem)
                    return

        askers = [threading.Thread(target=ask) for _ in range(3)]
        for asker in askers:
            asker.start()
        for number in range(60):
            memory.learn(f"The pool q{number} is {number} metres deep in part r{number}")
        children = []
        for _ in range(3):
            child = os.fork()
            if child == 0:
                os._exit(0 if memory.recall("heron weir").results else 1)
            children.append(child)
        for child in children:
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        stop.set()
        for asker in askers:
            asker.join()
        assert problems == []


@pytest.mark.covers("B8", "B6")
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE vectors SET vector = x'01'",
        "UPDATE postings SET data = x'0102'",
        "UPDATE unposted SET terms = 'heron'",
        "DELETE FROM vectors",
    ],
)
def test_a_damaged_index_costs_its_part_and_not_the_answer(make_home: MakeHome, damage: str) -> None:
    home = make_home()
    with Memory.open(home) as memory:
        memory.learn("The heron nests by the weir")
        memory.maintain()
        memory.learn("The heron sleeps by day")
    database = apsw.Connection(str(home / "heldtrue.db"))
    database.execute(damage).fetchall()
    database.close()
    with Memory.open(home) as memory:
        memory.recall("heron weir")
        memory.reindex()
        assert len(memory.recall("heron weir nests sleeps").results) == 2
