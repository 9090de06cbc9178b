"""Learning: a candidate passes the gate, and what was decided is written in one ledger entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from heldtrue.domain.cause import PendingCause, PendingReason, RefusalCause
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
from heldtrue.domain.records import Tombstone
from heldtrue.ingest.gate import STATED, ConflictRule, GateContext, GateDecision, Lane, Prepared, pass_gate
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.stages.candidate import Candidate
from heldtrue.ingest.stages.conflicts import keys_of, link_once, open_conflicts
from heldtrue.ingest.stages.decide import Worth, doubt_text, reason_to_wait
from heldtrue.ingest.stages.dismissals import find_dismissed
from heldtrue.ingest.stages.evidence import find_source, keep_source, tie_evidence, unhidden_source
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.refusals import cut_said, find_refusal, note_refusal
from heldtrue.ingest.stages.tombstones import judge_source, lift_tombstones
from heldtrue.ingest.stages.versions import Standing, first_version, stamp_of

ACTION = "memory.learn"


def gate_context(session: WriteSession, rule_for: ConflictRule) -> GateContext:
    """The context of the gate in a transaction."""
    return GateContext(
        session.transaction,
        session.actor,
        session.now,
        session.space.key,
        session.neighbours,
        rule_for,
        session.rejected,
        session.conflicts,
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

    Where a lane brings the same material again and again, what came before is told and nothing is written.
    """
    prepared = candidate if isinstance(candidate, Prepared) else Prepared(candidate)
    decided = pass_gate(lane, prepared, gate_context(session, rule_for))
    if lane.comes_again and (untraced := _came_before(session, prepared.candidate, decided.decision)):
        return untraced
    builder = EntryBuilder(session, action)
    lift_tombstones(builder, decided.lifted, reason=STATED_BY_A_PERSON)
    if lane.comes_again and isinstance(decided.decision, Refused):
        return _refuse_material(builder, prepared.candidate, decided.decision)
    return write_decision(builder, prepared.candidate, decided, memory_id=memory_id)


def _refuse_material(builder: EntryBuilder, candidate: Candidate, decision: Refused) -> Outcome:
    """Refuse what was taken from a source, and hide the sentence that says it, in whatever words."""
    found = unhidden_source(builder.session, candidate, decision)
    if found is not None:
        source, rejected = found
        tie_evidence(builder, rejected, source, candidate)
    outcome = _write_refusal(builder, candidate, decision)
    if found is not None:
        judge_source(builder.transaction, found[0].id)
    note_refusal(builder.session, candidate, decision, outcome.seq)
    return outcome


STATED_BY_A_PERSON = "stated by a person"
"""Why the rejections of what a person says are lifted."""


def note_lifted(stones: Sequence[Tombstone]) -> list[str]:
    """Say which rejections a person's statement has lifted, one note for each that was made."""
    made = {(stone.author, stone.reason): None for stone in stones}
    return [f"this was rejected by {author} ({reason}); the rejection was lifted" for author, reason in made]


def _came_before(session: WriteSession, candidate: Candidate, decision: Decision) -> Outcome | None:
    """The outcome of what is not written down again: the same refusal, and what was taken or dismissed from the same
    source before.
    """
    if isinstance(decision, Refused):
        seq = None if unhidden_source(session, candidate, decision) else find_refusal(session, candidate, decision)
        return None if seq is None else _tell_refusal(decision, candidate, seq)
    source = find_source(session.transaction, candidate, session.actor, session.space.key)
    if source is None:
        return None
    if isinstance(decision, Corroborated | Refreshed):
        cited = {found.id for _, found in session.transaction.records.evidence_of([decision.memory.memory_id])}
        return _tell_known(session, decision.memory, "already learned from this source") if source.id in cited else None
    dismissed = find_dismissed(session, source, candidate.content)
    return (
        None
        if dismissed is None
        else _tell_known(session, dismissed, "a person has dismissed this from the same source before")
    )


def _tell_known(session: WriteSession, memory: MemoryVersion, reason: str) -> Outcome:
    return Outcome(outcome=OutcomeKind.KNOWN, memory=memory, reason=reason, seq=session.head.seq)


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
        said=None if decision.cause is RefusalCause.ERASED_BEFORE else cut_said(candidate.content),
        tombstone=decision.tombstone_id,
    )
    return _tell_refusal(decision, candidate, entry.seq)


