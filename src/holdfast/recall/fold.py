"""Folding: results that say the same become one, and no source crowds out the rest."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from holdfast.language.terms import STOPWORDS, index_terms, split_words

_ALIKE = 0.9
"""Share of common words from which on two texts say the same; numbers, names and denials must be the same in both."""
_DENIALS = frozenset("no nor none not never without t".split())

T = TypeVar("T")


class Said:
    """What a result says, in the form in which two are compared."""

    def __init__(self, text: str) -> None:
        self.terms = frozenset(index_terms(text))
        names = " ".join(word for word in split_words(text) if word != word.lower() and word.lower() not in STOPWORDS)
        self.exact = frozenset(term for term in self.terms if not term.isalpha() or term in _DENIALS)
        self.exact |= frozenset(index_terms(names))

    def is_like(self, other: Said) -> bool:
        differing = self.terms ^ other.terms
        if not differing.isdisjoint(self.exact | other.exact):
            return False
        every = len(self.terms | other.terms)
        return every - len(differing) >= _ALIKE * max(1, every)


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
