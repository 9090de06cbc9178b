"""What only a server can do to a store: refuse, wait, restart, or promise too little."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

from heldtrue.domain.errors import Busy, InvalidSettings, StorageProblem, StorageUnavailable
from heldtrue.storage.postgres import connector as module
from heldtrue.storage.postgres import open_connector
from heldtrue.storage.postgres.connector import PostgresConnector, lock_key
from heldtrue.storage.store import SqlStore
from tests.conformance.backends import PostgresBackend
from tests.conformance.samples import insert_all, make_entry, make_source
from tests.conformance.writers import append_one
from tests.waiting import wait_until

pytestmark = pytest.mark.covers("D28")


@pytest.fixture
def admin(postgres: PostgresBackend) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A session of the server's owner, beside the store's own."""
    with psycopg.connect(postgres.dsn, autocommit=True) as connection:
        yield connection


def with_option(dsn: str, setting: str) -> str:
    return f"{dsn}{'&' if '?' in dsn else '?'}options={quote(f'-c {setting}')}"


def sessions(admin: psycopg.Connection[tuple[Any, ...]]) -> list[int]:
    """The server processes that work for stores."""
    rows = admin.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'heldtrue'").fetchall()
    return [row[0] for row in rows]


def own_session(store: SqlStore) -> int:
    with store.connector.reading() as connection:
        return int(connection.rows("SELECT pg_backend_pid()", {})[0][0])


@pytest.mark.parametrize("value", ["off", "local", "remote_write"])
def test_a_server_that_may_forget_is_refused(postgres: PostgresBackend, value: str) -> None:
    with pytest.raises(StorageProblem, match=f"synchronous_commit is {value}") as problem:
        PostgresConnector(with_option(postgres.dsn, f"synchronous_commit={value}"), postgres.prefix)
    assert "synchronous_commit = on" in (problem.value.hint or "")


@pytest.mark.parametrize("value", ["on", "remote_apply"])
def test_a_server_that_keeps_its_word_is_accepted(postgres: PostgresBackend, value: str) -> None:
    connector = PostgresConnector(with_option(postgres.dsn, f"synchronous_commit={value}"), postgres.prefix)
    append_one(SqlStore(connector), "agent:a")
    connector.close()


def test_a_server_that_is_not_there_is_named_with_a_hint() -> None:
    dsn = "postgresql://somebody:geheim@/memories?host=/nonexistent"
    with pytest.raises(StorageUnavailable, match=r"PostgreSQL memories/brain cannot be reached") as problem:
        open_connector(dsn, "brain")
    assert "is running" in (problem.value.hint or "")
    assert "geheim" not in problem.value.message


def test_an_address_that_makes_no_sense_is_refused_without_repeating_it() -> None:
    with pytest.raises(InvalidSettings) as problem:
        open_connector("postgresql://somebody:geheim@host:port:5432/x?nonsense", "brain")
    assert problem.value.field == "storage.url"
    assert "geheim" not in problem.value.message


@pytest.mark.parametrize(
    "name",
    ["", "a b", 'x"; DROP SCHEMA public; --', "pg_catalog", "PG_x", "information_schema", "é", "1a", "a" * 64, "a.b"],
)
def test_a_name_that_is_no_schema_is_refused(name: str) -> None:
    with pytest.raises(InvalidSettings) as problem:
        open_connector("postgresql:///never-reached", name)
    assert problem.value.field == "storage.space"


@pytest.mark.parametrize("suffix", ["Mixed", "with-dash", "_"])
def test_a_name_is_kept_letter_for_letter(postgres: PostgresBackend, suffix: str) -> None:
    store = postgres.open(suffix)
    append_one(store, "agent:a")
    assert store.connector.describe_schema() == postgres.open("plain").connector.describe_schema()
    with store.connector.reading() as connection:
        assert connection.rows("SELECT current_schema()::text", {}) == [(f"{postgres.prefix}_{suffix}",)]


def test_a_connection_that_broke_while_idle_is_replaced_unseen(postgres: PostgresBackend, admin: Any) -> None:
    store = postgres.open()
    append_one(store, "agent:a")
    first = own_session(store)
    end_session(admin, first)
    append_one(store, "agent:a")
    assert own_session(store) != first
    end_session(admin, own_session(store))
    with store.read() as reading:
        assert reading.ledger.head().seq == 2


def end_session(admin: Any, pid: int) -> None:
    admin.execute("SELECT pg_terminate_backend(%s::integer)", (pid,))
    wait_until(lambda: pid not in sessions(admin))


def test_a_connection_that_breaks_during_a_write_leaves_nothing(postgres: PostgresBackend, admin: Any) -> None:
    store = postgres.open()

    def write() -> None:
        with store.write() as writing:
            writing.ledger.append(make_entry())
            end_session(admin, own_session(store))
            writing.ledger.insert(make_source())

    with pytest.raises(StorageUnavailable):
        write()
    with store.read() as reading:
        assert reading.ledger.head().seq == 0
    append_one(store, "agent:a")


def test_a_connection_that_breaks_while_saving_says_that_the_outcome_is_open(
    postgres: PostgresBackend, admin: Any
) -> None:
    store = postgres.open()

    def write() -> None:
        with store.write() as writing:
            writing.ledger.append(make_entry())
            end_session(admin, own_session(store))

    with pytest.raises(StorageUnavailable, match="not known whether this write was saved") as problem:
        write()
    assert "idempotency key" in (problem.value.hint or "")


