"""Feedback: what of a recall was used, so that it ranks better next time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    """What feedback came to: noted, undone, or unchanged because there was nothing to say anything about."""

    outcome: FeedbackOutcome
    recall_id: Id
    used: list[Id]
    ignored: list[Id]
    moved: dict[str, float]
    """How far each memory's retrieval priority was moved; never its confidence, never its status."""
    seq: int


_GIVEN = Reference(("memory", "source", "result"))
"""What a recall gave."""


class FeedbackRequest(Request):
    recall_id: RecallId
    answer: Annotated[
        str | None,
        Meta(description="What was answered; each memory that was given is looked for in it."),
        Mark.PROSE,
        Mark.STDIN,
    ] = None
    used: Annotated[
        list[str] | None, Meta(description="Ids of what was used, whatever the answer says."), Metavar("ID"), _GIVEN
    ] = None
    ignored: Annotated[list[str] | None, Meta(description="Ids of what was of no use."), Metavar("ID"), _GIVEN] = None
    undo: Annotated[bool, Meta(description="Take the last feedback of this recall back.")] = False


@capability(
    "memory.feedback",
    Effect.WRITE,
    group=Group.FEEDBACK,
    positional=("recall_id",),
    tool=EverydayTool(
        "After answering from a recall, say what you used of it and what not: it ranks better next time.",
        {"recall_id": "As memory_recall told it", "used": "Ids", "ignored": "Ids"},
        rank=12,
    ),
    examples=(
        "heldtrue feedback RECALL_ID --used ID --ignored OTHER_ID",
        "my-agent answer | heldtrue feedback RECALL_ID --answer -",
        "heldtrue feedback RECALL_ID --undo",
    ),
)
def feedback(call: Call, request: FeedbackRequest) -> FeedbackAnswer:
    """Say what of a recall an answer used: that is found sooner next time, and what was ignored a little later.

    Only retrieval priority moves, never confidence or status; and only that of memories which the caller may write:
    of others it is noted what was used. A second feedback of the same recall replaces the
    first; `undo` takes it back. With `answer`, everything that was given is judged by its words, and ids that are
    named decide for themselves; without it, only what is named moves.
    """
    from heldtrue.ingest.acts.feedback import give_feedback, undo_feedback

    row = find_row(call, request.recall_id)
    _check_feedback(request.answer, request.used, request.ignored, request.undo)
    if request.undo:
        return call.submit(lambda session: _answer_feedback(undo_feedback(session, row.id)), FeedbackAnswer)
    judged = _judge(call, row, request.answer, request.used or (), request.ignored or ())
    return call.submit(lambda session: _answer_feedback(give_feedback(session, row.id, judged)), FeedbackAnswer)


def _answer_feedback(given: FeedbackResult) -> FeedbackAnswer:
    said = given.feedback
    return FeedbackAnswer(
        outcome=given.outcome.value,
        recall_id=said.recall,
        used=[*said.used, *said.passages_used],
        ignored=[*said.ignored, *said.passages_ignored],
        moved=said.moved,
        seq=given.seq,
    )


def _check_feedback(answer: str | None, used: list[str] | None, ignored: list[str] | None, undo: bool) -> None:
    says = answer is not None or used or ignored
    if undo and says:
        raise InvalidInput("undo takes back what was said; it cannot say something new too", field="undo")
    if not undo and not says:
        raise InvalidInput(
            "there is nothing said about what was used", field="answer", hint="give answer, used or ignored; or undo"
        )
    if answer is not None and len(answer) > limits.SOURCE_BYTES_MAX:
        raise TooLarge(
            f"answer is longer than {limits.SOURCE_BYTES_MAX:,} characters", field="answer", hint="name ids in used"
        )


def _judge(call: Call, row: RecallRow, answer: str | None, used: Sequence[str], ignored: Sequence[str]) -> UseJudgement:
    """What was used of a recall and what was not, as far as the caller may still see it."""
    from heldtrue.ingest.acts.feedback import split_by_use

    results = read_results(row)
    with call.instance.store.read() as reading:
        echoes = _name_results(call, reading, results, used, field="used")
        fizzles = _name_results(call, reading, results, ignored, field="ignored")
        texts = texts_of(call, reading, results)
    if both := echoes & fizzles:
        raise InvalidInput(f"used and ignored both name {min(both)}", field="ignored", hint="name it once")
    said = dict.fromkeys(echoes, True) | dict.fromkeys(fizzles, False)
    seen = [(one, text) for one, text in zip(results, texts, strict=True) if text is not None]
    if answer is not None:
        any_injected = any(one.injected for one in results)
        given = [(one.id, text) for one, text in seen if one.injected or not any_injected]
        said = split_by_use(given, answer) | said
    return _judgement({one.id: one.what for one, _ in seen}, said)


def _judgement(seen: Mapping[str, str], said: Mapping[str, bool]) -> UseJudgement:
    """What was said of memories and of passages, each kind apart; `seen` are those that count, with what they are."""
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
    """The results that some ids or IRIs name; one that was not in the recall is an error."""
    known = {one.id for one in results}
    named = {ref: ref if ref in known else call.memory_id(reading, ref) for ref in refs}
    if strange := [ref for ref, name in named.items() if name not in known]:
        raise InvalidInput(f"not in this recall: {', '.join(strange)}", field=field, hint="see what was: `why`")
    return {name for name in named.values() if name is not None}
