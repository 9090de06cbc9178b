"""What became of recalls: the log, why something came back, feedback, and questions kept under a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from heldtrue.capabilities.arguments import Cursor, ListLimit
from heldtrue.capabilities.call import Call, parse_number
from heldtrue.capabilities.recalling import RecallAnswer
from heldtrue.capabilities.references import complete_id
from heldtrue.capabilities.registry import CAPABILITIES, Capability, Effect, capability
from heldtrue.capabilities.shapes import FeedbackOutcome, Id, Recalled, SavedOutcome, Tier, When
from heldtrue.domain import limits
from heldtrue.domain.errors import InvalidInput, NotFound, TooLarge
from heldtrue.domain.ids import begins_id
from heldtrue.domain.principal import EVERYTHING, Sight
from heldtrue.domain.records import SavedView
from heldtrue.domain.times import to_iso
from heldtrue.ports import Collection, Reading, RecallRow, VersionFilter
from heldtrue.recall.log import Logged, make_plain, read_asked, read_results

if TYPE_CHECKING:
    from heldtrue.ingest.feedback import Given, Judgement
    from heldtrue.ingest.journal import Pen
    from heldtrue.ingest.saving import Saved

RecallId = Annotated[str, Meta(description="The recall_id of the answer that a recall gave.")]
ViewName = Annotated[
    str, Meta(min_length=1, max_length=limits.NAME_CHARS_MAX, description="The name the question is kept under.")
]
ViewAuthor = Annotated[
    str | None, Meta(description="For a person: whose view is meant, where several have one of that name.")
]
_CURSOR_HINT = "use the next_cursor of the page before"


class FeedbackView(msgspec.Struct, frozen=True, kw_only=True):
    """What was said about the use of a recall."""

    by: str
    at: When
    used: list[Id]
    ignored: list[Id]
    moved: dict[str, float]
    """How far each memory's retrieval priority was moved."""
    seq: int


