"""Limits stand in one file, each with its reason; what tunes an algorithm is not named like a limit."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import heldtrue
from heldtrue.domain import limits

PACKAGE = Path(heldtrue.__file__).parent
LIMITS = Path(limits.__file__)
UNITS = (
    "S", "MS", "US", "SECONDS", "MILLISECONDS", "MINUTES", "HOURS", "DAYS", "BYTES", "CHARS", "CHARACTERS", "TOKENS",
    "LINES", "ROWS", "PAGES", "ENTRIES", "TRIES", "THREADS", "SHOWN",
)  # fmt: skip
NO_LIMITS = {
    # Given by a stored form or by a format: it cannot be chosen again.
    "domain/agent.py": {"_TOKEN_BYTES"},
    "domain/space_key.py": {"_KEY_BYTES"},
    "domain/ids.py": {"ENDING_CHARS", "ENDING_CHARS_MIN"},
    "domain/posting.py": {"DOCS_MAX", "PLACES_MAX", "POSTING_BYTES"},
    "domain/times.py": {"SECOND_US"},
    "readers/archives.py": {"_COMMENT_BYTES", "_END_BYTES", "_LOCATOR_BYTES"},
    "recall/render.py": {"_KEY_BYTES"},
    "storage/sqlite/connector.py": {"_PAGE_BYTES"},
    "surfaces/mcp/telling.py": {"_KEY_BYTES"},
    # Given by a model, or by what was measured with it.
    "models/onnx.py": {"LATE_TOKENS", "_TRAINED_TOKENS"},
    "models/reader_input.py": {
        "TOKENS_MAX",
        "_AFTER_TOKENS",
        "_BEFORE_CHARS",
        "_BEFORE_TOKENS",
        "_SAID_TOKENS_MAX",
        "_TOKEN_CHARS_MAX",
    },
    "recall/index/embedding.py": {"PIECE_CHARS"},
    "recall/index/matrix.py": {"_BESIDE_BYTES"},
    # Tunes a ranking: days of fading, threads of conversation.
    "recall/candidates.py": {"_THREADS"},
    "recall/weigh.py": {"_EARLY_DAYS", "_LATE_DAYS"},
}
"""Numbers with a unit that are no limits, by file."""
LAYOUT = "surfaces/cli/"
"""Where characters and lines are a matter of how a terminal is filled: with `--json`, nothing is cut."""
LANGUAGE = "language/"
"""Where a number of words or characters tunes how a text is read."""


def constants(path: Path) -> Iterator[str]:
    """The names that a module sets to a value of its own."""
    yield from (name for name, _ in assignments(path))


def assignments(path: Path) -> Iterator[tuple[str, ast.expr]]:
    """Each name that a module sets, with the value that it gets."""
    for statement in ast.parse(path.read_text("utf-8")).body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                yield from ((node.id, statement.value) for node in ast.walk(target) if isinstance(node, ast.Name))


def is_number(value: ast.expr) -> bool:
    """Whether a value is written as a number or a tuple of numbers, and not derived from another constant."""
    leaves = [node for node in ast.walk(value) if isinstance(node, ast.Constant | ast.Name | ast.Call | ast.Dict)]
    return bool(leaves) and all(isinstance(leaf, ast.Constant) and type(leaf.value) in (int, float) for leaf in leaves)


def is_limit(where: str, name: str, value: ast.expr) -> bool:
    """Whether a constant of a module has the name and the value of a limit."""
    if name in NO_LIMITS.get(where, ()):
        return False
    if name.endswith(("_MAX", "_MIN")):
        return True
    if where.startswith(LANGUAGE) or (where.startswith(LAYOUT) and name.endswith(("CHARS", "SHOWN"))):
        return False
    return name.rpartition("_")[2] in UNITS and is_number(value)


def test_no_limit_stands_elsewhere() -> None:
    elsewhere = [
        f"{where}: {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for where in [path.relative_to(PACKAGE).as_posix()]
        if path != LIMITS
        for name, value in assignments(path)
        if is_limit(where, name, value)
    ]
    assert elsewhere == []


def test_what_is_said_to_be_no_limit_is_still_there() -> None:
    assert [
        f"{where}: {name}"
        for where, names in NO_LIMITS.items()
        for name in sorted(names - set(constants(PACKAGE / where)))
    ] == []


@pytest.mark.parametrize(
    ("where", "line", "wanted"),
    [
        ("engine/worker.py", "WAIT_SECONDS = 0.5", True),
        ("engine/worker.py", "_PAGE_BYTES = 64 * 1024", True),
        ("engine/worker.py", "_PAUSES_MS = (5, 10)", True),
        ("engine/worker.py", "LINES = re.compile('a')", False),
        ("engine/worker.py", "HALF_SECONDS = LEASE_SECONDS / 2", False),
        ("engine/worker.py", "_ALIKE = 0.9", False),
        ("engine/worker.py", "TEXT_MAX = compute()", True),
        ("surfaces/cli/page.py", "_TEXT_CHARS = 60", False),
        ("surfaces/cli/page.py", "_TEXT_SECONDS = 60", True),
        ("language/names.py", "_NAME_CHARS = 60", False),
        ("language/names.py", "_NAME_CHARS_MAX = 60", True),
        ("domain/agent.py", "_TOKEN_BYTES = 32", False),
    ],
)
def test_limits_are_noticed_by_their_unit(where: str, line: str, wanted: bool) -> None:
    [statement] = ast.parse(line).body
    assert isinstance(statement, ast.Assign)
    [target] = statement.targets
    assert isinstance(target, ast.Name)
    assert is_limit(where, target.id, statement.value) is wanted


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
    endings = ("_MAX", "_MIN", "_DEFAULT", "_US", "_MS", "_HOURS", "_SECONDS", "_BYTES", "_ENTRIES", "_PAGES", "_ROWS")
    assert [name for name in constants(LIMITS) if not name.startswith("_") and not name.endswith(endings)] == []
