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
    """Register a function as the renderer of these answer types."""

    def register(show: _Shown) -> _Shown:
        _SHOWS.update(dict.fromkeys(kinds, show))
        return show

    return register


def show_answer(page: Page, answer: Any, arguments: dict[str, Any]) -> None:
    """Write an answer onto a page; `asked` has the arguments of the request."""
    show = _find_show(type(answer))
    if show is None:
        from heldtrue.surfaces.cli.answers.plain import show_plain

        show_plain(page, answer)
        return
    show(page, answer, arguments)


def _find_show(kind: type) -> Show | None:
    """The renderer of an answer type, from the module here with the same name as the answer's; None if it has none."""
    if kind not in _SHOWS:
        module = f"{__name__}.{kind.__module__.rpartition('.')[2]}"
        try:
            import_module(module)
        except ModuleNotFoundError as problem:
            if problem.name != module:
                raise
    return _SHOWS.get(kind)


def essential_lines(answer: Any) -> list[str]:
    """What --quiet prints: the ids that the next command needs."""
    if (token := getattr(answer, "token", None)) is not None:
        return [token]
    if (memory := getattr(answer, "memory", None)) is not None:
        return [memory if isinstance(memory, str) else memory.id]
    for field in ("items", "results", "injected", "memories", "answers", "sources", "jobs"):
        items = getattr(answer, field, None)
        if items is not None:
            return [line for item in items for line in _id_of(item)]
    if isinstance(job_id := getattr(getattr(answer, "job", None), "id", None), str):
        return [job_id]
    link = getattr(answer, "link", None)
    return _id_of(link if link is not None else answer)


def _id_of(item: Any) -> list[str]:
    if isinstance(item, str):
        return [item]
    if (name := getattr(item, "known_by", None)) is not None:
        return [name]
    for part in (getattr(item, "conflict", None), getattr(item, "memory", None), item):
        if (identifier := getattr(part, "id", None)) is not None:
            return [identifier]
    return []
