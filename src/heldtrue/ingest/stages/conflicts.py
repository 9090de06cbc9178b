"""Conflicts: opening one between two memories, flagging the weaker side, and closing what one side has left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heldtrue.domain.decision import Contrary
from heldtrue.domain.limits import CANDIDATES_MAX
from heldtrue.domain.memory import CONTRADICTION_LOSS, MemoryVersion, VersionChange, adjust_confidence
from heldtrue.domain.records import Conflict, ConflictKind, Disposition, Link
from heldtrue.ingest.stages.journal import EntryBuilder
from heldtrue.ingest.stages.keys import pair_key
from heldtrue.ingest.stages.match import (
    choose_contraries,
    find_neighbours,
    read_statement,
    version_keys,
)
from heldtrue.ports import ReadTransaction


def keys_of(builder: EntryBuilder, memory: MemoryVersion) -> list[int]:
    """The keys of a memory in the space being written."""
    return version_keys(builder.session.space.key, memory)


def open_conflicts(builder: EntryBuilder, memory: MemoryVersion, contraries: Iterable[Contrary]) -> list[str]:
    """Record that a new memory contradicts existing ones; an existing one that is weaker loses confidence."""
    opened = []
    for contrary in contraries:
        weaker = memory if contrary.weaker_is_new else contrary.memory
        kind = ConflictKind.CONTRADICTION if contrary.is_sure else ConflictKind.POSSIBLE
        conflict = Conflict(
            id=builder.fresh_id(),
            seq=builder.seq,
            kind=kind.value,
            scope=memory.scope,
            old_id=contrary.memory.memory_id,
            new_id=memory.memory_id,
            finding=contrary.finding,
            weaker_id=weaker.memory_id,
            pair_key=contrary.pair_key,
            recorded_from=builder.at,
        )
        builder.insert(conflict)
        opened.append(conflict.id)
        if not contrary.is_sure:
            continue
        link_once(builder, memory, contrary.memory.memory_id, "contradicts", contrary.finding)
        # It loses confidence once, however many conflicts are open.
        if not contrary.weaker_is_new and not builder.transaction.records.is_doubted(
            weaker.memory_id, besides=conflict.id
        ):
            builder.next_version(
                contrary.memory,
                keys_of(builder, contrary.memory),
                change=VersionChange.CONTRADICT,
                reason=contrary.finding,
                confidence=adjust_confidence(contrary.memory.confidence, -CONTRADICTION_LOSS),
            )
    return opened


def ask_to_retract(builder: EntryBuilder, memory: MemoryVersion, finding: str) -> Conflict:
    """Ask a person whether a memory is to be forgotten. The memory itself does not change."""
    statement = read_statement(memory.content)
    return builder.insert(
        Conflict(
            id=builder.fresh_id(),
            seq=builder.seq,
            kind=ConflictKind.RETRACTION.value,
            scope=memory.scope,
            old_id=memory.memory_id,
            new_id=memory.memory_id,
            finding=finding,
            weaker_id=memory.memory_id,
            pair_key=pair_key(builder.session.space.key, statement, statement),
            recorded_from=builder.at,
        )
    )


def _contraries_of(builder: EntryBuilder, memory: MemoryVersion) -> list[Contrary]:
    """What is held by now and cannot stand together with a memory that begins to count or was brought back."""
    statement, space_key = read_statement(memory.content), builder.session.space.key
    held = builder.transaction.memories.live_by_keys(keys_of(builder, memory), limit=CANDIDATES_MAX)
    others = [other for other in held if other.memory_id != memory.memory_id]
    neighbours = find_neighbours(
        statement, others, scope=memory.scope, privacy=memory.privacy, valid_time=memory.valid_time
    )
    return [
        Contrary(
            contrary.memory,
            contrary.comparison.reason,
            pair_key(space_key, statement, contrary.statement),
            weaker_is_new=contrary.memory.verified_by is not None,
        )
        for contrary in choose_contraries(neighbours)
    ]


def flag_contraries(builder: EntryBuilder, memory: MemoryVersion) -> list[str]:
    """Open a conflict with each memory that cannot stand together with one that begins to count or was brought back."""
    return open_conflicts(builder, memory, _contraries_of(builder, memory))


def pending_conflicts(reading: ReadTransaction, memory_id: str) -> list[Conflict]:
    """The open conflicts of a memory."""
    return [conflict for conflict in reading.records.conflicts_of([memory_id]) if conflict.recorded_to is None]


def _other_side(conflict: Conflict, memory_id: str) -> str:
    return conflict.new_id if conflict.old_id == memory_id else conflict.old_id


def settle_pending(builder: EntryBuilder, memory: MemoryVersion, why: str) -> None:
    """Close the open conflicts of a memory that is retired: there is nothing left to decide."""
    for conflict in pending_conflicts(builder.transaction, memory.memory_id):
        kept = Disposition.KEEP_NEW if conflict.old_id == memory.memory_id else Disposition.KEEP_OLD
        builder.close(conflict, closed_by=builder.actor, close_reason=why, disposition=kept.value)


def hand_over_conflicts(builder: EntryBuilder, gone: MemoryVersion, target: MemoryVersion) -> list[str]:
    """Close the open conflicts of a memory that became part of another; what it contradicts, the other does now.

    Where it was settled already what the other is to that side, it stays so.
    """
    known = builder.transaction.records.conflicts_of([target.memory_id])
    facing = {_other_side(conflict, target.memory_id) for conflict in known} | {target.memory_id}
    opened = []
    for conflict in pending_conflicts(builder.transaction, gone.memory_id):
        builder.close(
            conflict,
            closed_by=builder.actor,
            close_reason=f"merged into {target.memory_id}",
            disposition=Disposition.MERGE.value,
            merged_id=target.memory_id,
        )
        other = _other_side(conflict, gone.memory_id)
        if conflict.kind == ConflictKind.RETRACTION:
            opened.append(_open_again(builder, conflict, {gone.memory_id: target.memory_id}).id)
        elif other not in facing:
            facing.add(other)
            opened.append(_open_again(builder, conflict, {gone.memory_id: target.memory_id}).id)
            link_once(builder, target, other, "contradicts", conflict.finding)
    return opened


def withdraw_conflicts(builder: EntryBuilder, opened: Iterable[Conflict], why: str) -> None:
    """Close conflicts whose cause was undone."""
    for conflict in opened:
        builder.close(conflict, closed_by=builder.actor, close_reason=why, disposition=Disposition.KEEP_OLD.value)


def reopen_conflicts(builder: EntryBuilder, closed: Sequence[Conflict]) -> list[str]:
    """Open conflicts anew whose closing was taken back, as far as both sides are in use and not in conflict already."""
    opened = []
    for conflict in closed:
        sides = builder.transaction.memories.current_versions([conflict.old_id, conflict.new_id])
        pair = {conflict.old_id, conflict.new_id}
        others = pending_conflicts(builder.transaction, conflict.old_id)
        is_open = any({other.old_id, other.new_id} == pair for other in others)
        if len(sides) == len(pair) and all(side.is_live for side in sides) and not is_open:
            opened.append(_open_again(builder, conflict, {}).id)
    return opened


def _open_again(builder: EntryBuilder, conflict: Conflict, instead: dict[str, str]) -> Conflict:
    """The same finding as a conflict of its own, some memories in the place of others; it costs no confidence again."""
    return builder.insert(
        Conflict(
            id=builder.fresh_id(),
            seq=builder.seq,
            kind=conflict.kind,
            scope=conflict.scope,
            old_id=instead.get(conflict.old_id, conflict.old_id),
            new_id=instead.get(conflict.new_id, conflict.new_id),
            finding=conflict.finding,
            weaker_id=instead.get(conflict.weaker_id, conflict.weaker_id),
            pair_key=conflict.pair_key,
            recorded_from=builder.at,
        )
    )


def link_once(builder: EntryBuilder, memory: MemoryVersion, to_ref: str, relationship: str, reason: str | None) -> Link:
    """Join a memory to something, unless it is joined so already; one that this entry began is joined to nothing."""
    began = memory.version == 1 and memory.seq == builder.seq
    present = None if began else builder.transaction.records.open_link(memory.memory_id, to_ref, relationship)
    if present is not None:
        return present
    link = Link(
        id=builder.fresh_id(),
        seq=builder.seq,
        from_id=memory.memory_id,
        to_ref=to_ref,
        relationship=relationship,
        author=builder.actor,
        scope=memory.scope,
        reason=reason,
        recorded_from=builder.at,
    )
    return builder.insert(link)
