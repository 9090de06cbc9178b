"""SQLite through apsw: connections, locks and settings, and nothing about memories."""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import apsw
import msgspec

from heldtrue.domain.errors import Busy, HeldtrueError, StorageProblem
from heldtrue.domain.limits import BUSY_TIMEOUT_MS, WAL_RESTART_BYTES, WAL_SIZE_LIMIT_BYTES
from heldtrue.storage.connector import Row
from heldtrue.storage.sqlite.library import refuse_unsafe

_PAGE_BYTES = 4096
_CHECKPOINT_PAGES = 4000
"""16 MiB: pages that are written again and again, such as the ends of indexes, are then copied once, not often."""
_RESTART_PAGES = WAL_RESTART_BYTES // _PAGE_BYTES
_RESTART_WAIT_MS = 250
_FORK_WAIT_S = 2.0
"""How long a fork waits for the transactions of other threads; they take milliseconds."""
_NAP_S = 0.005
_RESTORE = "restore the last backup into a new home: heldtrue --home NEW_FOLDER restore-backup FILE"
_MEMORY_NAMES = iter(range(1, sys.maxsize))


class SqliteConnection:
    """A transaction under way on one SQLite connection."""

    __slots__ = ("_execute", "_execute_many", "connection")

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self._execute = connection.execute
        self._execute_many = connection.executemany

    def rows(self, sql: str, values: Mapping[str, object]) -> list[Row]:
        try:
            return self._execute(sql, values).fetchall()
        except UnicodeDecodeError as problem:
            raise StorageProblem(
                f"the database is damaged: it contains text that is not UTF-8 ({problem})", hint=_RESTORE
            ) from None

    def run(self, sql: str, values: Mapping[str, object] | Sequence[object]) -> None:
        # A cursor steps only as far as its first row; asking for the rest finishes the statement.
        self._execute(sql, values).fetchall()

    def run_many(self, sql: str, values: Sequence[Mapping[str, object]]) -> None:
        self._execute_many(sql, values).fetchall()

    def run_columns(self, sql: str, columns: Mapping[str, Sequence[object]]) -> None:
        # Parameters are numbered in the order they appear, and the columns come in that order.
        self._execute_many(sql, zip(*columns.values(), strict=True)).fetchall()

    def run_script(self, sql: str) -> None:
        self._execute(sql).fetchall()


