"""What goes in comes out: every record, every field, every extreme."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from heldtrue.domain.carried import KeptAnswer
from heldtrue.domain.ledger import EMPTY_HEAD, TABLES, TableSpec
from heldtrue.domain.limits import CONTENT_BYTES_MAX
from heldtrue.domain.principal import EVERYTHING, Sight
from heldtrue.domain.records import UNBORN, Repo
from heldtrue.storage.store import SqlStore
from tests.conformance.samples import (
    close_record,
    insert_all,
    make_conflict,
    make_entry,
    make_evidence,
    make_link,
    make_names,
    make_plain_version,
    make_source,
    make_space,
    make_tombstone,
    make_version,
    memory_id,
    one_of_each,
    words_of,
)

FAR = 2**62
ODD_TEXTS = [
    "",
    " ",
    "ß ſ İ ı Σς",
    "日本語のテキスト",
    "😀👩\u200d👩\u200d👧 \U0010ffff",
    "e\u0301 \u200b \u202e gone",
    "line\nbreak\ttab\r\n",
    "'; DROP TABLE ledger; --",
    '"quoted" \\ back \\n slash',
    "100 % of %s %(name)s :name ::text {filter}",
    "\x01\x1f\x7f\x85",
]


@pytest.mark.covers("D28", "B18")
@pytest.mark.parametrize("spec", TABLES, ids=lambda spec: spec.table)
def test_a_record_comes_back_with_every_field(store: SqlStore, spec: TableSpec) -> None:
    record = next(record for record in one_of_each() if type(record) is spec.type)
    key = {name: getattr(record, name) for name in spec.key}
    other = {name: "other" if isinstance(value, str) else -1 for name, value in key.items()}
    with store.write() as writing:
        writing.ledger.insert(record)
        assert writing.ledger.opened(spec.table, key) == record
        assert writing.ledger.opened(spec.table, other) is None
    with store.read() as reading:
        found = reading.ledger.records_written(spec.table, after=0, until=1)
    assert found == [record]
    wanted = [type(value) for value in msgspec.structs.astuple(record)]
    assert [type(value) for value in msgspec.structs.astuple(found[0])] == wanted


@pytest.mark.covers("D28")
def test_empty_fields_come_back_empty(store: SqlStore) -> None:
    version = make_plain_version(1, "plain")
    empty: dict[str, Any] = dict.fromkeys(
        ("reference", "occurred_at", "title", "thread", "place", "speaker", "visibility")
    )
    source = make_source(**empty)
    evidence = make_evidence(file=None, line=None, span_start=None, span_end=None)
    link = make_link(reason=None)
    repo = msgspec.structs.replace(make_names()[3], project_id=None)
    assert isinstance(repo, Repo)
    with store.write() as writing:
        insert_all(writing, version, source, evidence, link, repo)
        writing.ledger.append(make_entry(target=None, scope=None, reason=None))
    with store.read() as reading:
        assert reading.memories.version(version.memory_id) == version
        assert reading.sources.get(source.id) == source
        assert reading.records.evidence_of([version.memory_id]) == [(evidence, source)]
        assert reading.records.links_of([link.from_id]) == [link]
        assert reading.ledger.records_written("repos", after=0, until=1) == [repo]
        entry = reading.ledger.entry(1)
        assert entry is not None
        assert (entry.target, entry.scope, entry.reason) == (None, None, None)


@pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
def test_odd_texts_come_back_unchanged(store: SqlStore, text: str) -> None:
    version = make_version(title=text, content=text, topic=text, author=text, reason=text, scope=text)
    source = make_source(content=text, reference=text)
    with store.write() as writing:
        insert_all(writing, version, source)
        writing.ledger.append(make_entry(detail=text, target=text))
    with store.read() as reading:
        assert reading.memories.version(version.memory_id) == version
        assert reading.sources.get(source.id) == source
        entries = reading.ledger.entries(after=0, until=9, limit=9)
        assert [(entry.detail, entry.target) for entry in entries] == [(text, text)]


@pytest.mark.parametrize("word", ["word ", "漢", "x", "zq0"], ids=["words", "unspaced", "one letter", "one long word"])
def test_the_longest_content_comes_back_and_is_found(store: SqlStore, word: str) -> None:
    content = (word * CONTENT_BYTES_MAX)[: CONTENT_BYTES_MAX // len(word.encode()) * len(word)]
    content = content.encode()[:CONTENT_BYTES_MAX].decode(errors="ignore")
    version = make_plain_version(1, content)
    with store.write() as writing:
        insert_all(writing, version)
    with store.read() as reading:
        assert reading.memories.version(version.memory_id) == version
        assert reading.index.indexed_numbers(after=0, limit=5) == [1]


@pytest.mark.parametrize("number", [-FAR, -1, 0, 1, 2**31, 2**53 + 1, FAR])
def test_large_numbers_come_back_exactly(store: SqlStore, number: int) -> None:
    version = make_version(valid_from=number, valid_to=number, observed_at=number, created_at=number)
    source = make_source(lookup_key=number, occurred_at=number)
    tombstone = make_tombstone(lookup_key=number)
    conflict = make_conflict(pair_key=number)
    with store.write() as writing:
        insert_all(writing, version, source, tombstone, conflict)
        other = make_version(2)
        writing.index.add_version(other, [number], words_of(other))
        writing.ledger.insert(other)
    with store.read() as reading:
        assert reading.memories.version(version.memory_id) == version
        assert reading.sources.by_lookup(number) == source
        assert reading.records.tombstones_by_keys([number]) == [tombstone]
        assert reading.records.conflicts_by_pairs([number]) == [conflict]
        assert [found.no for found in reading.memories.live_by_keys([number], limit=5)] == [2]


@pytest.mark.parametrize("confidence", [0.0, 1.0, 0.1, 1 / 3, 5e-324, 0.9999999999999999])
def test_a_confidence_comes_back_to_the_last_bit(store: SqlStore, confidence: float) -> None:
    with store.write() as writing:
        writing.ledger.insert(make_version(confidence=confidence))
    with store.read() as reading:
        found = reading.memories.version(memory_id(1))
    assert found is not None
    assert found.confidence.hex() == confidence.hex()


@pytest.mark.parametrize("raw", [b"", b"\x00", bytes(range(256)), b"\\x41", b"'"], ids=range(5))
def test_bytes_come_back_as_bytes(store: SqlStore, raw: bytes) -> None:
    with store.write() as writing:
        writing.ledger.insert(make_space(key=raw))
        writing.ledger.keep_answer(KeptAnswer("agent:scout", "key", raw, "answer", 1, 1))
    with store.read() as reading:
        assert reading.ledger.space().key == raw
        answer = reading.ledger.idempotent_answer("agent:scout", "key")
        assert answer == (raw, "answer")
        assert answer is not None
        assert type(answer[0]) is bytes


def test_a_space_is_unborn_until_it_is_recorded(store: SqlStore) -> None:
    with store.read() as reading:
        assert reading.ledger.space() == UNBORN
        assert reading.ledger.head() == EMPTY_HEAD
        assert reading.ledger.head_at(FAR) == EMPTY_HEAD
        assert reading.memories.counts(sight=EVERYTHING, now=FAR) == []
    space = make_space()
    with store.write() as writing:
        writing.ledger.insert(space)
        assert writing.ledger.space() == space
    with store.read() as reading:
        assert reading.ledger.space() == space


def test_a_space_that_was_not_committed_is_forgotten(store: SqlStore) -> None:
    def found_and_give_up() -> None:
        with store.write() as writing:
            writing.ledger.insert(make_space())
            assert writing.ledger.space() == writing.ledger.space() != UNBORN
            raise LookupError

    with pytest.raises(LookupError):
        found_and_give_up()
    with store.read() as reading:
        assert reading.ledger.space() == UNBORN


def test_a_name_is_known_once_recorded_and_no_other_is(store: SqlStore) -> None:
    names = {"principal": "agent:scout", "project": "atlas", "repo": "atlas-core", "team": "platform"}
    with store.read() as reading:
        assert not any(reading.ledger.knows(table, name) for table, name in names.items())
    with store.write() as writing:
        insert_all(writing, *make_names())
    with store.read() as reading:
        assert all(reading.ledger.knows(table, name) for table, name in names.items())
        assert not any(reading.ledger.knows(table, name.upper()) for table, name in names.items())


def test_an_answer_is_kept_per_principal_and_key_until_it_is_old(store: SqlStore) -> None:
    with store.write() as writing:
        writing.ledger.keep_answer(KeptAnswer("agent:a", "k", b"hash", "{}", 1, 100))
        writing.ledger.keep_answer(KeptAnswer("agent:b", "k", b"other", "[]", 2, 200))
    with store.read() as reading:
        assert reading.ledger.idempotent_answer("agent:a", "k") == (b"hash", "{}")
        assert reading.ledger.idempotent_answer("agent:b", "k") == (b"other", "[]")
        assert reading.ledger.idempotent_answer("agent:a", "K") is None
    with store.write() as writing:
        writing.ledger.drop_old_answers(200)
    with store.read() as reading:
        assert reading.ledger.idempotent_answer("agent:a", "k") is None
        assert reading.ledger.idempotent_answer("agent:b", "k") == (b"other", "[]")


def test_counts_group_the_current_versions(store: SqlStore) -> None:
    first = make_version(1, scope="global", topic=None, observed_at=7)
    with store.write() as writing:
        insert_all(writing, first, make_version(2, scope="global", topic=None, observed_at=5))
        insert_all(writing, make_version(3, scope="a"), make_version(4, scope="B"), make_version(5, scope="ä"))
        insert_all(writing, make_version(6, memory_id=memory_id(7)))
        writing.ledger.close(close_record(make_version(6, memory_id=memory_id(7)), 9))
    with store.read() as reading:
        counts = reading.memories.counts(sight=EVERYTHING, now=FAR)
    assert sorted(row[0] for row in counts) == ["B", "a", "global", "ä"]
    assert ("global", "decision", "active", "stable", "agent:scout", "", 2, 0) in counts
    assert all(type(row) is tuple for row in counts)


def test_counts_leave_out_what_is_private_to_others_and_tell_the_stale(store: SqlStore) -> None:
    day = 24 * 3_600 * 1_000_000
    with store.write() as writing:
        insert_all(
            writing,
            make_version(1, staleness="daily", observed_at=10),
            make_version(2, staleness="daily", observed_at=11),
            make_version(3, staleness="stable", observed_at=1, visibility="private", author="agent:other"),
        )
    with store.read() as reading:
        everything = reading.memories.counts(sight=EVERYTHING, now=day + 10)
        own = reading.memories.counts(sight=Sight(reader="agent:scout"), now=day + 10)
        elsewhere = reading.memories.counts(sight=Sight(("team:x",)), now=day + 10)
    assert {(row[3], row[6], row[7]) for row in everything} == {("daily", 2, 1), ("stable", 1, 0)}
    assert {(row[3], row[6], row[7]) for row in own} == {("daily", 2, 1)}
    assert elsewhere == []


def test_tallies_count_what_is_open(store: SqlStore) -> None:
    with store.write() as writing:
        whole = [make_tombstone(number, grain="text") for number in (1, 2)]
        insert_all(writing, make_conflict(1), make_conflict(2), *whole, make_tombstone(3), make_source())
        writing.ledger.close(close_record(make_conflict(1), 3))
        writing.ledger.close(close_record(whole[0], 3))
    with store.read() as reading:
        assert reading.ledger.tally("rejections") == 1
        assert reading.ledger.tally("sources") == 1


def test_the_next_ordinal_follows_the_highest(store: SqlStore) -> None:
    with store.write() as writing:
        assert writing.memories.next_version_no() == 1
        writing.ledger.insert(make_version(41))
        assert writing.memories.next_version_no() == 42


def test_a_source_is_found_by_its_id_and_by_its_key(store: SqlStore) -> None:
    first, second = make_source(1, lookup_key=5), make_source(2, lookup_key=-5)
    with store.write() as writing:
        insert_all(writing, first, second)
    with store.read() as reading:
        assert reading.sources.by_lookup(5) == reading.sources.get("source-1") == first
        assert reading.sources.by_lookup(-5) == second
        assert reading.sources.by_lookup(6) is None
        assert reading.sources.get("source-9") is None


def test_a_reference_of_any_length_can_be_linked_once(store: SqlStore) -> None:
    """A B-tree of PostgreSQL would refuse an entry of this length."""
    reference = "https://example.org/" + "".join(chr(0x4E00 + (index * 7919) % 20_000) for index in range(4_000))
    link = make_link(to_ref=reference, relationship="derived_from")
    with store.write() as writing:
        writing.ledger.insert(link)
        writing.ledger.append(make_entry(target=reference))
    with store.read() as reading:
        assert reading.records.links_of([reference]) == [link]
        assert reading.records.open_link(link.from_id, reference, "derived_from") == link
        assert [entry.target for entry in reading.ledger.entries(after=0, until=9, limit=9)] == [reference]
