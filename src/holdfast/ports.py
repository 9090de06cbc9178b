"""What the core needs from outside: a store and a clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import msgspec

from holdfast.domain.ledger import Head, LedgerEntry, Record
from holdfast.domain.memory import MemoryVersion
from holdfast.domain.records import Conflict, Evidence, Link, Source, Space, Tombstone


class Clock(Protocol):
    """Tells the time; the only thing that does."""

    def now(self) -> int:
        """Microseconds since 1970, UTC."""


class VersionFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which versions a search may see. It is part of the index query itself, never a step after it."""

    scopes: tuple[str, ...] | None = None
    """None means every scope; an empty tuple means none."""
    private_to: str | None = None
    """Whose private memories are seen; None means everyone's (a person, the owner)."""
    statuses: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    topic: str | None = None
    project_id: str | None = None
    repo_id: str | None = None
    author: str | None = None
    min_confidence: float | None = None
    observed_after: int | None = None
    seq: int | None = None
    """As of this ledger sequence; None means now."""
    valid_at: int | None = None
    """Only what held in the world at that moment."""
    not_ended_by: int | None = None
    """Leave out what had already stopped holding by that moment."""


class Reading(Protocol):
    """A consistent view of a space."""

    def space(self) -> Space:
        """The record of the space itself; `UNBORN` before its first write."""

    def head(self) -> Head: ...
    def head_at(self, moment: int) -> Head:
        """The last entry recorded by that moment."""

    def version(self, memory_id: str, seq: int | None = None) -> MemoryVersion | None:
        """A memory as of a sequence; without one, as it is now."""

    def versions(self, memory_id: str, seq: int | None = None) -> list[MemoryVersion]: ...
    def current_versions(self, memory_ids: Sequence[str]) -> list[MemoryVersion]: ...
    def list_versions(self, chosen: VersionFilter, *, before: int | None, limit: int) -> list[MemoryVersion]:
        """Newest first; `before` is the ordinal where the page before ended."""

    def match_text(
        self, terms: Sequence[str], chosen: VersionFilter, *, limit: int
    ) -> list[tuple[MemoryVersion, float]]:
        """The versions that hold any of the terms, best BM25 first, equal ones newest first."""

    def term_counts(self, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        """How many versions there are, and how many of them have each of the terms."""

    def live_by_keys(self, keys: Iterable[int], *, limit: int) -> list[MemoryVersion]:
        """The active and waiting memories that are indexed under any of the keys.

        What a person stands behind comes first, then what is active, then the newest: the limit never hides it.
        """

    def tombstones_by_keys(self, keys: Iterable[int]) -> list[Tombstone]: ...
    def tombstones_of(self, memory_id: str, seq: int | None = None) -> list[Tombstone]: ...
    def evidence_of(self, memory_ids: Sequence[str], seq: int | None = None) -> list[tuple[Evidence, Source]]: ...
    def source(self, source_id: str) -> Source | None: ...
    def source_by_lookup(self, lookup_key: int) -> Source | None: ...
    def links_of(self, refs: Sequence[str], seq: int | None = None) -> list[Link]: ...
    def open_link(self, from_id: str, to_ref: str, relationship: str) -> Link | None: ...
    def conflict(self, conflict_id: str) -> Conflict | None: ...
    def conflicts_of(self, memory_ids: Sequence[str], seq: int | None = None) -> list[Conflict]: ...
    def conflicts_by_pair(self, pair_key: int) -> list[Conflict]: ...
    def conflicts_page(self, *, pending: bool, after: tuple[int, str] = (0, ""), limit: int) -> list[Conflict]:
        """In the order they were found; `after` is the sequence and id where the page before ended."""

    def opened(self, table: str, key: Mapping[str, object]) -> Any | None:
        """The record of a table by its key."""

    def knows(self, table: str, name: str) -> bool:
        """Whether a principal, project, repo or team of that id has been recorded."""

    def ledger_entry(self, seq: int) -> LedgerEntry | None: ...
    def ledger_range(self, *, after: int, until: int, limit: int) -> list[LedgerEntry]: ...
    def records_written(self, table: str, *, after: int, until: int) -> list[Any]: ...
    def records_closed(self, table: str, *, after: int, until: int) -> list[Any]: ...
    def records_outside(self, table: str, *, until: int) -> list[Any]:
        """Records that no ledger entry up to `until` accounts for."""

    def versions_page(self, *, after: int, limit: int) -> list[MemoryVersion]:
        """All versions in the order they were written."""

    def indexed_numbers(self, *, after: int, limit: int) -> list[int]:
        """The ordinals of the versions whose words are indexed."""

    def idempotent_answer(self, principal: str, key: str) -> tuple[bytes, str] | None: ...
    def counts(self, *, reader: str | None, now: int) -> list[tuple[Any, ...]]:
        """Scope, kind, status, staleness, author, topic, number, and how many of them are stale.

        A reader's counts leave out what is private to others.
        """

    def tally(self, name: str, **values: object) -> int: ...


class Writing(Reading, Protocol):
    """The one write transaction of a space."""

    def next_version_no(self) -> int: ...
    def insert(self, record: Record) -> None: ...
    def close(self, record: Record) -> None:
        """Fill in the closing part of a record."""

    def is_indexed(self, no: int) -> bool:
        """Whether the words of a version are in the index."""

    def append(self, entry: LedgerEntry) -> None: ...
    def index_version(self, version: MemoryVersion, keys: Iterable[int]) -> None:
        """Add the derived rows of a version: its words and its look-up keys."""

    def keep_answer(
        self, principal: str, key: str, request_hash: bytes, answer: str, seq: int, recorded_at: int
    ) -> None: ...
    def clear_index(self) -> None:
        """Drop all derived rows."""

    def drop_old_answers(self, before: int) -> None: ...


class Store(Protocol):
    """A space, wherever it is kept."""

    def read(self) -> AbstractContextManager[Reading]: ...
    def write(self) -> AbstractContextManager[Writing]: ...
    def size_bytes(self) -> int: ...
    def check_structure(self) -> list[str]:
        """What the database itself finds damaged."""

    def tidy(self) -> None: ...
    @property
    def is_file(self) -> bool:
        """Whether the space can be copied as one database file."""

    def copy_to(self, path: str) -> None:
        """A consistent copy while others go on writing."""

    def close(self) -> None: ...


class HeadKeeper(Protocol):
    """Remembers the end of the ledger outside the database, so that a lost end is noticed."""

    def last(self) -> tuple[str, Head] | None:
        """The space and the head that were last recorded."""

    def publish(self, space_id: str, head: Head) -> None:
        """Record a head that is durable; an older one than recorded is ignored."""

    def check(self, transaction: Reading) -> None:
        """Raise `Untrusted` if the ledger no longer contains the recorded head."""

    def close(self) -> None: ...


class NoHeads:
    """Remembers nothing: for a space that lives in memory, or a copy looked at once."""

    def last(self) -> tuple[str, Head] | None:
        return None

    def publish(self, space_id: str, head: Head) -> None:
        return None

    def check(self, transaction: Reading) -> None:
        return None

    def close(self) -> None:
        return None
