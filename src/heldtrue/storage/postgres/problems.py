"""Maps PostgreSQL errors to Heldtrue errors."""

from __future__ import annotations

import psycopg
from psycopg import errors

from heldtrue.domain.errors import Busy, HeldtrueError, StorageProblem, StorageUnavailable
from heldtrue.domain.limits import BUSY_TIMEOUT_MS

_WAITED_TOO_LONG = (
    errors.LockNotAvailable, errors.QueryCanceled, errors.DeadlockDetected, errors.SerializationFailure,
)  # fmt: skip
_GONE = (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow, errors.TooManyConnections)
_DAMAGED = (errors.DataCorrupted, errors.IndexCorrupted)


def explain(problem: psycopg.Error, where: str, *, connected: bool, waited_ms: int) -> HeldtrueError:
    """The error to raise for a driver error, with a hint and without any stored text."""
    # The detail lines of a report quote the values of a row, so only its first line is passed on.
    said = problem.diag.message_primary or (str(problem).splitlines() or [type(problem).__name__])[0]
    match problem:
        case _ if isinstance(problem, _WAITED_TOO_LONG):
            return Busy(
                f"other writers kept {where} busy for over {waited_ms / 1000:g} s; nothing was written",
                hint="try again; if this keeps happening, look for a long-running transaction in pg_stat_activity",
            )
        case errors.IdleInTransactionSessionTimeout():
            return Busy(
                f"this write was idle for over {BUSY_TIMEOUT_MS // 1000} s and was rolled back", hint="try again"
            )
        case errors.DiskFull():
            return StorageProblem(
                f"the disk under {where} is full; nothing was written", hint="free some disk space and try again"
            )
        case errors.ReadOnlySqlTransaction():
            return StorageProblem(
                f"{where} cannot be written to: {said}", hint="connect to the primary server, not to a standby"
            )
        case errors.InsufficientPrivilege():
            return StorageProblem(
                f"this role may not use {where}: {said}", hint="grant the role USAGE and CREATE on it"
            )
        case _ if isinstance(problem, _DAMAGED):
            return StorageProblem(f"{where} is damaged: {said}", hint="restore the server's last backup")
        case _ if isinstance(problem, _GONE) or not connected:
            return unreachable(problem, where)
        case _:
            return StorageProblem(f"database error: {said}")


def unreachable(problem: psycopg.Error, where: str) -> StorageUnavailable:
    """The error for a server that cannot be reached."""
    said = problem.diag.message_primary or " ".join(str(problem).split())
    return StorageUnavailable(
        f"{where} cannot be reached: {said}",
        hint="check that PostgreSQL is running and that the address, user and password are correct",
    )
