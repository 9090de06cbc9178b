"""Temporary stores: one to check an export in before it is imported, and a copy of one that cannot be opened."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.sqlite.files import LOG
from heldtrue.storage.store import SqlStore


class ScratchStore(SqlStore):
    """A store in a temporary folder that is deleted afterwards."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="heldtrue-")
        super().__init__(SqliteConnector(Path(self._folder.name) / "scratch.db"))

    def close(self) -> None:
        super().close()
        self._folder.cleanup()


class CopiedStore(SqlStore):
    """A copy of a database with its log, to read what is on a read-only file system."""

    def __init__(self, path: Path) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="heldtrue-")
        copied = Path(self._folder.name) / "copy.db"
        shutil.copyfile(path, copied)
        shutil.copyfile(f"{path}{LOG}", f"{copied}{LOG}")
        # Opened once to take in the log.
        SqlStore(SqliteConnector(copied)).close()
        super().__init__(SqliteConnector(copied, read_only=True))

    def close(self) -> None:
        super().close()
        self._folder.cleanup()
