"""Feedback: which results of a recall were used, so that they rank higher next time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import EverydayTool, Group
from heldtrue.capabilities.parameters import Mark, Metavar, Reference, Request
from heldtrue.capabilities.recall_log import RecallId, find_row, texts_of
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import FeedbackOutcome, Id
from heldtrue.domain import limits
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import InvalidInput, TooLarge
from heldtrue.domain.rows import RecallRow
from heldtrue.ports import ReadTransaction
from heldtrue.recall.log_rows import LoggedResult, read_results

if TYPE_CHECKING:
    from heldtrue.ingest.acts.feedback import FeedbackResult, UseJudgement


class FeedbackAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome: noted, undone, or unchanged if there was nothing to change."""

    outcome: FeedbackOutcome
    recall_id: Id
    used: list[Id]
    ignored: list[Id]
    moved: dict[str, float]
    """How much the retrieval priority of each memory changed. Confidence and status never change."""
    seq: int


_GIVEN = Reference(("memory", "source", "result"))
"""A recall's results."""


class FeedbackRequest(Request):
    recall_id: RecallId
    answer: Annotated[
        str | None,
        Meta(description="The answer that was given to the user. Heldtrue checks which recalled memories it used."),
        Mark.PROSE,
        Mark.STDIN,
    ] = None
    used: Annotated[
        list[str] | None,
        Meta(description="Ids of the results that were used, even if `answer` does not show it."),
        Metavar("ID"),
        _GIVEN,
    ] = None
    ignored: Annotated[
        list[str] | None, Meta(description="Ids of the results that were not useful."), Metavar("ID"), _GIVEN
    ] = None
    undo: Annotated[bool, Meta(description="Undo the last feedback on this recall.")] = False


@capability(
    "memory.feedback",
    Effect.WRITE,
    group=Group.FEEDBACK,
    positional=("recall_id",),
    tool=EverydayTool(
        "After answering from a recall, report which results you used and which you did not, to improve the ranking.",
        {
            "recall_id": "As returned by memory_recall",
            "used": "Ids of used results",
            "ignored": "Ids of ignored results",
        },
        rank=12,
    ),
    examples=(
        "heldtrue feedback RECALL_ID --used ID --ignored OTHER_ID",
        "my-agent answer | heldtrue feedback RECALL_ID --answer -",
        "heldtrue feedback RECALL_ID --undo",
    ),
)
def feedback(call: Call, request: FeedbackRequest) -> FeedbackAnswer:
    """Report which results of a recall were used. They rank higher next time, and ignored ones slightly lower.

    Only the retrieval priority changes, never confidence or status, and only for memories the caller may write.
    For other memories, the use is only recorded. New feedback on the same recall replaces the earlier feedback,
    and `undo` removes it. With `answer`, every result is compared with the answer's text, except the ids in `used`
    and `ignored`. Without `answer`, only the results with those ids change.
    """
    from heldtrue.ingest.acts.feedback import give_feedback, undo_feedback

    row = find_row(call, request.recall_id)
    _check_feedback(request.answer, request.used, request.ignored, request.undo)
    if request.undo:
        return call.submit(lambda session: _answer_feedback(undo_feedback(session, row.id)), FeedbackAnswer)
    judged = _judge(call, row, request.answer, request.used or (), request.ignored or ())
    return call.submit(lambda session: _answer_feedback(give_feedback(session, row.id, judged)), FeedbackAnswer)


def _answer_feedback(result: FeedbackResult) -> FeedbackAnswer:
    said = result.feedback
    return FeedbackAnswer(
        outcome=result.outcome.value,
        recall_id=said.recall,
        used=[*said.used, *said.passages_used],
        ignored=[*said.ignored, *said.passages_ignored],
        moved=said.moved,
        seq=result.seq,
    )


def _check_feedback(answer: str | None, used: list[str] | None, ignored: list[str] | None, undo: bool) -> None:
    says = answer is not None or used or ignored
    if undo and says:
        raise InvalidInput("undo cannot be combined with new feedback", field="undo")
    if not undo and not says:
        raise InvalidInput(
            "the feedback is empty",
            field="answer",
            hint="specify at least one of `answer`, `used`, `ignored` or `undo`",
        )
    if answer is not None and len(answer) > limits.SOURCE_BYTES_MAX:
        raise TooLarge(
            f"answer is longer than {limits.SOURCE_BYTES_MAX:,} characters",
            field="answer",
            hint="specify the ids of the used results in `used`",
        )


def _judge(call: Call, row: RecallRow, answer: str | None, used: Sequence[str], ignored: Sequence[str]) -> UseJudgement:
    """The used and the ignored results of a recall that the caller may still see."""
    from heldtrue.ingest.acts.feedback import split_by_use

    results = read_results(row)
    with call.instance.store.read() as reading:
        echoes = _name_results(call, reading, results, used, field="used")
        fizzles = _name_results(call, reading, results, ignored, field="ignored")
        texts = texts_of(call, reading, results)
    if both := echoes & fizzles:
        raise InvalidInput(
            f"{min(both)} is in both used and ignored", field="ignored", hint="list the id in only one of them"
        )
    said = dict.fromkeys(echoes, True) | dict.fromkeys(fizzles, False)
    seen = [(result, text) for result, text in zip(results, texts, strict=True) if text is not None]
    if answer is not None:
        any_injected = any(result.injected for result in results)
        given = [(result.id, text) for result, text in seen if result.injected or not any_injected]
        said = call.instance.analysis.run(partial(split_by_use, given), answer, chars=len(answer)) | said
    return _judgement({result.id: result.what for result, _ in seen}, said)


def _judgement(seen: Mapping[str, str], said: Mapping[str, bool]) -> UseJudgement:
    """The feedback on memories and on passages, separately; `seen` maps the visible ones to their type."""
    from heldtrue.ingest.acts.feedback import UseJudgement

    def choose(what: str, used: bool) -> list[str]:
        return [name for name, is_used in said.items() if seen.get(name) == what and is_used is used]

    return UseJudgement(
        used=choose("memory", True),
        ignored=choose("memory", False),
        passages_used=choose("passage", True),
        passages_ignored=choose("passage", False),
    )


def _name_results(
    call: Call, reading: ReadTransaction, results: Iterable[LoggedResult], refs: Sequence[str], *, field: str
) -> set[str]:
    """The results with these ids or IRIs; an id that was not in the recall is an error."""
    known = {result.id for result in results}
    named = {ref: ref if ref in known else call.memory_id(reading, ref) for ref in refs}
    if strange := [ref for ref, name in named.items() if name not in known]:
        raise InvalidInput(
            f"this recall did not return {', '.join(strange)}",
            field=field,
            hint="list the results of the recall with `why`",
        )
    return {name for name in named.values() if name is not None}
