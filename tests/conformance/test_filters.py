"""A search sees exactly what its filter lets it see, whether it lists or looks at what its words have found."""

from __future__ import annotations

from typing import Any

import pytest

from heldtrue.domain.memory import MemoryVersion, Visibility
from heldtrue.domain.principal import Sight
from heldtrue.domain.rows import RankedHeader, VersionFilter
from heldtrue.storage.store import SqlStore
from tests.conformance.samples import close_record, insert_all, make_plain_version, make_source, memory_id, words_of

ALL = [6, 4, 3, 2, 1]
CASES: dict[str, tuple[dict[str, Any], list[int]]] = {
    "nothing asked": ({}, ALL),
    "one scope": ({"scopes": ("global",)}, [6, 1]),
    "two scopes": ({"scopes": ("global", "team:x")}, [6, 4, 1]),
    "no scope at all": ({"scopes": ()}, []),
    "a scope in other letters": ({"scopes": ("GLOBAL",)}, []),
    "a scope as a pattern": ({"scopes": ("%", "team:*", "")}, []),
    "one status": ({"statuses": ("active",)}, [6, 2, 1]),
    "two statuses": ({"statuses": ("inbox", "superseded")}, [4, 3]),
    "one kind": ({"kinds": ("decision",)}, [3, 2]),
    "a kind nobody has": ({"kinds": ("insight",)}, []),
    "topic": ({"topic": "storage"}, [3, 2]),
    "a topic with a percent sign": ({"topic": "100%"}, [4]),
    "a topic as a pattern": ({"topic": "%"}, []),
    "an empty topic is not a missing one": ({"topic": ""}, []),
    "project": ({"project_id": "atlas"}, [3, 2]),
    "repo": ({"repo_id": "web"}, [3]),
    "author": ({"author": "agent:b"}, [4, 3]),
    "an author with quotes": ({"author": "x' OR '1'='1"}, []),
    "scopes that begin alike": ({"scopes": ("global",), "beginnings": ("team:",)}, [6, 4, 1]),
    "a beginning alone": ({"scopes": (), "beginnings": ("project:at",)}, [3, 2]),
    "a beginning as a pattern": ({"scopes": (), "beginnings": ("te%", "project:atlas-")}, []),
    "private to one agent": ({"reader": "agent:a"}, [6, 4, 2, 1]),
    "private to another": ({"reader": "agent:b"}, [6, 4, 3, 1]),
    "private to nobody known": ({"reader": ""}, [6, 4, 1]),
    "confidence": ({"min_confidence": 0.5}, [6, 4, 3, 2]),
    "full confidence": ({"min_confidence": 1.0}, [4]),
    "observed after": ({"observed_after": 300}, [6, 4, 3]),
    "observed after the beginning": ({"observed_after": 0}, ALL),
    "held before": ({"valid_at": 9}, [6, 4, 1]),
    "held from its first moment": ({"valid_at": 10}, [6, 4, 2, 1]),
    "held until its last moment": ({"valid_at": 15}, [6, 3, 2, 1]),
    "held after": ({"valid_at": 20}, [6, 3, 1]),
    "held at zero": ({"valid_at": 0}, [6, 4, 1]),
    "not ended by": ({"not_ended_by": 14}, ALL),
    "ended at that moment": ({"not_ended_by": 15}, [6, 3, 2, 1]),
    "not ended, also what has not begun": ({"not_ended_by": -5}, ALL),
    "before everything": ({"seq": 0}, []),
    "as of an entry": ({"seq": 3}, [3, 2, 1]),
    "as of the entry before a correction": ({"seq": 5}, [5, 4, 3, 2, 1]),
    "as of the correction": ({"seq": 6}, ALL),
    "as of the end of time": ({"seq": 2**62}, ALL),
    "scope, status and kind": (
        {"scopes": ("project:atlas", "global"), "statuses": ("active",), "kinds": ("decision", "lesson")},
        [6, 2],
    ),
    "as of, privacy and scope": ({"seq": 5, "reader": "agent:b", "scopes": ("project:atlas", "global")}, [5, 3, 1]),
    "everything at once": (
        {
            "scopes": ("project:atlas",), "reader": "agent:a", "statuses": ("active",), "kinds": ("decision",),
            "topic": "storage", "project_id": "atlas", "repo_id": "core", "author": "agent:a", "min_confidence": 0.5,
            "observed_after": 200, "seq": 4, "valid_at": 12, "not_ended_by": 12,
        },
        [2],
    ),
}  # fmt: skip


