"""Say which rows of docs/requirements.md the tests cover, and whether that page tells the truth.

A test covers a row by its mark, `@pytest.mark.covers("A7", "B20")`. Marks are read from the source, so that
nothing has to be run or even importable. The exit status is 1 where a mark names a row that does not exist, where
an available row is not covered or a planned one is, and where a row that holds partly does not say what is missing.
"""

import ast
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
STATES = ("available", "partly", "planned")
TABLE_ROW = re.compile(r"^\|\s*(?P<id>[A-Z]\d+)\s*\|\s*(?P<sentence>.+?)\s*\|\s*(?P<state>\w+)\s*\|\s*$")
MISSING = re.compile(r"^- (?P<id>[A-Z]\d+): \S")


@dataclass(frozen=True)
class Row:
    """One promise, and how far it has come."""

    sentence: str
    state: str


@dataclass(frozen=True)
class Mark:
    """One argument of one `covers(...)` mark; `row` is None where it is no plain string."""

    path: Path
    line: int
    row: str | None


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report for a project folder, this one by default; 1 if the page and the tests disagree."""
    given = sys.argv[1:] if arguments is None else arguments
    project = Path(given[0]) if given else PROJECT
    page = (project / "docs" / "requirements.md").read_text(encoding="utf-8")
    rows = read_rows(page)
    marks = [mark for path in sorted((project / "tests").rglob("*.py")) for mark in read_marks(path)]
    covered = {mark.row for mark in marks if mark.row is not None}
    print(describe_coverage(rows, covered))
    wrong = [describe_wrong(mark, project) for mark in marks if mark.row not in rows]
    wrong += find_untruths(rows, covered, read_missing(page))
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


def read_rows(markdown: str) -> dict[str, Row]:
    """Each row by its id, in the order of the document."""
    rows: dict[str, Row] = {}
    for match in filter(None, map(TABLE_ROW.match, markdown.splitlines())):
        if match["id"] in rows:
            raise SystemExit(f"docs/requirements.md has the row {match['id']} twice")
        if match["state"] not in STATES:
            raise SystemExit(f"docs/requirements.md: the state of {match['id']} is not one of {', '.join(STATES)}")
        rows[match["id"]] = Row(match["sentence"], match["state"])
    return rows


def read_missing(markdown: str) -> list[str]:
    """The rows of which the page says what is missing."""
    return [match["id"] for match in filter(None, map(MISSING.match, markdown.splitlines()))]


def read_marks(path: Path) -> Iterator[Mark]:
    """The rows that the `covers(...)` marks of a file name, wherever in the file they stand."""
    for node in ast.walk(ast.parse(path.read_bytes(), filename=str(path))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_covers_mark(node.func):
            for argument in node.args:
                is_text = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                yield Mark(path, argument.lineno, ast.literal_eval(argument) if is_text else None)


def is_covers_mark(function: ast.Attribute) -> bool:
    """Say whether a called attribute is `pytest.mark.covers` or `mark.covers`."""
    return function.attr == "covers" and ast.unparse(function.value).split(".")[-1] == "mark"


def describe_coverage(rows: Mapping[str, Row], covered: Collection[str]) -> str:
    """How many rows are covered and how far they have come, and a line for each that is not covered."""
    uncovered = {name: row for name, row in rows.items() if name not in covered}
    counts = ", ".join(f"{sum(row.state == state for row in rows.values())} {state}" for state in STATES)
    lines = [f"{len(rows) - len(uncovered)} of {len(rows)} rows are covered by a test. States: {counts}."]
    if uncovered:
        lines += ["", f"Not covered ({len(uncovered)}):"]
        lines += [f"  {name:<4} {row.state:<9}  {row.sentence}" for name, row in uncovered.items()]
    return "\n".join(lines)


def find_untruths(rows: Mapping[str, Row], covered: Collection[str], missing: Sequence[str]) -> list[str]:
    """What the page says that the tests, or the page itself, do not bear out."""
    found = []
    for name, row in rows.items():
        if row.state == "available" and name not in covered:
            found.append(f"{name} is called available, but no test covers it")
        if row.state == "planned" and name in covered:
            found.append(f"{name} is called planned, but a test covers it")
        if row.state == "partly" and name not in missing:
            found.append(f"{name} holds partly, but the page does not say what is missing")
        if row.state != "partly" and name in missing:
            found.append(f"{name} is called {row.state}, but the page says that something is missing")
    return found + [f"something is missing of {name}, which is no row" for name in missing if name not in rows]


def describe_wrong(mark: Mark, project: Path) -> str:
    """Where a mark is wrong, and how."""
    where = f"{mark.path.relative_to(project)}:{mark.line}"
    if mark.row is None:
        return f"{where}: a row must be written as plain text, such as covers('A7')"
    return f"{where}: docs/requirements.md has no row {mark.row}"


if __name__ == "__main__":
    sys.exit(main())
