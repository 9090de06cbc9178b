"""A store forgets words for good, and says so."""

from __future__ import annotations

import msgspec
import pytest

from heldtrue.domain.carried import KeptAnswer
from heldtrue.domain.erasure import ERASABLE_NAMED, blank
from heldtrue.storage.store import SqlStore
from tests.conformance.samples import insert_all, make_entry, make_erased, make_source

ANSWER = KeptAnswer("agent:scout", "key-1", b"hash", '{"content": "the lighthouse"}', 1, 12)


@pytest.mark.covers("X1")
def test_a_source_loses_its_words_and_its_salt_and_keeps_its_digest(store: SqlStore) -> None:
    source = make_source()
    with store.write() as writing:
        insert_all(writing, source)
        writing.ledger.append(make_entry())
        assert not writing.ledger.has_erased()
    with store.write() as writing:
        writing.ledger.erase("sources", blank(ERASABLE_NAMED["sources"], source))
        insert_all(writing, make_erased(2, content_key=41))
    with store.read() as reading:
        (left,) = reading.ledger.records_written("sources", after=0, until=1)
        assert (left.content, left.salt, left.digest) == ("", None, source.digest)
        assert left.lookup_key == source.lookup_key
        assert reading.ledger.has_erased()
        assert reading.ledger.erased_content([40, 41]) == {41}


@pytest.mark.covers("X1")
def test_working_rows_are_dropped_by_their_keys(store: SqlStore) -> None:
    other = msgspec.structs.replace(ANSWER, key="key-2")
    with store.write() as writing:
        writing.ledger.append(make_entry())
        for kept in (ANSWER, other):
            writing.ledger.keep_answer(kept)
    with store.write() as writing:
        writing.carried.drop("idempotency", [ANSWER])
    with store.read() as reading:
        assert list(reading.carried.rows_of("idempotency")) == [other]


@pytest.mark.covers("X1")
def test_a_store_can_be_scrubbed_and_reads_as_before(store: SqlStore) -> None:
    with store.write() as writing:
        insert_all(writing, make_source())
        writing.ledger.append(make_entry())
    store.scrub()
    with store.read() as reading:
        assert reading.ledger.head().seq == 1
        assert len(reading.ledger.records_written("sources", after=0, until=1)) == 1
