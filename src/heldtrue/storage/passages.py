"""Passages: the pieces of evidence that can be found. All of them derived."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import NoneType

import msgspec

from heldtrue.domain.hidden import GAP, are_spans, hidden_text, mask_text, read_spans
from heldtrue.domain.posting import PLACES_MAX, passage_number
from heldtrue.domain.records import Source
from heldtrue.domain.rows import NewPassage, Passage, PassageText, VersionFilter
from heldtrue.domain.times import is_moment
from heldtrue.storage.connector import Row
from heldtrue.storage.index import IndexPart
from heldtrue.storage.runner import LATEST, Runner, until


class PassagePart:
    """Evidence, piece by piece, in the order of its threads."""

    __slots__ = ("_index", "_sql")

    def __init__(self, sql: Runner, index: IndexPart) -> None:
        self._sql = sql
        self._index = index

    # Reading

    def numbered(self, numbers: Iterable[int], shelves: Sequence[int], chosen: VersionFilter) -> list[Passage]:
        listed = {"numbers": self._sql.listing(numbers), "shelves": self._sql.listing(shelves)}
        return self._read(self._sql.rows("passages_numbered", **listed, **_limits(chosen)))

    def newest(self, shelves: Sequence[int], chosen: VersionFilter, *, limit: int) -> list[Passage]:
        rows = self._sql.rows("newest_passages", shelves=self._sql.listing(shelves), limit=limit, **_limits(chosen))
        return self._read(rows)

    def unseen(self, shelves: Sequence[int], seq: int | None) -> set[int]:
        numbers = self._sql.listing(shelves)
        unseen = {row[0] for row in self._sql.rows("unseen_passages", shelves=numbers, seq=until(seq))}
        if seq is not None:
            unseen |= {row[0] for row in self._sql.rows("later_passages", shelves=numbers, seq=seq)}
        return unseen

    def texts(self, numbers: Iterable[int], seq: int | None = None) -> list[PassageText]:
        rows = self._sql.rows("passage_texts", numbers=self._sql.listing(numbers))
        return [_read_text(row, seq) for row in rows]

    def of_source(self, source_id: str) -> list[Passage]:
        return self._read(self._sql.rows("passages_of_source", source_id=source_id))

    def by_keys(self, keys: Iterable[int]) -> list[Passage]:
        return self._read(self._sql.rows("passages_by_keys", keys=self._sql.listing(keys)))

    def written(self, *, after: int, until: int) -> list[Passage]:
        return self._read(self._sql.rows("passages_written", after=after, until=until))

    def count_threads(self, shelves: Sequence[int]) -> int:
        return self._sql.number("count_threads", shelves=self._sql.listing(shelves))

    def _read(self, rows: list[Row]) -> list[Passage]:
        return [Passage(*row) for row in self._sql.sound("passages", rows, _is_sound)]

    # Writing

    def add(self, source: Source, thread: str, passages: Sequence[NewPassage], *, collection: str) -> None:
        shelf = self._index.shelf_for(collection, source.scope, source.privacy)
        first = self._take_places(shelf, thread, len(passages))
        for number, passage in enumerate(passages, start=first):
            self._add_one(source, shelf, number, passage)

    def _take_places(self, shelf: int, name: str, wanted: int) -> int:
        """The number of the first of some new passages of a thread; a thread that is full goes on as another."""
        part = 1
        while True:
            named = {"shelf": shelf, "name": name if part == 1 else f"{name}\n{part}"}
            row = self._sql.row("take_places", **named, wanted=wanted, most=PLACES_MAX)
            if row is not None:
                return passage_number(row[0], row[1] - wanted)
            if self._sql.row("thread_named", **named) is None:
                self._sql.run("insert_thread", **named)
            else:
                part += 1

    def _add_one(self, source: Source, shelf: int, number: int, passage: NewPassage) -> None:
        self._sql.run(
            "insert_passage",
            no=number,
            shelf=shelf,
            source_id=source.id,
            seq=source.seq,
            span_start=passage.start,
            span_end=passage.end,
            speaker=source.speaker,
            happened_at=source.recorded_at if source.occurred_at is None else source.occurred_at,
            terms=len(passage.words.weights),
            hidden_seq=passage.hidden_seq,
            hidden_spans=passage.hidden_spans,
        )
        self._index.add_keys("insert_passage_keys", number, passage.keys)
        self._index.add_words(shelf, number, passage.words)

    def hide(self, numbers: Iterable[int], hidden_seq: int | None, hidden_spans: str | None = None) -> None:
        hidden = {"hidden_seq": hidden_seq, "hidden_spans": hidden_spans}
        self._sql.run("hide_passages", numbers=self._sql.listing(numbers), **hidden)


def _read_text(row: Row, seq: int | None) -> PassageText:
    """A passage without the sentences that are hidden as of a sequence."""
    *columns, start, written = row
    found = PassageText(*columns)
    if not are_spans(written):
        # What is hidden cannot be told from the rest any more.
        return msgspec.structs.replace(found, text=GAP, hidden=found.text)
    spans = read_spans(written, seq)
    if not spans:
        return found
    shown, hidden = (read(found.text, spans, offset=start) for read in (mask_text, hidden_text))
    return msgspec.structs.replace(found, text=shown, hidden=hidden)


_TYPES: tuple[type | tuple[type, ...], ...] = (
    *(int, int, str, int, int, int, (str, NoneType), int, int, (int, NoneType), (str, NoneType)),
)


def _is_sound(row: Row) -> bool:
    """Whether a row can be a passage: its types, its span and its time."""
    if not all(map(isinstance, row, _TYPES)):
        return False
    start, end, happened_at, hidden_spans = row[4], row[5], row[7], row[10]
    return 0 <= start <= end < LATEST and is_moment(happened_at) and are_spans(hidden_spans)


def _limits(chosen: VersionFilter) -> dict[str, object]:
    """What a filter of memories asks of evidence: when it was recorded and when it was said."""
    return {
        "seq": until(chosen.seq),
        "earliest": -LATEST if chosen.observed_after is None else chosen.observed_after,
        "latest": min(
            LATEST if chosen.valid_at is None else chosen.valid_at,
            LATEST if chosen.observed_before is None else chosen.observed_before - 1,
        ),
    }
