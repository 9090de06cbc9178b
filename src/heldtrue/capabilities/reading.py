"""Read memories: get, list, history, diff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from heldtrue.capabilities.arguments import (
    AsOf,
    Cursor,
    KindWord,
    ListLimit,
    MemoryRef,
    Scopes,
    StatusWord,
    Topic,
    ValidAt,
)
from heldtrue.capabilities.call import Call, parse_number
from heldtrue.capabilities.declaration import EverydayCommand, EverydayTool, Group, Route
from heldtrue.capabilities.parameters import Mark, Metavar, Request
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import CauseName, EntryName, Id, ListPage, When
from heldtrue.capabilities.verb_index import PREFIX, find_verb
from heldtrue.capabilities.views import (
    ConflictView,
    LinkView,
    MemoryView,
    Replacement,
    SourceView,
    view_change,
    view_conflict,
    view_evidence,
    view_link,
    view_memory,
)
from heldtrue.domain import limits
from heldtrue.domain.action import Effect
from heldtrue.domain.ledger import LedgerEntry
from heldtrue.domain.memory import MemoryVersion, Status
from heldtrue.domain.records import Space
from heldtrue.domain.rows import VersionFilter
from heldtrue.domain.times import to_iso
from heldtrue.ports import ReadTransaction
from heldtrue.recall.log_rows import LoggedResult, read_row
from heldtrue.recall.since import find_change
from heldtrue.recall.visibility import visible_conflicts, visible_evidence, visible_links


class GetAnswer(msgspec.Struct, frozen=True, kw_only=True):
    memory: MemoryView
    evidence: list[SourceView]
    links: list[LinkView]
    conflicts: list[ConflictView]
    since: Replacement | None = None


class ListAnswer(ListPage[MemoryView], frozen=True, kw_only=True):
    """Memories."""


class HistoryAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Every version of a memory, oldest first, with its ledger entries."""

    memory: Id
    versions: list[MemoryView]
    entries: list[ActivityView]


class ActivityView(msgspec.Struct, frozen=True, kw_only=True):
    """A ledger entry: who did what to which memory, when, through which interface, and why."""

    seq: int
    activity: str
    action: str
    outcome: str
    target: str | None
    actor: str
    channel: str
    at: When
    reason: str | None
    cause: CauseName | None
    """A fixed word for why a write was refused or is pending, or why a memory was taken out of use."""
    detail: dict[str, Any]


class DiffAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What changed, by kind of change."""

    since: EntryName
    until: EntryName
    added: list[MemoryView]
    corrected: list[ActivityView]
    retracted: list[ActivityView]
    linked: list[ActivityView]
    other: list[ActivityView]
    refused: list[ActivityView]
    """Writes that were refused and changed nothing. An agent sees only its own."""


def note_read(call: Call, verb: str, memory: MemoryVersion) -> None:
    """Log the read of a memory in the background, so that a read never waits for a writer or fails because of one."""
    log_read(call, verb, LoggedResult(id=memory.memory_id, version=memory.version))


def log_read(call: Call, verb: str, read: LoggedResult) -> None:
    """Log the read of anything that has an id. It does not count as a recall."""
    row = read_row(now=call.now, principal=call.principal.id, channel=call.channel, verb=verb, read=read)
    call.instance.recall_log.note(row, ())


class GetRequest(Request):
    memory: MemoryRef
    as_of: AsOf = None
    valid_at: ValidAt = None


@capability(
    "memory.get",
    Effect.READ,
    group=Group.LOOK_UP,
    synonyms=("show", "cat", "open"),
    positional=("memory",),
    instead="explain",
    routes=(Route("GET", "/v1/memories/{id}", renamed={"id": "memory"}),),
)
def get(call: Call, request: GetRequest) -> GetAnswer:
    """Show one memory with its evidence, links and conflicts. With `as_of`, show it as it was at that time."""
    with call.instance.store.read() as reading:
        found, state = call.find_then(reading, request.memory, request.as_of, request.valid_at)
        seq = state.seq
        note_read(call, "get", found)
        ids, principal = [found.memory_id], call.principal
        change = find_change(reading, principal, found) if seq is not None else None
        conflicts = visible_conflicts(reading, principal, reading.records.conflicts_of(ids, seq))
        return GetAnswer(
            memory=view_memory(found, reading.ledger.space(), state.moment),
            evidence=view_evidence(visible_evidence(reading, principal, reading.records.evidence_of(ids, seq), seq)),
            links=[view_link(link) for link in visible_links(reading, principal, reading.records.links_of(ids, seq))],
            conflicts=[view_conflict(conflict) for conflict in conflicts],
            since=view_change(change) if change is not None else None,
        )


class ListRequest(Request):
    scopes: Scopes = None
    statuses: Annotated[list[StatusWord] | None, Meta(description="Only these statuses. Default: active.")] = None
    kinds: Annotated[list[KindWord] | None, Meta(description="Only these kinds.")] = None
    topic: Topic = None
    project: Annotated[str | None, Meta(description="Only memories of this project.")] = None
    repo: Annotated[str | None, Meta(description="Only memories of this repo.")] = None
    agent: Annotated[str | None, Meta(description="Only memories by this author, for example agent:codex.")] = None
    limit: ListLimit = limits.LIST_DEFAULT
    cursor: Cursor = None
    as_of: AsOf = None
    valid_at: ValidAt = None


@capability(
    "memory.list",
    Effect.READ,
    group=Group.LOOK_UP,
    everyday=EverydayCommand(3, "List memories, newest first"),
    synonyms=("ls",),
    routes=(
        Route("GET", "/v1/memories"),
        Route("GET", "/v1/projects/{id}/knowledge", fixed={"scopes": ["project:{id}"]}),
    ),
    examples=("heldtrue list --status inbox,superseded", "heldtrue list --only-agent codex --topic deploy"),
)
def list_memories(call: Call, request: ListRequest) -> ListAnswer:
    """List memories by their properties, newest first, in pages."""
    with call.instance.store.read() as reading:
        state = call.state_at(reading, request.as_of)
        chosen = call.filter(
            request.scopes,
            statuses=tuple(status.value for status in request.statuses or (Status.ACTIVE,)),
            kinds=tuple(kind.value for kind in request.kinds or ()),
            topic=request.topic,
            project_id=request.project,
            repo_id=request.repo,
            author=request.agent if request.agent is None or ":" in request.agent else f"agent:{request.agent}",
            seq=state.seq,
            valid_at=call.moment(request.valid_at, "valid_at"),
        )
        return list_page(reading, chosen, state.moment, request.limit, request.cursor)


def list_page(
    reading: ReadTransaction, chosen: VersionFilter, moment: int, limit: int, cursor: str | None
) -> ListAnswer:
    """One page of the memories that match a filter."""
    versions = reading.memories.list_versions(chosen, before=read_cursor(cursor), limit=limit + 1)
    page = versions[:limit]
    return ListAnswer(
        items=[view_memory(version, reading.ledger.space(), moment) for version in page],
        next_cursor=str(page[-1].no) if len(versions) > limit else None,
    )


def read_cursor(cursor: str | None) -> int | None:
    """Parse the cursor of the previous page."""
    if cursor is None:
        return None
    return parse_number(cursor, cursor, field="cursor", hint="use the next_cursor of the previous page")


class HistoryRequest(Request):
    memory: MemoryRef
    as_of: AsOf = None


@capability(
    "memory.history",
    Effect.READ,
    group=Group.LOOK_UP,
    synonyms=("log",),
    positional=("memory",),
    instead="explain",
    routes=(Route("GET", "/v1/memories/{id}/history", renamed={"id": "memory"}),),
)
def history(call: Call, request: HistoryRequest) -> HistoryAnswer:
    """Show every version of a memory and who changed it, when and why."""
    with call.instance.store.read() as reading:
        state = call.state_at(reading, request.as_of)
        found = call.find(reading, request.memory, seq=state.seq)
        note_read(call, "history", found)
        versions = reading.memories.versions(found.memory_id, state.seq)
        return HistoryAnswer(
            memory=found.memory_id,
            versions=[view_memory(version, reading.ledger.space(), state.moment) for version in versions],
            entries=entries_about(reading, versions),
        )


def entries_about(reading: ReadTransaction, versions: Sequence[MemoryVersion]) -> list[ActivityView]:
    """The ledger entries that made the versions of a memory."""
    entries = (reading.ledger.entry(seq) for seq in dict.fromkeys(version.seq for version in versions))
    return [view_entry(reading.ledger.space(), entry) for entry in entries if entry is not None]


def view_entry(space: Space, entry: LedgerEntry) -> ActivityView:
    return ActivityView(
        seq=entry.seq,
        activity=f"{space.base_iri}activity/{entry.seq}",
        action=entry.action,
        outcome=entry.outcome,
        target=entry.target,
        actor=entry.actor,
        channel=entry.channel,
        at=to_iso(entry.recorded_at),
        reason=entry.reason,
        cause=entry.cause,
        detail=msgspec.json.decode(entry.detail),
    )


class DiffRequest(Request):
    since: Annotated[
        str, Meta(description="Start: 2026-05-17, '3 days ago', or a ledger entry such as #120."), Mark.MOMENT
    ]
    until: Annotated[str | None, Meta(description="End. Default: now."), Mark.MOMENT, Metavar("WHEN")] = None
    topic: Topic = None
    include_corrections: Annotated[bool, Meta(description="Whether to include corrections and retractions.")] = True
    scopes: Scopes = None
    valid_at: ValidAt = None
    limit: ListLimit = limits.LIST_MAX


@capability(
    "memory.diff",
    Effect.READ,
    group=Group.LOOK_UP,
    positional=("since",),
    tool=EverydayTool(
        "List the memories that were added, corrected, retracted or linked since a given time.",
        {"since": "For example 2026-05-17 or '3 days ago'", "until": "", "topic": ""},
        rank=8,
    ),
    examples=('heldtrue diff "3 days ago"', "heldtrue diff '#120' --until '#140'"),
)
def diff(call: Call, request: DiffRequest) -> DiffAnswer:
    """List what was added, corrected, retracted, linked and refused since a given time, in order.

    One call reads at most `limit` ledger entries. `until` in the response is the last entry read. Start the
    next page there.
    """
    with call.instance.store.read() as reading:
        after = call.state_at(reading, request.since, field="since").seq or 0
        end = call.state_at(reading, request.until, field="until")
        last = reading.ledger.head().seq if end.seq is None else end.seq
        visible, held_at = call.visible_scopes(request.scopes), call.moment(request.valid_at, "valid_at")
        entries = reading.ledger.entries(after=after, until=last, limit=request.limit)
        if len(entries) == request.limit:
            last = entries[-1].seq
        found = _find_refused(call, reading, entries, visible, request)
        for entry in entries:
            memory = entry_memory(call, reading, entry, last)
            if memory is None or not _is_asked_for(memory, visible, request.topic, held_at):
                continue
            change = _change_of(entry)
            if change == "added" and entry.outcome in ("created", "pending", "superseded"):
                found["added"].append(view_memory(memory, reading.ledger.space(), end.moment))
            elif request.include_corrections or change not in ("corrected", "retracted"):
                found["other" if change == "added" else change].append(view_entry(reading.ledger.space(), entry))
        return DiffAnswer(since=f"#{after}", until=f"#{last}", **found)


def _find_refused(
    call: Call,
    reading: ReadTransaction,
    entries: Sequence[LedgerEntry],
    visible: Sequence[str] | None,
    request: DiffRequest,
) -> dict[str, list[Any]]:
    """The refused writes, and no changes yet."""
    refused = [entry for entry in entries if _is_refusal_asked_for(call, entry, visible, request)]
    return {name: [] for name in _CHANGES} | {
        "refused": [view_entry(reading.ledger.space(), entry) for entry in refused]
    }


_CHANGES = ("added", "corrected", "retracted", "linked", "other")


def _change_of(entry: LedgerEntry) -> str:
    """The kind of change that the verb declares. A correction or retraction that still needs a person's decision
    is not a change yet.
    """
    verb = find_verb(entry.action.removeprefix(PREFIX))
    change = (verb.change if verb is not None else None) or "other"
    return "other" if entry.outcome == "pending" and change in ("corrected", "retracted") else change


def may_see_refusal(call: Call, entry: LedgerEntry) -> bool:
    """Whether the caller may see a refused write. An agent sees its own, a person sees all."""
    return call.reader in (None, entry.actor)


def _is_refusal_asked_for(call: Call, entry: LedgerEntry, visible: Sequence[str] | None, request: DiffRequest) -> bool:
    """Whether an entry is a refused write that was requested. Such an entry has no topic and was never valid."""
    if entry.outcome != "refused" or not may_see_refusal(call, entry):
        return False
    is_narrowed = request.topic is not None or request.valid_at is not None
    return not is_narrowed and (visible is None or entry.scope is None or entry.scope in visible)


def _is_asked_for(memory: MemoryVersion, visible: Sequence[str] | None, topic: str | None, held_at: int | None) -> bool:
    in_scope = visible is None or memory.scope in visible
    on_topic = topic is None or memory.topic == topic
    return in_scope and on_topic and (held_at is None or memory.holds_at(held_at))


def entry_memory(call: Call, reading: ReadTransaction, entry: LedgerEntry, last: int) -> MemoryVersion | None:
    """The memory that an entry changed, at the end of the range, if the caller may see it."""
    if entry.target is None or entry.outcome == "refused":
        return None
    target = entry.target
    conflict = reading.records.conflict(target) if entry.action == "memory.resolve" else None
    memory = reading.memories.version(conflict.new_id if conflict else target, last)
    if memory is None or not call.may_read(memory) or not _may_see_link(call, reading, entry, target):
        return None
    return memory


def _may_see_link(call: Call, reading: ReadTransaction, entry: LedgerEntry, target: str) -> bool:
    """Whether the caller may see both ends of the link that an entry is about."""
    if call.reader is None or entry.action not in ("memory.link", "memory.unlink"):
        return True
    as_of = entry.seq if entry.action == "memory.link" else entry.seq - 1
    seen = visible_links(reading, call.principal, reading.records.links_of([target], as_of))
    return msgspec.json.decode(entry.detail).get("link") in {link.id for link in seen}
