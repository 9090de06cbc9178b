"""The database itself refuses to change or remove history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

from heldtrue.domain.erasure import ERASABLE, ErasableTable
from heldtrue.domain.errors import StorageProblem
from heldtrue.domain.ledger import SPEC_OF, TABLES, LedgerEntry, TableSpec
from heldtrue.storage.store import SqlStore
from tests.conformance.backends import Backend
from tests.conformance.samples import close_record, insert_all, make_entry, make_version, one_of_each

CANONICAL = ("ledger", *(spec.table for spec in TABLES))
CLOSABLE = [spec for spec in TABLES if spec.closing]
REFUSED = r"append-only|can only be closed, once"


@pytest.fixture
def written(store: SqlStore) -> SqlStore:
    """A space with one row in each table."""
    with store.write() as writing:
        insert_all(writing, *one_of_each())
        writing.ledger.append(make_entry())
    return store


def run_raw(store: SqlStore, sql: str, **values: object) -> None:
    with store.connector.writing() as connection:
        connection.run(store.connector.spell(sql), values)


def table_rows(store: SqlStore, table: str) -> list[tuple[Any, ...]]:
    with store.connector.reading() as connection:
        return connection.rows(f"SELECT * FROM {table}", {})


@contextmanager
def refused(store: SqlStore, table: str) -> Iterator[None]:
    """What is done inside must fail for being against history, and leave the table as it was."""
    before = table_rows(store, table)
    assert len(before) == 1
    with pytest.raises(StorageProblem, match=REFUSED):
        yield
    assert table_rows(store, table) == before


def columns_of(table: str) -> tuple[str, ...]:
    if table == "ledger":
        return LedgerEntry.__struct_fields__
    return next(spec.columns for spec in TABLES if spec.table == table)


def key_of(table: str) -> str:
    return "seq" if table == "ledger" else ", ".join(next(spec.key for spec in TABLES if spec.table == table))


@pytest.mark.covers("D2", "C18")
@pytest.mark.parametrize("table", CANONICAL)
def test_a_row_cannot_be_updated_even_to_itself(written: SqlStore, table: str) -> None:
    column = columns_of(table)[0]
    with refused(written, table):
        run_raw(written, f"UPDATE {table} SET {column} = {column}")


@pytest.mark.covers("D2", "C18")
@pytest.mark.parametrize("table", CANONICAL)
def test_a_row_cannot_be_deleted(written: SqlStore, table: str) -> None:
    with refused(written, table):
        run_raw(written, f"DELETE FROM {table}")


@pytest.mark.parametrize("table", CANONICAL)
def test_a_row_cannot_be_replaced(written: SqlStore, table: str, backend: Backend) -> None:
    columns = ", ".join(columns_of(table))
    last = columns_of(table)[-1]
    upsert = f"ON CONFLICT ({key_of(table)}) DO UPDATE SET {last} = excluded.{last}"
    with refused(written, table):
        run_raw(written, f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {table} WHERE TRUE {upsert}")
    if not backend.is_postgres:
        with refused(written, table):
            run_raw(written, f"INSERT OR REPLACE INTO {table} ({columns}) SELECT {columns} FROM {table}")
        with refused(written, table):
            run_raw(written, f"UPDATE OR REPLACE {table} SET {last} = {last}")


@pytest.mark.covers("D2", "D28")
@pytest.mark.parametrize("table", CANONICAL)
def test_a_table_cannot_be_truncated_nor_its_triggers_be_bypassed(postgres: Backend, table: str) -> None:
    store = postgres.open()
    with store.write() as writing:
        insert_all(writing, *one_of_each())
        writing.ledger.append(make_entry())
    with refused(store, table):
        run_raw(store, f"TRUNCATE {table}")
    with refused(store, table):
        run_raw(store, f"TRUNCATE {table} CASCADE")
    with refused(store, table), store.connector.writing() as connection:
        connection.run("SET LOCAL session_replication_role = replica", {})
        connection.run(f"DELETE FROM {table}", {})


@pytest.mark.covers("C18")
@pytest.mark.parametrize("spec", CLOSABLE, ids=lambda spec: spec.table)
def test_a_record_can_be_closed_once_and_never_again(written: SqlStore, spec: TableSpec) -> None:
    record = next(record for record in one_of_each() if SPEC_OF[type(record)] is spec)
    with written.write() as writing:
        writing.ledger.close(close_record(record, 2))
    with written.read() as reading:
        closed = reading.ledger.records_closed(spec.table, after=1, until=2)
    assert [(version.seq_to, version.recorded_to) for version in closed] == [(2, 5_002)]
    with refused(written, spec.table), written.write() as writing:
        writing.ledger.close(close_record(record, 3))
    with refused(written, spec.table):
        run_raw(written, f"UPDATE {spec.table} SET recorded_to = NULL, seq_to = NULL")


@pytest.mark.covers("C18")
@pytest.mark.parametrize("spec", CLOSABLE, ids=lambda spec: spec.table)
def test_closing_changes_nothing_else(written: SqlStore, spec: TableSpec) -> None:
    """Each other column in turn, changed in the same statement that closes."""
    record = next(record for record in one_of_each() if SPEC_OF[type(record)] is spec)
    fixed = [name for name in spec.columns if name not in (*spec.closing, "closing_digest")]
    assert len(fixed) > len(spec.closing)
    for name in fixed:
        value = another(getattr(record, name))
        with refused(written, spec.table):
            run_raw(written, f"UPDATE {spec.table} SET recorded_to = 9, seq_to = 9, {name} = :value", value=value)
    # The control: the same statement without the other column is accepted.
    run_raw(written, f"UPDATE {spec.table} SET recorded_to = 9, seq_to = 9")


def test_a_filled_field_cannot_be_emptied_while_closing(written: SqlStore) -> None:
    with refused(written, "memory_versions"):
        run_raw(written, "UPDATE memory_versions SET recorded_to = 9, seq_to = 9, reason = NULL")


@pytest.mark.parametrize("spec", TABLES, ids=lambda spec: spec.table)
def test_the_same_key_cannot_be_written_twice(written: SqlStore, spec: TableSpec) -> None:
    record = next(record for record in one_of_each() if SPEC_OF[type(record)] is spec)
    if "no" in spec.columns:
        record = msgspec.structs.replace(record, no=99)
    before = table_rows(written, spec.table)
    with pytest.raises(StorageProblem, match="database error"), written.write() as writing:
        writing.ledger.insert(record)
    assert table_rows(written, spec.table) == before


@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan")])
def test_a_confidence_stays_between_nothing_and_one(store: SqlStore, confidence: float) -> None:
    with pytest.raises(StorageProblem, match="database error"), store.write() as writing:
        writing.ledger.insert(make_version(confidence=confidence))
    with store.read() as reading:
        assert reading.memories.versions_page(after=0, limit=1) == []


def another(value: object) -> object:
    """A value of the same type that differs a little."""
    match value:
        case str():
            return value + "x"
        case bytes():
            return value + b"x"
        case float():
            return value / 2
        case int():
            return value + 1
        case _:
            raise AssertionError(f"the samples fill every field, but one is {value!r}")


@pytest.mark.covers("X1", "D2")
@pytest.mark.parametrize("spec", ERASABLE, ids=lambda spec: spec.table)
def test_a_row_can_only_lose_its_words_and_only_together_with_its_salt(written: SqlStore, spec: ErasableTable) -> None:
    words = ", ".join(f"{column} = {_literal(value)}" for column, value in spec.words.items())
    with refused(written, spec.table):
        run_raw(written, f"UPDATE {spec.table} SET {words}")  # without its salt, nobody could tell
    with refused(written, spec.table):
        run_raw(written, f"UPDATE {spec.table} SET salt = NULL, seq = seq + 1")
    with refused(written, spec.table):
        run_raw(written, f"UPDATE {spec.table} SET salt = NULL, {words}, digest = salt")
    run_raw(written, f"UPDATE {spec.table} SET salt = NULL, {words}")
    names = (*columns_of(spec.table),)
    row = dict(zip(names, _row(written, spec.table, names), strict=True))
    assert row["salt"] is None
    assert {column: row[column] for column in spec.words} == spec.words
    forged = ", ".join(f"{column} = 'something else'" for column in spec.words)
    with refused(written, spec.table):
        run_raw(written, f"UPDATE {spec.table} SET {forged}")


def _literal(value: str | None) -> str:
    return "NULL" if value is None else f"'{value}'"


def _row(store: SqlStore, table: str, names: tuple[str, ...]) -> tuple[Any, ...]:
    with store.connector.reading() as connection:
        return connection.rows(f"SELECT {', '.join(names)} FROM {table}", {})[0]
