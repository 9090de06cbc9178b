"""Taking in what an extractor found: each statement through the gate, into the inbox, tied to its source.

A second look at the same source changes nothing: what rests on it already is known, what was rejected stays so, and
neither is written down again.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import msgspec

from heldtrue.domain.decision import Corroborated, Refreshed, Refused
from heldtrue.domain.extracted import Extracted
from heldtrue.domain.memory import Kind, MemoryVersion, Status, Strength, Visibility
from heldtrue.domain.records import Source, SourceKind
from heldtrue.ingest.burial import find_stones
from heldtrue.ingest.candidate import Candidate, Proposal, prepare_candidate
from heldtrue.ingest.consolidating import EXTRACTED, archive, unarchive
from heldtrue.ingest.decide import (
    FACTUAL_MIN,
    OPINION_KINDS,
    USEFUL_MIN,
    authorise_write,
    refuse_buried,
    refuse_quarantined,
)
from heldtrue.ingest.evidence import find_source, quarantine_of
from heldtrue.ingest.journal import Journal, Pen, is_live
from heldtrue.ingest.learn import ConflictRule, candidate_keys, compare_and_decide, write_decision
from heldtrue.ingest.outcome import Outcome

ACTION = "memory.extract"
INGEST = "memory.ingest"
GONE = "its document is gone"


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """One statement that was found, how the gate scored it, and what became of it."""

    source: str
    text: str
    kind: Kind
    strength: Strength
    start: int
    end: int
    rationale: str | None = None
    factual: float
    """From opinion (0) to fact (1)."""
    useful: float
    """From chatter (0) to what is worth keeping (1)."""
    conflict: float
    """1 where it contradicts what is held."""
    outcome: str
    """held, corroborated, refreshed, known or refused."""
    reason: str
    memory: str | None = None
    found_because: str = ""
    entry: int | None = None
    """The ledger entry it was written with, if it was."""


def propose_extracted(found: Extracted, source: Source, *, project: str | None) -> Candidate:
    """A statement made ready for the gate; nothing about it depends on what is held."""
    proposal = Proposal(
        content=found.text,
        kind=found.kind,
        rationale=found.rationale,
        scope=source.scope,
        project=project,
        visibility=Visibility(source.visibility or Visibility.LOCAL),
        topic=found.topic,
        category=found.category,
        strength=found.strength,
        source=_reference(found, source),
        source_kind=SourceKind(source.kind),
        source_id=source.id,
        span=(found.start, found.end),
        valid_from=found.valid_from,
        valid_to=found.valid_to,
        sentiment=found.tone,
        observed_at=source.recorded_at if source.occurred_at is None else source.occurred_at,
        hold_because=EXTRACTED,
        vouched=False,
    )
    return prepare_candidate(proposal)


def _reference(found: Extracted, source: Source) -> str | None:
    """Where it stands: the file and the line, for what is from a file."""
    if source.reference is None or source.kind != SourceKind.DOCUMENT or "://" in source.reference:
        return source.reference
    line = source.content.count("\n", 0, found.start) + 1
    return f"{source.reference}:{line}"


def take_in(pen: Pen, found: Extracted, candidate: Candidate, rule_for: ConflictRule) -> Taken:
    """Take one statement that was found through the gate."""
    outcome = learn_once(pen, candidate, rule_for, action=ACTION)
    source = candidate.proposal.source_id
    assert source is not None
    return Taken(
        source=source,
        text=candidate.content,
        kind=found.kind,
        strength=found.strength,
        start=found.start,
        end=found.end,
        rationale=found.rationale,
        factual=round(candidate.judgement.factual, 3),
        useful=round(candidate.judgement.useful, 3),
        conflict=1.0 if outcome.conflicts else 0.0,
        outcome=outcome.outcome,
        reason=outcome.reason,
        memory=outcome.memory.memory_id if outcome.memory else None,
        found_because=found.reason,
        entry=outcome.seq if outcome.outcome not in _UNWRITTEN else None,
    )


_UNWRITTEN = ("known", "refused")


def learn_once(pen: Pen, candidate: Candidate, rule_for: ConflictRule, *, action: str) -> Outcome:
    """Take a proposal through the gate that may come again and again from the same source.

    What is refused, or rests on that source already, is told and nothing is written.
    """
    authorise_write(pen.actor, candidate.scope)
    refused = (
        _refuse_unfit(candidate)
        or refuse_buried(find_stones(pen, candidate), pen.actor)
        or refuse_quarantined(quarantine_of(pen, candidate))
    )
    if refused is not None:
        return Outcome(outcome="refused", memory=None, reason=refused.reason, hint=refused.hint, seq=pen.head.seq)
    keys = candidate_keys(pen, candidate)
    decision = compare_and_decide(pen, candidate, keys, rule_for)
    if isinstance(decision, Corroborated | Refreshed) and _rests_on_it(pen, decision.memory, candidate):
        reason = "it was taken from there before"
        return Outcome(outcome="known", memory=decision.memory, reason=reason, seq=pen.head.seq)
    return write_decision(Journal(pen, action), candidate, decision, keys)


def _refuse_unfit(candidate: Candidate) -> Refused | None:
    """The write gate: chatter is no memory, and neither is an opinion that is not somebody's own preference."""
    judgement, kind = candidate.judgement, candidate.proposal.kind
    why = "; ".join(judgement.reasons)
    if judgement.useful < USEFUL_MIN:
        return Refused(f"it is chatter: {why or 'it says nothing lasting'}")
    if kind not in OPINION_KINDS and judgement.factual < FACTUAL_MIN:
        return Refused(f"it is an opinion or a guess: {why}")
    return None


