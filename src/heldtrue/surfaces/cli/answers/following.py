"""How events are shown."""

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
def show_events(page: Page, answer: EventsAnswer, _arguments: dict[str, Any]) -> None:
    """One line per event, and how to continue."""
    for event in answer.items:
        show_event(page, event)
    show_more(page, answer.next_cursor, option="--after", label="To continue")


def show_event(page: Page, event: Event) -> None:
    """One event on one line."""
    page.line(dim(event.at), "  ", bold(event.event), "  ", event.by, "  ", _describe_event(event.payload))


def _describe_event(payload: dict[str, Any]) -> str:
    """An event in words: the question, or the action with its target and id."""
    if (query := payload.get("query")) is not None:
        return f"{shorten(str(query), _QUESTION_CHARS)} ({count(payload.get('results', 0), 'result')})"
    action = str(payload.get("type", "")).removeprefix("memory.").replace("_", "-")
    if about := payload.get("about"):
        return f"{action}: {shorten(str(about), _QUESTION_CHARS)}"
    kind, scope = payload.get("kind"), payload.get("scope")
    parts = [action, payload.get("delta"), f"{kind} in {scope}" if kind and scope else None]
    path = str(payload.get("path") or "").rpartition("/")[2]
    return " ".join(str(part) for part in (*parts, path) if part)
