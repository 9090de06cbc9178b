"""The file of the MCP server `memory`: entities with observations, and relations, one a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heldtrue.readers.feeds import Feed
from heldtrue.readers.peek import read_records
from heldtrue.readers.plain import moment_of, shorten
from heldtrue.readers.remarks import make_link, make_remark
from heldtrue.readers.values import Skipped, Value

KEYS = frozenset({"entities", "relations"})
"""What the server answers when it is asked for its whole graph is one object with these."""


def read_server_memory(feed: Feed) -> Iterator[Value]:
    """Each observation as a remark about its entity, each relation as a link."""
    for found in read_records(feed, KEYS):
        if not isinstance(found, tuple):
            yield found
            continue
        where, key, record = found
        kind = record.get("type") if isinstance(record, dict) else None
        if kind == "entity" or key == "entities":
            yield from _read_entity(record, where)
        elif kind == "relation" or key == "relations":
            yield _read_relation(record, where)
        else:
            yield Skipped(path=where, reason="it is neither an entity nor a relation")


def _read_entity(record: Any, where: str) -> Iterator[Value]:
    name = shorten(record.get("name")) if isinstance(record, dict) else None
    observations = record.get("observations") if isinstance(record, dict) else None
    if name is None or not isinstance(observations, list):
        yield Skipped(path=where, reason="the entity has no name or no list of observations")
        return
    if not observations:
        yield Skipped(path=where, reason=f"{name} has no observations")
    for observation in observations:
        # Some servers made after this one keep the time beside the words.
        kept = observation if isinstance(observation, dict) else {"content": observation}
        yield make_remark(
            kept.get("content"),
            origin=where,
            subject=name,
            created_at=moment_of(kept.get("timestamp") or record.get("timestamp")),
            tags=[record.get("entityType")],
        )


def _read_relation(record: Any, where: str) -> Value:
    if not isinstance(record, dict):
        return Skipped(path=where, reason="the relation is not an object")
    return make_link(record.get("from"), record.get("relationType"), record.get("to"), origin=where)
