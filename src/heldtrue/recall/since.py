"""Stage: for a question about the past, how each memory has changed since."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.domain.memory import MemoryVersion, Status
from heldtrue.domain.principal import Principal
from heldtrue.ports import ReadTransaction
from heldtrue.recall.answer import MemoryChange, Result
from heldtrue.recall.visibility import may_read


def add_changes(reading: ReadTransaction, principal: Principal, results: Sequence[Result]) -> tuple[Result, ...]:
    """The results, each memory with how it has changed since."""
    return tuple(
        result
        if result.memory is None
        else msgspec.structs.replace(result, since=find_change(reading, principal, result.memory))
        for result in results
    )


def find_change(reading: ReadTransaction, principal: Principal, then: MemoryVersion) -> MemoryChange | None:
    """The current state of a memory, if it has changed."""
    current = reading.memories.version(then.memory_id)
    if current is None or current.version == then.version:
        return None
    successor = _find_successor(reading, principal, current) if current.status != Status.ACTIVE else None
    if successor is not None:
        content: str | None = successor.content
    else:
        content = current.content if current.content != then.content else None
    return MemoryChange(
        status=current.status,
        at=current.recorded_from,
        by=current.changed_by,
        reason=current.reason,
        replaced_by=successor.memory_id if successor is not None else None,
        content=content,
    )


def _find_successor(reading: ReadTransaction, principal: Principal, memory: MemoryVersion) -> MemoryVersion | None:
    """The memory that replaced another, if the principal may see it; the last of several."""
    found = None
    for link in reading.records.links_of([memory.memory_id]):
        if link.relationship == "supersedes" and link.to_ref == memory.memory_id:
            successor = reading.memories.version(link.from_id)
            if successor is not None and may_read(principal, successor):
                found = successor
    return found
