"""How an answer without a renderer of its own is shown: field by field."""

from __future__ import annotations

from typing import Any

import msgspec

from heldtrue.surfaces.cli.page import Page, dim


def show_plain(page: Page, answer: Any) -> None:
    """Every field that has a value; nested ones are indented."""
    _show(page, msgspec.to_builtins(answer), 0)


def _show(page: Page, value: Any, indent: int) -> None:
    if isinstance(value, dict):
        _show_fields(page, value, indent)
    elif isinstance(value, list):
        for element in value:
            _show_element(page, element, indent)
    else:
        page.text(_spell(value), indent=indent)


def _show_fields(page: Page, fields: dict[Any, Any], indent: int) -> None:
    simple = [str(name) for name, value in fields.items() if not _is_nested(value)]
    column = max((len(name) for name in simple), default=0) + 2
    for name, value in fields.items():
        if value is None or value == [] or value == {}:
            continue
        label = str(name).replace("_", " ")
        if _is_nested(value):
            page.line(" " * indent, dim(label))
            _show(page, value, indent + 2)
        else:
            page.text(_spell(value), indent=indent + column, first=dim(" " * indent + label))


def _show_element(page: Page, element: Any, indent: int) -> None:
    if _is_nested(element):
        page.gap()
        _show(page, element, indent)
    else:
        page.text(_spell(element), indent=indent + 2, first=dim(" " * indent + "-"))


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list)


def _spell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else str(value)