class SqliteConnector:
    """One database file, a connection per thread, every write in BEGIN IMMEDIATE with full durability."""

    package = "heldtrue.storage.sqlite"
    is_file = True

    def __init__(self, path: Path | None, *, read_only: bool = False) -> None:
        """`path` is the database file; None is a database in memory that lives as long as this object.

        A read-only one is a file that nobody writes: nothing is created beside it.
        """
        refuse_unsafe(apsw.sqlite_lib_version())
        self.path = path
        self.read_only = read_only
        self._name = _name_database(path, read_only)
        self._local = threading.local()
        # Weak: the connection of a thread that has ended goes with it.
        self._opened: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._closed = False
        self._generation = 0
        self._keeper = None if path else self._connect()
        _CONNECTORS.add(self)

    # Connections

    def _connect(self) -> SqliteConnection:
        how = apsw.SQLITE_OPEN_READONLY if self.read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        with _OPENING.lock:
            try:
                connection = apsw.Connection(self._name, flags=how | apsw.SQLITE_OPEN_URI)
                _wait_at_most(connection, BUSY_TIMEOUT_MS)
                self._set_up(connection)
            except apsw.Error as problem:
                self._raise_clear(problem)
            self._opened.add(connection)
        return SqliteConnection(connection)

    def _set_up(self, connection: apsw.Connection) -> None:
        if self.path and not self.read_only:
            _use_log(connection)
        settings = {
            "synchronous": 2, "trusted_schema": 0, "cell_size_check": 1, "recursive_triggers": 1, "mmap_size": 0,
            "journal_size_limit": WAL_SIZE_LIMIT_BYTES, "temp_store": 2, "cache_size": -16384,
        }  # fmt: skip
        if sys.platform == "darwin":
            settings |= {"fullfsync": 1, "checkpoint_fullfsync": 1}
        connection.execute("".join(f"PRAGMA {name} = {value};" for name, value in settings.items())).fetchall()
        if connection.pragma("synchronous") != 2:
            raise StorageProblem("the database did not accept full durability (PRAGMA synchronous)")
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
        if self.path and not self.read_only:
            connection.set_wal_hook(_checkpoint)

    def _connection(self) -> SqliteConnection:
        if self._closed:
            raise StorageProblem("this store is closed", hint="open it again")
        mine: tuple[int, SqliteConnection] | None = getattr(self._local, "mine", None)
        if mine is None or mine[0] != self._generation:
            mine = self._local.mine = (self._generation, self._connect())
        return mine[1]

    def let_go(self) -> None:
        """Close what is open before a fork; whoever goes on, parent or child, opens anew.

        SQLite keeps count of its file locks in memory, and a child inherits the count without the locks: with a
        connection open across a fork each side takes the other for gone, and the log is thrown away under it.
        """
        if self.path is None:
            return
        self._generation += 1
        until = time.monotonic() + _FORK_WAIT_S
        for connection in list(self._opened):
            while not _close_idle(connection) and time.monotonic() < until:
                time.sleep(0.001)

    # Transactions

    @contextmanager
    def reading(self) -> Iterator[SqliteConnection]:
        held = self._connection()
        if self._is_inside(held):
            yield held
            return
        try:
            connection = self._begin("BEGIN")
        except apsw.Error as problem:
            self._raise_clear(problem)
        try:
            yield connection
        except apsw.Error as problem:
            self._raise_clear(problem)
        finally:
            self._end(connection, "COMMIT")

    @contextmanager
    def writing(self) -> Iterator[SqliteConnection]:
        try:
            connection = self._begin("BEGIN IMMEDIATE")
        except apsw.Error as problem:
            self._raise_clear(problem)
        try:
            yield connection
            connection.connection.execute("COMMIT")
        except apsw.Error as problem:
            self._raise_clear(problem)
        finally:
            self._end(connection, "ROLLBACK")

    def _is_inside(self, connection: SqliteConnection) -> bool:
        """Whether this thread is in a transaction already."""
        try:
            return connection.connection.in_transaction
        except apsw.ConnectionClosedError:
            return False

    def _begin(self, how: str) -> SqliteConnection:
        connection = self._connection()
        try:
            connection.connection.execute(how)
        except apsw.ConnectionClosedError:
            # Closed for a fork since it was looked up; the next one is new.
            connection = self._connection()
            connection.connection.execute(how)
        except apsw.BusyError:
            # One more try after a short, uneven pause, then an answer that says so.
            _nap(0.01, 0.2)
            connection.connection.execute(how)
        return connection

    def _end(self, connection: SqliteConnection, how: str) -> None:
        # After a full disk SQLite has already rolled back; then there is nothing left to end.
        if not connection.connection.in_transaction:
            return
        try:
            connection.connection.execute(how)
        except apsw.CorruptError:
            # A damaged file may not let a view end as it should; then the view is given up.
            if connection.connection.in_transaction:
                connection.connection.execute("ROLLBACK")

    def _raise_clear(self, problem: apsw.Error) -> NoReturn:
        raise _explain(problem, str(self.path or "memory")) from problem

    # Words of this database

    def within(self, column: str, parameter: str) -> str:
        return f"{column} IN (SELECT value FROM json_each(:{parameter}))"

    def row_of(self, record: msgspec.Struct) -> tuple[object, ...]:
        # SQLite numbers named parameters in the order they appear; binding by number takes half the time.
        return msgspec.structs.astuple(record)

    def listing(self, values: Sequence[object]) -> str:
        return msgspec.json.encode(values).decode()

    def spell(self, sql: str) -> str:
        return sql

    # Care

    def size_bytes(self) -> int:
        if self.path is None:
            connection = self._connection().connection
            return int(connection.pragma("page_count")) * int(connection.pragma("page_size"))
        parts = [self.path, self.path.with_name(self.path.name + "-wal")]
        return sum(part.stat().st_size for part in parts if part.exists())

    def describe_schema(self) -> list[str]:
        with self.reading() as connection:
            rows = connection.rows(
                "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name", {}
            )
        return [" ".join(str(part) for part in row) for row in rows]

    def pristine(self) -> SqliteConnector:
        return SqliteConnector(None)

    def check_structure(self) -> list[str]:
        # On a connection of its own: what another one has read before would hide what became of the file since.
        fresh = self._connect()
        try:
            rows = fresh.rows("PRAGMA integrity_check(20)", {})
        except apsw.Error as problem:
            self._raise_clear(problem)
        finally:
            fresh.connection.close()
        return [row[0] for row in rows if row[0] != "ok"]

    def tidy(self) -> None:
        """Hand the log back to the file."""
        if self.path:
            # Another connection that checkpoints at this moment does the same work.
            with suppress(apsw.BusyError):
                self._connection().connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def copy_to(self, path: str) -> None:
        """An exact copy made in one step, so that writers cannot make it start over."""
        try:
            target = apsw.Connection(path)
            try:
                with target.backup("main", self._connection().connection, "main") as backup:
                    backup.step(-1)
                # A backup is one file: nothing of it may stay behind in a log.
                target.pragma("journal_mode", "delete")
            finally:
                target.close()
        except apsw.Error as problem:
            raise _explain(problem, path) from problem

    def close(self) -> None:
        self._closed = True
        for connection in list(self._opened):
            # One that another thread is in the middle of closes when that thread lets go of it.
            with suppress(apsw.ThreadingViolationError):
                connection.close()
        self._keeper = None


