"""The writes that were refused, and the claims that were rejected."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from heldtrue.capabilities.arguments import Cursor, ListLimit
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import Group, Route
from heldtrue.capabilities.parameters import Request
from heldtrue.capabilities.reading import read_cursor
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import CauseName, Id, ListPage, ScopeName, When
from heldtrue.domain import limits
from heldtrue.domain.action import Audience, Effect
from heldtrue.domain.ledger import LedgerEntry
from heldtrue.domain.records import Tombstone
from heldtrue.domain.times import to_iso, to_iso_or_none
from heldtrue.ingest.stages.tombstones import is_for_everyone
from heldtrue.ports import ReadTransaction


class RefusalView(msgspec.Struct, frozen=True, kw_only=True):
    """A write that was refused: its author, text and time, and the reason."""

    seq: int
    """The ledger entry of the refusal."""
    at: When
    by: str
    channel: str
    action: str
    what: str | None
    """The refused text, shortened; null if the request was refused before any text was read."""
    scope: ScopeName | None
    reason: str
    cause: CauseName | None
    """A fixed word for the reason."""
    tombstone: Id | None
    """The rejection that caused the refusal."""
    memory: Id | None
    """The memory that was rejected."""


class RefusalsAnswer(ListPage[RefusalView], frozen=True, kw_only=True):
    """Refused writes."""


class RefusalsRequest(Request):
    by: Annotated[str | None, Meta(description="Only writes by this author, for example agent:codex.")] = None
    limit: ListLimit = limits.LIST_DEFAULT
    cursor: Cursor = None


@capability(
    "memory.refusals",
    Effect.READ,
    group=Group.DECIDE,
    synonyms=("refused",),
    routes=(Route("GET", "/v1/refusals"),),
    examples=("heldtrue refusals", "heldtrue refusals --by agent:codex"),
)
def refusals(call: Call, request: RefusalsRequest) -> RefusalsAnswer:
    """List refused writes, newest first, with author, time, text, reason, and the rejection that caused each one.

    An agent sees only its own refusals. The same text from the same file or conversation is listed once.
    """
    author = request.by if call.principal.is_person else call.principal.id
    with call.instance.store.read() as reading:
        found = reading.ledger.refusals(actor=author, before=read_cursor(request.cursor), limit=request.limit + 1)
        if request.by not in (None, author):
            found = []
        page = found[: request.limit]
        return RefusalsAnswer(
            items=[_view_refusal(call, entry) for entry in page],
            next_cursor=str(page[-1].seq) if len(found) > request.limit else None,
        )


def _view_refusal(call: Call, entry: LedgerEntry) -> RefusalView:
    detail: dict[str, Any] = msgspec.json.decode(entry.detail)
    # Without the memory, whoever tried may not know where it was rejected.
    is_told = call.principal.is_person or entry.target is not None
    return RefusalView(
        seq=entry.seq,
        at=to_iso(entry.recorded_at),
        by=entry.actor,
        channel=entry.channel,
        action=entry.action,
        what=detail.get("said"),
        scope=entry.scope,
        reason=entry.reason or "",
        cause=entry.cause,
        tombstone=detail.get("tombstone") if is_told else None,
        memory=entry.target,
    )


# What was rejected


class RejectionView(msgspec.Struct, frozen=True, kw_only=True):
    """A rejected claim, who rejected it, and whose writes of it are refused."""

    id: Id
    memory: Id
    """The memory that stated the claim."""
    content: str
    scope: ScopeName
    by: str
    holds_for: str
    """Whose writes of the claim are refused: `everyone` if a person rejected it, otherwise that agent's."""
    reason: str
    at: When
    lifted_at: When | None
    lifted_by: str | None


class RejectionsAnswer(ListPage[RejectionView], frozen=True, kw_only=True):
    """Rejected claims."""


class RejectionsRequest(Request):
    by_agents: Annotated[
        bool,
        Meta(
            description="Only claims that agents have rejected. Each is refused only from the agent that rejected it."
        ),
    ] = False
    lifted: Annotated[bool, Meta(description="Whether to include rejections that were lifted.")] = False
    limit: ListLimit = limits.LIST_DEFAULT
    cursor: Cursor = None


@capability(
    "memory.rejections",
    Effect.READ,
    audience=Audience.PEOPLE,
    group=Group.DECIDE,
    synonyms=("tombstones",),
    routes=(Route("GET", "/v1/rejections"),),
    examples=("heldtrue rejections", "heldtrue rejections --by-agents"),
)
def rejections(call: Call, request: RejectionsRequest) -> RejectionsAnswer:
    """List rejected claims, newest first, with who rejected each one and whose writes are refused (people only).

    What a person rejects is refused from everyone. What an agent rejects is refused from that agent alone.
    """
    seq, _, stone_id = (request.cursor or "").partition(":")
    before = (read_cursor(seq or None), stone_id)
    with call.instance.store.read() as reading:
        found = reading.records.rejections_page(
            by_agents=request.by_agents, lifted=request.lifted, before=before, limit=request.limit + 1
        )
        page = found[: request.limit]
        items = [_view_rejection(reading, stone) for stone in page]
    last = page[-1] if len(found) > request.limit else None
    return RejectionsAnswer(items=items, next_cursor=f"{last.seq}:{last.id}" if last else None)


def _view_rejection(reading: ReadTransaction, stone: Tombstone) -> RejectionView:
    memory = reading.memories.version(stone.memory_id, stone.seq)
    return RejectionView(
        id=stone.id,
        memory=stone.memory_id,
        content=memory.content if memory is not None else stone.value,
        scope=stone.scope,
        by=stone.author,
        holds_for="everyone" if is_for_everyone(stone) else stone.author,
        reason=stone.reason,
        at=to_iso(stone.recorded_from),
        lifted_at=to_iso_or_none(stone.recorded_to),
        lifted_by=stone.closed_by,
    )
