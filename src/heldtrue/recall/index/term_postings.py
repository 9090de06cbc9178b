"""The postings of some words on the shelves of a search, those of memories apart from those of evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

import msgspec

from heldtrue.domain.rows import Collection, Shelf, SpaceState
from heldtrue.ports import ReadTransaction
from heldtrue.recall.index.cache import IndexCache, PendingPostings
from heldtrue.recall.index.postings import PostingList

_USUAL_LENGTH, _DOCS_FROM = 12.0, 8
"""The length of an ordinary document, and how many documents the shelves need to have before their own average
counts."""


class WordIndex(msgspec.Struct, frozen=True):
    """What a search looks words up in."""

    reading: ReadTransaction
    state: SpaceState
    shelves: Sequence[Shelf]
    cache: IndexCache
    unseen: AbstractSet[int] = frozenset()
    """Passages that count nowhere, not for their neighbours either."""


class TermPostings(msgspec.Struct):
    """The postings of words in one sort of documents: memories, or passages of evidence."""

    lists: dict[str, list[Sequence[int]]] = {}
    docs: int = 0
    """How many documents of the sort there are."""
    tokens: int = 0
    """How many words they have in all."""
    shelves: dict[int, dict[str, PostingList]] = {}
    """Those of the lists that are posted, by shelf."""

    def count(self, term: str) -> int:
        return sum(map(len, self.lists.get(term, ())))

    def docs_of(self, term: str) -> set[int]:
        """The documents that have a word."""
        return {posting >> 16 for postings in self.lists.get(term, ()) for posting in postings}

    @property
    def usual_length(self) -> float:
        return self.tokens / self.docs if self.docs >= _DOCS_FROM and self.tokens else _USUAL_LENGTH


def gather_postings(index: WordIndex, terms: Sequence[str]) -> tuple[TermPostings, TermPostings]:
    """The postings of some words in memories and in evidence."""
    is_memory = {shelf.no: shelf.collection == Collection.MEMORY for shelf in index.shelves}
    pending, sizes = index.cache.follow(index.reading, index.state)
    sorts = {True: TermPostings(), False: TermPostings()}
    for shelf in index.shelves:
        docs, tokens = sizes.get(shelf.no, (0, 0))
        own = sorts[is_memory[shelf.no]]
        own.docs += shelf.docs + docs
        own.tokens += shelf.tokens + tokens
    for number, term, postings in index.cache.posted.read(index.reading, index.state, list(is_memory), terms):
        own = sorts[is_memory[number]]
        own.lists.setdefault(term, []).append(postings)
        own.shelves.setdefault(number, {})[term] = postings
    if pending:
        _add_pending(pending, is_memory, terms, sorts)
    if index.unseen:
        _leave_out(sorts[False], index.unseen)
    return sorts[True], sorts[False]


def _add_pending(
    pending: PendingPostings,
    is_memory: Mapping[int, bool],
    terms: Iterable[str],
    sorts: Mapping[bool, TermPostings],
) -> None:
    for term in dict.fromkeys(terms):
        fresh: dict[bool, list[int]] = {True: [], False: []}
        for number, posting in pending.get(term, ()):
            if number in is_memory:
                fresh[is_memory[number]].append(posting)
        for sort, postings in fresh.items():
            if postings:
                sorts[sort].lists.setdefault(term, []).append(postings)


def _leave_out(evidence: TermPostings, unseen: AbstractSet[int]) -> None:
    for term, lists in list(evidence.lists.items()):
        seen = [[posting for posting in postings if posting >> 16 not in unseen] for postings in lists]
        evidence.lists[term] = [postings for postings in seen if postings]
        if not evidence.lists[term]:
            del evidence.lists[term]
