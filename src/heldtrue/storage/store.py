"""The store: named statements over one connector, rows in and out as domain records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from heldtrue.domain.ids import ENDING_CHARS_MIN
from heldtrue.domain.ledger import EMPTY_HEAD, SPEC_NAMED, SPEC_OF, Head, LedgerEntry, Record
from heldtrue.domain.memory import STALE_AFTER_US, MemoryVersion
from heldtrue.domain.principal import EVERYTHING, Sight
from heldtrue.domain.records import UNBORN, Conflict, Evidence, Link, Source, Space, Tombstone
from heldtrue.ports import VersionFilter
from heldtrue.storage.agents import AgentRows
from heldtrue.storage.connector import Connector, Row
from heldtrue.storage.jobs import JobRows
from heldtrue.storage.logs import LogRows
from heldtrue.storage.migrate import changed_migrations, migrate
from heldtrue.storage.rows import LATEST, until
from heldtrue.storage.search import SearchRows
from heldtrue.storage.statements import load_statements

_EVIDENCE_WIDTH = len(Evidence.__struct_fields__)


class Transaction(SearchRows, LogRows, JobRows, AgentRows):
    """Reads, and inside `SqlStore.write` writes, of one transaction."""

    # The space and its ledger

    def space(self) -> Space:
        if self._store.known_space is None:
            row = self._row("space")
            if row is None:
                return UNBORN
            self._store.known_space = Space(*row)
        return self._store.known_space

    def head(self) -> Head:
        row = self._row("head")
        return Head(*row) if row else EMPTY_HEAD

    def head_at(self, moment: int) -> Head:
        row = self._row("head_at_time", moment=moment)
        return Head(*row) if row else EMPTY_HEAD

    def ledger_entry(self, seq: int) -> LedgerEntry | None:
        row = self._row("ledger_entry", seq=seq)
        return LedgerEntry(*row) if row else None

    def ledger_range(self, *, after: int, until: int, limit: int) -> list[LedgerEntry]:
        return [LedgerEntry(*row) for row in self._rows("ledger_range", after=after, until=until, limit=limit)]

    def records_written(self, table: str, *, after: int, until: int) -> list[Any]:
        return [SPEC_NAMED[table].type(*row) for row in self._rows(f"written_{table}", after=after, until=until)]

    def records_closed(self, table: str, *, after: int, until: int) -> list[Any]:
        return [SPEC_NAMED[table].type(*row) for row in self._rows(f"closed_{table}", after=after, until=until)]

    def records_outside(self, table: str, *, until: int) -> list[Any]:
        rows = self._rows(f"unwritten_{table}", until=until)
        if SPEC_NAMED[table].closing:
            rows += self._rows(f"unclosed_{table}", until=until)
        return [SPEC_NAMED[table].type(*row) for row in rows]

    # Memories

    def version(self, memory_id: str, seq: int | None = None) -> MemoryVersion | None:
        if seq is None:
            row = self._row("current_version", memory_id=memory_id)
        else:
            row = self._row("version_at", memory_id=memory_id, seq=seq)
        return MemoryVersion(*row) if row else None

    def versions(self, memory_id: str, seq: int | None = None) -> list[MemoryVersion]:
        return [MemoryVersion(*row) for row in self._rows("versions_of", memory_id=memory_id, seq=until(seq))]

    def current_versions(self, memory_ids: Sequence[str]) -> list[MemoryVersion]:
        return [MemoryVersion(*row) for row in self._rows("current_of_memories", ids=self._listing(memory_ids))]

    def versions_page(self, *, after: int, limit: int) -> list[MemoryVersion]:
        return [MemoryVersion(*row) for row in self._rows("versions_page", after=after, limit=limit)]

    def list_versions(self, chosen: VersionFilter, *, before: int | None, limit: int) -> list[MemoryVersion]:
        rows = self._filtered("list_versions", chosen, before=LATEST if before is None else before, limit=limit)
        return [MemoryVersion(*row) for row in rows]

    def live_by_keys(self, keys: Iterable[int], *, limit: int) -> list[MemoryVersion]:
        # Nearly every new memory has no neighbour, and finding that out alone takes a sixth of the time.
        numbers = {row[1] for row in self._rows("numbers_by_keys", keys=self._listing(keys))}
        return self._live_by_numbers(numbers, limit=limit) if numbers else []

    def live_under_keys(self, keys: Iterable[int], *, limit: int) -> dict[int, list[MemoryVersion]]:
        listed = self._listing(keys)
        pairs = self._rows("numbers_by_keys", keys=listed)
        if len(pairs) > limit:
            pairs = self._rows("first_by_keys", keys=listed, limit=limit)
        under: dict[int, list[int]] = {}
        for key, number in pairs:
            under.setdefault(number, []).append(key)
        found: dict[int, list[MemoryVersion]] = {}
        for version in self._live_by_numbers(under, limit=len(under)) if under else ():
            for key in under[version.no]:
                found.setdefault(key, []).append(version)
        return found

    def _live_by_numbers(self, numbers: Iterable[int], *, limit: int) -> list[MemoryVersion]:
        rows = self._rows("live_by_numbers", numbers=self._listing(numbers), limit=limit)
        return [MemoryVersion(*row) for row in rows]

    def numbers_sharing_keys(self) -> set[int]:
        return {row[0] for row in self._rows("numbers_sharing_keys")}

    # What surrounds a memory

    def tombstones_by_keys(self, keys: Iterable[int]) -> list[Tombstone]:
        return [Tombstone(*row) for row in self._rows("tombstones_by_keys", keys=self._listing(keys))]

    def tombstones_of(self, memory_id: str, seq: int | None = None) -> list[Tombstone]:
        return [Tombstone(*row) for row in self._rows("tombstones_of_memory", memory_id=memory_id, seq=until(seq))]

    def evidence_of(self, memory_ids: Sequence[str], seq: int | None = None) -> list[tuple[Evidence, Source]]:
        rows = self._rows("evidence_of_memories", ids=self._listing(memory_ids), seq=until(seq))
        return [(Evidence(*row[:_EVIDENCE_WIDTH]), Source(*row[_EVIDENCE_WIDTH:])) for row in rows]

    def has_evidence_by(self, memory_id: str, author: str) -> bool:
        return self._row("evidence_by", memory_id=memory_id, author=author) is not None

    def source(self, source_id: str) -> Source | None:
        row = self._row("source", id=source_id)
        return Source(*row) if row else None

    def documents_between(self, after: str, last: str, *, author: str, scope: str) -> list[tuple[str, str, str]]:
        rows = self._rows("documents_between", after=after, last=last, author=author, scope=scope)
        return [(source_id, thread, reference) for source_id, thread, reference in rows]

    def source_by_lookup(self, lookup_key: int) -> Source | None:
        row = self._row("source_by_lookup", lookup_key=lookup_key)
        return Source(*row) if row else None

    def links_of(self, refs: Sequence[str], seq: int | None = None) -> list[Link]:
        return [Link(*row) for row in self._rows("links_of_memories", ids=self._listing(refs), seq=until(seq))]

    def ids_ending(self, what: str, ending: str, *, limit: int, sight: Sight = EVERYTHING) -> list[tuple[str, str]]:
        wanted = {"last": ending[-ENDING_CHARS_MIN:], "pattern": f"%{ending}", "limit": limit}
        return [(row[0], row[1]) for row in self._sighted(f"{what}_ids_ending", sight, **wanted)]

    def links_ever_to(self, refs: Sequence[str], relationship: str) -> list[Link]:
        rows = self._rows("links_ever_to", ids=self._listing(refs), relationship=relationship)
        return [Link(*row) for row in rows]

    def open_link(self, from_id: str, to_ref: str, relationship: str) -> Link | None:
        row = self._row("open_link", from_id=from_id, to_ref=to_ref, relationship=relationship)
        return Link(*row) if row else None

    def conflict(self, conflict_id: str) -> Conflict | None:
        row = self._row("conflict", id=conflict_id)
        return Conflict(*row) if row else None

    def conflicts_of(self, memory_ids: Sequence[str], seq: int | None = None) -> list[Conflict]:
        rows = self._rows("conflicts_of_memories", ids=self._listing(memory_ids), seq=until(seq))
        return [Conflict(*row) for row in rows]

    def conflicts_by_pairs(self, pair_keys: Iterable[int]) -> list[Conflict]:
        return [Conflict(*row) for row in self._rows("conflicts_by_pairs", pair_keys=self._listing(pair_keys))]

    def conflicts_page(
        self, *, pending: bool, sight: Sight, after: tuple[int, str] = (0, ""), limit: int
    ) -> list[Conflict]:
        page = {"pending": int(pending), "after": after[0], "after_id": after[1], "limit": limit}
        return [Conflict(*row) for row in self._sighted("conflicts_page", sight, **page)]

    def is_doubted(self, memory_id: str, *, besides: str) -> bool:
        return self._row("is_doubted", memory_id=memory_id, besides=besides) is not None

    def knows(self, table: str, name: str) -> bool:
        return self._row(table, id=name) is not None

    def idempotent_answer(self, principal: str, key: str) -> tuple[bytes, str] | None:
        row = self._row("idempotent_answer", principal=principal, key=key)
        return (row[0], row[1]) if row else None

    def counts(self, *, reader: str | None, now: int) -> list[Row]:
        terms = {policy.value: now - term for policy, term in STALE_AFTER_US.items() if term}
        return self._rows("count_by", reader=reader or "", **terms)

    def tally(self, name: str, **values: object) -> int:
        row = self._row(f"count_{name}", **values)
        return int(row[0]) if row else 0

    # Writing

    def next_version_no(self) -> int:
        row = self._row("next_version_no")
        return int(row[0]) if row else 1

    def insert(self, record: Record) -> None:
        spec = SPEC_OF[type(record)]
        self._connection.run(self._sql[f"insert_{spec.table}"], self._store.connector.row_of(record))

    def close(self, record: Record) -> None:
        spec = SPEC_OF[type(record)]
        names = (*spec.key, *spec.closing, "closing_digest")
        self._run(f"close_{spec.table}", **{name: getattr(record, name) for name in names})

    def opened(self, table: str, key: Mapping[str, object]) -> Any | None:
        rows = self._connection.rows(self._sql[f"keyed_{table}"], key)
        return SPEC_NAMED[table].type(*rows[0]) if rows else None

    def append(self, entry: LedgerEntry) -> None:
        self._connection.run(self._sql["insert_ledger"], self._store.connector.row_of(entry))

    def keep_answer(
        self, principal: str, key: str, request_hash: bytes, answer: str, seq: int, recorded_at: int
    ) -> None:
        self._run(
            "keep_idempotent_answer",
            principal=principal, key=key, request_hash=request_hash, answer=answer, seq=seq, recorded_at=recorded_at,
        )  # fmt: skip

    def drop_old_answers(self, before: int) -> None:
        self._run("drop_old_answers", before=before)


def _name_part(part: str) -> str:
    """The kind and the name of a part of a schema."""
    return " ".join(part.split(" ", 2)[:2])


class SqlStore:
    """A space in a SQL database."""

    def __init__(self, connector: Connector) -> None:
        self.connector = connector
        named = load_statements(connector.package, connector.within)
        self.statements = {name: connector.spell(sql) for name, sql in named.items()}
        self.known_space: Space | None = None
        if not connector.read_only:
            migrate(connector, self.statements)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """One consistent view."""
        with self.connector.reading() as connection:
            yield Transaction(self, connection)

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """Hold the write lock until commit; an exception rolls everything back."""
        try:
            with self.connector.writing() as connection:
                yield Transaction(self, connection)
        except BaseException:
            # The space may have been founded in what is now undone.
            self.known_space = None
            raise

    def size_bytes(self) -> int:
        return self.connector.size_bytes()

    def check_structure(self) -> list[str]:
        changed = changed_migrations(self.connector, self.statements)
        found = [f"migration {name} differs from the one this space was created with" for name in changed]
        return found + self._strange_parts() + self.connector.check_structure()

    def _strange_parts(self) -> list[str]:
        """Tables, indexes and triggers that are missing or unexpected."""
        pristine = self.connector.pristine()
        if pristine is None:
            return []
        try:
            migrate(pristine, self.statements)
            ours, theirs = set(pristine.describe_schema()), set(self.connector.describe_schema())
        finally:
            pristine.close()
        missing = [f"the database is missing {_name_part(part)}" for part in sorted(ours - theirs)]
        return missing + [f"the database has an unexpected {_name_part(part)}" for part in sorted(theirs - ours)]

    def tidy(self) -> None:
        """Post waiting words and run the database's own maintenance, in short steps that change no content."""
        with self.write() as transaction:
            transaction.post_words()
        self.connector.tidy()

    @property
    def is_file(self) -> bool:
        return self.connector.is_file

    def copy_to(self, path: str) -> None:
        self.connector.copy_to(path)

    def close(self) -> None:
        self.connector.close()
