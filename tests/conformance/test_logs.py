"""What is kept beside the records: vectors, what was asked, how memories were used, and views by name."""

from __future__ import annotations

import msgspec
import pytest

from heldtrue.domain.errors import StorageProblem
from heldtrue.domain.rows import Use, VectorRow
from heldtrue.storage.store import SqlStore
from tests.conformance.samples import close_record, insert_all, make_recall, make_view, memory_id


@pytest.mark.covers("B19")
def test_vectors_are_kept_by_model_shelf_and_document(store: SqlStore) -> None:
    rows = [VectorRow(doc, piece, bytes([doc, piece]), b"\x01\x00") for doc, piece in ((3, 0), (2, 1), (2, 0))]
    with store.write() as writing:
        assert writing.vectors.model("tiny/1/256") is None
        first, second = writing.vectors.register("tiny/1/256", 256), writing.vectors.register("other/1/64", 64)
        assert writing.vectors.register("tiny/1/256", 256) == first != second
        assert not writing.vectors.has_any(first)
        writing.vectors.add(first, [(7, row) for row in rows])
        writing.vectors.add(second, [(7, VectorRow(9, 0, b"x", b""))])
        writing.vectors.add(first, [])
    with store.read() as reading:
        assert reading.vectors.model("tiny/1/256") == (first, 256)
        assert reading.vectors.model("other/1/64") == (second, 64)
        found = reading.vectors.of_shelf(first, 7, with_tokens=True)
        assert found == [rows[2], rows[1], rows[0]]
        bare = [msgspec.structs.replace(row, tokens=b"") for row in found]
        assert reading.vectors.of_shelf(first, 7, with_tokens=False) == bare
        assert {type(part) for row in (*found, *bare) for part in (row.vector, row.tokens)} == {bytes}
        assert (
            reading.vectors.of_shelf(first, 8, with_tokens=True)
            == reading.vectors.of_shelf(99, 7, with_tokens=False)
            == []
        )
        assert reading.vectors.tokens(first, 7, [2, 3, 9]) == {2: b"\x01\x00", 3: b"\x01\x00"}
        assert reading.vectors.tokens(first, 8, [2]) == reading.vectors.tokens(first, 7, []) == {}
        assert reading.vectors.has_any(first)


def test_a_vector_that_is_there_is_replaced_and_other_models_can_be_dropped(store: SqlStore) -> None:
    with store.write() as writing:
        one, other = writing.vectors.register("one", 2), writing.vectors.register("other", 2)
        for model in (one, other):
            writing.vectors.add(model, [(1, VectorRow(5, 0, b"old", b""))])
        writing.vectors.add(one, [(1, VectorRow(5, 0, b"new", b"t"))])
        assert writing.vectors.of_shelf(one, 1, with_tokens=True) == [VectorRow(5, 0, b"new", b"t")]
        writing.vectors.drop(keep=one)
        assert (writing.vectors.has_any(one), writing.vectors.has_any(other)) == (True, False)
        writing.vectors.drop(keep=None)
        assert not writing.vectors.has_any(one)


@pytest.mark.covers("B18", "D27")
def test_a_recall_is_logged_once_and_read_by_id_by_time_and_by_who_asked(store: SqlStore) -> None:
    rows = [make_recall(1), make_recall(2, principal="person:ada"), make_recall(3, question="日本 %s :x")]
    with store.write() as writing:
        writing.log.add(rows)
        writing.log.add([make_recall(1, question="another")])
        writing.log.add([])
    with store.read() as reading:
        assert reading.log.recall("recall-1") == rows[0], "the first stays"
        assert reading.log.recall("recall-9") is None
        assert reading.log.recalls(principal=None, before=99, limit=9) == rows[::-1]
        assert reading.log.recalls(principal=None, before=30, limit=9) == [rows[1], rows[0]]
        assert reading.log.recalls(principal="person:ada", before=99, limit=9) == [rows[1]]
        assert reading.log.recalls(principal="", before=99, limit=9) == []
        assert reading.log.recalls(principal=None, before=99, limit=1) == [rows[2]]
        verbs = {row.verb for row in rows}
        assert reading.log.recalls(principal=None, before=99, limit=9, without=["no such verb"]) == rows[::-1]
        assert reading.log.recalls(principal=None, before=99, limit=9, without=verbs) == []