def _tell_refusal(decision: Refused, candidate: Candidate, seq: int) -> Outcome:
    return Outcome(
        outcome=OutcomeKind.REFUSED,
        memory=None,
        reason=decision.reason,
        cause=decision.cause,
        hint=decision.hint,
        notes=candidate.notes,
        seq=seq,
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
    weaker = any(contrary.weaker_is_new and contrary.is_sure for contrary in decision.contraries)
    given = candidate.confidence_by(builder.session.actor)
    confidence = adjust_confidence(given, -CONTRADICTION_LOSS if weaker else 0.0)
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
    notes = (*candidate.notes, *note_lifted(decided.lifted))
    entry = builder.finish(
        outcome,
        target=memory.memory_id,
        scope=memory.scope,
        reason=decision.reason,
        cause=cause,
        conflicts=conflicts,
        notes=notes,
        lifted=[stone.id for stone in decided.lifted],
    )
    return Outcome(
        outcome=outcome,
        memory=memory,
        reason=decision.reason,
        cause=cause,
        hint=_hint_to_correct(builder, decision),
        notes=notes,
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
    """End the older fact, which was true in its time: it stays active and gets an end date, unless it ended before."""
    old, reason = decision.memory, decision.reason
    starts = builder.session.now if candidate.proposal.valid_from is None else candidate.proposal.valid_from
    dated = msgspec.structs.replace(candidate.proposal, valid_from=starts)
    candidate = msgspec.structs.replace(candidate, proposal=dated)
    standing = Standing(Status.ACTIVE, candidate.confidence_by(builder.session.actor), reason, vouched=decided.vouched)
    memory = open_memory(builder, candidate, standing, decided.keys, memory_id=memory_id)
    if not old.has_ended(starts):
        builder.next_version(old, keys_of(builder, old), change=VersionChange.END, reason=reason, valid_to=starts)
    link_once(builder, memory, old.memory_id, "supersedes", reason)
    outcome, notes = OutcomeKind.SUPERSEDED, (*candidate.notes, *note_lifted(decided.lifted))
    entry = builder.finish(
        outcome,
        target=memory.memory_id,
        scope=memory.scope,
        reason=reason,
        replaced=old.memory_id,
        notes=notes,
        lifted=[stone.id for stone in decided.lifted],
    )
    return Outcome(outcome=outcome, memory=memory, reason=reason, notes=notes, seq=entry.seq)


def _write_merge(
    builder: EntryBuilder, candidate: Candidate, decision: Refreshed | Corroborated, decided: GateDecision
) -> Outcome:
    """Let a held memory gain what was said again; said by a person, or with what it lacked, it may begin to count."""
    old = decision.memory
    source = keep_source(builder, candidate)
    if isinstance(decision, Refreshed):
        outcome, change = OutcomeKind.REFRESHED, VersionChange.REFRESHED
        # An agent is no surer of a thing because it says it twice.
        gain = REFRESH_GAIN if builder.session.actor.is_person else 0.0
    else:
        outcome, change, gain = OutcomeKind.CORROBORATED, VersionChange.CORROBORATED, decision.gain
    changes, keys = _merged_words(builder, candidate, decision, decided)
    lacks = _count_again(builder, candidate, decision, changes, decided) if decided.vouched else None
    why, cause = (decision.reason, None) if lacks is None else (lacks.text, lacks.cause)
    confidence = adjust_confidence(old.confidence, gain)
    memory = builder.next_version(old, keys, change=change, reason=why, cause=cause, confidence=confidence, **changes)
    tie_evidence(builder, memory, source, candidate)
    notes = (*candidate.notes, *note_lifted(decided.lifted))
    entry = builder.finish(
        outcome,
        target=memory.memory_id,
        scope=memory.scope,
        reason=why,
        cause=cause,
        notes=notes,
        lifted=[stone.id for stone in decided.lifted],
        merged={"from": candidate.content, "into": old.content} if candidate.content != old.content else None,
    )
    return Outcome(outcome=outcome, memory=memory, reason=why, cause=cause, notes=notes, seq=entry.seq)


def _merged_words(
    builder: EntryBuilder, candidate: Candidate, decision: Refreshed | Corroborated, decided: GateDecision
) -> tuple[dict[str, Any], list[int]]:
    """What changes about a memory that was said again, and the keys of its words then."""
    is_by_person = builder.session.actor.is_person and decided.vouched
    if is_by_person and decision.memory.verified_by is None:
        # The person stands behind the person's own words, not behind what an agent put around them.
        own = {name: getattr(candidate, name) for name in ("content", "title", "summary", "rationale")}
        own |= _restated_times(candidate, decision.memory)
        return own | {"observed_at": builder.at, "verified_by": builder.actor}, decided.keys
    changes: dict[str, Any] = {"verified_by": builder.actor} if is_by_person else {}
    if isinstance(decision, Corroborated):
        return changes, keys_of(builder, decision.memory)
    # What its author filed it under this time, where that was said.
    filed = {name: getattr(candidate, name) for name in ("title", "summary", "rationale", "topic", "category")}
    given = {name: value for name, value in filed.items() if value is not None}
    given |= _restated_times(candidate, decision.memory)
    return changes | {"content": candidate.content, "observed_at": builder.at} | given, decided.keys


def _restated_times(candidate: Candidate, memory: MemoryVersion) -> dict[str, Any]:
    """The valid times that a fact gets which was said again with dates: an end, and an earlier start.

    A later start says nothing about the time before it, for which the fact was stated already.
    """
    starts, ends = candidate.proposal.valid_from, candidate.proposal.valid_to
    known = min(memory.observed_at, memory.created_at) if memory.valid_from is None else memory.valid_from
    times = {} if ends is None else {"valid_to": ends}
    return times if starts is None or starts >= known else times | {"valid_from": starts}


def _count_again(
    builder: EntryBuilder,
    candidate: Candidate,
    decision: Refreshed | Corroborated,
    changes: dict[str, Any],
    decided: GateDecision,
) -> PendingReason | None:
    """Let what waits count if it was said again with what it lacked, or by a person; else say what its author has yet
    to add.
    """
    is_refreshed = isinstance(decision, Refreshed)
    if decision.memory.status != Status.INBOX or not (is_refreshed or builder.session.actor.is_person):
        return None
    lacks = decided.recognised or _still_lacks(builder, candidate, decision.memory)
    if lacks is None:
        changes["status"] = Status.ACTIVE.value
    return lacks if is_refreshed else None


def _still_lacks(builder: EntryBuilder, candidate: Candidate, old: MemoryVersion) -> PendingReason | None:
    """Why a memory in the inbox stays pending although it was stated again; None if it need not."""
    if any(conflict.recorded_to is None for conflict in builder.transaction.records.conflicts_of([old.memory_id])):
        return PendingReason(
            PendingCause.CONTRADICTION, "it contradicts an existing memory, so a person must resolve the conflict"
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
    actor = builder.session.actor
    return reason_to_wait(whole, actor, doubt_text(whole, actor, Worth()))
