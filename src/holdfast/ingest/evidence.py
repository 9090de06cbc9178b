"""Evidence: the source a memory rests on, stored once, and tied to the version it supports."""

from __future__ import annotations

from holdfast.domain.memory import MemoryVersion
from holdfast.domain.records import Evidence, Source
from holdfast.ingest.candidate import Candidate
from holdfast.ingest.journal import Journal
from holdfast.ingest.keys import lookup_key


def keep_source(journal: Journal, candidate: Candidate) -> Source:
    """The raw material of a candidate; the same material by the same author again is the same source."""
    reference = candidate.reference or ""
    parts = ("source", journal.actor, candidate.scope, reference, candidate.evidence_text)
    key = lookup_key(journal.pen.space.key, *parts)
    present = journal.transaction.source_by_lookup(key)
    if present is not None and present.content == candidate.evidence_text:
        return present
    source = Source(
        id=journal.fresh_id(),
        seq=journal.seq,
        kind=candidate.proposal.source_kind.value,
        content=candidate.evidence_text,
        content_type="text/plain",
        reference=candidate.reference,
        author=journal.actor,
        scope=candidate.scope,
        occurred_at=candidate.proposal.observed_at,
        recorded_at=journal.at,
        lookup_key=key,
    )
    return journal.insert(source)


def tie_evidence(journal: Journal, memory: MemoryVersion, source: Source, candidate: Candidate) -> None:
    """Say that a version of a memory rests on a source."""
    start = source.content.find(candidate.content)
    found = start >= 0 and source.content != candidate.content
    journal.insert(
        Evidence(
            memory_id=memory.memory_id,
            version=memory.version,
            source_id=source.id,
            seq=journal.seq,
            author=journal.actor,
            file=candidate.file,
            line=candidate.line,
            span_start=start if found else None,
            span_end=start + len(candidate.content) if found else None,
            recorded_at=journal.at,
        )
    )


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
