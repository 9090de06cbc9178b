"""Background work: one thread per open space runs it soon, and closing the space runs the rest."""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from collections.abc import Callable, Mapping

import msgspec

from heldtrue.domain.limits import BACKGROUND_LINGER_SECONDS, EXIT_SECONDS_MAX

Job = Callable[[], object]


class BackgroundThread:
    """Runs named jobs soon, one after another, in a thread that starts with the first one.

    A forked child has none of its parent's jobs and starts a thread of its own.
    """

    def __init__(self) -> None:
        self._failures: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._drainer: int | None = None
        self._runner = _JobRunner(self._failures, self._counts)
        _OPENED.add(self)

    @property
    def failures(self) -> Mapping[str, str]:
        """Each job whose last run failed, with its error."""
        return dict(self._failures)

    @property
    def failure_counts(self) -> Mapping[str, int]:
        """How often each job has failed so far."""
        return dict(self._counts)

    def later(self, name: str, job: Job, *, delay_s: float, optional: bool = False) -> None:
        """Run a job after a delay; a job that is already waiting under the same name is only moved forward.

        Jobs run one after another, so each should be short. An optional one is left out when the space is closed.
        """
        if self._drainer == threading.get_ident():
            # A job that asks for another try while everything is being brought to an end has had its last.
            return
        if not self._runner.add(name, _PendingJob(time.monotonic() + delay_s, job, optional)):
            self._runner.run_all(timeout_s=0.0)

    def drain(self, timeout_s: float) -> None:
        """Run the waiting jobs that are not optional in this thread, and end the background thread.

        After the timeout no further job is started.
        """
        self._drainer = threading.get_ident()
        try:
            self._runner.dismiss(timeout_s)
            self._runner.run_all(timeout_s=timeout_s)
        finally:
            self._drainer = None
            self._runner.resume()

    def forget_parent(self) -> None:
        """In a forked child: the pending jobs belong to the parent, and its locks may be held by threads that no
        longer exist."""
        self._drainer = None
        self._runner = _JobRunner(self._failures, self._counts)


class _PendingJob(msgspec.Struct, frozen=True):
    """A job, and when it is due by the clock that never jumps."""

    due_s: float
    job: Job
    optional: bool


class _JobRunner:
    """The jobs that wait in one process, and the thread that runs them; the thread knows this and nothing above it."""

    def __init__(self, failures: dict[str, str], counts: dict[str, int]) -> None:
        # The default lock may be taken again by its holder: dropping a job can end an instance, which may come back.
        self._turn = threading.Condition()
        self._waiting: dict[str, _PendingJob] = {}
        self._running = 0
        self._is_dismissed = False
        self._thread: threading.Thread | None = None
        self._failures = failures
        self._counts = counts

    def add(self, name: str, job: _PendingJob) -> bool:
        """Add a job; False if no thread could be started for it."""
        with self._turn:
            if self._is_dismissed and job.optional:
                return True  # a job that ends just now asks for its next step; that is left out like the others
            held = self._waiting.get(name)
            if held is None or job.due_s < held.due_s:
                self._waiting[name] = job if held is None else msgspec.structs.replace(held, due_s=job.due_s)
                self._turn.notify_all()
            return self._thread is not None or self._start()

    def _start(self) -> bool:
        self._thread = threading.Thread(target=_work, args=(self,), name="heldtrue-background", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # too many threads, or the interpreter is at its end
            self._thread = None
        return self._thread is not None

    def next_job(self) -> tuple[str, Job] | None:
        """Wait for the next job that is due; None if this thread must end."""
        me, patience = threading.current_thread(), time.monotonic() + BACKGROUND_LINGER_SECONDS
        with self._turn:
            while self._thread is me:
                now = time.monotonic()
                if self._waiting:
                    name = self._in_order()[0]
                    if (due := self._waiting[name].due_s) <= now:
                        return self._begin(name)
                    self._turn.wait(due - now)
                    patience = time.monotonic() + BACKGROUND_LINGER_SECONDS
                elif now >= patience:
                    self._thread = None
                else:
                    self._turn.wait(patience - now)
        return None

    def _begin(self, name: str) -> tuple[str, Job]:
        self._running += 1
        return name, self._waiting.pop(name).job

    def _in_order(self) -> list[str]:
        return sorted(self._waiting, key=lambda name: self._waiting[name].due_s)

    def run(self, name: str, job: Job) -> None:
        """Run a job. An error is recorded, and logged once."""
        try:
            job()
        except Exception as problem:  # noqa: BLE001 - the job runner: whatever it is, it is recorded
            self._note_failure(name, problem)
        else:
            self._failures.pop(name, None)
        finally:
            with self._turn:
                self._running -= 1
                self._turn.notify_all()

    def _note_failure(self, name: str, problem: Exception) -> None:
        self._failures[name] = str(problem) or type(problem).__name__
        self._counts[name] = self._counts.get(name, 0) + 1
        if self._counts[name] == 1:
            import logging  # nobody pays for it until something fails

            logging.getLogger("heldtrue").warning("%s failed: %s", name, self._failures[name])

    def dismiss(self, timeout_s: float) -> None:
        """Let the thread end, drop optional jobs, and wait for the job that is running."""
        with self._turn:
            self._is_dismissed = True
            self._thread = None
            self._waiting = {name: job for name, job in self._waiting.items() if not job.optional}
            self._turn.notify_all()
            self._turn.wait_for(lambda: self._running == 0, timeout_s)

    def resume(self) -> None:
        """Accept every kind of job again."""
        with self._turn:
            self._is_dismissed = False

    def run_all(self, *, timeout_s: float) -> None:
        """Run the pending jobs that are not optional in this thread, each once; after the timeout, no job is
        started."""
        until = time.monotonic() + timeout_s
        with self._turn:
            names = [name for name in self._in_order() if not self._waiting[name].optional]
        for index, name in enumerate(names):
            with self._turn:
                if name not in self._waiting or (index and time.monotonic() > until):
                    continue
                begun = self._begin(name)
            self.run(*begun)


def _work(runner: _JobRunner) -> None:
    while (begun := runner.next_job()) is not None:
        runner.run(*begun)
        # A job knows the space it works for: waiting for the next must not keep that alive.
        del begun


_OPENED: weakref.WeakSet[BackgroundThread] = weakref.WeakSet()


@atexit.register
def _drain_at_exit() -> None:
    for background in list(_OPENED):
        background.drain(EXIT_SECONDS_MAX)


def _forget_parents() -> None:
    for background in list(_OPENED):
        background.forget_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parents)
