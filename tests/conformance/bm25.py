"""BM25 as a textbook and the FTS5 manual describe it, written without looking at either store."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

K1 = 1.2
B = 0.75
WEIGHTS = (2.0, 1.0, 1.5)
"""Title, content, topic."""
COMMON_WORD = 1e-6
"""What a word in half of all documents or more is worth."""

Document = tuple[Sequence[str], Sequence[str], Sequence[str]]
"""The words of the title, of the content and of the topic."""


def score_documents(documents: Mapping[int, Document], terms: Sequence[str]) -> dict[int, float]:
    """The score of every document that holds any of the terms."""
    lengths = {no: sum(len(column) for column in document) for no, document in documents.items()}
    usual = sum(lengths.values()) / len(documents)
    scores: dict[int, float] = {}
    for term in terms:
        frequencies = {no: weigh_term(document, term) for no, document in documents.items()}
        worth = weigh_rarity(len(documents), sum(1 for frequency in frequencies.values() if frequency))
        for no, frequency in frequencies.items():
            if frequency:
                saturated = frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * lengths[no] / usual))
                scores[no] = scores.get(no, 0.0) + worth * saturated
    return scores


def weigh_term(document: Document, term: str) -> float:
    return sum(weight * list(column).count(term) for weight, column in zip(WEIGHTS, document, strict=True))


def weigh_rarity(documents: int, holding: int) -> float:
    worth = math.log((documents - holding + 0.5) / (holding + 0.5))
    return worth if worth > 0 else COMMON_WORD
