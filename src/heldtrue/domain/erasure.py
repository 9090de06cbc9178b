"""What erasure destroys: which columns hold words of people, table by table, and what is left in their place.

Every column of every table is either in one of these lists, or listed as one that holds no words of people. A test
compares the lists with the schema, so that a new table cannot be forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any

import msgspec

from heldtrue.domain.ledger import SPEC_NAMED, LedgerEntry
from heldtrue.domain.records import ErasedRecord

ERASED = "[erased]"
"""What is shown in place of erased words. Whether a record was erased is told by its missing salt, never by this."""
PAGES_PENDING = "erasure_pages"
"""The index state that says that erased words may still be in unused parts of the database files."""


NOTES_CONSIDERED = "erasure_notes"
"""The index state that counts the erasures, of those remembered outside the home, that this store has taken in."""


class ErasableTable(msgspec.Struct, frozen=True):
    """A table of the ledger whose records can be erased: what each column with words is replaced with."""

    table: str
    key: tuple[str, ...]
    words: dict[str, str | None]

    @property
    def type(self) -> Any:
        return LedgerEntry if self.table == "ledger" else SPEC_NAMED[self.table].type

    @property
    def closing(self) -> tuple[str, ...]:
        return () if self.table == "ledger" else SPEC_NAMED[self.table].closing


def _erasable(table: str, **words: str | None) -> ErasableTable:
    return ErasableTable(table, ("seq",) if table == "ledger" else SPEC_NAMED[table].key, words)


ERASABLE: tuple[ErasableTable, ...] = (
    _erasable("archived_sources", reason=ERASED, close_reason=None),
    _erasable("conflicts", finding=ERASED, close_reason=None),
    _erasable("evidence", file=None),
    _erasable("handed", action=ERASED, note=None, close_reason=None),
    _erasable("ledger", reason=None, detail="{}"),
    _erasable("links", to_ref=ERASED, relationship=ERASED, reason=None, close_reason=None),
    _erasable(
        "memory_versions",
        title=None, content=ERASED, summary=None, rationale=None, topic=None, category=None, reason=None,
    ),
    _erasable("quarantines", reason=ERASED, close_reason=None),
    _erasable("saved_views", name=ERASED, arguments="{}", close_reason=None),
    _erasable("sources", content="", reference=None, title=None, thread=None, speaker=ERASED),
    _erasable("tombstones", value=ERASED, reason=ERASED, close_reason=None),
)  # fmt: skip
ERASABLE_NAMED: dict[str, ErasableTable] = {spec.table: spec for spec in ERASABLE}
WORKING: dict[str, tuple[str, ...]] = {
    "idempotency": ("key", "answer"),
    "jobs": ("arguments", "once", "error", "outcome"),
    "recalls": ("question", "asked", "results"),
    "summaries": ("category", "text"),
}
"""Working rows with words, which are deleted as a whole, and the columns that hold the words."""
REBUILT = ("memory_keys", "passages", "passage_keys", "postings", "unposted", "threads", "models", "vectors", "shelves")
"""Derived tables. They are dropped and built anew from what is left."""
WITHOUT_WORDS: dict[str, tuple[str, ...]] = {
    "agents": ("id", "name", "kind", "role", "projects", "repos", "teams", "closed_by", "close_reason"),
    "archived_sources": ("id", "source_id", "author", "scope", "closed_by"),
    "conflicts": ("id", "kind", "scope", "old_id", "new_id", "weaker_id", "disposition", "closed_by", "merged_id"),
    "erased": ("id", "entity"),
    "evidence": ("memory_id", "source_id", "author"),
    "handed": ("id", "sender", "receiver", "type", "memories", "closed_by"),
    "idempotency": ("principal",),
    "index_state": ("name",),
    "jobs": ("id", "name", "scope", "asked_by", "trigger", "state", "worker"),
    "ledger": ("actor", "channel", "action", "outcome", "target", "scope", "cause"),
    "links": ("id", "from_id", "author", "scope", "closed_by"),
    "memory_use": ("memory_id",),
    "memory_versions": (
        "memory_id", "kind", "scope", "project_id", "repo_id", "visibility", "status", "strength", "sentiment",
        "staleness", "author", "verified_by", "change", "changed_by", "cause",
    ),
    "migrations": ("name", "checksum"),
    "principals": ("id", "kind", "name"),
    "projects": ("id",),
    "quarantines": ("id", "source_id", "author", "scope", "closed_by"),
    "recalls": ("id", "principal", "channel", "verb", "tier", "cost"),
    "repos": ("id", "project_id"),
    "saved_views": ("id", "author", "scope", "closed_by"),
    "schedules": ("name", "job_id"),
    "sources": ("id", "kind", "content_type", "author", "scope", "visibility"),
    "space": ("id", "base_iri"),
    "summaries": ("scope",),
    "teams": ("id",),
    "tokens": ("agent",),
    "tombstones": ("id", "scope", "grain", "memory_id", "author", "closed_by"),
}  # fmt: skip
"""Text columns that hold no words of people but ids, words of a closed set, and the names of scopes, people and agents.

The names of scopes, people and agents cannot be erased: the ledger's own chain contains them.
"""


JSON_COLUMNS = frozenset({"arguments", "projects", "repos", "teams", "detail", "asked", "outcome", "answer", "results"})
"""Columns that contain JSON. Only its values are words of people; its keys are ours."""


def is_erased(record: Any) -> bool:
    """Whether a record or a ledger entry has lost words for good."""
    return record.salt is None


def has_words(spec: ErasableTable, record: Any) -> bool:
    """Whether there are any words left in a record. An erased one may have kept those that said nothing."""
    return any(getattr(record, name) not in (None, blank_value) for name, blank_value in spec.words.items())


def words_in(columns: Iterable[str], row: Any) -> list[str]:
    """The texts in some columns of a row."""
    found: list[str] = []
    for column in columns:
        if value := getattr(row, column):
            found += _strings(value) if column in JSON_COLUMNS else [str(value)]
    return found


def _strings(text: str) -> Iterator[str]:
    """The texts in the values of a JSON text."""
    try:
        waiting = [msgspec.json.decode(text)]
    except (msgspec.DecodeError, RecursionError):
        yield text
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += reversed(value.values())
        elif isinstance(value, list):
            waiting += reversed(value)


def blank(spec: ErasableTable, record: Any, *, keep: tuple[str, ...] = ()) -> Any:
    """A record without its words and without its salt; the columns in `keep` stay as they are."""
    left = {name: value for name, value in spec.words.items() if name not in keep and getattr(record, name) is not None}
    return msgspec.structs.replace(record, **left, salt=None)


def digest_rest(space_key: bytes, spec: ErasableTable, record: Any, *, seq: int) -> bytes:
    """The digest of what an erasure at entry `seq` left of a record, without its digests and what closed it since."""
    is_closed = not spec.closing or (record.seq_to is not None and record.seq_to <= seq)
    # The chain covers its own hashes.
    left_out = {"salt", "digest", "closing_digest", "hash", "prev_hash"} | (set() if is_closed else set(spec.closing))
    rest = {
        name: getattr(record, name)
        for name in record.__struct_fields__
        if name not in left_out and getattr(record, name) is not None
    }
    return blake2b(msgspec.json.encode((spec.table, rest)), key=space_key, digest_size=32).digest()


def erased_by_digest(records: list[ErasedRecord]) -> dict[bytes, ErasedRecord]:
    """Erasures by the digest of the record that each one destroyed."""
    return {record.record_digest: record for record in records}
