"""Maintenance changes only what it may, says so in the ledger, can be undone, and finds nothing to do a second time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from heldtrue import ManualClock, Memory, NotAllowed
from heldtrue.capabilities import maintenance
from heldtrue.domain.errors import WrongState
from heldtrue.engine.queue import NewJob, ask_for
from tests.acceptance.homes import MakeHome

SEATS = "I prefer window seats on trains, never the aisle."
OAT = "Remember: I prefer oat milk in my coffee, never dairy."


def say(memory: Memory, text: str, thread: str, speaker: str = "Mira", **more: Any) -> str:
    """Hand in a turn, and let it be looked through."""
    job = memory.capture(messages=[{"name": speaker, "content": text}], thread=thread, **more).job
    assert job is not None
    memory.work()
    return str(job)


def waiting(memory: Memory) -> list[str]:
    return [item.memory.content for item in memory.inbox().items]


def active(memory: Memory) -> list[str]:
    return sorted(item.content for item in memory.list().items)


def state(memory: Memory) -> list[tuple[str, str, float]]:
    statuses: list[Any] = ["inbox", "active", "superseded", "archived", "rejected", "retracted", "contradicted"]
    listed = memory.list(statuses=statuses, limit=1_000).items
    return sorted((memory.content, memory.status, memory.confidence) for memory in listed)


@pytest.mark.covers("B5", "B7", "B23", "B24", "D8")
def test_what_is_extracted_waits_and_a_second_independent_source_lets_it_count(anywhere: Memory) -> None:
    say(anywhere, OAT, "monday")
    (content,) = waiting(anywhere)
    assert "Mira" in content
    assert anywhere.consolidate().counts == {}, "one source is not enough"
    assert active(anywhere) == []
    say(anywhere, f"Good morning, Tom. {OAT}", "thursday")
    done = anywhere.consolidate()
    assert done.counts == {"promoted": 1}
    assert active(anywhere) == [content]
    (memory,) = anywhere.list().items
    assert (memory.human_verified, memory.changed_by) == (False, "system:heldtrue"), "no person stands behind it yet"
    assert len(anywhere.explain(memory.id).evidence) == 2
    assert anywhere.verify().problems == []


@pytest.mark.covers("B7")
def test_the_same_words_again_in_one_conversation_or_a_copy_of_it_confirm_nothing(owner: Memory) -> None:
    say(owner, OAT, "monday")
    owner.capture(messages=[{"name": "Mira", "content": OAT}, {"name": "Mira", "content": OAT}], thread="monday")
    say(owner, OAT, "the same, exported again")
    assert owner.consolidate().counts == {}
    assert len(waiting(owner)) == 1


@pytest.mark.covers("B7")
def test_what_is_said_about_a_person_waits_for_a_person_unless_a_rule_says_otherwise(
    make_home: MakeHome, clock: ManualClock
) -> None:
    rule = '[[engine.promotion]]\nkinds = ["profile"]\nsources = 2\n'
    for settings, counts in (("", {}), (rule, {"promoted": 1})):
        with Memory.open(make_home(settings=settings), clock=clock) as memory:
            say(memory, "I am allergic to peanuts.", "one")
            say(memory, "Thanks for asking! I am allergic to peanuts.", "two")
            kinds = {item.memory.kind for item in memory.inbox().items}
            assert kinds == {"profile"}
            assert memory.consolidate().counts == counts


@pytest.mark.covers("B8", "D5")
def test_what_was_rejected_stays_out_however_often_it_is_extracted(anywhere: Memory) -> None:
    say(anywhere, OAT, "monday")
    say(anywhere, "Remember that Mira lives in Porto now.", "monday", speaker="Tom")
    (item,) = [item for item in anywhere.inbox().items if "oat" in item.memory.content]
    anywhere.reject(item.memory.id, reason="not true")
    before = state(anywhere)
    for day in range(3):
        job = say(anywhere, OAT, f"again {day}")
        outcome = anywhere.job(job).outcome
        assert {candidate["outcome"] for candidate in outcome["candidates"]} == {"refused"}
        assert "rejected by" in outcome["candidates"][0]["reason"]
    anywhere.consolidate()
    assert state(anywhere) == before
    assert any("Porto" in content for content, _, _ in before), "its neighbour is there"


@pytest.mark.covers("A12")
def test_a_second_run_changes_nothing_and_all_of_the_first_can_be_undone(anywhere: Memory) -> None:
    say(anywhere, OAT, "monday")
    say(anywhere, f"Good morning, Tom. {OAT}", "tuesday")
    before = state(anywhere)
    first = anywhere.consolidate()
    after = state(anywhere)
    assert after != before
    entries = anywhere.status().ledger_entries
    assert anywhere.consolidate().counts == {}
    assert anywhere.status().ledger_entries == entries
    undone = anywhere.undo(first.job.id, reason="too early")
    assert undone.undone == 1
    assert state(anywhere) == before
    assert anywhere.verify().problems == []
    with pytest.raises(WrongState, match="already undone"):
        anywhere.undo(first.job.id, reason="twice")


@pytest.mark.covers("A12", "A13")
def test_compaction_says_what_it_would_do_and_then_does_just_that(anywhere: Memory, clock: ManualClock) -> None:
    codex = anywhere.as_agent("codex")
    codex.learn("The build queue has nine jobs.", staleness="daily")
    codex.learn("The gauge may read four bar.", confidence=0.2)
    codex.learn("The gauge is on the left wall.")
    anywhere.learn("The stove is out of order.", staleness="daily")
    forgotten = codex.learn("The ferry leaves at nine.").memory.id
    anywhere.forget(forgotten, reason="wrong")
    clock.advance(days=31)
    before = state(anywhere)
    foreseen = anywhere.compact(dry_run=True)
    assert foreseen.counts == {"doubtful": 1, "retired": 1, "stale": 2}
    assert [(change.cause, change.title, change.age_days, change.entry) for change in foreseen.changes] == [
        ("retired", "The ferry leaves at nine.", 30, None),
        ("stale", "The stove is out of order.", 30, None),
        ("doubtful", "The gauge may read four bar.", 30, None),
        ("stale", "The build queue has nine jobs.", 31, None),
    ]
    assert state(anywhere) == before
    done = anywhere.compact()
    assert done.counts == foreseen.counts
    assert [change.id for change in done.changes] == [change.id for change in foreseen.changes]
    assert all(change.entry for change in done.changes)
    assert active(anywhere) == ["The gauge is on the left wall."]
    assert anywhere.compact().counts == {}
    assert done.job is not None
    anywhere.undo(done.job.id, reason="all of it is needed")
    assert state(anywhere) == before


@pytest.mark.covers("A13")
@pytest.mark.parametrize(
    ("staleness", "fresh_hours", "stale_hours"),
    [("weekly", 167, 168), ("daily", 23, 24), ("hourly", 0.9, 1), ("volatile", None, 0), ("stable", 9_999, None)],
)
def test_compaction_takes_a_fact_out_once_it_is_past_the_time_of_its_policy(
    anywhere: Memory, clock: ManualClock, staleness: Any, fresh_hours: float | None, stale_hours: float | None
) -> None:
    learned = anywhere.as_agent("codex").learn("The build queue has nine jobs.", staleness=staleness).memory.id
    begin = clock.now()
    for hours, status in ((fresh_hours, "active"), (stale_hours, "archived")):
        if hours is not None:
            clock.set(begin)
            clock.advance(hours=hours)
            anywhere.compact()
            assert anywhere.get(learned).memory.status == status
    assert anywhere.history(learned).versions[0].content == "The build queue has nine jobs.", "its history stays"


@pytest.mark.covers("B2")
def test_only_a_person_starts_or_undoes_maintenance(owner: Memory) -> None:
    codex = owner.as_agent("codex")
    for attempt in (codex.consolidate, codex.compact, lambda: codex.undo(entry="#1", reason="why not")):
        with pytest.raises(NotAllowed):
            attempt()
    assert owner.consolidate().job.state == "done"


@pytest.mark.covers("D17")
def test_what_is_overdue_runs_once_whoever_comes_by_first(make_home: MakeHome, clock: ManualClock) -> None:
    with Memory.open(make_home(settings='[engine]\ntimezone = "UTC"\n'), clock=clock) as memory:
        memory.learn("The stove is lit on Mondays.")
        assert memory.work().jobs == [], "a new home has nothing to catch up with"
        clock.advance(days=41)
        ran = [job.name for job in memory.as_agent("codex").work().jobs]
        assert ran == [], "an agent sees no jobs of others"
        names = sorted(job.name for job in memory.jobs().items)
        compacting = ["compact"] * 3
        assert names == [*compacting, "consolidate", "insights", "monthly", "nightly", "summarise", "weekly"]
        assert {job.state for job in memory.jobs().items} == {"done"}
        assert memory.work().jobs == []
        clock.advance(days=1)
        assert sorted(job.name for job in memory.work().jobs) == ["compact", "consolidate", "nightly"]
        report = next(job for job in memory.jobs().items if job.name == "monthly")
        assert memory.job(report.id).outcome["health"]["active"] == 1


SHED, BELL = "The shed is painted green.", "The bell of the pier is brass."


def put_twins(memory: Memory) -> None:
    """Memories that say the same, more than a page of them, and such that wait for confirmation."""
    codex = memory.as_agent("codex")
    for number in range(220):
        codex.learn(f"Locker {number} belongs to person{number}.", confidence=0.5 + number / 1_000)
    for number, item in enumerate(memory.list(limit=220).items):
        if number % 50 in (0, 3, 9, 42):
            memory.approve(item.id, content=SHED if number % 2 else BELL)
    memory.approve(codex.learn("The pier is long.", scope="project:alpha").memory.id, content=SHED)
    for day in ("monday", "tuesday"):
        say(memory, f"Good morning on {day}. {OAT}", day)
        say(memory, f"It is {day}, Tom. Remember: I prefer rye bread for lunch, never white bread.", f"{day} at noon")


@pytest.mark.covers("B24", "A12")
def test_a_dry_run_of_consolidation_foresees_each_change_and_makes_none(anywhere: Memory) -> None:
    put_twins(anywhere)
    before, entries = state(anywhere), anywhere.status().ledger_entries
    jobs = len(anywhere.jobs(limit=1_000).items)
    foreseen = anywhere.consolidate(dry_run=True)
    assert (foreseen.dry_run, foreseen.job) == (True, None)
    assert state(anywhere) == before
    assert anywhere.status().ledger_entries == entries
    assert len(anywhere.jobs(limit=1_000).items) == jobs, "nothing is in the queue either"
    done = anywhere.consolidate()
    assert done.counts["merged"] > 5, "the control: there was something to do"
    assert done.counts["promoted"] >= 1
    assert foreseen.counts == {name: done.counts[name] for name in ("merged", "promoted")}

    def told(answer: Any) -> list[tuple[Any, ...]]:
        return [
            (change.outcome, change.memory, change.content, change.merged, change.reason) for change in answer.changes
        ]

    assert told(foreseen) == told(done)
    assert anywhere.consolidate(dry_run=True).counts == {}
    assert anywhere.consolidate().counts == {}


@pytest.mark.covers("A12")
def test_a_dry_run_of_compaction_counts_what_will_be_merged(anywhere: Memory) -> None:
    put_twins(anywhere)
    foreseen = anywhere.compact(dry_run=True).counts
    assert foreseen["merged"] > 5, "the control: there is something to merge"
    done = dict(anywhere.compact().counts)
    done.pop("linked", None)  # conflicts that move to the memory that stays, which a dry run does not count
    assert done == foreseen


def test_a_dry_run_of_consolidation_keeps_to_its_scope_and_to_what_may_count(owner: Memory) -> None:
    put_twins(owner)
    assert owner.consolidate(scope="project:alpha", dry_run=True).counts == {}
    say(owner, OAT, "wednesday")
    (item,) = [item for item in owner.inbox().items if "oat milk" in item.memory.content]
    for source in {evidence.source_id for evidence in item.evidence}:
        owner.quarantine(source, reason="who says so?")
    foreseen = [change.content for change in owner.consolidate(dry_run=True).changes if change.outcome == "promoted"]
    assert item.memory.content not in foreseen
    assert len(foreseen) == 1, "the control: what nothing stands against would count"


@pytest.mark.covers("B2", "D7")
def test_maintenance_never_joins_two_scopes_or_what_is_private_with_what_is_not(owner: Memory) -> None:
    fact = "The gate code is changed every spring."
    owner.learn(fact, scope="project:alpha")
    owner.learn(fact, scope="project:beta")
    codex = owner.as_agent("codex")
    codex.learn(fact, scope="project:alpha", visibility="private")
    before = state(owner)
    assert owner.consolidate().counts == {}
    assert owner.compact().counts == {}
    assert state(owner) == before


def summarise(memory: Memory) -> dict[str, int]:
    instance = memory._call.instance
    with instance.store.write() as transaction:
        new = NewJob(name="summarise", asked_by="person:owner", trigger="a test")
        job = ask_for(transaction, new, now=instance.clock.now())
    memory.work()
    return dict(memory.job(job.id).job.counts)


@pytest.mark.covers("D7", "D17")
def test_each_category_of_each_scope_has_a_summary_of_what_counts_and_its_older_versions(
    anywhere: Memory, clock: ManualClock
) -> None:
    anywhere.learn("The stand-up is at nine.", category="work")
    anywhere.learn("The garden has two pear trees.", category="home")
    gone = anywhere.learn("The retrospective is on Fridays.", category="work").memory.id
    anywhere.learn("The shop closes at six.", category="work", scope="project:shop")
    anywhere.as_agent("codex").learn("The spare key is blue.", category="work", visibility="private")
    assert summarise(anywhere)["rewritten"] == 3
    assert summarise(anywhere) == {"rewritten": 0, "ended": 0, "unchanged": 3}
    clock.advance(days=1)
    anywhere.forget(gone, reason="cancelled")
    told = {(item.scope, item.category): item for item in anywhere.summaries(earlier=5).items}
    assert set(told) == {("global", "home"), ("global", "work"), ("project:shop", "work")}
    work = told["global", "work"]
    assert "stand-up" in work.text
    assert "retrospective" not in work.text, "also before it is written anew"
    assert "shop" not in work.text
    assert not any("spare key" in summary.text for summary in told.values())
    assert summarise(anywhere)["rewritten"] == 1
    (now, before) = anywhere.summaries("work", scopes=["global"], earlier=5).items[0].earlier
    assert ("retrospective" in now.text, "retrospective" in before.text) == (False, True)
    assert before.replaced_at == now.made_at
    with pytest.raises(NotAllowed):
        anywhere.as_agent("codex").summaries(earlier=1)


EVERY_JOB = ("consolidate", "compact", "summarise", "insights", "nightly", "weekly", "monthly")


def run_every_job(memory: Memory) -> None:
    instance = memory._call.instance
    for name in EVERY_JOB:
        with instance.store.write() as transaction:
            new = NewJob(name=name, asked_by="system:heldtrue", trigger="a test")
            ask_for(transaction, new, now=instance.clock.now())
    memory.work()
    assert {job.state for job in memory.jobs(limit=1_000).items} == {"done"}


@pytest.mark.covers("B8", "D5", "D2")
def test_fed_again_with_every_job_run_twice_and_rebuilt_nothing_rejected_comes_back(
    anywhere: Memory, make_home: MakeHome, clock: ManualClock, tmp_path: Path
) -> None:
    talks = {
        "one": [
            OAT,
            f"Remember: {SEATS}",
            "Our standup is at nine, we decided that because of Ravi.",
        ],
        "two": [f"Good morning, Tom. {OAT}", f"Hello again. Remember: {SEATS}"],
    }

    def feed(memory: Memory) -> None:
        for thread, texts in talks.items():
            memory.capture(messages=[{"name": "Mira", "content": text} for text in texts], thread=thread)
        memory.work()

    feed(anywhere)
    rejected = next(item.memory.id for item in anywhere.inbox().items if "window" in item.memory.content)
    anywhere.reject(rejected, reason="she sits anywhere")
    run_every_job(anywhere)
    before = state(anywhere)
    assert any("oat" in content and status == "active" for content, status, _ in before), "its sibling counts"
    feed(anywhere)
    run_every_job(anywhere)
    anywhere.reindex()
    run_every_job(anywhere)
    assert state(anywhere) == before
    anywhere.export(str(tmp_path / "all.jsonl"))
    with Memory.open(make_home(), clock=clock) as rebuilt:
        rebuilt.import_(str(tmp_path / "all.jsonl"))
        feed(rebuilt)
        run_every_job(rebuilt)
        assert state(rebuilt) == before
        assert rebuilt.verify().problems == []


@pytest.mark.covers("A12")
def test_each_job_over_and_over_changes_nothing_more_and_every_change_is_an_entry(owner: Memory) -> None:
    owner.learn_many([{"content": f"Bin b{number}x holds item i{number}y."} for number in range(300)])
    say(owner, OAT, "monday")
    say(owner, f"Good morning, Tom. {OAT}", "tuesday")
    sources = owner.status().sources
    run_every_job(owner)
    after, entries = state(owner), owner.status().ledger_entries
    for _ in range(5):
        run_every_job(owner)
    assert state(owner) == after
    assert (owner.status().ledger_entries, owner.status().sources) == (entries, sources)
    assert owner.verify().problems == []


@pytest.mark.covers("D9", "A14")
def test_the_tone_in_which_something_was_said_is_kept_with_it(anywhere: Memory) -> None:
    annoyed = anywhere.learn("The flaky login test is driving me crazy, this is so frustrating!").memory
    plain = anywhere.learn("The login test runs on Mondays.").memory
    assert (annoyed.sentiment, plain.sentiment) == ("frustrated", "neutral")
    corrected = anywhere.correct(plain.id, "The login test runs on Fridays.", reason="moved").memory
    assert anywhere.get(annoyed.id).memory.sentiment == "frustrated"
    assert corrected.sentiment == "neutral"
    assert anywhere.verify().problems == []


@pytest.mark.covers("D15", "D17", "E5")
def test_what_nobody_used_for_the_time_of_its_category_is_archived_by_the_week(
    make_home: MakeHome, clock: ManualClock
) -> None:
    settings = '[engine]\ntimezone = "UTC"\nunused_days = {hobbies = 60, work = 90}\n'
    with Memory.open(make_home(settings=settings), clock=clock) as memory:
        codex = memory.as_agent("codex")
        codex.learn("The kite festival is in May.", category="hobbies")
        codex.learn("The kite shop sells yellow string.", category="hobbies")
        codex.learn("The deploy host is called heron.", category="work")
        memory.learn("The kite club meets on Sundays.", category="hobbies")
        codex.learn("The river is wide.")
        memory.work()
        clock.advance(days=40)
        used = {result.memory.content for result in codex.recall("who sells yellow string?", limit=1).results}
        assert used == {"The kite shop sells yellow string."}
        memory._call.instance.recall_log.flush()
        clock.advance(days=35)
        memory.work()
        archived = {item.content for item in memory.list(statuses=["archived"]).items}
        assert archived == {"The kite festival is in May."}, "not what was used, is of work, or a person stands behind"


@pytest.mark.covers("D17")
def test_archived_memories_that_belong_together_leave_one_insight_that_waits(
    make_home: MakeHome, clock: ManualClock
) -> None:
    settings = '[engine]\ntimezone = "UTC"\nunused_days = {hobbies = 30}\n'
    with Memory.open(make_home(settings=settings), clock=clock) as memory:
        codex = memory.as_agent("codex")
        kites = [
            "The red kite flies in strong wind.",
            "The blue kite needs little wind.",
            "The kite line is made of silk.",
        ]
        for text in (*kites, "The chess club meets in the library."):
            codex.learn(text, category="hobbies", confidence=0.8)
        codex.learn("The old kite was sold.", category="hobbies", visibility="private")
        codex.learn("The kite of the shop is green.", category="hobbies", scope="project:shop")
        memory.work()
        clock.advance(days=40)
        memory.work()
        (item,) = [item for item in memory.inbox().items if item.memory.kind == "insight"]
        insight = item.memory
        assert (insight.scope, insight.confidence, insight.agent) == ("global", 0.8, "system:heldtrue")
        assert all(text in item.evidence[0].content for text in kites)
        assert not any(word in insight.content for word in ("chess", "sold", "shop"))
        assert "kite" in insight.content
        entries = memory.status().ledger_entries
        clock.advance(days=7)
        memory.work()
        insights = [item for item in memory.inbox().items if item.memory.kind == "insight"]
        assert len(insights) == 1, "a second run finds nothing more"
        assert memory.status().ledger_entries == entries
        assert memory.verify().problems == []


@pytest.mark.covers("D17")
def test_an_insight_that_was_undone_is_not_made_again(make_home: MakeHome, clock: ManualClock) -> None:
    settings = '[engine]\ntimezone = "UTC"\nunused_days = {hobbies = 30}\n'
    with Memory.open(make_home(settings=settings), clock=clock) as memory:
        codex = memory.as_agent("codex")
        for kite in (
            "The red kite flies in strong wind.",
            "The blue kite needs little wind.",
            "The kite line is made of silk.",
        ):
            codex.learn(kite, category="hobbies")
        memory.work()
        clock.advance(days=40)
        memory.work()
        made = next(job for job in memory.jobs().items if job.counts.get("insights"))
        (insight,) = [item.memory.id for item in memory.inbox().items if item.memory.kind == "insight"]
        assert memory.undo(made.id, reason="of no use").memories[0] == insight
        entries = memory.status().ledger_entries
        for pots in (
            "The clay pot is used for herbs.",
            "The iron pot is used for soup.",
            "The copper pot is used for jam.",
        ):
            codex.learn(pots, category="hobbies")
        clock.advance(days=40)
        memory.work()
        contents = [item.memory.content for item in memory.inbox().items if item.memory.kind == "insight"]
        assert len(contents) == 1, "what belongs together anew still leaves one"
        assert "pot" in contents[0]
        assert memory.status().ledger_entries > entries  # type: ignore[operator]
        clock.advance(days=7)
        entries = memory.status().ledger_entries
        memory.work()
        assert memory.status().ledger_entries == entries


@pytest.mark.covers("D17")
def test_undo_of_a_regular_job_takes_back_all_that_it_is_made_of(make_home: MakeHome, clock: ManualClock) -> None:
    with Memory.open(make_home(settings='[engine]\ntimezone = "UTC"\n'), clock=clock) as memory:
        memory.work()
        clock.advance(hours=13)
        say(memory, OAT, "monday")
        say(memory, f"Good morning, Tom. {OAT}", "tuesday")
        memory.learn("The stove is lit on Mondays.")
        before = state(memory)
        clock.advance(hours=10)
        memory.work()
        nightly = next(job for job in memory.jobs().items if job.name == "nightly")
        assert nightly.counts["promoted"] == 1, "one memory counted by then"
        assert state(memory) != before
        undone = memory.undo(nightly.id, reason="a bad night")
        assert (undone.undone, undone.left) == (2, []), (
            "the step up and the promotion by the consolidation it asked for"
        )
        assert state(memory) == before
        entries = memory.status().ledger_entries
        run_every_job(memory)
        assert state(memory) == before
        assert memory.status().ledger_entries == entries, "neither is done again"


@pytest.mark.covers("A12")
@pytest.mark.parametrize("key", [None, "undo-1"])
def test_much_is_undone_in_parts_and_comes_to_the_same(
    anywhere: Memory, monkeypatch: pytest.MonkeyPatch, key: str | None
) -> None:
    monkeypatch.setattr(maintenance, "UNDO_BATCH_ENTRIES", 3)
    codex = anywhere.as_agent("codex")
    ids = [codex.learn(f"The {name} gauge may read four bar.", confidence=0.2).memory.id for name in "ABCDEFGH"]
    before = state(anywhere)
    done = anywhere.compact()
    assert done.counts == {"doubtful": len(ids)}
    assert done.job is not None
    more = {"idempotency_key": key} if key else {}
    undone = anywhere.undo(done.job.id, reason="they are right", **more)
    assert (undone.undone, set(undone.memories), undone.left) == (len(ids), set(ids), [])
    assert state(anywhere) == before
    assert anywhere.verify().problems == []
    if key:
        assert anywhere.undo(done.job.id, reason="they are right", **more) == undone
    with pytest.raises(WrongState, match="already undone"):
        anywhere.undo(done.job.id, reason="twice")


@pytest.mark.covers("B8")
def test_undo_withdraws_what_an_extraction_made_and_maintenance_leaves_it_alone_then(anywhere: Memory) -> None:
    job = say(anywhere, OAT, "monday")
    (item,) = anywhere.inbox().items
    assert anywhere.undo(job, reason="a joke").undone == 1
    assert anywhere.inbox().items == []
    assert anywhere.get(item.memory.id).memory.status == "retracted"
    assert anywhere.verify().problems == []


@pytest.mark.covers("A12")
def test_what_was_undone_is_not_done_again(anywhere: Memory, clock: ManualClock) -> None:
    say(anywhere, OAT, "monday")
    say(anywhere, f"Good morning, Tom. {OAT}", "tuesday")
    anywhere.as_agent("codex").learn("The gauge may read four bar.", confidence=0.2)
    promoted, archived = anywhere.consolidate(), anywhere.compact()
    assert (promoted.counts, archived.counts) == ({"promoted": 1}, {"doubtful": 1})
    anywhere.undo(promoted.job.id, reason="not yet")
    assert archived.job is not None
    anywhere.undo(archived.job.id, reason="it is right")
    clock.advance(days=1)
    assert (anywhere.consolidate().counts, anywhere.compact().counts) == ({}, {})
    assert len(waiting(anywhere)) == 1


@pytest.mark.covers("A12")
def test_what_waits_for_a_person_is_left_to_that_person(owner: Memory) -> None:
    owner.as_agent("codex").learn("Ada may be left-handed.", kind="profile", confidence=0.2)
    assert owner.compact().counts == {}
    assert len(waiting(owner)) == 1
