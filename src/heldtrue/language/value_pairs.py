"""Names and values that the layout of a text joins: cells of a table, columns, and a value on a line below its name.

What is joined is handed on as `name: value`, so that the rules for a line apply to a table too.
"""

from __future__ import annotations

import re
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
_CELL_SIGNS = "|\u2502\u2551\u2503\u00a6\t;,"
_PLAIN_SIGNS = ";,"
"""Signs that sentences have as well."""
_USER_COLUMNS = frozenset(
    "user username login account host server service site system email name benutzer utilisateur usuario utente url "
    "dienst konto mail benutzername nutzer app portal website role rolle device ger\u00e4t identifiant compte servicio "
    "cuenta servizio gebruiker gebruikersnaam u\u017cytkownik database db machine hostname who person".split()
)
_DOCUMENTED = frozenset("type required description field default length format typ beschreibung rule policy".split())
"""Columns of a table that describes fields instead of filling them."""
_BANK_COLUMN = r"sort.?code|routing|\baba\b|\bbsb\b|\bblz\b|bankleitzahl|\brtn\b|\bifsc\b"
_ACCOUNT_COLUMN = r"account|acct|acc|a/c|konto|compte|cuenta"
_BULLET = r"(?:\d{1,2}[.)][ \t]|[-*\u2022>#][ \t]?){0,3}"
_NAME_ALONE = (
    rf"[ \t]{{0,8}}{_BULLET}[*_`\"']{{0,3}}(?P<name>[^\W\d_][\w \t'\u2019/()&#.-]{{0,60}}?)[ \t]?[*_`\"']{{0,3}}"
    r"[ \t]{0,2}(?P<sign>[:=\uff1a]?)[*_`]{0,3}(?:[ \t][|>][-+]?)?[^\w\n\"'$%(){\[<:=]{0,8}$"
)
_SENTENCE_ENDS = r"[.!?;,][ \t]"
_HEAD_LINE = r"(?m)^[\"']?[^\W\d][\w /#.-]{0,30}[\"']?(?:[,;] ?[\"']?[^\W\d][\w /#.-]{0,30}[\"']?){1,20}$"
"""Names with commas between: the head of a table, or a list."""
_LOGIN_LINE = (
    r"(?<![^\W_])(?:log-?in|credentials|creds|zugangsdaten|zugang|anmeldung|identifiants|account details)\b"
    r"[^:]{0,50}:\s{0,2}$"
)
_SPACED_CELL = r"\S+(?: \S+){0,6}"
_LONGEST_HEAD = 300
_FENCES = "`~"
_LONGEST_NAME_LINE = 80
_MOST_SPACES = 8
_MOST_LINES_BETWEEN = 4
_OTHER_ENTRY = r"[ \t]*(?:[-*\u2022][ \t])?[^\W\d_][\w .'-]{0,30}(?::[ \t]\S|[ \t]?=[ \t]?\S)"
"""A line that has a name and a value of its own."""
_ASSIGNMENT = r"[A-Za-z_][\w.-]*[ \t]?=.*"


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
        sign = self.sign or next((mark for mark in _CELL_SIGNS if mark in line), "")
        if not sign or sign not in line or len(self.rows) >= _MOST_ROWS:
            return False
        self.sign = sign
        self.rows.append(_split_cells(line, start, sign))
        return True

    def pairs(self) -> Iterator[ValuePair]:
        """The pairs of a name and the cells in its row, and of the first row with the rows below."""
        if not self.rows or (self.sign and self.sign in _PLAIN_SIGNS and not self._is_even()):
            return
        if self.sign and (self.sign not in _PLAIN_SIGNS or len(self.rows[0]) == 2):
            yield from self._pairs_in_rows()
        head = _name_accounts([cell.text.lower() for cell in self.rows[0]])
        is_credential = any(name.strip("*_ ") in _USER_COLUMNS for name in head)
        for number, name in enumerate(head):
            if names_data(name):
                for cells in self.rows[1:]:
                    yield from self._pair(name, *cells[number : number + 1], is_credential=is_credential)

    def _pairs_in_rows(self) -> Iterator[ValuePair]:
        head = {cell.text.lower() for cell in self.rows[0]}
        first = _name_accounts([cells[0].text.lower() if cells else "" for cells in self.rows])
        is_credential = any(name in _USER_COLUMNS for name in first) and len(self.rows) > 1
        for name, cells in zip(first, self.rows, strict=True):
            for cell, value in pairwise(cells):
                yield from self._pair(cell.text, value)
            if not head & _DOCUMENTED:
                yield from self._pair(name, *cells[1:], is_credential=is_credential)

    def _is_even(self) -> bool:
        """Whether the rows are as long as a head of plain names: sentences and code have commas too."""
        head = self.rows[0]
        even = len(self.rows) > 1 and all(len(cells) == len(head) for cells in self.rows)
        return even and all(_is_column(cell.text) for cell in head)

    def _pair(self, name: str, *values: _Cell, is_credential: bool = False) -> Iterator[ValuePair]:
        low_name = name.lower()
        if len(low_name) != len(name) or not names_data(low_name):
            return
        for value in values:
            if is_credential or _may_be_data(value.text):
                yield ValuePair(name, low_name, value.start, value.start + len(value.text), is_credential)


