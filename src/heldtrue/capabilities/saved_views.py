"""Saved views: questions stored under a name, to run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import Group
from heldtrue.capabilities.parameters import Mark, NoArguments, Reference, Request
from heldtrue.capabilities.recalling import RecallAnswer
from heldtrue.capabilities.registry import CAPABILITIES, Capability, capability
from heldtrue.capabilities.shapes import Id, ListPage, SavedOutcome, When
from heldtrue.domain import limits
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import InvalidInput, NotFound, TooLarge
from heldtrue.domain.records import SavedView
from heldtrue.domain.times import to_iso
from heldtrue.ports import ReadTransaction
from heldtrue.recall.log_rows import make_plain

if TYPE_CHECKING:
    from heldtrue.ingest.acts.saved_views import Saved
    from heldtrue.ingest.stages.journal import WriteSession


ViewName = Annotated[str, Meta(min_length=1, max_length=limits.NAME_CHARS_MAX, description="The name of the view.")]
ViewRef = Annotated[ViewName, Reference(("view",), "views")]

ViewAuthor = Annotated[
    str | None, Meta(description="The author of the view, if several authors have a view with this name (people only).")
]


class SavedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A saved view."""

    id: Id
    name: str
    question: str
    arguments: dict[str, Any]
    author: str
    saved_at: When

    @property
    def known_by(self) -> str:
        """The name that identifies it in other requests."""
        return self.name


class ViewsAnswer(ListPage[SavedQuestion], frozen=True, kw_only=True):
    """Saved views."""


class SavedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome: saved, replaced, unchanged or dropped."""

    outcome: SavedOutcome
    view: SavedQuestion
    seq: int


class SaveViewRequest(Request):
    name: ViewName
    question: Annotated[str, Meta(min_length=1, description="The question, in plain words."), Mark.PROSE]
    arguments: Annotated[
        dict[str, Any] | None, Meta(description='Other arguments of recall, for example {"limit": 3}.')
    ] = None


@capability(
    "memory.save_view",
    Effect.WRITE,
    group=Group.FEEDBACK,
    positional=("name", "question"),
    repeatable=True,
    examples=("heldtrue save-view incidents 'what broke lately' --arguments '{\"kinds\": [\"episode\"]}'",),
)
def save_view(call: Call, request: SaveViewRequest) -> SavedAnswer:
    """Save a question with its filters as a view. If the name exists, the new view replaces the old one."""
    from heldtrue.ingest.acts import saved_views

    plain_name = _plain_name(request.name)
    asked = msgspec.json.encode(_check_arguments(request.question, request.arguments or {}), order="sorted").decode()
    return call.submit(lambda session: _answer_saved(saved_views.save_view(session, plain_name, asked)), SavedAnswer)


@capability(
    "memory.views",
    Effect.READ,
    group=Group.FEEDBACK,
)
def views(call: Call, _request: NoArguments) -> ViewsAnswer:
    """List saved views. An agent sees its own, a person sees all."""
    with call.instance.store.read() as reading:
        return ViewsAnswer(
            items=[_view_saved(row) for row in reading.records.saved_views(call.reader)], next_cursor=None
        )


class ViewRequest(Request):
    name: ViewRef
    author: ViewAuthor = None


@capability(
    "memory.view",
    Effect.READ,
    group=Group.FEEDBACK,
    positional=("name",),
    is_search=True,
    examples=("heldtrue view incidents",),
)
def view(call: Call, request: ViewRequest) -> RecallAnswer:
    """Run a saved view. The results are limited to what the caller may see, even if someone else saved it."""
    with call.instance.store.read() as reading:
        saved = _find_view(call, reading, request.name, request.author)
    answer: RecallAnswer = _recall().invoke(call, msgspec.json.decode(saved.arguments))
    return answer


class DropViewRequest(Request):
    name: ViewRef
    author: ViewAuthor = None


@capability(
    "memory.drop_view",
    Effect.WRITE,
    group=Group.FEEDBACK,
    positional=("name",),
    destructive=True,
    repeatable=True,
)
def drop_view(call: Call, request: DropViewRequest) -> SavedAnswer:
    """Delete a saved view. It stays in the history."""
    from heldtrue.ingest.acts import saved_views

    def act(session: WriteSession) -> SavedAnswer:
        return _answer_saved(
            saved_views.drop_view(session, _find_view(call, session.transaction, request.name, request.author))
        )

    return call.submit(act, SavedAnswer)


def _answer_saved(saved: Saved) -> SavedAnswer:
    return SavedAnswer(outcome=saved.outcome.value, view=_view_saved(saved.view), seq=saved.seq)


def _recall() -> Capability:
    return CAPABILITIES["memory.recall"]


def _plain_name(name: str) -> str:
    plain: str = make_plain(name).strip()
    if not plain:
        raise InvalidInput("name is empty", field="name", hint="use a short name, for example open incidents")
    return plain


def _check_arguments(question: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Check the arguments that a view passes to recall."""
    recall = _recall()
    first = recall.parameters[0].name
    if first in given:
        raise InvalidInput(
            f"arguments: {first} is already specified as the question", field=f"arguments.{first}", hint="leave it out"
        )
    asked = make_plain(question)
    if not asked.strip():
        raise InvalidInput("question is empty", field="question", hint="give a question")
    if len(asked) > limits.QUERY_CHARS_MAX:
        raise TooLarge(
            f"question is longer than {limits.QUERY_CHARS_MAX:,} characters", field="question", hint="use fewer words"
        )
    arguments: dict[str, Any] = {first: asked, **make_plain(dict(given))}
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


def _find_view(call: Call, reading: ReadTransaction, name: str, author: str | None) -> SavedView:
    """The caller's own view with this name, or for a person another author's."""
    plain, me = _plain_name(name), call.principal.id
    whose = me if author is None else author if ":" in author else f"agent:{author}"
    if call.reader in (None, whose):
        found = reading.records.saved_view(whose, plain)
        if found is not None:
            return found
        if call.reader is None and author is None:
            return _only_one(plain, [row for row in reading.records.saved_views(None) if row.name == plain])
    raise _no_view(plain)


def _only_one(name: str, views: Sequence[SavedView]) -> SavedView:
    if not views:
        raise _no_view(name)
    if len(views) > 1:
        authors = ", ".join(sorted(row.author for row in views))
        raise InvalidInput(
            f"several authors have a view named {name!r}: {authors}", field="author", hint="specify the `author`"
        )
    return views[0]


def _no_view(name: str) -> NotFound:
    return NotFound(f"no view named {name!r}", field="name", hint="list the views with `views`")