def choose(
    *, scopes: tuple[str, ...] | None = None, beginnings: tuple[str, ...] = (), reader: str | None = None, **asked: Any
) -> VersionFilter:
    return VersionFilter(sight=Sight(scopes, beginnings, reader), **asked)


@pytest.fixture
def shelf(store: SqlStore) -> SqlStore:
    """Six versions of five memories; the fifth was replaced by the sixth."""
    told = {"scope": "global", "author": "agent:a", "kind": "note", "confidence": 0.2, "observed_at": 100}
    old = make_plain_version(5, "common five", **(told | {"confidence": 0.7, "observed_at": 500}))
    with store.write() as writing:
        insert_all(
            writing,
            make_plain_version(1, "common one", **told),
            make_plain_version(
                2, "common two", scope="project:atlas", author="agent:a", visibility="private", confidence=0.5,
                observed_at=200, valid_from=10, valid_to=20, topic="storage", project_id="atlas", repo_id="core",
            ),
            make_plain_version(
                3, "common three", scope="project:atlas", author="agent:b", visibility="private", observed_at=300,
                status="superseded", valid_from=15, topic="storage", project_id="atlas", repo_id="web",
            ),
            make_plain_version(
                4, "common four", scope="team:x", author="agent:b", visibility="shared", confidence=1.0, kind="note",
                observed_at=400, status="inbox", valid_to=15, topic="100%", project_id="zeus",
            ),
            old,
        )  # fmt: skip
        writing.ledger.close(close_record(old, 6))
        later = told | {"kind": "lesson", "confidence": 0.7, "observed_at": 600}
        insert_all(writing, make_plain_version(6, "common six", **later, memory_id=memory_id(5), version=2))
    return store


@pytest.mark.covers("B19", "A14")
@pytest.mark.parametrize(("asked", "wanted"), CASES.values(), ids=CASES.keys())
def test_a_list_holds_what_the_filter_lets_through_newest_first(
    shelf: SqlStore, asked: dict[str, Any], wanted: list[int]
) -> None:
    with shelf.read() as reading:
        found = reading.memories.list_versions(choose(**asked), before=None, limit=50)
    assert [version.no for version in found] == wanted


@pytest.mark.covers("B19", "A14")
@pytest.mark.parametrize(("asked", "wanted"), CASES.values(), ids=CASES.keys())
def test_what_words_found_is_seen_only_within_the_filter(
    shelf: SqlStore, asked: dict[str, Any], wanted: list[int]
) -> None:
    with shelf.read() as reading:
        found = reading.memories.headers(range(1, 9), choose(**asked))
        newest = reading.memories.newest_headers(choose(**asked), limit=50)
        other = reading.memories.headers([7, 8], choose(**asked))
    assert [header.no for header in found] == wanted[::-1]
    assert [header.no for header in newest] == wanted
    assert other == []


def test_a_lead_tells_what_a_version_says_of_itself_and_how_it_was_used(shelf: SqlStore) -> None:
    with shelf.write() as writing:
        writing.log.count_uses([memory_id(2)], recalled=3, priority=0.25)
    with shelf.read() as reading:
        used, unused = reading.memories.headers([2, 4], choose())
        versions = reading.memories.versions_numbered([4, 2, 9])
    for header, version in zip((used, unused), versions, strict=True):
        said = {name: getattr(version, name) for name in RankedHeader.__struct_fields__ if hasattr(version, name)}
        assert {name: getattr(header, name) for name in said} == said
        assert len(said) == len(RankedHeader.__struct_fields__) - 2
    assert (used.priority, used.recalled) == (0.25, 3)
    assert (unused.priority, unused.recalled) == (None, None)


def test_a_limit_counts_what_the_filter_lets_through(shelf: SqlStore) -> None:
    """A filter applied after the search would leave too few."""
    with shelf.read() as reading:
        assert [header.no for header in reading.memories.newest_headers(choose(kinds=("decision",)), limit=2)] == [3, 2]
        assert len(reading.memories.newest_headers(choose(), limit=2)) == 2
        assert reading.memories.newest_headers(choose(), limit=0) == []
        assert reading.memories.headers([], choose()) == []


def test_a_list_is_paged_without_gap_or_repeat(shelf: SqlStore) -> None:
    pages: list[list[int]] = []
    before: int | None = None
    with shelf.read() as reading:
        while page := reading.memories.list_versions(choose(), before=before, limit=2):
            pages.append([version.no for version in page])
            before = page[-1].no
    assert pages == [[6, 4], [3, 2], [1]]


