"""The extracted lane: statements found in captured text pass the gate into the inbox, linked to their source.

A second look at the same source changes nothing: what rests on it already is known, what was rejected stays so, and
neither is written down again.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import msgspec

from heldtrue.domain.cause import ArchiveCause, PendingCause, PendingReason, RefusalCause
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.erasure import ERASED
from heldtrue.domain.extracted import Extracted
from heldtrue.domain.memory import Kind, MemoryVersion, Status, Strength, Visibility
from heldtrue.domain.records import Source, SourceKind
from heldtrue.ingest.acts.learn import learn
from heldtrue.ingest.acts.maintenance import archive, unarchive
from heldtrue.ingest.gate import EXTRACTED, ConflictRule
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ingest.stages.candidate import Candidate, Proposal, prepare_candidate
from heldtrue.ingest.stages.evidence import SourceDraft, add_source
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.keys import lookup_key
from heldtrue.ingest.stages.tombstones import judge_source

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


def propose_extracted(statement: Extracted, source: Source, *, project: str | None) -> Candidate:
    """A statement prepared for the gate; it does not depend on existing memories."""
    proposal = Proposal(
        content=statement.text,
        kind=statement.kind,
        rationale=statement.rationale,
        scope=source.scope,
        project=project,
        visibility=Visibility(source.visibility or Visibility.LOCAL),
        topic=statement.topic,
        category=statement.category,
        strength=statement.strength,
        source=_reference(statement, source),
        source_kind=SourceKind(source.kind),
        source_id=source.id,
        span=(statement.start, statement.end),
        valid_from=statement.valid_from,
        valid_to=statement.valid_to,
        sentiment=statement.tone,
        observed_at=source.recorded_at if source.occurred_at is None else source.occurred_at,
        hold_because=_WAITS,
    )
    return prepare_candidate(proposal)


def _reference(statement: Extracted, source: Source) -> str | None:
    """Where it stands: the file and the line, for what is from a file."""
    if source.reference is None or source.kind != SourceKind.DOCUMENT or "://" in source.reference:
        return source.reference
    line = source.content.count("\n", 0, statement.start) + 1
    return f"{source.reference}:{line}"


def take_in(session: WriteSession, statement: Extracted, candidate: Candidate, rule_for: ConflictRule) -> Taken:
    """Pass one extracted statement through the gate."""
    outcome = learn(session, candidate, rule_for, lane=EXTRACTED, action=ACTION)
    source = candidate.proposal.source_id
    assert source is not None
    return Taken(
        source=source,
        text=ERASED if outcome.cause is RefusalCause.ERASED_BEFORE else candidate.content,
        kind=statement.kind,
        strength=statement.strength,
        start=statement.start,
        end=statement.end,
        rationale=statement.rationale,
        factual=round(candidate.factual, 3),
        useful=round(candidate.useful, 3),
        conflict=1.0 if outcome.conflicts else 0.0,
        outcome=outcome.outcome,
        reason=outcome.reason,
        memory=outcome.memory.memory_id if outcome.memory else None,
        found_because=statement.reason,
        entry=None if outcome.outcome in _UNWRITTEN else outcome.seq,
    )


_UNWRITTEN = (OutcomeKind.KNOWN, OutcomeKind.REFUSED)


def count_outcomes(outcomes: Sequence[Taken]) -> dict[str, int]:
    """The number of statements by outcome."""
    counts: dict[str, int] = {}
    for statement in outcomes:
        counts[statement.outcome.value] = counts.get(statement.outcome.value, 0) + 1
    return dict(sorted(counts.items()))


# Documents that change or vanish


def expire_vanished(session: WriteSession, source: Source) -> list[Outcome]:
    """Archive memories whose only evidence is an earlier text of a document that no longer says them."""
    older = {earlier.id for earlier in session.transaction.sources.documents_before(source)}
    return _expire(session, older, ArchiveCause.DOCUMENT_CHANGED, "its document no longer says this", action=ACTION)


def withdraw_document(session: WriteSession, newest: Source) -> None:
    """Record that a document no longer exists: its newest text is empty, so that none of its passages is found."""
    builder = EntryBuilder(session, INGEST)
    position = builder.transaction.sources.thread_length(newest.thread or "", newest.scope, newest.privacy)
    source_id = builder.fresh_id()
    draft = SourceDraft(
        kind=SourceKind.DOCUMENT,
        content="",
        reference=newest.reference,
        scope=newest.scope,
        occurred_at=None,
        lookup_key=lookup_key(session.space.key, "gone", source_id),
        title=newest.title,
        thread=newest.thread,
        position=position,
        visibility=Visibility(newest.visibility or Visibility.LOCAL),
    )
    withdrawn = add_source(builder, draft, source_id)
    for earlier in builder.transaction.sources.documents_before(withdrawn):
        judge_source(builder.transaction, earlier.id)
    reason = "its document no longer exists"
    builder.finish(
        OutcomeKind.ARCHIVED, target=withdrawn.id, scope=withdrawn.scope, reason=reason, thread=newest.thread
    )


def expire_gone(session: WriteSession, sources: AbstractSet[str]) -> list[Outcome]:
    """Archive memories whose only evidence is documents that no longer exist."""
    return _expire(session, sources, ArchiveCause.DOCUMENT_GONE, "its document no longer exists", action=INGEST)


def _has_gone(memory: MemoryVersion) -> bool:
    """Whether a memory was archived because its document no longer existed."""
    return memory.status == Status.ARCHIVED and memory.cause == ArchiveCause.DOCUMENT_GONE


def find_gone(reading: IngestReadTransaction, source: Source) -> list[MemoryVersion]:
    """The memories that were archived because their document was missing, which has the same text again."""
    texts = [earlier.id for earlier in reading.sources.documents_before(source) if earlier.content == source.content]
    resting = {memory_id for source_id in texts for memory_id in reading.sources.memories_of(source_id)}
    return [memory for memory in reading.memories.current_versions(sorted(resting)) if _has_gone(memory)]


def return_gone(session: WriteSession, source: Source) -> list[Outcome]:
    """Restore memories that were archived only because their document was missing; it exists again, unchanged."""
    reason = "its document exists again"
    returned = [
        unarchive(session, memory, reason, action=INGEST, source=source)
        for memory in find_gone(session.transaction, source)
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
