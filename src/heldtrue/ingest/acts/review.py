"""Review by a person: approving inbox items, merging, and resolving conflicts."""

from __future__ import annotations

import msgspec

from heldtrue.domain.cause import RefusalCause
from heldtrue.domain.decision import Decision, OutcomeKind, Pending, Refused
from heldtrue.domain.errors import DataRefused, InvalidInput, WrongState
from heldtrue.domain.memory import CONTRADICTION_LOSS, Kind, MemoryVersion, Status, VersionChange, adjust_confidence
from heldtrue.domain.records import Conflict, ConflictKind, Disposition
from heldtrue.ingest.acts.correct import divide_claims, keep_standing, retire_replaced
from heldtrue.ingest.acts.learn import gate_context, open_memory
from heldtrue.ingest.acts.maintenance import merge_into
from heldtrue.ingest.gate import APPROVED, Prepared, candidate_keys, pass_gate
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.stages.candidate import Candidate, restate_memory
from heldtrue.ingest.stages.conflicts import flag_contraries, keys_of, pending_conflicts, settle_pending
from heldtrue.ingest.stages.decide import refuse_rejected
from heldtrue.ingest.stages.evidence import keep_source, tie_evidence
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.match import read_statement
from heldtrue.ingest.stages.tombstones import bury, lift_tombstones, open_tombstones, tombstones_over_memory
from heldtrue.ingest.stages.versions import Standing


def approve(
    session: WriteSession, memory: MemoryVersion, reason: str, rationale: str | None, edited: Candidate | None = None
) -> Outcome:
    """Approve an inbox item, or verify an active memory; the person may also improve its wording."""
    if not memory.is_live:
        raise WrongState(
            f"this memory is {memory.status}", field="memory", hint="to make it active again, use `restore`"
        )
    needs_rationale = _pass_gate_again(session, memory, rationale, edited)
    approval = _Approval(memory.content if edited is None else edited.content, rationale or memory.rationale, reason)
    if _is_approved(session, memory, approval):
        reason = "it was already approved, so nothing was changed"
        return Outcome(outcome=OutcomeKind.UNCHANGED, memory=memory, reason=reason, seq=session.head.seq)
    if needs_rationale:
        raise _needs_rationale(memory)
    if memory.status == Status.INBOX:
        _refuse_unsettled(session, memory)
    # From here on nothing is refused: whoever reviews many at once goes on after a refusal.
    return _write_approval(session, memory, approval, edited)


class _Approval(msgspec.Struct, frozen=True):
    """What a person verifies, and why."""

    content: str
    rationale: str | None
    reason: str


def _pass_gate_again(
    session: WriteSession, memory: MemoryVersion, rationale: str | None, edited: Candidate | None
) -> bool:
    """Take a memory through the gate as it will be; whether it is a decision that still has no rationale."""
    if edited is None:
        candidate, field = restate_memory(memory, rationale=rationale), "memory" if rationale is None else "rationale"
    else:
        candidate, field = msgspec.structs.replace(edited, rationale=rationale or edited.rationale), "text"
    # What counts already and is only confirmed says nothing new.
    is_unburied = memory.status == Status.ACTIVE and rationale is None and edited is None
    decision = _decide(session, Prepared(candidate, is_unburied=is_unburied, memory=memory))
    if isinstance(decision, Refused):
        if decision.cause is RefusalCause.DATA_REFUSED:
            raise DataRefused(decision.reason, field=field, hint=decision.hint)
        raise WrongState(decision.reason, field=field, hint=decision.hint)
    return isinstance(decision, Pending)


def _decide(session: WriteSession, prepared: Prepared) -> Decision:
    """What the gate says to words that a person decides about; they are compared once they count."""
    return pass_gate(APPROVED, prepared, gate_context(session, lambda _scope: "coexist")).decision


def _is_approved(session: WriteSession, memory: MemoryVersion, approval: _Approval) -> bool:
    """Whether the person has already verified exactly this."""
    is_counted = memory.status == Status.ACTIVE and memory.verified_by == session.actor.id
    return is_counted and (approval.content, approval.rationale) == (memory.content, memory.rationale)


def _needs_rationale(memory: MemoryVersion) -> InvalidInput:
    return InvalidInput(
        "a decision needs a rationale before it can be approved",
        field="rationale",
        hint=f"approve the decision with its reason: `approve` {memory.memory_id}, with a `rationale`",
    )


def _refuse_unsettled(session: WriteSession, memory: MemoryVersion) -> None:
    """Refuse to approve a memory that is part of an open conflict."""
    for conflict in pending_conflicts(session.transaction, memory.memory_id):
        raise WrongState(
            f"it contradicts another memory: {conflict.finding}",
            field="memory",
            hint=f"resolve the conflict first: `resolve` {conflict.id} keep_new, with a `reason`",
        )


