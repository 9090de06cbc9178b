"""What SQLite's indexes leave out is still found, and what they no longer refuse is refused all the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from heldtrue.domain.errors import StorageProblem
from heldtrue.domain.ids import new_id
from heldtrue.domain.posting import from_bytes
from heldtrue.domain.principal import EVERYTHING
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore
from tests.conformance.samples import close_record, make_entry, make_evidence, make_plain_version, memory_id, words_of

MOMENT = 1_790_000_000_000_000


@pytest.fixture
def store() -> Iterator[SqlStore]:
    connector = SqliteConnector(None)
    yield SqlStore(connector)
    connector.close()


def test_a_memory_has_one_current_version(store: SqlStore) -> None:
    first = make_plain_version(1, "one")
    with store.write() as writing:
        writing.ledger.insert(first)
    second = make_plain_version(2, "two", memory_id=first.memory_id, version=2)
    with pytest.raises(StorageProblem, match="append-only"), store.write() as writing:
        writing.ledger.insert(second)
    with store.write() as writing:
        writing.ledger.close(close_record(first, 2))
        writing.ledger.insert(second)
        assert writing.memories.version(first.memory_id) == second
    late = make_plain_version(3, "three", memory_id=first.memory_id, version=1)
    with store.write() as writing:
        writing.ledger.close(close_record(second, 3))
    with pytest.raises(StorageProblem, match="append-only"), store.write() as writing:
        writing.ledger.insert(late)


def test_memories_are_found_by_a_source_of_their_moment_of_an_earlier_one_and_of_no_moment(store: SqlStore) -> None:
    source, other = new_id(MOMENT), new_id(MOMENT)
    same, later = new_id(MOMENT), new_id(MOMENT + 1_000_000)
    with store.write() as writing:
        for memory in (same, later):
            writing.ledger.insert(make_evidence(1, memory_id=memory, source_id=source))
        writing.ledger.insert(make_evidence(2, memory_id=same, version=2, source_id=source))
        writing.ledger.insert(make_evidence(3, memory_id=new_id(MOMENT), source_id=other))
        writing.ledger.insert(make_evidence(4))
        writing.ledger.insert(make_evidence(5, memory_id="short", source_id="short"))
    with store.read() as reading:
        assert reading.sources.memories_of(source) == [same, later]
        assert reading.sources.memories_of("source-4") == [memory_id(4)]
        assert reading.sources.memories_of("short") == ["short"]
        assert reading.sources.memories_of(new_id(MOMENT)) == []


def test_every_moment_leads_to_the_last_entry_before_it(store: SqlStore) -> None:
    with store.write() as writing:
        for seq in range(1, 200):
            writing.ledger.append(make_entry(seq, recorded_at=10 * seq))
    with store.read() as reading:
        found = [reading.ledger.head_at(moment).seq for moment in range(2_100)]
    assert found == [min(moment // 10, 199) for moment in range(2_100)]


@pytest.mark.parametrize("moment", [5, 640, 641, 649, 650])
def test_recorded_time_does_not_go_back(store: SqlStore, moment: int) -> None:
    with store.write() as writing:
        for seq in range(1, 66):
            writing.ledger.append(make_entry(seq, recorded_at=10 * seq))
    with pytest.raises(StorageProblem, match="append-only"), store.write() as writing:
        writing.ledger.append(make_entry(66, recorded_at=moment))


def test_a_long_list_is_cut_into_short_blocks_in_the_order_of_its_documents(store: SqlStore) -> None:
    with store.write() as writing:
        for number in range(1, 1_001):
            version = make_plain_version(number, "amber")
            writing.index.add_version(version, [], words_of(version))
            if number % 7 == 0:
                writing.index.post_words()
        writing.index.post_words()
        shelf = writing.index.shelves(["memory"], EVERYTHING)[0].no
        blocks = [data for _, _, data in writing.index.postings([shelf], ["amber"])]
    assert [posting >> 16 for data in blocks for posting in from_bytes(data)] == list(range(1, 1_001))
    assert len(blocks) > 10
    assert max(map(len, blocks)) < 640 + 7 * 8
