"""What was believed at any moment, what closed it, and which entry accounts for it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from heldtrue.domain.errors import StorageProblem
from heldtrue.domain.ledger import SPEC_OF, TABLES, Head, TableSpec
from heldtrue.domain.principal import EVERYTHING
from heldtrue.storage.store import SqlStore
from tests.conformance.samples import (
    close_record,
    insert_all,
    make_conflict,
    make_entry,
    make_evidence,
    make_link,
    make_source,
    make_tombstone,
    make_version,
    memory_id,
    one_of_each,
)

A = memory_id(1)


@pytest.fixture
def revised(store: SqlStore) -> SqlStore:
    """A memory learned by entry 1, corrected by 3 and retracted by 5; another learned by 4."""
    first = make_version(1, memory_id=A, version=1, seq=1, content="old")
    second = make_version(2, memory_id=A, version=2, seq=3, content="new")
    third = make_version(3, memory_id=A, version=3, seq=5, content="new", status="retracted")
    with store.write() as writing:
        insert_all(writing, first)
        writing.ledger.close(close_record(first, 3))
        insert_all(writing, second)
        insert_all(writing, make_version(4, memory_id=memory_id(2), seq=4))
        writing.ledger.close(close_record(second, 5))
        insert_all(writing, third)
    return store


@pytest.mark.covers("A14")
@pytest.mark.parametrize(
    ("seq", "version"), [(0, None), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (2**62, 3), (None, 3)]
)
def test_a_memory_is_seen_as_of_a_sequence(revised: SqlStore, seq: int | None, version: int | None) -> None:
    with revised.read() as reading:
        found = reading.memories.version(A, seq)
        assert (found.version if found else None) == version
        history = reading.memories.versions(A, seq)
    assert [past.version for past in history] == list(range(1, (version or 0) + 1))


@pytest.mark.covers("A14")
def test_a_closed_version_says_when_and_by_which_entry(revised: SqlStore) -> None:
    with revised.read() as reading:
        history = reading.memories.versions(A)
    assert [(version.seq_to, version.recorded_to) for version in history] == [(3, 5_003), (5, 5_005), (None, None)]
    assert history[0] == close_record(history[0], 3)
    assert history[2].closing_digest is None


def test_current_versions_are_the_open_ones_in_the_order_written(revised: SqlStore) -> None:
    with revised.read() as reading:
        found = reading.memories.current_versions([memory_id(2), A, A, memory_id(9)])
        assert [version.no for version in found] == [3, 4]
        assert reading.memories.current_versions([]) == []
        assert reading.memories.version("nobody") is None
        assert reading.memories.versions("nobody") == []


def test_versions_are_paged_in_the_order_written(revised: SqlStore) -> None:
    with revised.read() as reading:
        assert [version.no for version in reading.memories.versions_page(after=0, limit=3)] == [1, 2, 3]
        assert [version.no for version in reading.memories.versions_page(after=3, limit=3)] == [4]
        assert reading.memories.versions_page(after=4, limit=3) == []
        assert reading.index.indexed_numbers(after=1, limit=2) == [2, 3]
        assert [reading.index.is_indexed(no) for no in (0, 1, 4, 5)] == [False, True, True, False]


@pytest.mark.covers("A14")
def test_links_are_seen_from_both_ends_and_only_while_open(store: SqlStore) -> None:
    first, second = make_link(1, seq=1), make_link(2, seq=2, to_ref="https://example.org/x")
    with store.write() as writing:
        insert_all(writing, first, second)
        writing.ledger.close(close_record(first, 4))
    with store.read() as reading:
        for seq, wanted in ((0, []), (1, ["link-1"]), (3, ["link-1", "link-2"]), (4, ["link-2"]), (None, ["link-2"])):
            assert [link.id for link in reading.records.links_of([memory_id(1), memory_id(2)], seq)] == wanted
        assert [link.id for link in reading.records.links_of(["https://example.org/x"])] == ["link-2"]
        assert reading.records.links_of([]) == []
        assert reading.records.open_link(first.from_id, first.to_ref, first.relationship) is None
        assert reading.records.open_link(second.from_id, second.to_ref, second.relationship) == second


def test_a_link_can_be_drawn_again_after_it_was_closed_but_not_twice(store: SqlStore) -> None:
    first, again = make_link(1), make_link(2, from_id=memory_id(1), to_ref=memory_id(2))
    with store.write() as writing:
        writing.ledger.insert(first)
    with pytest.raises(StorageProblem, match="database error"), store.write() as writing:
        writing.ledger.insert(again)
    with store.write() as writing:
        writing.ledger.close(close_record(first, 2))
        writing.ledger.insert(again)
    with store.read() as reading:
        assert reading.records.open_link(first.from_id, first.to_ref, first.relationship) == again


def test_tombstones_are_found_by_key_while_open_and_by_memory_ever_after(store: SqlStore) -> None:
    first, second = make_tombstone(1, seq=1), make_tombstone(2, seq=2, memory_id=memory_id(1))
    with store.write() as writing:
        insert_all(writing, first, second)
        writing.ledger.close(close_record(first, 5))
    with store.read() as reading:
        keys = [first.lookup_key, second.lookup_key, 77]
        assert reading.records.tombstones_by_keys(keys) == [second]
        assert reading.records.tombstones_by_keys(iter(keys)) == [second]
        assert reading.records.tombstones_by_keys([]) == []
        assert reading.records.tombstones_of(memory_id(1)) == [close_record(first, 5), second]
        assert [tombstone.id for tombstone in reading.records.tombstones_of(memory_id(1), 1)] == ["tombstone-1"]


def test_conflicts_are_found_by_memory_by_pair_and_by_page(store: SqlStore) -> None:
    conflicts = [make_conflict(number, pair_key=number // 2) for number in range(1, 6)]
    settled = close_record(conflicts[1], 9, disposition="merge", merged_id=memory_id(8))
    with store.write() as writing:
        insert_all(writing, *conflicts, *(make_version(number) for number in range(1, 7)))
        writing.ledger.close(settled)
    with store.read() as reading:
        assert reading.records.conflict("conflict-2") == settled
        assert reading.records.conflict("conflict-9") is None
        assert [conflict.id for conflict in reading.records.conflicts_of([memory_id(2)])] == [
            "conflict-1",
            "conflict-2",
        ]
        assert [conflict.id for conflict in reading.records.conflicts_of([memory_id(2)], 1)] == ["conflict-1"]
        assert reading.records.conflicts_of([]) == []
        assert [conflict.id for conflict in reading.records.conflicts_by_pairs([1])] == ["conflict-3", "conflict-2"]
        found = reading.records.conflicts_by_pairs(iter([0, 1, 77]))
        assert [conflict.id for conflict in found] == ["conflict-3", "conflict-2", "conflict-1"]
        assert reading.records.conflicts_by_pairs([]) == []
        ends = ((0, ""), (3, "~"), (5, "~"))
        pages = [reading.records.conflicts_page(pending=True, sight=EVERYTHING, after=after, limit=2) for after in ends]
        assert [[entry.seq for entry in page] for page in pages] == [[1, 3], [4, 5], []]
        everything = reading.records.conflicts_page(pending=False, sight=EVERYTHING, limit=9)
        assert [entry.seq for entry in everything] == [1, 2, 3, 4, 5]


def test_the_weaker_side_of_an_open_conflict_is_doubted(store: SqlStore) -> None:
    first, second = make_conflict(1), make_conflict(2, weaker_id=memory_id(3))
    with store.write() as writing:
        insert_all(writing, first, second)
    with store.read() as reading:
        assert reading.records.is_doubted(memory_id(1), besides="")
        assert not reading.records.is_doubted(memory_id(1), besides="conflict-1")
        assert not reading.records.is_doubted(memory_id(2), besides=""), "it is the stronger side of both"
        assert reading.records.is_doubted(memory_id(3), besides="conflict-1")
    with store.write() as writing:
        writing.ledger.close(close_record(first, 5))
    with store.read() as reading:
        assert not reading.records.is_doubted(memory_id(1), besides=""), "settled, it is doubted no more"


@pytest.mark.covers("D2")
def test_evidence_comes_with_its_source_as_of_a_sequence(store: SqlStore) -> None:
    sources = [make_source(number) for number in (1, 2)]
    pieces = [make_evidence(1, seq=1), make_evidence(1, seq=2, version=2, source_id="source-2")]
    with store.write() as writing:
        insert_all(writing, *sources, *pieces)
    with store.read() as reading:
        assert reading.records.evidence_of([memory_id(1)]) == list(zip(pieces, sources, strict=True))
        assert reading.records.evidence_of([memory_id(1)], 1) == [(pieces[0], sources[0])]
        assert reading.records.has_evidence_by(memory_id(1), pieces[0].author)
        assert not reading.records.has_evidence_by(memory_id(1), "agent:other")
        assert not reading.records.has_evidence_by(memory_id(2), pieces[0].author)
        assert reading.records.evidence_of([]) == []


@pytest.mark.covers("C18")
def test_the_ledger_is_read_by_number_by_range_and_by_time(store: SqlStore) -> None:
    with store.write() as writing:
        for seq in range(1, 6):
            writing.ledger.append(make_entry(seq, writing.ledger.head(), recorded_at=seq * 10, target=f"t{seq % 2}"))
    with store.read() as reading:
        entries = reading.ledger.entries(after=0, until=9, limit=9)
        assert [entry.seq for entry in entries] == [1, 2, 3, 4, 5]
        assert all(after.prev_hash == before.hash for before, after in pairwise(entries))
        assert reading.ledger.entries(after=1, until=4, limit=2) == entries[1:3]
        assert reading.ledger.entries(after=1, until=2, limit=9) == entries[1:2]
        assert reading.ledger.entry(3) == entries[2]
        assert reading.ledger.entry(6) is None
        assert reading.ledger.head() == Head(5, entries[4].hash, 50)
        assert [reading.ledger.head_at(moment).seq for moment in (9, 10, 29, 30, 999)] == [0, 1, 2, 3, 5]


@pytest.mark.parametrize("changed", [{"recorded_at": 1_001}, {"prev_hash": None}, {"seq": 1}], ids=str)
def test_a_ledger_takes_no_second_entry_at_a_time_a_place_or_after_a_hash(
    store: SqlStore, changed: dict[str, Any]
) -> None:
    first = make_entry(1)
    twin: dict[str, Any] = {name: first.prev_hash if value is None else value for name, value in changed.items()}
    with store.write() as writing:
        writing.ledger.append(first)
    with pytest.raises(StorageProblem, match="database error"), store.write() as writing:
        writing.ledger.append(make_entry(twin.pop("seq", 2), **twin))
    with store.read() as reading:
        assert reading.ledger.head().seq == 1


@pytest.mark.covers("C18")
@pytest.mark.parametrize("spec", TABLES, ids=lambda spec: spec.table)
def test_every_record_is_accounted_for_by_the_entry_that_wrote_and_closed_it(store: SqlStore, spec: TableSpec) -> None:
    table = spec.table
    record = next(record for record in one_of_each(2, seq=2) if SPEC_OF[type(record)].table == table)
    with store.write() as writing:
        writing.ledger.insert(record)
    with store.read() as reading:
        assert reading.ledger.records_written(table, after=1, until=2) == [record]
        assert reading.ledger.records_written(table, after=2, until=9) == []
        assert reading.ledger.records_written(table, after=0, until=1) == []
        assert reading.ledger.records_outside(table, until=2) == []
        assert reading.ledger.records_outside(table, until=1) == [record]
    if not spec.closing:
        return
    closed = close_record(record, 4)
    with store.write() as writing:
        writing.ledger.close(closed)
    with store.read() as reading:
        assert reading.ledger.records_closed(table, after=3, until=4) == [closed]
        assert reading.ledger.records_closed(table, after=4, until=9) == []
        assert reading.ledger.records_closed(table, after=0, until=3) == []
        assert reading.ledger.records_outside(table, until=4) == []
        assert reading.ledger.records_outside(table, until=3) == [closed]
