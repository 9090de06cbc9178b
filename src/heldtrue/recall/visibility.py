"""Which links, conflicts and evidence a principal may see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from heldtrue.access.policy import is_allowed
from heldtrue.domain.action import READ, RowResource
from heldtrue.domain.hidden import mask_text, read_spans
from heldtrue.domain.ids import is_id
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.principal import Principal
from heldtrue.domain.records import Conflict, Evidence, Link, Source
from heldtrue.domain.rows import Passage
from heldtrue.ports import ReadTransaction
from heldtrue.recall.ports import EvidenceReadTransaction

SourcedEvidence = tuple[Evidence, Source]


def may_read(principal: Principal, row: MemoryVersion | Source) -> bool:
    """Whether a principal may see a memory or a source."""
    return is_allowed(principal, READ, RowResource(row.scope, row.privacy))


def readable_ids(reading: ReadTransaction, principal: Principal, ids: Iterable[str]) -> set[str]:
    """Those of some memory ids that a principal may see."""
    versions = reading.memories.current_versions(sorted(set(ids)))
    return {memory.memory_id for memory in versions if may_read(principal, memory)}


def visible_links(reading: ReadTransaction, principal: Principal, links: Sequence[Link]) -> list[Link]:
    """The links with no end that a principal may not see; an IRI is anyone's to see."""
    if not links:
        return []
    ends = {end for link in links for end in (link.from_id, link.to_ref) if is_id(end)}
    hidden = ends - readable_ids(reading, principal, ends)
    return [link for link in links if link.from_id not in hidden and link.to_ref not in hidden]


def visible_conflicts(reading: ReadTransaction, principal: Principal, conflicts: Sequence[Conflict]) -> list[Conflict]:
    """The conflicts with both sides visible to a principal."""
    if not conflicts:
        return []
    sides = (side for conflict in conflicts for side in (conflict.old_id, conflict.new_id))
    seen = readable_ids(reading, principal, sides)
    return [conflict for conflict in conflicts if conflict.old_id in seen and conflict.new_id in seen]


def visible_evidence(
    reading: EvidenceReadTransaction, principal: Principal, rows: Sequence[SourcedEvidence], seq: int | None = None
) -> list[SourcedEvidence]:
    """The evidence that a principal may see: none that is private to others, in quarantine, or says what was rejected.

    Each source comes with no more of its text than may be seen.
    """
    sources = {source.id: source for _, source in rows if may_read(principal, source)}
    for source_id in reading.sources.quarantined(sources):
        del sources[source_id]
    seen = {source_id: _as_seen(reading, source, seq) for source_id, source in sources.items()}
    return [quote_part(evidence, shown) for evidence, source in rows if (shown := seen.get(source.id)) is not None]


def quote_part(evidence: Evidence, source: Source) -> SourcedEvidence:
    """Evidence with its source. Of a statement of which a memory keeps a part, that part is all that is shown."""
    if source.thread is not None or evidence.span_start is None or evidence.span_end is None:
        return evidence, source
    part = source.content[evidence.span_start : evidence.span_end]
    whole = msgspec.structs.replace(evidence, span_start=None, span_end=None)
    return whole, msgspec.structs.replace(source, content=part)


def _as_seen(reading: ReadTransaction, source: Source, seq: int | None) -> Source | None:
    shown = _unhidden_passages(reading, source, seq)
    if shown is None:
        return None
    text = visible_text(source, shown, seq)
    return source if text == source.content else msgspec.structs.replace(source, content=text)


def visible_passages(reading: EvidenceReadTransaction, source: Source, seq: int | None = None) -> list[Passage] | None:
    """The passages of a source that are not hidden; None where it is hidden as a whole."""
    return None if reading.sources.quarantined((source.id,)) else _unhidden_passages(reading, source, seq)


def _unhidden_passages(reading: ReadTransaction, source: Source, seq: int | None) -> list[Passage] | None:
    every = reading.passages.of_source(source.id) if source.thread is not None else []
    shown = [
        passage for passage in every if passage.hidden_seq is None or (seq is not None and passage.hidden_seq > seq)
    ]
    return None if every and not shown else shown


def visible_text(source: Source, shown: Sequence[Passage], seq: int | None = None) -> str:
    """What a source says, without what is hidden as of a sequence."""
    if not shown:
        return source.content
    pieces, end = [], shown[0].span_start
    for passage in shown:
        if source.content[end : passage.span_start].strip():
            pieces.append("\n[…]\n")
        start = max(end, passage.span_start)
        text = source.content[start : passage.span_end]
        pieces.append(mask_text(text, read_spans(passage.hidden_spans, seq), offset=start))
        end = passage.span_end
    return "".join(pieces)
