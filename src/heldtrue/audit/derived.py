"""The derived rows of a space, summed up document by document, and compared with those of a rebuilt index.

Documents are known by what they are made of, never by their numbers: a rebuilt index may number shelves and threads in
another order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from heldtrue.audit.ports import DerivedReadTransaction
from heldtrue.domain.derived import REBUILDING
from heldtrue.domain.plural import count
from heldtrue.domain.posting import PLACES_MAX, from_bytes, pack_posting, thread_of
from heldtrue.domain.rows import Collection

_MASK = 2**64 - 1
_PAST_EVERY_ENTRY = 2**62
_UNREADABLE = (TypeError, ValueError, OverflowError, KeyError, AttributeError)


class DerivedDocument(msgspec.Struct):
    """A memory version or a passage, as the index knows it. Sets of rows are sums of hashes, whatever their order."""

    shelf: object = None
    """The collection, the scope and the owner of its shelf."""
    thread: object = None
    """The name of its thread and its position in it."""
    seq: object = None
    speaker: object = None
    happened_at: object = None
    hidden: object = None
    """From which entry on it is hidden, and which parts of it are."""
    terms: object = None
    lookup_keys: int = 0
    words: int = 0
    vectors: int = 0


_NAMES = {
    "shelf": "it is indexed in the wrong scope or collection",
    "thread": "it is indexed at the wrong position in its thread",
    "seq": "it is indexed with the wrong ledger entry",
    "speaker": "it is indexed with the wrong speaker",
    "happened_at": "it is indexed with the wrong time",
    "hidden": "the wrong parts of it are hidden",
    "terms": "it is indexed with the wrong number of words",
    "lookup_keys": "its lookup keys are wrong",
    "words": "it is indexed with the wrong words",
    "vectors": "its vectors are wrong",
}


class DerivedRows:
    """All derived rows of one space, summed up."""

    def __init__(self, reading: DerivedReadTransaction, model: str | None) -> None:
        """`model` is the embedding model whose vectors are read; none without one."""
        self.documents: dict[str, DerivedDocument] = {}
        self.counters: dict[str, object] = {}
        """What is counted for a shelf or a thread."""
        self.unreadable: dict[str, int] = {}
        """How many rows of a table have values of the wrong type."""
        self.waiting: set[str] = set()
        """The documents that were written since vectors were last stored, and may have none."""
        self._reading = reading
        self._shelves: dict[object, tuple[Any, ...]] = {}
        self._threads: dict[object, object] = {}
        self._passages: dict[object, str] = {}
        self._sizes: dict[object, list[int]] = {}
        self._models: set[object] = set()
        self._model: object = None
        self.dimension: object = None
        """That of the model, where it has vectors here."""
        self._states: dict[object, object] = {}
        steps: tuple[tuple[str, Callable[..., None]], ...] = (
            ("index_state", self._take_state),
            ("shelves", self._take_shelf),
            ("threads", self._take_thread),
            ("memory_index", self._take_version),
            ("passages", self._take_passage),
            ("memory_keys", self._take_version_key),
            ("passage_keys", self._take_passage_key),
            ("postings", self._take_postings),
            ("unposted", self._take_unposted),
        )
        for table, take in steps:
            self._read(table, take)
        for shelf, (docs, tokens) in self._sizes.items():
            self.counters[_name_shelf(shelf)] = (docs, tokens)
        if model is not None:
            self._read("models", self._take_model, model)
            self._read("vectors", self._take_vector)
            self._find_waiting()

    @property
    def is_rebuilding(self) -> bool:
        return bool(self._states.get(REBUILDING))

    def _read(self, table: str, take: Callable[..., None], *more: object) -> None:
        for row in self._reading.derived.all_rows(table):
            try:
                take(*row, *more)
            except _UNREADABLE:
                self.unreadable[table] = self.unreadable.get(table, 0) + 1

    # Where things are

    def _take_state(self, name: object, value: object) -> None:
        self._states[name] = value

    def _take_shelf(
        self, no: object, collection: object, scope: object, private_to: object, docs: int, tokens: int
    ) -> None:
        self._shelves[no] = (collection, scope, private_to)
        self._sizes[self._shelves[no]] = [docs + 0, tokens + 0]

    def _shelf(self, no: object) -> object:
        return self._shelves.get(no, f"an unknown collection ({no})")

    def _take_thread(self, no: object, shelf: object, name: object, places: object) -> None:
        self._threads[no] = (self._shelf(shelf), name)
        self.counters[f"thread {name} in {_name_shelf(self._shelf(shelf))}"] = places

    # Documents

    def _take_version(self, no: object, shelf: object, terms: object) -> None:
        self.documents[f"version {no}"] = DerivedDocument(shelf=self._shelf(shelf), terms=terms)

    def _take_passage(self, no: int, shelf: object, source: object, seq: object, *rest: object) -> None:
        start, end, speaker, happened_at, terms, hidden_seq, hidden_spans = rest
        self._passages[no] = name = f"source {source}, characters {start} to {end}"
        self.documents[name] = DerivedDocument(
            shelf=self._shelf(shelf),
            thread=(self._threads.get(thread_of(no)), no % PLACES_MAX),
            seq=seq,
            speaker=speaker,
            happened_at=happened_at,
            hidden=(hidden_seq, hidden_spans),
            terms=terms,
        )

    def _document(self, shelf: object, doc: object) -> DerivedDocument:
        """The document that a posting or a vector is about; one that the index does not know is noted too."""
        name = self._name(shelf, doc)
        found = self.documents.get(name)
        if found is None or found.shelf != self._shelf(shelf):
            found = self.documents.setdefault(f"{name} in {_name_shelf(self._shelf(shelf))}", DerivedDocument())
        return found

    def _name(self, shelf: object, doc: object) -> str:
        where = self._shelves.get(shelf)
        is_version = where is not None and where[0] == Collection.MEMORY
        return f"version {doc}" if is_version else self._passages.get(doc, f"unknown document {doc}")

    def _take_version_key(self, key: object, no: object) -> None:
        _add_key(self.documents.setdefault(f"version {no}", DerivedDocument()), key)

    def _take_passage_key(self, key: object, no: object) -> None:
        name = self._passages.get(no, f"unknown document {no}")
        _add_key(self.documents.setdefault(name, DerivedDocument()), key)

    def _take_postings(self, shelf: object, term: str, _block: object, data: bytes) -> None:
        for posting in from_bytes(data):
            document = self._document(shelf, posting >> 16)
            document.words = document.words + hash((term, posting & 0xFFFF)) & _MASK

    def _take_unposted(self, _place: object, shelf: object, doc: int, length: int, asks: int, terms: str) -> None:
        document = self._document(shelf, doc)
        words = terms.split(" ") if terms else []
        for term, weight in zip(words[::2], words[1::2], strict=True):
            posting = pack_posting(0, float(weight), length, asks=bool(asks))
            document.words = document.words + hash((term, posting)) & _MASK
        size = self._sizes.setdefault(self._shelf(shelf), [0, 0])
        size[0], size[1] = size[0] + 1, size[1] + length

    # Vectors

    def _take_model(self, no: object, name: object, dimension: object, wanted: str) -> None:
        self._models.add(no)
        if name == wanted:
            self._model, self.dimension = no, dimension

    def _find_waiting(self) -> None:
        embedded = self._states.get(f"embedded:{self._model}", 0)
        if isinstance(embedded, int):
            written = self._reading.vectors.documents_written(after=embedded, until=_PAST_EVERY_ENTRY)
            self.waiting = {self._name(shelf, doc) for shelf, doc in written}

    def _take_vector(self, model: object, shelf: object, doc: object, piece: object, *vector: object) -> None:
        if model not in self._models:
            self.documents.setdefault(f"vectors of an unknown model ({model})", DerivedDocument())
        elif model == self._model:
            document = self._document(shelf, doc)
            document.vectors = document.vectors + hash((piece, vector)) & _MASK


def _name_shelf(shelf: object) -> str:
    """A shelf in words, such as `the collection memory of global`."""
    if not isinstance(shelf, tuple):
        return str(shelf)
    collection, scope, author = shelf
    private = f", private to {author}" if author else ""
    return f"the collection {collection} of {scope}{private}"


def _add_key(document: DerivedDocument, key: object) -> None:
    document.lookup_keys = document.lookup_keys + hash(("key", key)) & _MASK


def compare_derived(present: DerivedRows, rebuilt: DerivedRows) -> Iterator[tuple[str, str]]:
    """Where the derived rows of a space differ from those that its records give, and how."""
    for table, rows in present.unreadable.items():
        yield table, f"{count(rows, 'row has', 'rows have')} values of the wrong type"
    if present.dimension not in (None, rebuilt.dimension):
        yield "vectors", "they have the wrong number of dimensions for their model"
    if present.is_rebuilding:
        yield "index", "it is being rebuilt, or a rebuild was interrupted"
    for name in sorted(present.documents.keys() | rebuilt.documents.keys()):
        here, there = present.documents.get(name), rebuilt.documents.get(name)
        if here is None:
            yield name, "it is not indexed"
        elif there is None:
            yield name, "it is indexed, but there is no such record"
        elif here != there:
            yield from (
                (name, difference) for difference in _differences(here, there, may_wait=name in present.waiting)
            )
    for name in sorted(present.counters.keys() | rebuilt.counters.keys()):
        if present.counters.get(name) != rebuilt.counters.get(name):
            yield name, "its counts are wrong"


def _differences(here: DerivedDocument, there: DerivedDocument, *, may_wait: bool) -> Iterator[str]:
    for field, difference in _NAMES.items():
        if getattr(here, field) != getattr(there, field) and not (field == "vectors" and may_wait and not here.vectors):
            yield difference
