"""Stage: documents that say the same become one result, and neither a source nor an agent crowds out the rest."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar

from heldtrue.domain.principal import read_principal
from heldtrue.language.terms import STOP_STEMS, STOPWORDS, index_terms, split_words
from heldtrue.ports import ReadTransaction
from heldtrue.recall.documents import (
    DocumentTexts,
    FoldedDocument,
    FoldedDocuments,
    RankedDocument,
    read_texts,
    terms_of,
)
from heldtrue.recall.search import Search

_ALIKE = 0.9
"""Share of common words from which on two texts say the same; numbers, names and denials must be the same in both."""
_DENIALS = frozenset("no nor none not never without t".split())
_SPARE = 3
"""How many more than are wanted are read at first, since some may say the same."""
_FURTHER = 4
"""How many times as many are read next, where too few were left."""

T = TypeVar("T")


def fold_documents(reading: ReadTransaction, search: Search, ranked: Sequence[RankedDocument]) -> FoldedDocuments:
    """As many of the best documents as are wanted, each with those that say the same, and their texts."""
    count = search.limit + _SPARE
    while True:
        texts = read_texts(reading, ranked[:count], search.chosen.seq)
        comparable = [
            (document, ComparableText(texts.text_of(document)))
            for document in ranked[:count]
            if texts.has(document) and _answers_still(document, texts, search)
        ]
        by_source = [
            (FoldedDocument(document, tuple(alike)), None if document.is_memory else texts.source_of(document))
            for document, alike in fold_alike(comparable, _stands_for)
        ]
        folded, crowd = _limit_copies(limit_each(by_source, search.per_source), texts, search)
        if len(folded) >= search.limit or count >= len(ranked):
            return FoldedDocuments(folded[: search.limit], texts, crowd)
        count *= _FURTHER


# Near copies

_COPIES_OF_TEN = 2
"""How many of ten results may be near copies that one agent wrote and no person has verified."""
_COPIED = 0.65
"""Share of the shorter one's words from which on two memories of an agent may be near copies."""
_SAME_ANSWER = 0.5
"""The same share of the words that the question does not have: near copies give the same answer to it, while what an
agent knows about several things of a kind gives different ones."""


class _Copies:
    """A memory, and how many near copies of it were taken."""

    __slots__ = ("author", "first", "folded", "taken", "terms")

    def __init__(self, author: str, first: int, terms: frozenset[str]) -> None:
        self.author = author
        self.first = first
        self.terms = terms
        self.taken = 1
        self.folded: list[RankedDocument] = []


def _limit_copies(
    documents: Sequence[FoldedDocument], texts: DocumentTexts, search: Search
) -> tuple[list[FoldedDocument], tuple[str, ...]]:
    """The documents with few near copies of what one agent wrote and nobody verified, and the authors of those that
    were left out. What is left out is named with the first of its kind.
    """
    most = _COPIES_OF_TEN * max(1, -(-search.limit // 10))
    asked = frozenset(search.question.terms)
    groups: list[_Copies] = []
    kept: list[FoldedDocument] = []
    for folded in documents:
        header = folded.document.header
        if header is None or header.verified_by is not None or read_principal(header.author).is_person:
            kept.append(folded)
            continue
        terms = terms_of(texts.text_of(folded.document)) - STOP_STEMS
        group = _find_group(groups, header.author, terms, asked)
        if group is None:
            groups.append(_Copies(header.author, len(kept), terms))
        elif group.taken < most:
            group.taken += 1
        else:
            group.folded += [folded.document, *folded.alike]
            continue
        kept.append(folded)
    crowded = [group for group in groups if group.folded]
    for group in crowded:
        first = kept[group.first]
        kept[group.first] = FoldedDocument(first.document, (*first.alike, *group.folded))
    return kept, tuple(sorted({group.author for group in crowded}))


def _find_group(groups: Sequence[_Copies], author: str, terms: frozenset[str], asked: frozenset[str]) -> _Copies | None:
    for group in groups:
        if group.author == author and _are_copies(group.terms, terms, asked):
            return group
    return None


def _are_copies(first: frozenset[str], second: frozenset[str], asked: frozenset[str]) -> bool:
    """Whether two texts of one author are near copies, given the words of the question."""
    if _overlap(first, second) < _COPIED:
        return False
    answer, other = first - asked, second - asked
    return not answer or not other or _overlap(answer, other) >= _SAME_ANSWER


def _overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """The share of the shorter one's words that both have."""
    return len(first & second) / max(1, min(len(first), len(second)))


def _answers_still(document: RankedDocument, texts: DocumentTexts, search: Search) -> bool:
    """Whether it is found by what it shows: no hidden sentence has a word of the question that the rest lacks."""
    hidden = "" if document.is_memory else texts.passages[document.no].hidden
    if not hidden:
        return True
    only_hidden = terms_of(hidden) - terms_of(texts.text_of(document)) - STOP_STEMS
    return only_hidden.isdisjoint(search.question.terms)


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


def _index_like(text: ComparableText, groups: Sequence[tuple[T, ComparableText, list[T]]]) -> int | None:
    for index, (_, other, _) in enumerate(groups):
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
