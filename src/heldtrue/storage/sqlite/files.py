"""The files behind a connection: whether they are still the ones at their paths."""

from __future__ import annotations

import os
from pathlib import Path

from heldtrue.domain.errors import HomeChanged

LOG = "-wal"
_BESIDE = (LOG, "-shm")
_HINT = (
    "put the file back, or restore a backup into a new home (heldtrue --home NEW_FOLDER restore-backup FILE); then "
    "restart every program that had the store open, and run heldtrue verify"
)


_FileMark = tuple[int, int]
"""A file as the system knows it, whatever its name: its device and its inode."""


def _mark_of(path: str) -> _FileMark | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - every write looks at four files, and a path object takes half the time
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


class DatabaseFiles:
    """What one connection has open: the database and, once it is used, its log.

    SQLite keeps writing to a file that was deleted or replaced, and everything that it saves there is lost when the
    last process closes it.
    """

    __slots__ = ("_beside", "_database", "_paths_beside", "_state", "path")

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self._paths_beside = [f"{path}{ending}" for ending in _BESIDE]
        self._database = _mark_of(self.path)
        self._beside: list[_FileMark | None] = [None, None]
        self._state = self._read_state()

    def note_log(self) -> None:
        """Note the files beside the database; a connection that has read has opened them."""
        self._beside = [_mark_of(path) for path in self._paths_beside]
        self._state = self._read_state()

    def note_checkpoint(self) -> None:
        """This connection has just written the database itself."""
        self._state = self._read_state()

    @property
    def is_changed(self) -> bool:
        """Whether anyone else has written the database since it was noted: another process, or somebody's copy."""
        return self._read_state() != self._state

    def refuse_missing(self) -> None:
        """Raise `HomeChanged` if there is no database at the path, or an empty file."""
        try:
            size = os.stat(self.path).st_size  # noqa: PTH116
        except FileNotFoundError:
            raise self._gone("nothing was written") from None
        if not size:
            raise HomeChanged(
                f"the database {self.path} was emptied while it was in use; nothing was written", hint=_HINT
            )

    def refuse_replaced(self, outcome: str) -> None:
        """Raise `HomeChanged` if there is no database at the path, or another one."""
        database = _mark_of(self.path)
        if database is None:
            raise self._gone(outcome)
        if database != self._database:
            raise HomeChanged(f"the database {self.path} was replaced while it was in use; {outcome}", hint=_HINT)

    def refuse_moved(self) -> None:
        """Raise `HomeChanged` if what this connection has written is not in the files at their paths."""
        self.refuse_replaced("this write was not saved")
        for path, known in zip(self._paths_beside, self._beside, strict=True):
            if known is None or _mark_of(path) != known:
                raise HomeChanged(
                    f"{path} was deleted or replaced while it was in use; this write was not saved",
                    hint=_HINT,
                )

    def _gone(self, outcome: str) -> HomeChanged:
        return HomeChanged(f"the database {self.path} was deleted while it was in use; {outcome}", hint=_HINT)

    def _read_state(self) -> tuple[int, int, int, int] | None:
        try:
            found = os.stat(self.path)  # noqa: PTH116
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def has_log(path: Path) -> bool:
    """Whether the database has a log with content that is not in the database itself."""
    try:
        return path.with_name(path.name + LOG).stat().st_size > 0
    except FileNotFoundError:
        return False
