"""What a store does for its keeper: size, checks, upkeep and copies."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from heldtrue import ports
from heldtrue.audit.ports import DerivedReader
from heldtrue.domain.errors import StorageProblem
from heldtrue.domain.principal import EVERYTHING
from heldtrue.domain.rows import VersionFilter
from heldtrue.engine.ports import CarriedRows, EngineWriteTransaction, SummaryWriter
from heldtrue.ingest.ports import AgentWriter, QueueWriter, SourceReader
from heldtrue.ports import IndexWriter, LedgerWriter, LogWriter, MemoryWriter, PassageWriter, RecordReader
from heldtrue.recall.ports import VectorWriter
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore, Transaction
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
        assert reading.index.unposted(0) == [], "the words that waited are posted"
        assert reading.index.has_postings([1])


def look_at(store: SqlStore) -> object:
    with store.read() as reading:
        return (
            reading.ledger.head(),
            reading.memories.versions_page(after=0, limit=9),
            reading.memories.headers([1], VersionFilter(sight=EVERYTHING)),
            reading.index.totals(),
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


def test_a_store_that_nobody_has_touched_is_in_its_place_and_can_be_written(store: SqlStore) -> None:
    store.check_place()
    assert not store.read_only


PORTS: dict[str, type] = {
    "ledger": LedgerWriter,
    "memories": MemoryWriter,
    "records": RecordReader,
    "sources": SourceReader,
    "index": IndexWriter,
    "passages": PassageWriter,
    "vectors": VectorWriter,
    "log": LogWriter,
    "queue": QueueWriter,
    "summaries": SummaryWriter,
    "agents": AgentWriter,
    "carried": CarriedRows,
    "derived": DerivedReader,
}


def methods_of(port: type) -> list[str]:
    return [name for base in port.__mro__ for name in vars(base) if not name.startswith("_")]


@pytest.mark.parametrize(("part", "port"), PORTS.items(), ids=PORTS)
def test_the_suite_calls_every_method_of_each_part(part: str, port: type) -> None:
    suite = "\n".join(file.read_text("utf-8") for file in SUITE.glob("*.py"))
    methods = methods_of(port)
    assert methods
    assert [name for name in methods if not re.search(rf"\.{part}\.{name}\b", suite)] == []


def test_the_suite_calls_every_method_of_a_store() -> None:
    suite = "\n".join(file.read_text("utf-8") for file in SUITE.glob("*.py"))
    assert [name for name in methods_of(ports.Store) if not re.search(rf"\.{name}\b", suite)] == []


def test_a_transaction_has_the_parts_of_its_port_and_no_others() -> None:
    assert {name for name in Transaction.__slots__ if not name.startswith("_")} == set(PORTS)
    assert {name for name in dir(EngineWriteTransaction) if not name.startswith("_")} == {*PORTS, "damaged"}


@pytest.mark.parametrize("part", PORTS)
def test_a_part_has_the_methods_of_its_port_and_at_most_thirty(store: SqlStore, part: str) -> None:
    with store.read() as reading:
        methods = {name for name in dir(getattr(reading, part)) if not name.startswith("_")}
    assert set(methods_of(PORTS[part])) <= methods
    assert len(methods) <= 30
