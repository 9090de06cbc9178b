"""Finding things by the end of their ids, documents by where they are from, and links that were taken back."""

from __future__ import annotations

import pytest

from heldtrue.domain.principal import EVERYTHING, OWNER, Principal, PrincipalKind, Reach, Role, Sight, new_agent
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

END = "00004f9a21c3"


def alike(number: int) -> str:
    """An id that sorts by its number and ends as all others do."""
    return f"{number:08x}-0000-7000-8000-{END}"


def test_ids_are_found_by_their_end(store: SqlStore) -> None:
    first = make_version(1, memory_id=alike(1))
    second = make_version(2, memory_id=alike(2), content="We keep backups for a year.")
    with store.write() as writing:
        insert_all(writing, first, second, make_version(9), make_source(1, id=alike(1)), make_source(2))
        writing.ledger.close(close_record(first, 3))
        insert_all(writing, make_version(3, memory_id=alike(1), version=2), make_conflict(1, id=alike(1),
                   old_id=alike(1), new_id=alike(2)))  # fmt: skip
        writing.queue.add(make_job(4, id=alike(4)))
        writing.log.add([make_recall(5, id=alike(5))])
    both = [(alike(1), first.content), (alike(2), second.content)]
    with store.read() as reading:
        for ending in ("21c3", "4f9a21c3", END, f"-8000-{END}"):
            assert reading.records.ids_ending("memory", ending, limit=9) == both
        assert reading.records.ids_ending("memory", alike(2)[8:], limit=9) == both
        assert reading.records.ids_ending("memory", alike(2)[-29:], limit=9) == both[1:]
        assert reading.records.ids_ending("memory", "21c3", limit=1) == both[:1]
        for ending in ("21c4", "5f9a21c3", f"-8001-{END}"):
            assert reading.records.ids_ending("memory", ending, limit=9) == []
        assert reading.records.ids_ending("source", "21c3", limit=9) == [(alike(1), "chat.md:12")]
        assert reading.records.ids_ending("conflict", "21c3", limit=9) == [(alike(1), "blue or green")]
        assert reading.records.ids_ending("job", "21c3", limit=9) == [(alike(4), "extract")]
        assert reading.records.ids_ending("recall", "21c3", limit=9) == [(alike(5), "which port?")]


SCOPES = (
    *"global project:a project:ä project:a/b repo:r team:t agent:me agent:me2".split(),
    *"session:1 session:me session:me/1 session:me2/1 session:m_/1 session:ME/1".split(),
)
VIEWERS = {
    "a person": OWNER,
    "an agent of this machine": new_agent("me"),
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
        if viewer.sight.reaches(scope) and (visibility == "local" or viewer.is_person or author == viewer.id)
    }
    assert who == "a skill agent" or seen, "the control: some are seen"
    with store.write() as writing:
        for number, (scope, visibility, author) in enumerate(places, 1):
            there = {"scope": scope, "visibility": visibility, "author": author}
            version = make_version(number, memory_id=alike(number), **there)
            insert_all(writing, version, make_source(number, id=alike(number), **there))
        for number in range(1, len(places)):
            sides = {"old_id": alike(number), "new_id": alike(number + 1)}
            insert_all(writing, make_conflict(number, id=alike(number), **sides))
    with store.read() as reading:

        def found(what: str) -> list[str]:
            return [name for name, _ in reading.records.ids_ending(what, "21c3", limit=10_000, sight=viewer.sight)]

        assert found("memory") == found("source") == [alike(number) for number in sorted(seen)]
        both = [alike(number) for number in sorted(seen) if number + 1 in seen]
        assert found("conflict") == both
        assert [
            conflict.id for conflict in reading.records.conflicts_page(pending=True, sight=viewer.sight, limit=10_000)
        ] == both