def test_a_writer_that_waits_too_long_is_told_that_others_are_busy(
    postgres: PostgresBackend, admin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = postgres.open()
    monkeypatch.setattr(module, "BUSY_TIMEOUT_MS", 100)
    admin.execute("SELECT pg_advisory_lock(%s)", (lock_key(postgres.prefix),))
    with pytest.raises(Busy, match="nothing was written"), store.write():
        raise AssertionError("two writers at once")
    with store.read() as reading:
        assert reading.ledger.head().seq == 0
    admin.execute("SELECT pg_advisory_unlock_all()")
    append_one(store, "agent:a")


def test_a_statement_that_takes_too_long_is_ended(postgres: PostgresBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    store = postgres.open()
    monkeypatch.setattr(module, "BUSY_TIMEOUT_MS", 100)
    with pytest.raises(Busy), store.connector.reading() as connection:
        connection.rows("SELECT pg_sleep(5)", {})
    assert own_session(store)


def test_a_writer_that_stops_in_the_middle_gives_the_lock_back(
    postgres: PostgresBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = postgres.open()
    monkeypatch.setattr(module, "BUSY_TIMEOUT_MS", 100)

    def write_slowly() -> None:
        with store.write() as writing:
            writing.ledger.append(make_entry())
            time.sleep(0.5)
            writing.ledger.insert(make_source())

    with pytest.raises(Busy, match="idle"):
        write_slowly()
    append_one(store, "agent:a")


def test_a_server_that_takes_no_writes_can_be_read(postgres: PostgresBackend) -> None:
    append_one(postgres.open(), "agent:a")
    store = SqlStore(PostgresConnector(with_option(postgres.dsn, "default_transaction_read_only=on"), postgres.prefix))
    with store.read() as reading:
        assert reading.ledger.head().seq == 1
    with pytest.raises(StorageProblem, match="cannot be written to"):
        append_one(store, "agent:a")
    store.close()


def test_a_reader_cannot_write(postgres: PostgresBackend) -> None:
    store = postgres.open()
    with pytest.raises(StorageProblem, match="cannot be written to"), store.connector.reading() as connection:
        connection.run("CREATE TABLE sneaked (id BIGINT)", {})


def test_a_failed_statement_that_is_overlooked_still_fails_the_write(postgres: PostgresBackend) -> None:
    """PostgreSQL answers such a COMMIT with a silent ROLLBACK."""
    store = postgres.open()

    def write() -> None:
        with store.write() as writing:
            writing.ledger.append(make_entry(1))
            with pytest.raises(psycopg.Error):
                writing.ledger.append(make_entry(1))

    with pytest.raises(StorageProblem, match="nothing was written"):
        write()
    with store.read() as reading:
        assert reading.ledger.head().seq == 0


def test_a_refusal_does_not_repeat_what_is_stored(postgres: PostgresBackend) -> None:
    store = postgres.open()
    source = make_source(id="a secret id")
    with pytest.raises(StorageProblem) as problem, store.write() as writing:
        insert_all(writing, source, source)
    assert "secret" not in problem.value.message


def test_a_role_without_rights_is_told_so(postgres: PostgresBackend, admin: Any) -> None:
    postgres.open()
    role = f"role_{postgres.prefix[-12:]}"
    admin.execute(f"CREATE ROLE {role} LOGIN")
    try:
        with pytest.raises(StorageProblem, match="this role may not use") as problem:
            PostgresConnector(postgres.dsn.replace("postgres@", f"{role}@"), f"{postgres.prefix}_new")
        assert "grant" in (problem.value.hint or "")
    finally:
        admin.execute(f"DROP ROLE {role}")


def test_a_thread_that_ends_leaves_no_connection_behind(postgres: PostgresBackend, admin: Any) -> None:
    store = postgres.open()
    seen: list[int] = []
    for _ in range(3):
        thread = threading.Thread(target=lambda: seen.append(own_session(store)))
        thread.start()
        thread.join()
    assert len(set(seen)) == 3
    wait_until(lambda: not set(seen) & set(sessions(admin)))
    assert own_session(store) in sessions(admin)


def test_a_switched_off_trigger_is_reported(postgres: PostgresBackend) -> None:
    store = postgres.open()
    append_one(store, "agent:a")
    with store.connector.writing() as connection:
        connection.run("SET LOCAL citus.enable_unsafe_triggers = on", {})  # means nothing without Citus
        connection.run("ALTER TABLE ledger DISABLE TRIGGER ledger_no_delete", {})
    assert store.check_structure() == ["trigger ledger_no_delete differs from what Heldtrue creates"]


def test_no_session_setting_outlives_a_transaction(postgres: PostgresBackend, admin: Any) -> None:
    """A pooler may give the session to another space next."""
    store = postgres.open()
    append_one(store, "agent:a")
    assert isinstance(store.connector, PostgresConnector)
    raw = store.connector._connection().connection
    for name in ("search_path", "lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"):
        assert raw.execute(f"SHOW {name}").fetchone() == admin.execute(f"SHOW {name}").fetchone()
