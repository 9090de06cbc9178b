"""Rewrites a SQLite file, so that nothing of what was deleted is left in it."""

from __future__ import annotations

import time
from collections.abc import Callable

import apsw

from heldtrue.domain.limits import BUSY_PAUSE_SECONDS, BUSY_TIMEOUT_MS
from heldtrue.storage.sqlite.waiting import nap


def rewrite_file(connect: Callable[[], apsw.Connection], *, has_log: bool) -> None:
    """Copy everything into fresh pages and empty the log: unused parts of pages keep what was deleted.

    `BusyError` if other connections prevent it for too long.
    """
    until = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            _rewrite(connect(), has_log=has_log)
            return
        except apsw.BusyError:
            if time.monotonic() > until:
                raise
            nap(BUSY_PAUSE_SECONDS, 10 * BUSY_PAUSE_SECONDS)


def _rewrite(connection: apsw.Connection, *, has_log: bool) -> None:
    try:
        connection.pragma("temp_store", 1)  # the copy is made in a temporary file, not in memory
        connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 1)
        connection.execute("VACUUM").fetchall()
        if has_log:
            log_frames, moved_frames = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            if log_frames != moved_frames:
                raise apsw.BusyError("a reader still needs the log")
    finally:
        connection.close()
