"""Finding things by the beginning of their ids, documents by where they are from, and links that were taken back."""

from __future__ import annotations

import pytest

from heldtrue.domain.principal import EVERYTHING, OWNER, Principal, PrincipalKind, Reach, Role, Sight, agent_principal
from heldtrue.storage.store import SqlStore
from tests.conformance.samples import (
    close_record,
    insert_all,
    make_conflict,
    make_link,
    make_recall,
    make_source,
    make_version,
    memory_id,
    words_of,
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


SCOPES = (
    *"global project:a project:ä project:a/b repo:r team:t agent:me agent:me2".split(),
    *"session:1 session:me session:me/1 session:me2/1 session:m_/1 session:ME/1".split(),
)
VIEWERS = {
    "a person": OWNER,
    "an agent of this machine": agent_principal("me"),
    "an administrator": Principal(PrincipalKind.AGENT, "me", Reach(Role.ADMIN)),
    "a project agent": Principal(PrincipalKind.AGENT, "me", Reach(Role.PROJECT, ("a",), ("r",), ("t",))),
    "a project agent of no ascii name": Principal(PrincipalKind.AGENT, "mé", Reach(Role.PROJECT, ("ä",))),
    "a skill agent": Principal(PrincipalKind.AGENT, "me", Reach(Role.SKILL, ("a",))),
}


@pytest.mark.covers("C11")
@pytest.mark.parametrize("who", VIEWERS)
def test_of_all_ids_only_those_in_sight_are_found(store: SqlStore, who: str) -> None:
    """What a query gathers is what `may_see` says, for every scope, private or not."""
    viewer = VIEWERS[who]
    places = [(scope, visibility, author) for scope in SCOPES for visibility in ("local", "private")
              for author in ("agent:me", "agent:mé", "person:ada")]  # fmt: skip
    seen = {
        number
        for number, (scope, visibility, author) in enumerate(places, 1)
        if viewer.may_see(scope) and (visibility == "local" or viewer.is_person or author == viewer.id)
    }
    assert who == "a skill agent" or seen, "the control: some are seen"
    with store.write() as writing:
        for number, (scope, visibility, author) in enumerate(places, 1):
            there = {"scope": scope, "visibility": visibility, "author": author}
            insert_all(writing, make_version(number, **there), make_source(number, id=memory_id(number), **there))
        for number in range(1, len(places)):
            insert_all(writing, make_conflict(number, id=memory_id(number)))
    with store.read() as reading:
        whole = {"after": "", "last": "~", "limit": 10_000, "sight": viewer.sight}
        assert reading.ids_between("memory", **whole) == [memory_id(number) for number in sorted(seen)]
        assert reading.ids_between("source", **whole) == [memory_id(number) for number in sorted(seen)]
        both = [memory_id(number) for number in sorted(seen) if number + 1 in seen]
        assert reading.ids_between("conflict", **whole) == both
        assert [one.id for one in reading.conflicts_page(pending=True, sight=viewer.sight, limit=10_000)] == both


def test_jobs_and_recalls_are_in_sight_of_whoever_asked(store: SqlStore) -> None:
    with store.write() as writing:
        writing.add_job(make_job(1, asked_by="agent:me", scope=""))
        writing.add_job(make_job(2, asked_by="agent:me", scope="project:a"))
        writing.add_job(make_job(3, asked_by="agent:me", scope="agent:other"))
        writing.add_job(make_job(4, asked_by="person:owner", scope=""))
        writing.log_recalls([make_recall(5, principal="agent:me"), make_recall(6, principal="agent:other")])
    mine = agent_principal("me").sight
    with store.read() as reading:
        found = reading.ids_between("job", "", "~", limit=9, sight=mine)
        assert found == [make_job(1).id, make_job(2).id]
        assert reading.ids_between("recall", "", "~", limit=9, sight=mine) == ["recall-5"]
        assert len(reading.ids_between("job", "", "~", limit=9, sight=EVERYTHING)) == 4
        assert len(reading.ids_between("recall", "", "~", limit=9)) == 2


def test_the_limit_counts_what_is_in_sight(store: SqlStore) -> None:
    """What is hidden neither shortens a page nor moves its end."""
    hidden = {"scope": "agent:other", "visibility": "local"}
    with store.write() as writing:
        for number in range(1, 31):
            insert_all(writing, make_version(number, **({} if number > 24 else hidden)))
        for number in range(1, 30):
            insert_all(writing, make_conflict(number))
    sight = agent_principal("me").sight
    with store.read() as reading:
        ids = [memory_id(number) for number in (25, 26)]
        assert reading.ids_between("memory", "", "~", limit=2, sight=sight) == ids
        assert [one.seq for one in reading.conflicts_page(pending=True, sight=sight, limit=2)] == [25, 26]
        rest = reading.conflicts_page(pending=True, sight=sight, after=(26, "conflict-26"), limit=9)
        assert [one.seq for one in rest] == [27, 28, 29]
        assert [one.seq for one in reading.conflicts_page(pending=True, sight=Sight(), limit=2)] == [1, 2]


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
            writing.index_version(version, keys, words_of(version))
    with store.read() as reading:
        assert reading.numbers_sharing_keys() == {1, 2}
    with store.write() as writing:
        writing.close(close_record(two, 5))
    with store.read() as reading:
        assert reading.numbers_sharing_keys() == set()
