"""The hash chain over everything a space has ever recorded.

Each record has a digest of its own, keyed by a random salt that is stored beside it, and each ledger entry chains
the digests of the records it wrote. The chain therefore never covers plain text: destroying a salt and a text
(erasure) leaves the chain whole and the digest meaningless, while changing a text breaks its digest.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import blake2b, sha256
from operator import attrgetter
from typing import Any, TypeVar

import msgspec

from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.records import (
    AgentRecord,
    ArchivedSource,
    Conflict,
    ErasedRecord,
    Evidence,
    Handed,
    Link,
    PrincipalRecord,
    Project,
    Quarantine,
    Repo,
    SavedView,
    Source,
    Space,
    Team,
    Tombstone,
)

GENESIS = bytes(32)
"""The hash before the first entry."""

Record = (
    MemoryVersion
    | Source
    | Evidence
    | Link
    | Tombstone
    | Conflict
    | ErasedRecord
    | Quarantine
    | ArchivedSource
    | SavedView
    | AgentRecord
    | Handed
    | PrincipalRecord
    | Project
    | Repo
    | Space
    | Team
)

R = TypeVar("R", bound=Record)


class Head(msgspec.Struct, frozen=True, gc=False):
    """The end of a ledger. A head that was stored elsewhere proves later that history was not rewritten."""

    seq: int
    hash: bytes
    recorded_at: int

    def as_text(self) -> str:
        return f"{self.seq}:{self.hash.hex()}"


EMPTY_HEAD = Head(0, GENESIS, 0)


class LedgerEntry(msgspec.Struct, frozen=True, gc=False):
    """One mutation, or one that was refused."""

    seq: int
    recorded_at: int
    actor: str
    channel: str
    action: str
    outcome: str
    target: str | None
    scope: str | None
    reason: str | None
    detail: str
    """JSON: the versions before and after, and other details."""
    records: int
    """How many records the entry wrote or closed."""
    records_hash: bytes
    prev_hash: bytes
    hash: bytes
    salt: bytes | None = None
    digest: bytes | None = None
    cause: str | None = None
    """Why it was refused, is pending or was archived: a value of `domain.cause`. The reason is the text beside it."""


class TableSpec(msgspec.Struct, frozen=True):
    """How a record type is stored: its table, its key, and the part that is filled in when it is closed."""

    table: str
    type: Any
    key: tuple[str, ...]
    closing: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return self.type.__struct_fields__  # type: ignore[no-any-return]


_CLOSED = ("recorded_to", "seq_to", "closed_by", "close_reason")
TABLES: tuple[TableSpec, ...] = (
    TableSpec("agents", AgentRecord, ("id",), _CLOSED),
    TableSpec("archived_sources", ArchivedSource, ("id",), _CLOSED),
    TableSpec("conflicts", Conflict, ("id",), (*_CLOSED, "disposition", "merged_id")),
    TableSpec("erased", ErasedRecord, ("id",)),
    TableSpec("evidence", Evidence, ("memory_id", "version", "source_id")),
    TableSpec("handed", Handed, ("id",), _CLOSED),
    TableSpec("links", Link, ("id",), _CLOSED),
    TableSpec("memory_versions", MemoryVersion, ("memory_id", "version"), ("recorded_to", "seq_to")),
    TableSpec("principals", PrincipalRecord, ("id",)),
    TableSpec("projects", Project, ("id",)),
    TableSpec("quarantines", Quarantine, ("id",), _CLOSED),
    TableSpec("repos", Repo, ("id",)),
    TableSpec("saved_views", SavedView, ("id",), _CLOSED),
    TableSpec("sources", Source, ("id",)),
    TableSpec("space", Space, ("id",)),
    TableSpec("teams", Team, ("id",)),
    TableSpec("tombstones", Tombstone, ("id",), _CLOSED),
)
SPEC_OF: dict[type, TableSpec] = {spec.type: spec for spec in TABLES}
SPEC_NAMED: dict[str, TableSpec] = {spec.table: spec for spec in TABLES}
_LEFT_OUT = {"salt", "digest", "closing_digest"}
_OPENING = {
    spec.type: tuple(name for name in spec.columns if name not in _LEFT_OUT and name not in spec.closing)
    for spec in TABLES
}
"""The columns that the digest of a record covers: all but the digests themselves and the closing part."""
_VALUES = {kind: attrgetter(*names) for kind, names in _OPENING.items()}
_encode = msgspec.json.Encoder().encode


def _commit(salt: bytes, table: str, values: Iterable[tuple[str, object]]) -> bytes:
    # Empty columns are left out, so that a column added by a later migration does not change an old digest.
    filled = {name: value for name, value in values if value is not None}
    return blake2b(_encode((table, filled)), key=salt, digest_size=32).digest()


def opening_digest(record: Record) -> bytes:
    """The digest of a record as first written, under its own salt."""
    assert record.salt is not None
    kind = type(record)
    return _commit(record.salt, SPEC_OF[kind].table, zip(_OPENING[kind], _VALUES[kind](record), strict=True))


def closing_digest(record: Record) -> bytes:
    """The digest of what closed a record. One that was erased before it was closed has no salt any more."""
    spec = SPEC_OF[type(record)]
    assert record.digest is not None
    covered = [(name, getattr(record, name)) for name in (*spec.key, *spec.closing)]
    return _commit(record.salt or record.digest, f"{spec.table}/closed", covered)


def seal(record: R) -> R:
    """The record, given a fresh salt and its digest before anyone else has seen it."""
    msgspec.structs.force_setattr(record, "salt", os.urandom(16))
    msgspec.structs.force_setattr(record, "digest", opening_digest(record))
    return record


def hash_records(digests: Iterable[bytes]) -> bytes:
    """One hash over the digests that an entry covers, whatever their order."""
    return sha256(b"".join(sorted(digests))).digest()


def text_digest(salt: bytes, reason: str | None, detail: str) -> bytes:
    """The digest that represents an entry's text in the chain."""
    return _commit(salt, "ledger", (("reason", reason), ("detail", detail)))


def chain_hash(entry: LedgerEntry) -> bytes:
    """The hash of an entry, which the next entry repeats as its `prev_hash`."""
    covered = (
        entry.seq,
        entry.recorded_at,
        entry.actor,
        entry.channel,
        entry.action,
        entry.outcome,
        entry.target,
        entry.scope,
        entry.cause,
        entry.digest,
        entry.records,
        entry.records_hash,
    )
    return sha256(entry.prev_hash + _encode(covered)).digest()


def chain_entry(entry: LedgerEntry) -> LedgerEntry:
    """An entry with the digest of its text and its own hash filled in."""
    salt = os.urandom(16)
    msgspec.structs.force_setattr(entry, "salt", salt)
    msgspec.structs.force_setattr(entry, "digest", text_digest(salt, entry.reason, entry.detail))
    msgspec.structs.force_setattr(entry, "hash", chain_hash(entry))
    return entry
