"""A space of any age is brought up to date, and one from the future is left alone."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from holdfast.domain.errors import StorageProblem
from holdfast.domain.ledger import SPEC_OF
from holdfast.ingest.match import version_keys
from holdfast.ingest.reindex import rebuild_index
from holdfast.ports import Collection
from holdfast.storage.connector import Connector
from holdfast.storage.migrate import migrate, migration_files
from holdfast.storage.store import SqlStore
from tests.conformance.backends import Backend, PostgresBackend, spelled_statements
from tests.conformance.samples import make_entry, make_space, make_version, one_of_each


def names_of(connector: Connector) -> list[str]:
    return [file.name for file in migration_files(connector.package)]


LATER = {
    8: {"memory_versions": ("sentiment",)},
    3: {"quarantines": None, "saved_views": None, "sources": ("title", "thread", "place", "speaker", "visibility")},
}
"""Tables and columns that came with a migration."""


def put_rows(connector: Connector, statements: dict[str, str], applied: int) -> list[Any]:
    """One row in every table there is after some migrations, without a store, which would do the others first."""
    missing = {table: names for number, tables in LATER.items() if number > applied for table, names in tables.items()}
    records = []
    with connector.writing() as connection:
        for record in one_of_each():
            table = SPEC_OF[type(record)].table
            if table in missing and missing[table] is None:
                continue
            left_out = missing.get(table) or ()
            values = {name: value for name, value in msgspec.structs.asdict(record).items() if name not in left_out}
            sql = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join(f':{name}' for name in values)})"
            connection.run(connector.spell(sql), values)
            records.append(msgspec.structs.replace(record, **dict.fromkeys(left_out)))
        connection.run(statements["insert_ledger"], msgspec.structs.asdict(make_entry()))
    return records


@pytest.mark.parametrize("applied", [1, 2, 3, 4, 5, 6, 7, 8, 9])
def test_a_migrated_space_equals_a_fresh_one_and_keeps_its_rows(backend: Backend, applied: int) -> None:
    fresh = backend.open("fresh")
    old = backend.connect("old")
    names = names_of(old)
    assert migrate(old, spelled_statements(old), until=names[applied - 1]) == names[:applied]
    records = put_rows(old, spelled_statements(old), applied)
    assert migrate(old, spelled_statements(old)) == names[applied:]
    assert old.describe_schema() == fresh.connector.describe_schema()
    with SqlStore(old).read() as reading:
        for record in records:
            assert reading.records_written(SPEC_OF[type(record)].table, after=0, until=1) == [record]
        assert reading.head().seq == 1
    assert old.check_structure() == []


def test_every_migration_is_one_of_those_tested(backend: Backend) -> None:
    """When there is another migration, the test above has to start from it as well."""
    assert len(names_of(backend.connect())) == 9


@pytest.mark.covers("B19")
def test_a_space_from_before_the_postings_gets_them_by_a_rebuild(backend: Backend) -> None:
    old = backend.connect("old")
    migrate(old, spelled_statements(old), until=names_of(old)[1])
    put_rows(old, spelled_statements(old), 2)
    store = SqlStore(old)
    with store.read() as reading:
        assert reading.indexed_numbers(after=0, limit=9) == []
        assert reading.shelves(tuple(Collection), None, None) == []
    assert rebuild_index(store) == 1
    with store.read() as reading:
        assert reading.indexed_numbers(after=0, limit=9) == [1]
        shelf = reading.shelves(["memory"], ["project:atlas"], None)[0]
        assert [(row.shelf, row.doc) for row in reading.unposted(0)] == [(shelf.no, 1)]
        version = make_version()
        assert [one.no for one in reading.live_by_keys(version_keys(make_space().key, version), limit=9)] == [1]


def test_an_unfinished_space_differs_from_a_fresh_one(backend: Backend) -> None:
    """The control of the test above: descriptions that differ are told apart."""
    fresh, old = backend.open("fresh"), backend.connect("old")
    migrate(old, spelled_statements(old), until=names_of(old)[0])
    assert old.describe_schema() != fresh.connector.describe_schema()
    assert len(old.describe_schema()) > 20


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
    with pytest.raises(StorageProblem, match=r"newer Holdfast.*9999_future.sql") as problem:
        SqlStore(store.connector)
    assert problem.value.hint is not None
    assert "update Holdfast" in problem.value.hint
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


def test_texts_compare_by_bytes_whatever_the_language_of_the_server(postgres: Backend) -> None:
    assert isinstance(postgres, PostgresBackend)
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
    assert [finding for finding in store.check_structure() if "0001_ground.sql is not the one" in finding]
