"""Names and values that the layout of a text joins: cells of a table, and a value on the line below its name.

What is joined is handed on as `name: value`, so that the rules for a line apply to a table too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from heldtrue.domain.limits import SECRET_CHARS_MAX
from heldtrue.language.findings import compiled

_RULE_LINE = r"[\s|+:=\u2500-\u257f-]*"
_NAME_CHARS_MAX = 48
_ROWS_MAX = 400
_COLUMNS_MAX = 24
_USER_COLUMNS = frozenset("user username login account host server service site system email name benutzer utilisateur usuario".split())
_BARE_NAME = r"[ \t>*_#`\"'-]{0,8}(?P<name>[^\W\d_][\w \t'\u2019/()&#.-]{0,46}?)[ \t]?[*_`\"']{0,3}[ \t]{0,2}(?P<sign>[:=\uff1a]?)[*_`]{0,3}[ \t]{0,4}$"


class ValuePair(msgspec.Struct, frozen=True):
    """A value, where it stands, and the name that the layout gives it."""

    name: str
    start: int
    end: int
    is_credential: bool = False
    """Whether the value stands in a table of users and passwords, where any word is a password."""


class _Cell(msgspec.Struct, frozen=True):
    text: str
    start: int


def read_pairs(text: str) -> Iterator[ValuePair]:
    """All names and values that stand in cells, or below each other."""
    block: list[list[_Cell]] = []
    sign = ""
    for start, line in _lines(text):
        cells, used = _split_line(line, start, sign)
        if cells is None:
            yield from _read_table(block, sign)
            block, sign = [], ""
            cells, used = _split_line(line, start, sign)
        if cells:
            block.append(cells)
            sign = used
        if len(block) >= _ROWS_MAX:
            yield from _read_table(block, sign)
            block = block[:1]
    yield from _read_table(block, sign)
    yield from _read_lines_below(text)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    place = 0
    for line in text.split("\n"):
        yield place, line
        place += len(line) + 1


def _split_line(line: str, start: int, sign: str) -> tuple[list[_Cell] | None, str]:
    """The cells of a line and the sign between them; None if the line does not go on with the table before it."""
    found = next((mark for mark in ("|", "\u2502", "\t", ";", ",") if mark in line), "")
    if compiled(_RULE_LINE).fullmatch(line) and line.strip():
        return [], sign
    if sign and sign in line:
        found = sign
    if not found or (found in ";," and line.count(found) > _COLUMNS_MAX):
        return None if sign else [], ""
    if sign and found != sign:
        return None, sign
    cells, place = [], start
    for part in line.split(found)[: 2 * _COLUMNS_MAX]:
        inner = part.strip(" \t*_`\"'")
        cells.append(_Cell(inner, place + (part.find(inner) if inner else 0)))
        place += len(part) + 1
    if line.lstrip().startswith(found) and cells and not cells[0].text:
        cells = cells[1:]
    return cells, found


def _read_table(rows: Sequence[list[_Cell]], sign: str) -> Iterator[ValuePair]:
    if not rows:
        return
    head = [cell.text.lower() for cell in rows[0]]
    is_credential = any(name in _USER_COLUMNS for name in head)
    if sign in ",;":  # lists and code have these signs too: only a file with a head and even rows is a table
        if len(rows) < 2 or any(len(cells) != len(head) for cells in rows) or not all(map(_is_column, head)):
            return
    for cells in rows if sign not in ",;" else ():
        for number, cell in enumerate(cells[:-1]):
            value = cells[number + 1]
            if _is_name(cell.text) and value.text:
                yield ValuePair(cell.text, value.start, value.start + len(value.text))
    for cells in rows[1:]:
        for name, cell in zip(rows[0], cells, strict=False):
            if cell.text and _is_name(name.text):
                yield ValuePair(name.text, cell.start, cell.start + len(cell.text), is_credential)


def _is_column(name: str) -> bool:
    return compiled(r"[^\W\d][\w /#.-]{0,30}").fullmatch(name) is not None


def _is_name(text: str) -> bool:
    return 1 < len(text) <= _NAME_CHARS_MAX and text.count(" ") < 5 and not text[0].isdigit()


def _read_lines_below(text: str) -> Iterator[ValuePair]:
    """A value alone on its line, under a line that ends with a name."""
    lines = list(_lines(text))
    for number, (_, line) in enumerate(lines[:-1]):
        if len(line) > 200 or not line.strip():
            continue
        name = compiled(_BARE_NAME).match(line[-_NAME_CHARS_MAX - 16 :] if len(line) > 64 else line)
        if name is None or (not name["sign"] and name["name"].count(" ") > 3):
            continue
        below = next(((start, row) for start, row in lines[number + 1 : number + 4] if row.strip().strip("`~")), None)
        if below is None:
            continue
        start, row = below
        value = row.strip(" \t>*_`\"'|").removeprefix("- ").strip(" \t`\"'*")
        if value and len(value) <= SECRET_CHARS_MAX and value.count(" ") <= 8:
            at = start + row.find(value)
            yield ValuePair(name["name"].split("\n")[-1].strip(" *_`\"'#|"), at, at + len(value))
