"""A sign of life on standard error while something takes long."""

from __future__ import annotations

import sys
import time
from threading import Event, Thread
from types import TracebackType

_PATIENCE_SECONDS = 0.5
_STEP_SECONDS = 0.2
DOING = {
    "backup": "backing up",
    "export": "exporting",
    "compact": "compacting",
    "consolidate": "consolidating",
    "import": "importing",
    "ingest": "taking in",
    "reindex": "indexing",
    "restore": "restoring",
    "verify": "verifying",
    "work": "working",
}
"""The verbs that may take long."""


class Progress:
    """One line with the time it has taken so far; it comes late, and it goes away when the work is done."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
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

    def _tell(self) -> None:
        start = time.monotonic()
        wait = _PATIENCE_SECONDS
        shown = False
        while not self._done.wait(wait):
            wait, shown = _STEP_SECONDS, True
            print(f"\r{self._doing} ... {time.monotonic() - start:.0f} s", end="", file=sys.stderr, flush=True)
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
