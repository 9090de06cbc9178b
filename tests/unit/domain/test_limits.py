"""Limits stand in one file, each with its reason; what tunes an algorithm is not named like a limit."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import heldtrue
from heldtrue.domain import limits

PACKAGE = Path(heldtrue.__file__).parent
LIMITS = Path(limits.__file__)
PARTS_OF_A_FORMAT = {"PLACES_MAX", "SHORT_CHARS_MIN", "ENDING_CHARS_MIN"}
"""How passages are numbered in stored postings, and ids are found in an index: given by the stored form, not chosen."""


def constants(path: Path) -> Iterator[str]:
    """The names that a module sets to a value of its own."""
    for statement in ast.parse(path.read_text("utf-8")).body:
        if isinstance(statement, ast.Assign):
            yield from (
                node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name)
            )


@pytest.mark.parametrize("part", ["audit", "domain", "engine", "ingest", "language", "projections", "wiring"])
def test_no_limit_stands_elsewhere(part: str) -> None:
    elsewhere = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in sorted((PACKAGE / part).rglob("*.py"))
        if path != LIMITS
        for name in constants(path)
        if name.endswith(("_MAX", "_MIN")) and name not in PARTS_OF_A_FORMAT
    ]
    assert elsewhere == []


def test_every_limit_says_what_it_is_of_and_why() -> None:
    body = ast.parse(LIMITS.read_text("utf-8")).body
    unexplained = [
        ast.unparse(statement)
        for statement, following in zip(body, [*body[1:], None], strict=True)
        if isinstance(statement, ast.Assign)
        and not ast.unparse(statement).startswith("_")
        and not (isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant))
    ]
    assert unexplained == []


def test_every_name_ends_in_what_it_bounds_or_its_unit() -> None:
    endings = ("_MAX", "_MIN", "_DEFAULT", "_US", "_MS", "_HOURS", "_BYTES", "_ENTRIES")
    assert [name for name in constants(LIMITS) if not name.startswith("_") and not name.endswith(endings)] == []
