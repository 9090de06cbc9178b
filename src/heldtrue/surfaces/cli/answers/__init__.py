"""Answers for people: the renderer of each kind of answer, loaded when one is to be shown."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from heldtrue.surfaces.cli.page import Page

Show = Callable[[Page, Any, dict[str, Any]], None]
_Shown = TypeVar("_Shown", bound=Show)
_SHOWS: dict[type, Show] = {}


def shows(*kinds: type) -> Callable[[_Shown], _Shown]:
    """Say that a function writes answers of these types onto a page."""

    def register(show: _Shown) -> _Shown:
        _SHOWS.update(dict.fromkeys(kinds, show))
        return show

    return register


def show_answer(page: Page, answer: Any, asked: dict[str, Any]) -> None:
    """Write an answer onto a page; `asked` are the arguments it answers."""
    show = _find_show(type(answer))
    if show is None:
        from heldtrue.surfaces.cli.answers.plain import show_plain

        show_plain(page, answer)
        return
    show(page, answer, asked)


def _find_show(kind: type) -> Show | None:
    """What shows an answer: it is in the module here that has the name of the answer's own; none is shown by field."""
    if kind not in _SHOWS:
        module = f"{__name__}.{kind.__module__.rpartition('.')[2]}"
        try:
            import_module(module)
        except ModuleNotFoundError as problem:
            if problem.name != module:
                raise
    return _SHOWS.get(kind)


def essential_lines(answer: Any) -> list[str]:
    """What --quiet leaves of an answer: the ids in it that one would go on with."""
    if (token := getattr(answer, "token", None)) is not None:
        return [token]
    if (memory := getattr(answer, "memory", None)) is not None:
        return [memory if isinstance(memory, str) else memory.id]
    for field in ("results", "injected", "memories", "items", "answers", "sources"):
        found = getattr(answer, field, None)
        if found is not None:
            return [line for one in found for line in _id_of(one)]
    for field in ("views", "agents"):
        if (named := getattr(answer, field, None)) is not None:
            return [one.name for one in named]
    for field in ("jobs", "messages", "events"):
        if (found := getattr(answer, field, None)) is not None:
            return [line for one in found for line in _id_of(one)]
    if isinstance(found := getattr(getattr(answer, "job", None), "id", None), str):
        return [found]
    link = getattr(answer, "link", None)
    return _id_of(link if link is not None else answer)


def _id_of(one: Any) -> list[str]:
    if isinstance(one, str):
        return [one]
    for part in (getattr(one, "conflict", None), getattr(one, "memory", None), one):
        if (found := getattr(part, "id", None)) is not None:
            return [found]
    return []
