"""The clocks: the machine's, and one that a test sets by hand."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime

from heldtrue.domain.errors import ClockJumped
from heldtrue.domain.limits import CLOCK_GAP_US_MAX, CLOCK_JUMP_US_MAX
from heldtrue.domain.times import DAY_US, HOUR_US, from_datetime, to_iso

_BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
"""The clock that nobody can set and that keeps running while the machine sleeps."""


def _wall_us() -> int:
    return time.time_ns() // 1000


def _boot_us() -> int:
    return (time.monotonic_ns() if _BOOT_CLOCK is None else time.clock_gettime_ns(_BOOT_CLOCK)) // 1000


class SystemClock:
    """The machine's clock, in UTC."""

    def __init__(
        self,
        wall_us: Callable[[], int] = _wall_us,
        boot_us: Callable[[], int] = _boot_us,
        *,
        is_confirmed: bool = False,
    ) -> None:
        """`is_confirmed`: the owner says that the time is right, however long ago the last entry was written."""
        self._wall_us = wall_us
        self._boot_us = boot_us
        self._offset_us = wall_us() - boot_us()
        self._is_confirmed = is_confirmed

    def now(self) -> int:
        return self._wall_us()

    def refuse_jump(self, last_us: int) -> None:
        """Raise `ClockJumped` for a time that the boot clock or the last entry contradicts.

        A clock that was set back does no harm, because the order of entries does not depend on it.
        """
        jump = self._wall_us() - self._boot_us() - self._offset_us
        if jump > CLOCK_JUMP_US_MAX:
            raise ClockJumped(
                f"this machine's clock jumped ahead by {_span(jump)}; nothing was written",
                hint="correct the clock; if it is already correct, restart this program",
            )
        now = self._wall_us()
        gap = now - last_us
        if gap > CLOCK_GAP_US_MAX and not self._is_confirmed:
            raise ClockJumped(
                f"the clock says {to_iso(now)[:10]}, {_span(gap)} after the last entry; nothing was written",
                hint="correct the clock; if it is already correct, run: heldtrue trust",
            )
        # From here on the boot clock vouches for it.
        self._is_confirmed = True


def _span(span_us: int) -> str:
    days, hours = span_us // DAY_US, span_us // HOUR_US
    return f"{days:,} days" if days > 1 else f"{hours} hours" if hours > 1 else f"{span_us // 60_000_000} minutes"


class ManualClock:
    """A clock that stands still until it is moved; for tests and for replaying history."""

    def __init__(self, start: datetime | int) -> None:
        self._now = start if isinstance(start, int) else from_datetime(start)

    def now(self) -> int:
        return self._now

    def refuse_jump(self, last_us: int) -> None:
        """A clock that is set by hand is right."""

    def set(self, moment: datetime | int) -> None:
        """Jump to a time, forwards or back."""
        self._now = moment if isinstance(moment, int) else from_datetime(moment)

    def advance(self, *, days: float = 0, hours: float = 0, seconds: float = 0) -> None:
        self._now += round((days * 86_400 + hours * 3_600 + seconds) * 1_000_000)
