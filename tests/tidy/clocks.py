"""Asserts on what a clock says: they fail on a slow or busy machine, where nothing is wrong."""

import ast
from collections.abc import Iterator

_CLOCKS = frozenset({"monotonic", "perf_counter", "process_time", "thread_time", "repeat", "timeit"})
_MODULES = frozenset({"time", "timeit"})
_ALLOWED = frozenset({"tests/waiting.py"})
"""Waits with a deadline, which is no claim about how long anything takes."""


def find_timed_asserts(path: str, text: str) -> Iterator[str]:
    """Where a test asserts something about a measured time, as `path:line`."""
    if path in _ALLOWED:
        return
    tree = ast.parse(text)
    timed = {name.id for node in ast.walk(tree) if isinstance(node, ast.Assign) and _reads_clock(node.value)
             for name in _names_measured(node)}  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and (_reads_clock(node.test) or _compares(node.test, timed)):
            yield f"{path}:{node.lineno}"


def _names_measured(node: ast.Assign) -> list[ast.Name]:
    """What a difference of two moments was stored in; a moment alone is no duration."""
    is_duration = any(isinstance(inner, ast.Sub) for inner in ast.walk(node.value))
    return [target for target in node.targets if isinstance(target, ast.Name)] if is_duration else []


def _reads_clock(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Call) and _is_clock(inner.func) for inner in ast.walk(node))


def _is_clock(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        return function.attr in _CLOCKS and isinstance(function.value, ast.Name) and function.value.id in _MODULES
    return isinstance(function, ast.Name) and function.id in _CLOCKS


def _compares(test: ast.expr, names: set[str]) -> bool:
    return isinstance(test, ast.Compare) and any(
        isinstance(inner, ast.Name) and inner.id in names for inner in ast.walk(test)
    )
