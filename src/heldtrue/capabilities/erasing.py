"""Erase memories, sources, conversations, everything by an agent, or everything about a subject."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from heldtrue.capabilities.arguments import Reason
from heldtrue.capabilities.call import Call, Instance
from heldtrue.capabilities.declaration import Group
from heldtrue.capabilities.parameters import Mark, Metavar, Reference, Request
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import Id, When
from heldtrue.domain.action import Audience, Effect
from heldtrue.domain.errors import InvalidInput, NotFound
from heldtrue.domain.limits import ERASURE_ITEMS_SHOWN_MAX, ERASURE_QUOTE_CHARS_MAX
from heldtrue.domain.outside import CopyKind
from heldtrue.domain.plural import count
from heldtrue.domain.times import to_iso
from heldtrue.engine.ports import EngineStore
from heldtrue.ingest.acts.erase import ErasureResult, erase_act, erase_in_copy, finish_erasure, refuse_quoting
from heldtrue.ingest.stages.erasing import EraseCause, ErasurePlan, PlannedItem, Selection, plan_erasure
from heldtrue.ingest.stages.intake import Intake
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.language.mentions import Mentions
from heldtrue.ports import ReadTransaction


class ErasedItem(msgspec.Struct, frozen=True, kw_only=True):
    """A memory or a source that is erased."""

    id: Id
    cause: Annotated[EraseCause, Meta(description="Why it is included.")]
    words: str | None = None
    """The beginning of its text, in a dry run only."""


class CopyView(msgspec.Struct, frozen=True, kw_only=True):
    """A file that may still contain what was erased."""

    path: str
    kind: CopyKind
    made_at: When


class EraseAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What would be erased, or what was erased."""

    outcome: Literal["planned", "erased"]
    confirm: str | None = None
    """The code that confirms exactly this list; only in a dry run."""
    memories: list[ErasedItem]
    sources: list[ErasedItem]
    more: int = 0
    """How many more memories and sources there are than listed."""
    counts: dict[str, int]
    """The number of records and rows by table."""
    weakened: list[Id]
    """Memories that are kept, but lose one of their sources."""
    copies: list[CopyView]
    """Known backups and exports that still contain what was erased. Delete them, or restrict access to them."""
    notes: list[str] = msgspec.field(default_factory=list)
    seq: int


class EraseRequest(Request):
    memories: Annotated[
        list[str] | None,
        Meta(description="The ids of memories to erase."),
        Reference(("memory",), "list", by_line=False),
        Metavar("ID"),
    ] = None
    reason: Reason
    sources: Annotated[
        list[str] | None,
        Meta(description="The ids of sources to erase."),
        Reference(("source",), by_line=False),
        Metavar("ID"),
    ] = None
    conversation: Annotated[
        str | None, Meta(description="The thread of a conversation or document to erase."), Metavar("THREAD")
    ] = None
    author: Annotated[
        str | None,
        Meta(description="The name of an agent. Erases everything that this agent has said."),
        Metavar("AGENT"),
    ] = None
    subject: Annotated[
        list[str] | None,
        Meta(description="A name, alias or identifier of a person or thing. Erases everything that mentions it."),
        Mark.PROSE,
        Metavar("NAME"),
    ] = None
    confirm: Annotated[
        str | None,
        Meta(description="The code from the dry run. Without a code, nothing is erased."),
        Metavar("CODE"),
    ] = None


@capability(
    "memory.erase",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.REMEMBER,
    positional=("memories",),
    synonyms=("purge", "wipe", "shred"),
    destructive=True,
    examples=(
        'heldtrue erase ID --reason "request 4711"',
        'heldtrue erase --subject "Ann Roe" --subject ann@roe.example --reason "request 4711"',
        'heldtrue erase ID --reason "request 4711" --confirm 3f9a1c2b7d60',
    ),
)
def erase(call: Call, request: EraseRequest) -> EraseAnswer:
    """Destroy memories and their evidence for good, in all versions, logs and indexes (people only).

    Without `confirm`, this is a dry run: it lists everything that would be erased, and prints a code. With that
    code, exactly this list is erased. The ledger can still be verified, and shows that something was erased, when,
    by whom and why. Agents cannot store an erased statement again. To retract a memory and keep its
    history, use `forget`.
    """
    reason = Intake().why(request.reason)
    call.instance.recall_log.flush()
    with call.instance.store.read() as reading:
        selection = _select(call, reading, request)
        if request.confirm is None:
            plan = plan_erasure(reading, selection)
            refuse_quoting(plan, reason)
            return _show_plan(call, plan, reading.ledger.space().id, reading.ledger.head().seq)
        space_id = reading.ledger.space().id

    def answer(result: ErasureResult, _session: WriteSession) -> EraseAnswer:
        return _show_result(result, _copies(call, space_id, result.plan))

    done = call.submit(erase_act(selection, reason, request.confirm.strip(), answer), EraseAnswer)
    is_finished = complete_erasure(call.instance)
    return msgspec.structs.replace(done, notes=[*done.notes, *([] if is_finished else [_UNFINISHED])])