_CONNECTORS: weakref.WeakSet[SqliteConnector] = weakref.WeakSet()


def _close_idle(connection: apsw.Connection) -> bool:
    """Close a connection unless a thread is in the middle of a transaction on it."""
    try:
        if connection.in_transaction:
            return False
        connection.close()
    except (apsw.ThreadingViolationError, apsw.BusyError):
        return False
    except apsw.ConnectionClosedError:
        pass
    return True


class _Opening:
    """Who opens a connection holds the lock, and so does a fork until it is over.

    A thread that is inside SQLite when the process forks holds locks of the library that nobody releases in the child.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def stop(self) -> None:
        """Before a fork: let nobody open a connection, and close those that are open."""
        self.lock.acquire()
        for connector in list(_CONNECTORS):
            connector.let_go()

    def go_on(self) -> None:
        self.lock.release()

    def begin_anew(self) -> None:
        self.lock = threading.Lock()


_OPENING = _Opening()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_OPENING.stop, after_in_parent=_OPENING.go_on, after_in_child=_OPENING.begin_anew)


def _nap(least: float, most: float) -> None:
    """Wait a little, unevenly, so that those who wait do not come back all at once."""
    import random  # only a busy writer pays for it

    time.sleep(random.uniform(least, most))  # noqa: S311


def _name_database(path: Path | None, read_only: bool) -> str:
    if path is None:
        return f"file:/heldtrue-{os.getpid()}-{next(_MEMORY_NAMES)}?vfs=memdb"
    return path.absolute().as_uri() + ("?immutable=1" if read_only else "")


def _wait_at_most(connection: apsw.Connection, milliseconds: int) -> None:
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
        _nap(_NAP_S / 10, _NAP_S)
        return True

    connection.set_busy_handler(wait)


def _use_log(connection: apsw.Connection) -> None:
    """Put a database into write-ahead mode.

    Where several open a new database at once, SQLite tells all but one that it is busy without asking anyone to wait.
    """
    until = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            if connection.pragma("journal_mode") == "wal":
                return
            if (mode := connection.pragma("journal_mode", "wal")) == "wal":
                return
            raise StorageProblem(f"the database could not be switched to write-ahead mode (its mode is {mode!r})")
        except apsw.BusyError:
            if time.monotonic() >= until:
                raise
            _nap(_NAP_S / 10, _NAP_S)


_last_insisted = 0.0


def _may_insist() -> bool:
    """At most once a second: while a reader holds the log, insisting only makes every writer wait."""
    global _last_insisted  # noqa: PLW0603 - one process, one pace
    now = time.monotonic()
    if now - _last_insisted < 1.0:
        return False
    _last_insisted = now
    return True


def _checkpoint(connection: apsw.Connection, _name: str, pages: int) -> int:
    """Keep the log short: politely at first, insistently when a slow reader has let it grow."""
    if pages < _CHECKPOINT_PAGES:
        return apsw.SQLITE_OK
    insist = pages >= _RESTART_PAGES and _may_insist()
    _wait_at_most(connection, _RESTART_WAIT_MS)
    try:
        # The commit is done: whatever keeps the log from being handed back now (another process at it, a reader that
        # still needs it, a full disk) must not make it look undone. The next commit tries again.
        with suppress(apsw.Error):
            mode = apsw.SQLITE_CHECKPOINT_RESTART if insist else apsw.SQLITE_CHECKPOINT_PASSIVE
            connection.wal_checkpoint(mode=mode)
    finally:
        _wait_at_most(connection, BUSY_TIMEOUT_MS)
    return apsw.SQLITE_OK


def _explain(problem: apsw.Error, where: str) -> HeldtrueError:
    match problem:
        case apsw.BusyError() | apsw.LockedError():
            return Busy(
                f"other writers kept {where} busy for over {BUSY_TIMEOUT_MS // 1000} s; nothing was written",
                hint="try again; if it keeps happening, look for a program that keeps the database open",
            )
        case apsw.FullError():
            return StorageProblem(
                f"the disk under {where} is full; nothing was written", hint="free some space and try again"
            )
        case apsw.ReadOnlyError():
            return StorageProblem(f"{where} cannot be written to", hint="check its permissions and the file system")
        case apsw.CantOpenError():
            return StorageProblem(
                f"{where} cannot be opened", hint="check the folder, its permissions and the file system"
            )
        case apsw.CorruptError() | apsw.NotADBError():
            return StorageProblem(f"{where} is damaged: {problem}", hint=_RESTORE)
        case _:
            return StorageProblem(f"database error: {problem}")
