"""Progress on standard error while a command takes long."""

from __future__ import annotations

import sys
import time
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING

from heldtrue.domain.limits import PROGRESS_DELAY_SECONDS, PROGRESS_STEP_SECONDS

if TYPE_CHECKING:
    from heldtrue.domain.job import Job


class Progress:
    """One line with the elapsed time; it appears after a short delay, and disappears at the end."""

    def __init__(self, action: str) -> None:
        self._action = action
        self._job = ""
        self._done = Event()
        self._thread = Thread(target=self._show, daemon=True)

    def __enter__(self) -> Progress:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def show_job(self, job: Job) -> None:
        """Show the name and the progress of a job."""
        reached = f"{job.done:,} of {job.total:,}" if job.total else f"{job.done:,}"
        self._job = f" {job.name} {reached}," if job.done else f" {job.name},"

    def _show(self) -> None:
        start = time.monotonic()
        wait = PROGRESS_DELAY_SECONDS
        shown = False
        while not self._done.wait(wait):
            wait, shown = PROGRESS_STEP_SECONDS, True
            line = f"{self._action} ...{self._job} {time.monotonic() - start:.0f} s"
            end = "\x1b[K" if self._job else ""
            print(f"\r{line}{end}", end="", file=sys.stderr, flush=True)
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
