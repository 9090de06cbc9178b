"""Share memories and context between agents."""

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
from heldtrue.domain.agent import pack_names, unpack_names
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import InvalidInput, NotAllowed, NotFound
from heldtrue.domain.memory import Status
from heldtrue.domain.principal import OWNER, agent_principal
from heldtrue.domain.records import Handed
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ingest.stages.intake import Intake
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.language.moments import parse_deadline
from heldtrue.ports import ReadTransaction

_FIRST = "~"
"""A cursor that comes after every id."""


class HandedMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A shared memory, in its current version."""

    id: Id
    kind: KindName
    content: str
    confidence: float


class HandedContext(msgspec.Struct, frozen=True, kw_only=True):
    """The context for the receiver."""

    memory_snippet: str
    """The contents of the memories, one per line."""
    project_context: str | None
    memories: list[HandedMemory]
    gone: int
    """How many of the shared memories are no longer active."""


class HandedPayload(msgspec.Struct, frozen=True, kw_only=True):
    """The requested action and its context."""

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
    """The message that was sent."""

    message: HandedMessage
    seq: int


class HandedAnswer(ListPage[HandedMessage], frozen=True, kw_only=True):
    """Messages for the caller that have not expired, newest first."""


class ShareRequest(Request):
    to: Annotated[str, Meta(description="The agent to share with."), Reference(("agent",), "agents")]
    action: Annotated[str, Meta(min_length=1, description="What the agent should do, in a few words.")]
    memories: Annotated[
        Annotated[list[str], Meta(max_length=limits.SHARED_MEMORIES_MAX)] | None,
        Meta(description="Ids of the memories to share."),
        MEMORY,
    ] = None
    context: Annotated[str | None, Meta(description="Additional context for the agent."), Mark.PROSE] = None
    message_type: Annotated[Literal["request", "response", "event"], Meta(description="The type of message.")] = (
        "request"
    )
    expires: Annotated[
        str, Meta(description="How long the agent can read the message ('2 days'), or until when ('friday').")
    ] = "1 day"


@capability(
    "memory.share",
    Effect.WRITE,
    group=Group.AGENTS,
    positional=("to",),
)
def share(call: Call, request: ShareRequest) -> ShareAnswer:
    """Share memories you may read, and context in your own words, with another agent for a task.

    The message can be read until it expires. Memories that are rejected or replaced in the meantime are not shown.
    """
    receiver = agent_principal(request.to.removeprefix("agent:")).id
    if receiver == f"agent:{OWNER.name}":
        raise InvalidInput("the owner cannot be a receiver", field="to", hint="specify an agent")
    intake = Intake()
    wanted = intake.name(request.action, field="action") or ""
    note = intake.content(request.context, field="context") if request.context else None
    if not request.memories and not note:
        raise InvalidInput("nothing to share", field="memories", hint="specify `memories` or `context`")
    span = parse_deadline(request.expires, field="expires", now=call.now) - call.now
    if not 0 < span <= limits.SHARED_SPAN_US_MAX:
        raise InvalidInput("expires must be at most 30 days away", field="expires", hint="use a period such as '1 day'")

    def act(session: WriteSession) -> ShareAnswer:
        ids = _shareable(call, session.transaction, request.memories or [])
        if not _is_known(session.transaction, receiver):
            raise NotFound(
                f"no agent named {request.to!r}", field="to", hint="a person can add the agent with `add_agent`"
            )
        builder = EntryBuilder(session, "memory.share")
        message = builder.insert(
            Handed(
                id=builder.fresh_id(),
                seq=builder.seq,
                sender=session.actor.id,
                receiver=receiver,
                type=request.message_type,
                action=wanted,
                memories=pack_names(ids),
                note=note,
                expires_at=session.now + span,
                recorded_from=builder.at,
            )
        )
        entry = builder.finish(
            OutcomeKind.SHARED,
            target=None,
            scope=None,
            reason=f"shared with {receiver} for {wanted}",
            message=message.id,
            receiver=receiver,
            memories=ids,
        )
        return ShareAnswer(message=_view(session.transaction, message), seq=entry.seq)

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
        "List what other agents have shared with you for your task, newest first. Call this first: you cannot "
        "read anything else.",
        {"limit": "", "cursor": "next_cursor of the previous page"},
        rank=1,
        skill_agents=True,
    ),
)
def handed(call: Call, request: HandedRequest) -> HandedAnswer:
    """List the unexpired messages that other agents have shared with you, newest first."""
    with call.instance.store.read() as reading:
        rows = reading.agents.handed_to(
            call.principal.id, now=call.now, before=request.cursor or _FIRST, limit=request.limit + 1
        )
        messages = [_view(reading, row) for row in rows[: request.limit]]
    return HandedAnswer(items=messages, next_cursor=messages[-1].id if len(rows) > request.limit else None)


def _shareable(call: Call, reading: ReadTransaction, refs: list[str]) -> list[str]:
    """The ids of memories that the caller may read and share."""
    found = []
    for ref in dict.fromkeys(refs):
        memory = call.find(reading, ref, field="memories")
        if memory.privacy.is_private:
            raise NotAllowed("a private memory cannot be shared", field="memories", hint="leave this memory out")
        found.append(memory.memory_id)
    return found


def _is_known(reading: IngestReadTransaction, principal_id: str) -> bool:
    return reading.agents.named(principal_id.partition(":")[2]) is not None or reading.ledger.knows(
        "principal", principal_id
    )


def _view(reading: ReadTransaction, message: Handed) -> HandedMessage:
    # Read again each time: memories that were rejected since are not shown.
    ids = unpack_names(message.memories)
    versions = {version.memory_id: version for version in reading.memories.current_versions(ids)}
    active = [versions[ref] for ref in ids if ref in versions and versions[ref].status == Status.ACTIVE]
    memories = [
        HandedMemory(id=memory.memory_id, kind=memory.kind, content=memory.content, confidence=memory.confidence)
        for memory in active
    ]
    context = HandedContext(
        memory_snippet="\n".join(memory.content for memory in active),
        project_context=message.note,
        memories=memories,
        gone=len(ids) - len(active),
    )
    return HandedMessage(
        id=message.id,
        sender=message.sender,
        to=message.receiver,
        type=message.type,
        payload=HandedPayload(action=message.action, context=context),
        created_at=to_iso(message.recorded_from),
        expires_at=to_iso(message.expires_at),
    )
