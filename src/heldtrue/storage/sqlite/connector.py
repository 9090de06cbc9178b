"""SQLite through apsw: connections, locks and settings, and nothing about memories."""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NoReturn

import apsw
import msgspec

from heldtrue.domain.errors import HomeChanged, StorageProblem
from heldtrue.domain.limits import (
    BUSY_PAUSE_SECONDS,
    BUSY_TIMEOUT_MS,
    FORK_WAIT_SECONDS,
    WAL_CHECKPOINT_PAGES,
    WAL_RESTART_BYTES,
    WAL_RESTART_WAIT_MS,
    WAL_SIZE_LIMIT_BYTES,
)
from heldtrue.storage.connector import Row, SchemaPart
from heldtrue.storage.sqlite.files import DatabaseFiles, has_log
from heldtrue.storage.sqlite.library import refuse_unsafe
from heldtrue.storage.sqlite.problems import RESTORE, busy, explain, unknown_outcome
from heldtrue.storage.sqlite.scrub import rewrite_file
from heldtrue.storage.sqlite.waiting import nap, restore_patience, wait_at_most

_PAGE_BYTES = 4096
_RESTART_PAGES = WAL_RESTART_BYTES // _PAGE_BYTES
_STATISTICS = ("sqlite_stat1", "sqlite_stat4")
_MEMORY_NAMES = iter(range(1, sys.maxsize))