def _write_approval(
    session: WriteSession, memory: MemoryVersion, approval: _Approval, edited: Candidate | None
) -> Outcome:
    builder = EntryBuilder(session, "memory.approve")
    approved = builder.next_version(
        memory,
        keys_of(builder, msgspec.structs.replace(memory, content=approval.content)),
        change=VersionChange.APPROVE,
        reason=approval.reason,
        status=Status.ACTIVE.value,
        verified_by=builder.actor,
        rationale=approval.rationale,
        content=approval.content,
        **({"title": None, "summary": None} if edited is not None else {}),
    )
    if edited is not None:
        tie_evidence(builder, approved, keep_source(builder, edited), edited)
    is_new = memory.status == Status.INBOX or edited is not None
    conflicts = flag_contraries(builder, approved) if is_new else []
    outcome, reason = OutcomeKind.APPROVED, approval.reason
    entry = builder.finish(outcome, target=memory.memory_id, scope=memory.scope, reason=reason, conflicts=conflicts)
    return Outcome(outcome=outcome, memory=approved, reason=reason, conflicts=tuple(conflicts), seq=entry.seq)


# Two that say the same


def merge(session: WriteSession, target: MemoryVersion, gone: MemoryVersion, reason: str) -> Outcome:
    """Merge two memories that a person calls equal; the result is active if either of them was."""
    if target.memory_id == gone.memory_id:
        raise InvalidInput("a memory cannot be merged with itself", field="other", hint="choose two different memories")
    if (present := _merged_already(session, target, gone)) is not None:
        return Outcome(
            outcome=OutcomeKind.UNCHANGED,
            memory=present,
            reason="these memories were already merged",
            seq=session.head.seq,
        )
    _refuse_unmergeable(session, target, gone)
    is_active = Status.ACTIVE in (target.status, gone.status)
    rationale = target.rationale or gone.rationale
    if is_active and target.kind == Kind.DECISION and not (rationale or read_statement(target.content).has_rationale):
        raise _needs_rationale(target)
    # It counts, or it goes on waiting for the cause that the one it is kept as waits for.
    status = {"status": Status.ACTIVE.value} if is_active else {}
    return merge_into(
        session,
        target,
        gone,
        reason,
        action="memory.merge",
        rationale=rationale,
        verified_by=target.verified_by or gone.verified_by,
        **status,
    )


def _merged_already(session: WriteSession, target: MemoryVersion, gone: MemoryVersion) -> MemoryVersion | None:
    """What both have become by merging before, if it is one live memory."""
    present = _merged_into(session, target)
    is_same = present.memory_id == _merged_into(session, gone).memory_id
    return present if present.is_live and is_same else None


def _merged_into(session: WriteSession, memory: MemoryVersion) -> MemoryVersion:
    """What a memory has become by merging, however often; itself where it was not merged."""
    seen = {memory.memory_id}
    while memory.status == Status.SUPERSEDED and memory.change == VersionChange.MERGE:
        links = session.transaction.records.links_of([memory.memory_id])
        into = [link.from_id for link in links if link.relationship == "supersedes" and link.to_ref == memory.memory_id]
        later = session.transaction.memories.version(into[-1]) if into and into[-1] not in seen else None
        if later is None:
            break
        memory = later
        seen.add(memory.memory_id)
    return memory


def _refuse_unmergeable(session: WriteSession, target: MemoryVersion, gone: MemoryVersion) -> None:
    for field, memory in (("memory", target), ("other", gone)):
        if not memory.is_live:
            raise WrongState(f"memory {memory.memory_id} is {memory.status}", field=field, hint="use `restore` first")
        if refusal := refuse_rejected(tombstones_over_memory(session, memory), session.actor):
            raise WrongState(refusal.reason, field=field, hint=refusal.hint)
    if (target.scope, target.privacy) != (gone.scope, gone.privacy):
        raise WrongState(
            f"cannot merge: the scopes differ ({target.scope}, {gone.scope}), or one memory is private",
            field="other",
            hint="connect the two memories with `link`",
        )


# Two that disagree


def resolve(
    session: WriteSession, conflict: Conflict, disposition: Disposition, reason: str, merged: Candidate | None
) -> Outcome:
    """Resolve a conflict as a person decides; it is not raised again."""
    if conflict.recorded_to is not None:
        raise WrongState(
            f"this conflict is already resolved ({conflict.disposition}, by {conflict.closed_by})", field="conflict"
        )
    if conflict.kind == ConflictKind.RETRACTION and disposition not in _ON_RETRACTION:
        raise InvalidInput(
            f"{disposition.value} cannot be used for a request to forget a memory",
            field="disposition",
            hint="use keep_old to keep the memory, or remove_both to forget it",
        )
    if merged is not None and isinstance(refusal := _decide(session, Prepared(merged)), Refused):
        raise WrongState(refusal.reason, field="text", hint=refusal.hint)
    builder = EntryBuilder(session, "memory.resolve")
    merged_memory = _write_merged(builder, merged, reason) if merged else None
    builder.close(
        conflict,
        closed_by=builder.actor,
        close_reason=reason,
        disposition=disposition.value,
        merged_id=merged_memory.memory_id if merged_memory else None,
    )
    kept = _carry_out(builder, conflict, disposition, merged_memory, reason)
    outcome = OutcomeKind.RESOLVED
    entry = builder.finish(
        outcome, target=conflict.id, scope=conflict.scope, reason=reason, disposition=disposition.value
    )
    return Outcome(outcome=outcome, memory=kept, reason=reason, conflicts=(conflict.id,), seq=entry.seq)


