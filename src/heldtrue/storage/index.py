"""The word index: shelves, the words on them, and the look-up keys of memories. All of it derived."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from heldtrue.domain.ledger import EMPTY_HEAD, Head
from heldtrue.domain.limits import WORD_CHARS_MAX, WORDS_WAITING_MAX
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.posting import DOCS_MAX, POSTING_BYTES, Words, to_bytes
from heldtrue.domain.principal import Sight
from heldtrue.domain.privacy import Privacy
from heldtrue.domain.rows import Collection, Shelf, SpaceState, Unposted
from heldtrue.storage.connector import Row
from heldtrue.storage.filters import owner_of
from heldtrue.storage.runner import Runner

_LOOK_EVERY = 64
_BLOCK_DOCS = 4_096
"""Documents of a shelf after which its words start new blocks, so that adding to a common word stays cheap."""


def index_word(term: str) -> str:
    """A term as the index holds it: one longer than an index entry may be is known by its hash."""
    return term if len(term) <= WORD_CHARS_MAX else "~" + hashlib.sha256(term.encode()).hexdigest()


def _is_word(term: str) -> bool:
    """Whether a term could have been indexed."""
    return term.isprintable() and term != "" and " " not in term


class IndexPart:
    """Which documents have a word, shelf by shelf."""

    __slots__ = ("_known_shelves", "_sql")

    def __init__(self, sql: Runner) -> None:
        self._sql = sql
        self._known_shelves: dict[tuple[str, str, str], int] = {}
        """The shelves this transaction has put something on."""

    # Reading

    def shelves(self, collections: Sequence[str], sight: Sight) -> list[Shelf]:
        rows = self._sql.sighted("shelves_of", sight, collections=self._sql.listing(collections))
        rows = self._sql.sound("shelves", rows, _is_shelf)
        return [
            Shelf(no, name, scope, Privacy(owner or None), docs, tokens)
            for no, name, scope, owner, docs, tokens in rows
        ]

    def shelf_numbers(self, versions: Iterable[int]) -> dict[int, int]:
        return {row[0]: row[1] for row in self._sql.rows("shelves_of_versions", numbers=self._sql.listing(versions))}

    def postings(self, shelves: Sequence[int], terms: Sequence[str]) -> list[tuple[int, str, bytes]]:
        words = {index_word(term): term for term in terms if _is_word(term)}
        if not words or not shelves:
            return []
        rows = self._sql.rows("postings_of", shelves=self._sql.listing(shelves), terms=self._sql.listing(words))
        rows = self._sql.sound("postings", rows, _is_posting)
        return [(shelf, words[word], data) for shelf, word, data in rows]

    def has_postings(self, shelves: Sequence[int]) -> bool:
        return self._sql.row("any_posting", shelves=self._sql.listing(shelves)) is not None

    def terms_between(self, shelves: Sequence[int], first: str, last: str, *, limit: int) -> list[str]:
        rows = self._sql.rows("terms_between", shelves=self._sql.listing(shelves), first=first, last=last, limit=limit)
        return [row[0] for row in rows]

    def unposted(self, after: int) -> list[Unposted]:
        rows = self._sql.rows("unposted_after", after=after)
        return [Unposted(*row) for row in self._sql.sound("unposted", rows, _is_unposted)]

    def space_state(self, model: str | None) -> SpaceState:
        (row,) = self._sql.rows("space_state", model=model or "")
        seq, hash_, recorded_at, folds, rebuilds, unposted, last_shelf, is_posted, *rest = row
        has_links, has_conflicts, number, dimension, embedded = rest
        return SpaceState(
            head=EMPTY_HEAD if seq is None else Head(seq, hash_, recorded_at),
            folds=folds,
            rebuilds=rebuilds,
            unposted=unposted,
            last_shelf=last_shelf,
            is_posted=bool(is_posted),
            has_links=bool(has_links),
            has_conflicts=bool(has_conflicts),
            model=None if number is None else (number, dimension),
            embedded=embedded or 0,
        )

    def state(self, name: str) -> int:
        return self._sql.counter(name)

    def indexed_numbers(self, *, after: int, limit: int) -> list[int]:
        return [row[0] for row in self._sql.rows("indexed_numbers", after=after, limit=limit)]

    def is_indexed(self, no: int) -> bool:
        return self.indexed_numbers(after=no - 1, limit=1) == [no]

    def totals(self) -> list[tuple[int, str, int, int]]:
        waiting: dict[int, int] = {}
        for row in self.unposted(0):
            waiting[row.shelf] = waiting.get(row.shelf, 0) + len(row.terms.split()) // 2
        rows = self._sql.rows("index_totals")
        return [(no, scope, int(wanted), int(there) + waiting.get(no, 0)) for no, scope, wanted, there in rows]

    # Writing

    def set_state(self, name: str, value: int) -> None:
        self._sql.run("set_index_state", name=name, value=value)

    def add_version(self, version: MemoryVersion, keys: Iterable[int], words: Words) -> None:
        shelf = self.shelf_for(Collection.MEMORY, version.scope, version.privacy)
        self._sql.run("insert_memory_index", no=version.no, shelf=shelf, terms=len(words.weights))
        self.add_keys("insert_keys", version.no, keys)
        self.add_words(shelf, version.no, words)

    def add_keys(self, name: str, number: int, keys: Iterable[int]) -> None:
        """Write the look-up keys of a document by a statement of that name."""
        distinct = sorted(set(keys))
        if distinct:
            self._sql.run_columns(name, {"key": distinct, "no": [number] * len(distinct)})

    def add_words(self, shelf: int, doc: int, words: Words) -> None:
        """Let the words of a new document wait to be posted; now and then that is done at once."""
        terms = " ".join(f"{index_word(term)} {weight:g}" for term, weight in words.weights.items())
        self._sql.run("insert_unposted", shelf=shelf, doc=doc, length=words.length, asks=int(words.asks), terms=terms)
        if doc % _LOOK_EVERY == 0 and self._sql.number("count_unposted") >= WORDS_WAITING_MAX:
            self.post_words()

    def shelf_for(self, collection: str, scope: str, privacy: Privacy) -> int:
        """The number of a shelf, which is made on first use."""
        known = (str(collection), scope, owner_of(privacy))
        if known not in self._known_shelves:
            named = dict(zip(("collection", "scope", "private_to"), known, strict=True))
            row = self._sql.row("shelf_named", **named)
            if row is None:
                self._sql.run("insert_shelf", **named)
                row = self._sql.row("shelf_named", **named)
            assert row is not None
            self._known_shelves[known] = int(row[0])
        return self._known_shelves[known]

    def post_words(self) -> None:
        waiting = self.unposted(0)
        if not waiting:
            return
        lists: dict[tuple[int, str], list[int]] = {}
        grown: dict[int, list[int]] = {}
        for row in waiting:
            for term, posting in row.postings():
                lists.setdefault((row.shelf, term), []).append(posting)
            grown.setdefault(row.shelf, []).append(row.length)
        sizes = self._sql.rows("shelf_sizes", shelves=self._sql.listing(grown))
        self._post(lists, {shelf: docs for shelf, docs in sizes if isinstance(docs, int)})
        for shelf, lengths in grown.items():
            self._sql.run("grow_shelf", no=shelf, docs=len(lengths), tokens=sum(lengths))
        self._sql.run("drop_unposted")
        self.set_state("folds", self.state("folds") + 1)

    def _post(self, lists: dict[tuple[int, str], list[int]], sizes: dict[int, int]) -> None:
        # In the order of the key, so that neighbours in the table are written one after another.
        ordered = sorted(lists)
        columns: dict[str, Sequence[object]] = {
            "shelf": [shelf for shelf, _ in ordered],
            "term": [term for _, term in ordered],
            "block": [sizes.get(shelf, 0) // _BLOCK_DOCS for shelf, _ in ordered],
            "data": [to_bytes(lists[key]) for key in ordered],
        }
        self._sql.run_columns("append_postings", columns)

    def clear(self) -> None:
        self._sql.run("drop_vectors", keep=-1)
        names = "memory_index postings passages passage_keys threads shelves models"
        for name in names.split():
            self._sql.run(f"clear_{name}")
        self._known_shelves.clear()
        self._sql.run("drop_keys")
        self._sql.run("drop_unposted")
        self._sql.run("forget_embedded")
        self.set_state("rebuilds", self.state("rebuilds") + 1)
        self.set_state("folds", self.state("folds") + 1)


_SHELF_TYPES = (int, str, str, str, int, int)
_UNPOSTED_TYPES = (int, int, int, int, int, str)


def _is_shelf(row: Row) -> bool:
    return all(map(isinstance, row, _SHELF_TYPES)) and row[4] >= 0 and row[5] >= 0


def _is_unposted(row: Row) -> bool:
    """Whether a row can be the words of a document: its types, its number and its pairs of words and weights."""
    if not all(map(isinstance, row, _UNPOSTED_TYPES)) or not 0 <= row[2] < DOCS_MAX or row[3] < 0:
        return False
    return _WORDS.fullmatch(row[5]) is not None


_WEIGHT = r"\d{1,9}(?:\.\d{1,9})?(?:e[+-]\d\d)?"
_WORDS = re.compile(rf"(?:[^ ]+ {_WEIGHT}(?: [^ ]+ {_WEIGHT})*)?")


def _is_posting(row: Row) -> bool:
    return isinstance(row[2], bytes) and len(row[2]) % POSTING_BYTES == 0
