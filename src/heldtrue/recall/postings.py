"""Postings as they are kept in memory, and the best of very many of them.

Where the words of a question have very many postings on a shelf, not all of them are added up. Words are taken from
the rarest on; as soon as all that the others could give together is less than what the best have already, a document
that has none of the words so far cannot be among the best any more, and the others are only looked up for those that
can. What comes out is the same as if all had been added up.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, overload

from heldtrue.domain.posting import LENGTHS, POSTING_BYTES, from_bytes
from heldtrue.ports import Glance, Reading

if TYPE_CHECKING:
    from array import array

    from numpy import ndarray

    Array = ndarray[Any, Any]

_KEPT_FROM = 256
"""Postings from which on those of a word are kept in memory: few words are so common, and they are asked for often."""
_KEPT_MAX = 4_000_000
"""Postings that are kept; each takes up to 26 bytes."""
_LOOK_FROM = 2_000
"""Postings of a word from which on it is worth finding out whether it can be done without."""
_LOW = (1 << 15) - 1
"""The bits of a posting that say how often and how long."""
_NUMBERS_MAX = 100_000_000
"""Numbers of documents up to which there is room to add them up; beyond, they are added up one by one."""
_DUST = 1e-12
"""More than adding up in another order can make of a sum."""
Saturate = Callable[[Any, Any], Any]
"""From how often and how long to a share; of numbers or of arrays of them."""


class Posted(Sequence[int]):
    """The postings of one word on one shelf, in order."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data) // POSTING_BYTES

    def __iter__(self) -> Iterator[int]:
        return iter(self._values)

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[int]: ...
    def __getitem__(self, place: int | slice) -> int | Sequence[int]:
        return self._values[place]

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
        """Whether each document comes once, in order, with a number that can be: what is damaged may say anything."""
        docs = self.docs
        return bool(docs[-1] < _NUMBERS_MAX and (docs[1:] > docs[:-1]).all())

    @cached_property
    def kinds(self) -> tuple[Array, Array]:
        """The distinct codes of how often and how long, and which of them each posting has."""
        import numpy

        codes, kinds = numpy.unique((self.raw & _LOW).astype("u2"), return_inverse=True)
        return codes, kinds.astype("u2")


_NONE = Posted(b"")


