"""Conflicts: opening one between two memories, and flagging the weaker side."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.domain.decision import Contrary
from holdfast.domain.memory import CONTRADICTION_LOSS, MemoryVersion, adjust_confidence
from holdfast.domain.records import Conflict, ConflictKind, Link
from holdfast.ingest.journal import Journal
from holdfast.ingest.match import version_keys


def keys_of(journal: Journal, memory: MemoryVersion) -> list[int]:
    """The keys of a memory in the space being written."""
    return version_keys(journal.pen.space.key, memory)


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
        if not contrary.weaker_is_new and not _is_doubted(journal, contrary.memory, conflict.id):
            journal.next_version(
                contrary.memory,
                keys_of(journal, contrary.memory),
                change="contradict",
                reason=contrary.finding,
                confidence=adjust_confidence(contrary.memory.confidence, -CONTRADICTION_LOSS),
            )
    return opened


def _is_doubted(journal: Journal, memory: MemoryVersion, besides: str) -> bool:
    """Whether a memory has already lost confidence to a conflict that is still open; it loses it once."""
    pending = [one for one in journal.transaction.conflicts_of([memory.memory_id]) if one.recorded_to is None]
    return any(one.weaker_id == memory.memory_id and one.id != besides for one in pending)


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
