"""What a store does for its keeper: size, checks, upkeep and copies."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from heldtrue import ports
from heldtrue.domain.errors import StorageProblem
from heldtrue.domain.principal import EVERYTHING
from heldtrue.ports import VersionFilter
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore
from tests.conformance.backends import Backend
from tests.conformance.writers import append_one

SUITE = Path(__file__).parent


def test_a_space_grows_with_what_is_written(store: SqlStore) -> None:
    empty = store.size_bytes()
    for _ in range(100):
        append_one(store, "agent:" + "x" * 2_000)
    assert 0 < empty < store.size_bytes()


def test_a_sound_space_has_nothing_to_report_and_upkeep_changes_no_content(store: SqlStore) -> None:
    append_one(store, "agent:a")
    before = look_at(store)
    store.tidy()
    assert store.check_structure() == []
    assert look_at(store) == before
    with store.read() as reading:
        assert reading.unposted(0) == [], "the words that waited are posted"
        assert reading.has_postings([1])


def look_at(store: SqlStore) -> object:
    with store.read() as reading:
        return (
            reading.head(),
            reading.versions_page(after=0, limit=9),
            reading.leads([1], VersionFilter(sight=EVERYTHING)),
            reading.index_totals(),
        )


def test_a_space_that_is_a_file_can_be_copied_and_no_other(backend: Backend, tmp_path: Path) -> None:
    store = backend.open()
    append_one(store, "agent:a")
    target = tmp_path / "copy.db"
    assert store.is_file != backend.is_postgres
    if not store.is_file:
        with pytest.raises(StorageProblem, match="not a file") as problem:
            store.copy_to(str(target))
        assert "heldtrue export" in (problem.value.hint or "")
        assert not target.exists()
        return
    store.copy_to(str(target))
    copy = SqlStore(SqliteConnector(target))
    assert look_at(copy) == look_at(store)
    assert copy.check_structure() == []
    copy.close()


@pytest.mark.parametrize("protocol", [ports.Reading, ports.Writing, ports.Store], ids=lambda one: one.__name__)
def test_the_suite_calls_every_method_of_the_port(protocol: type) -> None:
    suite = "\n".join(file.read_text("utf-8") for file in SUITE.glob("*.py"))
    methods = [name for name in vars(protocol) if not name.startswith("_")]
    assert methods
    assert [name for name in methods if not re.search(rf"\.{name}\b", suite)] == []