def _name_accounts(names: list[str]) -> list[str]:
    """The names of columns or rows; beside the number of a bank, "account" is the number of one."""
    if not any(compiled(_BANK_COLUMN).search(name) for name in names):
        return names
    return ["account number" if compiled(_ACCOUNT_COLUMN).match(name) else name for name in names]


def read_pairs(text: str) -> Iterator[ValuePair]:
    """All names of secrets and numbers, with the values in cells beside or below them, or on a line below."""
    lines = []
    place = 0
    for line in text.split("\n"):
        lines.append((place, line))
        place += len(line) + 1
    if any(sign in text for sign in "|\t\u2502\u2551\u2503\u00a6") or compiled(_HEAD_LINE).search(text):
        yield from _read_tables(lines)
    if "--" in text or "==" in text or "  " in text:
        yield from _read_columns(lines)
    yield from _read_lines_below(lines)
    yield from _read_blocks(lines)
    yield from _read_logins(lines)
    yield from _read_inserts(text)


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
    return compiled(_any_name()).search(low_name.replace("_", " ")) is not None


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
    """A table whose columns stand apart by spaces: a head of names, perhaps a line of dashes, and rows."""
    number = 0
    while number < len(lines) - 1:
        head, rule = lines[number][1], lines[number + 1][1].split()
        is_ruled = len(rule) > 1 and len(rule) == len(head.split()) and not any(part.strip("-=") for part in rule)
        number += 1
        if not is_ruled and not _is_head(head):
            continue
        table = _Table()
        cell = compiled(r"\S+" if is_ruled else _SPACED_CELL)
        table.rows += _take_rows(lines[number - 1 : number + _MOST_ROWS], cell)
        number += max(0, len(table.rows) - 2)
        yield from table.pairs()


def _take_rows(lines: Sequence[tuple[int, str]], cell: re.Pattern[str]) -> list[list[_Cell]]:
    """The rows that have as many cells as the first."""
    rows: list[list[_Cell]] = []
    for start, row in lines:
        if compiled(_RULE_LINE).fullmatch(row) and row.strip():
            continue
        words = [_Cell(word[0], start + word.start()) for word in cell.finditer(row)]
        if rows and len(words) != len(rows[0]):
            break
        rows.append(words)
    return rows


def _is_head(line: str) -> bool:
    """Whether a line is two or more names far apart, one of them of a secret or a number."""
    if "  " not in line.strip() or len(line) > _LONGEST_HEAD:
        return False
    names = compiled(_SPACED_CELL).findall(line)
    return (
        1 < len(names) <= _MOST_COLUMNS
        and all(map(_is_column, names))
        and any(names_data(name.lower()) for name in names)
    )


def _split_cells(line: str, start: int, sign: str) -> list[_Cell]:
    cells, place = [], start
    for part in line.split(sign)[:_MOST_COLUMNS]:
        inner = part.strip(" \t\r`\"'")
        if compiled(r"([*_]{1,3})[^*_].{0,200}\1").fullmatch(inner):
            inner = inner.strip("*_")
        cells.append(_Cell(inner, place + (part.find(inner) if inner else 0)))
        place += len(part) + 1
    return cells[1:] if line.lstrip().startswith(sign) and not cells[0].text else cells


def _is_column(name: str) -> bool:
    return compiled(r"[^\W\d][\w /#.()-]{0,30}").fullmatch(name) is not None


def _read_lines_below(lines: Sequence[tuple[int, str]]) -> Iterator[ValuePair]:
    """A value alone on its line, below a line that is a name or ends with one."""
    for number, (_, line) in enumerate(lines[:-1]):
        name = _name_at_end(line) if line.strip() else None
        if name is None:
            continue
        label = name["name"]
        low_name = label.lower()
        if not (name["sign"] or label.count(" ") < 4) or len(low_name) != len(label):
            continue
        if compiled(secret_shapes.BELOW_NAME).search(low_name) and (name["sign"] or label.count(" ") < 3):
            label = low_name = "password"
        elif not names_data(low_name):
            continue
        following = lines[number + 1 : number + 2 + _MOST_LINES_BETWEEN]
        for start, value in _values_below(following, name["sign"]):
            yield ValuePair(label, low_name, start, start + len(value))


