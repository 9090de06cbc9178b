"""Review: the inbox, conflicts, and restoring memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from heldtrue.capabilities.arguments import MEMORY, Cursor, Kinds, ListLimit, MemoryRef, Reason, Scopes, WaitingRef
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import Change, EverydayCommand, Group, Route
from heldtrue.capabilities.parameters import Mark, Metavar, Reference, Request
from heldtrue.capabilities.reading import list_page, read_cursor
from heldtrue.capabilities.references import complete_id
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import Id, ListPage, PendingCauseName
from heldtrue.capabilities.views import ConflictView, MemoryView, SourceView, view_conflict, view_evidence, view_memory
from heldtrue.capabilities.writing import WriteAnswer, answer_of
from heldtrue.domain import limits
from heldtrue.domain.action import Audience, Effect
from heldtrue.domain.cause import PendingCause
from heldtrue.domain.errors import InvalidInput, NotFound, WrongState
from heldtrue.domain.memory import MemoryVersion, Status, VersionChange
from heldtrue.domain.records import Conflict, Disposition, Evidence, Source
from heldtrue.ingest.acts import retract, review
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ingest.stages.candidate import Candidate, restate_memory
from heldtrue.ingest.stages.intake import Intake
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ports import ReadTransaction
from heldtrue.recall.visibility import visible_conflicts, visible_evidence


class InboxItem(msgspec.Struct, frozen=True, kw_only=True):
    """A memory in the inbox, with its evidence and the reason why it is there."""

    memory: MemoryView
    waits_because: str
    cause: PendingCauseName | None
    """A fixed word for why the memory is in the inbox."""
    evidence: list[SourceView]
    conflicts: list[ConflictView]
    opposes: list[MemoryView]
    """The memories that it contradicts."""


class InboxAnswer(ListPage[InboxItem], frozen=True, kw_only=True):
    """Memories in the inbox."""


class ConflictItem(msgspec.Struct, frozen=True, kw_only=True):
    """A conflict with both memories."""

    conflict: ConflictView
    old: MemoryView
    new: MemoryView


class ConflictsAnswer(ListPage[ConflictItem], frozen=True, kw_only=True):
    """Conflicts."""


class InboxRequest(Request):
    kinds: Kinds = None
    scopes: Scopes = None
    limit: ListLimit = limits.LIST_DEFAULT
    cursor: Cursor = None


@capability(
    "memory.inbox",
    Effect.READ,
    group=Group.DECIDE,
    everyday=EverydayCommand(6, "Show the memories waiting for your review"),
    routes=(Route("GET", "/v1/inbox"),),
)
def inbox(call: Call, request: InboxRequest) -> InboxAnswer:
    """List the memories waiting for review, newest first, each with the reason and its evidence."""
    chosen = call.filter(
        request.scopes, statuses=(Status.INBOX.value,), kinds=tuple(kind.value for kind in request.kinds or ())
    )
    with call.instance.store.read() as reading:
        page = list_page(reading, chosen, call.now, request.limit, request.cursor)
        items = [_inbox_item(call, reading, memory) for memory in page.items]
    return InboxAnswer(items=items, next_cursor=page.next_cursor)


def _inbox_item(call: Call, reading: IngestReadTransaction, memory: MemoryView) -> InboxItem:
    pending = [conflict for conflict in reading.records.conflicts_of([memory.id]) if conflict.recorded_to is None]
    pending = visible_conflicts(reading, call.principal, pending)
    others = [side for conflict in pending for side in (conflict.old_id, conflict.new_id) if side != memory.id]
    return InboxItem(
        memory=memory,
        waits_because=_why_it_waits(reading, memory),
        cause=memory.cause,
        evidence=view_evidence(_evidence_of(call, reading, memory.id)),
        conflicts=[view_conflict(conflict) for conflict in pending],
        opposes=[
            view_memory(other, reading.ledger.space(), call.now) for other in reading.memories.current_versions(others)
        ],
    )


def _evidence_of(call: Call, reading: IngestReadTransaction, memory_id: str) -> Sequence[tuple[Evidence, Source]]:
    """The evidence of a memory. A person who reviews sees all of it, others only what they may see."""
    rows = reading.records.evidence_of([memory_id])
    return rows if call.principal.is_person else visible_evidence(reading, call.principal, rows)


def _why_it_waits(reading: ReadTransaction, memory: MemoryView) -> str:
    """Why a memory was put into the inbox, or moved there after it had been active."""
    versions = [version for version in reading.memories.versions(memory.id) if version.cause == memory.cause]
    if memory.cause == PendingCause.QUARANTINE:
        versions = [version for version in versions if version.change == VersionChange.QUARANTINE][-1:]
    return (versions[0].reason if versions else None) or ""


class ApproveRequest(Request):
    memory: WaitingRef
    reason: Annotated[str, Meta(min_length=1, description="Why you approve it."), Mark.PROSE, Metavar("WHY")] = (
        "approved"
    )
    rationale: Annotated[
        str | None, Meta(description="The rationale, for a decision that has none yet."), Mark.PROSE
    ] = None
    content: Annotated[
        str | None, Meta(description="A better wording. Default: unchanged."), Mark.PROSE, Mark.STDIN
    ] = None


@capability(
    "memory.approve",
    Effect.WRITE,
    audience=Audience.PEOPLE,
    group=Group.DECIDE,
    everyday=EverydayCommand(7, "Accept an inbox item"),
    synonyms=("accept", "confirm"),
    positional=("memory",),
    destructive=True,
)
def approve(call: Call, request: ApproveRequest) -> WriteAnswer:
    """Approve an inbox item, or verify an agent's active memory (people only)."""
    intake = Intake()
    why, because = intake.why(request.reason), intake.reason(request.rationale, field="rationale")

    def act(session: WriteSession) -> WriteAnswer:
        found = call.find(session.transaction, request.memory)
        edited = restate_memory(found, content=request.content) if request.content is not None else None
        return answer_of(review.approve(session, found, why, because, edited), session)

    return call.submit(act, WriteAnswer)


class ReviewAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a bulk review."""

    dry_run: bool
    matched: int
    counts: dict[str, int]
    """How many were approved, rejected or dismissed, and how many failed."""
    memories: list[Id]
    contents: list[str]
    """The contents of these items, in the same order."""
    problems: list[str]
    """Why some items failed, each with its id."""
    more: bool
    """Whether more items match than the limit allows."""


class ReviewRequest(Request):
    decision: Annotated[
        Literal["approve", "reject", "dismiss"], Meta(description="What to do with the matching items.")
    ]
    reason: Reason
    kinds: Kinds = None
    scopes: Scopes = None
    topic: Annotated[str | None, Meta(description="Only items of this topic.")] = None
    author: Annotated[str | None, Meta(description="Only items by this author, for example agent:codex.")] = None
    min_confidence: Annotated[float, Meta(ge=0, le=1, description="Only items with at least this confidence.")] = 0.0
    limit: ListLimit = 100
    dry_run: Annotated[bool, Meta(description="Only list the items that match.")] = False


@capability(
    "memory.review",
    Effect.WRITE,
    audience=Audience.PEOPLE,
    group=Group.DECIDE,
    positional=("decision",),
    destructive=True,
    examples=('heldtrue review approve --kind preference --reason "read through"',),
)
def review_many(call: Call, request: ReviewRequest) -> ReviewAnswer:
    """Approve, reject or dismiss all inbox items that match (people only)."""
    why = Intake().why(request.reason)
    conditions = {
        "kinds": tuple(kind.value for kind in request.kinds or ()),
        "topic": request.topic,
        "author": request.author,
    }
    chosen = call.filter(
        request.scopes, statuses=(Status.INBOX.value,), min_confidence=request.min_confidence or None, **conditions
    )

    decide = _DECISIONS[request.decision]

    def act(session: WriteSession) -> ReviewAnswer:
        fitting = session.transaction.memories.list_versions(chosen, before=None, limit=request.limit + 1)
        waiting = fitting[: request.limit]
        counts: Counter[str] = Counter()
        problems = []
        for memory in [] if request.dry_run else waiting:
            try:
                counts[decide(session, memory, why).outcome.value] += 1
            except (WrongState, InvalidInput) as problem:
                counts["left"] += 1
                problems.append(f"{memory.memory_id}: {problem.message}")
        return ReviewAnswer(
            dry_run=request.dry_run,
            matched=len(waiting),
            counts=dict(counts),
            memories=[memory.memory_id for memory in waiting],
            contents=[memory.content for memory in waiting],
            problems=problems,
            more=len(fitting) > request.limit,
        )

    return call.submit(act, ReviewAnswer)


def _approve(session: WriteSession, memory: MemoryVersion, reason: str) -> Outcome:
    return review.approve(session, memory, reason, None)


_DECISIONS = {"approve": _approve, "reject": retract.reject, "dismiss": retract.dismiss}


class RejectRequest(Request):
    memory: WaitingRef
    reason: Reason = "no reason given"


@capability(
    "memory.reject",
    Effect.WRITE,
    audience=Audience.PEOPLE,
    group=Group.DECIDE,
    everyday=EverydayCommand(8, "Reject an inbox item permanently"),
    synonyms=("deny", "decline"),
    positional=("memory",),
    destructive=True,
    change=Change.RETRACTED,
)
def reject(call: Call, request: RejectRequest) -> WriteAnswer:
    """Reject an inbox item because it is wrong (people only).

    The same claim is refused from then on, and captured sentences that state it are hidden. To take an item out of
    the inbox without saying that it is wrong, use `dismiss`.
    """
    why = Intake().why(request.reason)

    def act(session: WriteSession) -> WriteAnswer:
        memory = call.find(session.transaction, request.memory)
        return answer_of(retract.reject(session, memory, why), session)

    return call.submit(act, WriteAnswer)


class DismissRequest(Request):
    memory: WaitingRef
    reason: Reason = "not worth keeping"


@capability(
    "memory.dismiss",
    Effect.WRITE,
    audience=Audience.PEOPLE,
    group=Group.DECIDE,
    synonyms=("discard", "skip"),
    positional=("memory",),
    destructive=True,
    examples=('heldtrue dismiss ID --reason "badly worded"',),
)
def dismiss(call: Call, request: DismissRequest) -> WriteAnswer:
    """Take an item out of the inbox because it is not worth keeping or is badly worded (people only).

    Unlike `reject`, this does not mark the claim as wrong: nothing is refused or hidden because of it. The item is
    not proposed again from the same source.
    """
    why = Intake().why(request.reason)

    def act(session: WriteSession) -> WriteAnswer:
        memory = call.find(session.transaction, request.memory)
        return answer_of(retract.dismiss(session, memory, why), session)

    return call.submit(act, WriteAnswer)


class RestoreRequest(Request):
    memory: MemoryRef
    reason: Annotated[str, Meta(min_length=1, description="Why you restore it."), Mark.PROSE, Metavar("WHY")] = (
        "restored"
    )


@capability(
    "memory.restore",
    Effect.WRITE,
    audience=Audience.PEOPLE,
    group=Group.DECIDE,
    positional=("memory",),
    destructive=True,
    examples=('heldtrue restore ID --reason "it was right after all"',),
)
def restore(call: Call, request: RestoreRequest) -> WriteAnswer:
    """Restore a memory that was forgotten, rejected or replaced (people only).

    If the statement was rejected, the rejection is also removed. The history records both changes.
    """
    why = Intake().why(request.reason)

    def act(session: WriteSession) -> WriteAnswer:
        memory = call.find(session.transaction, request.memory)
        return answer_of(retract.restore(session, memory, why), session)

    return call.submit(act, WriteAnswer)


class MergeRequest(Request):
    memory: MemoryRef
    other: Annotated[str, Meta(description="The id or IRI of the memory that is merged into the first one."), MEMORY]
    reason: Annotated[str, Meta(min_length=1, description="Why you merge them."), Mark.PROSE, Metavar("WHY")] = (
        "both say the same thing"
    )


@capability(
    "memory.merge",
    Effect.WRITE,
    audience=Audience.PEOPLE,
    group=Group.DECIDE,
    positional=("memory", "other"),
)
def merge(call: Call, request: MergeRequest) -> WriteAnswer:
    """Merge two memories that say the same thing. The first one stays, with the evidence of both (people only)."""
    why = Intake().why(request.reason)

    def act(session: WriteSession) -> WriteAnswer:
        kept, gone = (
            call.find(session.transaction, request.memory),
            call.find(session.transaction, request.other, field="other"),
        )
        return answer_of(review.merge(session, kept, gone, why), session)

    return call.submit(act, WriteAnswer)


class ConflictsRequest(Request):
    settled: Annotated[bool, Meta(description="Whether to include resolved conflicts.")] = False
    limit: ListLimit = limits.LIST_DEFAULT
    cursor: Cursor = None


@capability(
    "memory.conflicts",
    Effect.READ,
    group=Group.DECIDE,
    synonyms=("contradictions",),
    routes=(Route("GET", "/v1/conflicts"),),
)
def conflicts(call: Call, request: ConflictsRequest) -> ConflictsAnswer:
    """List memories that contradict each other, with both sides and the difference."""
    seq, _, conflict_id = (request.cursor or "").partition(":")
    after = (read_cursor(seq or None) or 0, conflict_id)
    with call.instance.store.read() as reading:
        found = reading.records.conflicts_page(
            pending=not request.settled, sight=call.sight, after=after, limit=request.limit + 1
        )
        items = [item for row in found[: request.limit] if (item := _conflict_item(call, reading, row)) is not None]
    last = found[request.limit - 1] if len(found) > request.limit else None
    return ConflictsAnswer(items=items, next_cursor=f"{last.seq}:{last.id}" if last else None)


def _conflict_item(call: Call, reading: ReadTransaction, conflict: Conflict) -> ConflictItem | None:
    """Both sides of a conflict, if the caller may see both."""
    sides = [reading.memories.version(memory_id) for memory_id in (conflict.old_id, conflict.new_id)]
    old, new = sides
    if old is None or new is None or not (call.may_read(old) and call.may_read(new)):
        return None
    space, now = reading.ledger.space(), call.now
    return ConflictItem(
        conflict=view_conflict(conflict), old=view_memory(old, space, now), new=view_memory(new, space, now)
    )


class ResolveRequest(Request):
    conflict: Annotated[str, Meta(description="The id of the conflict."), Reference(("conflict",), "conflicts")]
    disposition: Annotated[
        Disposition,
        Meta(description="How to resolve the conflict: keep_old, keep_new, keep_both, remove_both or merge."),
    ]
    reason: Reason = "no reason given"
    text: Annotated[str | None, Meta(description="The merged statement, required for merge."), Mark.PROSE] = None


@capability(
    "memory.resolve",
    Effect.WRITE,
    audience=Audience.PEOPLE,
    group=Group.DECIDE,
    synonyms=("settle",),
    positional=("conflict", "disposition"),
    destructive=True,
    change=Change.CORRECTED,
    examples=('heldtrue resolve CONFLICT keep_new --reason "checked in production"',),
)
def resolve(call: Call, request: ResolveRequest) -> WriteAnswer:
    """Resolve a conflict (people only). The same conflict is not raised again."""
    why = Intake().why(request.reason)

    def act(session: WriteSession) -> WriteAnswer:
        found = _find_conflict(call, session.transaction, request.conflict)
        item = _conflict_item(call, session.transaction, found) if found else None
        if found is None or item is None:
            raise NotFound(
                f"no conflict with id {request.conflict}",
                field="conflict",
                hint="list the conflicts with `conflicts`",
            )
        old = session.transaction.memories.version(found.old_id)
        assert old is not None
        merged = _merged_candidate(old, request.text) if request.disposition is Disposition.MERGE else None
        return answer_of(review.resolve(session, found, request.disposition, why, merged), session)

    return call.submit(act, WriteAnswer)


def _find_conflict(call: Call, reading: ReadTransaction, ref: str) -> Conflict | None:
    conflict_id = complete_id(reading, "conflict", ref, call.sight)
    return reading.records.conflict(conflict_id) if conflict_id is not None else None


def _merged_candidate(old: MemoryVersion, text: str | None) -> Candidate:
    if text is None:
        raise InvalidInput(
            "merge needs the merged statement", field="text", hint="specify the merged statement as `text`"
        )
    return restate_memory(old, content=text)
