"""The head of the ledger, stored in a small file outside the database."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from heldtrue.domain.continuity import (
    TRUST_HINT,
    CheckedHeads,
    LedgerStep,
    OutsideHead,
    StoredHead,
    UnreadableHead,
    has_head,
    lost_head,
)
from heldtrue.domain.errors import HomeChanged
from heldtrue.domain.ledger import Head
from heldtrue.domain.limits import HEAD_LOCK_SECONDS_MAX, HEAD_READ_PAUSE_SECONDS, HEAD_READ_TRIES_MAX
from heldtrue.ports import ReadTransaction

try:
    import fcntl
except ImportError:  # Windows: appends by one process at a time are then up to the database lock.
    fcntl = None  # type: ignore[assignment]

WIDTH = 160
_SAFELY = os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
"""A file that was put in its place must not make anybody wait, nor lead elsewhere."""
_BLANK = b" " * (WIDTH - 1) + b"\n"


class HeadFile:
    """One line, `space seq hash recorded_at since`, rewritten in place after each commit.

    It may lag behind the database (a crash between commit and this line) but never runs ahead of it, so a ledger
    that does not contain the stored head has lost or changed its past.
    """

    def __init__(self, path: Path, *, label: str = "", is_optional: bool = False) -> None:
        """`label` is what a new file says below the line. An optional one says nothing if it cannot be read."""
        self.path = path
        self._is_optional = is_optional
        self._label = label
        self._lock = threading.Lock()
        self._file: int | None = None
        self._identity: tuple[int, int] | None = None
        self._is_writer = False
        self._pid = 0
        self._last_line: tuple[bytes, StoredHead | None] = (b"", None)

    def stored(self) -> OutsideHead | None:
        """What the file contains; None if there is no file, or an empty one."""
        with self._lock:
            try:
                raw = os.pread(self._opened(os.O_RDONLY), WIDTH, 0)
            except FileNotFoundError:
                return None
            except OSError as problem:
                return UnreadableHead(str(self.path), problem.strerror or str(problem))
        if not raw.strip():
            return None
        found = self._parse(raw)
        # A file that says nothing readable is not the same as none: someone or something has been at it.
        return found or UnreadableHead(str(self.path), "it does not contain a ledger head")

    def _parse(self, raw: bytes) -> StoredHead | None:
        """The head in a line; the last one is remembered, since every write reads it twice."""
        if raw != self._last_line[0]:
            self._last_line = (raw, parse_head(raw, str(self.path)))
        return self._last_line[1]

    def check(self, transaction: ReadTransaction, current: Head) -> StoredHead | None:
        """Raise `HomeChanged` if the ledger that ends at `current` does not contain the stored head."""
        for attempt in range(HEAD_READ_TRIES_MAX):
            if attempt:
                time.sleep(HEAD_READ_PAUSE_SECONDS)  # it may have been read while another process was writing it
            stored = self.stored()
            if stored is None or (self._is_optional and isinstance(stored, UnreadableHead)):
                return None
            if isinstance(stored, UnreadableHead):
                continue
            if _is_contained(stored, transaction, current):
                return stored
        assert stored is not None
        raise _refusal(stored, transaction, current)

    def publish(self, step: LedgerStep, checked: StoredHead | None, is_ours: Callable[[Head], bool]) -> None:
        """Store the head of a committed write.

        It never moves back, and never over a head that the ledger does not contain: what the file says now is what was
        checked in the transaction of the write, or `is_ours` finds it in the ledger.
        """
        with self._held(is_checked=True) as file:
            raw = os.pread(file, WIDTH, 0)
            stored = self._parse(raw)
            if stored is None:
                if not raw.strip():
                    os.pwrite(file, _line(step.space_id, step.head, step.before.seq + 1), 0)
            elif stored.head.seq < step.head.seq and (stored == checked or self._may_advance(stored, step, is_ours)):
                os.pwrite(file, _line(step.space_id, step.head, stored.since), 0)

    def _may_advance(self, stored: StoredHead, step: LedgerStep, is_ours: Callable[[Head], bool]) -> bool:
        """Whether another process stored the head of an earlier write of the same ledger."""
        return stored.space_id == step.space_id and (stored.head == step.before or is_ours(stored.head))

    def accept(self, space_id: str, head: Head, *, since: int = 1) -> None:
        """Store a head that the owner accepts, whatever the file contained; what is not a file is moved away.

        `since` is the entry from which on this file vouches for the ledger.
        """
        with suppress(OSError):
            if not stat.S_ISREG(self.path.lstat().st_mode):
                self.path.rename(self.path.with_name(f"{self.path.name}.moved-{os.urandom(4).hex()}"))
        with self._held() as file:
            # Nothing is known about a memory that has no entries.
            os.pwrite(file, _line(space_id, head, since) if head.seq else _BLANK, 0)

    def create(self) -> None:
        """Create the file, without a head, if there is none."""
        with self._held():
            pass

    @contextmanager
    def _held(self, *, is_checked: bool = False) -> Iterator[int]:
        """The file, while no other process writes it; OSError if one keeps it for too long.

        `is_checked`: it was just read at its path, so that it need not be looked for again.
        """
        with self._lock:
            is_open = is_checked and self._is_writer and self._pid == os.getpid()
            file = self._file if is_open and self._file is not None else self._opened(os.O_RDWR | os.O_CREAT)
            _lock(file)
            try:
                yield file
            finally:
                if fcntl is not None:
                    fcntl.lockf(file, fcntl.LOCK_UN)

    def _opened(self, how: int) -> int:
        """The open file; opened anew after a fork, since record locks belong to a process, and if it was replaced."""
        is_writer = bool(how & os.O_RDWR)
        if self._file is not None and self._pid == os.getpid() and (self._is_writer or not is_writer):
            with suppress(FileNotFoundError):
                found = self.path.lstat()
                if (found.st_dev, found.st_ino) == self._identity:
                    return self._file
        self._close()
        file = self._open(how)
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            os.close(file)
            raise OSError(0, "it is not a regular file")
        self._file, self._pid, self._is_writer = file, os.getpid(), is_writer
        self._identity = (found.st_dev, found.st_ino)
        return file

    def _open(self, how: int) -> int:
        try:
            return os.open(self.path, (how & ~os.O_CREAT) | _SAFELY)
        except FileNotFoundError:
            if not how & os.O_CREAT:
                raise
        file = os.open(self.path, how | os.O_EXCL | _SAFELY, 0o600)
        if self._label:
            os.pwrite(file, _BLANK + self._label.encode("utf-8", "surrogateescape") + b"\n", 0)
        return file

    def close(self) -> None:
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._file is not None and self._pid == os.getpid():
            os.close(self._file)
        self._file = self._identity = None


class HeadFiles:
    """The head in the home, and the same outside the home, where whoever changes the home does not reach it.

    The file outside may be missing or read-only. The store works without it, and `problem` says why.
    """

    def __init__(self, inside: HeadFile, outside: HeadFile | None) -> None:
        self._inside = inside
        self._outside = outside
        self.problem: str | None = None
        """Why the head could not be stored, if it could not."""

    def stored(self) -> list[OutsideHead]:
        inside = self._inside.stored()
        outside = self._outside.stored() if self._outside is not None else None
        found = [inside] if inside is not None else []
        # What cannot be read outside says nothing about this home.
        return [*found, outside] if isinstance(outside, StoredHead) else found

    def check(self, transaction: ReadTransaction, current: Head) -> CheckedHeads:
        outside = None if self._outside is None else self._outside.check(transaction, current)
        return (self._inside.check(transaction, current), outside)

    def publish(self, step: LedgerStep, checked: CheckedHeads, is_ours: Callable[[Head], bool]) -> None:
        for file, stored in zip((self._inside, self._outside), checked, strict=True):
            if file is None:
                continue
            try:
                file.publish(step, stored, is_ours)
            except OSError as problem:
                self._note(file, problem)

    def accept(self, space_id: str, head: Head) -> None:
        self._inside.accept(space_id, head)
        if self._outside is not None:
            try:
                self._outside.accept(space_id, head)
            except OSError as problem:
                self._note(self._outside, problem)

    def _note(self, file: HeadFile, problem: OSError) -> None:
        is_new = self.problem is None
        self.problem = f"the ledger head cannot be stored in {file.path}: {problem.strerror or problem}"
        if is_new and file is self._inside:
            import logging  # nobody pays for it until something fails

            logging.getLogger("heldtrue").warning("%s", self.problem)

    def close(self) -> None:
        self._inside.close()
        if self._outside is not None:
            self._outside.close()


def _lock(file: int) -> None:
    """Lock a file, and wait only briefly for whoever has it: a process that was stopped must not stop all others."""
    until = time.monotonic() + HEAD_LOCK_SECONDS_MAX
    while fcntl is not None:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            if time.monotonic() > until:
                raise
            time.sleep(HEAD_READ_PAUSE_SECONDS / 4)
        else:
            return


def _is_contained(stored: StoredHead, transaction: ReadTransaction, current: Head) -> bool:
    if stored.space_id != transaction.ledger.space().id:
        return False
    return has_head(current, stored.head, transaction.ledger.entry)


def _refusal(stored: OutsideHead, transaction: ReadTransaction, current: Head) -> HomeChanged:
    if isinstance(stored, UnreadableHead):
        return HomeChanged(f"{stored.where} cannot be used: {stored.problem}; nothing was written", hint=TRUST_HINT)
    if current.seq and stored.space_id != transaction.ledger.space().id:
        return HomeChanged("the database was replaced with that of another store; nothing was written", hint=TRUST_HINT)
    return lost_head(stored.head, current)


def _line(space_id: str, head: Head, since: int) -> bytes:
    text = f"{space_id} {head.seq} {head.hash.hex()} {head.recorded_at} {since}"
    return (text.ljust(WIDTH - 1) + "\n").encode()


def parse_head(raw: bytes, where: str) -> StoredHead | None:
    """The head in the first line of a file; None if there is none."""
    parts = raw[:WIDTH].decode("ascii", "replace").split()
    if len(parts) != 5 or not all(part.isdigit() and len(part) < 19 for part in (parts[1], parts[3], parts[4])):
        return None
    try:
        head = Head(int(parts[1]), bytes.fromhex(parts[2]), int(parts[3]))
    except ValueError:
        return None
    return StoredHead(where, parts[0], head, int(parts[4]))
