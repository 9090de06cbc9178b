"""How messages between agents are shown."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.sharing import HandedAnswer, HandedMessage, ShareAnswer
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import (
    short_id,
    show_more,
)
from heldtrue.surfaces.cli.page import Line, Page, bold, dim, ink
from heldtrue.surfaces.cli.text import age


@shows(ShareAnswer)
def show_share(page: Page, answer: ShareAnswer, _arguments: dict[str, Any]) -> None:
    page.line(ink("shared", "green"), " with ", bold(answer.message.to))
    _show_message(page, answer.message)


@shows(HandedAnswer)
def show_handed(page: Page, answer: HandedAnswer, _arguments: dict[str, Any]) -> None:
    """The messages, newest first."""
    page.begin_listing()
    if not answer.items:
        page.line("Nothing is currently shared with you.")
    for message in answer.items:
        page.gap()
        number = page.number(Line("message", message.id, text=message.payload.action))
        sent = dim(f"  from {message.sender}, {age(message.created_at, page.now)}")
        page.line(ink(f"{number} ", "cyan"), bold(message.payload.action), sent)
        _show_message(page, message)
    page.gap()
    show_more(page, answer.next_cursor)


def _show_message(page: Page, message: HandedMessage) -> None:
    context = message.payload.context
    if context.project_context:
        page.text(context.project_context, indent=2)
    for memory in context.memories:
        page.text(f"- {memory.content}", indent=2)
    if context.gone:
        gone = count(context.gone, "shared memory is no longer active", "shared memories are no longer active")
        page.line(dim(f"  {gone}"))
    page.line(dim(f"  {message.type}, until {message.expires_at}  {short_id(message.id)[0]}"))
