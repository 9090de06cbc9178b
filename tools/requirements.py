"""Say which rows of docs/requirements.md no test covers.

A test covers a row by its mark, `@pytest.mark.covers("A7", "B20")`. Marks are read from the source, so that
nothing has to be run or even importable. The exit status is 1 where a mark names a row that does not exist.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
TABLE_ROW = re.compile(r"^\|\s*(?P<id>[A-Z]\d+)\s*\|\s*(?P<sentence>.+?)\s*\|\s*$")


@dataclass(frozen=True)
class Mark:
    """One argument of one `covers(...)` mark; `row` is None where it is no plain string."""

    path: Path
    line: int
    row: str | None


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report for a project folder, this one by default; 1 if a mark names an unknown row."""
    given = sys.argv[1:] if arguments is None else arguments
    project = Path(given[0]) if given else PROJECT
    rows = read_rows((project / "docs" / "requirements.md").read_text(encoding="utf-8"))
    marks = [mark for path in sorted((project / "tests").rglob("*.py")) for mark in read_marks(path)]
    print(describe_coverage(rows, {mark.row for mark in marks}))
    wrong = [mark for mark in marks if mark.row not in rows]
    for mark in wrong:
        print(describe_wrong(mark, project), file=sys.stderr)
    return 1 if wrong else 0


def read_rows(markdown: str) -> dict[str, str]:
    """The sentence of each row, by its id, in the order of the document."""
    rows: dict[str, str] = {}
    for match in filter(None, map(TABLE_ROW.match, markdown.splitlines())):
        if match["id"] in rows:
            raise SystemExit(f"docs/requirements.md has the row {match['id']} twice")
        rows[match["id"]] = match["sentence"]
    return rows


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


def describe_coverage(rows: dict[str, str], covered: Iterable[str | None]) -> str:
    """How many rows are covered, and a line for each that is not."""
    uncovered = [row for row in rows if row not in set(covered)]
    lines = [f"{len(rows) - len(uncovered)} of {len(rows)} rows are covered by a test."]
    if uncovered:
        lines += ["", f"No test covers these {len(uncovered)}:"]
        lines += [f"  {row:<4} {rows[row]}" for row in uncovered]
    return "\n".join(lines)


def describe_wrong(mark: Mark, project: Path) -> str:
    """Where a mark is wrong, and how."""
    where = f"{mark.path.relative_to(project)}:{mark.line}"
    if mark.row is None:
        return f"{where}: a row must be written as plain text, such as covers('A7')"
    return f"{where}: docs/requirements.md has no row {mark.row}"


if __name__ == "__main__":
    sys.exit(main())
