"""What an erasure destroys: found by ids, by names, and by the words that nothing else in the space uses.

The same statement can be in many rows: in copies, in evidence, in the reason of a correction, in a logged question. So
a plan begins with what was asked for, adds what is tied to it, and then searches every row with words for what is left
of it (`domain/erasure.py` lists them).
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

import msgspec

from heldtrue.domain.carried import ANSWERS_FORGOTTEN
from heldtrue.domain.cause import ErasureCause
from heldtrue.domain.erasure import ERASABLE, ERASABLE_NAMED, WORKING, has_words, is_erased, words_in
from heldtrue.domain.limits import (
    ERASURE_BATCH_ENTRIES,
    ERASURE_COMMON_ENTRIES_MIN,
    ERASURE_PHRASE_CHARS_MIN,
    ERASURE_PHRASE_WORDS_MIN,
    ERASURE_ROUNDS_MAX,
    ERASURE_WORD_CHARS_MIN,
)
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.records import Source
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.language.mentions import Mentions
from heldtrue.language.normalise import fold_text
from heldtrue.language.terms import UNSPACED

_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
"""A word; in scripts without spaces, a letter."""
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIED: dict[str, tuple[str, ...]] = {
    "archived_sources": ("source_id",),
    "conflicts": ("old_id", "new_id", "merged_id"),
    "evidence": ("memory_id", "source_id"),
    "handed": ("memories",),
    "ledger": ("target",),
    "links": ("from_id", "to_ref"),
    "quarantines": ("source_id",),
    "saved_views": (),
    "tombstones": ("memory_id",),
}
"""For each table, the columns with ids of the memories and sources that a record is about."""
_WHO = {"ledger": "actor", "recalls": "principal", "jobs": "asked_by", "idempotency": "principal"}
"""For each table, the column that names who wrote the words, for the erasure of everything by one author."""


class EraseCause(StrEnum):
    """Why something is part of an erasure."""

    REQUESTED = "requested"
    MENTIONS = "mentions"
    """It mentions the subject."""
    SOURCE = "source"
    """It is a source of an erased memory."""
    ONLY_SOURCE = "only_source"
    """It has no source but the erased ones."""
    SAME_WORDS = "same_words"
    """It contains the same statement."""


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asked to erase."""

    memories: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    thread: str | None = None
    author: str | None = None
    """The id of a principal."""
    subject: Mentions | None = None
    keeps_memories: bool = False
    """Whether memories that have no source but the erased ones stay."""
    digests: frozenset[bytes] = frozenset()
    """Records that were erased in a later state of the same store."""

    def as_text(self) -> str:
        names = self.subject.names if self.subject else ()
        return repr((sorted(self.memories), sorted(self.sources), self.thread, self.author, sorted(names)))


class PlannedItem(msgspec.Struct, frozen=True):
    """A memory or a source that will be erased."""

    id: str
    cause: EraseCause
    words: str
    """Its text."""