class SqliteConnection:
    """A transaction under way on one SQLite connection."""

    __slots__ = ("_execute", "_execute_many", "connection", "files")

    def __init__(self, connection: apsw.Connection, files: DatabaseFiles | None = None) -> None:
        self.connection = connection
        self.files = files
        """The files that it has open; None for a database in memory."""
        self._execute = connection.execute
        self._execute_many = connection.executemany

    def rows(self, sql: str, values: Mapping[str, object]) -> list[Row]:
        try:
            return self._execute(sql, values).fetchall()
        except UnicodeDecodeError as problem:
            raise StorageProblem(
                f"the database is damaged: it contains text that is not UTF-8 ({problem})", hint=RESTORE
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

        A read-only one is never written, and nothing is created beside it.
        """
        refuse_unsafe(apsw.sqlite_lib_version())
        self.path = path
        self.read_only = read_only
        self._name = _name_memory() if path is None else path.absolute().as_uri()
        self._local = threading.local()
        # Weak: the connection of a thread that has ended goes with it.
        self._opened: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._closed = False
        self._generation = 0
        self._first_files: DatabaseFiles | None = None
        if path and not read_only and not path.exists():
            # Made before SQLite does, so that nobody else can read it.
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        self._keeper = None if path else self._connect()
        _CONNECTORS.add(self)

    # Connections

    def _connect(self) -> SqliteConnection:
        how, name = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE, self._name
        if self.read_only:
            how = apsw.SQLITE_OPEN_READONLY
            # A log has to be read too, for which SQLite wants the files beside it.
            name += "" if self.path and has_log(self.path) else "?immutable=1"
        elif self.path:
            how = apsw.SQLITE_OPEN_READWRITE  # an empty database in place of one that was deleted would hide the loss
        files = DatabaseFiles(self.path) if self.path else None
        if files is not None and not self.read_only:
            self._refuse_replaced(files)
        with _OPENING.lock:
            try:
                connection = apsw.Connection(name, flags=how | apsw.SQLITE_OPEN_URI)
                wait_at_most(connection, BUSY_TIMEOUT_MS)
                self._set_up(connection)
            except apsw.Error as problem:
                self._raise_clear(problem)
            if files is not None:
                files.note_log()
                if not self.read_only:
                    connection.set_wal_hook(partial(_checkpoint, files))
            # Last: from here on, a fork closes it.
            self._opened.add(connection)
        return SqliteConnection(connection, files)

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
        connection.pragma("schema_version")  # the first read opens the log

    def _connection(self) -> SqliteConnection:
        if self._closed:
            raise StorageProblem("this store is closed", hint="open it again")
        mine: tuple[int, SqliteConnection] | None = getattr(self._local, "mine", None)
        if mine is None or mine[0] != self._generation:
            mine = self._local.mine = (self._generation, self._connect())
        if self.read_only and mine[1].files is not None and mine[1].files.is_changed:
            # Somebody else writes it, perhaps on the other side of a mount.
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
        until = time.monotonic() + FORK_WAIT_SECONDS
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
    def writing(self, *, patience_ms: int = BUSY_TIMEOUT_MS) -> Iterator[SqliteConnection]:
        if self.read_only:
            raise explain(apsw.ReadOnlyError(""), self._where)
        self._refuse_changed()
        try:
            connection = self._begin("BEGIN IMMEDIATE", patience_ms)
        except apsw.BusyError as problem:
            raise busy(self._where, patience_ms) from problem
        except apsw.Error as problem:
            self._raise_clear(problem)
        try:
            yield connection
            self._commit(connection)
        except apsw.Error as problem:
            self._raise_clear(problem)
        finally:
            self._end(connection, "ROLLBACK")
        if connection.files is not None:
            self._refuse_lost(connection, connection.files)

    def _refuse_lost(self, connection: SqliteConnection, files: DatabaseFiles) -> None:
        """Raise `HomeChanged` if a commit is not in the files at their paths."""
        try:
            files.refuse_moved()
        except HomeChanged:
            if not _is_closed(connection.connection):
                raise
            # Closed for a fork since the commit: the last to close moves the log into the database and deletes it.
            files.refuse_replaced("this write was not saved")

    def _commit(self, connection: SqliteConnection) -> None:
        try:
            connection.connection.execute("COMMIT")
        except apsw.IOError as problem:
            # What the system failed to save must not be taken from memory as if it were saved.
            self._generation += 1
            raise unknown_outcome(problem, self._where) from problem

    def check_place(self) -> None:
        """Raise `HomeChanged` if the database at the path is not the one that is open."""
        if self.path is None or self.read_only:
            return
        self._refuse_changed()
        if (files := self._connection().files) is not None:
            files.refuse_moved()

    def _refuse_replaced(self, files: DatabaseFiles) -> None:
        """Refuse another file than the first one that was opened: its log, and what is in memory, do not fit it."""
        if self._first_files is None:
            self._first_files = files
        self._first_files.refuse_replaced("nothing was written")

    def _refuse_changed(self) -> None:
        """Before a write: open the database anew if someone else has written it, and refuse one that is gone.

        Another process that moves its log into the database is the usual cause. If it was overwritten by another copy
        instead, this connection would go on with what it has in memory, and not see what is missing.
        """
        connection = self._connection()
        if connection.files is None or not connection.files.is_changed or self._is_inside(connection):
            return
        connection.files.refuse_missing()
        self._refuse_replaced(connection.files)
        old = self._local.mine
        self._local.mine = (self._generation, self._connect())
        # Closed after the new one was opened: the last to close moves the log into the database.
        old[1].connection.close()

    def _is_inside(self, connection: SqliteConnection) -> bool:
        """Whether this thread is in a transaction already."""
        try:
            return connection.connection.in_transaction
        except apsw.ConnectionClosedError:
            return False

    def _begin(self, how: str, patience_ms: int = BUSY_TIMEOUT_MS) -> SqliteConnection:
        until = time.monotonic() + patience_ms / 1000
        left_ms = patience_ms
        while True:
            connection = self._connection()
            if left_ms != BUSY_TIMEOUT_MS:
                wait_at_most(connection.connection, left_ms)
            try:
                connection.connection.execute(how)
            except apsw.ConnectionClosedError:
                continue  # closed for a fork since it was looked up; the next one is new
            except apsw.BusyError:
                # Sometimes SQLite says so without waiting.
                left_ms = round((until - time.monotonic()) * 1000)
                if left_ms <= 0:
                    raise
                nap(BUSY_PAUSE_SECONDS / 10, BUSY_PAUSE_SECONDS)
            else:
                return connection
            finally:
                if left_ms != BUSY_TIMEOUT_MS:
                    restore_patience(connection.connection)

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
        raise explain(problem, self._where) from problem

    @property
    def _where(self) -> str:
        return str(self.path or "memory")

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

    def describe_schema(self) -> list[SchemaPart]:
        # Only the statistics of ANALYZE are left out, by their full names: a name may begin like one of SQLite's own.
        with self.reading() as connection:
            rows = connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_master", {})
        return sorted(
            SchemaPart(f"{kind} {name}", f"{table} {sql}") for kind, name, table, sql in rows if name not in _STATISTICS
        )

    def describe_new(self, scripts: Sequence[str]) -> list[SchemaPart]:
        new = SqliteConnector(None)
        try:
            with new.writing() as connection:
                for script in scripts:
                    connection.run_script(script)
            return new.describe_schema()
        finally:
            new.close()

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

    def scrub(self) -> None:
        try:
            rewrite_file(lambda: self._connect().connection, has_log=self.path is not None)
        except apsw.Error as problem:
            self._raise_clear(problem)

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
            raise explain(problem, path) from problem

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


def _is_closed(connection: apsw.Connection) -> bool:
    try:
        connection.get_autocommit()
    except apsw.ConnectionClosedError:
        return True
    return False


def _name_memory() -> str:
    return f"file:/heldtrue-{os.getpid()}-{next(_MEMORY_NAMES)}?vfs=memdb"


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
            nap(BUSY_PAUSE_SECONDS / 10, BUSY_PAUSE_SECONDS)


_last_insisted = 0.0


def _may_insist() -> bool:
    """At most once a second: while a reader holds the log, insisting only makes every writer wait."""
    global _last_insisted  # noqa: PLW0603 - one process, one pace
    now = time.monotonic()
    if now - _last_insisted < 1.0:
        return False
    _last_insisted = now
    return True


def _checkpoint(files: DatabaseFiles, connection: apsw.Connection, _name: str, pages: int) -> int:
    """Keep the log short: politely at first, insistently when a slow reader has let it grow."""
    if pages < WAL_CHECKPOINT_PAGES:
        return apsw.SQLITE_OK
    insist = pages >= _RESTART_PAGES and _may_insist()
    wait_at_most(connection, WAL_RESTART_WAIT_MS)
    try:
        # The commit is done: whatever keeps the log from being handed back now (another process at it, a reader that
        # still needs it, a full disk) must not make it look undone. The next commit tries again.
        with suppress(apsw.Error):
            mode = apsw.SQLITE_CHECKPOINT_RESTART if insist else apsw.SQLITE_CHECKPOINT_PASSIVE
            connection.wal_checkpoint(mode=mode)
            files.note_checkpoint()
    finally:
        wait_at_most(connection, BUSY_TIMEOUT_MS)
    return apsw.SQLITE_OK
