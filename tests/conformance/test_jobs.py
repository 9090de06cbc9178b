"""The queue, on every kind of store."""

from __future__ import annotations

import msgspec
import pytest

from heldtrue.domain.job import Job, ScheduleRun, SummaryRow
from heldtrue.storage.store import SqlStore


def make_job(number: int, **changes: object) -> Job:
    job = Job(
        id=f"{number:08x}-0000-7000-8000-000000000000",
        name="extract",
        scope="global",
        asked_by="agent:scout",
        trigger="capture",
        arguments="{}",
        once=None,
        state="waiting",
        due_at=number,
        tries=0,
        fence=0,
        worker=None,
        leased_until=None,
        done=0,
        total=3,
        error=None,
        outcome="{}",
        created_at=number,
        finished_at=None,
    )
    return msgspec.structs.replace(job, **changes)


def put(store: SqlStore, *jobs: Job) -> None:
    with store.write() as writing:
        for job in jobs:
            writing.queue.add(job)


def test_a_job_comes_back_as_it_was_put_in_and_as_it_was_left(store: SqlStore) -> None:
    first = make_job(1)
    put(store, first)
    running = msgspec.structs.replace(first, state="running", worker="w", leased_until=9, fence=1, done=2, tries=1)
    with store.write() as writing:
        assert writing.queue.job(first.id) == first
        writing.queue.keep(running)
    with store.read() as reading:
        assert reading.queue.job(first.id) == running
        assert reading.queue.job(make_job(2).id) is None


def test_the_job_that_is_due_longest_comes_first_and_a_lease_that_ran_out_counts(store: SqlStore) -> None:
    late, early = make_job(1, due_at=50), make_job(2, due_at=10)
    leased = make_job(3, state="running", due_at=1, leased_until=100)
    done = make_job(4, state="done", due_at=0, finished_at=5)
    put(store, late, early, leased, done, make_job(5, name="compact", due_at=0))
    with store.read() as reading:
        assert reading.queue.due_job(5, ["extract"]) is None
        assert reading.queue.due_job(60, ["extract"]) == early
        assert reading.queue.due_job(100, ["extract"]) == leased
        assert reading.queue.due_job(5, []) == make_job(5, name="compact", due_at=0)


def test_of_one_mark_one_job_is_open_at_a_time(store: SqlStore) -> None:
    put(store, make_job(1, once="nightly"))
    with store.read() as reading:
        assert reading.queue.open_job("nightly") == make_job(1, once="nightly")
    with pytest.raises(Exception, match=r"(?i)unique"):
        put(store, make_job(2, once="nightly"))
    with store.write() as writing:
        writing.queue.keep(make_job(1, once="nightly", state="done", finished_at=9))
        assert writing.queue.open_job("nightly") is None
    put(store, make_job(3, once="nightly"))


def test_jobs_are_listed_newest_first_by_name_state_and_who_asked(store: SqlStore) -> None:
    put(
        store,
        make_job(1),
        make_job(2, name="compact", asked_by="person:owner"),
        make_job(3, state="failed", finished_at=7),
    )
    with store.read() as reading:

        def listed(names: list[str], states: list[str], asked_by: str | None, before: str = "~") -> list[int]:
            jobs = reading.queue.jobs(names=names, states=states, asked_by=asked_by, before=before, limit=10)
            return [int(job.id[:8], 16) for job in jobs]

        assert listed([], [], None) == [3, 2, 1]
        assert listed(["extract"], [], None) == [3, 1]
        assert listed([], ["failed"], None) == [3]
        assert listed([], [], "person:owner") == [2]
        assert listed([], [], None, before=make_job(3).id) == [2, 1]
        assert reading.queue.count_jobs() == [
            ("compact", "waiting", 1),
            ("extract", "failed", 1),
            ("extract", "waiting", 1),
        ]


def test_all_open_jobs_that_somebody_asked_for_are_held_at_once(store: SqlStore) -> None:
    mine, running = make_job(1), make_job(2, state="running", worker="w", leased_until=9)
    failed = make_job(5, state="failed", finished_at=5)
    done, others = make_job(3, state="done", finished_at=5), make_job(4, asked_by="agent:other")
    put(store, mine, running, failed, done, others)
    with store.write() as writing:
        assert writing.queue.suspend("agent:scout", now=20, error="why") == 3
        assert writing.queue.suspend("agent:scout", now=21, error="why else") == 0
    end = {"state": "suspended", "worker": None, "leased_until": None, "error": "why", "finished_at": 20}
    with store.read() as reading:
        for before in (mine, running, failed):
            assert reading.queue.job(before.id) == msgspec.structs.replace(before, **end)
        assert (reading.queue.job(done.id), reading.queue.job(others.id)) == (done, others)
        assert reading.queue.due_job(99, []) == others


def test_old_jobs_are_dropped_but_not_those_that_failed_are_held_or_wait(store: SqlStore) -> None:
    put(
        store,
        make_job(1, state="done", finished_at=5),
        make_job(2, state="done", finished_at=50),
        make_job(3, state="failed", finished_at=5),
        make_job(4),
        make_job(5, state="suspended", finished_at=5),
    )
    with store.write() as writing:
        assert writing.queue.drop(10) == 1
        assert [
            int(job.id[:8], 16) for job in writing.queue.jobs(names=[], states=[], asked_by=None, before="~", limit=9)
        ] == [5, 4, 3, 2]


def test_the_last_run_of_a_schedule_is_kept(store: SqlStore) -> None:
    with store.write() as writing:
        assert writing.queue.schedule_run("nightly") is None
        writing.queue.keep_schedule_run(ScheduleRun("nightly", 1, 2, "a"))
        writing.queue.keep_schedule_run(ScheduleRun("nightly", 3, 4, "b"))
    with store.read() as reading:
        assert reading.queue.schedule_run("nightly") == ScheduleRun("nightly", 3, 4, "b")


def test_a_summary_takes_the_place_of_the_one_before_which_is_kept(store: SqlStore) -> None:
    first, second = SummaryRow("global", "work", 5, 1, "old"), SummaryRow("global", "work", 9, 2, "new")
    with store.write() as writing:
        writing.summaries.keep(first)
        writing.summaries.keep(SummaryRow("project:x", "work", 6, 1, "other"))
        writing.summaries.keep(second)
    with store.read() as reading:
        assert reading.summaries.of_category("global", "work", limit=9) == [
            second,
            msgspec.structs.replace(first, replaced_at=9),
        ]
        assert [summary.text for summary in reading.summaries.current()] == ["new", "other"]
    with store.write() as writing:
        writing.summaries.end("global", "work", 12)
        assert [summary.text for summary in writing.summaries.current()] == ["other"]