class RecalledView(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a recall gave back."""

    id: Id
    what: Recalled
    """memory or passage."""
    content: str | None
    """What it said; none where the caller may not see it any more."""
    score: float
    parts: dict[str, float]
    injected: bool
    used: bool | None
    """What feedback says; none where it says nothing."""


class WhyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One recall: what was asked, by whom, what came back and why, what it cost, and what was used of it."""

    recall_id: Id
    at: When
    by: str
    channel: str
    verb: str
    question: str
    rewritten: str | None
    """What was searched for, where that is not what was asked."""
    arguments: dict[str, Any]
    tier: Tier
    results: list[RecalledView]
    cost: dict[str, Any]
    feedback: FeedbackView | None


class RecallItem(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the log."""

    id: Id
    at: When
    by: str
    channel: str
    verb: str
    question: str
    tier: Tier
    found: int


class RecallsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    items: list[RecallItem]
    next_cursor: str | None


class FeedbackAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What feedback came to: noted, undone, or unchanged because there was nothing to say anything about."""

    outcome: FeedbackOutcome
    recall_id: Id
    used: list[Id]
    ignored: list[Id]
    moved: dict[str, float]
    """How far each memory's retrieval priority was moved; never its confidence, never its status."""
    seq: int


class SavedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question kept under a name."""

    id: Id
    name: str
    question: str
    arguments: dict[str, Any]
    author: str
    saved_at: When


class ViewsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    views: list[SavedQuestion]


class SavedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a view: saved, replaced, unchanged or dropped."""

    outcome: SavedOutcome
    view: SavedQuestion
    seq: int


# The log


@capability("memory.why", Effect.READ)
def why(call: Call, recall_id: RecallId) -> WhyAnswer:
    """Why a recall gave what it gave: the question, each result with its score in parts, the cost, and its use."""
    from heldtrue.ingest.feedback import last_feedback

    row = _find_row(call, recall_id)
    asked, results = read_asked(row), read_results(row)
    with call.instance.store.read() as reading:
        given = last_feedback(reading, row.id)
        texts = _texts_of(call, reading, results)
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
        results=[_view_result(one, text, feedback) for one, text in zip(results, texts, strict=True)],
        cost=msgspec.json.decode(row.cost),
        feedback=feedback,
    )


def _find_row(call: Call, recall_id: str) -> RecallRow:
    """A logged recall that the caller may see: its own, and for a person everyone's."""
    row = _named_row(call, recall_id)
    if row is None or call.reader not in (None, row.principal):
        raise NotFound(
            f"there is no recall {recall_id!r} in the log",
            field="recall_id",
            hint="list them with: `recalls`; old ones are dropped after [recall] log_days",
        )
    return row


def _named_row(call: Call, recall_id: str) -> RecallRow | None:
    log = call.instance.recall_log
    text = recall_id.strip().lower()
    if begins_id(text):
        log.flush()  # what is not written yet has no place among the ids
    with call.instance.store.read() as reading:
        found = complete_id(reading, "recall", text, call.sight, field="recall_id")
    return log.find(found) if found is not None else None


def _texts_of(call: Call, reading: Reading, results: Sequence[Logged]) -> list[str | None]:
    """What each result said when it was given; none where the caller may not see it any more."""
    seen = call.readable(reading, (one.id for one in results if one.what == "memory"))
    numbers = [one.passage for one in results if one.passage is not None]
    shelves = [shelf.no for shelf in reading.shelves(tuple(Collection), Sight(reader=call.reader))]
    shown = [one.no for one in reading.passages(numbers, shelves, VersionFilter(sight=EVERYTHING))] if numbers else []
    passages = reading.passage_texts(shown)
    said = {passage.no: passage.text for passage in passages if call.principal.may_see(passage.scope)}
    return [
        _text_then(reading, one) if one.id in seen else said.get(one.passage) if one.passage is not None else None
        for one in results
    ]


def _text_then(reading: Reading, one: Logged) -> str:
    """What a memory said in the version that was given."""
    versions = reading.versions(one.id)
    return next((version for version in versions if version.version == one.version), versions[-1]).content


def _view_result(one: Logged, content: str | None, feedback: FeedbackView | None) -> RecalledView:
    said = {} if feedback is None else dict.fromkeys(feedback.used, True) | dict.fromkeys(feedback.ignored, False)
    return RecalledView(
        id=one.id,
        what=one.what,
        content=content,
        score=one.score,
        parts=one.parts,
        injected=one.injected,
        used=said.get(one.id),
    )


@capability("memory.recalls", Effect.READ)
def recalls(call: Call, *, limit: ListLimit = limits.LIST_DEFAULT, cursor: Cursor = None) -> RecallsAnswer:
    """The log of recalls, newest first: an agent's own, and for a person everyone's."""
    rows = call.instance.recall_log.rows(principal=call.reader, before=_read_place(cursor), limit=limit + 1)
    page = rows[:limit]
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
        next_cursor=f"{page[-1].recorded_at}:{page[-1].id}" if len(rows) > limit else None,
    )


def _read_place(cursor: str | None) -> tuple[int, str] | None:
    if cursor is None:
        return None
    moment, _, recall_id = cursor.partition(":")
    return parse_number(moment, cursor, field="cursor", hint=_CURSOR_HINT), recall_id


# Feedback


@capability("memory.feedback", Effect.WRITE)
def feedback(
    call: Call,
    recall_id: RecallId,
    *,
    answer: Annotated[
        str | None, Meta(description="What was answered; each memory that was given is looked for in it.")
    ] = None,
    used: Annotated[list[str] | None, Meta(description="Ids of what was used, whatever the answer says.")] = None,
    ignored: Annotated[list[str] | None, Meta(description="Ids of what was of no use.")] = None,
    undo: Annotated[bool, Meta(description="Take the last feedback of this recall back.")] = False,
) -> FeedbackAnswer:
    """Say what of a recall an answer used: that is found sooner next time, and what was ignored a little later.

    Only retrieval priority moves, never confidence or status; and only that of memories which the caller may write:
    of others it is noted what was used. A second feedback of the same recall replaces the
    first; `undo` takes it back. With `answer`, everything that was given is judged by its words, and ids that are
    named decide for themselves; without it, only what is named moves.
    """
    from heldtrue.ingest.feedback import give_feedback, undo_feedback

    row = _find_row(call, recall_id)
    _check_feedback(answer, used, ignored, undo)
    if undo:
        return call.submit(lambda pen: _answer_feedback(undo_feedback(pen, row.id)), FeedbackAnswer)
    judged = _judge(call, row, answer, used or (), ignored or ())
    return call.submit(lambda pen: _answer_feedback(give_feedback(pen, row.id, judged)), FeedbackAnswer)


