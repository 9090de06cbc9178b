"""Retention: what leaves the working set after which time, by which rule, and that it stays in the history."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from heldtrue import ManualClock, Memory
from heldtrue.domain.errors import WrongState
from heldtrue.domain.times import to_iso
from tests.acceptance.homes import MakeHome, entries, recalled

OAT = "Remember: I prefer oat milk in my coffee, never dairy."

DAILY = '[engine]\ntimezone = "UTC"\n'


def rule(**named: Any) -> str:
    """A rule as the settings file has it."""
    lines = [f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}" for name, value in named.items()]
    return "\n".join(["[[retention.rules]]", *lines, ""])


def statuses(memory: Memory, *ids: str) -> list[str]:
    return [memory.get(memory_id).memory.status for memory_id in ids]


def found(memory: Memory, question: str, **arguments: Any) -> list[str]:
    """The passages that a question brings up."""
    results = memory.recall(question, within=["sources", "sessions"], limit=20, **arguments).results
    return [result.passage.text for result in results if result.passage is not None]


def told(answer: Any) -> list[tuple[Any, ...]]:
    """What an answer says was done, or would be, without the entries."""
    return [
        (change.outcome, change.what, change.id, change.title, change.cause, change.reason, change.age_days)
        for change in answer.changes
    ]


# What the schedule covers


@pytest.mark.covers("A12", "A13", "A32")
def test_the_nightly_job_archives_by_every_policy_low_confidence_and_what_was_forgotten(
    kind: str, make_home: MakeHome, clock: ManualClock
) -> None:
    with Memory.open(make_home(kind, DAILY + "[retention]\nretracted_days = 10\n"), clock=clock) as memory:
        codex = memory.as_agent("codex")
        memory.work()
        policies: Any = ("volatile", "hourly", "daily", "weekly", "stable")
        facts = {word: codex.learn(f"The {word} queue has nine jobs.", staleness=word).memory.id for word in policies}
        doubtful = codex.learn("The gauge may read four bar.", confidence=0.2).memory.id
        likely = codex.learn("The lamp is on the left wall.", confidence=0.3).memory.id
        gone = codex.learn("The ferry leaves at nine.").memory.id
        memory.forget(gone, reason="it was cancelled")
        clock.advance(days=2)
        memory.work()
        assert statuses(memory, *facts.values()) == ["archived", "archived", "archived", "active", "active"]
        assert statuses(memory, doubtful, likely, gone) == ["archived", "active", "retracted"]
        clock.advance(days=9)
        memory.work()
        assert statuses(memory, *facts.values()) == ["archived"] * 4 + ["active"]
        assert statuses(memory, likely, gone) == ["active", "archived"]
        assert {memory.get(name).memory.cause for name in (facts["weekly"], doubtful, gone)} == {
            "stale", "doubtful", "retired",
        }  # fmt: skip
        head = memory.status().ledger_entries
        clock.advance(days=1)
        memory.work()
        assert memory.status().ledger_entries == head, "there is nothing left to do"
        assert memory.verify(deep=True).problems == []


@pytest.mark.covers("A32")
@pytest.mark.parametrize(("days", "status"), [(20, "retracted"), (5, "archived"), (0, "archived")])
def test_how_long_forgotten_memories_stay_is_a_setting(
    make_home: MakeHome, clock: ManualClock, days: int, status: str
) -> None:
    with Memory.open(make_home(settings=f"[retention]\nretracted_days = {days}\n"), clock=clock) as memory:
        gone = memory.learn("The ferry leaves at nine.").memory.id
        memory.forget(gone, reason="it was cancelled")
        clock.advance(days=6)
        memory.compact()
        assert statuses(memory, gone) == [status]


def test_the_least_confidence_is_a_setting_that_an_argument_goes_before(
    make_home: MakeHome, clock: ManualClock
) -> None:
    with Memory.open(make_home(settings="[retention]\nmin_confidence = 0.6\n"), clock=clock) as memory:
        codex = memory.as_agent("codex")
        codex.learn("The gauge may read four bar.", confidence=0.5)
        assert memory.compact(min_confidence=0.4, dry_run=True).counts == {}
        assert memory.compact(dry_run=True).counts == {"doubtful": 1}


@pytest.mark.covers("A13")
def test_a_fact_with_a_time_goes_whoever_said_it_and_verification_protects_low_confidence_alone(
    anywhere: Memory, clock: ManualClock
) -> None:
    hourly = anywhere.learn("The stove is out of order.", staleness="hourly").memory
    unsure = anywhere.learn("The cellar may be damp.", confidence=0.1).memory
    stable = anywhere.learn("The stove is of iron.").memory
    assert hourly.human_verified
    clock.advance(hours=2)
    assert anywhere.compact().counts == {"stale": 1}
    assert statuses(anywhere, hourly.id, unsure.id, stable.id) == ["archived", "active", "active"]


@pytest.mark.covers("A12")
def test_what_a_person_restored_is_not_archived_again_until_it_is_stated_again(
    anywhere: Memory, clock: ManualClock
) -> None:
    stove = anywhere.learn("The stove is out of order.", staleness="daily").memory.id
    clock.advance(days=2)
    assert anywhere.compact().counts == {"stale": 1}
    anywhere.restore(stove, reason="it still is")
    clock.advance(days=2)
    assert anywhere.compact().counts == {}
    assert statuses(anywhere, stove) == ["active"]
    anywhere.learn("The stove is out of order.", staleness="daily")
    clock.advance(days=2)
    assert anywhere.compact().counts == {"stale": 1}, "the control: stated again, it has a time again"


# Rules about memories

RULES: dict[str, tuple[str, Any, Any]] = {
    "category": (rule(category="Health", days=30), {"category": "health"}, {"category": "work"}),
    "kind": (rule(kind="lesson", days=30), {"kind": "lesson"}, {"kind": "note"}),
    "scope": (rule(scope="project:shop", days=30), {"scope": "project:shop"}, {"scope": "project:quay"}),
    "category and scope": (
        rule(category="health", scope="project:shop", days=30),
        {"category": "health", "scope": "project:shop"},
        {"category": "health", "scope": "project:quay"},
    ),
    "kind and category": (
        rule(kind="lesson", category="health", days=30),
        {"kind": "lesson", "category": "health"},
        {"kind": "lesson", "category": "work"},
    ),
}


@pytest.mark.covers("A32", "D15")
@pytest.mark.parametrize("dimension", RULES)
def test_a_rule_archives_the_memories_that_it_describes_after_its_days_and_no_others(
    kind: str, make_home: MakeHome, clock: ManualClock, dimension: str
) -> None:
    settings, described, other = RULES[dimension]
    with Memory.open(make_home(kind, settings), clock=clock) as memory:
        mine = memory.learn("The knee needs a rest after the run.", **described).memory.id
        codex = memory.as_agent("codex").learn("The plaster is in the blue box.", **described).memory.id
        kept = memory.learn("The heron stands in the reeds at dawn.", **other).memory.id
        clock.advance(days=29)
        assert memory.compact().counts == {}, "not before its days are over"
        clock.advance(days=1, hours=1)
        before = memory.status().head
        foreseen = memory.compact(dry_run=True)
        assert (foreseen.counts, foreseen.job, memory.status().head) == ({"retention": 2}, None, before)
        assert statuses(memory, mine, codex, kept) == ["active"] * 3, "a dry run changes nothing"
        assert [(change.title, change.age_days) for change in foreseen.changes] == [
            ("The plaster is in the blue box.", 30), ("The knee needs a rest after the run.", 30),
        ]  # fmt: skip
        done = memory.compact()
        assert (done.counts, told(done)) == (foreseen.counts, told(foreseen))
        assert statuses(memory, mine, codex, kept) == ["archived", "archived", "active"], "whoever said it"
        assert memory.get(mine).memory.cause == "retention"
        assert "30 days" in str(memory.get(mine).memory.reason)
        assert memory.compact().counts == {}, "a second run finds nothing"
        assert memory.verify(deep=True).problems == []


@pytest.mark.covers("A32")
def test_a_rule_with_a_category_and_a_kind_of_source_is_about_memories_that_rest_on_such_sources_alone(
    kind: str, make_home: MakeHome, clock: ManualClock
) -> None:
    settings = rule(kind="preference", source="conversation", days=30)
    with Memory.open(make_home(kind, settings), clock=clock) as memory:
        memory.capture(
            messages=[{"name": "Mira", "content": OAT}],
            thread="monday",
        )
        memory.work()
        (item,) = memory.inbox().items
        assert item.memory.kind == "preference"
        written = memory.learn("Ravi prefers window seats on trains.", kind="preference").memory.id
        clock.advance(days=31)
        assert memory.compact().counts == {"retention": 1}, "also what nobody has approved"
        assert statuses(memory, item.memory.id, written) == ["archived", "active"]
        assert found(memory, "oat milk coffee") == [OAT], "the source is left alone"


@pytest.mark.covers("A32")
def test_the_first_rule_that_matches_applies(make_home: MakeHome, clock: ManualClock) -> None:
    settings = rule(category="health", scope="project:shop", days=300) + rule(category="health", days=30)
    with Memory.open(make_home(settings=settings), clock=clock) as memory:
        kept = memory.learn("The plaster is in the blue box.", category="health", scope="project:shop").memory.id
        gone = memory.learn("The knee needs a rest.", category="health").memory.id
        clock.advance(days=31)
        assert memory.compact().counts == {"retention": 1}
        assert statuses(memory, kept, gone) == ["active", "archived"]
        clock.advance(days=270)
        assert memory.compact().counts == {"retention": 1}, "the control: its own days are over"
        assert statuses(memory, kept) == ["archived"]


@pytest.mark.covers("A32")
def test_days_count_from_when_a_memory_was_last_stated(make_home: MakeHome, clock: ManualClock) -> None:
    with Memory.open(make_home(settings=rule(category="health", days=30)), clock=clock) as memory:
        said = memory.learn("The knee needs a rest.", category="health").memory.id
        clock.advance(days=20)
        memory.learn("The knee needs a rest.", category="health")
        clock.advance(days=20)
        assert memory.compact().counts == {}
        clock.advance(days=11)
        assert memory.compact().counts == {"retention": 1}
        assert statuses(memory, said) == ["archived"]


@pytest.mark.covers("A32", "A14")
def test_history_and_recall_of_an_earlier_time_still_have_what_a_rule_archived(
    kind: str, make_home: MakeHome, clock: ManualClock
) -> None:
    settings = rule(scope="global", days=30)
    with Memory.open(make_home(kind, settings), clock=clock) as memory:
        knee = memory.learn("The knee needs a rest after the run.", category="health").memory.id
        memory.capture(messages=[{"name": "Mira", "content": "The knee hurts on the stairs."}], thread="monday")
        clock.advance(days=31)
        past = clock.now()
        clock.advance(hours=1)
        assert memory.compact().counts == {"retention": 1, "sources": 1}, "a scope alone is about both"
        assert (recalled(memory, "knee rest"), found(memory, "knee stairs")) == ([], [])
        then: Any = {"as_of": to_iso(past)}
        assert "The knee hurts on the stairs." in found(memory, "knee stairs", **then)
        contents = [result.memory.content for result in memory.recall("knee rest", **then).results if result.memory]
        assert contents == ["The knee needs a rest after the run."]
        assert [version.status for version in memory.history(knee).versions] == ["active", "archived"]


@pytest.mark.covers("A32")
def test_no_insight_is_made_from_what_a_rule_archived(make_home: MakeHome, clock: ManualClock) -> None:
    kites = ["The red kite flies in strong wind.", "The blue kite needs little wind.", "The kite line is made of silk."]
    for settings, insights in ((rule(category="hobbies", days=30), 0), ("", 1)):
        unused = f"{DAILY}unused_days = {{hobbies = 30}}\n"
        with Memory.open(make_home(settings=unused + settings), clock=clock) as memory:
            for text in kites:
                memory.as_agent("codex").learn(text, category="hobbies")
            memory.work()
            clock.advance(days=40)
            memory.work()
            assert len(memory.list(statuses=["archived"]).items) == 3
            assert len([item for item in memory.inbox().items if item.memory.kind == "insight"]) == insights


# Rules about sources

TALK = [{"name": "Mira", "content": "The heron stands in the reeds at dawn."}]


@pytest.mark.covers("A32", "C19")
def test_a_rule_about_a_kind_of_source_takes_it_out_of_recall_and_leaves_it_readable_by_id(
    kind: str, make_home: MakeHome, clock: ManualClock
) -> None:
    with Memory.open(
        make_home(kind, rule(source="conversation", scope="project:shop", days=90)), clock=clock
    ) as memory:
        shop = memory.capture(messages=TALK, thread="monday", scope="project:shop").sources[0]
        other = "The heron of the quay has left the reeds."
        memory.capture(messages=[{"name": "Tom", "content": other}], thread="monday", scope="project:quay")
        note = "The heron nests near the old reeds."
        memory.capture(note, kind="document", source="heron.md", scope="project:shop")
        fact = memory.learn("The heron in the reeds is grey.", scope="project:shop").memory.id
        clock.advance(days=89)
        assert memory.compact(dry_run=True).counts == {}
        clock.advance(days=1, hours=1)
        everywhere: Any = {"scopes": ["project:shop", "project:quay"]}
        assert len(found(memory, "heron reeds", **everywhere)) == 3
        foreseen = memory.compact(dry_run=True)
        assert [(change.what, change.id, change.title, change.cause) for change in foreseen.changes] == [
            ("source", shop, TALK[0]["content"], "retention")
        ]
        assert len(found(memory, "heron reeds", **everywhere)) == 3, "a dry run changes nothing"
        done = memory.compact()
        assert (done.counts, told(done)) == ({"sources": 1}, told(foreseen))
        assert sorted(found(memory, "heron reeds", **everywhere)) == sorted([note, other])
        assert found(memory, "heron reeds", scopes=["project:shop"]) == [note]
        assert memory.expand(shop).text.count(TALK[0]["content"]) == 1
        assert memory.as_agent("codex").expand(shop).text.count(TALK[0]["content"]) == 1
        assert statuses(memory, fact) == ["active"]
        memory.reindex()
        assert found(memory, "heron reeds", scopes=["project:shop"]) == [note], "it follows from the records"
        assert memory.compact().counts == {}
        assert memory.verify(deep=True).problems == []


@pytest.mark.covers("A32")
@pytest.mark.parametrize("named", ["conversation", "document", "run"])
def test_each_kind_of_source_can_be_named(make_home: MakeHome, clock: ManualClock, named: str) -> None:
    with Memory.open(make_home(settings=rule(source=named, days=7)), clock=clock) as memory:
        for word in ("conversation", "run"):
            talk = [{"name": "Mira", "content": f"The heron of the {word} is grey."}]
            memory.capture(messages=talk, thread=word, kind=word)
        memory.capture("The heron of the document is grey.", kind="document", source="heron.md")
        assert len(found(memory, "heron grey")) == 3
        clock.advance(days=8)
        assert memory.compact().counts == {"sources": 1}
        left = found(memory, "heron grey")
        assert (len(left), any(named in text for text in left)) == (2, False)


@pytest.mark.covers("A32", "A12")
def test_what_was_archived_can_be_undone_and_is_not_archived_again(
    kind: str, make_home: MakeHome, clock: ManualClock
) -> None:
    with Memory.open(make_home(kind, rule(scope="global", days=30)), clock=clock) as memory:
        knee = memory.learn("The knee needs a rest after the run.").memory.id
        memory.capture(messages=TALK, thread="monday")
        clock.advance(days=31)
        done = memory.compact()
        assert done.counts == {"retention": 1, "sources": 1}
        assert (statuses(memory, knee), found(memory, "heron reeds")) == (["archived"], [])
        assert [entry.action for entry in entries(memory)[-2:]] == ["memory.compact"] * 2, "one entry for each change"
        undone = memory.undo(done.job.id, reason="both are needed")
        assert (undone.undone, undone.memories, undone.left) == (2, [knee], [])
        assert (statuses(memory, knee), found(memory, "heron reeds")) == (["active"], [TALK[0]["content"]])
        clock.advance(days=31)
        assert memory.compact().counts == {}
        assert found(memory, "heron reeds") == [TALK[0]["content"]]
        with pytest.raises(WrongState, match="already undone"):
            memory.undo(entry=f"#{done.changes[-1].entry}", reason="twice")
        assert memory.verify(deep=True).problems == []


@pytest.mark.covers("A32")
def test_compaction_of_one_scope_applies_the_rules_there_only(make_home: MakeHome, clock: ManualClock) -> None:
    settings = rule(source="conversation", days=30) + rule(category="health", days=30)
    with Memory.open(make_home(settings=settings), clock=clock) as memory:
        for scope in ("project:shop", "project:quay"):
            memory.learn("The plaster is in the blue box.", category="health", scope=scope)
            memory.capture(messages=TALK, thread="monday", scope=scope)
        clock.advance(days=31)
        assert memory.compact(scope="project:shop").counts == {"retention": 1, "sources": 1}
        assert memory.compact().counts == {"retention": 1, "sources": 1}, "the control: the other scope has as much"


@pytest.mark.covers("A32")
def test_archived_sources_travel_with_an_export(make_home: MakeHome, clock: ManualClock, tmp_path: Path) -> None:
    with Memory.open(make_home(settings=rule(source="conversation", days=30)), clock=clock) as memory:
        source = memory.capture(messages=TALK, thread="monday").sources[0]
        memory.capture("The heron nests near the old reeds.", kind="document", source="heron.md")
        clock.advance(days=31)
        assert memory.compact().counts == {"sources": 1}
        memory.export(str(tmp_path / "all.jsonl"))
    with Memory.open(make_home(), clock=clock) as copy:
        copy.import_(str(tmp_path / "all.jsonl"))
        assert found(copy, "heron reeds") == ["The heron nests near the old reeds."]
        assert TALK[0]["content"] in copy.expand(source).text
        assert copy.verify(deep=True).problems == []


# The schedule and its log


@pytest.mark.covers("A32")
def test_the_nightly_job_applies_the_rules_logs_the_counts_and_can_be_undone(
    kind: str, make_home: MakeHome, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "heldtrue.engine")
    settings = DAILY + rule(source="conversation", days=30) + rule(category="health", days=30)
    with Memory.open(make_home(kind, settings), clock=clock) as memory:
        memory.learn("The plaster is in the blue box.", category="health")
        memory.capture(messages=TALK, thread="monday")
        memory.work()
        clock.advance(days=31)
        memory.work()
        assert found(memory, "heron reeds") == []
        assert any(record.message.endswith("1 retention, 1 sources") for record in caplog.records)
        jobs = memory.jobs().items
        compacting = next(job for job in jobs if job.name == "compact" and job.counts.get("sources"))
        assert compacting.counts == {"retention": 1, "sources": 1}
        regular = next(job for job in jobs if job.id == compacting.id or job.name == compacting.trigger)
        memory.undo(regular.id, reason="a bad night")
        assert found(memory, "heron reeds") == [TALK[0]["content"]]


def test_without_rules_nothing_goes_by_age_alone(anywhere: Memory, clock: ManualClock) -> None:
    anywhere.learn("The plaster is in the blue box.", category="health")
    anywhere.capture(messages=TALK, thread="monday")
    clock.advance(days=3_650)
    assert anywhere.compact().counts == {}
    assert found(anywhere, "heron reeds") == [TALK[0]["content"]]


# Rules that erase


@pytest.mark.covers("X1", "A32")
def test_a_rule_can_erase_what_has_been_kept_for_long_enough(
    kind: str, make_home: MakeHome, clock: ManualClock, tmp_path: Path
) -> None:
    rules = rule(category="health", days=365, then="erase") + rule(source="conversation", days=90, then="erase")
    with Memory.open(make_home(kind, rules), clock=clock) as memory:
        health = memory.learn("Alice takes Dormovil at night", category="health").memory.id
        work = memory.learn("Alice works on the payroll", category="work").memory.id
        memory.capture(messages=[{"role": "user", "content": "The Quandel vault opens at nine."}], thread="t")
        memory.work()
        derived = [item.content for item in memory.list(statuses=["inbox", "active"]).items]
        clock.advance(days=400)
        foreseen = memory.compact(dry_run=True)
        assert foreseen.counts["erased"] == 3, "with the source of the memory"
        assert memory.get(health).memory.content == "Alice takes Dormovil at night", "a dry run erases nothing"
        done = memory.compact()
        assert done.counts["erased"] == 3
        assert memory.get(health).memory.cause == "erased"
        assert memory.get(work).memory.content == "Alice works on the payroll"
        assert found(memory, "when does the Quandel vault open?") == []
        left = [item.content for item in memory.list(statuses=["inbox", "active"]).items]
        assert {text for text in derived if "Quandel" in text} <= set(left), "memories of an erased source stay"
        assert memory.verify(deep=True).problems == []
        assert "erased" not in memory.compact().counts, "a second run finds nothing left"
        memory.export(str(tmp_path / "after.jsonl"))
    assert "Dormovil" not in (tmp_path / "after.jsonl").read_text("utf-8")
