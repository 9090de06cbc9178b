"""A sign of life on standard error while something takes long."""

from __future__ import annotations

import sys
import time
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heldtrue.domain.job import Job

_PATIENCE_SECONDS = 0.5
_STEP_SECONDS = 0.2


class Progress:
    """One line with the time it has taken so far; it comes late, and it goes away when the work is done."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._far = ""
        self._done = Event()
        self._thread = Thread(target=self._tell, daemon=True)

    def __enter__(self) -> Progress:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def show_job(self, job: Job) -> None:
        """Say which job is done and how far it has come."""
        reached = f"{job.done:,} of {job.total:,}" if job.total else f"{job.done:,}"
        self._far = f" {job.name} {reached}," if job.done else f" {job.name},"

    def _tell(self) -> None:
        start = time.monotonic()
        wait = _PATIENCE_SECONDS
        shown = False
        while not self._done.wait(wait):
            wait, shown = _STEP_SECONDS, True
            line = f"{self._doing} ...{self._far} {time.monotonic() - start:.0f} s"
            end = "\x1b[K" if self._far else ""
            print(f"\r{line}{end}", end="", file=sys.stderr, flush=True)
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
