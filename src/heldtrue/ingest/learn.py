"""Learning: what becomes of a candidate, decided and written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from heldtrue.domain.decision import Corroborated, Created, Decision, Pending, Refreshed, Refused, Superseded
from heldtrue.domain.memory import CONTRADICTION_LOSS, REFRESH_GAIN, Kind, MemoryVersion, Status, adjust_confidence
from heldtrue.domain.principal import Principal
from heldtrue.domain.records import Disposition
from heldtrue.ingest.burial import find_stones, lift_stones, liftable
from heldtrue.ingest.candidate import Candidate
from heldtrue.ingest.conflicts import keys_of, link_once, open_conflicts
from heldtrue.ingest.decide import (
    authorise_write,
    decide_learn,
    reason_to_hold,
    refuse_buried,
    refuse_chatter,
    refuse_quarantined,
    strictest,
)
from heldtrue.ingest.evidence import keep_source, quarantine_of, tie_evidence
from heldtrue.ingest.journal import Journal, Pen
from heldtrue.ingest.keys import index_keys, pair_key
from heldtrue.ingest.match import Neighbour, choose_contraries, choose_equal, find_neighbours
from heldtrue.ingest.outcome import Outcome
from heldtrue.language.tone import NEUTRAL

ConflictRule = Callable[[str], str]
"""From a scope to `wait`, `refuse` or `coexist`."""


def learn(
    pen: Pen,
    candidate: Candidate,
    rule_for: ConflictRule,
    *,
    memory_id: str | None = None,
    keys: list[int] | None = None,
    is_unburied: bool = False,
) -> Outcome:
    """Take a candidate through the gate and write what was decided, with its reason.

    Its keys, and that no tombstone stands in its way, may be known already, as of this transaction.
    """
    authorise_write(pen.actor, candidate.scope)
    stones = [] if is_unburied else find_stones(pen, candidate)
    lifted = liftable(stones, pen.actor) if candidate.proposal.vouched else []
    decision: Decision | None = (
        refuse_buried(stones if not lifted else (), pen.actor)
        or refuse_quarantined(quarantine_of(pen, candidate))
        or refuse_chatter(candidate, pen.actor)
    )
    keys = candidate_keys(pen, candidate) if keys is None else keys
    decision = decision or compare_and_decide(pen, candidate, keys, rule_for)
    journal = Journal(pen, "memory.learn")
    if lifted:
        lift_stones(journal, lifted, reason="a person says so")
    return write_decision(journal, candidate, decision, keys, memory_id=memory_id)


def compare_and_decide(pen: Pen, candidate: Candidate, keys: list[int], rule_for: ConflictRule) -> Decision:
    """What a candidate is to what is held, and so what becomes of it."""
    on_conflict = strictest(candidate.proposal.on_conflict, rule_for(candidate.scope), pen.actor)
    neighbours = neighbours_of(pen, candidate, keys)
    contraries = choose_contraries(neighbours)
    pair_keys = [pair_key(pen.space.key, candidate.statement, one.statement) for one in contraries]
    equal = choose_equal(neighbours)
    is_known = equal is not None and pen.transaction.has_evidence_by(equal.memory.memory_id, pen.actor.id)
    settled = frozenset(key for key in pair_keys if _is_let_stand(pen, key, candidate.scope))
    return decide_learn(
        candidate,
        pen.actor,
        neighbours,
        settled=settled,
        pair_keys=pair_keys,
        known_authors=frozenset((pen.actor.id,)) if is_known else frozenset(),
        on_conflict=on_conflict,
    )


def _is_let_stand(pen: Pen, pair: int, scope: str) -> bool:
    """Whether a person said of two values that both may stand in a scope."""
    found = pen.conflicts.get(pair)
    if found is None:
        found = pen.transaction.conflicts_by_pairs([pair])
    return any(one.disposition == Disposition.KEEP_BOTH and one.scope == scope for one in found)


def candidate_keys(pen: Pen, candidate: Candidate) -> list[int]:
    """The keys under which a candidate would be indexed."""
    return keys_in_space(pen.space.key, candidate, pen.actor)


def keys_in_space(space_key: bytes, candidate: Candidate, actor: Principal) -> list[int]:
    return index_keys(space_key, candidate.statement, scope=candidate.scope, private_to=candidate.private_to(actor))


def neighbours_of(pen: Pen, candidate: Candidate, keys: list[int]) -> list[Neighbour]:
    """The live memories of the candidate's scope that it may be compared with."""
    held = pen.neighbourhood.find(keys)
    if not held:
        return []
    private_to = candidate.private_to(pen.actor)
    return find_neighbours(
        candidate.statement,
        held,
        scope=candidate.scope,
        private_to=private_to,
        verdicts=pen.neighbourhood.verdicts,
    )


