"""The head of the ledger, stored in a small file beside the database."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from heldtrue.domain.errors import Untrusted
from heldtrue.domain.ledger import Head
from heldtrue.ports import ReadTransaction

try:
    import fcntl
except ImportError:  # Windows: appends by one process at a time are then up to the database lock.
    fcntl = None  # type: ignore[assignment]

_WIDTH = 160
_ILLEGIBLE = Head(1, b"", 0)
"""Represents a head file that cannot be read: no ledger contains it."""


class HeadFile:
    """One line, `space seq hash recorded_at`, rewritten in place after each commit.

    It may lag behind the database (a crash between commit and this line) but never runs ahead of it, so a ledger
    that does not contain the recorded head has lost or changed its past.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._file: int | None = None
        self._pid = 0

    def last(self) -> tuple[str, Head] | None:
        try:
            raw = self._path.read_bytes()
        except FileNotFoundError:
            return None
        if not raw.strip():
            return None
        # A file that says nothing readable is not the same as none: someone or something has been at it.
        return _parse(raw) or ("", _ILLEGIBLE)

    def publish(self, space_id: str, head: Head) -> None:
        line = f"{space_id} {head.seq} {head.hash.hex()} {head.recorded_at}".ljust(_WIDTH - 1) + "\n"
        with self._lock:
            file = self._open()
            if fcntl is not None:
                fcntl.lockf(file, fcntl.LOCK_EX)
            try:
                recorded = _parse(os.pread(file, _WIDTH, 0))
                if recorded is None or recorded[1].seq < head.seq:
                    os.pwrite(file, line.encode(), 0)
            finally:
                if fcntl is not None:
                    fcntl.lockf(file, fcntl.LOCK_UN)

    def check(self, transaction: ReadTransaction) -> None:
        recorded = self.last()
        if recorded is None:
            return
        space_id, head = recorded
        entry = transaction.ledger.entry(head.seq)
        if space_id == transaction.ledger.space().id and entry is not None and entry.hash == head.hash:
            return
        raise Untrusted(
            f"the ledger does not contain the stored head (entry {head.seq}): it was truncated or modified, or the "
            "database was replaced; nothing was written",
            hint=f"run heldtrue verify; restore a backup, or move {self._path} away to accept the database as it is",
        )

    def _open(self) -> int:
        # Reopened after a fork: record locks belong to a process.
        if self._file is None or self._pid != os.getpid():
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._pid = os.getpid()
        return self._file

    def close(self) -> None:
        if self._file is not None and self._pid == os.getpid():
            os.close(self._file)
        self._file = None


def _parse(raw: bytes) -> tuple[str, Head] | None:
    parts = raw.decode("ascii", "replace").split()
    if len(parts) != 4 or not all(part.isdigit() and len(part) < 19 for part in (parts[1], parts[3])):
        return None
    try:
        return parts[0], Head(int(parts[1]), bytes.fromhex(parts[2]), int(parts[3]))
    except ValueError:
        return None
