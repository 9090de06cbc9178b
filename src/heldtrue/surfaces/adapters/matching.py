"""Match items and namespaces of a LangGraph search."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def fits_filter(value: Any, wanted: Any) -> bool:
    """Whether a value matches a filter: equal, equal in the given parts, or by an operator."""
    if isinstance(wanted, dict):
        if any(str(key).startswith("$") for key in wanted):
            return all(_compare(value, sign, other) for sign, other in wanted.items())
        return isinstance(value, dict) and all(fits_filter(value.get(key), other) for key, other in wanted.items())
    if isinstance(wanted, list | tuple):
        same_length = isinstance(value, list | tuple) and len(value) == len(wanted)
        return same_length and all(fits_filter(part, other) for part, other in zip(value, wanted, strict=True))
    return bool(value == wanted)


def _compare(value: Any, sign: str, other: Any) -> bool:
    if sign not in _OPERATORS:
        raise ValueError(f"unknown operator {sign}: use one of {', '.join(_OPERATORS)}")
    try:
        return bool(_OPERATORS[sign](value, other))
    except TypeError:
        return False  # what cannot be ordered is neither more nor less


def fits_path(namespace: Sequence[str], kind: str, path: Sequence[str]) -> bool:
    """Whether a namespace begins (`prefix`) or ends (`suffix`) with a path, in which `*` matches any label."""
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if kind == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))
