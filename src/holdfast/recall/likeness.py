"""Likeness token by token: for each of the question the nearest one that a document, or what is around it, has."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.ports import TokenMatcher


def compare_tokens(
    matcher: TokenMatcher,
    question: bytes,
    tokens: Sequence[bytes],
    columns: Sequence[tuple[Sequence[int], Sequence[float] | float]],
) -> list[float]:
    """How well each document covers the question's tokens, from 0 to 1.

    A column says for each document where in `tokens` a text is that counts for it (-1 for none), and how much it
    does, for all or for each; the first is the document itself.
    """
    import numpy

    used = sorted({place for places, _ in columns for place in places if place >= 0 and tokens[place]})
    if not question or not used:
        return [0.0] * len(columns[0][0])
    best = matcher.match(question, [tokens[place] for place in used])
    # One more column of zeros stands for a text that is not there.
    best = numpy.concatenate([best, numpy.zeros((len(best), 1), dtype=best.dtype)], axis=1)
    column_of = {place: column for column, place in enumerate(used)}
    near = [
        (best[:, [column_of.get(place, len(used)) for place in places]], numpy.array(weights, dtype=best.dtype))
        for places, weights in columns
    ]
    shares: list[float] = matcher.blend(question, near).tolist()
    return shares
