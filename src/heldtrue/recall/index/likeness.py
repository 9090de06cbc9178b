"""Similarity by token: for each token of the question, the nearest token in a document or its neighbours."""

from __future__ import annotations

from collections.abc import Sequence

from heldtrue.model_ports import TokenMatcher


def compare_tokens(
    matcher: TokenMatcher,
    question: bytes,
    columns: Sequence[tuple[Sequence[bytes], Sequence[float] | float]],
) -> list[float]:
    """How well each document covers the question's tokens, from 0 to 1.

    A column has for each document the tokens of a text that counts for it (no bytes for none), and how much it does,
    for all or for each; the first is the document itself.
    """
    import numpy

    used = list(dict.fromkeys(text for texts, _ in columns for text in texts if text))
    if not question or not used:
        return [0.0] * len(columns[0][0])
    best = matcher.match(question, used)
    # One more column of zeros stands for a text that is not there.
    best = numpy.concatenate([best, numpy.zeros((len(best), 1), dtype=best.dtype)], axis=1)
    column_of = {text: column for column, text in enumerate(used)}
    near = [
        (best[:, [column_of.get(text, len(used)) for text in texts]], numpy.array(weights, dtype=best.dtype))
        for texts, weights in columns
    ]
    shares: list[float] = matcher.blend(question, near).tolist()
    return shares
