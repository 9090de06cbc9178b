"""Scores: each part of a result's score as a named number in [0, 1], and their weighted sum."""

from __future__ import annotations

import math
from collections.abc import Mapping

from holdfast.domain.memory import MemoryVersion

_BM25_HALF = 3.0
"""The BM25 score that counts as half relevant; it keeps the part in [0, 1] without depending on the other results."""
_DAY_US = 86_400_000_000


def text_part(bm25: float) -> float:
    """How well the words match."""
    return bm25 / (bm25 + _BM25_HALF) if bm25 > 0 else 0.0


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
