"""Capabilities by which agents hand each other what a task needs."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from heldtrue.capabilities.arguments import MEMORY, Cursor, ListLimit
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import EverydayTool, Group
from heldtrue.capabilities.parameters import Mark, Reference, Request
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import Id, KindName, ListPage, MessageType, When
from heldtrue.capabilities.views import to_iso
from heldtrue.domain import limits
from heldtrue.domain.action import Effect
from heldtrue.domain.agent import HandedRow
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import InvalidInput, NotAllowed, NotFound
from heldtrue.domain.memory import Status
from heldtrue.domain.principal import OWNER, agent_principal
from heldtrue.domain.times import parse_span
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ingest.stages.intake import Intake
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ports import ReadTransaction

_FIRST = "~"
"""After every id."""


class HandedMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that came along, as it is now."""

    id: Id
    kind: KindName
    content: str
    confidence: float


class HandedContext(msgspec.Struct, frozen=True, kw_only=True):
    """What the receiver is to know."""

    memory_snippet: str
    """The memories in plain words, one a line."""
    project_context: str | None
    memories: list[HandedMemory]
    gone: int
    """Memories that were handed over and no longer hold."""


class HandedPayload(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted, and what is to be known for it."""

    action: str
    context: HandedContext


class HandedMessage(msgspec.Struct, frozen=True, kw_only=True, rename={"sender": "from"}):
    """A message between agents."""

    id: Id
    sender: str
    to: str
    type: MessageType
    payload: HandedPayload
    created_at: When
    expires_at: When


class ShareAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What was handed over."""

    message: HandedMessage
    seq: int


class HandedAnswer(ListPage[HandedMessage], frozen=True, kw_only=True):
    """What was handed to the caller and has not expired, newest first."""


class ShareRequest(Request):
    to: Annotated[str, Meta(description="The agent that is to get it."), Reference(("agent",), "agents")]
    action: Annotated[str, Meta(min_length=1, description="What is wanted of it, in a word or two.")]
    memories: Annotated[
        Annotated[list[str], Meta(max_length=limits.SHARED_MEMORIES_MAX)] | None,
        Meta(description="Ids of the memories that come along."),
        MEMORY,
    ] = None
    context: Annotated[str | None, Meta(description="What else it has to know."), Mark.PROSE] = None
    message_type: Annotated[Literal["request", "response", "event"], Meta(description="What sort of message.")] = (
        "request"
    )
    expires: Annotated[str, Meta(description="How long it may be read, such as '1 hour' or '2 days'.")] = "1 day"


@capability(
    "memory.share",
    Effect.WRITE,
    group=Group.AGENTS,
    positional=("to",),
)
def share(call: Call, request: ShareRequest) -> ShareAnswer:
    """Hand another agent what a task needs: memories that you may read yourself, and words of your own.

    It can be read until it expires. A memory that is rejected or replaced meanwhile is no longer shown.
    """
    receiver = agent_principal(request.to.removeprefix("agent:")).id
    if receiver == f"agent:{OWNER.name}":
        raise InvalidInput("a person needs no share", field="to", hint="name an agent")
    intake = Intake()
    wanted = intake.name(request.action, field="action") or ""
    note = intake.content(request.context, field="context") if request.context else None
    if not request.memories and not note:
        raise InvalidInput("there is nothing to hand over", field="memories", hint="name memories, or give a context")
    span = parse_span(request.expires, field="expires")
    if not 0 < span <= limits.SHARED_SPAN_US_MAX:
        raise InvalidInput("what is shared can be read for up to 30 days", field="expires", hint="say '1 day'")

    def act(session: WriteSession) -> ShareAnswer:
        ids = _shareable(call, session.transaction, request.memories or [])
        if not _is_known(session.transaction, receiver):
            raise NotFound(f"there is no agent {request.to!r}", field="to", hint="a person lets it in with `add_agent`")
        builder = EntryBuilder(session, "memory.share")
        row = HandedRow(
            id=builder.fresh_id(),
            sender=session.actor.id,
            receiver=receiver,
            type=request.message_type,
            action=wanted,
            memories=tuple(ids),
            note=note,
            created_at=session.now,
            expires_at=session.now + span,
        )
        session.transaction.agents.hand_over(row)
        entry = builder.finish(
            OutcomeKind.SHARED,
            target=None,
            scope=None,
            reason=f"handed to {receiver} for {wanted}",
            message=row.id,
            receiver=receiver,
            memories=ids,
        )
        return ShareAnswer(message=_view(session.transaction, row), seq=entry.seq)

    return call.submit(act, ShareAnswer)


class HandedRequest(Request):
    limit: ListLimit = limits.LIST_DEFAULT
    cursor: Cursor = None


@capability(
    "memory.handed",
    Effect.READ,
    skill_agents=True,
    group=Group.AGENTS,
    tool=EverydayTool(
        "What other agents have handed to you for your task, newest first. Call it first: it is all you get.",
        {"limit": "", "cursor": "From the answer before, for more"},
        rank=1,
        skill_agents=True,
    ),
)
def handed(call: Call, request: HandedRequest) -> HandedAnswer:
    """What other agents have handed to you for a task, newest first, until it expires."""
    with call.instance.store.read() as reading:
        rows = reading.agents.handed_to(
            call.principal.id, now=call.now, before=request.cursor or _FIRST, limit=request.limit + 1
        )
        messages = [_view(reading, row) for row in rows[: request.limit]]
    return HandedAnswer(items=messages, next_cursor=messages[-1].id if len(rows) > request.limit else None)


def _shareable(call: Call, reading: ReadTransaction, refs: list[str]) -> list[str]:
    """The ids of memories that the caller may read and may pass on."""
    found = []
    for ref in dict.fromkeys(refs):
        memory = call.find(reading, ref, field="memories")
        if memory.privacy.is_private:
            raise NotAllowed("a private memory is its author's alone", field="memories", hint="leave it out")
        found.append(memory.memory_id)
    return found


def _is_known(reading: IngestReadTransaction, principal_id: str) -> bool:
    return reading.agents.named(principal_id.partition(":")[2]) is not None or reading.ledger.knows(
        "principal", principal_id
    )


def _view(reading: ReadTransaction, row: HandedRow) -> HandedMessage:
    # Read anew each time: what was rejected since is not handed on.
    versions = {one.memory_id: one for one in reading.memories.current_versions(list(row.memories))}
    held = [versions[ref] for ref in row.memories if ref in versions and versions[ref].status == Status.ACTIVE]
    memories = [
        HandedMemory(id=one.memory_id, kind=one.kind, content=one.content, confidence=one.confidence) for one in held
    ]
    context = HandedContext(
        memory_snippet="\n".join(one.content for one in held),
        project_context=row.note,
        memories=memories,
        gone=len(row.memories) - len(held),
    )
    return HandedMessage(
        id=row.id,
        sender=row.sender,
        to=row.receiver,
        type=row.type,
        payload=HandedPayload(action=row.action, context=context),
        created_at=to_iso(row.created_at),
        expires_at=to_iso(row.expires_at),
    )
