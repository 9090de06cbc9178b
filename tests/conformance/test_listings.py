"""Refusals, rejections, and the rows that travel or are derived, on every database."""

from __future__ import annotations

from heldtrue.domain.job import ScheduleRun
from heldtrue.domain.records import TombstonesMoved
from heldtrue.storage.store import SqlStore
from tests.conformance.samples import make_entry, make_tombstone, memory_id
from tests.conformance.writers import append_one


def test_refusals_are_listed_newest_first_by_author_and_by_the_memory_that_they_are_about(store: SqlStore) -> None:
    with store.write() as writing:
        head = writing.ledger.head()
        for seq, actor, outcome in ((1, "agent:a", "refused"), (2, "agent:b", "refused"), (3, "agent:a", "created")):
            entry = make_entry(seq, head, actor=actor, outcome=outcome, target=memory_id(7))
            writing.ledger.append(entry)
            head = writing.ledger.head()
    with store.read() as reading:
        assert [entry.seq for entry in reading.ledger.refusals(actor=None, before=None, limit=9)] == [2, 1]
        assert [entry.seq for entry in reading.ledger.refusals(actor=None, before=2, limit=9)] == [1]
        assert [entry.seq for entry in reading.ledger.refusals(actor="agent:b", before=None, limit=9)] == [2]
        assert [entry.seq for entry in reading.ledger.refusals(actor=None, before=None, limit=1)] == [2]
        assert [entry.seq for entry in reading.ledger.refusals_about(memory_id(7))] == [1, 2]
        assert [entry.seq for entry in reading.ledger.refusals_about(memory_id(7), 1)] == [1]
        assert reading.ledger.refusals_about(memory_id(8)) == []


def test_rejections_are_listed_by_whole_texts_newest_first(store: SqlStore) -> None:
    texts = [
        make_tombstone(1, grain="text"),
        make_tombstone(2, grain="text", author="agent:scout"),
        make_tombstone(3, grain="claim"),
    ]
    with store.write() as writing:
        for tombstone in texts:
            writing.ledger.insert(tombstone)
    with store.read() as reading:
        newest = (None, "")
        everything = reading.records.rejections_page(by_agents=False, lifted=False, before=newest, limit=9)
        assert [tombstone.id for tombstone in everything] == ["tombstone-2", "tombstone-1"]
        by_agents = reading.records.rejections_page(by_agents=True, lifted=False, before=newest, limit=9)
        assert [tombstone.id for tombstone in by_agents] == ["tombstone-2"]
        after = reading.records.rejections_page(by_agents=False, lifted=True, before=(2, "tombstone-2"), limit=9)
        assert [tombstone.id for tombstone in after] == ["tombstone-1"]


def test_tombstones_are_followed_by_the_entries_that_laid_and_lifted_them(store: SqlStore) -> None:
    with store.read() as reading:
        assert reading.records.tombstones_moved() == TombstonesMoved()
    with store.write() as writing:
        for number in (1, 2, 3):
            writing.ledger.insert(make_tombstone(number))
    with store.read() as reading:
        assert reading.records.tombstones_moved() == TombstonesMoved(laid=3)
        assert [stone.id for stone in reading.records.tombstones_since(1, 0)] == ["tombstone-2", "tombstone-3"]
        assert reading.records.tombstones_since(3, 0) == []


def test_a_row_that_travels_is_written_once_and_read_table_by_table(store: SqlStore) -> None:
    first, again = ScheduleRun("nightly", 10, 11, "job-1"), ScheduleRun("nightly", 20, 21, "job-2")
    with store.write() as writing:
        writing.carried.put([("schedules", first)])
        writing.carried.put([("schedules", again)])
    with store.read() as reading:
        assert list(reading.carried.rows_of("schedules")) == [again]
        assert [row for table, row in reading.carried.all_rows() if table == "schedules"] == [again]
        assert list(reading.carried.rows_of("jobs")) == []


def test_derived_rows_are_read_as_they_are(store: SqlStore) -> None:
    with store.read() as reading:
        assert list(reading.derived.all_rows("memory_keys")) == []
    append_one(store, "agent:a")
    with store.read() as reading:
        assert len(list(reading.derived.all_rows("memory_keys"))) == 1


def test_a_space_that_nobody_changed_has_the_schema_that_it_was_created_with(store: SqlStore) -> None:
    assert store.check_schema() == []
