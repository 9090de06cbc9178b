"""The rows that searches read: shelves, the words on them, passages and vectors. All of them derived."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from heldtrue.domain.ledger import EMPTY_HEAD, Head
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.posting import PLACES_MAX, Words, pack_posting, passage_number, to_bytes
from heldtrue.domain.principal import Sight
from heldtrue.domain.privacy import Privacy
from heldtrue.domain.records import Quarantine, Source, SourceKind
from heldtrue.ports import (
    Collection,
    Glance,
    Lead,
    Passage,
    PassageText,
    Piece,
    Shelf,
    Unposted,
    VectorRow,
    VersionFilter,
)
from heldtrue.storage.connector import Connection
from heldtrue.storage.filters import owner_of
from heldtrue.storage.rows import LATEST, Rows, until

if TYPE_CHECKING:
    from heldtrue.storage.store import SqlStore

WORD_CHARS_MAX = 200
"""The longest word that is indexed as it is; PostgreSQL takes 2.7 kB in an index entry."""
_WAITING_MAX = 1_024
"""Documents whose words may wait: posting many at once costs a fraction of posting each."""
_LOOK_EVERY = 64
_BLOCK_DOCS = 4_096
"""Documents of a shelf after which its words start new blocks, so that adding to a common word stays cheap."""


def index_word(term: str) -> str:
    """A term as the index holds it: one longer than an index entry may be is known by its hash."""
    return term if len(term) <= WORD_CHARS_MAX else "~" + hashlib.sha256(term.encode()).hexdigest()


def _is_word(term: str) -> bool:
    """Whether a term could have been indexed."""
    return term.isprintable() and term != "" and " " not in term


class SearchRows(Rows):
    """Finding and making findable."""

    def __init__(self, store: SqlStore, connection: Connection) -> None:
        super().__init__(store, connection)
        self._known_shelves: dict[tuple[str, str, str], int] = {}
        """The shelves this transaction has put something on."""

    # Words

    def shelves(self, collections: Sequence[str], sight: Sight) -> list[Shelf]:
        rows = self._sighted("shelves_of", sight, collections=self._listing(collections))
        return [
            Shelf(no, name, scope, Privacy(owner or None), docs, tokens)
            for no, name, scope, owner, docs, tokens in rows
        ]

    def postings(self, shelves: Sequence[int], terms: Sequence[str]) -> list[tuple[int, str, bytes]]:
        words = {index_word(term): term for term in terms if _is_word(term)}
        if not words or not shelves:
            return []
        rows = self._rows("postings_of", shelves=self._listing(shelves), terms=self._listing(words))
        return [(shelf, words[word], data) for shelf, word, data in rows]

    def has_postings(self, shelves: Sequence[int]) -> bool:
        return self._row("any_posting", shelves=self._listing(shelves)) is not None

    def terms_between(self, shelves: Sequence[int], first: str, last: str, *, limit: int) -> list[str]:
        rows = self._rows("terms_between", shelves=self._listing(shelves), first=first, last=last, limit=limit)
        return [row[0] for row in rows]

    def unposted(self, after: int) -> list[Unposted]:
        return [Unposted(*row) for row in self._rows("unposted_after", after=after)]

    def glance(self, model: str | None) -> Glance:
        (row,) = self._rows("glance", model=model or "")
        seq, hash_, recorded_at, folds, rebuilds, unposted, last_shelf, is_posted, *rest = row
        has_links, has_conflicts, number, dimension, embedded = rest
        return Glance(
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

    def index_state(self, name: str) -> int:
        row = self._row("index_state", name=name)
        return int(row[0]) if row else 0

    def set_index_state(self, name: str, value: int) -> None:
        self._run("set_index_state", name=name, value=value)

    def indexed_numbers(self, *, after: int, limit: int) -> list[int]:
        return [row[0] for row in self._rows("indexed_numbers", after=after, limit=limit)]

    def is_indexed(self, no: int) -> bool:
        return self.indexed_numbers(after=no - 1, limit=1) == [no]

    def shelf_numbers(self, versions: Iterable[int]) -> dict[int, int]:
        return {row[0]: row[1] for row in self._rows("shelves_of_versions", numbers=self._listing(versions))}

    def index_totals(self) -> list[tuple[int, str, int, int]]:
        waiting: dict[int, int] = {}
        for row in self.unposted(0):
            waiting[row.shelf] = waiting.get(row.shelf, 0) + len(row.terms.split()) // 2
        rows = self._rows("index_totals")
        return [(no, scope, int(wanted), int(there) + waiting.get(no, 0)) for no, scope, wanted, there in rows]

    def index_version(self, version: MemoryVersion, keys: Iterable[int], words: Words) -> None:
        shelf = self._shelf(Collection.MEMORY, version.scope, version.privacy)
        self._run("insert_memory_index", no=version.no, shelf=shelf, terms=len(words.weights))
        self._add_keys("insert_keys", version.no, keys)
        self._add_words(shelf, version.no, words)
        self._post_when_due(version.no)

    def _add_keys(self, name: str, number: int, keys: Iterable[int]) -> None:
        distinct = sorted(set(keys))
        if distinct:
            self._connection.run_columns(self._sql[name], {"key": distinct, "no": [number] * len(distinct)})

    def _shelf(self, collection: str, scope: str, privacy: Privacy) -> int:
        place = (str(collection), scope, owner_of(privacy))
        if place not in self._known_shelves:
            named = dict(zip(("collection", "scope", "private_to"), place, strict=True))
            row = self._row("shelf_named", **named)
            if row is None:
                self._run("insert_shelf", **named)
                row = self._row("shelf_named", **named)
            assert row is not None
            self._known_shelves[place] = int(row[0])
        return self._known_shelves[place]

    def _add_words(self, shelf: int, doc: int, words: Words) -> None:
        terms = " ".join(f"{index_word(term)} {weight:g}" for term, weight in words.weights.items())
        self._run("insert_unposted", shelf=shelf, doc=doc, length=words.length, asks=int(words.asks), terms=terms)

    def _post_when_due(self, number: int) -> None:
        if number % _LOOK_EVERY:
            return
        row = self._row("count_unposted")
        if row is not None and row[0] >= _WAITING_MAX:
            self.post_words()

    def post_words(self) -> None:
        waiting = self.unposted(0)
        if not waiting:
            return
        lists: dict[tuple[int, str], list[int]] = {}
        grown: dict[int, list[int]] = {}
        for row in waiting:
            words = row.terms.split(" ") if row.terms else []
            for term, weight in zip(words[::2], words[1::2], strict=True):
                lists.setdefault((row.shelf, term), []).append(
                    pack_posting(row.doc, float(weight), row.length, asks=bool(row.asks))
                )
            grown.setdefault(row.shelf, []).append(row.length)
        sizes: dict[int, int] = dict(self._rows("shelf_sizes", shelves=self._listing(grown)))
        # In the order of the key, so that neighbours in the table are written one after another.
        ordered = sorted(lists)
        columns: dict[str, Sequence[object]] = {
            "shelf": [shelf for shelf, _ in ordered],
            "term": [term for _, term in ordered],
            "block": [sizes.get(shelf, 0) // _BLOCK_DOCS for shelf, _ in ordered],
            "data": [to_bytes(lists[key]) for key in ordered],
        }
        self._connection.run_columns(self._sql["append_postings"], columns)
        for shelf, lengths in grown.items():
            self._run("grow_shelf", no=shelf, docs=len(lengths), tokens=sum(lengths))
        self._run("drop_unposted")
        self.set_index_state("folds", self.index_state("folds") + 1)

    def clear_index(self) -> None:
        self.drop_vectors(keep=None)
        names = "memory_index postings passages passage_keys threads shelves models"
        for name in names.split():
            self._run(f"clear_{name}")
        self._known_shelves.clear()
        self._run("drop_keys")
        self._run("drop_unposted")
        self._run("forget_embedded")
        self.set_index_state("rebuilds", self.index_state("rebuilds") + 1)
        self.set_index_state("folds", self.index_state("folds") + 1)

    # Memories

    def leads(self, numbers: Iterable[int], chosen: VersionFilter) -> list[Lead]:
        return [Lead(*row) for row in self._filtered("leads", chosen, numbers=self._listing(numbers))]

    def newest_leads(self, chosen: VersionFilter, *, limit: int) -> list[Lead]:
        return [Lead(*row) for row in self._filtered("newest_leads", chosen, limit=limit)]

    def versions_numbered(self, numbers: Iterable[int]) -> list[MemoryVersion]:
        return [MemoryVersion(*row) for row in self._rows("versions_numbered", numbers=self._listing(numbers))]

    # Evidence

    def index_passages(self, source: Source, thread: str, pieces: Sequence[Piece], *, collection: str) -> None:
        shelf = self._shelf(collection, source.scope, source.privacy)
        first = self._take_places(shelf, thread, len(pieces))
        for number, piece in enumerate(pieces, start=first):
            self._index_piece(source, shelf, number, piece)

    def _take_places(self, shelf: int, name: str, wanted: int) -> int:
        """The number of the first of some new passages of a thread; a thread that is full goes on as another."""
        part = 1
        while True:
            named = {"shelf": shelf, "name": name if part == 1 else f"{name}\n{part}"}
            row = self._row("take_places", **named, wanted=wanted, most=PLACES_MAX)
            if row is not None:
                return passage_number(row[0], row[1] - wanted)
            if self._row("thread_named", **named) is None:
                self._run("insert_thread", **named)
            else:
                part += 1

    def _index_piece(self, source: Source, shelf: int, number: int, piece: Piece) -> None:
        self._run(
            "insert_passage",
            no=number,
            shelf=shelf,
            source_id=source.id,
            seq=source.seq,
            span_start=piece.start,
            span_end=piece.end,
            speaker=source.speaker,
            happened_at=source.recorded_at if source.occurred_at is None else source.occurred_at,
            terms=len(piece.words.weights),
            hidden_seq=piece.hidden_seq,
        )
        self._add_keys("insert_passage_keys", number, piece.keys)
        self._add_words(shelf, number, piece.words)
        self._post_when_due(number)

    def passages(self, numbers: Iterable[int], shelves: Sequence[int], chosen: VersionFilter) -> list[Passage]:
        listed = {"numbers": self._listing(numbers), "shelves": self._listing(shelves)}
        rows = self._rows("passages_numbered", **listed, **_passage_limits(chosen))
        return [Passage(*row) for row in rows]

    def unseen_passages(self, shelves: Sequence[int], seq: int | None) -> set[int]:
        numbers = self._listing(shelves)
        unseen = {row[0] for row in self._rows("unseen_passages", shelves=numbers, seq=until(seq))}
        if seq is not None:
            unseen |= {row[0] for row in self._rows("later_passages", shelves=numbers, seq=seq)}
        return unseen

    def newest_passages(self, shelves: Sequence[int], chosen: VersionFilter, *, limit: int) -> list[Passage]:
        rows = self._rows("newest_passages", shelves=self._listing(shelves), limit=limit, **_passage_limits(chosen))
        return [Passage(*row) for row in rows]

    def passages_of(self, source_id: str) -> list[Passage]:
        return [Passage(*row) for row in self._rows("passages_of_source", source_id=source_id)]

    def passages_by_keys(self, keys: Iterable[int]) -> list[Passage]:
        return [Passage(*row) for row in self._rows("passages_by_keys", keys=self._listing(keys))]

    def passages_page(self, *, after: int, limit: int) -> list[Passage]:
        return [Passage(*row) for row in self._rows("passages_page", after=after, limit=limit)]

    def passages_written(self, *, after: int, until: int) -> list[Passage]:
        return [Passage(*row) for row in self._rows("passages_written", after=after, until=until)]

    def count_documents(self, *, after: int) -> int:
        row = self._row("count_documents", after=after)
        return int(row[0]) if row else 0

    def passage_texts(self, numbers: Iterable[int]) -> list[PassageText]:
        return [PassageText(*row) for row in self._rows("passage_texts", numbers=self._listing(numbers))]

    def hide_passages(self, numbers: Iterable[int], hidden_seq: int | None) -> None:
        self._run("hide_passages", numbers=self._listing(numbers), hidden_seq=hidden_seq)

    def count_threads(self, shelves: Sequence[int]) -> int:
        row = self._row("count_threads", shelves=self._listing(shelves))
        return int(row[0]) if row else 0

    def thread_length(self, thread: str, scope: str, privacy: Privacy) -> int:
        row = self._row("thread_length", thread=thread, scope=scope, owner=owner_of(privacy))
        return int(row[0]) if row else 0

    def thread_turns(self, thread: str, scope: str, privacy: Privacy, *, limit: int) -> list[Source]:
        rows = self._rows("thread_turns", thread=thread, scope=scope, owner=owner_of(privacy), limit=limit)
        return [Source(*row) for row in rows]

    def turns_before(self, source: Source, *, limit: int) -> list[Source]:
        return [Source(*row) for row in reversed(self._rows("turns_before", **_place_of(source), limit=limit))]

    def documents_after(self, source: Source) -> list[Source]:
        return self._documents("documents_after", source)

    def documents_before(self, source: Source) -> list[Source]:
        return self._documents("documents_before", source)

    def _documents(self, name: str, source: Source) -> list[Source]:
        if source.kind != SourceKind.DOCUMENT:
            return []
        # What has no thread, reference or place is compared with nothing and so has no other texts.
        values = _place_of(source) | {"reference": source.reference, "author": source.author}
        return [Source(*row) for row in self._rows(name, **values)]

    def open_quarantine(self, source_id: str) -> Quarantine | None:
        row = self._row("open_quarantine", source_id=source_id)
        return Quarantine(*row) if row else None

    def quarantined(self, source_ids: Iterable[str]) -> set[str]:
        return {row[0] for row in self._rows("quarantined", ids=self._listing(source_ids))}

    def memories_of_source(self, source_id: str) -> list[str]:
        return [row[0] for row in self._rows("memories_of_source", source_id=source_id)]

    # Vectors

    def model(self, name: str) -> tuple[int, int] | None:
        row = self._row("model_named", name=name)
        return (int(row[0]), int(row[1])) if row else None

    def register_model(self, name: str, dimension: int) -> int:
        known = self.model(name)
        if known is None:
            self._run("insert_model", name=name, dimension=dimension)
            known = self.model(name)
        assert known is not None
        return known[0]

    def vectors(self, model: int, shelf: int, *, with_tokens: bool) -> list[VectorRow]:
        if with_tokens:
            return [VectorRow(*row) for row in self._rows("vectors_of", model=model, shelf=shelf)]
        return [
            VectorRow(row[0], row[1], row[2], b"") for row in self._rows("bare_vectors_of", model=model, shelf=shelf)
        ]

    def vectors_numbered(self, model: int, shelf: int, docs: Sequence[int]) -> list[VectorRow]:
        rows = self._rows("vectors_numbered", model=model, shelf=shelf, docs=self._listing(docs))
        return [VectorRow(*row) for row in rows]

    def documents_written(self, *, after: int, until: int) -> list[tuple[int, int]]:
        return [(row[0], row[1]) for row in self._rows("documents_written", after=after, until=until)]

    def vector_tokens(self, model: int, shelf: int, docs: Sequence[int]) -> dict[int, bytes]:
        rows = self._rows("vector_tokens", model=model, shelf=shelf, docs=self._listing(docs))
        return {row[0]: row[1] for row in rows}

    def has_vectors(self, model: int) -> bool:
        return self._row("any_vector", model=model) is not None

    def add_vectors(self, model: int, rows: Sequence[tuple[int, VectorRow]]) -> None:
        values = [{"model": model, "shelf": shelf} | msgspec.structs.asdict(row) for shelf, row in rows]
        self._connection.run_many(self._sql["insert_vector"], values)

    def drop_vectors(self, *, keep: int | None) -> None:
        self._run("drop_vectors", keep=-1 if keep is None else keep)


def _place_of(source: Source) -> dict[str, object]:
    """Where a source stands in its thread."""
    return {"thread": source.thread, "scope": source.scope, "owner": owner_of(source.privacy), "place": source.place}


def _passage_limits(chosen: VersionFilter) -> dict[str, object]:
    """What a filter of memories asks of evidence: when it was recorded and when it was said."""
    return {
        "seq": until(chosen.seq),
        "earliest": -LATEST if chosen.observed_after is None else chosen.observed_after,
        "latest": min(
            LATEST if chosen.valid_at is None else chosen.valid_at,
            LATEST if chosen.observed_before is None else chosen.observed_before - 1,
        ),
    }
