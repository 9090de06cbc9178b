"""The queue: work is asked for with what causes it, done once, taken over after a crash, and its failures are kept."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from heldtrue import ManualClock, Memory
from heldtrue.domain.errors import NotAllowed, NotFound, WrongState
from heldtrue.domain.job import Job, pause_after
from heldtrue.domain.limits import JOB_DEATHS_MAX, JOB_LEASE_US, JOB_TRIES_MAX
from heldtrue.engine import extraction_job
from heldtrue.engine.queue import LostLease, NewJob, ask_for, note_progress, take_job
from heldtrue.engine.worker import Run, Worker
from heldtrue.ingest.acts.extracted_lane import propose_extracted
from tests.acceptance.homes import MakeHome

OAT = "Remember: I prefer oat milk in my coffee, never dairy."

TALK = [
    {"name": "Mira", "content": OAT},
    {"name": "Tom", "content": "Noted, thanks!"},
]


def put(memory: Memory, name: str = "count", **more: Any) -> Job:
    instance = memory._call.instance
    with instance.store.write() as transaction:
        new = NewJob(name=name, asked_by="person:owner", trigger="a test", **more)
        return ask_for(transaction, new, now=instance.clock.now())


def job_of(memory: Memory, job: Job) -> Job:
    with memory._call.instance.store.read() as reading:
        found = reading.queue.job(job.id)
    assert found is not None
    return found


def worker(memory: Memory, handler: Callable[[Run], Any], name: str = "count") -> Worker:
    instance = memory._call.instance
    return Worker(instance.store, instance.clock, {name: handler})


@pytest.mark.covers("B2", "B8")
def test_a_job_is_done_once_and_says_what_it_came_to(anywhere: Memory) -> None:
    job = put(anywhere)
    ran: list[str] = []

    def count(run: Run) -> dict[str, Any]:
        ran.append(run.job.id)
        run.step(done=1, total=2)
        return {"counts": {"steps": 2}}

    crew = worker(anywhere, count)
    assert len(crew.run_all()) == 1
    assert crew.run_next() is None
    assert ran == [job.id]
    shown = anywhere.job(job.id).job
    assert (shown.state, shown.done, shown.total, shown.counts, shown.error) == ("done", 1, 2, {"steps": 2}, None)


@pytest.mark.covers("B8")
def test_a_job_that_fails_keeps_its_error_waits_longer_each_time_and_can_be_retried(
    anywhere: Memory, clock: ManualClock
) -> None:
    job = put(anywhere)

    def fail(_run: Run) -> None:
        raise ValueError("the plate is hot")

    crew = worker(anywhere, fail)
    for tries in range(1, JOB_TRIES_MAX + 1):
        assert crew.run_next() is not None
        shown = job_of(anywhere, job)
        assert (shown.tries, shown.error) == (tries, "ValueError: the plate is hot")
        assert crew.run_next() is None, "it is not due again yet"
        clock.advance(seconds=pause_after(tries) / 1_000_000)
    assert anywhere.job(job.id).job.state == "failed"
    assert crew.run_next() is None, "it now waits for someone"
    anywhere.retry(job.id)
    assert len(worker(anywhere, lambda _run: None).run_all()) == 1
    assert anywhere.job(job.id).job.state == "done"


@pytest.mark.covers("B2", "B28")
def test_whoever_falls_silent_loses_the_job_and_can_no_longer_write_under_it(
    anywhere: Memory, clock: ManualClock
) -> None:
    put(anywhere)
    store = anywhere._call.instance.store
    first = take_job(store, worker="first", now=clock.now())
    assert first is not None
    assert take_job(store, worker="second", now=clock.now()) is None, "it is taken"
    clock.advance(seconds=JOB_LEASE_US / 1_000_000)
    second = take_job(store, worker="second", now=clock.now())
    assert second is not None
    assert (second.id, second.fence) == (first.id, first.fence + 1)
    silent = Run(first, store, clock, lambda _job: None)
    with pytest.raises(LostLease):
        silent.step(done=1)
    Run(second, store, clock, lambda _job: None).step(done=1)
    assert job_of(anywhere, first).done == 1


@pytest.mark.covers("B2")
def test_only_jobs_of_the_names_that_are_given_are_done(owner: Memory) -> None:
    owner.capture(messages=TALK, thread="t")
    assert owner.work(names=["extrct"]).jobs == []
    assert [job.name for job in owner.work(names=["consolidate", "extract"]).jobs] == ["extract"]


@pytest.mark.covers("B2")
def test_work_that_is_asked_for_twice_is_one_job_until_it_is_done(anywhere: Memory) -> None:
    first = put(anywhere, once="tidy")
    assert put(anywhere, once="tidy").id == first.id
    assert len(worker(anywhere, lambda _run: None).run_all()) == 1
    assert put(anywhere, once="tidy").id != first.id


@pytest.mark.covers("B2")
def test_a_job_can_be_cancelled_also_while_it_runs(anywhere: Memory) -> None:
    waiting, running = put(anywhere), put(anywhere, "slow")
    assert anywhere.cancel(waiting.id).state == "cancelled"

    def slow(run: Run) -> None:
        anywhere.cancel(running.id)
        run.step(done=1)
        pytest.fail("it went on after it was cancelled")

    assert len(worker(anywhere, slow, "slow").run_all()) == 1
    shown = anywhere.job(running.id).job
    assert (shown.state, shown.done) == ("cancelled", 0)
    with pytest.raises(WrongState, match="already cancelled"):
        anywhere.cancel(running.id)


@pytest.mark.covers("B2", "B28")
def test_two_workers_do_each_job_once(kind: str, make_home: MakeHome) -> None:
    with Memory.open(make_home(kind)) as memory:
        jobs = [put(memory) for _ in range(30)]
        ran: list[str] = []

        def count(run: Run) -> None:
            ran.append(run.job.id)

        crews = [threading.Thread(target=lambda: worker(memory, count).run_all()) for _ in range(2)]
        for crew in crews:
            crew.start()
        for crew in crews:
            crew.join()
        assert sorted(ran) == sorted(job.id for job in jobs)


@pytest.mark.covers("B2", "B5")
def test_an_agent_sees_the_jobs_it_asked_for_and_no_others(owner: Memory) -> None:
    codex, claude = owner.as_agent("codex"), owner.as_agent("claude")
    mine = codex.capture(messages=TALK, thread="t").job
    others = claude.capture(messages=TALK, thread="u", scope="agent:claude").job
    assert mine
    assert others
    assert [job.id for job in codex.jobs().items] == [mine]
    assert {job.id for job in owner.jobs().items} == {mine, others}
    assert codex.job(mine).job.total == 2
    with pytest.raises(NotFound):
        codex.job(others)
    with pytest.raises(NotFound):
        codex.cancel(others)
    assert owner.cancel(others).state == "cancelled"


@pytest.mark.covers("B2")
def test_the_state_tells_what_waits_and_upkeep_drops_what_is_long_done(owner: Memory, clock: ManualClock) -> None:
    owner.capture(messages=TALK, thread="t")
    assert owner.status().jobs == {"waiting": 1, "running": 0, "failed": 0, "suspended": 0}
    assert owner.as_agent("codex").status().jobs is None
    owner.work()
    assert owner.status().jobs == {"waiting": 0, "running": 0, "failed": 0, "suspended": 0}
    clock.advance(days=89)
    assert "deleted 0 jobs that ended more than 90 days ago" in owner.maintain().done
    clock.advance(days=2)
    assert "deleted 1 job that ended more than 90 days ago" in owner.maintain().done
    assert owner.jobs().items == []


@pytest.mark.covers("B2", "C11")
def test_what_an_agent_asked_for_is_held_once_its_token_is_taken_and_a_person_may_let_it_be_done(
    anywhere: Memory, clock: ManualClock
) -> None:
    for name in ("bot", "other"):
        anywhere.add_agent(name, projects=["atlas"])
    asked: Any = anywhere.as_agent("bot").capture(messages=TALK, thread="t")
    others = anywhere.as_agent("other").capture("The depot opens at seven.", source="depot.md").job
    own = anywhere.capture("The pier closes at nine.", source="pier.md").job
    anywhere.revoke_agent("bot")
    done = anywhere.work().jobs
    assert {job.id for job in done} == {others, own}, "the control: what others asked for is done"
    job = anywhere.job(asked.job).job
    assert (job.state, job.error) == ("suspended", "the token of agent:bot was revoked before the job finished")
    assert anywhere.inbox(kinds=["preference"]).items == [], "nothing is filed in its name"
    assert anywhere.expand(asked.sources[0]).text == TALK[0]["content"], "what it handed in is kept"
    assert anywhere.jobs().suspended == 1
    assert (anywhere.status().jobs or {})["suspended"] == 1

    clock.advance(days=400)
    anywhere.maintain()
    anywhere.work()
    assert anywhere.job(asked.job).job.state == "suspended", "no upkeep drops it, and no regular job takes it up again"
    anywhere.add_agent("bot", projects=["atlas"])
    again = anywhere.as_agent("bot")
    anywhere.work()
    assert anywhere.job(asked.job).job.state == "suspended", "whoever comes by the name later does not set it going"
    with pytest.raises(NotAllowed):
        again.retry(asked.job)

    assert anywhere.retry(asked.job).state == "waiting"
    anywhere.work(names=["extract"])
    job = anywhere.job(asked.job).job
    assert (job.state, job.asked_by, job.counts) == ("done", "agent:bot", {"pending": 1})
    (item,) = anywhere.inbox(kinds=["preference"]).items
    assert (item.memory.agent, item.evidence[0].author) == ("agent:bot", "agent:bot"), "it is still what the agent said"


@pytest.mark.covers("B7", "C11")
@pytest.mark.parametrize("teller", ["bot", "other"])
def test_a_person_who_lets_held_work_be_done_does_not_confirm_what_it_says(anywhere: Memory, teller: str) -> None:
    for name in ("bot", "other"):
        anywhere.add_agent(name, projects=["atlas"])
    fact = "The depot gate opens at seven in the morning."
    held = anywhere.as_agent("bot").learn(fact, scope="project:atlas").memory
    told = [{"name": "Mira", "content": fact}]
    job = str(anywhere.as_agent(teller).capture(messages=told, scope="project:atlas").job)
    anywhere.revoke_agent(teller)
    anywhere.retry(job)
    anywhere.work(names=["extract"])
    assert anywhere.job(job).job.counts == {"corroborated": 1}
    (found,) = anywhere.recall("when does the depot gate open?", scopes=["project:atlas"], within=["memory"]).results
    is_confirmed = teller == "other"  # the control: what another agent says counts, and no more than its own word
    assert (found.memory.confidence > held.confidence) == is_confirmed
    assert ("unconfirmed" in {tag.tag for tag in found.trust}) != is_confirmed
    assert found.memory.human_verified is False


def test_work_that_is_held_can_be_cancelled_by_a_person_instead(owner: Memory, clock: ManualClock) -> None:
    owner.add_agent("bot", projects=["atlas"])
    job = str(owner.as_agent("bot").capture(messages=TALK, thread="t").job)
    owner.revoke_agent("bot")
    clock.advance(hours=1)
    owner.add_agent("bot", projects=["atlas"])
    again = owner.as_agent("bot")
    with pytest.raises(NotAllowed, match="was revoked"):
        again.cancel(job)
    assert owner.cancel(job).state == "cancelled"
    assert owner.jobs().suspended == 0
    with pytest.raises(NotAllowed, match="before this agent was registered"):
        again.retry(job)
    own = str(again.capture("The pier closes at nine.", source="pier.md").job)
    again.cancel(own)
    assert again.retry(own).state == "waiting", "the control: what it asked for itself it may set going again"


def test_work_that_had_failed_is_held_too_when_the_agent_loses_its_token(owner: Memory, clock: ManualClock) -> None:
    owner.add_agent("bot", projects=["atlas"])
    job = str(owner.as_agent("bot").capture(messages=TALK, thread="t").job)

    def fail(_: Run) -> None:
        raise ValueError("the model is out")

    crew = worker(owner, fail, "extract")
    for _ in range(JOB_TRIES_MAX):
        crew.run_all()
        clock.advance(hours=2)
    assert owner.job(job).job.state == "failed", "the control"
    owner.revoke_agent("bot")
    assert owner.job(job).job.state == "suspended"


def test_an_agent_that_loses_its_token_while_its_work_is_done_has_nothing_more_filed(
    anywhere: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is under way stops before its next step: the token is taken after the first has been written."""
    anywhere.add_agent("bot", projects=["atlas"])
    talk = [{"name": "Mira", "content": f"Remember: I prefer tea number {number} at noon."} for number in range(50)]
    job = str(anywhere.as_agent("bot").capture(messages=talk, thread="t").job)

    def propose(*given: Any, **more: Any) -> Any:
        shown = anywhere.job(job).job
        if shown.done and shown.state == "running":
            anywhere.revoke_agent("bot")
        return propose_extracted(*given, **more)

    monkeypatch.setattr(extraction_job, "propose_extracted", propose)
    anywhere.work(names=["extract"])
    found = anywhere.job(job)
    assert (found.job.state, found.job.done, found.job.total) == ("suspended", 20, 50)
    filed = anywhere.inbox(limit=100).items
    assert len(filed) == len(found.outcome["candidates"]) == 20, "what was written before stays, and no more comes"


