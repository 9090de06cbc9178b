"""Links between memories, and from a memory to anything that has an IRI."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from heldtrue.capabilities.arguments import (
    MEMORY,
    MemoryRef,
    Reason,
)
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import Change, EverydayTool, Group
from heldtrue.capabilities.parameters import Mark, Metavar, Request
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import LinkOutcome, Written
from heldtrue.capabilities.views import LinkView, view_link
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import InvalidInput, NotFound
from heldtrue.domain.records import Link
from heldtrue.ingest.acts import links
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.stages.intake import Intake
from heldtrue.ingest.stages.journal import WriteSession


class LinkAnswer(Written[LinkOutcome], frozen=True, kw_only=True):
    """The result of adding or removing a link."""

    link: LinkView


class LinkRequest(Request):
    memory: MemoryRef
    to: Annotated[str, Meta(description="The id or IRI of another memory, or any other IRI."), MEMORY]
    relationship: Annotated[
        str,
        Meta(
            description="causes, requires, contradicts, supports, supersedes, applies_to, derived_from, related_to, "
            "overrides, or a word of your own."
        ),
    ] = "related_to"
    reason: Annotated[str | None, Meta(description="Why the two are related."), Mark.PROSE, Metavar("WHY")] = None


@capability(
    "memory.link",
    Effect.WRITE,
    group=Group.REMEMBER,
    positional=("memory", "to", "relationship"),
    repeatable=True,
    change=Change.LINKED,
    tool=EverydayTool(
        "Link a memory to a related memory or to an IRI.",
        {
            "memory": "The memory's id",
            "to": "The id or IRI of the other memory",
            "relationship": "causes, requires, contradicts, supports, supersedes, applies_to, derived_from, related_to",
        },
        rank=6,
    ),
    examples=('heldtrue link ID OTHER_ID supports --reason "same incident"', "heldtrue link ID https://example.org/x"),
)
def link(call: Call, request: LinkRequest) -> LinkAnswer:
    """Link a memory to another memory or to any IRI, with a typed relationship."""

    def act(session: WriteSession) -> LinkAnswer:
        found = call.find(session.transaction, request.memory)
        intake = Intake()
        target = _link_target(call, session, request.to, found.memory_id)
        word = intake.name(request.relationship, field="relationship")
        if word is None:
            raise InvalidInput(
                "relationship is empty", field="relationship", hint="use a word such as supports or related_to"
            )
        made, outcome = links.link(session, found, target, word, intake.reason(request.reason))
        return _answer_link(made, outcome)

    return call.submit(act, LinkAnswer)


class UnlinkRequest(Request):
    memory: MemoryRef
    to: Annotated[str, Meta(description="The id or IRI of the linked memory or item."), MEMORY]
    relationship: Annotated[str, Meta(description="The relationship to remove.")] = "related_to"
    reason: Reason


@capability(
    "memory.unlink",
    Effect.WRITE,
    group=Group.REMEMBER,
    positional=("memory", "to", "relationship"),
    destructive=True,
    repeatable=True,
    change=Change.LINKED,
)
def unlink(call: Call, request: UnlinkRequest) -> LinkAnswer:
    """Remove a link. It stays in the history."""

    def act(session: WriteSession) -> LinkAnswer:
        found = call.find(session.transaction, request.memory)
        target = _link_target(call, session, request.to, found.memory_id)
        present = session.transaction.records.open_link(found.memory_id, target, request.relationship)
        if present is None:
            raise NotFound(
                f"this memory has no link {request.relationship!r} to {request.to!r}",
                field="to",
                hint="see: `explain`",
            )
        outcome = links.unlink(session, found, present, Intake().why(request.reason))
        return _answer_link(present, outcome)

    return call.submit(act, LinkAnswer)


def _answer_link(link: Link, outcome: Outcome) -> LinkAnswer:
    return LinkAnswer(outcome=outcome.outcome.value, link=view_link(link), reason=outcome.reason, seq=outcome.seq)


def _link_target(call: Call, session: WriteSession, to: str, from_id: str) -> str:
    """The target of a link: a memory the caller may see, or an IRI."""
    target = call.memory_id(session.transaction, to)
    if target is not None:
        call.find(session.transaction, target, field="to")
        if target == from_id:
            raise InvalidInput(
                "a memory cannot be linked to itself", field="to", hint="specify another memory or an IRI"
            )
        return target
    iri = Intake().reference(to, field="to") or ""
    scheme, colon, rest = iri.partition(":")
    if (
        not colon
        or not rest
        or not scheme.isascii()
        or not scheme[:1].isalpha()
        or any(mark in iri for mark in ' <>"{}|\\^`')
    ):
        raise InvalidInput(
            "is neither a memory nor an IRI",
            given=to,
            field="to",
            hint="use a memory's id, or an IRI such as https://...",
        )
    return iri
