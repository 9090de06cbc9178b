"""Correcting: a new memory replaces an old one; claims that the correction does not touch stay valid."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.access.policy import require
from heldtrue.domain.action import WRITE, ScopeResource
from heldtrue.domain.cause import PendingCause, RetractionCause
from heldtrue.domain.claim import Claim, Statement
from heldtrue.domain.decision import Contrary, OutcomeKind, Pending, Refused
from heldtrue.domain.errors import InvalidInput, WrongState
from heldtrue.domain.memory import MemoryVersion, Status, VersionChange
from heldtrue.ingest.acts.learn import STATED_BY_A_PERSON, gate_context, note_lifted, open_memory, write_decision
from heldtrue.ingest.gate import (
    CORRECTED,
    ConflictRule,
    GateDecision,
    Prepared,
    contraries_besides,
    neighbours_of,
    pass_gate,
)
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.stages.candidate import Candidate
from heldtrue.ingest.stages.conflicts import keys_of, link_once, open_conflicts, settle_pending
from heldtrue.ingest.stages.evidence import carry_evidence
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.keys import pair_key
from heldtrue.ingest.stages.match import read_statement
from heldtrue.ingest.stages.ownership import may_change, refuse_waiting, who_stands_behind
from heldtrue.ingest.stages.tombstones import bury, claims_standing, lift_tombstones
from heldtrue.ingest.stages.versions import Standing, split_off, stamp_of
from heldtrue.language.grammar.lexicon import is_pronoun
from heldtrue.language.normalise import fold_text
from heldtrue.language.terms import query_terms

_SPEAKS_OF_SHARE = 0.4


class Parts(msgspec.Struct, frozen=True):
    """An old statement divided by its correction."""

    replaced: tuple[Claim, ...]
    kept: tuple[Claim, ...]


def divide_claims(old: Statement, new: Statement) -> Parts:
    """Which claims of an old statement a new one replaces, and which it leaves alone.

    A correction that speaks of none of the claims rewrites the statement as a whole: then no single claim of it is
    replaced, and none is left alone either.
    """
    dropped = _without(old.claims, new.claims)
    if len(old.claims) < 2:
        return Parts(dropped, ())
    fresh = _without(new.claims, old.claims)
    addressed = [claim for new_claim in fresh for claim in _addressed(new_claim, dropped)]
    if not addressed:
        return Parts((), ())
    kept = _without(dropped, addressed)
    return Parts(_without(dropped, kept), kept)


def _without(claims: Sequence[Claim], others: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims that say something else than any of the others."""
    keys = {claim.key for claim in others}
    return tuple(claim for claim in claims if claim.key not in keys)


def _addressed(claim: Claim, dropped: Sequence[Claim]) -> list[Claim]:
    """The old claims that a new one speaks of: by slot, by attribute where a pronoun is the subject, or by words."""
    if by_slot := [old for old in dropped if old.slot == claim.slot]:
        return by_slot
    if is_pronoun(claim.subject) and (by_attribute := [old for old in dropped if old.attribute == claim.attribute]):
        return by_attribute
    likeness = sorted(((_likeness(claim, old), number) for number, old in enumerate(dropped)), reverse=True)
    best, second = (*likeness, _UNLIKE, _UNLIKE)[:2]
    is_clear = best[0] >= _SPEAKS_OF_SHARE and best[0] > second[0]
    return [dropped[best[1]]] if is_clear else []


_UNLIKE = (0.0, -1)


def _likeness(new: Claim, old: Claim) -> float:
    """The part of their words that two claims share."""
    words, others = set(query_terms(new.text)), set(query_terms(old.text))
    return 2 * len(words & others) / (len(words) + len(others)) if words and others else 0.0


def correct(
    session: WriteSession,
    old: MemoryVersion,
    candidate: Candidate,
    reason: str,
    rule_for: ConflictRule,
    cause: RetractionCause | None = None,
) -> Outcome:
    """Replace a memory with a corrected one.

    An agent replaces what nobody else stands behind. Of anything else, and of what would contradict others, it can
    only propose a correction to a person.
    """
    require(session.actor, WRITE, ScopeResource(old.scope))
    _refuse_pointless(old, candidate)
    is_own = may_change(session.transaction, old, session.actor)
    if not is_own:
        refuse_waiting(old, session.actor)
    # What else a person's correction contradicts is flagged once it stands.
    context = gate_context(session, _coexist if session.actor.is_person else rule_for)
    decided = pass_gate(CORRECTED, Prepared(candidate, replaces=old), context)
    builder = EntryBuilder(session, "memory.correct")
    if isinstance(decided.decision, Refused):
        return write_decision(builder, candidate, decided)
    lift_tombstones(builder, decided.lifted, reason=STATED_BY_A_PERSON)
    if not is_own:
        return _propose(builder, old, candidate, decided, reason, is_wrong=cause is None)
    if isinstance(decided.decision, Pending):
        return _hold(builder, old, candidate, decided, reason)
    return _replace(builder, old, candidate, decided, reason, cause)


def _coexist(_scope: str) -> str:
    return "coexist"


