"""Links from a memory to another memory or to any IRI: adding and removing them."""

from __future__ import annotations

from heldtrue.access.policy import require
from heldtrue.domain.action import WRITE, ScopeResource
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import NotAllowed
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.records import Link
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.stages.conflicts import link_once
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.ownership import may_change, who_stands_behind

_BINDING = ("overrides", "supersedes")
"""Relationships that say that one memory replaces another."""


def link(
    session: WriteSession, memory: MemoryVersion, to_ref: str, relationship: str, reason: str | None
) -> tuple[Link, Outcome]:
    """Link a memory to another memory or to any IRI."""
    require(session.actor, WRITE, ScopeResource(memory.scope))
    far = session.transaction.memories.version(to_ref) if relationship in _BINDING else None
    if far is not None and not may_change(session.transaction, far, session.actor):
        raise NotAllowed(
            f"only a person can add the link {relationship} to that memory: {who_stands_behind(far)}",
            field="relationship",
            hint="propose a correction with `correct`, which goes to the inbox",
        )
    builder = EntryBuilder(session, "memory.link")
    present = builder.transaction.records.open_link(memory.memory_id, to_ref, relationship)
    made = link_once(builder, memory, to_ref, relationship, reason)
    outcome = OutcomeKind.UNCHANGED if present else OutcomeKind.LINKED
    why = reason or (f"this link already exists: {relationship}" if present else f"linked: {relationship}")
    entry = builder.finish(outcome, target=memory.memory_id, scope=memory.scope, reason=why, link=made.id)
    return made, Outcome(outcome=outcome, memory=memory, reason=why, seq=entry.seq)


def unlink(session: WriteSession, memory: MemoryVersion, present: Link, reason: str) -> Outcome:
    """Remove a link; it stays in the history."""
    require(session.actor, WRITE, ScopeResource(memory.scope))
    if not session.actor.is_person and present.author != session.actor.id:
        raise NotAllowed(f"{present.author} made this link; only that author or a person can remove it", field="to")
    builder = EntryBuilder(session, "memory.unlink")
    builder.close(present, closed_by=builder.actor, close_reason=reason)
    outcome = OutcomeKind.UNLINKED
    entry = builder.finish(outcome, target=memory.memory_id, scope=memory.scope, reason=reason, link=present.id)
    return Outcome(outcome=outcome, memory=memory, reason=reason, seq=entry.seq)