def _answer_feedback(given: Given) -> FeedbackAnswer:
    said = given.feedback
    return FeedbackAnswer(
        outcome=given.outcome,
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


def _judge(call: Call, row: RecallRow, answer: str | None, used: Sequence[str], ignored: Sequence[str]) -> Judgement:
    """What was used of a recall and what was not, as far as the caller may still see it."""
    from heldtrue.ingest.feedback import split_by_use

    results = read_results(row)
    with call.instance.store.read() as reading:
        echoes = _name_results(call, reading, results, used, field="used")
        fizzles = _name_results(call, reading, results, ignored, field="ignored")
        texts = _texts_of(call, reading, results)
    if both := echoes & fizzles:
        raise InvalidInput(f"used and ignored both name {min(both)}", field="ignored", hint="name it once")
    said = dict.fromkeys(echoes, True) | dict.fromkeys(fizzles, False)
    seen = [(one, text) for one, text in zip(results, texts, strict=True) if text is not None]
    if answer is not None:
        any_injected = any(one.injected for one in results)
        given = [(one.id, text) for one, text in seen if one.injected or not any_injected]
        said = split_by_use(given, answer) | said
    return _judgement({one.id: one.what for one, _ in seen}, said)


def _judgement(seen: Mapping[str, str], said: Mapping[str, bool]) -> Judgement:
    """What was said of memories and of passages, each kind apart; `seen` are those that count, with what they are."""
    from heldtrue.ingest.feedback import Judgement

    def choose(what: str, used: bool) -> list[str]:
        return [name for name, is_used in said.items() if seen.get(name) == what and is_used is used]

    return Judgement(
        used=choose("memory", True),
        ignored=choose("memory", False),
        passages_used=choose("passage", True),
        passages_ignored=choose("passage", False),
    )


def _name_results(
    call: Call, reading: Reading, results: Iterable[Logged], refs: Sequence[str], *, field: str
) -> set[str]:
    """The results that some ids or IRIs name; one that was not in the recall is an error."""
    known = {one.id for one in results}
    named = {ref: ref if ref in known else call.memory_id(reading, ref) for ref in refs}
    if strange := [ref for ref, name in named.items() if name not in known]:
        raise InvalidInput(f"not in this recall: {', '.join(strange)}", field=field, hint="see what was: `why`")
    return {name for name in named.values() if name is not None}


# Saved views


@capability("memory.save_view", Effect.WRITE)
def save_view(
    call: Call,
    name: ViewName,
    question: Annotated[str, Meta(min_length=1, description="What is asked, in plain words.")],
    *,
    arguments: Annotated[
        dict[str, Any] | None, Meta(description='Further arguments of recall, such as {"limit": 3}.')
    ] = None,
) -> SavedAnswer:
    """Keep a question with its filters under a name, to be asked again; saved anew, it replaces the one before."""
    from heldtrue.ingest import saving

    plain_name = _plain_name(name)
    asked = msgspec.json.encode(_check_arguments(question, arguments or {}), order="sorted").decode()
    return call.submit(lambda pen: _answer_saved(saving.save_view(pen, plain_name, asked)), SavedAnswer)


@capability("memory.views", Effect.READ)
def views(call: Call) -> ViewsAnswer:
    """The questions kept under a name: an agent's own, and for a person everyone's."""
    with call.instance.store.read() as reading:
        return ViewsAnswer(views=[_view_saved(one) for one in reading.saved_views(call.reader)])


@capability("memory.view", Effect.READ)
def view(call: Call, name: ViewName, *, author: ViewAuthor = None) -> RecallAnswer:
    """Ask a question that was kept under a name. It sees what the caller may see, whoever saved it."""
    with call.instance.store.read() as reading:
        saved = _find_view(call, reading, name, author)
    answer: RecallAnswer = _recall().invoke(call, msgspec.json.decode(saved.arguments))
    return answer


@capability("memory.drop_view", Effect.WRITE)
def drop_view(call: Call, name: ViewName, *, author: ViewAuthor = None) -> SavedAnswer:
    """Take a saved question out of use; the history keeps it."""
    from heldtrue.ingest import saving

    def act(pen: Pen) -> SavedAnswer:
        return _answer_saved(saving.drop_view(pen, _find_view(call, pen.transaction, name, author)))

    return call.submit(act, SavedAnswer)


def _answer_saved(saved: Saved) -> SavedAnswer:
    return SavedAnswer(outcome=saved.outcome, view=_view_saved(saved.view), seq=saved.seq)


def _recall() -> Capability:
    return CAPABILITIES["memory.recall"]


def _plain_name(name: str) -> str:
    plain: str = make_plain(name).strip()
    if not plain:
        raise InvalidInput("name is empty", field="name", hint="give it a short name, such as open incidents")
    return plain


def _check_arguments(question: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of recall that a view keeps, if recall would take them."""
    recall = _recall()
    place = recall.parameters[0].name
    if place in given:
        raise InvalidInput(f"arguments: {place} is what question says", field=f"arguments.{place}", hint="leave it out")
    asked = make_plain(question)
    if not asked.strip():
        raise InvalidInput("question is empty", field="question", hint="say what you want to know")
    if len(asked) > limits.QUERY_CHARS_MAX:
        raise TooLarge(
            f"question is longer than {limits.QUERY_CHARS_MAX:,} characters", field="question", hint="use fewer words"
        )
    arguments: dict[str, Any] = {place: asked, **make_plain(dict(given))}
    try:
        msgspec.convert(arguments, recall.request)
    except msgspec.ValidationError as problem:
        from heldtrue.capabilities.validation import explain_misfit

        found = explain_misfit(problem, recall, arguments)
        raise InvalidInput(
            f"arguments: {found.message}",
            field=f"arguments.{found.field}" if found.field else "arguments",
            hint=found.hint,
        ) from None
    return arguments


def _view_saved(saved: SavedView) -> SavedQuestion:
    arguments = msgspec.json.decode(saved.arguments)
    return SavedQuestion(
        id=saved.id,
        name=saved.name,
        question=arguments.pop(_recall().parameters[0].name, ""),
        arguments=arguments,
        author=saved.author,
        saved_at=to_iso(saved.recorded_from),
    )


def _find_view(call: Call, reading: Reading, name: str, author: str | None) -> SavedView:
    """The caller's own view of a name; for a person, anyone's."""
    plain, me = _plain_name(name), call.principal.id
    whose = me if author is None else author if ":" in author else f"agent:{author}"
    if call.reader in (None, whose):
        found = reading.saved_view(whose, plain)
        if found is not None:
            return found
        if call.reader is None and author is None:
            return _only_one(plain, [one for one in reading.saved_views(None) if one.name == plain])
    raise _no_view(plain)


def _only_one(name: str, found: Sequence[SavedView]) -> SavedView:
    if not found:
        raise _no_view(name)
    if len(found) > 1:
        authors = ", ".join(sorted(one.author for one in found))
        raise InvalidInput(f"several have a view {name!r}: {authors}", field="author", hint="say whose is meant")
    return found[0]


def _no_view(name: str) -> NotFound:
    return NotFound(f"there is no view {name!r}", field="name", hint="list them with: `views`")
