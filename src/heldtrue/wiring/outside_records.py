"""What is remembered about a store outside its home: what was erased from it, and where copies of it are.

A home can be put back to an earlier state, and a backup or an export can bring back what was erased since. So erasures
are also kept in the user's state folder, as digests that say nothing about the words. Copies are kept there by path, so
that an erasure can name those that still hold what was erased.
"""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from typing import TypeVar

import msgspec

from heldtrue.domain.errors import StorageProblem
from heldtrue.domain.limits import ERASURE_COPIES_MAX
from heldtrue.domain.outside import ErasureNote, KnownCopy
from heldtrue.wiring.known_homes import state_folder

Row = TypeVar("Row", ErasureNote, KnownCopy)
_SPACE_ID = re.compile(r"[0-9a-f-]{1,64}")


class RecordFolder:
    """The records of this user's stores by the id of the store; without a folder, nothing is remembered."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def erasures(self, space_id: str) -> list[ErasureNote]:
        """What was erased from a store, in order; an erasure that was noted twice is there once.

        Two erasures can have the same sequence: one of them in a store that was restored to an earlier state.
        """
        return list(dict.fromkeys(self._read(self._path_of("erasures", space_id), ErasureNote)))

    def note_erasure(self, space_id: str, note: ErasureNote) -> None:
        """Remember an erasure. It must not be lost, so a folder that cannot be written is an error."""
        path = self._path_of("erasures", space_id)
        if path is not None and note not in self.erasures(space_id):
            self._append(path, note)

    def copies(self, space_id: str) -> list[KnownCopy]:
        """The backups and exports of a store that were made here and still exist."""
        found = self._read(self._path_of("copies", space_id), KnownCopy)
        newest = {copy.path: copy for copy in found}
        return [copy for copy in newest.values() if Path(copy.path).exists()]

    def note_copy(self, space_id: str, copy: KnownCopy) -> None:
        """Remember a copy; the oldest ones are forgotten when there are too many."""
        path = self._path_of("copies", space_id)
        if path is None:
            return
        known = self._read(path, KnownCopy)
        if len(known) >= ERASURE_COPIES_MAX:
            path.unlink(missing_ok=True)
            for row in known[-ERASURE_COPIES_MAX // 2 :]:
                self._append(path, row)
        self._append(path, copy)

    def _path_of(self, name: str, space_id: str) -> Path | None:
        """The file of a store. The id may come from a file of somebody else, so it must not name another folder."""
        return self._folder / name / space_id if self._folder and _SPACE_ID.fullmatch(space_id) else None

    def _read(self, path: Path | None, kind: type[Row]) -> list[Row]:
        if path is None:
            return []
        try:
            lines = path.read_bytes().splitlines()
        except OSError:
            return []
        rows = []
        for line in lines:
            try:
                rows.append(msgspec.json.decode(line, type=kind))
            except msgspec.DecodeError:
                continue  # the last line of a process that was killed while it wrote
        return rows

    def _append(self, path: Path, row: ErasureNote | KnownCopy) -> None:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                # A line break first: a line that was cut off must not swallow this one.
                line = b"\n" + msgspec.json.encode(row) + b"\n"
                if os.write(file, line) != len(line):
                    raise OSError(errno.ENOSPC, "no space left on device")
                os.fsync(file)
            finally:
                os.close(file)
        except OSError as problem:
            raise StorageProblem(
                f"{path.parent} cannot be written: {problem.strerror or problem}",
                hint="check the folder's permissions, or set XDG_STATE_HOME to another folder",
            ) from None


def outside_records(home: Path | None) -> RecordFolder:
    """The records of this user; a store in memory, which has no home, leaves none."""
    return RecordFolder(None if home is None else state_folder())
