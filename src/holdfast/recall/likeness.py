"""Word-by-word likeness by a token table: for each token of the question the nearest one a document has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from holdfast.ports import TokenTable

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

_RARE_FROM = 259
"""Vocabularies of this kind list single bytes first and then their tokens, the most common before the rarer."""


def compare_tokens(
    table: TokenTable, question: bytes, tokens: Sequence[bytes], columns: Sequence[tuple[Sequence[int], float]]
) -> list[float]:
    """How well each document covers the question's tokens, from 0 to 1.

    A column says for each document where in `tokens` a text is that counts for it (-1 for none), and how much it does.
    """
    import numpy

    asked = numpy.unique(numpy.frombuffer(question, dtype="<u2"))
    used = sorted({place for places, _ in columns for place in places if place >= 0 and tokens[place]})
    count = len(columns[0][0])
    if not len(asked) or not used:
        return [0.0] * count
    best = _nearest_tokens(table, asked, [tokens[place] for place in used])
    # One more column of zeros stands for a text that is not there.
    best = numpy.concatenate([best, numpy.zeros((len(asked), 1), dtype=best.dtype)], axis=1)
    column_of = {place: column for column, place in enumerate(used)}
    untold = numpy.ones((len(asked), count), dtype=numpy.float32)
    for places, weight in columns:
        # The chance that none of the texts has it: what one lacks, its neighbour may say.
        untold *= 1 - weight * best[:, [column_of.get(place, len(used)) for place in places]]
    rarity = numpy.log(2 + numpy.maximum(asked.astype(numpy.float32) - _RARE_FROM, 0))
    shares: list[float] = ((rarity / rarity.sum()) @ (1 - untold)).tolist()
    return shares


def _nearest_tokens(table: TokenTable, asked: Array, texts: Sequence[bytes]) -> Array:
    """For each token asked for and each text the square of the best cosine among the text's tokens."""
    import numpy

    flat = numpy.frombuffer(b"".join(texts), dtype="<u2")
    every, places = numpy.unique(flat, return_inverse=True)
    near = numpy.maximum(_products(table.rows(asked), table.rows(every)), 0.0) ** 2
    starts = numpy.cumsum([0, *(len(text) // 2 for text in texts[:-1])])
    best: Array = numpy.maximum.reduceat(near[:, places], starts, axis=1)
    return best


_QUIET = 200_000
"""Multiplications up to which the library behind `@` works in this thread alone; others spin, and cost more than this."""


def _products(left: Array, right: Array) -> Array:
    """The products of all rows of one table with all rows of another."""
    import numpy

    step = max(1, _QUIET // left.size)
    pieces = [left @ right[start : start + step].T for start in range(0, len(right), step)]
    joined: Array = numpy.concatenate(pieces, axis=1)
    return joined
