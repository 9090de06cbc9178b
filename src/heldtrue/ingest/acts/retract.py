"""Forgetting, rejecting, dismissing and restoring memories; the history keeps all of it."""

from __future__ import annotations

from heldtrue.access.policy import require
from heldtrue.domain.action import WRITE, ScopeResource
from heldtrue.domain.cause import ArchiveCause, ErasureCause, PendingCause, RetractionCause
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import NotAllowed, WrongState
from heldtrue.domain.memory import MemoryVersion, Status, VersionChange
from heldtrue.domain.principal import read_principal
from heldtrue.domain.records import Conflict, ConflictKind, Disposition
from heldtrue.ingest.acts.copies import Copies, retract_copies
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.stages.conflicts import ask_to_retract, flag_contraries, keys_of, settle_pending
from heldtrue.ingest.stages.dismissals import is_dismissed
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.ownership import may_change, refuse_waiting, who_stands_behind
from heldtrue.ingest.stages.tombstones import bury, lift


def forget(session: WriteSession, memory: MemoryVersion, reason: str, cause: RetractionCause | None = None) -> Outcome:
    """Retract a memory; its statement stays rejected in its scope until a person restores it.

    An agent retracts what nobody else stands behind. About anything else it can only ask a person.
    """
    require(session.actor, WRITE, ScopeResource(memory.scope))
    if not may_change(session.transaction, memory, session.actor):
        return _ask_to_forget(session, memory, reason, is_wrong=cause is None)
    _refuse_retired(memory)
    builder = EntryBuilder(session, FORGET)
    return _retract(builder, memory, reason, VersionChange.FORGET, Status.RETRACTED, cause)


FORGET = "memory.forget"


def _ask_to_forget(session: WriteSession, memory: MemoryVersion, reason: str, *, is_wrong: bool) -> Outcome:
    """Propose to a person that a memory be forgotten; for an agent that calls it wrong, it is rejected from now on."""
    _refuse_retired(memory)
    refuse_waiting(memory, session.actor)
    asked = [found for found in _retractions_of(session, memory) if found.recorded_to is None]
    if asked:
        return Outcome(
            outcome=OutcomeKind.UNCHANGED,
            memory=memory,
            reason=f"a person has already been asked: {asked[0].finding}",
            conflicts=(asked[0].id,),
            seq=session.head.seq,
        )
    builder = EntryBuilder(session, FORGET)
    conflict = ask_to_retract(builder, memory, f"{builder.actor} asks to forget this memory: {reason}")
    stones = bury(builder, memory, reason=reason) if is_wrong else []
    cause, why = PendingCause.PROTECTED, f"{who_stands_behind(memory)}, so a person must decide whether to forget it"
    entry = builder.finish(
        OutcomeKind.PENDING,
        target=memory.memory_id,
        scope=memory.scope,
        reason=why,
        cause=cause,
        conflicts=[conflict.id],
        tombstones=len(stones),
    )
    return Outcome(
        outcome=OutcomeKind.PENDING,
        memory=memory,
        reason=why,
        cause=cause,
        hint=f"a person can forget the memory with `resolve` {conflict.id} remove_both, or keep it with keep_old",
        conflicts=(conflict.id,),
        seq=entry.seq,
    )


def _retractions_of(session: WriteSession, memory: MemoryVersion) -> list[Conflict]:
    """The requests of agents to forget a memory; a request that a person turned down is not made again."""
    found = session.transaction.records.conflicts_of([memory.memory_id])
    requests = [conflict for conflict in found if conflict.kind == ConflictKind.RETRACTION]
    for request in requests:
        is_by_person = request.closed_by is not None and read_principal(request.closed_by).is_person
        if request.disposition == Disposition.KEEP_OLD and is_by_person:
            raise NotAllowed(
                f"{request.closed_by} decided to keep this memory: {request.close_reason}",
                field="memory",
                hint="propose a correction with `correct`, which goes to the inbox",
            )
    return requests


def reject(session: WriteSession, memory: MemoryVersion, reason: str) -> Outcome:
    """Reject an inbox item; the same claim is refused from then on."""
    if memory.status == Status.REJECTED:
        reason = f"it was already rejected: {memory.reason}"
        return Outcome(outcome=OutcomeKind.UNCHANGED, memory=memory, reason=reason, seq=session.head.seq)
    if memory.status != Status.INBOX:
        raise WrongState(
            f"this memory is {memory.status}, not in the inbox",
            field="memory",
            hint="to retract an active memory, use `forget`",
        )
    builder = EntryBuilder(session, "memory.reject")
    return _retract(builder, memory, reason, VersionChange.REJECT, Status.REJECTED)


def dismiss(session: WriteSession, memory: MemoryVersion, reason: str) -> Outcome:
    """Take an item out of the inbox without saying that it is wrong: nothing is rejected or hidden, and it is not
    proposed again from the same source.
    """
    if is_dismissed(memory):
        reason = f"it was already dismissed: {memory.reason}"
        return Outcome(outcome=OutcomeKind.UNCHANGED, memory=memory, reason=reason, seq=session.head.seq)
    if memory.status != Status.INBOX:
        raise WrongState(
            f"this memory is {memory.status}, not in the inbox",
            field="memory",
            hint="to retract an active memory, use `forget`",
        )
    builder = EntryBuilder(session, "memory.dismiss")
    settle_pending(builder, memory, f"dismissed: {reason}")
    cause = ArchiveCause.DISMISSED
    dismissed = builder.next_version(
        memory,
        keys_of(builder, memory),
        change=VersionChange.DISMISS,
        reason=reason,
        cause=cause,
        status=Status.ARCHIVED.value,
    )
    outcome = OutcomeKind.DISMISSED
    entry = builder.finish(outcome, target=memory.memory_id, scope=memory.scope, reason=reason, cause=cause)
    return Outcome(outcome=outcome, memory=dismissed, reason=reason, cause=cause, seq=entry.seq)


def _refuse_retired(memory: MemoryVersion) -> None:
    if not memory.is_live:
        raise WrongState(f"this memory is already {memory.status}", field="memory", hint="see `history` for the reason")


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
    # A program that only replaces or deletes a value does not say that it is wrong elsewhere.
    copies = retract_copies(builder, memory, stones, reason) if cause is None else Copies()
    outcome = OutcomeKind(status.value)
    entry = builder.finish(
        outcome,
        target=memory.memory_id,
        scope=memory.scope,
        reason=reason,
        cause=cause,
        tombstones=len(stones),
        copies=[copy.memory_id for copy in copies.retracted],
        conflicts=list(copies.conflicts),
    )
    return Outcome(
        outcome=outcome,
        memory=retracted,
        reason=reason,
        cause=cause,
        notes=copies.notes,
        conflicts=copies.conflicts,
        seq=entry.seq,
    )


def restore(session: WriteSession, memory: MemoryVersion, reason: str) -> Outcome:
    """Restore a forgotten, rejected or replaced memory, and lift its rejections; only a person may."""
    if memory.status == Status.ACTIVE:
        raise WrongState("this memory is already active", field="memory")
    if memory.status == Status.INBOX:
        raise WrongState("this memory is in the inbox", field="memory", hint="use `approve` or `reject`")
    if memory.cause == ErasureCause.ERASED:
        raise WrongState(
            "this memory was erased, so nothing is left of it to restore",
            field="memory",
            hint="to state it again, use `learn`",
        )
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
