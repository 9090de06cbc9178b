"""A space of any age is brought up to date, and one from the future is left alone."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from heldtrue.domain.errors import StorageProblem
from heldtrue.domain.ledger import SPEC_OF
from heldtrue.storage import migrate as migrate_module
from heldtrue.storage.connector import Connector
from heldtrue.storage.migrate import migrate, migration_files
from heldtrue.storage.store import SqlStore
from tests.conformance.backends import Backend, PostgresBackend, spelled_statements
from tests.conformance.samples import make_entry, one_of_each


def names_of(connector: Connector) -> list[str]:
    return [file.name for file in migration_files(connector.package)]


def with_another(connector: Connector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sql: str) -> str:
    """Let there be one more migration after those that ship; returns its name."""
    shipped = migration_files(connector.package)
    added = tmp_path / "0099_added.sql"
    added.write_text(sql, "utf-8")
    monkeypatch.setattr(migrate_module, "migration_files", lambda _package: [*shipped, added])
    return added.name


def test_a_later_migration_is_applied_to_a_space_that_keeps_its_rows(
    backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, records = backend.open("old"), one_of_each()
    with old.connector.writing() as connection:
        for record in records:
            values = msgspec.structs.asdict(record)
            table = SPEC_OF[type(record)].table
            sql = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join(f':{name}' for name in values)})"
            connection.run(old.connector.spell(sql), values)
        connection.run(old.statements["insert_ledger"], msgspec.structs.asdict(make_entry()))
    name = with_another(old.connector, tmp_path, monkeypatch, "CREATE TABLE added (id BIGINT PRIMARY KEY);")
    before = old.connector.describe_schema()
    assert migrate(old.connector, old.statements) == [name]
    assert old.connector.describe_schema() != before
    assert old.connector.describe_schema() == backend.open("fresh").connector.describe_schema()
    with old.read() as reading:
        for record in records:
            assert reading.ledger.records_written(SPEC_OF[type(record)].table, after=0, until=1) == [record]
        assert reading.ledger.head().seq == 1


def test_each_database_starts_from_one_baseline(backend: Backend) -> None:
    assert names_of(backend.connect()) == ["0001_baseline.sql"]


def test_opening_again_changes_nothing(backend: Backend) -> None:
    connector = backend.connect()
    statements = spelled_statements(connector)
    assert migrate(connector, statements) == names_of(connector)
    before = connector.describe_schema()
    assert migrate(connector, statements) == []
    SqlStore(connector)
    assert connector.describe_schema() == before


def test_a_space_from_a_newer_version_is_refused_untouched(backend: Backend) -> None:
    store = backend.open()
    with store.connector.writing() as connection:
        connection.run(store.statements["record_migration"], {"name": "9999_future.sql", "checksum": "0"})
    before = store.connector.describe_schema()
    with pytest.raises(StorageProblem, match=r"newer version of Heldtrue.*9999_future.sql") as problem:
        SqlStore(store.connector)
    assert problem.value.hint is not None
    assert "update Heldtrue" in problem.value.hint
    assert store.connector.describe_schema() == before


def test_a_migration_that_fails_leaves_nothing_of_itself(backend: Backend) -> None:
    connector = backend.connect()
    empty = connector.describe_schema()
    statements = spelled_statements(connector) | {"record_migration": "SELECT nothing FROM nowhere"}
    with pytest.raises(StorageProblem):
        migrate(connector, statements)
    assert connector.describe_schema() == empty


@pytest.mark.covers("B28")
def test_many_that_open_a_new_space_at_once_agree(lasting: Backend) -> None:
    start = threading.Barrier(4)

    def open_space(_number: int) -> SqlStore:
        start.wait()
        return lasting.open()

    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(open_space, range(4)))
    fresh = lasting.open("fresh").connector.describe_schema()
    assert [store.connector.describe_schema() for store in stores] == [fresh] * 4


def test_texts_compare_by_bytes_whatever_the_language_of_the_server(postgres: PostgresBackend) -> None:
    with postgres.open().connector.reading() as connection:
        rows = connection.rows(
            "SELECT table_name::text, column_name::text, collation_name::text FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND data_type = 'text'",
            {},
        )
    assert len(rows) > 50
    assert [row for row in rows if row[2] != "C"] == []


def test_a_migration_that_is_not_the_one_applied_is_reported(backend: Backend) -> None:
    store = backend.open()
    assert store.check_structure() == []
    with store.connector.writing() as connection:
        connection.run(store.connector.spell("UPDATE migrations SET checksum = :other"), {"other": "0" * 64})
    assert [finding for finding in store.check_structure() if "0001_baseline.sql differs" in finding]
