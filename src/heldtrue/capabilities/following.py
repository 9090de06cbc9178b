"""Events: list what happened, in an order that clients can follow."""

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
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.ledger import LedgerEntry
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.records import SourceKind
from heldtrue.domain.rows import RecallRow
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ports import ReadTransaction
from heldtrue.recall.log_rows import READS


class EventName(StrEnum):
    """The kinds of events."""

    READ = "memory:read"
    WRITE = "memory:write"
    FLUSH = "memory:flush"
    COMPACT = "memory:compact"
    SEARCH = "memory:search"


_EVENT_ID = "an event's id, for example 120.0"


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """An event."""

    id: Place
    """The position of the event. Pass it as `after` to continue from here."""
    event: EventName
    at: When
    by: str
    payload: dict[str, Any]
    """What happened. A write has `type`, `path` (the changed item) and `delta` (the outcome). A search has `query` and
    `results` (how many). A read has `type` (get, expand, explain, history or inject), `path` and `size` (how many
    items). A flush and a compaction have the fields of a write, and a flush also has `sessionId`. Some writes also
    have `about`, a sentence that explains them."""


class EventsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Events after a position, in order."""

    items: list[Event]
    next_cursor: Place
    """The position to continue from. Pass it as `after`. It is set even if there are no events."""


class _Position(NamedTuple):
    """A position: the number of the ledger entry, and the number in the recall log."""

    seq: int
    recall: int

    def __str__(self) -> str:
        return f"{self.seq}.{self.recall}"


class EventsRequest(Request):
    after: Annotated[
        str | None, Meta(description="The id of the last event seen. Default: list the newest events.")
    ] = None
    names: Annotated[list[EventName] | None, Meta(description="Only these events.")] = None
    limit: Annotated[int, Meta(ge=1, le=limits.EVENTS_MAX, description="Maximum number of events.")] = 20


@capability(
    "memory.events",
    Effect.READ,
    group=Group.FOLLOW,
)
def events(call: Call, request: EventsRequest) -> EventsAnswer:
    """List events after a position: writes, searches, reads, flushes and compactions that the caller may see.

    Writes come from the ledger. Searches and reads come from the recall log, which is written within a second. An
    agent sees only its own searches and reads. A read is a request for one item by its id, or for a prompt block.
    """
    if request.after is None:
        # A client that starts now gets only events from now on, not past ones that are still to be written.
        call.instance.recall_log.flush()
    with call.instance.store.read() as reading:
        end = _Position(reading.ledger.head().seq, reading.log.last_place())
        newest = _Position(max(0, end.seq - request.limit), max(0, end.recall - request.limit))
        start = newest if request.after is None else _read_position(request.after)
        if start.seq > end.seq or start.recall > end.recall:
            raise InvalidInput(f"the last event is {end}", field="after", hint="omit `after` to start now")
        written, seq = _written(call, reading, start, end.seq, request.limit)
        asked, recall = _asked(call, reading, start, end.recall, request.limit)
    # Keep the order of each source: by time alone, an event logged late could sort before a client's position.
    found = list(merge(written, asked, key=lambda event: event[0]))
    taken = found[: request.limit] if request.after is not None else found[-request.limit :]
    if len(found) > request.limit and request.after is not None:
        # Cut where the page is full: the rest still comes after the position.
        seq = max([start.seq, *(position.seq for _, position, _ in taken)])
        recall = max([start.recall, *(position.recall for _, position, _ in taken)])
    return EventsAnswer(items=_number(taken, start, request.names), next_cursor=str(_Position(seq, recall)))


_Found = tuple[int, _Position, Event]
"""The time of recording, the position in the ledger and in the log (one of them is 0), and the event."""


def _written(
    call: Call, reading: IngestReadTransaction, start: _Position, last: int, limit: int
) -> tuple[list[_Found], int]:
    entries = reading.ledger.entries(after=start.seq, until=last, limit=limit)
    found: list[_Found] = []
    for entry in entries:
        memory = entry_memory(call, reading, entry, entry.seq)
        if memory is not None or call.reader in (None, entry.actor):
            found.append((entry.recorded_at, _Position(entry.seq, 0), _tell_entry(entry, memory, reading)))
    return found, entries[-1].seq if len(entries) == limit else last


_TOLD_BY_REASON = (OutcomeKind.REFUSED, OutcomeKind.ADMITTED, OutcomeKind.ROTATED, OutcomeKind.REVOKED)
"""Outcomes whose target says nothing to a reader: a claim that was not stored, the record of an agent."""


def _tell_entry(entry: LedgerEntry, memory: MemoryVersion | None, reading: IngestReadTransaction) -> Event:
    refused = entry.target if entry.outcome == "refused" else None
    memory_id = memory.memory_id if memory is not None else refused
    path = reading.ledger.space().iri(memory_id) if memory_id is not None else entry.target
    payload: dict[str, Any] = {"type": entry.action, "path": path, "delta": entry.outcome, "seq": entry.seq}
    name = EventName.WRITE
    if entry.action == "memory.compact":
        name = EventName.COMPACT
    elif entry.action == "memory.capture" and (session := _session_of(entry, reading)):
        name = EventName.FLUSH
        payload["sessionId"] = session
    if memory is not None:
        payload |= {"kind": memory.kind, "scope": memory.scope, "status": memory.status}
    if entry.outcome in _TOLD_BY_REASON or entry.target is None:
        payload["about"] = entry.reason
    if entry.outcome == "refused":
        payload["cause"] = entry.cause
    return Event(id="", event=name, at=to_iso(entry.recorded_at), by=entry.actor, payload=payload)


def _session_of(entry: LedgerEntry, reading: IngestReadTransaction) -> str | None:
    """The session whose transcript was captured. None for other evidence."""
    source = reading.sources.get(entry.target) if entry.target else None
    return source.thread if source is not None and source.kind == SourceKind.RUN else None


def _asked(call: Call, reading: ReadTransaction, start: _Position, last: int, limit: int) -> tuple[list[_Found], int]:
    rows = reading.log.recalls_after(principal=call.reader, after=start.recall, limit=limit)
    found = [(row.recorded_at, _Position(0, number), _tell_recall(row, reading)) for number, row in rows]
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
    """The path of an item that was read: the IRI of a memory, the id of a source."""
    return reading.ledger.space().iri(read["id"]) if read.get("what", "memory") == "memory" else str(read["id"])


def _number(events: list[_Found], start: _Position, names: list[EventName] | None) -> list[Event]:
    """Give each event the position that a client has reached after it."""
    numbered = []
    seq, recall = start
    for _, own, event in events:
        seq, recall = max(seq, own.seq), max(recall, own.recall)
        if names is None or event.event in names:
            numbered.append(msgspec.structs.replace(event, id=str(_Position(seq, recall))))
    return numbered


def _read_position(text: str) -> _Position:
    seq, _, recall = text.partition(".")
    hint = f"use {_EVENT_ID}"
    return _Position(
        parse_number(seq, text, field="after", hint=hint), parse_number(recall or "0", text, field="after", hint=hint)
    )
