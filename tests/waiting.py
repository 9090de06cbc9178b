"""Waiting for something to become true: as short as can be, and never for ever."""

import time
from collections.abc import Callable

PATIENCE_SECONDS = 30.0
"""Far more than anything here takes; it only keeps a test that waits in vain from hanging."""


def wait_until(holds: Callable[[], object], *, seconds: float = PATIENCE_SECONDS, every: float = 0.01) -> None:
    """Look again and again until something holds; fail where it does not in time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(every)