_ON_RETRACTION = (Disposition.KEEP_OLD, Disposition.REMOVE_BOTH)


def _write_merged(builder: EntryBuilder, candidate: Candidate, reason: str) -> MemoryVersion:
    keys = candidate_keys(candidate, gate_context(builder.session, lambda _scope: "coexist"))
    standing = Standing(Status.ACTIVE, candidate.confidence_by(builder.session.actor), reason)
    return open_memory(builder, candidate, standing, keys)


def _carry_out(
    builder: EntryBuilder,
    conflict: Conflict,
    disposition: Disposition,
    merged: MemoryVersion | None,
    reason: str,
) -> MemoryVersion | None:
    """Apply a resolution to both sides of a conflict; return the memory that remains."""
    old, new = (builder.transaction.memories.version(side) for side in (conflict.old_id, conflict.new_id))
    assert old is not None
    assert new is not None
    if disposition in (Disposition.KEEP_OLD, Disposition.KEEP_BOTH):
        # What an agent rejected for itself when it asked for the change: a person has decided that it stands.
        lift_tombstones(builder, open_tombstones(builder.transaction, old.memory_id), reason=reason)
    if conflict.kind == ConflictKind.RETRACTION:
        return _answer_retraction(builder, old, disposition, reason)
    match disposition:
        case Disposition.KEEP_OLD:
            _drop_side(builder, new, old, reason, Status.REJECTED)
            return _keep_side(builder, conflict, old, reason)
        case Disposition.KEEP_NEW:
            _drop_side(builder, old, new, reason, Status.CONTRADICTED)
            return _keep_side(builder, conflict, new, reason)
        case Disposition.KEEP_BOTH:
            _keep_side(builder, conflict, old, reason)
            return _keep_side(builder, conflict, new, reason)
        case Disposition.REMOVE_BOTH:
            _drop_side(builder, old, None, reason, Status.CONTRADICTED)
            _drop_side(builder, new, None, reason, Status.REJECTED)
            return None
        case Disposition.MERGE:
            assert merged is not None
            for side in (old, new):
                _drop_side(builder, side, merged, reason, Status.SUPERSEDED)
            return merged


def _answer_retraction(
    builder: EntryBuilder, memory: MemoryVersion, disposition: Disposition, reason: str
) -> MemoryVersion | None:
    """Keep and verify a memory that an agent asked to forget, or forget it."""
    if disposition is Disposition.REMOVE_BOTH:
        _drop_side(builder, memory, None, reason, Status.RETRACTED)
        return None
    keys = keys_of(builder, memory)
    return builder.next_version(memory, keys, change=VersionChange.RESOLVE, reason=reason, verified_by=builder.actor)


def _keep_side(builder: EntryBuilder, conflict: Conflict, memory: MemoryVersion, reason: str) -> MemoryVersion:
    """Activate and verify the kept side, and return the confidence that it lost by the conflict."""
    if not memory.is_live:
        return memory
    returned = CONTRADICTION_LOSS if conflict.weaker_id == memory.memory_id else 0.0
    return builder.next_version(
        memory,
        keys_of(builder, memory),
        change=VersionChange.RESOLVE,
        reason=reason,
        status=Status.ACTIVE.value,
        verified_by=builder.actor,
        confidence=adjust_confidence(memory.confidence, returned),
    )


def _drop_side(
    builder: EntryBuilder, memory: MemoryVersion, winner: MemoryVersion | None, reason: str, status: Status
) -> None:
    """Retire the losing side, and reject the claims that only it made."""
    if not memory.is_live:
        return
    if winner is None:
        settle_pending(builder, memory, reason)
        keys = keys_of(builder, memory)
        builder.next_version(memory, keys, change=VersionChange.RESOLVE, reason=reason, status=status.value)
        bury(builder, memory, reason=reason)
        return
    said = read_statement(winner.content)
    spare = {claim.key for claim in said.claims}
    retire_replaced(builder, memory, winner, reason=reason, change=VersionChange.RESOLVE, status=status)
    if status is not Status.SUPERSEDED:
        # The winner speaks of one half of what the loser said; a merged text is all that both become.
        kept = divide_claims(read_statement(memory.content), said).kept
        keep_standing(builder, memory, kept, reason)
        spare |= {claim.key for claim in kept}
    bury(builder, memory, reason=reason, spare=spare)
