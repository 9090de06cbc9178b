"""TOML edited as text: only the lines of the table or key that changes are touched, comments and all else stay."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from heldtrue.surfaces.cli.install.json_text import Unreadable
from heldtrue.wiring.toml_values import spell_key, spell_toml

_HEADER = re.compile(r"\s*+\[\[?(?P<name>[^\]]++)\]\]?\s*+(?:#.*)?$")
_LINE = re.compile(r"line (\d+)")
_PART = re.compile(r"""(?<![\w\s-])\s*+(?:"([^"]*+)"|'([^']*+)'|([A-Za-z0-9_-]++))\s*+(?:\.|$)""")


def read_toml(text: str) -> dict[str, Any]:
    """What a text says, or an error with its line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        found = _LINE.search(str(problem))
        line = int(found[1]) if found else text.count("\n") + 1
        raise Unreadable(re.sub(r" \(at .*\)$", "", str(problem)), line) from None


def add_table(text: str, name: str, values: Mapping[str, Any]) -> str:
    """The text with a table more at its end."""
    newline = _newline(text)
    lead = "" if not text or text.endswith("\n") else newline
    gap = newline if text.strip() else ""
    lines = [f"[{name}]", *(f"{key} = {spell_toml(value)}" for key, value in values.items())]
    return f"{text}{lead}{gap}{''.join(line + newline for line in lines)}"


def drop_table(text: str, name: str) -> str:
    """The text without a table, the tables inside of it, and the blank line before each of them."""
    lines = text.splitlines(keepends=True)
    for begin, end in reversed(list(_sections(lines, name))):
        if begin and not lines[begin - 1].strip():
            begin -= 1
        del lines[begin:end]
    return "".join(lines)


def set_values(text: str, name: str, values: Mapping[str, Any]) -> str:
    """The text with other values for some keys of a table; keys that it does not have go under its heading."""
    lines = text.splitlines(keepends=True)
    begin, end = next(_sections(lines, name), (-1, -1))
    if begin < 0:
        return text
    for key, value in values.items():
        line = f"{key} = {spell_toml(value)}{_newline(text)}"
        number = _find_line(lines, begin + 1, end, rf"{key}\s*=")
        if number is None:
            lines.insert(begin + 1, line)
            end += 1
        else:
            length = _length(lines[number:end])
            lines[number : number + length] = [line]
            end += 1 - length
    return "".join(lines)


def set_key(text: str, path: Sequence[str], value: Any) -> str:
    """The text with another value of one key, which may be new: beside its commented default, or last in its table."""
    lines = text.splitlines(keepends=True)
    newline = _newline(text)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += newline
    spelled = spell_toml(value)
    if (found := _find_key(lines, path)) is not None:
        begin, end, name = found
        indent = lines[begin][: len(lines[begin]) - len(lines[begin].lstrip())]
        comment = _comment_of("".join(lines[begin:end]))
        lines[begin:end] = [f"{indent}{name} = {spelled}{comment}{newline}"]
        return "".join(lines)
    table = _table_lines(lines, path[:-1])
    line = f"{spell_key(path[-1])} = {spelled}{newline}"
    if table is None:
        return add_table("".join(lines), ".".join(spell_key(part) for part in path[:-1]), {spell_key(path[-1]): value})
    begin, end = table
    beside = _find_line(lines, begin, end, rf"#\s*{re.escape(spell_key(path[-1]))}\s*=")
    while beside is None and end > begin and not lines[end - 1].strip():
        end -= 1
    lines.insert(end if beside is None else beside + 1, line)
    return "".join(lines)


def drop_key(text: str, path: Sequence[str]) -> str:
    """The text without the lines of one key."""
    lines = text.splitlines(keepends=True)
    if (found := _find_key(lines, path)) is not None:
        del lines[found[0] : found[1]]
    return "".join(lines)


def _find_key(lines: list[str], path: Sequence[str]) -> tuple[int, int, str] | None:
    """The lines of a key, and its name as it is written there: `per_day` in its table, `decay.per_day` in one above."""
    for depth in range(len(path) - 1, -1, -1):
        name = ".".join(spell_key(part) for part in path[depth:])
        if (table := _table_lines(lines, path[:depth])) is not None:
            number = _find_line(lines, *table, rf"{re.escape(name)}\s*=")
            if number is not None:
                return number, number + _length(lines[number : table[1]]), name
    return None


def _find_line(lines: list[str], begin: int, end: int, pattern: str) -> int | None:
    return next((number for number in range(begin, end) if re.match(rf"\s*{pattern}", lines[number])), None)


def _table_lines(lines: list[str], path: Sequence[str]) -> tuple[int, int] | None:
    """Where the lines of a table begin and end, its heading left out; the one without a name comes first."""
    begin: int | None = None if path else 0
    for number, line in enumerate(lines):
        if (heading := _HEADER.match(line)) is None:
            continue
        if begin is not None:
            return begin, number
        if _parts(heading["name"]) == list(path) and not line.lstrip().startswith("[["):
            begin = number + 1
    return None if begin is None else (begin, len(lines))


def _comment_of(lines: str) -> str:
    """The comment behind the value of a key, with the space before it."""
    whole = tomllib.loads(lines)
    mark = lines.find("#")
    while mark >= 0:
        try:
            if tomllib.loads(lines[:mark]) == whole:
                value = lines[:mark].rstrip(" \t")
                return lines[len(value) :].rstrip()
        except tomllib.TOMLDecodeError:
            pass  # it stands inside of the value
        mark = lines.find("#", mark + 1)
    return ""


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _sections(lines: list[str], name: str) -> Iterator[tuple[int, int]]:
    """Where a table and the tables inside of it stand: from a heading to the last line that says something."""
    wanted = name.split(".")
    headers = [(start, _parts(found["name"])) for start, line in enumerate(lines) if (found := _HEADER.match(line))]
    for number, (start, parts) in enumerate(headers):
        if parts[: len(wanted)] != wanted:
            continue
        end = headers[number + 1][0] if number + 1 < len(headers) else len(lines)
        while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
            end -= 1
        yield start, end


def _parts(name: str) -> list[str]:
    return [next(part for part in found if part) for found in _PART.findall(name) if any(found)]


def _length(lines: list[str]) -> int:
    """How many lines one key with its value takes."""
    for count in range(1, len(lines) + 1):
        try:
            tomllib.loads("".join(lines[:count]))
        except tomllib.TOMLDecodeError:
            continue
        return count
    return 1
