"""Correcting: a new memory takes the place of an old one; what the correction does not touch stays standing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.domain.claim import Claim, Statement
from heldtrue.domain.decision import Contrary, Pending
from heldtrue.domain.errors import InvalidInput, WrongState
from heldtrue.domain.memory import MemoryVersion, Status
from heldtrue.ingest.burial import bury, claims_standing, find_stones
from heldtrue.ingest.candidate import Candidate
from heldtrue.ingest.conflicts import keys_of, link_once, open_conflicts, settle_pending
from heldtrue.ingest.decide import authorise_write, protects, reason_to_hold, refuse_buried, refuse_quarantined
from heldtrue.ingest.evidence import carry_evidence, keep_source, quarantine_of, tie_evidence
from heldtrue.ingest.journal import Journal, Pen, is_live
from heldtrue.ingest.keys import pair_key
from heldtrue.ingest.learn import candidate_keys, first_version, neighbours_of, write_decision
from heldtrue.ingest.match import choose_contraries, read_statement
from heldtrue.ingest.outcome import Outcome
from heldtrue.language.grammar.lexicon import is_pronoun
from heldtrue.language.normalise import fold_text
from heldtrue.language.terms import query_terms

_SPEAKS_OF_MIN = 0.4


class Parts(msgspec.Struct, frozen=True):
    """An old statement divided by its correction."""

    replaced: tuple[Claim, ...]
    kept: tuple[Claim, ...]


def divide_claims(old: Statement, new: Statement) -> Parts:
    """Which claims of an old statement a new one replaces, and which it leaves alone.

    A correction that speaks of none of the claims rewrites the statement as a whole: then no single claim of it is
    replaced, and none is left alone either.
    """
    said = {claim.key for claim in new.claims}
    dropped = [claim for claim in old.claims if claim.key not in said]
    if len(old.claims) < 2:
        return Parts(tuple(dropped), ())
    held = {claim.key for claim in old.claims}
    fresh = [claim for claim in new.claims if claim.key not in held]
    touched = {one.key for claim in fresh for one in _addressed(claim, dropped)}
    if not touched:
        return Parts((), ())
    replaced = tuple(claim for claim in dropped if claim.key in touched)
    return Parts(replaced, tuple(claim for claim in dropped if claim.key not in touched))


def _addressed(claim: Claim, dropped: Sequence[Claim]) -> list[Claim]:
    """The old claims that a new one speaks of: by slot, by attribute where a pronoun is the subject, or by words."""
    by_slot = [one for one in dropped if one.slot == claim.slot]
    by_attribute = [one for one in dropped if one.attribute == claim.attribute and is_pronoun(claim.subject)]
    if by_slot or by_attribute:
        return by_slot or by_attribute
    likeness = sorted(((_likeness(claim, one), place) for place, one in enumerate(dropped)), reverse=True)
    clear = likeness and likeness[0][0] >= _SPEAKS_OF_MIN and (len(likeness) == 1 or likeness[0][0] > likeness[1][0])
    return [dropped[likeness[0][1]]] if clear else []


def _likeness(one: Claim, other: Claim) -> float:
    """The part of their words that two claims share."""
    words, others = set(query_terms(one.text)), set(query_terms(other.text))
    return 2 * len(words & others) / (len(words) + len(others)) if words and others else 0.0


def correct(pen: Pen, old: MemoryVersion, candidate: Candidate, reason: str) -> Outcome:
    """Put a corrected statement in the place of an old one, on the record."""
    authorise_write(pen.actor, old.scope)
    if not is_live(old):
        raise WrongState(
            f"this memory is {old.status}, so there is nothing to correct",
            field="memory",
            hint="correct the memory that took its place (see: `explain`), or restore it first",
        )
    if fold_text(candidate.content) == fold_text(old.content):
        raise InvalidInput(
            "the correction says the same as the memory", field="content", hint="say what is right instead"
        )
    keys = candidate_keys(pen, candidate)
    stones = find_stones(pen, candidate)
    journal = Journal(pen, "memory.correct")
    if refusal := refuse_buried(stones, pen.actor) or refuse_quarantined(quarantine_of(pen, candidate)):
        return write_decision(journal, candidate, refusal, keys)
    if protects(old, pen.actor):
        return _propose(journal, old, candidate, keys, reason)
    if hold := reason_to_hold(candidate, pen.actor):
        return write_decision(journal, candidate, Pending(hold, (_contrary(pen, old, candidate, reason),)), keys)
    return _replace(journal, old, candidate, keys, reason)


def _contrary(pen: Pen, old: MemoryVersion, candidate: Candidate, finding: str) -> Contrary:
    pair = pair_key(pen.space.key, candidate.statement, read_statement(old.content))
    return Contrary(old, finding, pair, weaker_is_new=True)


def _propose(journal: Journal, old: MemoryVersion, candidate: Candidate, keys: list[int], reason: str) -> Outcome:
    """An agent's correction of what a person stands behind waits for a person."""
    held = Pending(
        f"{old.verified_by} stands behind the memory it corrects, so a person decides",
        (_contrary(journal.pen, old, candidate, f"{journal.actor} would correct it: {reason}"),),
    )
    return write_decision(journal, candidate, held, keys)


