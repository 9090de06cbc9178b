"""Scores: the weighted sum of a document's parts, what each part contributes, and how age shrinks it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from heldtrue.domain.times import DAY_US
from heldtrue.recall.documents import RankedDocument
from heldtrue.recall.search import Search


def recency_part(document: RankedDocument, search: Search) -> float:
    """How fresh it is: exp(-rate x days), with the rate of its category."""
    category = document.header.category if document.header is not None else None
    days = max(0, search.now - document.happened_at) / DAY_US
    return math.exp(-search.decay.get(category or "", search.decay[""]) * days)


def add_up(document: RankedDocument, weights: Mapping[str, float], search: Search) -> None:
    """Score a document: the weighted sum of its parts; a profile that decays shrinks it with age."""
    parts, document.weights = document.parts, weights
    score = 0.0
    for part, weight in weights.items():
        if part in parts:
            score += weight * parts[part]
    document.score = score * recency_part(document, search) if search.profile.decays else score


def add_part(document: RankedDocument, part: str, value: float, search: Search) -> None:
    """Put one part into a score that was added up without it, or with another value of it."""
    more = document.weights.get(part, 0.0) * (value - document.parts.get(part, 0.0))
    document.parts[part] = value
    document.score += more * recency_part(document, search) if search.profile.decays else more


def break_down(document: RankedDocument, search: Search) -> tuple[float, dict[str, float], dict[str, float]]:
    """The score, what each part contributed to it, and how large each part is.

    Together the contributions are the score.
    """
    shrink = recency_part(document, search) if search.profile.decays else 1.0
    value_of = document.parts.get
    parts = {part: value_of(part, 0.0) for part in document.weights}
    shares = {part: round(weight * parts[part] * shrink, 6) for part, weight in document.weights.items()}
    return round(sum(shares.values()), 6), shares, parts
