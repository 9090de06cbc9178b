"""Folding: results that say the same become one, and no source crowds out the rest."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from holdfast.language.terms import index_terms

_ALIKE = 0.9
"""Share of common words from which on two texts say the same; numbers and names must be the same in both."""

T = TypeVar("T")


class Said:
    """What a result says, in the form in which two are compared."""

    def __init__(self, text: str) -> None:
        self.terms = frozenset(index_terms(text))
        self.exact = frozenset(term for term in self.terms if not term.isalpha())

    def is_like(self, other: Said) -> bool:
        if self.exact != other.exact:
            return False
        common = len(self.terms & other.terms)
        return common >= _ALIKE * max(1, len(self.terms | other.terms))


def fold_alike(results: Sequence[tuple[T, Said]]) -> list[tuple[T, list[T]]]:
    """The results in their order, each with those further down that say the same."""
    kept: list[tuple[T, Said, list[T]]] = []
    for result, said in results:
        for _, held, folded in kept:
            if said.is_like(held):
                folded.append(result)
                break
        else:
            kept.append((result, said, []))
    return [(result, folded) for result, _, folded in kept]


def limit_each(results: Iterable[tuple[T, Hashable | None]], most: int | None) -> list[T]:
    """The results in their order, no more than some of each source; what has no source is not limited."""
    taken: dict[Hashable, int] = {}
    kept = []
    for result, source in results:
        if most is not None and source is not None:
            taken[source] = taken.get(source, 0) + 1
            if taken[source] > most:
                continue
        kept.append(result)
    return kept
