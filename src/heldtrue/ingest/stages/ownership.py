"""Whose a memory is: an agent may change what nobody but itself stands behind; about all else a person decides."""

from __future__ import annotations

from heldtrue.domain.errors import NotAllowed
from heldtrue.domain.memory import MemoryVersion, Status
from heldtrue.domain.principal import Principal
from heldtrue.ports import ReadTransaction


def stands_alone(reading: ReadTransaction, memory: MemoryVersion, actor: Principal) -> bool:
    """Whether nobody but the actor stands behind a memory: no other author, no evidence that another brought or
    confirmed it with, and no person who verified it.
    """
    if memory.author != actor.id or memory.verified_by is not None:
        return False
    rows = reading.records.evidence_of([memory.memory_id])
    return all({evidence.author, source.author} == {actor.id} for evidence, source in rows)


def may_change(reading: ReadTransaction, memory: MemoryVersion, actor: Principal) -> bool:
    """Whether an actor may retract, replace or override a memory without asking a person."""
    return actor.is_person or stands_alone(reading, memory, actor)


def refuse_waiting(memory: MemoryVersion, actor: Principal) -> None:
    """Refuse that an agent changes what waits in the inbox: a person decides about that."""
    if memory.status == Status.INBOX:
        raise NotAllowed(
            f"{actor.id} may not change this memory: it is waiting for a person's decision, and "
            f"{who_stands_behind(memory)}",
            field="memory",
            hint="state what you know with `learn`, or ask a person to review the inbox",
        )


def who_stands_behind(memory: MemoryVersion) -> str:
    """Why a memory is not one agent's own, in words."""
    if memory.verified_by is not None:
        return f"{memory.verified_by} verified it"
    return f"other agents or people have stated or supported it (its author is {memory.author})"
