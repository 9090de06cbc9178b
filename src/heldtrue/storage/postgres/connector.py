"""PostgreSQL through psycopg: connections, locks and settings, and nothing about memories."""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import msgspec
import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper

from heldtrue.domain.errors import Busy, InvalidSettings, OutcomeUnknown, StorageProblem
from heldtrue.domain.limits import BUSY_PAUSE_SECONDS, BUSY_TIMEOUT_MS, CONNECT_SECONDS_MAX
from heldtrue.storage.connector import Row, SchemaPart
from heldtrue.storage.postgres import catalogue
from heldtrue.storage.postgres.problems import explain, unreachable
from heldtrue.storage.postgres.spelling import quote_schema, spell_parameters, split_statements

_DURABLE = ("on", "remote_apply")
_INHERITED: list[Any] = []
"""Connections of a parent process, kept from the garbage collector: they are not ours to close."""

_Raw = psycopg.Connection[Row]


class PostgresConnection:
    """A transaction under way on one PostgreSQL connection."""

    __slots__ = ("__weakref__", "connection", "pid")

    def __init__(self, connection: _Raw) -> None:
        self.connection = connection
        self.pid = os.getpid()

    def rows(self, sql: str, values: Mapping[str, object]) -> list[Row]:
        # Binary, so that floats and bytes come back exactly whatever the server's settings for printing them.
        return self.connection.execute(sql, values, binary=True).fetchall()

    def run(self, sql: str, values: Mapping[str, object] | Sequence[object]) -> None:
        self.connection.execute(sql, values)

    def run_many(self, sql: str, values: Sequence[Mapping[str, object]]) -> None:
        if values:
            with self.connection.cursor() as cursor:
                cursor.executemany(sql, values)

    def run_columns(self, sql: str, columns: Mapping[str, Sequence[object]]) -> None:
        # One statement over arrays takes a quarter of the time of a statement for each row.
        self.connection.execute(sql, {name: list(values) for name, values in columns.items()})

    def run_script(self, sql: str) -> None:
        for statement in split_statements(sql):
            self.connection.execute(statement)

    @property
    def in_transaction(self) -> bool:
        return not self.connection.closed and self.connection.info.transaction_status != TransactionStatus.IDLE