def _read_blocks(lines: Sequence[tuple[int, str]]) -> Iterator[ValuePair]:
    """As many values as there are names right above them: "Login", "Password", and below the two values."""
    block: list[tuple[int, str]] = []
    for start, line in [*lines, (0, "")]:
        if line.strip() and len(block) < _MOST_ROWS:
            block.append((start, line))
            continue
        half = len(block) // 2
        if (
            half > 1
            and len(block) == 2 * half <= 2 * _MOST_COLUMNS
            and all(_is_name_line(row) for _, row in block[:half])
        ):
            for (_, name), (at, row) in zip(block[:half], block[half:], strict=True):
                name, value = name.strip(" \t*:").lower(), row.strip()
                if " " not in value and names_data(name) and _may_be_data(value):
                    yield ValuePair(name, name, at + row.find(value), at + row.find(value) + len(value))
        block = [(start, line)] if line.strip() else []


def _read_logins(lines: Sequence[tuple[int, str]]) -> Iterator[ValuePair]:
    """A user and a password on two lines, below a line that announces a login."""
    for number, (_, line) in enumerate(lines[:-2]):
        if len(line) > _LONGEST_NAME_LINE or not compiled(_LOGIN_LINE).search(line.lower()):
            continue
        below = [entry for entry in lines[number + 1 : number + 4] if entry[1].strip()]
        if len(below) < 2:
            continue
        user, (start, row) = below[0][1], below[1]
        value = row.strip()
        if compiled(r"\s*[\w.@+-]{2,64}\s*").fullmatch(user) and " " not in value and _may_be_data(value):
            yield ValuePair("password", "password", start + row.find(value), start + row.find(value) + len(value))


def _is_name_line(line: str) -> bool:
    return (
        len(line) <= _LONGEST_NAME
        and compiled(r"[ \t*]{0,4}[^\W\d_]{2,20}(?: [^\W\d_]{2,20}){0,2}[ \t*:]{0,4}").fullmatch(line) is not None
    )


def _name_at_end(line: str) -> re.Match[str] | None:
    """The name that a line is, or that its last sentence ends with."""
    tail = line[-_LONGEST_NAME_LINE:]
    if len(line) > _LONGEST_NAME_LINE or compiled(_SENTENCE_ENDS).search(tail):
        ends = [match.end() for match in compiled(_SENTENCE_ENDS).finditer(tail)]
        if not line.rstrip().endswith((":", "\uff1a")) or (not ends and len(line) > len(tail)):
            return None
        tail = tail[ends[-1] :] if ends else tail
    return compiled(_NAME_ALONE).match(tail)


def _values_below(following: Sequence[tuple[int, str]], sign: str) -> Iterator[tuple[int, str]]:
    """The first line that can be a value; entries with a name of their own may stand between."""
    for start, row in following:
        if not row.strip().strip(_FENCES) or compiled(_RULE_LINE).fullmatch(row):
            continue
        value = row.strip(" \t\r>`\"'|").removeprefix("- ").strip(" \t`\"'")
        if compiled(r"([*_]{1,3})[^*_].{0,200}\1").fullmatch(value):
            value = value.strip("*_")
        if sign == "=" and compiled(_ASSIGNMENT).fullmatch(value):
            return
        if compiled(_OTHER_ENTRY).match(row) and compiled(r"[^=]*[:=][ \t]").match(row):
            continue
        if value and row.count(" ") - (len(row) - len(row.lstrip())) <= _MOST_SPACES and _may_be_data(row):
            yield start + row.find(value), value
        return


def _read_inserts(text: str) -> Iterator[ValuePair]:
    """The values of a statement that inserts rows, with the names of their columns."""
    for keyword in compiled(r"(?i)\)\s{0,8}values\s{0,8}(?=\()").finditer(text):
        opening = text.rfind("(", max(0, keyword.start() - 600), keyword.start())
        if opening == -1:
            continue
        columns = text[opening + 1 : keyword.start()].lower().split(",")
        names = _name_accounts([name.strip(" \t\r\n`\"'[]") for name in columns])
        place = keyword.end()
        while row := compiled(r"\(([^()]{1,2000})\)[\s,]{0,8}").match(text, place):
            place = row.end()
            for name, cell in zip(names, _split_cells(row[1], row.start(1), ","), strict=False):
                if cell.text and names_data(name):
                    yield ValuePair(name, name, cell.start, cell.start + len(cell.text), is_credential=True)