def test_keys_find_live_versions_once_the_active_first(store: SqlStore) -> None:
    statuses = ["active", "active", "inbox", "superseded", "contradicted", "rejected", "retracted", "archived"]
    with store.write() as writing:
        for no, status in enumerate(statuses, 1):
            version = make_plain_version(no, f"text {no}", status=status)
            writing.ledger.insert(version)
            writing.index.add_version(version, [70, 80, 80, no], words_of(version))
        writing.ledger.close(close_record(make_plain_version(2, "text 2"), 9))
    with store.read() as reading:
        assert [version.no for version in reading.memories.live_by_keys([70, 80, 1], limit=9)] == [1, 3]
        assert [version.no for version in reading.memories.live_by_keys(iter([70, 80]), limit=1)] == [1]
        assert reading.memories.live_by_keys([2, 4, 5, 6, 7, 8, 99], limit=9) == []
        assert reading.memories.live_by_keys([], limit=9) == []
        under = reading.memories.live_under_keys(iter([70, 1, 3, 4, 99]), limit=9)
        assert {key: [version.no for version in found] for key, found in under.items()} == {70: [1, 3], 1: [1], 3: [3]}
        assert reading.memories.live_under_keys([], limit=9) == {}
        assert reading.memories.live_under_keys([2, 4, 99], limit=9) == {}
    with store.write() as writing:
        writing.index.clear()
    with store.read() as reading:
        assert reading.memories.live_by_keys([70], limit=9) == []
        assert reading.memories.live_under_keys([70], limit=9) == {}


def test_the_limit_holds_for_each_key_by_itself(store: SqlStore) -> None:
    """What a person stands behind comes first, then what is active, then the newest."""
    with store.write() as writing:
        for no in range(1, 31):
            verified_by = "person:ada" if no == 2 else None
            version = make_plain_version(
                no, f"text {no}", status="inbox" if no % 3 else "active", verified_by=verified_by
            )
            writing.ledger.insert(version)
            writing.index.add_version(version, [70 if no <= 20 else 80, 90], words_of(version))
    with store.read() as reading:
        under = reading.memories.live_under_keys([70, 80, 90, 99], limit=4)
        numbers = {key: [version.no for version in found] for key, found in under.items()}
        assert numbers == {70: [2, 18, 15, 12], 80: [30, 27, 24, 21], 90: [2, 30, 27, 24]}
        for key, found in under.items():
            assert found == reading.memories.live_by_keys([key], limit=4), key


SIGHTS = [
    Sight(scopes, beginnings, reader)
    for scopes in (None, (), ("global",), ("global", "team:x"))
    for beginnings in ((), ("te",))
    for reader in (None, "", "agent:a", "agent:b")
]


@pytest.mark.covers("B11")
def test_who_sees_a_row_is_the_same_in_sql_and_in_python(store: SqlStore) -> None:
    """The rule is written once in each: here every row meets every sight in both."""
    written: list[MemoryVersion] = []
    for scope in ("global", "team:x", "project:y"):
        for author in ("agent:a", "agent:b"):
            for visibility in Visibility:
                number = len(written) + 1
                about: dict[str, Any] = {"scope": scope, "author": author, "visibility": visibility.value}
                written.append(make_plain_version(number, "common", **about))
    sources = [
        make_source(
            version.no,
            id=f"01920000-0000-7000-9000-{version.no:012d}",
            scope=version.scope,
            author=version.author,
            visibility=version.visibility,
            thread=version.scope,
        )
        for version in written
    ]
    with store.write() as writing:
        insert_all(writing, *written, *sources)
    with store.read() as reading:
        for sight in SIGHTS:
            seen = [version for version in written if sight.covers(version.scope, version.privacy)]
            listed = reading.memories.list_versions(VersionFilter(sight=sight), before=None, limit=50)
            assert [version.no for version in reversed(listed)] == [version.no for version in seen], sight
            for memory in written:
                ending = memory.memory_id[-12:]
                found = [name for name, _ in reading.records.ids_ending("memory", ending, limit=50, sight=sight)]
                assert found == [version.memory_id for version in seen if version.memory_id.endswith(ending)], sight
            endings = {source.id[-12:] for source in sources}
            named = {
                name for ending in endings
                for name, _ in reading.records.ids_ending("source", ending, limit=50, sight=sight)
            }  # fmt: skip
            assert named == {source.id for source in sources if sight.covers(source.scope, source.privacy)}, sight
            assert sum(row[6] for row in reading.memories.counts(sight=sight, now=0)) == len(seen), sight
            shelves = {(shelf.scope, shelf.privacy) for shelf in reading.index.shelves(["memory"], sight)}
            assert shelves == {(version.scope, version.privacy) for version in seen}, sight
