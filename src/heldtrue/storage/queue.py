"""The queue of jobs, and what runs regularly."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.domain.job import Job, ScheduleRun
from heldtrue.storage.runner import Runner


class QueuePart:
    """Waiting, running and finished jobs."""

    __slots__ = ("_sql",)

    def __init__(self, sql: Runner) -> None:
        self._sql = sql

    def job(self, job_id: str) -> Job | None:
        row = self._sql.row("job", id=job_id)
        return Job(*row) if row else None

    def jobs(
        self, *, names: Sequence[str], states: Sequence[str], asked_by: str | None, before: str, limit: int
    ) -> list[Job]:
        rows = self._sql.rows(
            "jobs_listed",
            any_name=int(not names),
            names=self._sql.listing(names),
            any_state=int(not states),
            states=self._sql.listing(states),
            anyone=int(asked_by is None),
            asked_by=asked_by or "",
            before=before,
            limit=limit,
        )
        return [Job(*row) for row in rows]

    def due_job(self, now: int, names: Sequence[str]) -> Job | None:
        row = self._sql.row("due_job", now=now, any_name=int(not names), names=self._sql.listing(names))
        return Job(*row) if row else None

    def open_job(self, once: str) -> Job | None:
        row = self._sql.row("open_job", once=once)
        return Job(*row) if row else None

    def count_jobs(self) -> list[tuple[str, str, int]]:
        return [(name, state, int(number)) for name, state, number in self._sql.rows("count_jobs")]

    def schedule_run(self, name: str) -> ScheduleRun | None:
        row = self._sql.row("schedule_run", name=name)
        return ScheduleRun(*row) if row else None

    def add(self, job: Job) -> None:
        self._sql.run("insert_job", **msgspec.structs.asdict(job))

    def keep(self, job: Job) -> None:
        self._sql.run("update_job", **msgspec.structs.asdict(job))

    def suspend(self, asked_by: str, *, now: int, error: str) -> int:
        return len(self._sql.rows("suspend_jobs", asked_by=asked_by, now=now, error=error))

    def drop(self, before: int) -> int:
        dropped = self._sql.number("count_old_jobs", before=before)
        self._sql.run("drop_old_jobs", before=before)
        return dropped

    def keep_schedule_run(self, run: ScheduleRun) -> None:
        self._sql.run("keep_schedule_run", **msgspec.structs.asdict(run))
