"""The log of recalls: each question, its results with their scores, and which results were used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from heldtrue.capabilities.arguments import Cursor, ListLimit
from heldtrue.capabilities.call import Call, parse_number
from heldtrue.capabilities.declaration import EverydayCommand, Group
from heldtrue.capabilities.parameters import Metavar, Reference, Request
from heldtrue.capabilities.references import complete_id
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import Id, ListPage, Recalled, Tier, When
from heldtrue.domain import limits
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import NotFound
from heldtrue.domain.ids import ends_id, plain_reference
from heldtrue.domain.principal import EVERYTHING, Sight
from heldtrue.domain.rows import Collection, RecallRow, VersionFilter
from heldtrue.domain.times import to_iso
from heldtrue.ports import ReadTransaction
from heldtrue.recall.log_rows import LoggedResult, read_query, read_results
from heldtrue.recall.visibility import readable_ids

if TYPE_CHECKING:
    pass


RecallId = Annotated[
    str,
    Meta(description="The id that a recall returned."),
    Metavar("RECALL_ID"),
    Reference(("recall",), "recalls"),
]

_CURSOR_HINT = "use the next_cursor of the previous page"


class FeedbackView(msgspec.Struct, frozen=True, kw_only=True):
    """The feedback on a recall."""

    by: str
    at: When
    used: list[Id]
    ignored: list[Id]
    moved: dict[str, float]
    """How much the retrieval priority of each memory changed."""
    seq: int


class RecalledView(msgspec.Struct, frozen=True, kw_only=True):
    """A result of a recall."""

    id: Id
    what: Recalled
    """The type of the result: `memory` or `passage`."""
    content: str | None
    """The content of the result. Null if the caller may no longer see it."""
    score: float
    parts: dict[str, float]
    injected: bool
    used: bool | None
    """Whether the feedback says that the result was used. Null without feedback."""


class WhyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A recall: the question, the caller, the results with their scores, the cost and the feedback."""

    recall_id: Id
    at: When
    by: str
    channel: str
    verb: str
    question: str
    rewritten: str | None
    """The question that was searched for, if it was rewritten."""
    arguments: dict[str, Any]
    tier: Tier
    results: list[RecalledView]
    cost: dict[str, Any]
    feedback: FeedbackView | None


