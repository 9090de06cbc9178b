"""Show a memory with its evidence, or a source with the passages around it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from heldtrue.capabilities import shapes
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import Group
from heldtrue.capabilities.injecting import Detail
from heldtrue.capabilities.parameters import Metavar, Reference, Request
from heldtrue.capabilities.reading import log_read, note_read
from heldtrue.capabilities.references import ambiguous
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import Expanded, Id, ScopeName
from heldtrue.capabilities.views import PassageView, SourceView, view_evidence, view_passage
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import NotFound
from heldtrue.domain.memory import MemoryVersion, Status, short_title
from heldtrue.domain.posting import thread_of
from heldtrue.domain.principal import EVERYTHING
from heldtrue.domain.records import Source
from heldtrue.domain.rows import Passage, VersionFilter
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ports import ReadTransaction
from heldtrue.recall.budget import fit_text
from heldtrue.recall.log_rows import LoggedResult
from heldtrue.recall.prompt import memory_entry
from heldtrue.recall.render import Entry, Level, text_at
from heldtrue.recall.visibility import quote_part, visible_passages, visible_text


class ExpandAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A memory or a source at the requested level of detail."""

    id: Id
    what: Expanded
    """The type of the item: `memory` or `source`."""
    kind: str
    title: str | None
    scope: ScopeName
    detail: shapes.Detail
    text: str
    tokens: int
    evidence: list[SourceView]
    """The evidence of a memory, at the same level of detail."""
    around: list[PassageView]
    """The passages before and after the requested one."""
    notes: list[str]


class ExpandRequest(Request):
    ref: Annotated[
        str,
        Meta(min_length=1, description="The id of a memory or of a source."),
        Metavar("ID"),
        Reference(("memory", "source"), "list"),
    ]
    detail: Detail = "L2"
    around: Annotated[
        int, Meta(ge=0, le=10, description="How many messages or passages to show before and after the requested one.")
    ] = 2
    passage: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(description="The number of a passage. Shows only this passage of the source."),
    ] = None


@capability(
    "memory.expand",
    Effect.READ,
    group=Group.PROMPT,
    positional=("ref",),
    examples=("heldtrue expand ID --detail L1", "heldtrue expand SOURCE_ID --around 4"),
)
def expand(call: Call, request: ExpandRequest) -> ExpandAnswer:
    """Show a memory with its evidence, or a source with its surrounding passages, at a chosen level of detail."""
    with call.instance.store.read() as reading:
        name = _find_id(call, reading, request.ref)
        memory = reading.memories.version(name) if name and request.passage is None else None
        if memory is not None and _is_shown(call, memory):
            note_read(call, "expand", memory)
            return _expand_memory(call, reading, memory, request.detail)
        source, shown = _find_source(call, reading, name, request)
        log_read(call, "expand", LoggedResult(id=source.id, what="passage", passage=request.passage))
        around = request.around if request.passage is not None or source.speaker else 0
        return _expand_source(reading, source, shown, request.detail, around)


def _is_shown(call: Call, memory: MemoryVersion) -> bool:
    """Whether the caller may see a memory. An agent sees none that was rejected, retracted or replaced."""
    return call.may_read(memory) and (memory.is_live or call.principal.is_person)


def _find_id(call: Call, reading: ReadTransaction, ref: str) -> str | None:
    """The full id of the memory or source."""
    memory, source = call.memory_id(reading, ref), call.source_id(reading, ref, field="ref")
    if memory is not None and source is not None and memory != source:
        version = reading.memories.version(memory)
        raise ambiguous(ref, [(memory, version.content if version else "memory"), (source, "source")], field="ref")
    return memory or source