class PostingCache:
    """The postings of common words, for as long as nothing was posted since. One for a store, shared by its threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: tuple[int, int, bool] | None = None
        self._lists: dict[str, dict[int, Posted]] = {}
        self._held = 0
        """How many postings those are."""

    def read(
        self, reading: Reading, glance: Glance, shelves: Sequence[int], terms: Iterable[str]
    ) -> list[tuple[int, str, Posted]]:
        """Shelf, word and postings of some words on some shelves."""
        state = (glance.folds, glance.rebuilds, glance.is_posted)
        with self._lock:
            if state != self._state:
                # Whoever still reads an older view goes on with the lists of that view.
                self._state, self._lists, self._held = state, {}, 0
            held = self._lists
            wanted = dict.fromkeys(terms)
            known = {term: own for term in wanted if (own := held.get(term)) and all(map(own.__contains__, shelves))}
        missing = [term for term in wanted if term not in known]
        fresh = _by_term(reading.postings(shelves, missing)) if missing else {}
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

    def _keep(self, common: Mapping[str, Mapping[int, Posted]], shelves: Sequence[int]) -> None:
        held = self._lists
        for term, own in common.items():
            # That a shelf has none is worth knowing too: else all would be read again for its sake.
            kept = held.setdefault(term, {})
            fresh = {shelf: own.get(shelf, _NONE) for shelf in shelves if shelf not in kept}
            kept.update(fresh)
            self._held += sum(map(len, fresh.values()))
        while self._held > _KEPT_MAX and held:
            self._held -= sum(map(len, held.pop(next(iter(held))).values()))


def _by_term(rows: Iterable[tuple[int, str, bytes]]) -> dict[str, dict[int, Posted]]:
    """The postings of each word on each shelf, whose blocks come one after another, as one list in order."""
    lists: dict[str, dict[int, Posted]] = {}
    for (shelf, term), blocks in groupby(rows, key=lambda row: row[:2]):
        # What is damaged is left out; verify finds it, and reindex makes it anew.
        whole = [data for _, _, data in blocks if _is_whole(data)]
        if any(whole):
            lists.setdefault(term, {})[shelf] = Posted(whole[0] if len(whole) == 1 else b"".join(whole))
    return lists


def _is_whole(data: object) -> bool:
    """Whether a block is what was written: SQLite lets anyone put another thing in its place."""
    return isinstance(data, bytes) and len(data) % POSTING_BYTES == 0


@cache
def _lengths() -> Array:
    import numpy

    return numpy.array(LENGTHS)


class ShelfScores:
    """The scores of the documents of one shelf, as far as they are asked for."""

    def __init__(self, words: Sequence[tuple[float, Posted]], saturate: Saturate, usual_length: float) -> None:
        """`words` are what each word is worth and its postings, from the rarest on."""
        import numpy

        self._numpy = numpy
        self._words: list[tuple[Array, Posted]] = []
        """What each kind of posting of a word gives, and the postings."""
        for worth, posted in words:
            codes, _ = posted.kinds
            shares = saturate((codes >> 8) / 2, _lengths()[codes & 255] / usual_length)
            self._words.append((worth * shares, posted))
        most = [float(given.max()) for given, _ in self._words]
        self._rest = [sum(most[place:]) + _DUST for place in range(len(most) + 1)]
        """What the words from a place on can give at most."""

    def of(self, docs: Array, *, start: int = 0, scores: Array | None = None) -> Array:
        """The scores of some documents, by the words from a place on, added to what they have already."""
        numpy = self._numpy
        total = numpy.zeros(len(docs)) if scores is None else scores
        for given, posted in self._words[start:]:
            places = numpy.minimum(numpy.searchsorted(posted.docs, docs), len(posted) - 1)
            found = posted.docs[places] == docs
            total = total + numpy.where(found, given[posted.kinds[1][places]], 0.0)
        return total

    def best(self, wanted: int, least: float = 0.0) -> tuple[Array, Array, bool]:
        """The documents that score best, with their scores, and whether there are no others; of equals the newest.

        What scores less than `least` need not be among them: as many as are wanted are known that have more.
        """
        numpy = self._numpy
        touched: list[Array] = []
        sums = _scratch(max(int(posted.docs[-1]) for _, posted in self._words) + 1)
        try:
            count, stop = 0, len(self._words)
            for place, (given, posted) in enumerate(self._words):
                if wanted <= count < len(posted) >= _LOOK_FROM:
                    least = max(least, self._least_of_best(numpy.concatenate(touched), sums, wanted, place))
                if self._rest[place] < least:
                    stop = place
                    break
                before = sums[posted.docs]
                sums[posted.docs] = before + given[posted.kinds[1]]
                touched.append(posted.docs[before == 0.0])
                count += len(touched[-1])
            docs = numpy.concatenate(touched) if touched else numpy.zeros(0, dtype=numpy.int64)
            scores = sums[docs]
            for one in touched:
                sums[one] = 0.0
        except BaseException:
            # Whatever broke it off, nothing half added up may stay behind for the next question.
            _local.sums = None
            raise
        if stop < len(self._words):
            able = scores + self._rest[stop] >= least
            docs = docs[able]
            scores = self.of(docs, start=stop, scores=scores[able])
        chosen = _first(docs, scores, wanted)
        return docs[chosen], scores[chosen], stop == len(self._words) and len(docs) <= wanted

    def _least_of_best(self, docs: Array, sums: Array, wanted: int, start: int) -> float:
        """What as many as are wanted have at least, once the words from a place on are looked up for them."""
        scores = sums[docs]
        chosen = self._numpy.argpartition(scores, len(scores) - wanted)[len(scores) - wanted :]
        return float(self.of(docs[chosen], start=start, scores=scores[chosen]).min())


def _first(docs: Array, scores: Array, wanted: int) -> Array:
    """Where the best of some documents are; of equals the newest."""
    import numpy

    if len(docs) > wanted:
        least = numpy.partition(scores, len(scores) - wanted)[len(scores) - wanted]
        near = numpy.flatnonzero(scores >= least)
    else:
        near = numpy.arange(len(docs))
    order = numpy.lexsort((-docs[near], -scores[near]))
    chosen: Array = near[order[:wanted]]
    return chosen


_local = threading.local()


def _scratch(size: int) -> Array:
    """A zero for each document; who uses it leaves it so. Pages that are not touched take no memory."""
    import numpy

    sums: Array | None = getattr(_local, "sums", None)
    if sums is None or len(sums) < size:
        sums = _local.sums = numpy.zeros(size + size // 4)
    return sums
