"""Records with every field filled in, to be changed where a test cares."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec

from heldtrue.domain.ledger import Head, LedgerEntry, Record, chain_entry, closing_digest, seal
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.posting import Words
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
from heldtrue.domain.rows import NewPassage, RecallRow
from heldtrue.language.features import count_passage, count_words, speaker_marks
from heldtrue.storage.store import Transaction


def make_space(seq: int = 1, key: bytes = bytes(range(32))) -> Space:
    return seal(Space("0192-space", seq, "https://heldtrue.example/", key, 1_700_000_000_000_000))


def memory_id(number: int) -> str:
    """An id that sorts by its number."""
    return f"01920000-0000-7000-8000-{number:012d}"


def make_version(no: int = 1, **changed: Any) -> MemoryVersion:
    fields: dict[str, Any] = {
        "no": no, "memory_id": memory_id(no), "version": 1, "seq": no, "kind": "decision", "title": "Storage engine",
        "content": "We keep everything in SQLite.", "summary": "SQLite it is", "rationale": "one file",
        "scope": "project:atlas", "project_id": "atlas", "repo_id": "atlas-core", "visibility": "local",
        "status": "active", "confidence": 0.9, "strength": "explicit", "topic": "storage", "category": "architecture",
        "staleness": "stable", "author": "agent:scout", "verified_by": "person:ada", "valid_from": 10, "valid_to": 20,
        "observed_at": 1_000 + no, "created_at": 1_000, "recorded_from": 1_000 + no, "change": "learn",
        "changed_by": "agent:scout", "reason": "said in review", "sentiment": "excited",
        "cause": "extracted",
    }  # fmt: skip
    return seal(MemoryVersion(**(fields | changed)))


def make_plain_version(no: int, content: str, **changed: Any) -> MemoryVersion:
    """A version without any of the optional parts."""
    empty = dict.fromkeys(
        ("title", "summary", "rationale", "project_id", "repo_id", "topic", "category", "verified_by", "valid_from",
         "valid_to", "reason", "sentiment", "cause")
    )  # fmt: skip
    return make_version(no, **({"content": content} | empty | changed))


def make_source(number: int = 1, **changed: Any) -> Source:
    fields: dict[str, Any] = {
        "id": f"source-{number}", "seq": number, "kind": "conversation", "content": "raw words",
        "content_type": "text/plain", "reference": "chat.md:12", "author": "person:ada", "scope": "global",
        "occurred_at": 5, "recorded_at": 6, "lookup_key": 1_000 + number, "title": "Stand-up", "thread": "chat 12",
        "place": number, "speaker": "Grace", "visibility": "local",
    }  # fmt: skip
    return seal(Source(**(fields | changed)))


def make_evidence(number: int = 1, **changed: Any) -> Evidence:
    fields: dict[str, Any] = {
        "memory_id": memory_id(number), "version": 1, "source_id": f"source-{number}", "seq": number,
        "author": "agent:scout", "file": "chat.md", "line": 12, "span_start": 0, "span_end": 9, "recorded_at": 7,
    }  # fmt: skip
    return seal(Evidence(**(fields | changed)))


def make_link(number: int = 1, **changed: Any) -> Link:
    fields: dict[str, Any] = {
        "id": f"link-{number}", "seq": number, "from_id": memory_id(number), "to_ref": memory_id(number + 1),
        "relationship": "supports", "author": "agent:scout", "scope": "global", "reason": "they agree",
        "recorded_from": 8,
    }  # fmt: skip
    return seal(Link(**(fields | changed)))


def make_tombstone(number: int = 1, **changed: Any) -> Tombstone:
    fields: dict[str, Any] = {
        "id": f"tombstone-{number}", "seq": number, "scope": "global", "grain": "claim", "lookup_key": 2_000 + number,
        "value": "the sky is green", "memory_id": memory_id(number), "author": "person:ada", "reason": "it is not",
        "recorded_from": 9,
    }  # fmt: skip
    return seal(Tombstone(**(fields | changed)))


def make_conflict(number: int = 1, **changed: Any) -> Conflict:
    fields: dict[str, Any] = {
        "id": f"conflict-{number}", "seq": number, "kind": "contradiction", "scope": "global",
        "old_id": memory_id(number), "new_id": memory_id(number + 1), "finding": "blue or green",
        "weaker_id": memory_id(number), "pair_key": 3_000 + number, "recorded_from": 10,
    }  # fmt: skip
    return seal(Conflict(**(fields | changed)))


def make_quarantine(number: int = 1, **changed: Any) -> Quarantine:
    fields: dict[str, Any] = {
        "id": f"quarantine-{number}", "seq": number, "source_id": f"source-{number}", "author": "person:ada",
        "scope": "global", "reason": "it was forged", "recorded_from": 11,
    }  # fmt: skip
    return seal(Quarantine(**(fields | changed)))


def make_erased(number: int = 1, **changed: Any) -> ErasedRecord:
    fields: dict[str, Any] = {
        "id": f"erased-{number}", "seq": number, "entity": "sources", "record_digest": bytes(32),
        "rest_digest": bytes(32), "content_key": 7, "recorded_at": 12,
    }  # fmt: skip
    return seal(ErasedRecord(**(fields | changed)))


def make_archived_source(number: int = 1, **changed: Any) -> ArchivedSource:
    fields: dict[str, Any] = {
        "id": f"archiving-{number}", "seq": number, "source_id": f"source-{number}", "author": "system:heldtrue",
        "scope": "global", "reason": "kept for 30 days", "recorded_from": 11,
    }  # fmt: skip
    return seal(ArchivedSource(**(fields | changed)))


def make_view(number: int = 1, **changed: Any) -> SavedView:
    fields: dict[str, Any] = {
        "id": f"view-{number}", "seq": number, "name": f"view {number}", "arguments": '{"context": "ports"}',
        "author": "person:ada", "scope": "global", "recorded_from": 12,
    }  # fmt: skip
    return seal(SavedView(**(fields | changed)))


def make_agent(number: int = 1, **changed: Any) -> AgentRecord:
    fields: dict[str, Any] = {
        "id": f"agent-{number}", "seq": number, "name": f"scout-{number}", "kind": "agent", "role": "project",
        "projects": '["atlas"]', "repos": "[]", "teams": "[]", "writes_per_minute": 5, "requests_per_second": 6,
        "token_check": b"check", "created_at": 12, "revoked_at": 14, "recorded_from": 13,
    }  # fmt: skip
    return seal(AgentRecord(**(fields | changed)))


def make_handed(number: int = 1, **changed: Any) -> Handed:
    fields: dict[str, Any] = {
        "id": f"handed-{number}", "seq": number, "sender": "person:ada", "receiver": "agent:scout", "type": "request",
        "action": "look", "memories": "[]", "note": "on the roof", "expires_at": 900, "recorded_from": 14,
    }  # fmt: skip
    return seal(Handed(**(fields | changed)))


def make_recall(number: int, **changed: Any) -> RecallRow:
    fields: dict[str, Any] = {
        "id": f"recall-{number}", "recorded_at": 10 * number, "principal": "agent:scout", "channel": "sdk",
        "verb": "recall", "question": "which port?", "asked": '{"limit": 3}', "tier": "items", "results": "[]",
        "cost": '{"ms": 1.5}',
    }  # fmt: skip
    return RecallRow(**(fields | changed))


MAKERS: tuple[Callable[..., Any], ...] = (
    make_version, make_source, make_evidence, make_link, make_tombstone, make_conflict, make_quarantine, make_view,
    make_agent, make_handed, make_erased, make_archived_source,
)  # fmt: skip
"""One for each table whose rows are more than names."""


def one_of_each(number: int = 1, **changed: Any) -> list[Any]:
    """A record of every table."""
    return [*(maker(number, **changed) for maker in MAKERS), *make_names(changed.get("seq", number))]


def make_names(seq: int = 1) -> list[Record]:
    """One of each record that only makes a name known, and the space's own."""
    return [
        make_space(seq),
        seal(PrincipalRecord("agent:scout", seq, "agent", "Scout", 11)),
        seal(Project("atlas", seq, 12)),
        seal(Repo("atlas-core", seq, "atlas", 13)),
        seal(Team("platform", seq, 14)),
    ]


