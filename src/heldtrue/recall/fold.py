"""Stage: documents that say the same become one result, and no source crowds out the rest."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar

from heldtrue.language.terms import STOPWORDS, index_terms, split_words
from heldtrue.ports import ReadTransaction
from heldtrue.recall.documents import DocumentTexts, FoldedDocument, RankedDocument, read_texts, terms_of
from heldtrue.recall.search import Search

_ALIKE = 0.9
"""Share of common words from which on two texts say the same; numbers, names and denials must be the same in both."""
_DENIALS = frozenset("no nor none not never without t".split())
_SPARE = 3
"""How many more than are wanted are read at first, since some may say the same."""
_FURTHER = 4
"""How many times as many are read next, where too few were left."""

T = TypeVar("T")


def fold_documents(
    reading: ReadTransaction, search: Search, ranked: Sequence[RankedDocument]
) -> tuple[list[FoldedDocument], DocumentTexts]:
    """As many of the best documents as are wanted, each with those that say the same, and their texts."""
    count = search.limit + _SPARE
    while True:
        texts = read_texts(reading, ranked[:count])
        comparable = [
            (document, ComparableText(texts.text_of(document))) for document in ranked[:count] if texts.has(document)
        ]
        by_source = [
            (FoldedDocument(document, tuple(alike)), None if document.is_memory else texts.source_of(document))
            for document, alike in fold_alike(comparable, _stands_for)
        ]
        folded = limit_each(by_source, search.per_source)
        if len(folded) >= search.limit or count >= len(ranked):
            return folded[: search.limit], texts
        count *= _FURTHER


def _stands_for(document: RankedDocument, other: RankedDocument) -> bool:
    """A memory stands for evidence that says the same: it says how far to trust it, and what contradicts it."""
    return document.is_memory and not other.is_memory


class ComparableText:
    """What a document says, in the form in which two are compared."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.terms = terms_of(text)
        self._count = len(self.terms)
        self._count_min = _ALIKE * max(1, self._count)

    @cached_property
    def exact(self) -> frozenset[str]:
        """The terms that must be the same in both."""
        words = split_words(self._text)
        names = " ".join(word for word in words if word != word.lower() and word.lower() not in STOPWORDS)
        exact = frozenset(term for term in self.terms if not term.isalpha() or term in _DENIALS)
        return exact.union(index_terms(names))

    def is_like(self, other: ComparableText) -> bool:
        # Where one has far more terms than the other, they have too little in common whatever those are.
        if other._count < self._count_min or self._count < other._count_min:
            return False
        common = len(self.terms & other.terms)
        if common < _ALIKE * (self._count + other._count - common):
            return False
        return (self.terms ^ other.terms).isdisjoint(self.exact | other.exact)


def fold_alike(
    documents: Sequence[tuple[T, ComparableText]],
    stands_for: Callable[[T, T], bool] = lambda _document, _other: False,
) -> list[tuple[T, list[T]]]:
    """The documents in their order, each with others that say the same.

    The first one is kept, unless one further down `stands_for` it, as a memory does for the evidence it rests on.
    """
    kept: list[tuple[T, ComparableText, list[T]]] = []
    for document, text in documents:
        index = _index_like(text, kept)
        if index is None:
            kept.append((document, text, []))
        elif stands_for(document, kept[index][0]):
            first, _, folded = kept.pop(index)
            kept.append((document, text, [first, *folded]))
        else:
            kept[index][2].append(document)
    return [(document, folded) for document, _, folded in kept]


def _index_like(text: ComparableText, kept: Sequence[tuple[T, ComparableText, list[T]]]) -> int | None:
    for index, (_, other, _) in enumerate(kept):
        if text.is_like(other):
            return index
    return None


def limit_each(documents: Iterable[tuple[T, Hashable | None]], most: int | None) -> list[T]:
    """The documents in their order, no more than some of each source; what has no source is not limited."""
    taken: dict[Hashable, int] = {}
    kept = []
    for document, source in documents:
        if most is not None and source is not None:
            taken[source] = taken.get(source, 0) + 1
            if taken[source] > most:
                continue
        kept.append(document)
    return kept
