"""The clocks: the machine's, and one that a test sets by hand."""

from __future__ import annotations

import time
from datetime import datetime

from heldtrue.domain.times import from_datetime


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> int:
        return time.time_ns() // 1000


class ManualClock:
    """A clock that stands still until it is moved; for tests and for replaying history."""

    def __init__(self, start: datetime | int) -> None:
        self._now = start if isinstance(start, int) else from_datetime(start)

    def now(self) -> int:
        return self._now

    def set(self, moment: datetime | int) -> None:
        """Jump to a moment, forwards or back."""
        self._now = moment if isinstance(moment, int) else from_datetime(moment)

    def advance(self, *, days: float = 0, hours: float = 0, seconds: float = 0) -> None:
        self._now += round((days * 86_400 + hours * 3_600 + seconds) * 1_000_000)
