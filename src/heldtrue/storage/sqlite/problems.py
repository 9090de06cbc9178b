"""Maps SQLite errors to Heldtrue errors."""

from __future__ import annotations

import apsw

from heldtrue.domain.errors import Busy, HeldtrueError, OutcomeUnknown, ReadOnlyStore, StorageProblem
from heldtrue.domain.limits import BUSY_TIMEOUT_MS

RESTORE = "restore the last backup into a new home: heldtrue --home NEW_FOLDER restore-backup FILE"


def busy(where: str, waited_ms: int) -> Busy:
    """The error for a lock that others kept for too long."""
    return Busy(
        f"other writers kept {where} busy for over {waited_ms / 1000:g} s; nothing was written",
        hint="try again; if this keeps happening, look for a program that keeps the database open",
    )


def unknown_outcome(problem: apsw.Error, where: str) -> OutcomeUnknown:
    """The error for a commit that the system could not confirm: it may be found after a crash, or not."""
    return OutcomeUnknown(
        f"{where} could not be written to disk ({problem}); it is not known whether this write was saved",
        hint="check the disk, then send the same write again with the same idempotency key",
    )


def explain(problem: apsw.Error, where: str) -> HeldtrueError:
    """The error to raise for an error of SQLite."""
    match problem:
        case apsw.BusyError() | apsw.LockedError():
            return busy(where, BUSY_TIMEOUT_MS)
        case apsw.FullError():
            return StorageProblem(
                f"the disk under {where} is full; nothing was written", hint="free some disk space and try again"
            )
        case apsw.ReadOnlyError():
            return ReadOnlyStore(f"{where} cannot be written to", hint="check its permissions and the file system")
        case apsw.CantOpenError():
            return StorageProblem(
                f"{where} cannot be opened", hint="check the folder, its permissions and the file system"
            )
        case apsw.CorruptError() | apsw.NotADBError():
            return StorageProblem(f"{where} is damaged: {problem}", hint=RESTORE)
        case _:
            return StorageProblem(f"database error: {problem}")
