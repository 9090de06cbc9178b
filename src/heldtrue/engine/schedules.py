"""Schedules: when each job was last due, and queueing it once even if several processes check."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import NamedTuple

from heldtrue.domain.job import Job, ScheduleRun
from heldtrue.domain.principal import SYSTEM
from heldtrue.domain.times import from_datetime, to_datetime
from heldtrue.engine.ports import EngineStore
from heldtrue.engine.queue import NewJob, ask_for
from heldtrue.ingest.ports import IngestWriteTransaction


class Schedule(NamedTuple):
    """A job and when it is due, as a cron expression."""

    name: str
    cron: str


def last_slot(cron: str, now: int, zone: tzinfo) -> int:
    """The last time, up to now, at which a job was due."""
    from cronsim import CronSim

    # The search goes back from the next minute, so that a job is due in the very minute its line names.
    next_minute = to_datetime(now).astimezone(zone).replace(second=0, microsecond=0) + timedelta(minutes=1)
    return from_datetime(next(CronSim(cron, next_minute, reverse=True)).astimezone(UTC))


def ask_overdue(store: EngineStore, schedules: Sequence[Schedule], *, now: int, zone: tzinfo) -> list[Job]:
    """Queue every scheduled job that became due since it was last queued; missed runs become one."""
    due = [(schedule, last_slot(schedule.cron, now, zone)) for schedule in schedules]
    with store.read() as reading:
        overdue = [
            (schedule, slot) for schedule, slot in due if _is_new(reading.queue.schedule_run(schedule.name), slot)
        ]
    if not overdue:
        return []
    with store.write() as transaction:
        asked = [_ask(transaction, schedule, slot, now) for schedule, slot in overdue]
    return [job for job in asked if job is not None]


def _is_new(run: ScheduleRun | None, slot: int) -> bool:
    return run is None or run.slot < slot


def _ask(transaction: IngestWriteTransaction, schedule: Schedule, slot: int, now: int) -> Job | None:
    run = transaction.queue.schedule_run(schedule.name)
    if not _is_new(run, slot):
        return None
    if run is None:
        # A new home has nothing to catch up with: its regular jobs begin with the next slot.
        transaction.queue.keep_schedule_run(ScheduleRun(schedule.name, slot, now, ""))
        return None
    new = NewJob(
        name=schedule.name,
        asked_by=SYSTEM.id,
        trigger="schedule",
        once=f"schedule:{schedule.name}",
        arguments={"slot": slot},
    )
    job = ask_for(transaction, new, now=now)
    transaction.queue.keep_schedule_run(ScheduleRun(schedule.name, slot, now, job.id))
    return job


def read_zone(name: str) -> tzinfo:
    """The time zone with this name, or the machine's."""
    if not name:
        return datetime.now().astimezone().tzinfo or UTC
    from zoneinfo import ZoneInfo

    return ZoneInfo(name)
