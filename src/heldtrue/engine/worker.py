"""A worker: takes due jobs one after another and runs them, step by step."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from heldtrue.domain.errors import HeldtrueError
from heldtrue.domain.job import Job
from heldtrue.domain.limits import JOB_LEASE_US, JOB_RENEWALS_MAX
from heldtrue.domain.times import SECOND_US
from heldtrue.engine.ports import EngineStore
from heldtrue.engine.queue import LostLease, fail_job, finish_job, note_progress, renew_lease, take_job
from heldtrue.ingest.ports import IngestWriteTransaction
from heldtrue.ports import Clock

Arguments = TypeVar("Arguments")
RENEW_SECONDS = JOB_LEASE_US / SECOND_US / 3
"""How often a lease is renewed while a job works: two renewals may fail before another worker takes over."""
_log = logging.getLogger("heldtrue.engine")


class Renewing:
    """Renews the lease of a job in a thread of its own while one step takes long, such as a call of a model."""

    def __init__(self, run: Run, store: EngineStore, clock: Clock) -> None:
        self._run = run
        self._store = store
        self._clock = clock
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="heldtrue-lease", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_problem: object) -> None:
        self._over.set()
        self._thread.join()

    def _renew(self) -> None:
        seen, renewals = self._run.job, 0
        while not self._over.wait(RENEW_SECONDS):
            renewals = renewals + 1 if self._run.job is seen else 0
            seen = self._run.job
            if renewals > JOB_RENEWALS_MAX:
                return
            try:
                renew_lease(self._store, seen, now=self._clock.now())
            except LostLease:
                return  # the job's own code is told by its next step
            except HeldtrueError as problem:
                _log.warning("the lease of job %s could not be renewed: %s", seen.id, problem)


class Run:
    """One try of a job, as the job's own code sees it."""

    def __init__(self, job: Job, store: EngineStore, clock: Clock, on_job: Callable[[Job], None]) -> None:
        self.job = job
        self._store = store
        self._clock = clock
        self._on_job = on_job

    @property
    def now(self) -> int:
        return self._clock.now()

    def arguments(self, shape: type[Arguments]) -> Arguments:
        return msgspec.json.decode(self.job.arguments, type=shape)

    def outcome(self, shape: type[Arguments]) -> Arguments:
        """The outcome of earlier steps or of an earlier try."""
        return msgspec.json.decode(self.job.outcome, type=shape)

    def note(
        self, transaction: IngestWriteTransaction, *, done: int, total: int | None = None, outcome: Any = None
    ) -> None:
        """Store progress in the transaction of a step; raises `LostLease` if another worker has the job."""
        self.job = note_progress(transaction, self.job, now=self._clock.now(), done=done, total=total, outcome=outcome)
        self._on_job(self.job)

    def step(self, *, done: int, total: int | None = None, outcome: Any = None) -> None:
        """The same for a step that writes nothing else."""
        with self._store.write() as transaction:
            self.note(transaction, done=done, total=total, outcome=outcome)


Handler = Callable[[Run], Any]
"""Does the work and returns the outcome; None keeps the outcome that was stored with the progress."""


class Worker:
    """Runs jobs of some names, or of any."""

    def __init__(
        self,
        store: EngineStore,
        clock: Clock,
        handlers: Mapping[str, Handler],
        *,
        on_job: Callable[[Job], None] = lambda _job: None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._handlers = handlers
        self._on_job = on_job
        self.name = f"{os.getpid()}:{threading.get_ident()}"

    def run_next(self, names: Sequence[str] = ()) -> Job | None:
        """Take the next job that is due, run it, and return its new state; None if no job is due."""
        known = [name for name in names or self._handlers if name in self._handlers]
        if not known:
            return None  # no name at all would mean any
        job = take_job(self._store, worker=self.name, now=self._clock.now(), names=known)
        return self._run(job) if job is not None else None

    def run_all(self, names: Sequence[str] = (), *, go_on: Callable[[], bool] = lambda: True) -> list[Job]:
        """Run jobs until none is due, and return them as they ended."""
        ended: list[Job] = []
        while go_on() and (job := self.run_next(names)) is not None:
            ended.append(job)
        return ended

    def _run(self, job: Job) -> Job:
        run = Run(job, self._store, self._clock, self._on_job)
        try:
            with Renewing(run, self._store, self._clock):
                outcome = self._handlers[job.name](run)
            with self._store.write() as transaction:
                ended = finish_job(transaction, run.job, now=self._clock.now(), outcome=outcome)
        except LostLease:
            _log.warning("job %s (%s) was taken over by another worker, suspended or cancelled", job.id, job.name)
            return run.job
        except Exception as problem:  # noqa: BLE001 - the job runner: whatever it is, it is kept with the job
            _log.warning("job %s (%s) failed: %s", job.id, job.name, type(problem).__name__)
            ended = self._keep_failure(run.job, problem)
        self._on_job(ended)
        return ended

    def _keep_failure(self, job: Job, problem: Exception) -> Job:
        error = f"{type(problem).__name__}: {problem}"
        try:
            with self._store.write() as transaction:
                return fail_job(transaction, job, now=self._clock.now(), error=error)
        except LostLease:
            return job