def _rests_on_it(pen: Pen, memory: MemoryVersion, candidate: Candidate) -> bool:
    source = find_source(pen, candidate)
    if source is None:
        return False
    return any(one.id == source.id for _, one in pen.transaction.evidence_of([memory.memory_id]))


def expire_vanished(pen: Pen, source: Source) -> list[Outcome]:
    """Archive what rests on earlier texts of a document alone, now that the document says it no more."""
    older = {one.id for one in pen.transaction.documents_before(source)}
    return _expire(pen, older, "its document no longer says so", action=ACTION)


def expire_gone(pen: Pen, sources: AbstractSet[str]) -> list[Outcome]:
    """Archive what rests on documents alone that are no longer where they were."""
    return _expire(pen, sources, GONE, action=INGEST)


def return_gone(pen: Pen, source_id: str) -> list[Outcome]:
    """Bring back what was archived only because its document was gone: it is there again, word for word."""
    held = pen.transaction.current_versions(pen.transaction.memories_of_source(source_id))
    gone = [one for one in held if one.status == Status.ARCHIVED and one.reason == GONE]
    return [found for one in gone if (found := unarchive(pen, one, "its document is back", action=INGEST)) is not None]


def _expire(pen: Pen, sources: AbstractSet[str], reason: str, *, action: str) -> list[Outcome]:
    resting = {memory_id: None for one in sorted(sources) for memory_id in pen.transaction.memories_of_source(one)}
    held = [memory for one in resting if (memory := pen.transaction.version(one)) is not None]
    return [
        archive(pen, memory, reason, action=action)
        for memory in held
        if is_live(memory) and memory.verified_by is None and _rests_only_on(pen, memory, sources)
    ]


def _rests_only_on(pen: Pen, memory: MemoryVersion, sources: AbstractSet[str]) -> bool:
    return {source.id for _, source in pen.transaction.evidence_of([memory.memory_id])} <= sources


def count_outcomes(taken: Sequence[Taken]) -> dict[str, int]:
    """How many came to what."""
    counts: dict[str, int] = {}
    for one in taken:
        counts[one.outcome] = counts.get(one.outcome, 0) + 1
    return dict(sorted(counts.items()))