def write_decision(
    journal: Journal, candidate: Candidate, decision: Decision, keys: list[int], *, memory_id: str | None = None
) -> Outcome:
    """Carry out a decision in one ledger entry."""
    match decision:
        case Refused():
            return _write_refusal(journal, candidate, decision)
        case Created() | Pending():
            return _write_new(journal, candidate, decision, keys, memory_id)
        case Superseded():
            return _write_successor(journal, candidate, decision, keys, memory_id)
        case Refreshed() | Corroborated():
            return _write_merge(journal, candidate, decision, keys)


def _write_refusal(journal: Journal, candidate: Candidate, decision: Refused) -> Outcome:
    entry = journal.finish(
        "refused", target=decision.memory_id, scope=candidate.scope, reason=decision.reason, notes=candidate.notes
    )
    return Outcome(
        outcome="refused", memory=None, reason=decision.reason, hint=decision.hint, notes=candidate.notes, seq=entry.seq
    )


def first_version(
    journal: Journal,
    candidate: Candidate,
    *,
    status: Status,
    confidence: float,
    reason: str | None,
    memory_id: str | None = None,
) -> MemoryVersion:
    """The first version of a memory, as the candidate says and the gate allows."""
    proposal, pen = candidate.proposal, journal.pen
    return MemoryVersion(
        no=pen.next_no(),
        memory_id=memory_id or journal.fresh_id(),
        version=1,
        seq=journal.seq,
        kind=proposal.kind.value,
        title=candidate.title,
        content=candidate.content,
        summary=candidate.summary,
        rationale=candidate.rationale,
        scope=candidate.scope,
        project_id=candidate.project_id,
        repo_id=candidate.repo_id,
        visibility=proposal.visibility.value,
        status=status.value,
        confidence=confidence,
        strength=proposal.strength.value,
        topic=candidate.topic,
        category=candidate.category,
        staleness=proposal.staleness.value,
        author=journal.actor,
        verified_by=journal.actor if pen.actor.is_person and proposal.vouched and status is Status.ACTIVE else None,
        valid_from=proposal.valid_from,
        valid_to=proposal.valid_to,
        observed_at=journal.at if proposal.observed_at is None else proposal.observed_at,
        created_at=journal.at,
        recorded_from=journal.at,
        change=journal.action.removeprefix("memory."),
        changed_by=journal.actor,
        reason=reason,
        sentiment=None if candidate.tone == NEUTRAL else candidate.tone,
    )


def _write_new(
    journal: Journal, candidate: Candidate, decision: Created | Pending, keys: list[int], memory_id: str | None
) -> Outcome:
    status = Status.ACTIVE if isinstance(decision, Created) else Status.INBOX
    weaker = any(contrary.weaker_is_new for contrary in decision.contraries)
    confidence = adjust_confidence(candidate.confidence, -CONTRADICTION_LOSS if weaker else 0.0)
    source = keep_source(journal, candidate)
    # Why a new memory counts is in its ledger entry; why it does not, it says itself.
    why = decision.reason if isinstance(decision, Pending) or decision.contraries else None
    memory = first_version(journal, candidate, status=status, confidence=confidence, reason=why, memory_id=memory_id)
    journal.open_version(memory, keys, candidate.words)
    tie_evidence(journal, memory, source, candidate)
    conflicts = open_conflicts(journal, memory, decision.contraries)
    outcome = "created" if isinstance(decision, Created) else "pending"
    entry = journal.finish(
        outcome,
        target=memory.memory_id,
        scope=memory.scope,
        reason=decision.reason,
        conflicts=conflicts,
        notes=candidate.notes,
    )
    return Outcome(
        outcome=outcome,
        memory=memory,
        reason=decision.reason,
        hint=_hint_to_correct(journal, decision),
        notes=candidate.notes,
        conflicts=tuple(conflicts),
        seq=entry.seq,
    )