_UNFINISHED = (
    "another program is using the database, so unused parts of its files may still contain erased text; the "
    "erasure is completed when the store is next opened, or when you run `erase` again"
)


def _select(call: Call, reading: ReadTransaction, request: EraseRequest) -> Selection:
    """What the request names; ids must exist."""
    wanted = (request.memories, request.sources, request.conversation, request.author, request.subject)
    if not any(wanted):
        raise InvalidInput(
            "nothing to erase was given",
            field="memories",
            hint="specify `memories`, `sources`, `conversation`, `author` or `subject`",
        )
    sources = []
    for ref in request.sources or ():
        found = call.source_id(reading, ref, field="sources")
        if found is None or reading.ledger.opened("sources", {"id": found}) is None:
            raise NotFound(f"no source with id {ref}", field="sources", hint="find the id with `explain`")
        sources.append(found)
    author = request.author and (request.author if ":" in request.author else f"agent:{request.author}")
    return Selection(
        memories=frozenset(call.find(reading, ref, field="memories").memory_id for ref in request.memories or ()),
        sources=frozenset(sources),
        thread=request.conversation,
        author=author,
        subject=Mentions(request.subject, field="subject") if request.subject else None,
    )


def _show_plan(call: Call, plan: ErasurePlan, space_id: str, seq: int) -> EraseAnswer:
    if plan.is_empty:
        raise NotFound("the store contains nothing that matches", hint="search the store with `recall` or `list`")
    return EraseAnswer(
        outcome="planned",
        confirm=plan.code,
        memories=_items(plan.memories, has_words=True),
        sources=_items(plan.sources, has_words=True),
        more=_count_more(plan),
        counts=_count(plan),
        weakened=plan.weakened,
        copies=_copies(call, space_id, plan),
        seq=seq,
    )


def _show_result(result: ErasureResult, copies: list[CopyView]) -> EraseAnswer:
    plan = result.plan
    return EraseAnswer(
        outcome="erased",
        memories=_items(plan.memories, has_words=False),
        sources=_items(plan.sources, has_words=False),
        more=_count_more(plan),
        counts=_count(plan),
        weakened=plan.weakened,
        copies=copies,
        seq=result.seq,
    )


def _items(found: list[PlannedItem], *, has_words: bool) -> list[ErasedItem]:
    return [
        ErasedItem(id=item.id, cause=item.cause, words=item.words[:ERASURE_QUOTE_CHARS_MAX] if has_words else None)
        for item in found[:ERASURE_ITEMS_SHOWN_MAX]
    ]


def _count_more(plan: ErasurePlan) -> int:
    return sum(max(0, len(found) - ERASURE_ITEMS_SHOWN_MAX) for found in (plan.memories, plan.sources))


def _count(plan: ErasurePlan) -> dict[str, int]:
    found = {**plan.records, **plan.working}
    return {table: len(rows) for table, rows in sorted(found.items()) if rows}


def _copies(call: Call, space_id: str, plan: ErasurePlan) -> list[CopyView]:
    """The known copies that were made after the first erased record was written."""
    seqs = [record.seq for found in plan.records.values() for record in found]
    first = min(seqs, default=0)
    return [
        CopyView(path=copy.path, kind=copy.kind, made_at=to_iso(copy.made_at))
        for copy in call.instance.outside.copies(space_id)
        if copy.entries >= first
    ]


def complete_erasure(instance: Instance) -> bool:
    """Complete an erasure; returns whether nothing is left to do."""
    is_complete = finish_erasure(instance.store, instance.outside)
    instance.keep_vectors_soon()
    return is_complete


def erase_again(call: Call, store: EngineStore, space_id: str) -> str | None:
    """Erase from an older copy of a store what was erased from the store since; returns a sentence that says so."""
    erased = erase_in_copy(store, call.instance.outside.erasures(space_id), call.principal, call.now)
    if erased is None:
        return None
    were = count(erased, "record was", "records were")
    return f"{were} erased again, because of erasures since this copy was made; the logs of the copy were dropped"
