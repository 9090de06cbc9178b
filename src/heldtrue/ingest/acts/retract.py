"""Forgetting, rejecting and restoring memories; the history keeps all of it."""

from __future__ import annotations

from heldtrue.access.policy import require
from heldtrue.domain.action import WRITE, ScopeResource
from heldtrue.domain.cause import RetractionCause
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import NotAllowed, WrongState
from heldtrue.domain.memory import MemoryVersion, Status, VersionChange
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.stages.conflicts import flag_contraries, keys_of, settle_pending
from heldtrue.ingest.stages.decide import protects
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.tombstones import bury, lift


def forget(session: WriteSession, memory: MemoryVersion, reason: str, cause: RetractionCause | None = None) -> Outcome:
    """Retract a memory; its statement stays rejected in its scope until a person restores it."""
    require(session.actor, WRITE, ScopeResource(memory.scope))
    if protects(memory, session.actor):
        raise NotAllowed(
            f"this memory was verified by {memory.verified_by}, so only a person can forget it",
            field="memory",
            hint="propose a correction instead; it goes to the inbox",
        )
    builder = _begin(session, memory, "memory.forget")
    return _retract(builder, memory, reason, VersionChange.FORGET, Status.RETRACTED, cause)


def reject(session: WriteSession, memory: MemoryVersion, reason: str) -> Outcome:
    """Reject an inbox item; the same claim is refused from then on."""
    if memory.status == Status.REJECTED:
        reason = f"it was already rejected: {memory.reason}"
        return Outcome(outcome=OutcomeKind.UNCHANGED, memory=memory, reason=reason, seq=session.head.seq)
    if memory.status != Status.INBOX:
        raise WrongState(
            f"this memory is {memory.status}, not in the inbox", field="memory", hint="use `forget` instead"
        )
    builder = _begin(session, memory, "memory.reject")
    return _retract(builder, memory, reason, VersionChange.REJECT, Status.REJECTED)


def _begin(session: WriteSession, memory: MemoryVersion, action: str) -> EntryBuilder:
    if not memory.is_live:
        raise WrongState(f"this memory is already {memory.status}", field="memory", hint="see `history` for the reason")
    return EntryBuilder(session, action)


def _retract(
    builder: EntryBuilder,
    memory: MemoryVersion,
    reason: str,
    change: VersionChange,
    status: Status,
    cause: RetractionCause | None = None,
) -> Outcome:
    settle_pending(builder, memory, f"{status.value}: {reason}")
    retracted = builder.next_version(
        memory, keys_of(builder, memory), change=change, reason=reason, cause=cause, status=status.value
    )
    stones = bury(builder, memory, reason=reason)
    outcome = OutcomeKind(status.value)
    entry = builder.finish(
        outcome,
        target=memory.memory_id,
        scope=memory.scope,
        reason=reason,
        cause=cause,
        tombstones=len(stones),
    )
    return Outcome(outcome=outcome, memory=retracted, reason=reason, cause=cause, seq=entry.seq)


def restore(session: WriteSession, memory: MemoryVersion, reason: str) -> Outcome:
    """Restore a forgotten, rejected or replaced memory, and lift its rejections; only a person may."""
    if memory.status == Status.ACTIVE:
        raise WrongState("this memory is already active", field="memory")
    if memory.status == Status.INBOX:
        raise WrongState("this memory is in the inbox", field="memory", hint="use `approve` or `reject`")
    builder = EntryBuilder(session, "memory.restore")
    lifted = lift(builder, memory, reason=reason)
    for link in builder.transaction.records.links_of([memory.memory_id]):
        if link.relationship == "supersedes" and link.to_ref == memory.memory_id:
            builder.close(link, closed_by=builder.actor, close_reason=reason)
    restored = builder.next_version(
        memory,
        keys_of(builder, memory),
        change=VersionChange.RESTORE,
        reason=reason,
        status=Status.ACTIVE.value,
        verified_by=builder.actor,
    )
    conflicts = flag_contraries(builder, restored)
    outcome = OutcomeKind.RESTORED
    entry = builder.finish(
        outcome, target=memory.memory_id, scope=memory.scope, reason=reason, lifted=lifted, conflicts=conflicts
    )
    return Outcome(outcome=outcome, memory=restored, reason=reason, conflicts=tuple(conflicts), seq=entry.seq)
