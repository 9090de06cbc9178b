"""Learning: a candidate passes the gate, and what was decided is written in one ledger entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from heldtrue.domain.cause import PendingCause, PendingReason
from heldtrue.domain.decision import (
    Corroborated,
    Created,
    Decision,
    OutcomeKind,
    Pending,
    Refreshed,
    Refused,
    Superseded,
)
from heldtrue.domain.memory import (
    CONTRADICTION_LOSS,
    REFRESH_GAIN,
    Kind,
    MemoryVersion,
    Status,
    VersionChange,
    adjust_confidence,
)
from heldtrue.ingest.gate import STATED, ConflictRule, GateContext, GateDecision, Lane, Prepared, pass_gate
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.stages.candidate import Candidate
from heldtrue.ingest.stages.conflicts import keys_of, link_once, open_conflicts
from heldtrue.ingest.stages.decide import reason_to_wait
from heldtrue.ingest.stages.evidence import find_source, keep_source, tie_evidence
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.tombstones import lift_tombstones
from heldtrue.ingest.stages.versions import Standing, first_version, stamp_of

ACTION = "memory.learn"


def gate_context(session: WriteSession, rule_for: ConflictRule) -> GateContext:
    """The context of the gate in a transaction."""
    return GateContext(
        session.transaction, session.actor, session.space.key, session.neighbours, rule_for, session.conflicts
    )


def learn(
    session: WriteSession,
    candidate: Candidate | Prepared,
    rule_for: ConflictRule,
    *,
    lane: Lane = STATED,
    action: str = ACTION,
    memory_id: str | None = None,
) -> Outcome:
    """Pass a candidate through the gate and write the decision with its reason.

    Where a lane records no refusals, what is refused or rests on its source already is told and nothing is written.
    """
    prepared = candidate if isinstance(candidate, Prepared) else Prepared(candidate)
    decided = pass_gate(lane, prepared, gate_context(session, rule_for))
    if not lane.records_refusals and (untraced := _leave_no_trace(session, prepared.candidate, decided.decision)):
        return untraced
    builder = EntryBuilder(session, action)
    if decided.lifted:
        lift_tombstones(builder, decided.lifted, reason="stated by a person")
    return write_decision(builder, prepared.candidate, decided, memory_id=memory_id)


def _leave_no_trace(session: WriteSession, candidate: Candidate, decision: Decision) -> Outcome | None:
    """The outcome of what is not written down: a refusal, and what was taken from the same source before."""
    if isinstance(decision, Refused):
        return Outcome(
            outcome=OutcomeKind.REFUSED,
            memory=None,
            reason=decision.reason,
            cause=decision.cause,
            hint=decision.hint,
            seq=session.head.seq,
        )
    if isinstance(decision, Corroborated | Refreshed) and _rests_on_its_source(session, decision.memory, candidate):
        reason = "already learned from this source"
        return Outcome(outcome=OutcomeKind.KNOWN, memory=decision.memory, reason=reason, seq=session.head.seq)
    return None


def _rests_on_its_source(session: WriteSession, memory: MemoryVersion, candidate: Candidate) -> bool:
    source = find_source(session.transaction, candidate, session.actor, session.space.key)
    if source is None:
        return False
    return any(cited.id == source.id for _, cited in session.transaction.records.evidence_of([memory.memory_id]))


# Writing what was decided


def write_decision(
    builder: EntryBuilder, candidate: Candidate, decided: GateDecision, *, memory_id: str | None = None
) -> Outcome:
    """Carry out a decision in one ledger entry."""
    match decided.decision:
        case Refused() as decision:
            return _write_refusal(builder, candidate, decision)
        case Created() | Pending() as decision:
            return _write_new(builder, candidate, decision, decided, memory_id)
        case Superseded() as decision:
            return _write_successor(builder, candidate, decision, decided, memory_id)
        case Refreshed() | Corroborated() as decision:
            return _write_merge(builder, candidate, decision, decided)


def _write_refusal(builder: EntryBuilder, candidate: Candidate, decision: Refused) -> Outcome:
    entry = builder.finish(
        OutcomeKind.REFUSED,
        target=decision.memory_id,
        scope=candidate.scope,
        reason=decision.reason,
        cause=decision.cause,
        notes=candidate.notes,
    )
    return Outcome(
        outcome=OutcomeKind.REFUSED,
        memory=None,
        reason=decision.reason,
        cause=decision.cause,
        hint=decision.hint,
        notes=candidate.notes,
        seq=entry.seq,
    )


def open_memory(
    builder: EntryBuilder,
    candidate: Candidate,
    standing: Standing,
    keys: Sequence[int],
    *,
    memory_id: str | None = None,
) -> MemoryVersion:
    """Write the first version of a memory together with its source and the evidence that ties the two."""
    source = keep_source(builder, candidate)
    memory = first_version(candidate, stamp_of(builder, memory_id), standing)
    builder.open_version(memory, keys, candidate.words)
    tie_evidence(builder, memory, source, candidate)
    return memory


def _write_new(
    builder: EntryBuilder,
    candidate: Candidate,
    decision: Created | Pending,
    decided: GateDecision,
    memory_id: str | None,
) -> Outcome:
    weaker = any(contrary.weaker_is_new for contrary in decision.contraries)
    confidence = adjust_confidence(candidate.confidence, -CONTRADICTION_LOSS if weaker else 0.0)
    if isinstance(decision, Pending):
        outcome, cause = OutcomeKind.PENDING, decision.cause
        standing = Standing(Status.INBOX, confidence, decision.reason, cause)
    else:
        # Why a new memory counts is in its ledger entry.
        outcome, cause = OutcomeKind.CREATED, None
        why = decision.reason if decision.contraries else None
        standing = Standing(Status.ACTIVE, confidence, why, vouched=decided.vouched)
    memory = open_memory(builder, candidate, standing, decided.keys, memory_id=memory_id)
    conflicts = open_conflicts(builder, memory, decision.contraries)
    entry = builder.finish(
        outcome,
        target=memory.memory_id,
        scope=memory.scope,
        reason=decision.reason,
        cause=cause,
        conflicts=conflicts,
        notes=candidate.notes,
    )
    return Outcome(
        outcome=outcome,
        memory=memory,
        reason=decision.reason,
        cause=cause,
        hint=_hint_to_correct(builder, decision),
        notes=candidate.notes,
        conflicts=tuple(conflicts),
        seq=entry.seq,
    )


def _hint_to_correct(builder: EntryBuilder, decision: Created | Pending) -> str | None:
    """A hint for a person whose own statement is pending."""
    if not (builder.session.actor.is_person and isinstance(decision, Pending) and decision.contraries):
        return None
    old = decision.contraries[0].memory.memory_id
    return (
        f"if the fact has changed, correct the existing memory: `correct` {old}, with the new statement and a `reason`"
    )


def _write_successor(
    builder: EntryBuilder, candidate: Candidate, decision: Superseded, decided: GateDecision, memory_id: str | None
) -> Outcome:
    """End the older fact, which was true in its time: it stays active and gets an end date."""
    old, reason = decision.memory, decision.reason
    standing = Standing(Status.ACTIVE, candidate.confidence, reason, vouched=decided.vouched)
    memory = open_memory(builder, candidate, standing, decided.keys, memory_id=memory_id)
    ends = candidate.proposal.valid_from
    builder.next_version(old, keys_of(builder, old), change=VersionChange.END, reason=reason, valid_to=ends)
    link_once(builder, memory, old.memory_id, "supersedes", reason)
    outcome = OutcomeKind.SUPERSEDED
    entry = builder.finish(
        outcome,
        target=memory.memory_id,
        scope=memory.scope,
        reason=reason,
        replaced=old.memory_id,
        notes=candidate.notes,
    )
    return Outcome(outcome=outcome, memory=memory, reason=reason, notes=candidate.notes, seq=entry.seq)


def _write_merge(
    builder: EntryBuilder, candidate: Candidate, decision: Refreshed | Corroborated, decided: GateDecision
) -> Outcome:
    """Let a held memory gain what was said again; said by a person, or with what it lacked, it may begin to count."""
    old = decision.memory
    source = keep_source(builder, candidate)
    if isinstance(decision, Refreshed):
        outcome, change, gain = OutcomeKind.REFRESHED, VersionChange.REFRESHED, REFRESH_GAIN
    else:
        outcome, change, gain = OutcomeKind.CORROBORATED, VersionChange.CORROBORATED, decision.gain
    changes, keys = _merged_words(builder, candidate, decision, decided)
    lacks = _count_again(builder, candidate, decision, changes) if decided.vouched else None
    why, cause = (decision.reason, None) if lacks is None else (lacks.text, lacks.cause)
    confidence = adjust_confidence(old.confidence, gain)
    memory = builder.next_version(old, keys, change=change, reason=why, cause=cause, confidence=confidence, **changes)
    tie_evidence(builder, memory, source, candidate)
    entry = builder.finish(
        outcome,
        target=memory.memory_id,
        scope=memory.scope,
        reason=why,
        cause=cause,
        notes=candidate.notes,
        merged={"from": candidate.content, "into": old.content} if candidate.content != old.content else None,
    )
    return Outcome(outcome=outcome, memory=memory, reason=why, cause=cause, notes=candidate.notes, seq=entry.seq)


def _merged_words(
    builder: EntryBuilder, candidate: Candidate, decision: Refreshed | Corroborated, decided: GateDecision
) -> tuple[dict[str, Any], list[int]]:
    """What changes about a memory that was said again, and the keys of its words then."""
    is_by_person = builder.session.actor.is_person and decided.vouched
    if is_by_person and decision.memory.verified_by is None:
        # The person stands behind the person's own words, not behind what an agent put around them.
        own = {name: getattr(candidate, name) for name in ("content", "title", "summary", "rationale")}
        return own | {"observed_at": builder.at, "verified_by": builder.actor}, decided.keys
    changes: dict[str, Any] = {"verified_by": builder.actor} if is_by_person else {}
    if isinstance(decision, Corroborated):
        return changes, keys_of(builder, decision.memory)
    # What its author filed it under this time, where that was said.
    filed = {name: getattr(candidate, name) for name in ("title", "summary", "rationale", "topic", "category")}
    given = {name: value for name, value in filed.items() if value is not None}
    return changes | {"content": candidate.content, "observed_at": builder.at} | given, decided.keys


def _count_again(
    builder: EntryBuilder, candidate: Candidate, decision: Refreshed | Corroborated, changes: dict[str, Any]
) -> PendingReason | None:
    """Let what waits count if it was said again with what it lacked, or by a person; else say what its author has yet
    to add.
    """
    is_refreshed = isinstance(decision, Refreshed)
    if decision.memory.status != Status.INBOX or not (is_refreshed or builder.session.actor.is_person):
        return None
    lacks = _still_lacks(builder, candidate, decision.memory)
    if lacks is None:
        changes["status"] = Status.ACTIVE.value
    return lacks if is_refreshed else None


def _still_lacks(builder: EntryBuilder, candidate: Candidate, old: MemoryVersion) -> PendingReason | None:
    """Why a memory in the inbox stays pending although it was stated again; None if it need not."""
    if any(conflict.recorded_to is None for conflict in builder.transaction.records.conflicts_of([old.memory_id])):
        return PendingReason(
            PendingCause.CONTRADICTION, "it contradicts an existing memory; a person must resolve the conflict"
        )
    known = [
        source.reference for _, source in builder.transaction.records.evidence_of([old.memory_id]) if source.reference
    ]
    whole = msgspec.structs.replace(
        candidate,
        rationale=candidate.rationale or old.rationale,
        reference=candidate.reference or (known[0] if known else None),
        proposal=msgspec.structs.replace(candidate.proposal, kind=Kind(old.kind), hold_because=None),
    )
    return reason_to_wait(whole, builder.session.actor)
