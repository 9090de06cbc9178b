"""A capability that tells what has happened, so that others can follow it."""

from __future__ import annotations

from enum import StrEnum
from heapq import merge
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from heldtrue.capabilities.call import Call, parse_number
from heldtrue.capabilities.declaration import Group
from heldtrue.capabilities.parameters import Request
from heldtrue.capabilities.reading import entry_memory
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import Place, When
from heldtrue.capabilities.verb_index import find_verb
from heldtrue.capabilities.views import to_iso
from heldtrue.domain import limits
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.ledger import LedgerEntry
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.records import SourceKind
from heldtrue.domain.rows import RecallRow
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ports import ReadTransaction
from heldtrue.recall.log_rows import READS


class EventName(StrEnum):
    """What can happen."""

    READ = "memory:read"
    WRITE = "memory:write"
    FLUSH = "memory:flush"
    COMPACT = "memory:compact"
    SEARCH = "memory:search"


_PLACE = "an event's id, such as 120.0"


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened."""

    id: Place
    """Where it stands: give it as `after` to go on from here."""
    event: EventName
    at: When
    by: str
    payload: dict[str, Any]
    """For a write its type, the path of what it changed and what became of it; for a search the question and how many
    results it had; for a read its type (get, expand, explain, history or inject), the path of what was read and how
    many things that were; for a compaction or a flush what it was about."""


class EventsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What happened after a place, in order."""

    items: list[Event]
    next_cursor: Place
    """Where to go on, also where nothing has happened: give it as `after`."""


class _Place(NamedTuple):
    """How far someone has followed: the ledger by its sequence, the log of recalls by its own."""

    seq: int
    recall: int

    def __str__(self) -> str:
        return f"{self.seq}.{self.recall}"


class EventsRequest(Request):
    after: Annotated[
        str | None, Meta(description="The id of the last event seen; left out, the newest events are told.")
    ] = None
    names: Annotated[list[EventName] | None, Meta(description="Only these events.")] = None
    limit: Annotated[int, Meta(ge=1, le=limits.EVENTS_MAX, description="At most this many.")] = 20


@capability(
    "memory.events",
    Effect.READ,
    group=Group.FOLLOW,
)
def events(call: Call, request: EventsRequest) -> EventsAnswer:
    """What was written, searched, read, flushed and compacted since a place, as far as the caller may see it.

    Writes are taken from the ledger, searches and reads from the log of recalls, which is written within a second;
    an agent sees its own of these. A read is one of something by its id, or of what goes into a prompt.
    """
    if request.after is None:
        # Whoever begins now is told what comes from now on, and not what is over and only waits to be written.
        call.instance.recall_log.flush()
    with call.instance.store.read() as reading:
        end = _Place(reading.ledger.head().seq, reading.log.last_place())
        newest = _Place(max(0, end.seq - request.limit), max(0, end.recall - request.limit))
        place = newest if request.after is None else _read_place(request.after)
        if place.seq > end.seq or place.recall > end.recall:
            raise InvalidInput(f"the last event is {end}", field="after", hint="leave it out to begin now")
        written, seq = _written(call, reading, place, end.seq, request.limit)
        asked, recall = _asked(call, reading, place, end.recall, request.limit)
    # In the order of each source: by time alone, one that was logged late could come before where someone stands.
    found = list(merge(written, asked, key=lambda one: one[0]))
    taken = found[: request.limit] if request.after is not None else found[-request.limit :]
    if len(found) > request.limit and request.after is not None:
        # Cut where the page is full: what is left out is still after the place.
        seq = max([place.seq, *(one.seq for _, one, _ in taken)])
        recall = max([place.recall, *(one.recall for _, one, _ in taken)])
    return EventsAnswer(items=_number(taken, place, request.names), next_cursor=str(_Place(seq, recall)))


_Found = tuple[int, _Place, Event]
"""When it was recorded, its place in the ledger or the log (the other is 0), and the event."""


def _written(
    call: Call, reading: IngestReadTransaction, place: _Place, last: int, limit: int
) -> tuple[list[_Found], int]:
    entries = reading.ledger.entries(after=place.seq, until=last, limit=limit)
    found: list[_Found] = []
    for entry in entries:
        memory = entry_memory(call, reading, entry, entry.seq)
        if memory is not None or (call.reader in (None, entry.actor) and entry.outcome != "refused"):
            found.append((entry.recorded_at, _Place(entry.seq, 0), _tell_entry(entry, memory, reading)))
    return found, entries[-1].seq if len(entries) == limit else last


def _tell_entry(entry: LedgerEntry, memory: MemoryVersion | None, reading: IngestReadTransaction) -> Event:
    path = reading.ledger.space().iri(memory.memory_id) if memory is not None else entry.target
    payload: dict[str, Any] = {"type": entry.action, "path": path, "delta": entry.outcome, "seq": entry.seq}
    name = EventName.WRITE
    if entry.action == "memory.compact":
        name = EventName.COMPACT
    elif entry.action == "memory.capture" and (session := _session_of(entry, reading)):
        name = EventName.FLUSH
        payload["sessionId"] = session
    if memory is not None:
        payload |= {"kind": memory.kind, "scope": memory.scope, "status": memory.status}
    elif entry.target is None:
        payload["about"] = entry.reason
    return Event(id="", event=name, at=to_iso(entry.recorded_at), by=entry.actor, payload=payload)


def _session_of(entry: LedgerEntry, reading: IngestReadTransaction) -> str | None:
    """The session whose transcript was handed in; none for other evidence."""
    source = reading.sources.get(entry.target) if entry.target else None
    return source.thread if source is not None and source.kind == SourceKind.RUN else None


def _asked(call: Call, reading: ReadTransaction, place: _Place, last: int, limit: int) -> tuple[list[_Found], int]:
    rows = reading.log.recalls_after(principal=call.reader, after=place.recall, limit=limit)
    found = [(row.recorded_at, _Place(0, number), _tell_recall(row, reading)) for number, row in rows]
    return found, rows[-1][0] if len(rows) == limit else last


def _tell_recall(row: RecallRow, reading: ReadTransaction) -> Event:
    results = msgspec.json.decode(row.results)
    verb = find_verb(row.verb)
    if verb is not None and verb.is_search:
        payload: dict[str, Any] = {"query": row.question, "results": len(results), "recall": row.id}
        name = EventName.SEARCH
    else:
        path = _path_of(results[0], reading) if row.verb in READS else row.id
        payload = {"type": row.verb, "path": path, "size": len(results)}
        name = EventName.READ
    return Event(id="", event=name, at=to_iso(row.recorded_at), by=row.principal, payload=payload)


def _path_of(read: dict[str, Any], reading: ReadTransaction) -> str:
    """What was read by its id: a memory by its IRI, as where it is written; a source by its id."""
    return reading.ledger.space().iri(read["id"]) if read.get("what", "memory") == "memory" else str(read["id"])


def _number(found: list[_Found], place: _Place, names: list[EventName] | None) -> list[Event]:
    """The events with the place that each leaves a follower at."""
    numbered = []
    seq, recall = place
    for _, own, event in found:
        seq, recall = max(seq, own.seq), max(recall, own.recall)
        if names is None or event.event in names:
            numbered.append(msgspec.structs.replace(event, id=str(_Place(seq, recall))))
    return numbered


def _read_place(text: str) -> _Place:
    seq, _, recall = text.partition(".")
    hint = f"give {_PLACE}"
    return _Place(
        parse_number(seq, text, field="after", hint=hint), parse_number(recall or "0", text, field="after", hint=hint)
    )
