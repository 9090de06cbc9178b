"""The queue: work is asked for with what causes it, done once, taken over after a crash, and its failures are kept."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from holdfast import ManualClock, Memory
from holdfast.domain.errors import NotFound, WrongState
from holdfast.domain.job import LEASE_US, TRIES_MAX, Job, pause_after
from holdfast.engine.queue import LostLease, ask_for, take_job
from holdfast.engine.worker import Run, Worker
from tests.acceptance.homes import MakeHome

TALK = [{"name": "Mira", "content": "I prefer oat milk in my coffee."}, {"name": "Tom", "content": "Noted, thanks!"}]


def put(memory: Memory, name: str = "count", **more: Any) -> Job:
    instance = memory._call.instance
    with instance.store.write() as transaction:
        return ask_for(
            transaction, name, now=instance.clock.now(), asked_by="person:owner", brought_by="a test", **more
        )


def job_of(memory: Memory, job: Job) -> Job:
    with memory._call.instance.store.read() as reading:
        found = reading.job(job.id)
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
    for tries in range(1, TRIES_MAX + 1):
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
    clock.advance(seconds=LEASE_US / 1_000_000)
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
    with pytest.raises(WrongState, match="cancelled already"):
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
    assert [job.id for job in codex.jobs().jobs] == [mine]
    assert {job.id for job in owner.jobs().jobs} == {mine, others}
    assert codex.job(mine).job.total == 2
    with pytest.raises(NotFound):
        codex.job(others)
    with pytest.raises(NotFound):
        codex.cancel(others)
    assert owner.cancel(others).state == "cancelled"


@pytest.mark.covers("B2")
def test_the_state_tells_what_waits_and_upkeep_drops_what_is_long_done(owner: Memory, clock: ManualClock) -> None:
    owner.capture(messages=TALK, thread="t")
    assert owner.status().jobs == {"waiting": 1, "running": 0, "failed": 0}
    assert owner.as_agent("codex").status().jobs is None
    owner.work()
    assert owner.status().jobs == {"waiting": 0, "running": 0, "failed": 0}
    clock.advance(days=89)
    assert "dropped 0 jobs that ended more than 90 days ago" in owner.maintain().done
    clock.advance(days=2)
    assert "dropped 1 jobs that ended more than 90 days ago" in owner.maintain().done
    assert owner.jobs().jobs == []
