"""Memories of Mem0: what `get_all` and its export answer, and the backup of OpenMemory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heldtrue.readers.feeds import Feed
from heldtrue.readers.peek import read_records
from heldtrue.readers.plain import as_text, moment_of
from heldtrue.readers.remarks import make_link, make_remark
from heldtrue.readers.values import Skipped, Value

KEYS = frozenset({"results", "memories", "relations", "categories"})
_OWNERS = ("user_id", "agent_id", "app_id", "run_id")
_WORDS = ("memory", "text", "content", "data")
_GONE = ("deleted", "archived")


def read_mem0(feed: Feed) -> Iterator[Value]:
    """Each memory as a remark about its user, each relation of the graph as a link."""
    categories: dict[str, str] = {}
    for found in read_records(feed, KEYS):
        if not isinstance(found, tuple):
            yield found
            continue
        where, key, record = found
        if not isinstance(record, dict):
            yield Skipped(path=where, reason="it is not a JSON object")
        elif key == "categories":
            categories[as_text(record.get("id"))] = as_text(record.get("name"))
        elif key == "relations":
            yield _read_relation(record, where)
        else:
            yield _read_memory(record, where, categories)


def _read_memory(record: dict[str, Any], where: str, categories: dict[str, str]) -> Value:
    words = next((record[name] for name in _WORDS if isinstance(record.get(name), str)), None)
    if record.get("state") in _GONE:
        return Skipped(path=where, reason=f"it was {record['state']} in Mem0")
    if words is None:
        return Skipped(path=where, reason="it has no text in memory, text or content")
    metadata = record.get("metadata")
    owners = {name: record[name] for name in _OWNERS if record.get(name)}
    return make_remark(
        words,
        origin=where,
        subject=next(iter(owners.values()), None),
        created_at=moment_of(record.get("created_at")),
        tags=_tags_of(record, categories),
        details={**owners, **(metadata if isinstance(metadata, dict) else {})},
    )


def _tags_of(record: dict[str, Any], categories: dict[str, str]) -> list[object]:
    named, numbered = record.get("categories"), record.get("category_ids")
    tags = list(named) if isinstance(named, list) else []
    return tags + [categories.get(as_text(number)) for number in (numbered if isinstance(numbered, list) else [])]


def _read_relation(record: dict[str, Any], where: str) -> Value:
    target = record.get("target") or record.get("destination")
    return make_link(record.get("source"), record.get("relationship") or record.get("relation"), target, origin=where)
