"""The graph arm: what is linked to where a question is asked from, and to what fits it best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

from heldtrue.domain.ids import is_id
from heldtrue.ports import Reading
from heldtrue.recall.search import Search

_FURTHER = 0.5
"""What each further step along the links is worth."""
_SEEDS = 5
"""The best results whose links are followed."""


def follow_links(reading: Reading, question: Search, seeds: Mapping[str, float]) -> dict[str, float]:
    """How near each memory is to some others, from 1 for what is linked to them; two steps far.

    `seeds` gives the standing of where to start from, from 0 to 1.
    """
    reached: dict[str, float] = {}
    frontier = dict(seeds)
    worth = 1.0
    for _ in range(2):
        frontier = {
            ref: standing * worth
            for ref, standing in _neighbours(reading, question, frontier).items()
            if ref not in seeds
        }
        frontier = {ref: value for ref, value in frontier.items() if value > reached.get(ref, 0.0)}
        reached |= frontier
        worth *= _FURTHER
        if not frontier:
            break
    return reached


def _neighbours(reading: Reading, question: Search, frontier: Mapping[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    if not frontier or not question.has_links:
        return found
    for link in question.visible_links(reading.links_of(list(frontier), question.chosen.seq)):
        for one, other in ((link.from_id, link.to_ref), (link.to_ref, link.from_id)):
            if one in frontier:
                found[other] = max(found.get(other, 0.0), frontier[one])
    return found


def best_seeds(ranked: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The memories that fit best, each with its score as a share of the best one's."""
    best = list(islice(ranked, _SEEDS))
    top = best[0][1] if best else 0.0
    return {ref: score / top for ref, score in best} if top > 0 else {}


def memory_refs(reached: Mapping[str, float]) -> list[str]:
    """Those of some references that are memories and not IRIs of other things."""
    return [ref for ref in reached if is_id(ref)]