def _write_successor(
    journal: Journal, candidate: Candidate, decision: Superseded, keys: list[int], memory_id: str | None
) -> Outcome:
    """The older fact was true in its time: it keeps its standing and gets an end."""
    starts = candidate.proposal.valid_from
    source = keep_source(journal, candidate)
    memory = first_version(
        journal,
        candidate,
        status=Status.ACTIVE,
        confidence=candidate.confidence,
        reason=decision.reason,
        memory_id=memory_id,
    )
    journal.open_version(memory, keys, candidate.words)
    tie_evidence(journal, memory, source, candidate)
    journal.next_version(
        decision.memory,
        keys_of(journal, decision.memory),
        change="end",
        reason=decision.reason,
        valid_to=starts,
    )
    link_once(journal, memory, decision.memory.memory_id, "supersedes", decision.reason)
    entry = journal.finish(
        "superseded",
        target=memory.memory_id,
        scope=memory.scope,
        reason=decision.reason,
        replaced=decision.memory.memory_id,
        notes=candidate.notes,
    )
    return Outcome(outcome="superseded", memory=memory, reason=decision.reason, notes=candidate.notes, seq=entry.seq)


def _write_merge(
    journal: Journal, candidate: Candidate, decision: Refreshed | Corroborated, keys: list[int]
) -> Outcome:
    old = decision.memory
    source = keep_source(journal, candidate)
    if isinstance(decision, Refreshed):
        outcome, gain = "refreshed", REFRESH_GAIN
        changes = {"content": candidate.content, "observed_at": journal.at} | _given_anew(candidate)
    else:
        outcome, gain, changes, keys = "corroborated", decision.gain, {}, keys_of(journal, old)
    why = decision.reason
    if isinstance(decision, Refreshed) and candidate.proposal.vouched and old.status == Status.INBOX:
        # Said again with what it lacked, it passes the gate as it would if it were new.
        lacks = _still_waits(journal, candidate, old)
        why, changes["status"] = (lacks, old.status) if lacks else (why, Status.ACTIVE.value)
    if journal.pen.actor.is_person and candidate.proposal.vouched:
        if old.verified_by is None:
            # The person stands behind the person's own words, not behind what an agent put around them.
            own = {name: getattr(candidate, name) for name in ("content", "title", "summary", "rationale")}
            changes, keys = own | {"observed_at": journal.at}, candidate_keys(journal.pen, candidate)
        changes["verified_by"] = journal.actor
        # A person saying it in so many words is the confirmation an inbox item waits for.
        if old.status == Status.INBOX and not _still_waits(journal, candidate, old):
            changes["status"] = Status.ACTIVE.value
    memory = journal.next_version(
        old, keys, change=outcome, reason=why, confidence=adjust_confidence(old.confidence, gain), **changes
    )
    tie_evidence(journal, memory, source, candidate)
    entry = journal.finish(
        outcome,
        target=memory.memory_id,
        scope=memory.scope,
        reason=why,
        notes=candidate.notes,
        merged={"from": candidate.content, "into": old.content} if candidate.content != old.content else None,
    )
    return Outcome(outcome=outcome, memory=memory, reason=why, notes=candidate.notes, seq=entry.seq)


def _hint_to_correct(journal: Journal, decision: Created | Pending) -> str | None:
    """A person whose own statement waits is told the shorter way."""
    if not (journal.pen.actor.is_person and isinstance(decision, Pending) and decision.contraries):
        return None
    old = decision.contraries[0].memory.memory_id
    return f"if it has changed, correct what is held: `correct` {old}, with what is right and a `reason`"


def _given_anew(candidate: Candidate) -> dict[str, Any]:
    """What the author of a memory filed it under this time, where that was said."""
    given = {name: getattr(candidate, name) for name in ("title", "summary", "rationale", "topic", "category")}
    return {name: value for name, value in given.items() if value is not None}


def _still_waits(journal: Journal, candidate: Candidate, old: MemoryVersion) -> str | None:
    """Why a memory in the inbox must go on waiting although it was said again; none where it need not."""
    if any(one.recorded_to is None for one in journal.transaction.conflicts_of([old.memory_id])):
        return "it contradicts what is held, which a person has to settle"
    known = [one.reference for _, one in journal.transaction.evidence_of([old.memory_id]) if one.reference]
    whole = msgspec.structs.replace(
        candidate,
        rationale=candidate.rationale or old.rationale,
        reference=candidate.reference or (known[0] if known else None),
        proposal=msgspec.structs.replace(candidate.proposal, kind=Kind(old.kind), hold_because=None),
    )
    return reason_to_hold(whole, journal.pen.actor)
