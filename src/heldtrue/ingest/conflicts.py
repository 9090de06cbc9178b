"""Conflicts: opening one between two memories, flagging the weaker side, and closing what one side has left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heldtrue.domain.decision import Contrary
from heldtrue.domain.memory import CONTRADICTION_LOSS, MemoryVersion, adjust_confidence
from heldtrue.domain.records import Conflict, ConflictKind, Disposition, Link
from heldtrue.ingest.journal import Journal, is_live
from heldtrue.ingest.match import version_keys


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
        # It loses confidence once, however many conflicts are open.
        if not contrary.weaker_is_new and not journal.transaction.is_doubted(weaker.memory_id, besides=conflict.id):
            journal.next_version(
                contrary.memory,
                keys_of(journal, contrary.memory),
                change="contradict",
                reason=contrary.finding,
                confidence=adjust_confidence(contrary.memory.confidence, -CONTRADICTION_LOSS),
            )
    return opened


def _pending(journal: Journal, memory_id: str) -> list[Conflict]:
    return [one for one in journal.transaction.conflicts_of([memory_id]) if one.recorded_to is None]


def _other_side(conflict: Conflict, memory_id: str) -> str:
    return conflict.new_id if conflict.old_id == memory_id else conflict.old_id


def settle_pending(journal: Journal, memory: MemoryVersion, why: str) -> None:
    """Close the open conflicts of a memory that leaves use: there is nothing left to decide."""
    for conflict in _pending(journal, memory.memory_id):
        kept = Disposition.KEEP_NEW if conflict.old_id == memory.memory_id else Disposition.KEEP_OLD
        journal.close(conflict, closed_by=journal.actor, close_reason=why, disposition=kept.value)


def hand_over_conflicts(journal: Journal, gone: MemoryVersion, kept: MemoryVersion) -> list[str]:
    """Close the open conflicts of a memory that became part of another; what it contradicts, the other does now.

    Where it was settled already what the other is to that side, it stays so.
    """
    known = journal.transaction.conflicts_of([kept.memory_id])
    facing = {_other_side(one, kept.memory_id) for one in known} | {kept.memory_id}
    opened = []
    for conflict in _pending(journal, gone.memory_id):
        journal.close(
            conflict,
            closed_by=journal.actor,
            close_reason=f"merged into {kept.memory_id}",
            disposition=Disposition.MERGE.value,
            merged_id=kept.memory_id,
        )
        other = _other_side(conflict, gone.memory_id)
        if other not in facing:
            facing.add(other)
            opened.append(_open_again(journal, conflict, {gone.memory_id: kept.memory_id}).id)
            link_once(journal, kept, other, "contradicts", conflict.finding)
    return opened


def withdraw_conflicts(journal: Journal, opened: Iterable[Conflict], why: str) -> None:
    """Close conflicts because what raised them was taken back."""
    for conflict in opened:
        journal.close(conflict, closed_by=journal.actor, close_reason=why, disposition=Disposition.KEEP_OLD.value)


def reopen_conflicts(journal: Journal, closed: Sequence[Conflict]) -> list[str]:
    """Open conflicts anew whose closing was taken back, as far as both sides are in use and not in conflict already."""
    opened = []
    for conflict in closed:
        sides = journal.transaction.current_versions([conflict.old_id, conflict.new_id])
        is_open = any(
            {one.old_id, one.new_id} == {conflict.old_id, conflict.new_id} for one in _pending(journal, conflict.old_id)
        )
        if len(sides) == 2 and all(map(is_live, sides)) and not is_open:
            opened.append(_open_again(journal, conflict, {}).id)
    return opened


def _open_again(journal: Journal, conflict: Conflict, instead: dict[str, str]) -> Conflict:
    """The same finding as a conflict of its own, some memories in the place of others; it costs no confidence again."""
    return journal.insert(
        Conflict(
            id=journal.fresh_id(),
            seq=journal.seq,
            kind=conflict.kind,
            scope=conflict.scope,
            old_id=instead.get(conflict.old_id, conflict.old_id),
            new_id=instead.get(conflict.new_id, conflict.new_id),
            finding=conflict.finding,
            weaker_id=instead.get(conflict.weaker_id, conflict.weaker_id),
            pair_key=conflict.pair_key,
            recorded_from=journal.at,
        )
    )


def link_once(journal: Journal, memory: MemoryVersion, to_ref: str, relationship: str, reason: str | None) -> Link:
    """Join a memory to something, unless it is joined so already; one that this entry began is joined to nothing."""
    began = memory.version == 1 and memory.seq == journal.seq
    present = None if began else journal.transaction.open_link(memory.memory_id, to_ref, relationship)
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
