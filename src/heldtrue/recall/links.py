"""Stage: what is linked to where a question is asked from, and to what fits it best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from heldtrue.domain.ids import is_id
from heldtrue.ports import ReadTransaction
from heldtrue.recall.documents import LinkHits, RankedDocument
from heldtrue.recall.search import Search
from heldtrue.recall.visibility import visible_links

_FURTHER = 0.5
"""What each further step along the links is worth."""
_SEEDS = 5
"""The best results whose links are followed."""


def follow_near(reading: ReadTransaction, search: Search) -> LinkHits:
    """What is linked to the memories that a question is asked from."""
    if not search.near:
        return LinkHits()
    nearness = follow_links(reading, search, dict.fromkeys(search.near, 1.0))
    return LinkHits(nearness, _versions_of(reading, search, nearness) if search.wants_memories else frozenset())


def follow_best(
    reading: ReadTransaction, search: Search, links: LinkHits, ranked: Sequence[RankedDocument]
) -> tuple[LinkHits, list[RankedDocument]] | None:
    """A second look along the links of what fits best: what comes nearer by them, and memories that they bring in."""
    fitting = (
        (document.header.memory_id, document.score)
        for document in ranked
        if document.header is not None and document.fits
    )
    seeds = best_seeds(fitting)
    reached = follow_links(reading, search, seeds) if seeds else {}
    reached = {ref: value for ref, value in reached.items() if value > links.nearness.get(ref, 0.0)}
    if not reached:
        return None
    versions = _versions_of(reading, search, reached)
    fresh = versions.difference(document.no for document in ranked if document.is_memory)
    joined = LinkHits({**links.nearness, **reached}, links.versions | versions)
    return joined, [RankedDocument(header=header) for header in reading.memories.headers(fresh, search.chosen)]


def follow_links(reading: ReadTransaction, search: Search, seeds: Mapping[str, float]) -> dict[str, float]:
    """How near each memory is to some others, from 1 for what is linked to them; two steps far.

    `seeds` gives what each starting point is worth, from 0 to 1.
    """
    reached: dict[str, float] = {}
    frontier = dict(seeds)
    worth = 1.0
    for _ in range(2):
        frontier = {
            ref: value * worth for ref, value in _linked_to(reading, search, frontier).items() if ref not in seeds
        }
        frontier = {ref: value for ref, value in frontier.items() if value > reached.get(ref, 0.0)}
        reached |= frontier
        worth *= _FURTHER
        if not frontier:
            break
    return reached


def _linked_to(reading: ReadTransaction, search: Search, frontier: Mapping[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    if not frontier or not search.state.has_links:
        return found
    links = reading.records.links_of(list(frontier), search.chosen.seq)
    for link in visible_links(reading, search.principal, links):
        for near, far in ((link.from_id, link.to_ref), (link.to_ref, link.from_id)):
            if near in frontier:
                found[far] = max(found.get(far, 0.0), frontier[near])
    return found


def best_seeds(ranked: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The memories that fit best, each with its score as a share of the best one's."""
    best = list(islice(ranked, _SEEDS))
    top = best[0][1] if best else 0.0
    return {ref: score / top for ref, score in best} if top > 0 else {}


def memory_refs(reached: Mapping[str, float]) -> list[str]:
    """Those of some references that are memories and not IRIs of other things."""
    return [ref for ref in reached if is_id(ref)]


def _versions_of(reading: ReadTransaction, search: Search, reached: Mapping[str, float]) -> frozenset[int]:
    """The versions of what links lead to, as of the sequence that was asked about."""
    refs, seq = memory_refs(reached), search.chosen.seq
    if seq is None:
        return frozenset(version.no for version in reading.memories.current_versions(refs)) if refs else frozenset()
    return frozenset(version.no for ref in refs if (version := reading.memories.version(ref, seq)) is not None)
