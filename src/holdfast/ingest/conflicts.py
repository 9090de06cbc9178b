"""Conflicts: opening one between two memories, and flagging the weaker side."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.domain.decision import Contrary
from holdfast.domain.memory import CONTRADICTION_LOSS, MemoryVersion, adjust_confidence
from holdfast.domain.records import Conflict, ConflictKind, Link
from holdfast.ingest.journal import Journal
from holdfast.ingest.keys import index_keys
from holdfast.ingest.match import read_statement


def keys_of(journal: Journal, content: str) -> list[int]:
    """The neighbour keys of a text in the space being written."""
    return index_keys(journal.pen.space.key, read_statement(content))


def open_conflicts(journal: Journal, memory: MemoryVersion, contraries: Iterable[Contrary]) -> list[str]:
    """Record that a new memory contradicts held ones; where a held one is the weaker side, it loses confidence."""
    opened = []
    for contrary in contraries:
        weaker = memory if contrary.weaker_is_new else contrary.memory
        conflict = Conflict(
            id=journal.fresh_id(),
            seq=journal.seq,
            kind=ConflictKind.CONTRADICTION.value,
            scope=memory.scope,
            old_id=contrary.memory.memory_id,
            new_id=memory.memory_id,
            finding=contrary.finding,
            weaker_id=weaker.memory_id,
            pair_key=contrary.pair_key,
            recorded_from=journal.at,
        )
        journal.insert(conflict)
        opened.append(conflict.id)
        link_once(journal, memory, contrary.memory.memory_id, "contradicts", contrary.finding)
        if not contrary.weaker_is_new:
            journal.next_version(
                contrary.memory,
                keys_of(journal, contrary.memory.content),
                change="contradict",
                reason=contrary.finding,
                confidence=adjust_confidence(contrary.memory.confidence, -CONTRADICTION_LOSS),
            )
    return opened


def link_once(journal: Journal, memory: MemoryVersion, to_ref: str, relationship: str, reason: str | None) -> Link:
    """Join a memory to something, unless it is joined so already."""
    present = journal.transaction.open_link(memory.memory_id, to_ref, relationship)
    if present is not None:
        return present
    link = Link(
        id=journal.fresh_id(),
        seq=journal.seq,
        from_id=memory.memory_id,
        to_ref=to_ref,
        relationship=relationship,
        author=journal.actor,
        scope=memory.scope,
        reason=reason,
        recorded_from=journal.at,
    )
    return journal.insert(link)
