"""Dismissals: what a person did not want to keep is not proposed again from the same source."""

from __future__ import annotations

from heldtrue.domain.cause import ArchiveCause
from heldtrue.domain.memory import MemoryVersion, Status
from heldtrue.domain.records import Source
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ingest.stages.match import read_statement
from heldtrue.language.compare import compare_statements


def find_dismissed(session: WriteSession, source: Source, content: str) -> MemoryVersion | None:
    """A memory that says the same and was dismissed from a source, or from an earlier text of the same document."""
    if source.id not in session.dismissed:
        session.dismissed[source.id] = _dismissed_from(session.transaction, source)
    statement = read_statement(content)
    for memory in session.dismissed[source.id]:
        if compare_statements(statement, read_statement(memory.content)).relation in ("equal", "near"):
            return memory
    return None


def _dismissed_from(reading: IngestReadTransaction, source: Source) -> list[MemoryVersion]:
    texts = [source, *reading.sources.documents_before(source)]
    resting = {memory_id for text in texts for memory_id in reading.sources.memories_of(text.id)}
    return [memory for memory in reading.memories.current_versions(sorted(resting)) if is_dismissed(memory)]


def is_dismissed(memory: MemoryVersion) -> bool:
    """Whether a person took a memory out of the inbox without rejecting it."""
    return memory.status == Status.ARCHIVED and memory.cause == ArchiveCause.DISMISSED
