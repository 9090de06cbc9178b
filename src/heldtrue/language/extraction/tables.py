"""Rows of a Markdown table as sentences, where the first column names things and the others describe them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from heldtrue.domain.limits import TABLE_CELL_CHARS_MAX, TABLE_ROWS_MAX

_SEPARATOR = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*){1,20}\|?\s*$")


class TableRow(NamedTuple):
    """A row as a sentence, and where its line stands."""

    text: str
    start: int
    end: int


def read_table_rows(text: str) -> Iterator[TableRow]:
    """Each row that describes a named thing."""
    if "|" not in text:
        return
    lines = text.split("\n")
    starts = _line_starts(lines)
    for number in range(1, len(lines)):
        if "-" in lines[number] and _SEPARATOR.match(lines[number][:2000]):
            yield from _read_rows(lines, starts, number)


def _line_starts(lines: list[str]) -> list[int]:
    starts, position = [], 0
    for line in lines:
        starts.append(position)
        position += len(line) + 1
    return starts


def _read_rows(lines: list[str], starts: list[int], separator: int) -> Iterator[TableRow]:
    heads = _cells(lines[separator - 1])
    if not 2 <= len(heads) <= 8:
        return
    for number in range(separator + 1, min(len(lines), separator + 1 + TABLE_ROWS_MAX)):
        cells = _cells(lines[number])
        if len(cells) != len(heads):
            return
        if _names_thing(cells):
            said = ", ".join(f"{head.lower()} {cell}" for head, cell in zip(heads[1:], cells[1:], strict=True) if cell)
            line = lines[number]
            start = starts[number] + len(line) - len(line.lstrip())
            yield TableRow(f"{cells[0]}: {said}", start, start + len(line.strip()))


def _cells(line: str) -> list[str]:
    if "|" not in line or len(line) > 2000:
        return []
    return [cell.strip().strip("`*_") for cell in line.strip().strip("|").split("|")]


def _names_thing(cells: list[str]) -> bool:
    """A name first, and words after it: a row of numbers is data."""
    if not re.search(r"[^\W\d_]{2}", cells[0]) or any(len(cell) > TABLE_CELL_CHARS_MAX for cell in cells):
        return False
    described = [cell for cell in cells[1:] if cell]
    worded = [cell for cell in described if re.search(r"[^\W\d_]{3}", cell)]
    return bool(described) and len(worded) * 2 > len(described)
