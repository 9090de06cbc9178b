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
from heldtrue.ingest.acts.learn import gate_context, open_memory, write_decision
from heldtrue.ingest.gate import CORRECTED, GateDecision, Prepared, neighbours_of, pass_gate
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.stages.candidate import Candidate
from heldtrue.ingest.stages.conflicts import keys_of, link_once, open_conflicts, settle_pending
from heldtrue.ingest.stages.decide import protects
from heldtrue.ingest.stages.evidence import carry_evidence
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.keys import pair_key
from heldtrue.ingest.stages.match import choose_contraries, read_statement
from heldtrue.ingest.stages.tombstones import bury, claims_standing
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
    cause: RetractionCause | None = None,
) -> Outcome:
    """Replace a memory with a corrected one."""
    require(session.actor, WRITE, ScopeResource(old.scope))
    _refuse_pointless(old, candidate)
    decided = pass_gate(CORRECTED, Prepared(candidate), gate_context(session, _coexist))
    builder = EntryBuilder(session, "memory.correct")
    decision = decided.decision
    if isinstance(decision, Refused):
        return write_decision(builder, candidate, decided)
    if protects(old, session.actor):
        return _propose(builder, old, candidate, decided, reason)
    if isinstance(decision, Pending):
        contrary = _contrary(session, old, candidate, reason)
        pending = Pending(decision.cause, decision.reason, (contrary,))
        return write_decision(builder, candidate, GateDecision(pending, decided.keys))
    return _replace(builder, old, candidate, decided.keys, reason, cause)


def _coexist(_scope: str) -> str:
    """A correction is not compared at the gate: what else it contradicts is flagged once it stands."""
    return "coexist"


def _refuse_pointless(old: MemoryVersion, candidate: Candidate) -> None:
    if not old.is_live:
        raise WrongState(
            f"this memory is {old.status} and cannot be corrected",
            field="memory",
            hint="correct the memory that replaced it (see `explain`), or restore this one first",
        )
    if fold_text(candidate.content) == fold_text(old.content):
        raise InvalidInput(
            "the correction says the same as the memory", field="content", hint="give the correct statement"
        )


def _contrary(session: WriteSession, old: MemoryVersion, candidate: Candidate, finding: str) -> Contrary:
    pair = pair_key(session.space.key, candidate.statement, read_statement(old.content))
    return Contrary(old, finding, pair, weaker_is_new=True)


def _propose(
    builder: EntryBuilder, old: MemoryVersion, candidate: Candidate, decided: GateDecision, reason: str
) -> Outcome:
    """An agent's correction of a verified memory waits for a person."""
    pending = Pending(
        PendingCause.PROTECTED,
        f"the memory it corrects was verified by {old.verified_by}, so a person must decide",
        (_contrary(builder.session, old, candidate, f"correction proposed by {builder.actor}: {reason}"),),
    )
    return write_decision(builder, candidate, GateDecision(pending, decided.keys))


def _replace(
    builder: EntryBuilder,
    old: MemoryVersion,
    candidate: Candidate,
    keys: list[int],
    reason: str,
    cause: RetractionCause | None,
) -> Outcome:
    neighbours = neighbours_of(candidate, keys, gate_context(builder.session, _coexist))
    others = [neighbour for neighbour in neighbours if neighbour.memory.memory_id != old.memory_id]
    parts = divide_claims(read_statement(old.content), candidate.statement)
    memory = open_memory(builder, candidate, Standing(Status.ACTIVE, candidate.confidence, reason), keys)
    status = Status.SUPERSEDED
    retire_replaced(builder, old, memory, reason=reason, change=VersionChange.CORRECT, status=status, cause=cause)
    kept = keep_standing(builder, old, parts.kept, reason)
    _bury_replaced(builder, old, candidate, parts, reason)
    contraries = [
        _contrary(builder.session, contrary.memory, candidate, contrary.comparison.reason)
        for contrary in choose_contraries(others)
    ]
    conflicts = open_conflicts(builder, memory, contraries)
    entry = builder.finish(
        OutcomeKind.SUPERSEDED,
        target=memory.memory_id,
        scope=memory.scope,
        reason=reason,
        cause=cause,
        replaced=old.memory_id,
        kept=[part.memory_id for part in kept],
        conflicts=conflicts,
        notes=candidate.notes,
    )
    return Outcome(
        outcome=OutcomeKind.SUPERSEDED,
        memory=memory,
        reason=reason,
        notes=candidate.notes,
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
    builder: EntryBuilder, old: MemoryVersion, kept: tuple[Claim, ...], reason: str
) -> list[MemoryVersion]:
    """The untouched claims of a corrected memory, as separate memories with the same status and evidence."""
    standing = []
    for claim in claims_standing(builder.session, old, kept):
        memory = split_off(old, stamp_of(builder), claim.text)
        builder.open_version(memory, keys_of(builder, memory))
        carry_evidence(builder, old, memory)
        link_once(builder, memory, old.memory_id, "derived_from", reason)
        standing.append(memory)
    return standing
