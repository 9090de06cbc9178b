"""The rows of the queue and of the schedules."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.domain.job import Job, ScheduleRun, SummaryRow
from heldtrue.storage.rows import Rows


class JobRows(Rows):
    """Waiting, running and finished jobs."""

    def job(self, job_id: str) -> Job | None:
        row = self._row("job", id=job_id)
        return Job(*row) if row else None

    def jobs(
        self, *, names: Sequence[str], states: Sequence[str], asked_by: str | None, before: str, limit: int
    ) -> list[Job]:
        rows = self._rows(
            "jobs_listed",
            any_name=int(not names),
            names=self._listing(names),
            any_state=int(not states),
            states=self._listing(states),
            anyone=int(asked_by is None),
            asked_by=asked_by or "",
            before=before,
            limit=limit,
        )
        return [Job(*row) for row in rows]

    def due_job(self, now: int, names: Sequence[str]) -> Job | None:
        row = self._row("due_job", now=now, any_name=int(not names), names=self._listing(names))
        return Job(*row) if row else None

    def open_job(self, once: str) -> Job | None:
        row = self._row("open_job", once=once)
        return Job(*row) if row else None

    def count_jobs(self) -> list[tuple[str, str, int]]:
        return [(name, state, int(number)) for name, state, number in self._rows("count_jobs")]

    def schedule_run(self, name: str) -> ScheduleRun | None:
        row = self._row("schedule_run", name=name)
        return ScheduleRun(*row) if row else None

    def summaries_of(self, scope: str, category: str, *, limit: int) -> list[SummaryRow]:
        return [SummaryRow(*row) for row in self._rows("summaries_of", scope=scope, category=category, limit=limit)]

    def current_summaries(self) -> list[SummaryRow]:
        return [SummaryRow(*row) for row in self._rows("current_summaries")]

    def keep_summary(self, summary: SummaryRow) -> None:
        self.end_summary(summary.scope, summary.category, summary.made_at)
        values = msgspec.structs.asdict(summary)
        self._run("insert_summary", **{name: value for name, value in values.items() if name != "replaced_at"})

    def end_summary(self, scope: str, category: str, moment: int) -> None:
        self._run("replace_summary", scope=scope, category=category, replaced_at=moment)

    def add_job(self, job: Job) -> None:
        self._run("insert_job", **msgspec.structs.asdict(job))

    def keep_job(self, job: Job) -> None:
        self._run("update_job", **msgspec.structs.asdict(job))

    def suspend_jobs(self, asked_by: str, *, now: int, error: str) -> int:
        return len(self._rows("suspend_jobs", asked_by=asked_by, now=now, error=error))

    def drop_jobs(self, before: int) -> int:
        row = self._row("count_old_jobs", before=before)
        self._run("drop_old_jobs", before=before)
        return int(row[0]) if row else 0

    def keep_schedule_run(self, run: ScheduleRun) -> None:
        self._run("keep_schedule_run", **msgspec.structs.asdict(run))