class ErasurePlan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that an erasure destroys."""

    memories: list[PlannedItem]
    sources: list[PlannedItem]
    records: dict[str, list[Any]]
    """The records that lose their words, by table."""
    working: dict[str, list[Any]]
    """The working rows that are deleted, by table."""
    weakened: list[str]
    """The memories that stay and lose a source."""
    tainted: Tainted
    thread: str | None
    """The conversation that is erased as a whole."""
    asked: str
    """What was asked for, as text."""

    def takes_thread(self, source: Source) -> bool:
        """Whether a source loses the name of its thread too. One that others share is kept, if it says nothing."""
        return _takes_thread(source, self.thread, self.tainted)

    @property
    def has_records(self) -> bool:
        return any(self.records.values())

    @property
    def is_empty(self) -> bool:
        return not self.has_records and not any(self.working.values())

    @property
    def memory_ids(self) -> frozenset[str]:
        return frozenset(item.id for item in self.memories)

    @property
    def code(self) -> str:
        """A short code of what is erased and of what was asked for, which changes if one of them changes."""
        named = sorted(f"{table} {record.digest.hex()}" for table, found in self.records.items() for record in found)
        return hashlib.sha256("\n".join([self.asked, *named]).encode()).hexdigest()[:12]


class Tainted:
    """Tells whether a text contains words of what is erased."""

    def __init__(self, subject: Mentions | None) -> None:
        self._subject = subject
        self._words: frozenset[str] = frozenset()
        self._phrases: dict[str, list[tuple[str, ...]]] = {}
        self._whole: set[str] = set()

    def add_statement(self, content: str) -> None:
        """Take a statement whose copies are erased too."""
        words = split_words(content)
        if len(words) >= ERASURE_PHRASE_WORDS_MIN or (len(words) > 1 and len(content) >= ERASURE_PHRASE_CHARS_MIN):
            known = self._phrases.setdefault(words[0], [])
            if words not in known:
                known.append(words)
        if words:
            self._whole.add(" ".join(words))

    def set_words(self, words: Iterable[str]) -> None:
        """Take the words that only erased texts use."""
        self._words = frozenset(word for word in words if _is_telling(word))

    def mentions(self, text: str) -> bool:
        """Whether a text mentions the subject."""
        return self._subject is not None and self._subject.in_text(text)

    def states(self, text: str) -> bool:
        """Whether a text contains an erased statement."""
        if not self._whole:
            return False
        words = split_words(text)
        if " ".join(words) in self._whole:
            return True
        return any(
            words[start : start + len(phrase)] == phrase
            for start, word in enumerate(words)
            for phrase in self._phrases.get(word, ())
        )

    def touches(self, text: str) -> bool:
        """Whether a text mentions the subject, states the same, or uses a word that only erased texts use."""
        if self._words and not self._words.isdisjoint(split_words(text)):
            return True
        return self.states(text) or self.mentions(text)


def split_words(text: str) -> tuple[str, ...]:
    """The words of a text in folded form."""
    return tuple(_WORD.findall(fold_text(text)))


def _is_telling(word: str) -> bool:
    """Whether a word is long or odd enough that another text does not use it by chance."""
    if not word.isascii():
        return len(word) > 1
    return len(word) >= ERASURE_WORD_CHARS_MIN or not (word.isalpha() or word.isdigit())


def words_of(table: str, record: Any) -> str:
    """All words of a row, one column after the other."""
    return "\n".join(words_in(WORKING[table] if table in WORKING else _COLUMNS[table], record))


def _statement(version: MemoryVersion) -> str:
    """What a version states, without the reason why it was made."""
    return "\n".join(words_in((name for name in _COLUMNS["memory_versions"] if name != "reason"), version))


_COLUMNS = {spec.table: tuple(spec.words) for spec in ERASABLE}


def _may_be_part(table: str, record: Any) -> bool:
    """Whether there is anything to erase in a record."""
    if table == "ledger" and f'"{ANSWERS_FORGOTTEN}":' in record.detail:
        return False  # it names an agent, and `verify` needs it
    return not is_erased(record) or has_words(ERASABLE_NAMED[table], record)


def _takes_thread(source: Source, erased_thread: str | None, tainted: Tainted) -> bool:
    return source.thread is not None and (source.thread == erased_thread or tainted.touches(source.thread))


def is_id(text: str) -> bool:
    """Whether a text is the id of a memory or a source."""
    return _ID.fullmatch(text) is not None


def read_records(reading: IngestReadTransaction, table: str) -> Iterator[Any]:
    """Every record of a table that has words left, in the order of the ledger."""
    spec = ERASABLE_NAMED[table]
    last, after = reading.ledger.head().seq, 0
    while after < last:
        until = min(after + ERASURE_BATCH_ENTRIES, last)
        found: list[Any] = (
            reading.ledger.entries(after=after, until=until, limit=until - after)
            if table == "ledger"
            else reading.ledger.records_written(table, after=after, until=until)
        )
        yield from (record for record in found if table == "evidence" or has_words(spec, record))
        after = until


class _Planner:
    """Finds everything that belongs to an erasure, in a few passes over the records."""

    def __init__(self, reading: IngestReadTransaction, selection: Selection) -> None:
        self._reading = reading
        self._selection = selection
        self._memories: dict[str, EraseCause] = {}
        self._sources: dict[str, EraseCause] = {}
        self._sources_of: dict[str, set[str]] = {}
        self._memories_of: dict[str, set[str]] = {}
        self.tainted = Tainted(selection.subject)

    def plan(self) -> ErasurePlan:
        for tie in read_records(self._reading, "evidence"):
            self._sources_of.setdefault(tie.memory_id, set()).add(tie.source_id)
            self._memories_of.setdefault(tie.source_id, set()).add(tie.memory_id)
        self._select()
        self._add_dependants()
        for _ in range(ERASURE_ROUNDS_MAX):
            if not self._add_same_words():
                break
        records = self._collect_records()
        working = self._collect_working()
        # An answer that is deleted must not be proved by its entry any more.
        answered = {kept.seq for kept in working["idempotency"]} - {entry.seq for entry in records["ledger"]}
        records["ledger"] += [entry for seq in sorted(answered) if (entry := self._reading.ledger.entry(seq))]
        return ErasurePlan(
            memories=self._describe("memory_versions", records, self._memories),
            sources=self._describe("sources", records, self._sources),
            records=records,
            working=working,
            weakened=self._find_weakened(),
            tainted=self.tainted,
            thread=self._selection.thread,
            asked=self._selection.as_text(),
        )

    def _select(self) -> None:
        """Mark what was asked for."""
        chosen = self._selection
        for version in self._versions():
            is_named = version.memory_id in chosen.memories or version.author == chosen.author
            if is_named or version.digest in chosen.digests:
                self._memories[version.memory_id] = EraseCause.REQUESTED
            elif self.tainted.mentions(_statement(version)):
                self._memories.setdefault(version.memory_id, EraseCause.MENTIONS)
        for source in read_records(self._reading, "sources"):
            is_named = source.id in chosen.sources or source.author == chosen.author or source.digest in chosen.digests
            if is_named or (chosen.thread is not None and source.thread == chosen.thread):
                self._sources[source.id] = EraseCause.REQUESTED
            elif self.tainted.mentions(words_of("sources", source)):
                self._sources[source.id] = EraseCause.MENTIONS

    def _add_dependants(self) -> None:
        """Mark memories without any other source, and the sources of all marked memories."""
        chosen = set() if self._selection.keeps_memories else set(self._sources)
        for memory_id in {memory for source in chosen for memory in self._memories_of.get(source, ())}:
            if self._sources_of[memory_id] <= chosen:
                self._memories.setdefault(memory_id, EraseCause.ONLY_SOURCE)
        for memory_id in list(self._memories):
            self._add_sources(memory_id)

    def _add_sources(self, memory_id: str) -> None:
        for source_id in self._sources_of.get(memory_id, ()):
            self._sources.setdefault(source_id, EraseCause.SOURCE)

    def _add_same_words(self) -> bool:
        """Mark what states the same as a marked memory, and find the words that nothing else uses.

        Returns whether anything was marked.
        """
        gone: set[str] = set()
        for version in self._versions():
            if version.memory_id in self._memories:
                self.tainted.add_statement(version.content)
                gone.update(split_words(_statement(version)))
        marked = len(self._memories) + len(self._sources)
        left = self._common_words()
        for version in self._versions():
            if version.memory_id in self._memories:
                continue
            text = _statement(version)
            if self.tainted.states(text):
                self._memories[version.memory_id] = EraseCause.SAME_WORDS
                self._add_sources(version.memory_id)
            else:
                left.update(split_words(text))
        for source in read_records(self._reading, "sources"):
            text = words_of("sources", source)
            if source.id not in self._sources and self.tainted.states(text):
                self._sources[source.id] = EraseCause.SAME_WORDS
            (gone if source.id in self._sources else left).update(split_words(text))
        self.tainted.set_words(gone - left)
        return len(self._memories) + len(self._sources) > marked

    def _versions(self) -> Iterator[MemoryVersion]:
        """Every version that states something."""
        for version in read_records(self._reading, "memory_versions"):
            if version.cause != ErasureCause.ERASED:
                yield version

    def _common_words(self) -> set[str]:
        """The words that the texts of several other ledger entries use, such as our own phrases."""
        named = self._memories.keys() | self._sources.keys()
        times = Counter(
            word
            for entry in read_records(self._reading, "ledger")
            if entry.target not in named
            for word in set(split_words(words_of("ledger", entry)))
        )
        return {word for word, number in times.items() if number >= ERASURE_COMMON_ENTRIES_MIN}

    def _collect_records(self) -> dict[str, list[Any]]:
        named = self._memories.keys() | self._sources.keys()
        records: dict[str, list[Any]] = {}
        for spec in ERASABLE:
            found = read_records(self._reading, spec.table)
            match spec.table:
                case "memory_versions":
                    # Of a memory that stays, a reason may quote what goes.
                    records[spec.table] = [
                        version
                        for version in found
                        if version.memory_id in self._memories or self.tainted.touches(version.reason or "")
                    ]
                case "sources":
                    records[spec.table] = [source for source in found if self._loses_words(source)]
                case table:
                    records[table] = [record for record in found if self._is_part(table, record, named)]
        return records

    def _loses_words(self, source: Source) -> bool:
        """Whether a source is erased, or was before and kept the name of a thread that goes now."""
        if is_erased(source):
            return _takes_thread(source, self._selection.thread, self.tainted)
        return source.id in self._sources

    def _is_part(self, table: str, record: Any, named: Iterable[str]) -> bool:
        """Whether a record is about something that is erased, or contains its words."""
        if not _may_be_part(table, record):
            return False
        values = (getattr(record, column) for column in _TIED[table])
        if any(ref in named for value in values if value for ref in (_ID.findall(value) or [value])):
            return True
        if record.digest in self._selection.digests:
            return True
        author = self._selection.author
        if author is not None and table in _WHO and getattr(record, _WHO[table]) == author:
            return True
        return self.tainted.touches(words_of(table, record))

    def _collect_working(self) -> dict[str, list[Any]]:
        named = self._memories.keys() | self._sources.keys()
        author = self._selection.author
        found: dict[str, list[Any]] = {}
        for table in WORKING:
            found[table] = []
            for row in self._reading.carried.rows_of(table):
                text = words_of(table, row)
                is_own = author is not None and table in _WHO and getattr(row, _WHO[table]) == author
                if is_own or not named.isdisjoint(_ID.findall(text)) or self.tainted.touches(text):
                    found[table].append(row)
        return found

    def _find_weakened(self) -> list[str]:
        left = {memory for source in self._sources for memory in self._memories_of.get(source, ())}
        return sorted(left - self._memories.keys())

    def _describe(self, table: str, records: dict[str, list[Any]], causes: dict[str, EraseCause]) -> list[PlannedItem]:
        items: dict[str, PlannedItem] = {}
        for record in records[table]:
            assert isinstance(record, (MemoryVersion, Source))
            if is_erased(record) or getattr(record, "memory_id", getattr(record, "id", "")) not in causes:
                continue
            id_ = record.memory_id if isinstance(record, MemoryVersion) else record.id
            items[id_] = PlannedItem(id_, causes[id_], record.content)
        return list(items.values())


def plan_erasure(reading: IngestReadTransaction, selection: Selection) -> ErasurePlan:
    """Find everything that an erasure would destroy; nothing is changed."""
    return _Planner(reading, selection).plan()
