"""Folding: results that say the same become one, and no source crowds out the rest."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import TypeVar

from heldtrue.language.terms import STOPWORDS, distinct_terms, index_terms, split_words

_ALIKE = 0.9
"""Share of common words from which on two texts say the same; numbers, names and denials must be the same in both."""
_DENIALS = frozenset("no nor none not never without t".split())

T = TypeVar("T")


@lru_cache(maxsize=4096)
def held_terms(text: str) -> frozenset[str]:
    """The terms that a text has. What is recalled once is mostly recalled again soon."""
    return distinct_terms(text)


class Said:
    """What a result says, in the form in which two are compared."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.terms = held_terms(text)
        self._count = len(self.terms)
        self._count_min = _ALIKE * max(1, self._count)

    @cached_property
    def exact(self) -> frozenset[str]:
        """The terms that must be the same in both."""
        words = split_words(self._text)
        names = " ".join(word for word in words if word != word.lower() and word.lower() not in STOPWORDS)
        exact = frozenset(term for term in self.terms if not term.isalpha() or term in _DENIALS)
        return exact.union(index_terms(names))

    def is_like(self, other: Said) -> bool:
        # Where one has far more terms than the other, they have too little in common whatever those are.
        if other._count < self._count_min or self._count < other._count_min:
            return False
        common = len(self.terms & other.terms)
        if common < _ALIKE * (self._count + other._count - common):
            return False
        return (self.terms ^ other.terms).isdisjoint(self.exact | other.exact)


def fold_alike(
    results: Sequence[tuple[T, Said]], stands_for: Callable[[T, T], bool] = lambda _one, _other: False
) -> list[tuple[T, list[T]]]:
    """The results in their order, each with others that say the same.

    The first one is kept, unless one further down `stands_for` it, as a memory does for the evidence it rests on.
    """
    kept: list[tuple[T, Said, list[T]]] = []
    for result, said in results:
        place = _place_like(said, kept)
        if place is None:
            kept.append((result, said, []))
        elif stands_for(result, kept[place][0]):
            first, _, folded = kept.pop(place)
            kept.append((result, said, [first, *folded]))
        else:
            kept[place][2].append(result)
    return [(result, folded) for result, _, folded in kept]


def _place_like(said: Said, kept: Sequence[tuple[T, Said, list[T]]]) -> int | None:
    for place, (_, held, _) in enumerate(kept):
        if said.is_like(held):
            return place
    return None


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
