"""What is kept of the neighbours of a batch is what the store would say, whatever is written meanwhile."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.domain.memory import MemoryVersion
from heldtrue.ingest.stages import neighbours
from heldtrue.ingest.stages.match import version_words
from heldtrue.ingest.stages.neighbours import LiveNeighbours
from heldtrue.storage.memories import MemoryPart
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore
from tests.conformance.samples import close_record, make_plain_version, words_of

KEYS = (1, 2, 3)
LIMIT = 3
"""Fewer than there are, so that what is cut off comes into play."""
STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("open"),
            st.sampled_from(["active", "inbox", "archived"]),
            st.sampled_from([None, "person:ada"]),
            st.lists(st.sampled_from(KEYS), max_size=3),
        ),
        st.tuples(st.just("close"), st.integers(0, 30)),
        st.tuples(st.just("ask"), st.lists(st.sampled_from(KEYS), max_size=3)),
    ),
    max_size=40,
)


@settings(deadline=None)
@given(STEPS)
def test_it_follows_what_is_written(steps: list[tuple[object, ...]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "CANDIDATES_MAX", LIMIT)
        store = SqlStore(SqliteConnector(None))
        with store.write() as writing:
            near, written = LiveNeighbours(writing), list[MemoryVersion]()
            for number, step in enumerate(steps, 1):
                match step:
                    case ("open", str(status), verified_by, list(keys)):
                        version = make_plain_version(number, "words", status=status)
                        version = msgspec.structs.replace(version, verified_by=verified_by)
                        writing.ledger.insert(version)
                        writing.index.add_version(version, keys, words_of(version))
                        near.add(version, keys)
                        written.append(version)
                    case ("close", int(place)) if place < len(written):
                        version = written.pop(place)
                        writing.ledger.close(close_record(version, number))
                        near.drop(version)
                    case ("ask", list(keys)):
                        found = [version.no for version in near.find(keys)]
                        assert found == [version.no for version in writing.memories.live_by_keys(keys, limit=LIMIT)]
            found = [version.no for version in near.find(KEYS)]
            assert found == [version.no for version in writing.memories.live_by_keys(KEYS, limit=LIMIT)]
        store.close()


def test_what_was_asked_for_once_is_not_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqlStore(SqliteConnector(None))
    with store.write() as writing:
        for number in range(1, 5):
            version = make_plain_version(number, "words")
            writing.ledger.insert(version)
            writing.index.add_version(version, [1], version_words(version))
        near = LiveNeighbours(writing)
        near.look_up([1, 2])
        monkeypatch.setattr(MemoryPart, "live_under_keys", None)
        assert [version.no for version in near.find([1, 2])] == [4, 3, 2, 1]
        near.drop(make_plain_version(3, "words"))
        near.add(make_plain_version(9, "words"), [2, 1, 1])
        assert [version.no for version in near.find([2, 1])] == [9, 4, 2, 1]
    store.close()
