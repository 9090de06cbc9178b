"""What is shown of events."""

from __future__ import annotations

from typing import Any

from heldtrue.capabilities.following import Event, EventsAnswer
from heldtrue.domain.plural import count
from heldtrue.surfaces.cli.answers import shows
from heldtrue.surfaces.cli.answers.parts import (
    show_more,
)
from heldtrue.surfaces.cli.page import Page, bold, dim
from heldtrue.surfaces.cli.text import shorten

_QUESTION_CHARS = 120


@shows(EventsAnswer)
def show_events(page: Page, answer: EventsAnswer, _asked: dict[str, Any]) -> None:
    """What happened, one a line, and where to go on."""
    for event in answer.items:
        show_event(page, event)
    show_more(page, answer.next_cursor, option="--after", told="go on with")


def show_event(page: Page, event: Event) -> None:
    """One event on one line."""
    page.line(dim(event.at), "  ", bold(event.event), "  ", event.by, "  ", _tell_event(event.payload))


def _tell_event(payload: dict[str, Any]) -> str:
    """What happened, in words: what was asked; or what was done, to what, and the id to go on with."""
    if (query := payload.get("query")) is not None:
        return f"{shorten(str(query), _QUESTION_CHARS)} ({count(payload.get('results', 0), 'result')})"
    deed = str(payload.get("type", "")).removeprefix("memory.").replace("_", "-")
    if about := payload.get("about"):
        return f"{deed}: {shorten(str(about), _QUESTION_CHARS)}"
    kind, scope = payload.get("kind"), payload.get("scope")
    told = [deed, payload.get("delta"), f"{kind} in {scope}" if kind and scope else None]
    path = str(payload.get("path") or "").rpartition("/")[2]
    return " ".join(str(one) for one in (*told, path) if one)
