"""Taking over memories from another space: each one proposed at the gate, the rejected ones staying rejected."""

from __future__ import annotations

from collections.abc import Sequence

from heldtrue.domain.memory import Kind, MemoryVersion, Staleness, Status, Strength, Visibility
from heldtrue.domain.records import SourceKind, Tombstone
from heldtrue.ingest.burial import lay_stone
from heldtrue.ingest.candidate import Proposal, prepare_candidate
from heldtrue.ingest.conflicts import keys_of, settle_pending
from heldtrue.ingest.evidence import keep_source, tie_evidence
from heldtrue.ingest.journal import Journal, Pen, is_live
from heldtrue.ingest.learn import ConflictRule, candidate_keys, first_version, learn, neighbours_of
from heldtrue.ingest.match import choose_equal
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.passages import judge_evidence


def adopt_memory(
    pen: Pen, foreign: MemoryVersion, stones: Sequence[Tombstone], space_id: str, rule_for: ConflictRule
) -> Outcome:
    """Propose a foreign memory as what it is there: a live one as a candidate, another as closed history."""
    present = pen.transaction.version(foreign.memory_id)
    if present is not None:
        return _follow(pen, present, foreign, stones)
    candidate = prepare_candidate(_as_proposal(foreign, space_id))
    if foreign.status in (Status.ACTIVE, Status.INBOX):
        return learn(pen, candidate, rule_for, memory_id=foreign.memory_id)
    keys = candidate_keys(pen, candidate)
    if choose_equal(neighbours_of(pen, candidate, keys)) is not None:
        return _leave(pen, "unchanged", None, f"it is {foreign.status} there, but held here")
    journal = Journal(pen, "memory.import")
    reason = foreign.reason or f"it was {foreign.status} where it came from"
    source = keep_source(journal, candidate)
    memory = first_version(
        journal,
        candidate,
        status=Status(foreign.status),
        confidence=foreign.confidence,
        reason=reason,
        memory_id=foreign.memory_id,
    )
    journal.open_version(memory, keys)
    tie_evidence(journal, memory, source, candidate)
    _lay_alike(journal, memory, stones)
    entry = journal.finish(foreign.status, target=memory.memory_id, scope=memory.scope, reason=reason)
    return Outcome(outcome=foreign.status, memory=memory, reason=reason, seq=entry.seq)


def _follow(pen: Pen, present: MemoryVersion, foreign: MemoryVersion, stones: Sequence[Tombstone]) -> Outcome:
    """A memory that is here too: what was done away with there is done away with here."""
    if not is_live(present) or is_live(foreign) or foreign.version <= present.version:
        return _leave(pen, "unchanged", present, "it is here already")
    journal = Journal(pen, "memory.import")
    reason = foreign.reason or f"it was {foreign.status} where it came from"
    settle_pending(journal, present, reason)
    retired = journal.next_version(
        present, keys_of(journal, present), change="import", reason=reason, status=foreign.status
    )
    _lay_alike(journal, present, stones)
    entry = journal.finish(foreign.status, target=present.memory_id, scope=present.scope, reason=reason)
    return Outcome(outcome=foreign.status, memory=retired, reason=reason, seq=entry.seq)


def _lay_alike(journal: Journal, memory: MemoryVersion, stones: Sequence[Tombstone]) -> None:
    """Reject here what is rejected there."""
    laid = [lay_stone(journal, memory, stone.grain, stone.value, reason=stone.reason) for stone in stones]
    judge_evidence(journal.transaction, laid)


def _leave(pen: Pen, outcome: str, memory: MemoryVersion | None, reason: str) -> Outcome:
    return Outcome(outcome=outcome, memory=memory, reason=reason, seq=pen.head.seq)


def _as_proposal(foreign: MemoryVersion, space_id: str) -> Proposal:
    return Proposal(
        content=foreign.content,
        kind=Kind(foreign.kind),
        title=foreign.title,
        summary=foreign.summary,
        rationale=foreign.rationale,
        scope=foreign.scope,
        project=foreign.project_id,
        visibility=Visibility(foreign.visibility),
        topic=foreign.topic,
        category=foreign.category,
        staleness=Staleness(foreign.staleness),
        strength=Strength(foreign.strength),
        confidence=foreign.confidence,
        source=f"space {space_id}, {foreign.memory_id}, said by {foreign.author}",
        source_kind=SourceKind.IMPORT,
        valid_from=foreign.valid_from,
        valid_to=foreign.valid_to,
        observed_at=foreign.observed_at,
        hold_because="it waited for a person where it came from" if foreign.status == Status.INBOX else None,
        vouched=False,
    )
