"""The extracted lane: statements found in captured text pass the gate into the inbox, linked to their source.

A second look at the same source changes nothing: what rests on it already is known, what was rejected stays so, and
neither is written down again.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import msgspec

from heldtrue.domain.cause import ArchiveCause, PendingCause, PendingReason
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.extracted import Extracted
from heldtrue.domain.memory import Kind, MemoryVersion, Status, Strength, Visibility
from heldtrue.domain.records import Source, SourceKind
from heldtrue.ingest.acts.learn import learn
from heldtrue.ingest.acts.maintenance import archive, unarchive
from heldtrue.ingest.gate import EXTRACTED, ConflictRule
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.stages.candidate import Candidate, Proposal, prepare_candidate
from heldtrue.ingest.stages.journal import WriteSession

ACTION = "memory.extract"
INGEST = "memory.ingest"
_WAITS = PendingReason(PendingCause.EXTRACTED, "extracted; waiting for confirmation")
IMPORTED_ELSEWHERE = PendingReason(PendingCause.IMPORTED, "imported; waiting for confirmation")
"""Why a memory from another product is pending."""


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """One extracted statement, its scores at the gate, and its outcome."""

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
    """From chatter (0) to worth storing (1)."""
    conflict: float
    """1 if it contradicts an existing memory."""
    outcome: OutcomeKind
    """pending, corroborated, refreshed, known or refused."""
    reason: str
    memory: str | None = None
    found_because: str = ""
    entry: int | None = None
    """The ledger entry it was written with, if it was."""


def propose_extracted(found: Extracted, source: Source, *, project: str | None) -> Candidate:
    """A statement prepared for the gate; it does not depend on existing memories."""
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
        hold_because=_WAITS,
    )
    return prepare_candidate(proposal)


def _reference(found: Extracted, source: Source) -> str | None:
    """Where it stands: the file and the line, for what is from a file."""
    if source.reference is None or source.kind != SourceKind.DOCUMENT or "://" in source.reference:
        return source.reference
    line = source.content.count("\n", 0, found.start) + 1
    return f"{source.reference}:{line}"


def take_in(session: WriteSession, found: Extracted, candidate: Candidate, rule_for: ConflictRule) -> Taken:
    """Pass one extracted statement through the gate."""
    outcome = learn(session, candidate, rule_for, lane=EXTRACTED, action=ACTION)
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
        entry=None if outcome.outcome in _UNWRITTEN else outcome.seq,
    )


_UNWRITTEN = (OutcomeKind.KNOWN, OutcomeKind.REFUSED)


def count_outcomes(taken: Sequence[Taken]) -> dict[str, int]:
    """The number of statements by outcome."""
    counts: dict[str, int] = {}
    for statement in taken:
        counts[statement.outcome.value] = counts.get(statement.outcome.value, 0) + 1
    return dict(sorted(counts.items()))


# Documents that change or vanish


def expire_vanished(session: WriteSession, source: Source) -> list[Outcome]:
    """Archive memories whose only evidence is an earlier text of a document that no longer says them."""
    older = {earlier.id for earlier in session.transaction.sources.documents_before(source)}
    return _expire(session, older, ArchiveCause.DOCUMENT_CHANGED, "its document no longer says this", action=ACTION)


def expire_gone(session: WriteSession, sources: AbstractSet[str]) -> list[Outcome]:
    """Archive memories whose only evidence is documents that no longer exist."""
    return _expire(session, sources, ArchiveCause.DOCUMENT_GONE, "its document no longer exists", action=INGEST)


def has_gone(memory: MemoryVersion) -> bool:
    """Whether a memory was archived because its document no longer existed."""
    return memory.status == Status.ARCHIVED and memory.cause == ArchiveCause.DOCUMENT_GONE


def return_gone(session: WriteSession, source_id: str) -> list[Outcome]:
    """Restore memories that were archived only because their document was missing; it exists again, unchanged."""
    held = session.transaction.memories.current_versions(session.transaction.sources.memories_of(source_id))
    returned = [
        unarchive(session, memory, "its document exists again", action=INGEST) for memory in held if has_gone(memory)
    ]
    return [outcome for outcome in returned if outcome is not None]


def _expire(
    session: WriteSession, sources: AbstractSet[str], cause: ArchiveCause, reason: str, *, action: str
) -> list[Outcome]:
    reading = session.transaction
    resting = {memory_id: None for source_id in sorted(sources) for memory_id in reading.sources.memories_of(source_id)}
    held = [memory for memory_id in resting if (memory := reading.memories.version(memory_id)) is not None]
    return [
        archive(session, memory, cause, reason, action=action)
        for memory in held
        if memory.is_live and memory.verified_by is None and _rests_only_on(session, memory, sources)
    ]


def _rests_only_on(session: WriteSession, memory: MemoryVersion, sources: AbstractSet[str]) -> bool:
    return {source.id for _, source in session.transaction.records.evidence_of([memory.memory_id])} <= sources
