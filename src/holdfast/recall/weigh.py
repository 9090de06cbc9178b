"""Scores: each part of a result's score as a named number in [0, 1], and their weighted sum."""

from __future__ import annotations

import math
from collections.abc import Mapping

from holdfast.domain.memory import MemoryVersion

_DAY_US = 86_400_000_000
_USUAL_TERMS = 12
_SATURATION, _LENGTH_SHARE = 1.2, 0.75
"""BM25's constants: how soon a word repeated counts no more, and how much a long text is held against it."""


def rarity_of(found: int, total: int) -> float:
    """What a term tells, from how many of all versions have it; never zero, so that a small memory ranks well too."""
    return math.log(1 + (max(total, found) - found + 0.5) / (found + 0.5))


def text_part(held: Mapping[str, float], length: int, rarities: Mapping[str, float]) -> float:
    """How much of what the question asks for is in a text: BM25, as a share of the most it could be."""
    asked = sum(rarities.values())
    damping = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length / _USUAL_TERMS)
    got = 0.0
    for term, rarity in rarities.items():
        if times := held.get(term, 0.0):
            got += rarity * min(1.0, times * (1 + _SATURATION) / (times + damping))
    return got / asked if asked else 0.0


def topic_part(memory: MemoryVersion, topic: str | None) -> float:
    """Whether it is about the topic that was asked for."""
    if not topic or not memory.topic:
        return 0.0
    from holdfast.language.normalise import fold_text  # its tables are only needed where a topic was asked for

    return 1.0 if fold_text(memory.topic) == fold_text(topic) else 0.0


def recency_part(memory: MemoryVersion, *, now: int, half_life_days: float) -> float:
    """How fresh it is: halves every half-life."""
    days = max(0, now - memory.observed_at) / _DAY_US
    return math.exp2(-days / half_life_days)


def weigh_parts(parts: Mapping[str, float], weights: Mapping[str, float]) -> tuple[float, dict[str, float]]:
    """The score, and what each part contributed to it; together the contributions are the score."""
    total = sum(weights.values()) or 1.0
    shares = {name: round(weights[name] / total * value, 6) for name, value in parts.items()}
    return round(sum(shares.values()), 6), shares