class RecallItem(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the recall log."""

    id: Id
    at: When
    by: str
    channel: str
    verb: str
    question: str
    tier: Tier
    found: int


class RecallsAnswer(ListPage[RecallItem], frozen=True, kw_only=True):
    """Logged recalls."""


class WhyRequest(Request):
    recall_id: RecallId


@capability(
    "memory.why",
    Effect.READ,
    group=Group.FEEDBACK,
    everyday=EverydayCommand(10, "Show why a recall returned its results"),
    positional=("recall_id",),
    examples=("heldtrue why RECALL_ID",),
)
def why(call: Call, request: WhyRequest) -> WhyAnswer:
    """Explain the results of a recall: the question, the score of each result, the cost and the feedback."""
    from heldtrue.ingest.acts.feedback import last_feedback

    row = find_row(call, request.recall_id)
    asked, results = read_query(row), read_results(row)
    with call.instance.store.read() as reading:
        given = last_feedback(reading, row.id)
        texts = texts_of(call, reading, results)
    feedback = None
    if given is not None:
        entry, said = given
        feedback = FeedbackView(
            by=entry.actor,
            at=to_iso(entry.recorded_at),
            used=[*said.used, *said.passages_used],
            ignored=[*said.ignored, *said.passages_ignored],
            moved=said.moved,
            seq=entry.seq,
        )
    return WhyAnswer(
        recall_id=row.id,
        at=to_iso(row.recorded_at),
        by=row.principal,
        channel=row.channel,
        verb=row.verb,
        question=row.question,
        rewritten=asked.rewritten,
        arguments=asked.arguments,
        tier=row.tier,
        results=[_view_result(result, text, feedback) for result, text in zip(results, texts, strict=True)],
        cost=msgspec.json.decode(row.cost),
        feedback=feedback,
    )


def find_row(call: Call, recall_id: str) -> RecallRow:
    """A logged recall that the caller may see. An agent sees its own, a person sees all."""
    row = _named_row(call, recall_id)
    if row is None or call.reader not in (None, row.principal):
        raise NotFound(
            f"no recall with id {recall_id} in the log",
            field="recall_id",
            hint="list the logged recalls with `recalls`; a recall is deleted after recall.log_days days",
        )
    return row


def _named_row(call: Call, recall_id: str) -> RecallRow | None:
    log = call.instance.recall_log
    text = plain_reference(recall_id)
    if ends_id(text):
        log.flush()  # what is not written yet has no place among the ids
    with call.instance.store.read() as reading:
        found = complete_id(reading, "recall", text, call.sight, field="recall_id")
    return log.find(found) if found is not None else None


def texts_of(call: Call, reading: ReadTransaction, results: Sequence[LoggedResult]) -> list[str | None]:
    """The content of each result at the time of the recall. None if the caller may no longer see it.

    An agent sees no memory that was rejected, retracted or replaced since.
    """
    seen = readable_ids(reading, call.principal, (result.id for result in results if result.what == "memory"))
    if not call.principal.is_person:
        seen = {memory.memory_id for memory in reading.memories.current_versions(sorted(seen)) if memory.is_live}
    numbers = [result.passage for result in results if result.passage is not None]
    shelves = [shelf.no for shelf in reading.index.shelves(tuple(Collection), Sight(reader=call.reader))]
    shown = (
        [passage.no for passage in reading.passages.numbered(numbers, shelves, VersionFilter(sight=EVERYTHING))]
        if numbers
        else []
    )
    passages = reading.passages.texts(shown)
    said = {passage.no: passage.text for passage in passages if call.may_see(passage.scope)}
    return [
        _text_then(reading, result)
        if result.id in seen
        else said.get(result.passage)
        if result.passage is not None
        else None
        for result in results
    ]


def _text_then(reading: ReadTransaction, result: LoggedResult) -> str:
    """The content of a memory in the version that was recalled."""
    versions = reading.memories.versions(result.id)
    return next((version for version in versions if version.version == result.version), versions[-1]).content


def _view_result(result: LoggedResult, content: str | None, feedback: FeedbackView | None) -> RecalledView:
    said = {} if feedback is None else dict.fromkeys(feedback.used, True) | dict.fromkeys(feedback.ignored, False)
    return RecalledView(
        id=result.id,
        what=result.what,
        content=content,
        score=result.score,
        parts=result.parts,
        injected=result.injected,
        used=said.get(result.id),
    )


class RecallsRequest(Request):
    limit: ListLimit = limits.LIST_DEFAULT
    cursor: Cursor = None


@capability(
    "memory.recalls",
    Effect.READ,
    group=Group.FEEDBACK,
)
def recalls(call: Call, request: RecallsRequest) -> RecallsAnswer:
    """List the logged recalls, newest first. An agent sees its own, a person sees all."""
    rows = call.instance.recall_log.rows(
        principal=call.reader, before=_read_place(request.cursor), limit=request.limit + 1
    )
    page = rows[: request.limit]
    return RecallsAnswer(
        items=[
            RecallItem(
                id=row.id,
                at=to_iso(row.recorded_at),
                by=row.principal,
                channel=row.channel,
                verb=row.verb,
                question=row.question,
                tier=row.tier,
                found=len(read_results(row)),
            )
            for row in page
        ],
        next_cursor=f"{page[-1].recorded_at}:{page[-1].id}" if len(rows) > request.limit else None,
    )


def _read_place(cursor: str | None) -> tuple[int, str] | None:
    if cursor is None:
        return None
    moment, _, recall_id = cursor.partition(":")
    return parse_number(moment, cursor, field="cursor", hint=_CURSOR_HINT), recall_id
