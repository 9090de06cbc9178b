"""Rate limits: one token bucket per principal and kind of call."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from heldtrue.domain.errors import Busy
from heldtrue.domain.limits import RATE_BUCKETS_MAX


class TooOften(Busy):
    """Too many requests; wait and try again."""

    code = "too_often"
    exit_status = 6
    http_status = 429

    def __init__(
        self,
        message: str | None = None,
        *,
        field: str | None = None,
        hint: str | None = None,
        retry_after_seconds: float = 1.0,
    ) -> None:
        super().__init__(message, field=field, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class Rates:
    """Counts calls. A bucket allows a burst and refills evenly. Threads may share it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._turn = threading.Lock()
        self._buckets: dict[tuple[str, str], tuple[float, float]] = {}

    def take(self, principal: str, what: str, *, per_second: float, burst: float, number: int = 1) -> None:
        """Admit one call, or raise an error that says how long to wait. A call may cost more than one token."""
        with self._turn:
            now = self._clock()
            left, since = self._buckets.pop((principal, what), (burst, now))
            left = min(burst, left + (now - since) * per_second)
            self._buckets[principal, what] = (left - number if left >= 1 else left, now)
            if len(self._buckets) > RATE_BUCKETS_MAX:
                del self._buckets[next(iter(self._buckets))]
        if left < 1:
            wait = (1 - left) / per_second
            raise TooOften(
                f"too many {what} from {principal}",
                hint=f"try again in {wait:.1f} seconds",
                retry_after_seconds=wait,
            )