def make_entry(seq: int = 1, previous: Head | None = None, **changed: Any) -> LedgerEntry:
    """An entry that follows `previous`, or a made-up one."""
    fields: dict[str, Any] = {
        "seq": seq, "recorded_at": 1_000 + seq, "actor": "agent:scout", "channel": "sdk", "action": "learn",
        "outcome": "done", "target": memory_id(seq), "scope": "global", "reason": "said in review",
        "cause": "contradiction",
        "detail": '{"after": 1}', "records": 1, "records_hash": hashlib.sha256(b"records").digest(),
        "prev_hash": previous.hash if previous else hashlib.sha256(str(seq).encode()).digest(), "hash": b"",
    }  # fmt: skip
    return chain_entry(LedgerEntry(**(fields | changed)))


def close_record(record: Any, seq: int, **changed: Any) -> Any:
    """The record as it is after a later entry has closed it."""
    fields: dict[str, Any] = {"recorded_to": 5_000 + seq, "seq_to": seq}
    if hasattr(record, "closed_by"):
        fields |= {"closed_by": "person:ada", "close_reason": "settled"}
    closed = msgspec.structs.replace(record, **(fields | changed))
    return msgspec.structs.replace(closed, closing_digest=closing_digest(closed))


def insert_all(transaction: Transaction, *records: Record) -> None:
    for record in records:
        transaction.ledger.insert(record)
        if isinstance(record, MemoryVersion):
            transaction.index.add_version(record, (), words_of(record))


def words_of(version: MemoryVersion) -> Words:
    return count_words(version.content, version.title, version.summary, version.topic)


def make_piece(source: Source, start: int = 0, end: int | None = None, around: str = "", **given: Any) -> NewPassage:
    """A part of a source, or all of it, with its words counted as they are on the way in."""
    end = len(source.content) if end is None else end
    words = count_passage(source.content[start:end], around)
    marks = dict.fromkeys(speaker_marks(source.speaker), 1.0)
    return NewPassage(start, end, msgspec.structs.replace(words, weights=words.weights | marks), **given)
