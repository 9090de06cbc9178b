"""The graph arm: two steps along the links that the asker may see, as they were at the moment asked about."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from heldtrue.domain.principal import EVERYTHING, OWNER, Principal, new_agent
from heldtrue.domain.records import Link
from heldtrue.domain.rows import Collection, VersionFilter
from heldtrue.recall.links import best_seeds, follow_links, memory_refs
from heldtrue.recall.profiles import DEFAULT, PROFILES
from heldtrue.recall.search import Search
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore
from tests.conformance.samples import close_record, insert_all, make_link, make_plain_version, memory_id

IRI = "https://example.org/heron"
A, B, C, D, E, F = (memory_id(number) for number in range(1, 7))
NAMES = {A: "a", B: "b", C: "c", D: "d", E: "e", F: "f", IRI: "iri"}
PRIVATE = {2: {"author": "agent:codex", "visibility": "private"}}
"""The second memory is private to an agent."""


class Web:
    """Links in a real store."""

    def __init__(self) -> None:
        self.store = SqlStore(SqliteConnector(None))
        self._numbers = count(1)
        with self.store.write() as writing:
            insert_all(writing, *(make_plain_version(no, f"memory {no}", **PRIVATE.get(no, {})) for no in range(1, 7)))

    def link(self, *pairs: tuple[str, str]) -> list[Link]:
        made = [make_link(next(self._numbers), from_id=start, to_ref=end) for start, end in pairs]
        with self.store.write() as writing:
            for link in made:
                writing.ledger.insert(link)
        return made

    def unlink(self, link: Link, seq: int) -> None:
        with self.store.write() as writing:
            writing.ledger.close(close_record(link, seq))

    def follow(
        self, seeds: dict[str, float], *, seq: int | None = None, principal: Principal = OWNER
    ) -> dict[str, float]:
        with self.store.read() as reading:
            search = Search(
                words="", chosen=VersionFilter(sight=EVERYTHING, seq=seq), collections=tuple(Collection),
                profile=PROFILES[DEFAULT], words_profile=PROFILES[DEFAULT],
                limit=10, now=0, decay={"": 0.01}, principal=principal, state=reading.index.space_state(None),
            )  # fmt: skip
            return {NAMES[ref]: value for ref, value in follow_links(reading, search, seeds).items()}


@pytest.fixture
def web() -> Iterator[Web]:
    made = Web()
    yield made
    made.store.close()


@pytest.mark.covers("A31", "A6", "D14")
def test_links_are_followed_two_steps_in_either_direction_the_second_for_half(web: Web) -> None:
    web.link((A, B), (C, B), (C, D), (D, E))
    assert web.follow({A: 1.0}) == {"b": 1.0, "c": 0.5}
    assert web.follow({C: 1.0}) == {"b": 1.0, "d": 1.0, "a": 0.5, "e": 0.5}
    assert web.follow({F: 1.0}) == {}
    assert web.follow({}) == {}


@pytest.mark.covers("A31")
def test_what_is_reached_in_two_ways_counts_by_the_better_one(web: Web) -> None:
    web.link((A, B), (B, C), (A, C), (D, E), (F, E))
    assert web.follow({A: 1.0}) == {"b": 1.0, "c": 1.0}
    assert web.follow({D: 0.4, F: 0.9}) == {"e": 0.9}
    assert web.follow({A: 0.5}) == {"b": 0.5, "c": 0.5}


def test_where_one_starts_is_not_reached(web: Web) -> None:
    web.link((A, B), (B, A), (A, A))
    assert web.follow({A: 1.0}) == {"b": 1.0}
    assert web.follow({A: 1.0, B: 0.3}) == {}


def test_circles_come_to_an_end(web: Web) -> None:
    web.link((A, B), (B, C), (C, A))
    assert web.follow({A: 1.0}) == {"b": 1.0, "c": 1.0}


@pytest.mark.covers("A6")
def test_two_memories_about_the_same_thing_elsewhere_are_two_steps_apart(web: Web) -> None:
    web.link((A, IRI), (B, IRI))
    assert web.follow({A: 1.0}) == {"iri": 1.0, "b": 0.5}
    assert memory_refs({A: 1.0, IRI: 1.0, "urn:x": 0.5, B: 0.2}) == [A, B]


@pytest.mark.covers("A31", "B11")
def test_a_link_that_may_not_be_seen_leads_nowhere(web: Web) -> None:
    web.link((A, B), (B, C), (A, D))
    assert web.follow({A: 1.0}, principal=new_agent("claude")) == {"d": 1.0}
    assert web.follow({A: 1.0}, principal=new_agent("codex")) == {"b": 1.0, "d": 1.0, "c": 0.5}
    assert web.follow({A: 1.0}) == {"b": 1.0, "d": 1.0, "c": 0.5}


@pytest.mark.covers("A14")
def test_links_are_those_of_the_moment_asked_about(web: Web) -> None:
    first, _ = web.link((A, B), (A, C))
    web.unlink(first, seq=5)
    assert web.follow({A: 1.0}) == {"c": 1.0}
    assert web.follow({A: 1.0}, seq=4) == {"b": 1.0, "c": 1.0}
    assert web.follow({A: 1.0}, seq=1) == {"b": 1.0}
    assert web.follow({A: 1.0}, seq=0) == {}
    assert web.follow({A: 1.0}, seq=5) == {"c": 1.0}


def test_the_best_results_are_where_a_second_look_starts_each_by_how_good_it_is() -> None:
    ranked = [(f"m{index}", 0.8 - index * 0.1) for index in range(8)]
    seeds = best_seeds(ranked)
    assert list(seeds) == ["m0", "m1", "m2", "m3", "m4"]
    assert seeds["m0"] == 1
    assert seeds["m4"] == pytest.approx(0.5)
    assert best_seeds([]) == {}
    assert best_seeds([("m0", 0.0)]) == {}
