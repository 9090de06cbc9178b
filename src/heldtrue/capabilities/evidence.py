"""Evidence as a caller may see it: without what is private to others, in quarantine, or says what was rejected."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.references import complete_id
from heldtrue.domain.records import Evidence, Source
from heldtrue.ports import Passage, Reading

Rested = Sequence[tuple[Evidence, Source]]


def visible_evidence(
    call: Call, reading: Reading, rows: Rested, seq: int | None = None
) -> list[tuple[Evidence, Source]]:
    """Those rows of evidence that may be seen, each source with no more of its text than may be."""
    sources = {source.id: source for _, source in rows if call.may_read(source)}
    for source_id in reading.quarantined(sources):
        del sources[source_id]
    seen = {source_id: _as_seen(reading, source, seq) for source_id, source in sources.items()}
    return [(evidence, shown) for evidence, source in rows if (shown := seen.get(source.id)) is not None]


def _as_seen(reading: Reading, source: Source, seq: int | None) -> Source | None:
    shown = _unhidden_passages(reading, source, seq)
    if shown is None:
        return None
    text = text_shown(source, shown)
    return source if text == source.content else msgspec.structs.replace(source, content=text)


def find_source_id(call: Call, reading: Reading, ref: str, *, field: str = "source") -> str | None:
    """The id of a source that an id, or the beginning of one that the caller may see, names."""
    return complete_id(reading, "source", ref, call.sight, field=field)


def shown_passages(reading: Reading, source: Source, seq: int | None = None) -> list[Passage] | None:
    """The passages of a source that are not hidden; none at all where it is hidden as a whole."""
    return None if reading.quarantined((source.id,)) else _unhidden_passages(reading, source, seq)


def _unhidden_passages(reading: Reading, source: Source, seq: int | None) -> list[Passage] | None:
    every = reading.passages_of(source.id) if source.thread is not None else []
    shown = [one for one in every if one.hidden_seq is None or (seq is not None and one.hidden_seq > seq)]
    return None if every and not shown else shown


def text_shown(source: Source, shown: Sequence[Passage]) -> str:
    """What a source says, without what is hidden."""
    if not shown:
        return source.content
    pieces, end = [], shown[0].span_start
    for one in shown:
        if source.content[end : one.span_start].strip():
            pieces.append("\n[…]\n")
        pieces.append(source.content[max(end, one.span_start) : one.span_end])
        end = one.span_end
    return "".join(pieces)