class PostgresConnector:
    """One schema, a connection per thread, every write under the schema's own lock with full durability."""

    package = "heldtrue.storage.postgres"
    is_file = False
    read_only = False

    def __init__(self, dsn: str, schema: str) -> None:
        """`dsn` is where the server is, as a URL or as libpq's words; `schema` is the space, made if it is missing."""
        self.schema = schema
        self._quoted = quote_schema(schema)
        self._settings = _read_dsn(dsn)
        self._where = f"PostgreSQL {self._settings.get('dbname') or ''}/{schema}"
        self._local = threading.local()
        self._opened: weakref.WeakSet[PostgresConnection] = weakref.WeakSet()
        self._opening = threading.Lock()
        self._closed = False
        self._is_citus = self._look_at_nodes()
        self._create_schema()

    # Connections

    def _connect(self) -> PostgresConnection:
        try:
            raw: _Raw = psycopg.connect(autocommit=True, **self._settings)
        except psycopg.Error as problem:
            raise unreachable(problem, self._where) from problem
        # Every whole number is a BIGINT: a statement keeps one plan, however large its numbers are.
        raw.adapters.register_dumper(int, Int8BinaryDumper)
        raw.adapters.register_dumper(int, Int8Dumper)
        connection = PostgresConnection(raw)
        # A thread that ends leaves its connection to nobody; it must not stay open on the server.
        weakref.finalize(connection, _close_own, raw, connection.pid)
        self._refuse_unsafe(connection)
        with self._opening:
            self._opened.add(connection)
        return connection

    def _refuse_unsafe(self, connection: PostgresConnection) -> None:
        """Raise if this server may lose committed writes, or cannot store every text."""
        synchronous_commit, fsync, encoding = connection.rows(catalogue.DURABILITY, {})[0]
        refuse_unsafe_settings(synchronous_commit, fsync, encoding)

    def _look_at_nodes(self) -> bool:
        """Whether this is a Citus cluster; what is written is saved by its nodes, so they have to be as safe."""
        with self._explained():
            connection = self._connection()
            is_citus = bool(connection.rows(catalogue.HAS_CITUS, {})[0][0])
            for node, settings in connection.rows(catalogue.NODES, {}) if is_citus else ():
                refuse_unsafe_settings(*settings, server=f"the Citus node {node}")
        return is_citus

    def _connection(self) -> PostgresConnection:
        if self._closed:
            raise StorageProblem("this store is closed", hint="open it again")
        mine: PostgresConnection | None = getattr(self._local, "mine", None)
        # A connection must never cross a fork: the child opens its own. A broken one is replaced.
        if mine is None or mine.pid != os.getpid() or mine.connection.closed:
            mine = self._local.mine = self._connect()
        return mine

    def _create_schema(self) -> None:
        with self._explained():
            connection = self._connection()
            if connection.rows(catalogue.HAS_SCHEMA, {"schema": self._quoted})[0][0]:
                return
            # Under the lock, because two that create a schema at the same instant fail in spite of IF NOT EXISTS.
            with self.writing() as connection:
                connection.run_script(f"CREATE SCHEMA IF NOT EXISTS {self._quoted}")

    # Transactions

    @contextmanager
    def reading(self) -> Iterator[PostgresConnection]:
        with self._explained():
            if self._connection().in_transaction:
                yield self._connection()
                return
            connection = self._begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            try:
                yield connection
            finally:
                _end(connection)

    @contextmanager
    def writing(self, *, patience_ms: int = BUSY_TIMEOUT_MS) -> Iterator[PostgresConnection]:
        with self._explained(patience_ms):
            if self._connection().in_transaction:
                raise StorageProblem("this thread already has an open transaction; nothing was written")
            # Each statement sees all that was committed before it, and the lock lets no other writer commit.
            connection = self._begin(
                "BEGIN ISOLATION LEVEL READ COMMITTED",
                f"SET LOCAL lock_timeout = {patience_ms}",
                f"SET LOCAL idle_in_transaction_session_timeout = {BUSY_TIMEOUT_MS}",
                f"SELECT pg_advisory_xact_lock({lock_key(self.schema)})",
            )
            try:
                yield connection
                self._commit(connection)
            finally:
                _end(connection)

    def _begin(self, begin: str, *settings: str) -> PostgresConnection:
        """Open a transaction in one round trip; a connection that broke while it was idle is replaced first."""
        # SET LOCAL: a pooler may hand the session to somebody else after this transaction.
        script = "; ".join(
            (
                begin,
                f"SET LOCAL search_path TO {self._quoted}",
                f"SET LOCAL statement_timeout = {BUSY_TIMEOUT_MS}",
                *settings,
            )
        )
        connection = self._connection()
        try:
            connection.connection.execute(script)
        except psycopg.Error:
            if not connection.connection.closed:
                _end(connection)
                raise
            connection = self._connection()
            connection.connection.execute(script)
        return connection

    def _commit(self, connection: PostgresConnection) -> None:
        if connection.connection.info.transaction_status == TransactionStatus.INERROR:
            # PostgreSQL would answer this COMMIT with a ROLLBACK, and no error.
            raise StorageProblem("a database statement failed; nothing was written")
        try:
            connection.connection.execute("COMMIT")
        except psycopg.OperationalError as problem:
            if not connection.connection.closed:
                raise
            raise OutcomeUnknown(
                f"the connection to {self._where} was lost during the commit; it is not known whether this write was "
                "saved",
                hint="send the same write again with the same idempotency key",
            ) from problem

    @contextmanager
    def _explained(self, patience_ms: int = BUSY_TIMEOUT_MS) -> Iterator[None]:
        """Turn the driver's errors into ours."""
        try:
            yield
        except psycopg.Error as problem:
            mine: PostgresConnection | None = getattr(self._local, "mine", None)
            is_connected = not (mine and mine.connection.closed)
            raise explain(problem, self._where, connected=is_connected, waited_ms=patience_ms) from problem

    def check_place(self) -> None:
        """Nothing to check: a server has no path that somebody could put another file at."""

    # Words of this database

    def within(self, column: str, parameter: str) -> str:
        return f"{column} = ANY(:{parameter})"

    def row_of(self, record: msgspec.Struct) -> dict[str, object]:
        return msgspec.structs.asdict(record)

    def listing(self, values: Sequence[object]) -> list[object]:
        return list(values)

    def spell(self, sql: str) -> str:
        return spell_parameters(sql)

    # Care

    def _ask(self, sql: str) -> list[Row]:
        with self.reading() as connection:
            return connection.rows(sql, {"schema": self._quoted})

    def size_bytes(self) -> int:
        asked = (catalogue.SIZE, catalogue.DISTRIBUTED_SIZE) if self._is_citus else (catalogue.SIZE,)
        return sum(int(self._ask(sql)[0][0]) for sql in asked)

    def describe_schema(self) -> list[SchemaPart]:
        with self.reading() as connection:
            return _describe(connection, self.schema)

    def describe_new(self, scripts: Sequence[str]) -> list[SchemaPart]:
        """Made of temporary tables on a connection of its own: any role may do that, and nothing of it stays."""
        connection = self._connect()
        try:
            with self._explained():
                connection.run_script("BEGIN; SET LOCAL search_path TO pg_temp")
                # On a Citus cluster these tables are nobody else's business. Elsewhere the setting means nothing.
                connection.run_script("SET LOCAL citus.enable_ddl_propagation = off")
                for script in scripts:
                    # A function in a temporary schema is only found by its full name.
                    connection.run_script(script.replace("EXECUTE FUNCTION ", "EXECUTE FUNCTION pg_temp."))
                return _describe(connection, connection.rows(catalogue.TEMPORARY_SCHEMA, {})[0][0])
        finally:
            connection.connection.close()

    def check_structure(self) -> list[str]:
        return [row[0] for row in self._ask(catalogue.DAMAGE)]

    def tidy(self) -> None:
        """Let the planner count the rows anew."""
        tables = ", ".join(f'{self._quoted}."{row[0]}"' for row in self._ask(catalogue.TABLES))
        with self._explained():
            self._connection().run_script(f"ANALYZE {tables}")

    def scrub(self) -> None:
        """Rewrite every table and index, and let the planner forget the values that it has sampled."""
        tables = [f'{self._quoted}."{row[0]}"' for row in self._ask(catalogue.TABLES)]
        self._await_older_views()
        with self._explained():
            for table in tables:
                self._connection().run_script(f"VACUUM (FULL, ANALYZE) {table}")

    def _await_older_views(self) -> None:
        """Wait until nobody reads an earlier state any more: until then, the server keeps what is in it."""
        until = time.monotonic() + BUSY_TIMEOUT_MS / 1000
        with self.writing() as connection:
            newest = connection.rows(catalogue.OWN_TRANSACTION, {})[0][0]
        while True:
            with self.reading() as connection:
                older = connection.rows(catalogue.OLDER_VIEWS.replace("{newest}", str(int(newest))), {})[0][0]
            if not older:
                return
            if time.monotonic() > until:
                raise Busy(
                    f"{older} other connections to {self._where} still read an earlier state",
                    hint="try again when they have ended their transactions",
                )
            time.sleep(BUSY_PAUSE_SECONDS)

    def copy_to(self, path: str) -> None:
        raise StorageProblem(
            f"a store in PostgreSQL is not a file and cannot be copied to {path}",
            hint="run heldtrue export FILE, or back up the server with PostgreSQL's own tools",
        )

    def close(self) -> None:
        self._closed = True
        with self._opening:
            opened = list(self._opened)
            self._opened.clear()
        for connection in opened:
            _close_own(connection.connection, connection.pid)