def test_jobs_and_recalls_are_in_sight_of_whoever_asked(store: SqlStore) -> None:
    with store.write() as writing:
        writing.queue.add(make_job(1, asked_by="agent:me", scope=""))
        writing.queue.add(make_job(2, asked_by="agent:me", scope="project:a"))
        writing.queue.add(make_job(3, asked_by="agent:me", scope="agent:other"))
        writing.queue.add(make_job(4, asked_by="person:owner", scope=""))
        mine = make_recall(5, id=alike(5), principal="agent:me")
        writing.log.add([mine, make_recall(6, id=alike(6), principal="agent:other")])
    sight = new_agent("me").sight
    with store.read() as reading:
        found = [name for name, _ in reading.records.ids_ending("job", "0000", limit=9, sight=sight)]
        assert found == [make_job(1).id, make_job(2).id]
        assert [name for name, _ in reading.records.ids_ending("recall", "21c3", limit=9, sight=sight)] == [alike(5)]
        assert len(reading.records.ids_ending("job", "0000", limit=9, sight=EVERYTHING)) == 4
        assert len(reading.records.ids_ending("recall", "21c3", limit=9)) == 2


def test_the_limit_counts_what_is_in_sight(store: SqlStore) -> None:
    """What is hidden neither shortens a page nor moves its end."""
    hidden = {"scope": "agent:other", "visibility": "local"}
    with store.write() as writing:
        for number in range(1, 31):
            insert_all(writing, make_version(number, memory_id=alike(number), **({} if number > 24 else hidden)))
        for number in range(1, 30):
            insert_all(writing, make_conflict(number, old_id=alike(number), new_id=alike(number + 1)))
    sight = new_agent("me").sight
    with store.read() as reading:
        found = reading.records.ids_ending("memory", "21c3", limit=2, sight=sight)
        assert [name for name, _ in found] == [alike(25), alike(26)]
        assert [conflict.seq for conflict in reading.records.conflicts_page(pending=True, sight=sight, limit=2)] == [
            25,
            26,
        ]
        rest = reading.records.conflicts_page(pending=True, sight=sight, after=(26, "conflict-26"), limit=9)
        assert [conflict.seq for conflict in rest] == [27, 28, 29]
        assert [conflict.seq for conflict in reading.records.conflicts_page(pending=True, sight=Sight(), limit=2)] == [
            1,
            2,
        ]


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
        found = reading.sources.documents_between("/srv/notes/", "/srv/notes0", author="person:ada", scope="global")
    assert found == [("source-3", "/srv/notes/a/b.md", "a/b.md"), ("source-1", "/srv/notes/ops.md", "ops.md")]


def test_a_link_that_was_taken_back_is_still_known_to_have_been(store: SqlStore) -> None:
    taken_back, standing, other = make_link(1), make_link(2, to_ref=memory_id(2)), make_link(3, relationship="causes")
    with store.write() as writing:
        insert_all(writing, taken_back, standing, other)
        writing.ledger.close(close_record(taken_back, 4))
    with store.read() as reading:
        ever = reading.records.links_ever_to([memory_id(2), memory_id(4)], "supports")
        assert [link.id for link in ever] == ["link-1", "link-2"]
        assert [link.id for link in reading.records.links_of([memory_id(2)])] == ["link-2"]


def test_versions_that_share_a_key_are_known_as_long_as_both_are_in_use(store: SqlStore) -> None:
    one, two, alone, gone = make_version(1), make_version(2), make_version(3), make_version(4, status="archived")
    with store.write() as writing:
        for version, keys in ((one, (10, 11)), (two, (11, 12)), (alone, (13,)), (gone, (13,))):
            writing.ledger.insert(version)
            writing.index.add_version(version, keys, words_of(version))
    with store.read() as reading:
        assert reading.memories.numbers_sharing_keys() == {1, 2}
    with store.write() as writing:
        writing.ledger.close(close_record(two, 5))
    with store.read() as reading:
        assert reading.memories.numbers_sharing_keys() == set()
