"""Evidence: the source a memory rests on, stored once, and tied to the version it supports."""

from __future__ import annotations

import hashlib

from heldtrue.domain.limits import NAME_CHARS_MAX
from heldtrue.domain.memory import MemoryVersion, Visibility
from heldtrue.domain.privacy import Privacy
from heldtrue.domain.records import Evidence, Quarantine, Source
from heldtrue.ingest.candidate import Candidate
from heldtrue.ingest.journal import Journal, Pen
from heldtrue.ingest.keys import lookup_key
from heldtrue.ingest.passages import index_source

_NAME_KEPT = 160
"""Characters of a long reference that the name of its thread repeats."""


def keep_source(journal: Journal, candidate: Candidate) -> Source:
    """The raw material of a candidate; the same material by the same author again is the same source.

    A passage that was handed in with a memory can be found on its own.
    """
    present = find_source(journal.pen, candidate)
    if present is not None:
        return present
    proposal, source_id = candidate.proposal, journal.fresh_id()
    thread = _thread_of(candidate, source_id)
    privacy = Privacy.of(proposal.visibility, journal.actor)
    source = Source(
        id=source_id,
        seq=journal.seq,
        kind=proposal.source_kind.value,
        content=candidate.evidence_text,
        content_type="text/plain",
        reference=candidate.reference,
        author=journal.actor,
        scope=candidate.scope,
        occurred_at=proposal.observed_at,
        recorded_at=journal.at,
        lookup_key=_candidate_key(journal.pen, candidate),
        thread=thread,
        place=journal.transaction.thread_length(thread, candidate.scope, privacy) if thread else None,
        visibility=proposal.visibility.value if thread else None,
    )
    journal.insert(source)
    index_source(journal.transaction, source, candidate.cuts)
    return source


def _thread_of(candidate: Candidate, source_id: str) -> str | None:
    if candidate.proposal.source_text is None:
        return None
    return name_thread(candidate.reference) or source_id


def name_thread(reference: str | None) -> str | None:
    """The thread of what comes from a place: the place itself, if that is short enough for a name."""
    if reference is None or len(reference) <= NAME_CHARS_MAX:
        return reference
    return f"{reference[:_NAME_KEPT]}…{hashlib.sha256(reference.encode()).hexdigest()[:16]}"


def find_source(pen: Pen, candidate: Candidate) -> Source | None:
    """The source of a candidate, if it was handed in before."""
    if candidate.proposal.source_id is not None:
        return pen.transaction.source(candidate.proposal.source_id)
    present = pen.transaction.source_by_lookup(_candidate_key(pen, candidate))
    return present if present is not None and present.content == candidate.evidence_text else None


def _candidate_key(pen: Pen, candidate: Candidate) -> int:
    place = (pen.actor.id, candidate.scope)
    if candidate.proposal.source_text is not None:
        visibility = candidate.proposal.visibility
        return evidence_key(pen.space.key, *place, visibility, candidate.reference or "", candidate.evidence_text)
    return lookup_key(pen.space.key, "source", *place, candidate.reference or "", candidate.evidence_text)


def evidence_key(
    space_key: bytes, author: str, scope: str, visibility: Visibility, reference: str, content: str
) -> int:
    """The key of a source that can be found: the same material for the same readers is the same source."""
    readers = "private" if visibility is Visibility.PRIVATE else ""
    return lookup_key(space_key, "evidence", author, scope, readers, reference, content)


def quarantine_of(pen: Pen, candidate: Candidate) -> Quarantine | None:
    """The quarantine that an agent's source is in; a person who quotes one may know better."""
    if pen.actor.is_person:
        return None
    source = find_source(pen, candidate)
    return pen.transaction.open_quarantine(source.id) if source is not None else None


def tie_evidence(journal: Journal, memory: MemoryVersion, source: Source, candidate: Candidate) -> None:
    """Say that a version of a memory rests on a source."""
    start, end = candidate.proposal.span or _find_span(source, candidate)
    journal.insert(
        Evidence(
            memory_id=memory.memory_id,
            version=memory.version,
            source_id=source.id,
            seq=journal.seq,
            author=journal.actor,
            file=candidate.file,
            line=candidate.line,
            span_start=start,
            span_end=end,
            recorded_at=journal.at,
        )
    )


def _find_span(source: Source, candidate: Candidate) -> tuple[int | None, int | None]:
    """Where a source says it in the same words; nowhere in particular where it says nothing else."""
    start = source.content.find(candidate.content)
    if start < 0 or source.content == candidate.content:
        return None, None
    return start, start + len(candidate.content)


def carry_evidence(journal: Journal, old: MemoryVersion, new: MemoryVersion) -> None:
    """A memory cut from another rests on the same sources."""
    rows = journal.transaction.evidence_of([old.memory_id])
    for source_id, (evidence, source) in {source.id: (evidence, source) for evidence, source in rows}.items():
        journal.insert(
            Evidence(
                memory_id=new.memory_id,
                version=new.version,
                source_id=source_id,
                seq=journal.seq,
                author=source.author,
                file=evidence.file,
                line=evidence.line,
                span_start=None,
                span_end=None,
                recorded_at=journal.at,
            )
        )
