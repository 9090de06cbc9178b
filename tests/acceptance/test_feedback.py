"""The log of recalls and feedback: recalls can be explained, and use moves retrieval priority and nothing else."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import heldtrue as package
from heldtrue import InvalidInput, ManualClock, Memory, NotAllowed, NotFound, WrongState
from heldtrue.domain.errors import TooLarge
from heldtrue.domain.limits import SOURCE_BYTES_MAX
from heldtrue.domain.rows import Use
from heldtrue.ingest.acts.feedback import follow_feedback
from heldtrue.recall.log_rows import LoggedQuery, LoggedRecall, LoggedResult, make_row, recall_id_of
from tests.acceptance.homes import MakeHome, entries, last_entry, new_clock, times

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(package.__file__).parents[1])}
PORT, SHOP, LUNCH = (
    "The billing API listens on port 8080.",
    "The shop sends its invoices at midnight.",
    "Greta prefers lunch at noon.",
)


def note_recall(memory: Memory, *ids: str, injected: tuple[str, ...] = (), question: str = "which port?") -> str:
    """Log a recall of some memories as a recall would, and give its id."""
    call = memory._call
    recall_id = recall_id_of(now=call.now, parts=[call.principal.id, question, *ids])
    results = [
        LoggedResult(id=memory_id, version=1, score=1 / rank, parts={"text": 1 / rank}, injected=memory_id in injected)
        for rank, memory_id in enumerate(ids, 1)
    ]
    recall = LoggedRecall(
        id=recall_id,
        now=call.now,
        principal=call.principal.id,
        channel=call.channel,
        verb="recall",
        question=question,
        query=LoggedQuery(arguments={"limit": 5}, rewritten="port billing"),
        results=results,
        cost={"ms": 2.5, "candidates": 12},
    )
    call.instance.recall_log.note(make_row(recall), ids)
    return recall_id


def use_of(memory: Memory, memory_id: str) -> Use:
    with memory._call.instance.store.read() as reading:
        found = reading.log.uses([memory_id])
    return found[0] if found else Use(memory_id, 0, 0, 0, 0, 0.0, None)


def priority_of(memory: Memory, memory_id: str) -> float:
    return use_of(memory, memory_id).priority


@pytest.fixture
def facts(anywhere: Memory) -> list[str]:
    return [anywhere.learn(text).memory.id for text in (PORT, SHOP, LUNCH)]


# Feedback


@pytest.mark.covers("D21")
def test_what_was_used_gains_priority_what_was_ignored_loses_some_and_nothing_else_changes(
    anywhere: Memory, facts: list[str]
) -> None:
    used, ignored, other = facts
    before = [anywhere.get(fact) for fact in facts]
    recall = note_recall(anywhere, *facts)
    answer = anywhere.feedback(recall, used=[used], ignored=[ignored])
    assert (answer.outcome, answer.used, answer.ignored) == ("noted", [used], [ignored])
    assert answer.moved == {used: 0.1, ignored: -0.05}
    assert [priority_of(anywhere, fact) for fact in facts] == [0.1, -0.05, 0.0]
    assert (use_of(anywhere, used).used, use_of(anywhere, used).ignored) == (1, 0)
    assert (use_of(anywhere, ignored).used, use_of(anywhere, ignored).ignored) == (0, 1)
    assert use_of(anywhere, other).used == use_of(anywhere, other).ignored == 0
    assert [anywhere.get(fact) for fact in facts] == before, "not its confidence, not its status, not a version"
    entry = last_entry(anywhere)
    assert (entry.action, entry.outcome, entry.target) == ("memory.feedback", "noted", recall)
    assert json.loads(entry.detail) == {
        "recall": recall, "used": [used], "ignored": [ignored], "moved": {used: 0.1, ignored: -0.05},
    }  # fmt: skip
    assert anywhere.verify().ok


@pytest.mark.covers("D21")
def test_what_an_answer_used_is_found_in_its_words(anywhere: Memory, facts: list[str]) -> None:
    port, shop, lunch = facts
    recall = note_recall(anywhere, *facts)
    answer = anywhere.feedback(recall, answer="It is port 8080: that is where the billing API listens.")
    assert (answer.used, sorted(answer.ignored)) == ([port], sorted([shop, lunch]))
    assert [priority_of(anywhere, fact) for fact in facts] == [0.1, -0.05, -0.05]
    answer = anywhere.feedback(recall, answer="Nothing of it helped at all.", used=[lunch])
    assert answer.used == [lunch], "what is named decides for itself"
    assert [priority_of(anywhere, fact) for fact in facts] == [-0.05, -0.05, 0.1]


@pytest.mark.covers("D21", "D13")
def test_only_what_was_injected_is_judged_by_the_answer(anywhere: Memory, facts: list[str]) -> None:
    port, shop, lunch = facts
    recall = note_recall(anywhere, *facts, injected=(port, shop))
    answer = anywhere.feedback(recall, answer="The billing API listens on port 8080.")
    assert (answer.used, answer.ignored) == ([port], [shop])
    assert priority_of(anywhere, lunch) == 0.0
    assert anywhere._call.instance.recall_log.flush()
    assert [use_of(anywhere, fact).injected for fact in facts] == [1, 1, 0]
    assert [use_of(anywhere, fact).recalled for fact in facts] == [1, 1, 1]
    assert anywhere.feedback(recall, used=[lunch]).used == [lunch], "but what came back may be named"


@pytest.mark.covers("D21")
def test_undo_restores_exactly(anywhere: Memory, facts: list[str]) -> None:
    untouched = [use_of(anywhere, fact) for fact in facts]
    recall = note_recall(anywhere, *facts)
    anywhere._call.instance.recall_log.flush()
    logged = [use_of(anywhere, fact) for fact in facts]
    anywhere.feedback(recall, used=facts[:1], ignored=facts[1:])
    assert [use_of(anywhere, fact) for fact in facts] != logged
    taken = anywhere.feedback(recall, undo=True)
    assert (taken.outcome, taken.moved[facts[0]], taken.moved[facts[1]]) == ("undone", -0.1, 0.05)
    assert [use_of(anywhere, fact) for fact in facts] == logged != untouched
    entry = last_entry(anywhere)
    assert (entry.action, entry.outcome, json.loads(entry.detail)["undoes"]) == (
        "memory.feedback",
        "undone",
        entry.seq - 1,
    )
    with pytest.raises(WrongState, match="this recall has no feedback"):
        anywhere.feedback(recall, undo=True)
    assert anywhere.verify().ok


@pytest.mark.covers("D21")
def test_a_second_feedback_replaces_the_first(anywhere: Memory, facts: list[str]) -> None:
    recall = note_recall(anywhere, *facts)
    anywhere.feedback(recall, used=facts)
    assert [priority_of(anywhere, fact) for fact in facts] == [0.1, 0.1, 0.1]
    answer = anywhere.feedback(recall, ignored=facts[:1])
    assert [priority_of(anywhere, fact) for fact in facts] == [-0.05, 0.0, 0.0]
    assert [(entry.outcome, entry.seq) for entry in entries(anywhere)[-2:]] == [
        ("undone", answer.seq - 1),
        ("noted", answer.seq),
    ]
    assert anywhere.why(recall).feedback.ignored == facts[:1]
    anywhere.feedback(recall, undo=True)
    assert [priority_of(anywhere, fact) for fact in facts] == [0.0, 0.0, 0.0]
    assert anywhere.why(recall).feedback is None


@pytest.mark.covers("D21")
@pytest.mark.parametrize(("way", "end", "turns"), [("used", 1.0, 12), ("ignored", -1.0, 22)])
def test_priority_ends_at_one_and_the_ledger_tells_how_far_it_really_moved(
    anywhere: Memory, clock: ManualClock, facts: list[str], way: str, end: float, turns: int
) -> None:
    fact, recalls, steps = facts[0], [], []
    for _turn in range(turns):
        clock.advance(seconds=1)
        recalls.append(note_recall(anywhere, fact))
        told: dict[str, Any] = {way: [fact]}
        steps.append(anywhere.feedback(recalls[-1], **told).moved[fact])
    assert priority_of(anywhere, fact) == end
    assert steps[-2:] == [0.0, 0.0]
    assert sum(steps) == pytest.approx(end)
    for recall in reversed(recalls):
        anywhere.feedback(recall, undo=True)
    assert priority_of(anywhere, fact) == 0.0


@pytest.mark.covers("D21")
def test_however_feedback_comes_and_goes_it_stays_in_bounds_and_all_of_it_can_be_undone(
    owner: Memory, clock: ManualClock
) -> None:
    facts = [owner.learn(f"The lamp {number} hangs in hall {number}.").memory.id for number in range(3)]
    chance = random.Random(17)
    standing: list[str] = []
    before: list[list[float]] = []
    for _turn in range(times(120)):
        clock.advance(seconds=1)
        if standing and chance.random() < 0.3:
            owner.feedback(standing.pop(), undo=True)
            assert [priority_of(owner, fact) for fact in facts] == before.pop(), "one step back is where it was"
        else:
            before.append([priority_of(owner, fact) for fact in facts])
            chosen = {fact: chance.choice(["used", "ignored", "neither"]) for fact in facts}
            chosen[facts[0]] = chance.choice(["used", "used", "ignored"])
            standing.append(note_recall(owner, *facts))
            owner.feedback(
                standing[-1],
                used=[fact for fact in facts if chosen[fact] == "used"],
                ignored=[fact for fact in facts if chosen[fact] == "ignored"],
            )
        for fact in facts:
            assert -1.0 <= priority_of(owner, fact) <= 1.0
            assert round(priority_of(owner, fact) * 20) / 20 == priority_of(owner, fact), "no crumbs are left"
    for recall in chance.sample(standing, len(standing)):
        owner.feedback(recall, undo=True)
        assert all(-1.0 <= priority_of(owner, fact) <= 1.0 for fact in facts)
    assert all(use_of(owner, fact).used == use_of(owner, fact).ignored == 0 for fact in facts)
    assert owner.verify().ok


@pytest.mark.covers("D21")
def test_the_ledger_alone_tells_every_priority(owner: Memory, clock: ManualClock) -> None:
    facts = [owner.learn(f"The lamp {number} hangs in hall {number}.").memory.id for number in range(3)]
    for turn in range(15):
        clock.advance(seconds=1)
        recall = note_recall(owner, *facts)
        owner.feedback(recall, used=facts[:1], ignored=facts[1:])
        if turn % 3 == 0:
            owner.feedback(recall, undo=True)
    with Memory.open(":memory:") as other:
        store = other._call.instance.store
        with store.write() as transaction:
            for entry in entries(owner):
                if entry.action == "memory.feedback":
                    follow_feedback(transaction, entry)
        for fact in facts:
            assert priority_of(other, fact) == priority_of(owner, fact) != 0.0
            assert use_of(other, fact).used == use_of(owner, fact).used


def test_feedback_names_what_is_wrong_with_it(anywhere: Memory, facts: list[str]) -> None:
    port, shop, lunch = facts
    recall = note_recall(anywhere, port, shop)
    head = anywhere.status().head
    for field in ("used", "ignored"):
        told: dict[str, Any] = {field: [port, lunch, "nonsense"]}
        with pytest.raises(InvalidInput, match=lunch) as refused:
            anywhere.feedback(recall, **told)
        assert refused.value.field == field
        assert "nonsense" in refused.value.message
        assert port not in refused.value.message
    iri = anywhere.get(port).memory.iri
    for wrong, field in (
        ({"used": [port], "ignored": [iri]}, "ignored"),
        ({}, "answer"),
        ({"used": [], "ignored": []}, "answer"),
        ({"undo": True, "used": [port]}, "undo"),
        ({"undo": True, "answer": "x"}, "undo"),
    ):
        with pytest.raises(InvalidInput) as refused:
            anywhere.feedback(recall, **wrong)
        assert refused.value.field == field
    with pytest.raises(TooLarge):
        anywhere.feedback(recall, answer="a" * (SOURCE_BYTES_MAX + 1))
    assert anywhere.status().head == head, "nothing was written"
    assert anywhere.feedback(recall, used=[iri]).used == [port], "an IRI will do"
    assert anywhere.feedback(recall, answer="any \x00 words \ud800").outcome == "noted", "whatever was answered"


def test_feedback_of_a_recall_that_gave_nothing_changes_nothing(owner: Memory) -> None:
    owner.learn(PORT)
    head = owner.status().head
    answer = owner.feedback(note_recall(owner), answer="I do not know.")
    assert (answer.outcome, answer.moved) == ("unchanged", {})
    assert owner.status().head == head


@pytest.mark.covers("D21")
def test_feedback_that_is_sent_again_counts_once(anywhere: Memory, facts: list[str]) -> None:
    recall = note_recall(anywhere, *facts)
    first = anywhere.feedback(recall, used=facts[:1], idempotency_key="once")
    again = anywhere.feedback(recall, used=facts[:1], idempotency_key="once")
    assert first == again
    assert priority_of(anywhere, facts[0]) == 0.1
    assert use_of(anywhere, facts[0]).used == 1


def test_of_what_may_no_longer_be_seen_nothing_is_counted(anywhere: Memory) -> None:
    scout = anywhere.as_agent("scout")
    mine = scout.learn(PORT).memory.id
    hidden = anywhere.learn(LUNCH, scope="agent:other").memory.id
    recall = note_recall(scout, mine, hidden)
    answer = scout.feedback(recall, used=[mine, hidden])
    assert (answer.used, answer.moved) == ([mine], {mine: 0.1})
    assert priority_of(anywhere, hidden) == 0.0
    assert hidden not in last_entry(anywhere).detail
    told = {result.id: result.content for result in scout.why(recall).results}
    assert told == {mine: PORT, hidden: None}
    answer = anywhere.feedback(recall, used=[mine, hidden])
    assert answer.used == sorted([mine, hidden]), "a person sees both"


@pytest.mark.covers("D21", "C11")
def test_an_agent_moves_only_what_it_may_write(anywhere: Memory) -> None:
    everyones = anywhere.learn(PORT).memory.id
    anywhere.add_agent("scout", projects=["atlas"])
    scout = anywhere.as_agent("scout")
    own = scout.learn(SHOP).memory.id
    recall = note_recall(scout, everyones, own)
    answer = scout.feedback(recall, used=[own], ignored=[everyones])
    assert (answer.used, answer.ignored) == ([own], [everyones]), "what it made of both is noted"
    assert answer.moved == {own: 0.1}
    assert (priority_of(anywhere, everyones), use_of(anywhere, everyones).ignored) == (0.0, 0)
    assert scout.feedback(recall, undo=True).moved == {own: -0.1}
    assert anywhere.feedback(recall, ignored=[everyones]).moved == {everyones: -0.05}, "the control: a person may"
    anywhere.add_agent("keeper", role="admin")
    keeper = anywhere.as_agent("keeper")
    recall = note_recall(keeper, everyones)
    assert keeper.feedback(recall, used=[everyones]).moved == {everyones: 0.1}, "and so may an administrator"


@pytest.mark.covers("D21")
def test_passages_are_noted_and_do_not_move(anywhere: Memory) -> None:
    fact = anywhere.learn(PORT).memory.id
    source = anywhere.capture("The billing module is tested nightly by Greta.").sources[0]
    recall = anywhere.recall("billing").recall_id
    assert {result.id for result in anywhere.why(recall).results} == {fact, source}, "both came back"
    answer = anywhere.feedback(recall, used=[source], ignored=[fact])
    assert (answer.used, answer.ignored, answer.moved) == ([source], [fact], {fact: -0.05})
    assert json.loads(last_entry(anywhere).detail)["passages_used"] == [source]
    assert use_of(anywhere, source) == Use(source, 0, 0, 0, 0, 0.0, None)
    told = {result.id: (result.what, result.content, result.used) for result in anywhere.why(recall).results}
    assert told[source] == ("passage", "The billing module is tested nightly by Greta.", True)
    assert anywhere.feedback(recall, undo=True).moved == {fact: 0.05}


@pytest.mark.covers("D21")
def test_what_helped_is_found_sooner_and_the_rest_stays_as_it_was(anywhere: Memory, clock: ManualClock) -> None:
    first, second = (anywhere.learn(f"The gate {name} opens to the garden.").memory.id for name in ("Aron", "Berit"))

    def order() -> list[str]:
        clock.advance(seconds=1)
        return [result.memory.id for result in anywhere.recall("gate garden").results if result.memory]

    before = order()
    assert sorted(before) == sorted([first, second])
    loser = before[1]
    for _turn in range(5):
        clock.advance(seconds=1)
        anywhere.feedback(anywhere.recall("gate garden").recall_id, used=[loser], ignored=[before[0]])
    assert order() == [loser, before[0]]
    assert {anywhere.get(memory_id).memory.version for memory_id in before} == {1}


# The log


@pytest.mark.covers("B18")
def test_each_recall_is_logged_once_with_what_it_gave(anywhere: Memory, clock: ManualClock) -> None:
    scout = anywhere.as_agent("scout")
    fact = scout.learn(PORT).memory.id
    first = scout.recall("which port does billing use", limit=4)
    assert scout.recall("which port does billing use", limit=4) == first, "the same question at the same moment"
    told = scout.why(first.recall_id)
    assert (told.question, told.by, told.arguments) == ("which port does billing use", "agent:scout", {"limit": 4})
    assert [(result.id, result.score, result.parts) for result in told.results] == [
        (fact, first.results[0].score, first.results[0].breakdown)
    ]
    assert told.cost["milliseconds"] > 0
    assert anywhere._call.instance.recall_log.flush()
    assert use_of(anywhere, fact).recalled == 1
    clock.advance(seconds=1)
    assert scout.recall("which port does billing use", limit=4).recall_id != first.recall_id
    scout.recall("which port does billing use")
    assert anywhere._call.instance.recall_log.flush()
    assert use_of(anywhere, fact).recalled == 3
    assert len(anywhere.recalls().items) == 3
    assert anywhere.status().ledger_entries == 1, "asking leaves no entry in the ledger"


@pytest.mark.covers("B18")
def test_why_tells_a_recall_with_its_scores_its_cost_and_its_use(anywhere: Memory, facts: list[str]) -> None:
    scout = anywhere.as_agent("scout")
    recall = note_recall(scout, *facts, injected=tuple(facts[:2]))
    for _turn in range(2):  # once from memory, once from the store
        told = scout.why(recall)
        assert (told.question, told.rewritten, told.arguments) == ("which port?", "port billing", {"limit": 5})
        assert (told.by, told.channel, told.verb, told.tier) == ("agent:scout", "sdk", "recall", "items")
        assert told.at == "2026-05-04T09:00:00.000000Z"
        assert told.cost == {"ms": 2.5, "candidates": 12}
        assert [(result.id, result.content, result.injected, result.used) for result in told.results] == [
            (facts[0], PORT, True, None),
            (facts[1], SHOP, True, None),
            (facts[2], LUNCH, False, None),
        ]
        assert told.results[1].parts == {"text": 0.5}
        assert told.feedback is None
        assert anywhere._call.instance.recall_log.flush()
    given = scout.feedback(recall, used=facts[:1], ignored=facts[1:2])
    told = scout.why(recall)
    assert [result.used for result in told.results] == [True, False, None]
    assert (told.feedback.by, told.feedback.seq, told.feedback.moved) == ("agent:scout", given.seq, given.moved)
    assert anywhere.why(recall.upper()) == told, "a person sees it too"


def test_why_shows_what_a_memory_said_then(anywhere: Memory) -> None:
    fact = anywhere.learn(PORT).memory.id
    recall = note_recall(anywhere, fact)
    anywhere.correct(fact, "The billing API listens on port 9090.", reason="moved")
    assert anywhere.why(recall).results[0].content == PORT


@pytest.mark.covers("B18")
def test_an_agent_sees_its_own_recalls_and_no_others(anywhere: Memory, facts: list[str]) -> None:
    scout, other = anywhere.as_agent("scout"), anywhere.as_agent("other")
    mine = note_recall(scout, *facts, question="the secret plan of scout")
    theirs = note_recall(other, *facts)
    owners = note_recall(anywhere, *facts)
    for written in (False, True):
        assert [item.id for item in scout.recalls().items] == [mine]
        assert [item.id for item in other.recalls().items] == [theirs]
        assert {item.id for item in anywhere.recalls().items} == {mine, theirs, owners}
        for caller, hidden in ((scout, theirs), (scout, owners), (other, mine)):
            for attempt in (caller.why, lambda recall_id, caller=caller: caller.feedback(recall_id, used=facts[:1])):
                with pytest.raises(NotFound) as refused:
                    attempt(hidden)
                with pytest.raises(NotFound) as unknown:
                    attempt("01a1e17d-dec5-7b4b-95bf-beaefe0e01c1")
                assert refused.value.message.replace(hidden, "") == unknown.value.message.replace(
                    "01a1e17d-dec5-7b4b-95bf-beaefe0e01c1", ""
                ), "it is as if it were not there"
        assert anywhere._call.instance.recall_log.flush() is not written or written
    assert scout.why(mine).question == "the secret plan of scout", "and its own it does see"
    assert anywhere.feedback(theirs, used=facts[:1]).outcome == "noted", "a person may speak for an agent"
    assert all(priority_of(anywhere, fact) == step for fact, step in zip(facts, (0.1, 0.0, 0.0), strict=True))


@pytest.mark.covers("B18")
def test_the_log_is_listed_page_by_page(anywhere: Memory, clock: ManualClock, facts: list[str]) -> None:
    asked = []
    for number in range(23):
        if number % 4 == 0:
            clock.advance(seconds=1)
        asked.append(note_recall(anywhere, *facts[: number % 4], question=f"question {number}"))
        if number == 11:
            assert anywhere._call.instance.recall_log.flush()
    seen: list[Any] = []
    cursor = None
    while True:
        page = anywhere.recalls(limit=5, cursor=cursor)
        seen += page.items
        if (cursor := page.next_cursor) is None:
            break
        assert len(page.items) == 5
    assert {recall.id for recall in seen} == set(asked)
    assert len(seen) == len(asked)
    assert [recall.at for recall in seen] == sorted((recall.at for recall in seen), reverse=True)
    assert {recall.found for recall in seen} == {0, 1, 2, 3}
    for cursor in ("x", "", "5:x:y:z", "9" * 30):
        if cursor != "5:x:y:z":
            with pytest.raises(InvalidInput, match="cursor"):
                anywhere.recalls(cursor=cursor)
    assert anywhere.recalls(cursor="5:x:y:z").items == []


@pytest.mark.covers("B18")
def test_upkeep_drops_old_recalls_and_says_how_many(kind: str, make_home: MakeHome) -> None:
    for settings, said, kept in (
        ("", ["deleted 1 recall logged more than 90 days ago"], 2),
        ("[recall]\nlog_days = 7\n", ["deleted 2 recalls logged more than 7 days ago"], 1),
        ("[recall]\nlog_days = 0\n", [], 3),
    ):
        clock = new_clock()
        with Memory.open(make_home(kind, settings), clock=clock) as memory:
            fact = memory.learn(PORT).memory.id
            for _turn in range(3):
                note_recall(memory, fact)
                clock.advance(days=80)
            clock.advance(days=-79)
            assert memory._call.instance.recall_log.flush()
            done = memory.maintain().done
            assert [line for line in done if "logged" in line] == said
            assert len(memory.recalls().items) == kept
            assert use_of(memory, fact).recalled == 3, "how often a memory was of use is not forgotten"


@pytest.mark.covers("A11")
def test_status_warns_when_the_log_is_not_written(owner: Memory) -> None:
    instance = owner._call.instance
    fact = owner.learn(PORT).memory.id
    assert owner.status().warnings == []
    instance.background.later("polishing the lamps", lambda: 1 / 0, delay_s=0)
    instance.recall_log.dropped = 1_200
    instance.background.drain(5)
    assert owner.status().warnings == [
        "1,200 recalls were not logged because the log could not be written",
        "polishing the lamps failed: division by zero",
    ]
    note_recall(owner, fact)
    instance.background.later("polishing the lamps", lambda: None, delay_s=0)
    instance.background.drain(5)
    assert len(owner.status().warnings) == 1


# Processes


@pytest.mark.covers("D21", "C11")
def test_an_agent_does_not_take_back_what_a_person_said_of_its_recall(anywhere: Memory) -> None:
    scout = anywhere.as_agent("scout")
    fact = anywhere.learn("The billing API listens on port 8080.").memory.id
    recall = note_recall(scout, fact)
    anywhere.feedback(recall, used=[fact])
    for more in ({"undo": True}, {"ignored": [fact]}):
        with pytest.raises(NotAllowed, match="a person has already given feedback"):
            scout.feedback(recall, **more)
    assert anywhere.feedback(recall, undo=True).outcome == "undone", "the control: a person may"
    assert scout.feedback(recall, ignored=[fact]).outcome == "noted"


NOTING = """
import sys
from heldtrue import Memory
from tests.acceptance.test_feedback import note_recall
memory = Memory.open(sys.argv[1], agent="scout")
fact = memory.learn("The billing API listens on port 8080.").memory.id
print(note_recall(memory, fact, question=sys.argv[2]))
if sys.argv[2] == "closed":
    memory.close()
elif sys.argv[2] == "dropped":
    del memory
"""


@pytest.mark.covers("B18")
@pytest.mark.parametrize("ending", ["closed", "left open", "dropped"])
def test_the_log_survives_the_process_that_asked(kind: str, make_home: MakeHome, ending: str) -> None:
    home = make_home(kind)
    done = subprocess.run(
        [sys.executable, "-c", NOTING, str(home), ending],
        capture_output=True, text=True, timeout=60, check=False, cwd=Path(__file__).parents[2],
        env=ENVIRONMENT | {"PYTHONPATH": os.pathsep.join((ENVIRONMENT["PYTHONPATH"], "."))},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    with Memory.open(home) as memory:
        told = memory.why(done.stdout.strip())
        assert (told.question, told.by) == (ending, "agent:scout")
        assert memory.verify().ok