def test_the_owners_own_work_goes_on_when_the_owners_token_is_taken(owner: Memory) -> None:
    owner.rotate_agent("owner")
    job = str(owner.capture("The pier closes at nine.", source="pier.md").job)
    owner.revoke_agent("owner")
    owner.work()
    assert owner.job(job).job.state == "done"


@pytest.mark.covers("B8")
def test_a_job_that_ends_its_process_again_and_again_is_set_aside(anywhere: Memory, clock: ManualClock) -> None:
    poison = put(anywhere)
    clock.advance(seconds=1)
    healthy = put(anywhere, name="other")
    for tries in range(1, JOB_DEATHS_MAX + 1):
        taken = take(anywhere, ["count"])
        assert taken is not None
        assert (taken.id, taken.tries) == (poison.id, tries)
        clock.advance(seconds=JOB_LEASE_US / 1_000_000)
    after = take(anywhere, ["count", "other"])
    assert after is not None, "the next job is not held up"
    assert after.id == healthy.id
    shown = anywhere.job(poison.id).job
    assert shown.state == "failed"
    assert "process" in (shown.error or "")
    anywhere.retry(poison.id)
    again = take(anywhere, ["count"])
    assert again is not None
    assert (again.id, again.tries) == (poison.id, 1)


@pytest.mark.covers("B8")
def test_a_job_that_gets_further_each_time_is_not_set_aside(anywhere: Memory, clock: ManualClock) -> None:
    job = put(anywhere)
    instance = anywhere._call.instance
    for done in range(1, 3 * JOB_DEATHS_MAX):
        taken = take(anywhere, ["count"])
        assert taken is not None
        with instance.store.write() as transaction:
            note_progress(transaction, taken, now=instance.clock.now(), done=done)
        clock.advance(seconds=JOB_LEASE_US / 1_000_000)
    assert job_of(anywhere, job).state == "running"


def take(memory: Memory, names: list[str]) -> Job | None:
    """Take the next job, as a worker does whose process ends before it can do anything else."""
    instance = memory._call.instance
    return take_job(instance.store, worker="gone", now=instance.clock.now(), names=names)