def test_an_old_log_can_be_dropped(store: SqlStore) -> None:
    with store.write() as writing:
        writing.log.add([make_recall(number) for number in (1, 2, 3)])
        assert writing.log.drop(30) == 2
        assert [row.id for row in writing.log.recalls(principal=None, before=99, limit=9)] == ["recall-3"]
        assert writing.log.drop(30) == 0


@pytest.mark.covers("D21")
def test_uses_add_up_and_priority_stays_within_bounds(store: SqlStore) -> None:
    one, other = memory_id(1), memory_id(2)
    with store.write() as writing:
        assert writing.log.uses([one]) == []
        writing.log.count_uses([one, other], recalled=1, at=50)
        writing.log.count_uses([one], injected=2, used=1, ignored=3, priority=0.25)
        assert writing.log.uses([other, one, memory_id(3)]) == [
            Use(one, 1, 2, 1, 3, 0.25, 50),
            Use(other, 1, 0, 0, 0, 0.0, 50),
        ]
        writing.log.count_uses([], recalled=1)
        for step, wanted in ((0.5, 0.75), (0.5, 1.0), (5.0, 1.0), (-0.5, 0.5), (-9.0, -0.5), (-0.75, -1.0)):
            writing.log.count_uses([one], priority=step)
            assert [use.priority for use in writing.log.uses([one])] == [wanted]
        writing.log.count_uses([memory_id(3)], priority=7.0)
        assert [use.priority for use in writing.log.uses([memory_id(3)])] == [1.0]


@pytest.mark.covers("B18")
def test_a_view_has_one_name_for_each_author_at_a_time(store: SqlStore) -> None:
    first = make_view(1, name="ports")
    theirs = make_view(2, name="ports", author="agent:a")
    other = make_view(3, name="a list")
    with store.write() as writing:
        insert_all(writing, first, theirs, other)
    with pytest.raises(StorageProblem, match="database error"), store.write() as writing:
        writing.ledger.insert(make_view(4, name="ports"))
    with store.write() as writing:
        assert writing.records.saved_view("person:ada", "ports") == first
        assert writing.records.saved_view("person:ada", "PORTS") is None
        assert writing.records.saved_views("person:ada") == [other, first]
        assert writing.records.saved_views(None) == [other, first, theirs]
        assert writing.records.saved_views("") == []
        writing.ledger.close(close_record(first, 5))
        assert writing.records.saved_view("person:ada", "ports") is None
        writing.ledger.insert(make_view(5, name="ports"))
        assert [view.id for view in writing.records.saved_views("person:ada")] == ["view-3", "view-5"]


def test_the_log_is_followed_in_the_order_in_which_it_was_written(store: SqlStore) -> None:
    late = [make_recall(number, principal="agent:a") for number in (5, 2)]
    with store.write() as writing:
        writing.log.add(late)
        writing.log.add([make_recall(9, principal="agent:b")])
    with store.read() as reading:
        everyone = reading.log.recalls_after(principal=None, after=0, limit=10)
        assert [row.id for _, row in everyone] == [late[0].id, late[1].id, make_recall(9).id]
        assert reading.log.last_place() == everyone[-1][0]
        assert reading.log.recalls_after(principal=None, after=everyone[0][0], limit=1) == [everyone[1]]
        assert reading.log.recalls_after(principal="agent:b", after=0, limit=10) == [everyone[2]]
        last = reading.log.last_place()
    with store.write() as writing:
        writing.log.drop(2**62)
        writing.log.add([make_recall(10)])
    with store.read() as reading:
        assert [position for position, _ in reading.log.recalls_after(principal=None, after=0, limit=10)] == [last + 1]
