"""The pages that the longer measurements leave in bench/results: tables in Markdown, charts beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bench.machine import Machine

RESULTS = Path(__file__).parent / "results"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; all but the first column hold figures and stand on the right."""
    lines = [_line(heads), _line(["---", *["---:"] * (len(heads) - 1)])]
    return "\n".join([*lines, *(_line(row) for row in rows)])


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def machine_lines(machine: Machine) -> str:
    return "\n".join(f"* {name}: {value}" for name, value in machine.items())


def against_bar(value: float, most: float, shown: str) -> str:
    """A figure with the bar it must not exceed, and whether it does."""
    return f"{shown} ({'within' if value <= most else '**over**'} {most:g})"


def write_page(folder: Path, name: str, sections: Sequence[str], charts: Mapping[str, str]) -> Path:
    """Keep a page and its charts, each chart under its file name; where the page is."""
    folder.mkdir(parents=True, exist_ok=True)
    for file, drawing in charts.items():
        (folder / file).write_text(drawing, "utf-8")
    page = folder / f"{name}.md"
    page.write_text("\n\n".join(sections) + "\n", "utf-8")
    return page


def percentile(values: Sequence[float], share: float) -> float:
    """The value that a share of all values does not exceed."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))]
