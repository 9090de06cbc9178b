"""Names and values that the layout of a text joins: cells of a table, and a value on the line below its name.

What is joined is handed on as `name: value`, so that the rules for a line apply to a table too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

import msgspec

from heldtrue.domain.limits import SECRET_CHARS_MAX
from heldtrue.language import secret_shapes
from heldtrue.language.findings import compiled

_RULE_LINE = r"[\s|+:=\u2500-\u257f-]*"
_LONGEST_NAME = 48
_MOST_ROWS = 400
_MOST_COLUMNS = 24
_USER_COLUMNS = frozenset(
    "user username login account host server service site system email name benutzer utilisateur usuario utente".split()
)
_NAME_ALONE = (
    r"[ \t>*_#`\"'-]{0,8}(?P<name>[^\W\d_][\w \t'\u2019/()&#.-]{0,46}?)[ \t]?[*_`\"']{0,3}[ \t]{0,2}"
    r"(?P<sign>[:=\uff1a]?)[*_`]{0,3}(?:[ \t][|>][-+]?)?[ \t]{0,4}$"
)
_HEAD_LINE = r"(?m)^[^\W\d][\w /#.-]{0,30}(?:[,;] ?[^\W\d][\w /#.-]{0,30}){1,20}$"
"""Names with commas between: the head of a table, or a list."""
_FENCES = "`~"
_LONGEST_NAME_LINE = 80
_MOST_SPACES = 8


class ValuePair(msgspec.Struct, frozen=True):
    """A value, where it stands, and the name that the layout gives it."""

    name: str
    low_name: str
    start: int
    end: int
    is_credential: bool = False
    """Whether the value stands in a table of users and passwords, where any word is a password."""


class _Cell(msgspec.Struct, frozen=True):
    text: str
    start: int


class _Table:
    """The lines of a text that go on with the same sign between their cells."""

    def __init__(self) -> None:
        self.sign = ""
        self.rows: list[list[_Cell]] = []

    def add(self, line: str, start: int) -> bool:
        """Take a line into the table; False if it does not belong to it."""
        if line.strip() and compiled(_RULE_LINE).fullmatch(line):
            return bool(self.rows)
        sign = self.sign or next((mark for mark in "|\u2502\t;," if mark in line), "")
        if not sign or sign not in line or len(self.rows) >= _MOST_ROWS:
            return False
        self.sign = sign
        self.rows.append(_split_cells(line, start, sign))
        return True

    def pairs(self) -> Iterator[ValuePair]:
        """The pairs of neighbours in a row, and of the first row with the rows below."""
        if not self.rows:
            return
        if self.sign and self.sign not in ";,":
            for cells in self.rows:
                for cell, value in pairwise(cells):
                    yield from self._pair(cell.text, value)
        elif self.sign and not self._is_even():
            return
        head = [cell.text for cell in self.rows[0]]
        is_credential = any(name.lower() in _USER_COLUMNS for name in head)
        for number, name in enumerate(head):
            if names_data(name.lower()):
                for cells in self.rows[1:]:
                    yield from self._pair(name, *cells[number : number + 1], is_credential=is_credential)

    def _is_even(self) -> bool:
        """Whether the rows are as long as a head of plain names: sentences and code have commas too."""
        head = self.rows[0]
        even = len(self.rows) > 1 and all(len(cells) == len(head) for cells in self.rows)
        return even and all(_is_column(cell.text) for cell in head)

    def _pair(self, name: str, *values: _Cell, is_credential: bool = False) -> Iterator[ValuePair]:
        low_name = name.lower()
        for value in values:
            if (is_credential or _may_be_data(value.text)) and len(low_name) == len(name) and names_data(low_name):
                yield ValuePair(name, low_name, value.start, value.start + len(value.text), is_credential)


def read_pairs(text: str) -> Iterator[ValuePair]:
    """All names of secrets and numbers, with the values in cells beside or below them, or on the next line."""
    lines = []
    place = 0
    for line in text.split("\n"):
        lines.append((place, line))
        place += len(line) + 1
    if any(sign in text for sign in "|\t\u2502") or compiled(_HEAD_LINE).search(text):
        yield from _read_tables(lines)
    if "--" in text or "==" in text:
        yield from _read_columns(lines)
    yield from _read_lines_below(lines)


def _read_tables(lines: Sequence[tuple[int, str]]) -> Iterator[ValuePair]:
    table = _Table()
    for start, line in lines:
        if not table.add(line, start):
            yield from table.pairs()
            table = _Table()
            table.add(line, start)
    yield from table.pairs()


def names_data(low_name: str) -> bool:
    """Whether a short name says that a secret or a person's number follows."""
    if not 1 < len(low_name) <= _LONGEST_NAME or low_name.count(" ") > 4 or low_name[0].isdigit():
        return False
    return compiled(_any_name()).search(low_name) is not None


@cache
def _any_name() -> str:
    from heldtrue.language.credentials import code_names
    from heldtrue.language.personal_labels import number_names

    named = secret_shapes.NAME.replace("(?P<name>", "(?:")
    return rf"{named}|{number_names()}|{code_names()}|\biban\b|mnemonic|phrase|expir|valid thru|\bexp\b"


def _may_be_data(value: str) -> bool:
    """Whether a value can be a number or a password: it has a digit or a sign that words do not have."""
    return len(value) <= SECRET_CHARS_MAX and compiled(r"\d|[^\w\s.,;:'\"()-]").search(value) is not None


def _read_columns(lines: Sequence[tuple[int, str]]) -> Iterator[ValuePair]:
    """A table whose columns stand apart by spaces: a head, a line of dashes as many as its words, and rows."""
    for number, (_, line) in enumerate(lines[:-2]):
        rule = lines[number + 1][1].split()
        if len(rule) < 2 or len(rule) != len(line.split()) or any(part.strip("-=") for part in rule):
            continue
        table = _Table()
        for start, row in [lines[number], *lines[number + 2 : number + 2 + _MOST_ROWS]]:
            words = [_Cell(word[0], start + word.start()) for word in compiled(r"\S+").finditer(row)]
            if len(words) != len(rule):
                break
            table.rows.append(words)
        yield from table.pairs()


def _split_cells(line: str, start: int, sign: str) -> list[_Cell]:
    cells, place = [], start
    for part in line.split(sign)[:_MOST_COLUMNS]:
        inner = part.strip(" \t\r*_`\"'")
        cells.append(_Cell(inner, place + (part.find(inner) if inner else 0)))
        place += len(part) + 1
    return cells[1:] if line.lstrip().startswith(sign) and not cells[0].text else cells


def _is_column(name: str) -> bool:
    return compiled(r"[^\W\d][\w /#.-]{0,30}").fullmatch(name) is not None


def _read_lines_below(lines: Sequence[tuple[int, str]]) -> Iterator[ValuePair]:
    """A value alone on its line, under a line that is a name or ends with one."""
    for number, (_, line) in enumerate(lines[:-1]):
        if not line or len(line) > _LONGEST_NAME_LINE:
            continue
        following = lines[number + 1 : number + 4]
        start, row = next(((start, row) for start, row in following if row.strip().strip(_FENCES)), (0, ""))
        if row.count(" ") > _MOST_SPACES or not _may_be_data(row):
            continue
        name = compiled(_NAME_ALONE).match(line)
        if name is not None and (name["sign"] or name["name"].count(" ") < 4) and names_data(name["name"].lower()):
            value = row.strip(" \t\r>*_`\"'|").removeprefix("- ").strip(" \t`\"'*")
            at = start + row.find(value)
            yield ValuePair(name["name"], name["name"].lower(), at, at + len(value))
