"""A temporary store, for checking an export before it is imported."""

from __future__ import annotations

import tempfile
from pathlib import Path

from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore


class ScratchStore(SqlStore):
    """A store in a temporary folder that is deleted afterwards."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="heldtrue-")
        super().__init__(SqliteConnector(Path(self._folder.name) / "scratch.db"))

    def close(self) -> None:
        super().close()
        self._folder.cleanup()
