"""Finding things by the beginning of their ids, documents by where they are from, and links that were taken back."""

from __future__ import annotations

from holdfast.storage.store import SqlStore
from tests.conformance.samples import (
    close_record,
    insert_all,
    make_conflict,
    make_link,
    make_recall,
    make_source,
    make_version,
    memory_id,
)
from tests.conformance.test_jobs import make_job


def test_ids_are_listed_in_order_between_two_texts(store: SqlStore) -> None:
    first = make_version(1)
    with store.write() as writing:
        insert_all(writing, first, make_version(2), make_source(1), make_source(2), make_conflict(1))
        writing.close(close_record(first, 3))
        insert_all(writing, make_version(3, memory_id=memory_id(1), version=2))
        writing.add_job(make_job(4))
        writing.log_recalls([make_recall(5)])
    with store.read() as reading:
        assert reading.ids_between("memory", "01920000", "01920000~", limit=9) == [memory_id(1), memory_id(2)]
        assert reading.ids_between("memory", memory_id(1), "01920000~", limit=9) == [memory_id(2)]
        assert reading.ids_between("memory", "01920000", "01920000~", limit=1) == [memory_id(1)]
        assert reading.ids_between("memory", "01930000", "01930000~", limit=9) == []
        assert reading.ids_between("source", "source", "source~", limit=9) == ["source-1", "source-2"]
        assert reading.ids_between("conflict", "", "~", limit=9) == ["conflict-1"]
        assert reading.ids_between("job", "", "~", limit=9) == [make_job(4).id]
        assert reading.ids_between("recall", "", "~", limit=9) == ["recall-5"]


def test_documents_are_found_by_the_folder_they_are_from(store: SqlStore) -> None:
    within = {"kind": "document", "thread": "/srv/notes/ops.md", "reference": "ops.md"}
    with store.write() as writing:
        insert_all(
            writing,
            make_source(1, **within),
            make_source(2, **within | {"thread": "/srv/notes-old/ops.md"}),
            make_source(3, **within | {"thread": "/srv/notes/a/b.md", "reference": "a/b.md"}),
            make_source(4, **within | {"author": "agent:scout"}),
            make_source(5, **within | {"scope": "project:atlas"}),
            make_source(6, **within | {"kind": "conversation"}),
        )
    with store.read() as reading:
        found = reading.documents_between("/srv/notes/", "/srv/notes0", author="person:ada", scope="global")
    assert found == [("source-3", "/srv/notes/a/b.md", "a/b.md"), ("source-1", "/srv/notes/ops.md", "ops.md")]


def test_a_link_that_was_taken_back_is_still_known_to_have_been(store: SqlStore) -> None:
    taken_back, standing, other = make_link(1), make_link(2, to_ref=memory_id(2)), make_link(3, relationship="causes")
    with store.write() as writing:
        insert_all(writing, taken_back, standing, other)
        writing.close(close_record(taken_back, 4))
    with store.read() as reading:
        ever = reading.links_ever_to([memory_id(2), memory_id(4)], "supports")
        assert [one.id for one in ever] == ["link-1", "link-2"]
        assert [one.id for one in reading.links_of([memory_id(2)])] == ["link-2"]


def test_versions_that_share_a_key_are_known_as_long_as_both_are_in_use(store: SqlStore) -> None:
    one, two, alone, gone = make_version(1), make_version(2), make_version(3), make_version(4, status="archived")
    with store.write() as writing:
        for version, keys in ((one, (10, 11)), (two, (11, 12)), (alone, (13,)), (gone, (13,))):
            writing.insert(version)
            writing.index_version(version, keys)
    with store.read() as reading:
        assert reading.numbers_sharing_keys() == {1, 2}
    with store.write() as writing:
        writing.close(close_record(two, 5))
    with store.read() as reading:
        assert reading.numbers_sharing_keys() == set()
