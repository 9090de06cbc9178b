"""Everything that a space holds about a subject: each row whose words mention it, and what belongs to such a row.

Canonical rows are read along the ledger up to its head, and working rows page by page, so that a space of any size is
read in little memory: what is held meanwhile are the ids of the memories and sources that were found, and the numbers
of their ledger entries. Derived rows are left out. They contain nothing that is not in the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from heldtrue.domain.erasure import ERASABLE, WORKING, words_in
from heldtrue.domain.ledger import LedgerEntry
from heldtrue.domain.limits import SUBJECT_BATCH_ENTRIES, SUBJECT_BATCH_ROWS, VERIFY_BATCH_ENTRIES
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.records import Conflict, Evidence, Handed, Link, Quarantine, Source, Tombstone
from heldtrue.language.mentions import Mentions
from heldtrue.ports import ReadTransaction
from heldtrue.projections.ports import ExportReadTransaction, ExportStore


class HeldSection(StrEnum):
    """What kind of row it is, in the order in which they are listed."""

    MEMORIES = "memories"
    SOURCES = "sources"
    LINKS = "links"
    CONFLICTS = "conflicts"
    REJECTIONS = "rejections"
    QUARANTINES = "quarantines"
    SHARES = "shares"
    VIEWS = "views"
    NAMES = "names"
    ENTRIES = "entries"
    SUMMARIES = "summaries"
    RECALLS = "recalls"
    JOBS = "jobs"
    ANSWERS = "answers"


class MatchCause(StrEnum):
    """Why a row is about the subject."""

    WORDS = "words"
    """Its own words mention the subject."""
    EVIDENCE = "evidence"
    """It is a memory that rests on what the subject said, or on a passage that mentions the subject."""
    MEMORY = "memory"
    """It belongs to a memory that is listed."""
    SOURCE = "source"
    """It belongs to a source that is listed."""


class HeldMemory(msgspec.Struct, frozen=True):
    """A memory with all that is recorded of it."""

    versions: Sequence[MemoryVersion]
    evidence: Sequence[tuple[Evidence, Source]]
    entries: Sequence[LedgerEntry]
    """The ledger entries that made its versions."""


class Trace(msgspec.Struct, frozen=True):
    """A row that is about the subject."""

    section: HeldSection
    cause: MatchCause
    names: tuple[str, ...]
    """The names that its own words contain, or for `evidence` those of its evidence."""
    row: Any
    """A `HeldMemory`, a record, a ledger entry or a working row."""


_NAMES: dict[str, tuple[str, ...]] = {
    "agents": ("name", "projects", "repos", "teams", "close_reason"),
    "principals": ("name",),
    "projects": ("id",),
    "repos": ("id", "project_id"),
    "teams": ("id",),
}
"""The columns with names that people have chosen. They cannot be erased."""
_WORDS: dict[str, tuple[str, ...]] = {spec.table: tuple(spec.words) for spec in ERASABLE} | WORKING | _NAMES
"""The columns of each table that contain words. Who wrote a row is not what the row is about."""
_RECORDS: tuple[tuple[HeldSection, tuple[str, ...]], ...] = (
    (HeldSection.LINKS, ("links",)),
    (HeldSection.CONFLICTS, ("conflicts",)),
    (HeldSection.REJECTIONS, ("tombstones",)),
    (HeldSection.QUARANTINES, ("quarantines",)),
    (HeldSection.SHARES, ("handed",)),
    (HeldSection.VIEWS, ("saved_views",)),
    (HeldSection.NAMES, ("principals", "agents", "projects", "repos", "teams")),
)
_WORKING = (
    (HeldSection.SUMMARIES, "summaries"),
    (HeldSection.RECALLS, "recalls"),
    (HeldSection.JOBS, "jobs"),
    (HeldSection.ANSWERS, "idempotency"),
)
SEARCHED = frozenset(
    {
        *("memory_versions", "sources", "ledger"),
        *(table for _, tables in _RECORDS for table in tables),
        *(table for _, table in _WORKING),
    }
)
"""The tables that are searched."""
_BETWEEN = "\n|\n"
"""Stands between two texts, so that no name begins in one and ends in the other."""


def words_of(table: str, row: Any) -> list[str]:
    """The texts in a row."""
    return words_in(_WORDS[table], row)


class SubjectScan:
    """One search of a space for one subject, as of the head of its ledger."""

    def __init__(self, store: ExportStore, mentions: Mentions) -> None:
        self._store = store
        self._mentions = mentions
        self._memories: dict[str, MatchCause] = {}
        self._sources: dict[str, bool] = {}
        """The sources that were found, and whether the subject said them."""
        self._shown: set[int] = set()
        """The ledger entries that are shown in the history of a memory."""
        with store.read() as reading:
            self.head = reading.ledger.head()
            self.space = reading.ledger.space()

    def find(self) -> Iterator[Trace]:
        """Every row about the subject, section by section."""
        for after, until in self._steps(SUBJECT_BATCH_ENTRIES):
            with self._store.read() as reading:
                self._note_found(reading, after, until)
        yield from self._read_memories()
        yield from self._read_sources()
        for section, tables in _RECORDS:
            for table in tables:
                yield from self._read_records(section, table)
        yield from self._read_entries()
        with self._store.read() as reading:
            for section, table in _WORKING:
                yield from self._read_rows(reading, section, table)

    def _steps(self, entries: int) -> Iterator[tuple[int, int]]:
        for after in range(0, self.head.seq, entries):
            yield after, min(after + entries, self.head.seq)

    def _names_in(self, table: str, row: Any) -> tuple[str, ...]:
        return self._mentions.names_in(_BETWEEN.join(words_of(table, row)))

    # Which memories and sources

    def _note_found(self, reading: ReadTransaction, after: int, until: int) -> None:
        for version in reading.ledger.records_written("memory_versions", after=after, until=until):
            if self._mentions.in_text(_BETWEEN.join(words_of("memory_versions", version))):
                self._memories[version.memory_id] = MatchCause.WORDS
        found: dict[str, Source] = {}
        for source in reading.ledger.records_written("sources", after=after, until=until):
            if self._mentions.in_text(_BETWEEN.join(words_of("sources", source))):
                self._sources[source.id] = self._mentions.in_text(source.speaker or "")
                found[source.id] = source
        for evidence in reading.ledger.records_written("evidence", after=after, until=until):
            if evidence.source_id in self._sources and evidence.memory_id not in self._memories:
                source = found.get(evidence.source_id) or _get_source(reading, evidence.source_id)
                if self._sources[source.id] or self._mentions.in_text(passage_of(evidence, source)):
                    self._memories[evidence.memory_id] = MatchCause.EVIDENCE

    def _read_memories(self) -> Iterator[Trace]:
        for memory_ids in _batches(self._memories):
            with self._store.read() as reading:
                traces = [self._read_memory(reading, memory_id) for memory_id in memory_ids]
            yield from traces

    def _read_memory(self, reading: ReadTransaction, memory_id: str) -> Trace:
        seq = self.head.seq
        versions = reading.memories.versions(memory_id, seq)
        evidence = reading.records.evidence_of([memory_id], seq)
        numbers = dict.fromkeys(version.seq for version in versions)
        made = (reading.ledger.entry(number) for number in numbers)
        self._shown.update(numbers)
        texts = [text for version in versions for text in words_of("memory_versions", version)]
        names = self._mentions.names_in(_BETWEEN.join(texts))
        if not names:
            said = [text for row, source in evidence for text in (source.speaker or "", passage_of(row, source))]
            names = self._mentions.names_in(_BETWEEN.join(said))
        held = HeldMemory(versions, evidence, [entry for entry in made if entry is not None])
        return Trace(HeldSection.MEMORIES, self._memories[memory_id], names, held)

    def _read_sources(self) -> Iterator[Trace]:
        for source_ids in _batches(self._sources):
            with self._store.read() as reading:
                sources = [_get_source(reading, source_id) for source_id in source_ids]
            for source in sources:
                yield Trace(HeldSection.SOURCES, MatchCause.WORDS, self._names_in("sources", source), source)

    # What else

    def _read_records(self, section: HeldSection, table: str) -> Iterator[Trace]:
        for after, until in self._steps(VERIFY_BATCH_ENTRIES):
            with self._store.read() as reading:
                records = reading.ledger.records_written(table, after=after, until=until)
            for record in records:
                names = self._names_in(table, record)
                cause = MatchCause.WORDS if names else self._cause_of(record)
                if cause is not None:
                    yield Trace(section, cause, names, record)

    def _cause_of(self, record: Any) -> MatchCause | None:
        """Why a record belongs here although its own words do not mention the subject."""
        if any(memory_id in self._memories for memory_id in memories_of(record)):
            return MatchCause.MEMORY
        return MatchCause.SOURCE if getattr(record, "source_id", None) in self._sources else None

    def _read_entries(self) -> Iterator[Trace]:
        """Ledger entries, without those that are in the history of a listed memory."""
        for after, until in self._steps(VERIFY_BATCH_ENTRIES):
            with self._store.read() as reading:
                entries = reading.ledger.entries(after=after, until=until, limit=until - after)
            for entry in entries:
                if entry.seq not in self._shown and (names := self._names_in("ledger", entry)):
                    yield Trace(HeldSection.ENTRIES, MatchCause.WORDS, names, entry)

    def _read_rows(self, reading: ExportReadTransaction, section: HeldSection, table: str) -> Iterator[Trace]:
        for row in reading.carried.rows_of(table):
            if names := self._names_in(table, row):
                yield Trace(section, MatchCause.WORDS, names, row)


def passage_of(evidence: Evidence, source: Source) -> str:
    """The part of a source that is the evidence."""
    return source.content[evidence.span_start : evidence.span_end]


def memories_of(record: Any) -> tuple[str, ...]:
    """The memories that a record speaks of."""
    match record:
        case Link():
            return record.from_id, record.to_ref
        case Conflict():
            return tuple(dict.fromkeys(filter(None, (record.old_id, record.new_id, record.merged_id))))
        case Tombstone():
            return (record.memory_id,)
        case Handed():
            return tuple(msgspec.json.decode(record.memories, type=list[str]))
        case _:
            return ()


def sources_of(record: Any) -> tuple[str, ...]:
    """The sources that a record speaks of."""
    return (record.source_id,) if isinstance(record, Quarantine) else ()


def _get_source(reading: ReadTransaction, source_id: str) -> Source:
    source: Source | None = reading.ledger.opened("sources", {"id": source_id})
    assert source is not None, "sources are never deleted"
    return source


def _batches(found: Iterable[str]) -> Iterator[list[str]]:
    """Ids in the order of their moments, a few at a time."""
    ordered = sorted(found)
    return (ordered[start : start + SUBJECT_BATCH_ROWS] for start in range(0, len(ordered), SUBJECT_BATCH_ROWS))
