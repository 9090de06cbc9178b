"""Waiting for the lock of other writers."""

from __future__ import annotations

import time
from contextlib import suppress

import apsw

from heldtrue.domain.limits import BUSY_PAUSE_SECONDS, BUSY_TIMEOUT_MS


def nap(least: float, most: float) -> None:
    """Wait a little, unevenly, so that those who wait do not come back all at once."""
    import random  # only a busy writer pays for it

    time.sleep(random.uniform(least, most))  # noqa: S311


def wait_at_most(connection: apsw.Connection, milliseconds: int) -> None:
    """Wait for other writers in short, uneven naps.

    SQLite's own way sleeps longer the longer it has waited, up to 100 ms: with 16 writers the lock then stands idle
    most of the time, and those who came last are served first.
    """
    until = 0.0

    def wait(tries: int) -> bool:
        nonlocal until
        now = time.monotonic()
        if tries == 0:
            until = now + milliseconds / 1000
        if now >= until:
            return False
        nap(BUSY_PAUSE_SECONDS / 10, BUSY_PAUSE_SECONDS)
        return True

    connection.set_busy_handler(wait)


def restore_patience(connection: apsw.Connection) -> None:
    with suppress(apsw.ConnectionClosedError):
        wait_at_most(connection, BUSY_TIMEOUT_MS)
