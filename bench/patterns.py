"""The regular expressions of the source, and the pieces that each of them looks for."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from typing import Any

import heldtrue

# What reads patterns in the standard library; it has no public name.
codes: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")
_PIECES_OF_A_PATTERN = 12
_OF_CATEGORY = {
    codes.CATEGORY_DIGIT: "1",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_WORD: "-",
}


def collect_patterns() -> list[re.Pattern[str]]:
    """Every pattern that a module of the package has compiled or holds as text for later."""
    found: dict[str, re.Pattern[str]] = {}
    for module in pkgutil.walk_packages(heldtrue.__path__, "heldtrue."):
        if module.name.endswith("__main__") or ".adapters" in module.name:
            continue
        for value in vars(importlib.import_module(module.name)).values():
            for pattern in _read_patterns(value):
                found.setdefault(pattern.pattern, pattern)
    return list(found.values())


def _read_patterns(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, str) and len(value) < 5_000 and re.search(r"[\])][+*?{]|\\[bdsw]", value):
        try:
            yield re.compile(value)
        except (re.error, RecursionError, OverflowError):
            return


def read_pieces(pattern: re.Pattern[str]) -> list[str]:
    """Short texts that parts of a pattern match."""
    pieces: dict[str, None] = {}
    _gather(parser.parse(pattern.pattern, pattern.flags), pieces)
    return [piece for piece in pieces if piece][:_PIECES_OF_A_PATTERN]


def _gather(nodes: Iterable[Any], pieces: dict[str, None]) -> None:
    for code, value in nodes:
        for inner in _inner_nodes(code, value):
            pieces[_sample(inner)] = None
            _gather(inner, pieces)


def _inner_nodes(code: Any, value: Any) -> list[Any]:
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        return [value[2]]
    if code is codes.SUBPATTERN:
        return [value[3]]
    if code is codes.ATOMIC_GROUP:
        return [value]
    if code is codes.BRANCH:
        return list(value[1])
    return [value[1]] if code in (codes.ASSERT, codes.ASSERT_NOT) else []


def _sample(nodes: Iterable[Any]) -> str:
    """A text that nodes of a pattern match, roughly."""
    return "".join(_sample_node(code, value) for code, value in nodes)


def _sample_node(code: Any, value: Any) -> str:
    if code is codes.LITERAL:
        return chr(value)
    if code is codes.IN:
        return _sample_class(value)
    if code in (codes.ANY, codes.NOT_LITERAL):
        return "a"
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return ""
    if code is codes.BRANCH:
        return _sample(value[1][0])
    repeats = max(1, min(value[0], 4)) if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT) else 1
    return "".join(map(_sample, _inner_nodes(code, value))) * repeats


def _sample_class(value: Any) -> str:
    codes_in, values_in = zip(*value, strict=True)
    if codes.NEGATE in codes_in:
        taken = {chr(number) for code, number in value if code is codes.LITERAL}
        return next(sign for sign in "a1 -." if sign not in taken)
    first = values_in[0]
    if codes_in[0] is codes.RANGE:
        return chr(first[0])
    return _OF_CATEGORY.get(first, "a") if codes_in[0] is codes.CATEGORY else chr(first)
