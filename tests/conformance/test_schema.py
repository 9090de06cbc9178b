"""The schema of a space is compared by exact names: what is missing, changed or strange is reported."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from heldtrue.domain.carried import CARRIED
from heldtrue.domain.derived import DERIVED
from heldtrue.domain.errors import StorageProblem
from heldtrue.domain.ledger import TABLES, LedgerEntry
from heldtrue.storage.store import SqlStore
from tests.conformance.backends import FileBackend, PostgresBackend
from tests.conformance.samples import insert_all, make_entry, one_of_each

COPY = "CREATE TRIGGER {name} AFTER INSERT ON sources BEGIN DELETE FROM memory_keys; END"

SQLITE = [
    ("CREATE TABLE sqlitex_copy (text)", "unexpected table sqlitex_copy"),
    (COPY.format(name="sqlitex_trigger"), "unexpected trigger sqlitex_trigger"),
    (COPY.format(name="sources_no_deletes"), "unexpected trigger sources_no_deletes"),
    ("CREATE VIEW sqliteyview AS SELECT 1", "unexpected view sqliteyview"),
    ("CREATE INDEX sqlite1index ON sources (content)", "unexpected index sqlite1index"),
    ("DROP TRIGGER ledger_no_update", "missing trigger ledger_no_update"),
    ("DROP INDEX ledger_by_time", "missing index ledger_by_time"),
    ("ALTER TABLE sources ADD COLUMN hint TEXT", "table sources differs"),
]

POSTGRES = [
    ("CREATE TABLE strange (text TEXT)", "unexpected table strange"),
    ("CREATE SEQUENCE strange", "unexpected sequence strange"),
    ("CREATE MATERIALIZED VIEW strange AS SELECT 1", "unexpected materialized view strange"),
    ("CREATE RULE quiet AS ON DELETE TO memory_keys DO INSTEAD NOTHING", "unexpected rule memory_keys.quiet"),
    ("CREATE POLICY few ON sources USING (false)", "unexpected policy sources.few"),
    ("ALTER TABLE sources ENABLE ROW LEVEL SECURITY", "table sources differs"),
    ("DROP TRIGGER ledger_no_update ON ledger", "missing trigger ledger_no_update"),
    ("ALTER TABLE ledger DISABLE TRIGGER ledger_no_update", "trigger ledger_no_update differs"),
    ("ALTER TABLE ledger ENABLE TRIGGER ledger_no_update", "trigger ledger_no_update differs"),
    ("ALTER FUNCTION refuse_change() SECURITY DEFINER", "function refuse_change differs"),
    (
        "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NEW; END$$",
        "function refuse_change differs",
    ),
    (
        "CREATE FUNCTION leak() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NEW; END$$",
        "unexpected function leak",
    ),
    (
        "CREATE OR REPLACE VIEW memories AS SELECT * FROM memory_versions WHERE recorded_to IS NULL AND no > 0",
        "view memories differs",
    ),
    ("ALTER TABLE sources ADD COLUMN hint TEXT", "unexpected column sources.hint"),
    ("ALTER TABLE sources ALTER COLUMN reference SET DEFAULT 'x'", "column sources.reference differs"),
    ("DROP INDEX ledger_by_time", "missing index ledger_by_time"),
    ("ALTER TABLE memory_versions DROP CONSTRAINT memory_versions_confidence_check", "missing constraint"),
]


@pytest.mark.covers("D2")
def test_the_schema_of_a_new_space_is_as_expected(store: SqlStore) -> None:
    assert store.check_structure() == []


@pytest.mark.covers("D2")
@pytest.mark.parametrize(("change", "said"), SQLITE)
def test_a_changed_schema_is_reported_on_sqlite(tmp_path: Path, change: str, said: str) -> None:
    backend = FileBackend(tmp_path)
    assert_reported(backend.open(), change, said)
    backend.close()


@pytest.mark.covers("D2", "D28")
@pytest.mark.parametrize(("change", "said"), POSTGRES)
def test_a_changed_schema_is_reported_on_postgresql(postgres: PostgresBackend, change: str, said: str) -> None:
    assert_reported(postgres.open(), change, said)


@pytest.mark.covers("D2", "D28")
def test_a_table_elsewhere_that_adds_rows_to_ours_is_reported(postgres: PostgresBackend) -> None:
    store, other = postgres.open(), postgres.open("other")
    try:
        with other.connector.writing() as connection:
            connection.run(f'CREATE TABLE more () INHERITS ("{postgres.prefix}".memory_keys)', {})
    except StorageProblem as refused:
        if "distributed schema cannot inherit" not in refused.message:
            raise
        return  # Citus refuses it by itself
    assert [problem for problem in store.check_structure() if "inheritance" in problem]


def assert_reported(store: SqlStore, change: str, said: str) -> None:
    assert store.check_structure() == []
    with store.connector.writing() as connection:
        connection.run(change, {})
    assert [problem for problem in store.check_structure() if said in problem], store.check_structure()


WORKING = {"migrations", "tokens", *(spec.table for spec in CARRIED)}


def test_every_column_of_every_table_is_a_record_derived_or_working(tmp_path: Path) -> None:
    """A column that is in none of the lists would be verified by nobody."""
    backend = FileBackend(tmp_path)
    backend.open()
    backend.close()
    connection = sqlite3.connect(tmp_path / "one.db")
    known = {spec.table: spec.columns for spec in TABLES} | {spec.table: spec.columns for spec in DERIVED}
    known["ledger"] = LedgerEntry.__struct_fields__
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables == known.keys() | WORKING
    assert not known.keys() & WORKING
    for table, columns in known.items():
        present = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        assert present - {"digest", "salt", "closing_digest"} == {*columns} - {"digest", "salt", "closing_digest"}
    connection.close()


@pytest.mark.covers("D2", "C18")
@pytest.mark.parametrize("table", ["ledger", *(spec.table for spec in TABLES)])
def test_another_program_cannot_replace_a_row(table: str, tmp_path: Path) -> None:
    """Python's own sqlite3 has not set recursive_triggers, so no trigger on DELETE runs for what it replaces."""
    backend = FileBackend(tmp_path)
    store = backend.open()
    with store.write() as writing:
        insert_all(writing, *one_of_each())
        writing.ledger.append(make_entry())
    backend.close()
    spec = next((spec for spec in TABLES if spec.table == table), None)
    key = spec.key if spec else ("seq",)
    columns = spec.columns if spec else LedgerEntry.__struct_fields__
    connection = sqlite3.connect(backend.folder / "one.db")
    before = connection.execute(f"SELECT * FROM {table}").fetchall()
    assert len(before) == 1
    forged = ", ".join("x'00'" if name == "salt" else name for name in columns)
    renamed = ", ".join("'another'" if name == key[0] else name for name in columns)
    for replacement in (
        f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) SELECT {forged} FROM {table}",
        f"INSERT OR REPLACE INTO {table} (rowid, {', '.join(columns)}) SELECT rowid, {renamed} FROM {table}",
    ):
        with pytest.raises(sqlite3.Error, match=r"append-only|datatype mismatch"):
            connection.execute(replacement)
    assert connection.execute(f"SELECT * FROM {table}").fetchall() == before
    connection.close()