def _replace(journal: Journal, old: MemoryVersion, candidate: Candidate, keys: list[int], reason: str) -> Outcome:
    neighbours = [one for one in neighbours_of(journal.pen, candidate, keys) if one.memory.memory_id != old.memory_id]
    parts = divide_claims(read_statement(old.content), candidate.statement)
    source = keep_source(journal, candidate)
    memory = first_version(journal, candidate, status=Status.ACTIVE, confidence=candidate.confidence, reason=reason)
    journal.open_version(memory, keys)
    tie_evidence(journal, memory, source, candidate)
    retire_replaced(journal, old, memory, reason=reason, change="correct", status=Status.SUPERSEDED)
    kept = keep_standing(journal, old, parts.kept, reason)
    _bury_replaced(journal, old, candidate, parts, reason)
    contraries = [
        _contrary(journal.pen, one.memory, candidate, one.comparison.reason) for one in choose_contraries(neighbours)
    ]
    conflicts = open_conflicts(journal, memory, contraries)
    entry = journal.finish(
        "superseded",
        target=memory.memory_id,
        scope=memory.scope,
        reason=reason,
        replaced=old.memory_id,
        kept=[one.memory_id for one in kept],
        conflicts=conflicts,
        notes=candidate.notes,
    )
    return Outcome(
        outcome="superseded",
        memory=memory,
        reason=reason,
        notes=candidate.notes,
        conflicts=tuple(conflicts),
        kept=tuple(kept),
        seq=entry.seq,
    )


def _bury_replaced(journal: Journal, old: MemoryVersion, candidate: Candidate, parts: Parts, reason: str) -> None:
    """Reject the old wording and the claims that were replaced; what the correction says or leaves alone is not."""
    held = {claim.key for claim in read_statement(old.content).claims}
    said = {claim.key for claim in candidate.statement.claims}
    if not held <= said or not held:
        bury(journal, old, reason=reason, spare=(held - {claim.key for claim in parts.replaced}) | said)


def retire_replaced(
    journal: Journal, old: MemoryVersion, new: MemoryVersion, *, reason: str, change: str, status: Status
) -> MemoryVersion:
    """Take a memory out of use because another took its place, and say which."""
    link_once(journal, new, old.memory_id, "supersedes", reason)
    settle_pending(journal, old, f"replaced by {new.memory_id}")
    return journal.next_version(old, keys_of(journal, old), change=change, reason=reason, status=status.value)


def keep_standing(journal: Journal, old: MemoryVersion, kept: tuple[Claim, ...], reason: str) -> list[MemoryVersion]:
    """The untouched claims of a corrected memory, as memories of their own with the same standing and evidence."""
    standing = []
    for claim in claims_standing(journal.pen, old, kept):
        memory = msgspec.structs.replace(
            old,
            no=journal.pen.next_no(),
            memory_id=journal.fresh_id(),
            version=1,
            seq=journal.seq,
            content=claim.text,
            title=None,
            summary=None,
            created_at=journal.at,
            recorded_from=journal.at,
            change="keep",
            changed_by=journal.actor,
            reason=f"the part of {old.memory_id} that was not corrected",
            salt=None,
            digest=None,
        )
        journal.open_version(memory, keys_of(journal, memory))
        carry_evidence(journal, old, memory)
        link_once(journal, memory, old.memory_id, "derived_from", reason)
        standing.append(memory)
    return standing