def _describe(connection: PostgresConnection, schema: str) -> list[SchemaPart]:
    # An index or a trigger names its schema, quoted only where it must be; a temporary one has a short name.
    own = re.compile(rf"""(?<![\w"])(?:"?{re.escape(schema)}"?|pg_temp)\.""")
    rows = [row for sql in catalogue.DESCRIPTION for row in connection.rows(sql, {"schema": f'"{schema}"'})]
    return sorted(SchemaPart(f"{kind} {name}", own.sub("", " ".join(rest))) for kind, name, *rest in rows)


def lock_key(schema: str) -> int:
    """The number of a schema's write lock: the same in every process and release."""
    return int.from_bytes(hashlib.blake2b(f"heldtrue/{schema}".encode(), digest_size=8).digest(), "big", signed=True)


def refuse_unsafe_settings(
    synchronous_commit: str, fsync: str, encoding: str, *, server: str = "this PostgreSQL server"
) -> None:
    """Raise an error with a hint if the server may lose committed writes, or cannot store every text."""
    if synchronous_commit not in _DURABLE:
        raise StorageProblem(
            f"{server} may lose committed writes (synchronous_commit is {synchronous_commit})",
            hint="set synchronous_commit = on for this role, database or server",
        )
    if fsync != "on":
        raise StorageProblem(
            f"{server} may lose or corrupt data in a power failure (fsync is off)",
            hint="set fsync = on in postgresql.conf",
        )
    if encoding != "UTF8":
        raise StorageProblem(
            f"the database on {server} cannot store every text (its encoding is {encoding})",
            hint="create a database with ENCODING 'UTF8'",
        )


def _read_dsn(dsn: str) -> dict[str, Any]:
    try:
        given = conninfo_to_dict(dsn)
    except psycopg.ProgrammingError as problem:
        # The driver's message may repeat the address, and with it the password.
        raise InvalidSettings(
            "the URL of the PostgreSQL server is not valid",
            field="storage.url",
            hint="use the form postgresql://user@host:5432/database",
        ) from problem
    wanted = {"connect_timeout": CONNECT_SECONDS_MAX, "fallback_application_name": "heldtrue"}
    return wanted | given | {"client_encoding": "utf8"}


def _end(connection: PostgresConnection) -> None:
    """Leave no transaction open: what was not committed is undone."""
    if connection.connection.closed:
        return
    status = connection.connection.info.transaction_status
    if status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
        with suppress(psycopg.Error):
            connection.connection.execute("ROLLBACK")
            return
    if status != TransactionStatus.IDLE:
        # Cut off in the middle of a statement: the session is of no more use.
        connection.connection.close()


def _close_own(connection: _Raw, pid: int) -> None:
    if pid != os.getpid():
        _INHERITED.append(connection)
    else:
        connection.close()
