"""Postings in memory: the postings of one word on one shelf, and a cache for common words."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, overload

from heldtrue.domain.limits import DOCUMENT_NUMBERS_MAX, POSTINGS_CACHED_MAX
from heldtrue.domain.posting import POSTING_BYTES, from_bytes
from heldtrue.domain.rows import SpaceState
from heldtrue.ports import ReadTransaction

if TYPE_CHECKING:
    from array import array

    from numpy import ndarray

    Array = ndarray[Any, Any]

_KEPT_FROM = 256
"""Words with at least this many postings are cached: such words are few, and often looked up."""
_LOW = (1 << 15) - 1
"""The bits of a posting that hold the term frequency and the document length."""


class PostingList(Sequence[int]):
    """The postings of one word on one shelf, in order."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data) // POSTING_BYTES

    def __iter__(self) -> Iterator[int]:
        return iter(self._values)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        return self._values[index]

    @cached_property
    def _values(self) -> array[int]:
        return from_bytes(self._data)

    @property
    def raw(self) -> Array:
        import numpy

        return numpy.frombuffer(self._data, dtype="<u8")

    @cached_property
    def docs(self) -> Array:
        """The numbers of the documents."""
        return (self.raw >> 16).astype("i8")

    @cached_property
    def is_sound(self) -> bool:
        """Whether each document occurs once, in order and with a possible number; damaged data may not."""
        docs = self.docs
        return bool(docs[-1] < DOCUMENT_NUMBERS_MAX and (docs[1:] > docs[:-1]).all())

    @cached_property
    def kinds(self) -> tuple[Array, Array]:
        """The distinct codes of frequency and length, and the index of the code of each posting."""
        import numpy

        codes, kinds = numpy.unique((self.raw & _LOW).astype("u2"), return_inverse=True)
        return codes, kinds.astype("u2")


_NONE = PostingList(b"")


class PostingCache:
    """A cache of postings of common words, valid until something is posted. Threads of a store share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version: tuple[int, int, bool] | None = None
        self._lists: dict[str, dict[int, PostingList]] = {}
        self._held = 0
        """The number of cached postings."""

    def read(
        self, reading: ReadTransaction, state: SpaceState, shelves: Sequence[int], terms: Iterable[str]
    ) -> list[tuple[int, str, PostingList]]:
        """The shelf, word and postings for each of the given words on the given shelves."""
        version = (state.folds, state.rebuilds, state.is_posted)
        with self._lock:
            if version != self._version:
                # Whoever still reads an older view goes on with the lists of that view.
                self._version, self._lists, self._held = version, {}, 0
            held = self._lists
            wanted = dict.fromkeys(terms)
            known = {term: own for term in wanted if (own := held.get(term)) and all(map(own.__contains__, shelves))}
        missing = [term for term in wanted if term not in known]
        fresh = _by_term(reading.index.postings(shelves, missing)) if missing else {}
        common = {term: own for term, own in fresh.items() if sum(map(len, own.values())) >= _KEPT_FROM}
        if common:
            with self._lock:
                if held is self._lists:
                    self._keep(common, shelves)
        return [
            (shelf, term, postings)
            for term in wanted
            for shelf in shelves
            if (postings := (known.get(term) or fresh.get(term, {})).get(shelf, _NONE))
        ]

    def _keep(self, common: Mapping[str, Mapping[int, PostingList]], shelves: Sequence[int]) -> None:
        held = self._lists
        for term, own in common.items():
            # That a shelf has none is worth knowing too: else all would be read again for its sake.
            kept = held.setdefault(term, {})
            fresh = {shelf: own.get(shelf, _NONE) for shelf in shelves if shelf not in kept}
            kept.update(fresh)
            self._held += sum(map(len, fresh.values()))
        while self._held > POSTINGS_CACHED_MAX and held:
            self._held -= sum(map(len, held.pop(next(iter(held))).values()))


def _by_term(rows: Iterable[tuple[int, str, bytes]]) -> dict[str, dict[int, PostingList]]:
    """The postings of each word on each shelf, whose blocks come one after another, as one list in order."""
    lists: dict[str, dict[int, PostingList]] = {}
    for (shelf, term), blocks in groupby(rows, key=lambda row: row[:2]):
        # What is damaged is left out; verify finds it, and reindex makes it anew.
        whole = [data for _, _, data in blocks if _is_whole(data)]
        if any(whole):
            lists.setdefault(term, {})[shelf] = PostingList(whole[0] if len(whole) == 1 else b"".join(whole))
    return lists


def _is_whole(data: object) -> bool:
    """Whether a block has the expected type: SQLite accepts any type in any column."""
    return isinstance(data, bytes) and len(data) % POSTING_BYTES == 0


def find_posting(postings: Sequence[int], doc: int) -> int | None:
    """The posting of a document in a sorted list."""
    position = bisect_left(postings, doc << 16)
    return postings[position] if position < len(postings) and postings[position] >> 16 == doc else None