def _refuse_pointless(old: MemoryVersion, candidate: Candidate) -> None:
    if not old.is_live:
        raise WrongState(
            f"this memory is {old.status} and cannot be corrected",
            field="memory",
            hint="correct the memory that replaced it (see `explain`), or `restore` this one first",
        )
    times = (candidate.proposal.valid_from, candidate.proposal.valid_to)
    if fold_text(candidate.content) == fold_text(old.content) and times == (old.valid_from, old.valid_to):
        raise InvalidInput(
            "the correction says the same thing as the memory",
            field="content",
            hint="specify the correct statement, or the correct `valid_from` or `valid_to`",
        )


def _contrary(session: WriteSession, old: MemoryVersion, candidate: Candidate, finding: str) -> Contrary:
    pair = pair_key(session.space.key, candidate.statement, read_statement(old.content))
    return Contrary(old, finding, pair, weaker_is_new=True)


def _propose(
    builder: EntryBuilder,
    old: MemoryVersion,
    candidate: Candidate,
    decided: GateDecision,
    reason: str,
    *,
    is_wrong: bool,
) -> Outcome:
    """Let an agent's correction of what others stand behind wait for a person; for an agent that calls the old value
    wrong, it is rejected from now on.
    """
    finding = f"correction proposed by {builder.actor}: {reason}"
    pending = Pending(
        PendingCause.PROTECTED,
        f"{who_stands_behind(old)}, so a person must decide about the correction",
        (_contrary(builder.session, old, candidate, finding),),
    )
    if is_wrong:
        parts = divide_claims(read_statement(old.content), candidate.statement)
        _bury_replaced(builder, old, candidate, parts, reason)
    return write_decision(builder, candidate, GateDecision(pending, decided.keys))


def _hold(
    builder: EntryBuilder, old: MemoryVersion, candidate: Candidate, decided: GateDecision, reason: str
) -> Outcome:
    """Let a correction wait, for what the gate says; the old memory stands until a person decides."""
    assert isinstance(decided.decision, Pending)
    contraries = (*decided.decision.contraries, _contrary(builder.session, old, candidate, reason))
    pending = msgspec.structs.replace(decided.decision, contraries=contraries)
    return write_decision(builder, candidate, GateDecision(pending, decided.keys, lifted=decided.lifted))


def _replace(
    builder: EntryBuilder,
    old: MemoryVersion,
    candidate: Candidate,
    decided: GateDecision,
    reason: str,
    cause: RetractionCause | None,
) -> Outcome:
    session = builder.session
    parts = divide_claims(read_statement(old.content), candidate.statement)
    standing = Standing(Status.ACTIVE, candidate.confidence_by(session.actor), reason)
    others = contraries_besides(neighbours_of(candidate, decided.keys, gate_context(session, _coexist)), old)
    memory = open_memory(builder, candidate, standing, decided.keys)
    status = Status.SUPERSEDED
    retire_replaced(builder, old, memory, reason=reason, change=VersionChange.CORRECT, status=status, cause=cause)
    kept = keep_standing(builder, old, parts.kept, reason)
    _bury_replaced(builder, old, candidate, parts, reason)
    contraries = [_contrary(session, other.memory, candidate, other.comparison.reason) for other in others]
    conflicts = open_conflicts(builder, memory, contraries)
    notes = (*candidate.notes, *note_lifted(decided.lifted))
    entry = builder.finish(
        OutcomeKind.SUPERSEDED,
        target=memory.memory_id,
        scope=memory.scope,
        reason=reason,
        cause=cause,
        replaced=old.memory_id,
        kept=[part.memory_id for part in kept],
        conflicts=conflicts,
        notes=notes,
        lifted=[stone.id for stone in decided.lifted],
    )
    return Outcome(
        outcome=OutcomeKind.SUPERSEDED,
        memory=memory,
        reason=reason,
        notes=notes,
        conflicts=tuple(conflicts),
        kept=tuple(kept),
        seq=entry.seq,
    )


def _bury_replaced(builder: EntryBuilder, old: MemoryVersion, candidate: Candidate, parts: Parts, reason: str) -> None:
    """Reject the old wording and the claims that were replaced; what the correction says or leaves alone is not."""
    held = {claim.key for claim in read_statement(old.content).claims}
    said = {claim.key for claim in candidate.statement.claims}
    if not held <= said or not held:
        bury(builder, old, reason=reason, spare=(held - {claim.key for claim in parts.replaced}) | said)


def retire_replaced(
    builder: EntryBuilder,
    old: MemoryVersion,
    new: MemoryVersion,
    *,
    reason: str,
    change: VersionChange,
    status: Status,
    cause: RetractionCause | None = None,
) -> MemoryVersion:
    """Retire a memory because another replaced it, and link the two."""
    link_once(builder, new, old.memory_id, "supersedes", reason)
    settle_pending(builder, old, f"replaced by {new.memory_id}")
    keys = keys_of(builder, old)
    return builder.next_version(old, keys, change=change, reason=reason, cause=cause, status=status.value)


def keep_standing(
    builder: EntryBuilder, old: MemoryVersion, claims: tuple[Claim, ...], reason: str
) -> list[MemoryVersion]:
    """The untouched claims of a corrected memory, as separate memories with the same status and evidence."""
    standing = []
    for claim in claims_standing(builder.session, old, claims):
        memory = split_off(old, stamp_of(builder), claim.text)
        builder.open_version(memory, keys_of(builder, memory))
        carry_evidence(builder, old, memory)
        link_once(builder, memory, old.memory_id, "derived_from", reason)
        standing.append(memory)
    return standing
