"""What recalls of one space keep in memory of its word index: shelves, postings, and documents not posted yet."""

from __future__ import annotations

import threading

from heldtrue.domain.ledger import Head
from heldtrue.domain.limits import CALLERS_CACHED_MAX
from heldtrue.domain.principal import Sight
from heldtrue.domain.rows import Shelf, SpaceState, Unposted
from heldtrue.ports import ReadTransaction
from heldtrue.recall.index.postings import PostingCache

PendingPostings = dict[str, list[tuple[int, int]]]
"""The postings of each word, with their shelves."""
PendingSizes = dict[int, tuple[int, int]]
"""For each shelf, the number of documents and words that are not posted yet."""


class IndexCache:
    """The word index as far as it is kept in memory. One for each store, shared by its threads."""

    def __init__(self) -> None:
        self.posted = PostingCache()
        self._lock = threading.Lock()
        self._folds = -1
        self._last_row = 0
        self._shelves_state: tuple[Head, int, int, int] | None = None
        self._shelves: dict[tuple[tuple[str, ...], Sight], list[Shelf]] = {}
        self._pending: PendingPostings = {}
        self._sizes: PendingSizes = {}

    def forget(self) -> None:
        """Read everything again: what is here may rest on damaged rows."""
        with self._lock:
            self.posted = PostingCache()
            self._folds, self._shelves_state = -1, None

    def follow(self, reading: ReadTransaction, state: SpaceState) -> tuple[PendingPostings, PendingSizes]:
        """The words of the documents that are not posted yet, and how many those are on each shelf."""
        with self._lock:
            if state.folds != self._folds:
                self._folds, self._last_row, self._pending, self._sizes = state.folds, 0, {}, {}
            if state.unposted > self._last_row:
                for row in reading.index.unposted(self._last_row):
                    self._add(row)
                    self._last_row = row.place
            return self._pending, self._sizes

    def shelves(
        self,
        reading: ReadTransaction,
        state: SpaceState,
        collections: tuple[str, ...],
        sight: Sight,
    ) -> list[Shelf]:
        """The visible shelves, which change only when something is written or posted."""
        version = (state.head, state.folds, state.rebuilds, state.last_shelf)
        with self._lock:
            if version != self._shelves_state or len(self._shelves) >= CALLERS_CACHED_MAX:
                # Whoever still reads an older view goes on with the shelves of that view.
                self._shelves_state, self._shelves = version, {}
            known = self._shelves
        key = (collections, sight)
        if key not in known:
            known[key] = reading.index.shelves(collections, sight)
        return known[key]

    def _add(self, row: Unposted) -> None:
        for term, posting in row.postings():
            self._pending.setdefault(term, []).append((row.shelf, posting))
        docs, tokens = self._sizes.get(row.shelf, (0, 0))
        self._sizes[row.shelf] = (docs + 1, tokens + row.length)