def _find_source(
    call: Call, reading: IngestReadTransaction, name: str | None, request: ExpandRequest
) -> tuple[Source, list[Passage]]:
    """The source and its visible passages, or the one passage that was requested."""
    source = reading.sources.get(name) if name else None
    shown = visible_passages(reading, source) if source is not None and call.may_read(source) else None
    if source is None or shown is None:
        raise _nothing(request.ref)
    if not shown and not _supports_something(call, reading, source):
        raise _nothing(request.ref)
    if request.passage is not None:
        shown = [passage for passage in shown if passage.no == request.passage]
        if not shown:
            raise _nothing(f"{request.ref}, passage {request.passage}")
    return source, shown


def _nothing(ref: str) -> NotFound:
    return NotFound(
        f"no memory or source with id {ref}",
        field="ref",
        hint="`recall` and `inject` show ids, and `explain` also shows the ids of sources",
    )


def _supports_something(call: Call, reading: IngestReadTransaction, source: Source) -> bool:
    """Whether a source that is not searchable is evidence of an active memory."""
    memories = reading.memories.current_versions(reading.sources.memories_of(source.id))
    return any(memory.status == Status.ACTIVE and call.may_read(memory) for memory in memories)


def _expand_memory(call: Call, reading: IngestReadTransaction, memory: MemoryVersion, detail: Level) -> ExpandAnswer:
    notes = [f"this memory is {memory.status}: {memory.reason}"] if memory.status != Status.ACTIVE else []
    text, tokens, cut = fit_text(text_at(detail, memory_entry(memory)))
    return ExpandAnswer(
        id=memory.memory_id,
        what="memory",
        kind=memory.kind,
        title=memory.title or short_title(memory.content),
        scope=memory.scope,
        detail=detail,
        text=text,
        tokens=tokens,
        evidence=_evidence_at(call, reading, memory, detail),
        around=[],
        notes=[*notes, *(note.text for note in cut)],
    )


def _evidence_at(call: Call, reading: IngestReadTransaction, memory: MemoryVersion, detail: Level) -> list[SourceView]:
    """The evidence of a memory that the caller may see, each source once."""
    found: dict[str, SourceView] = {}
    for evidence, source in reading.records.evidence_of([memory.memory_id]):
        shown = visible_passages(reading, source) if call.may_read(source) else None
        if shown is not None:
            evidence, quoted = quote_part(evidence, source)
            (view,) = view_evidence([(evidence, quoted)])
            text = text_at(detail, _source_entry(source, visible_text(quoted, shown)))
            found[source.id] = msgspec.structs.replace(view, content=text)
    return list(found.values())


def _expand_source(
    reading: ReadTransaction, source: Source, shown: Sequence[Passage], detail: Level, around: int
) -> ExpandAnswer:
    text, tokens, cut = fit_text(text_at(detail, _source_entry(source, visible_text(source, shown))))
    return ExpandAnswer(
        id=source.id,
        what="source",
        kind=source.kind,
        title=source.title or source.reference,
        scope=source.scope,
        detail=detail,
        text=text,
        tokens=tokens,
        evidence=[],
        around=_read_around(reading, [passage.no for passage in shown], shown[0].shelf if shown else 0, around),
        notes=[note.text for note in cut],
    )


def _source_entry(source: Source, text: str) -> Entry:
    return Entry(id=source.id, kind=source.kind, observed_at=source.recorded_at, text=text)


def _read_around(reading: ReadTransaction, numbers: Sequence[int], shelf: int, around: int) -> list[PassageView]:
    """The passages before and after a run of passages. All passages of one thread have the same visibility."""
    if not numbers or not around:
        return []
    first, last = min(numbers), max(numbers)
    wanted = [*range(first - around, first), *range(last + 1, last + around + 1)]
    same = [number for number in wanted if number >= 0 and thread_of(number) == thread_of(first)]
    seen = (
        [passage.no for passage in reading.passages.numbered(same, [shelf], VersionFilter(sight=EVERYTHING))]
        if same
        else []
    )
    return [view_passage(text) for text in reading.passages.texts(seen)] if seen else []
