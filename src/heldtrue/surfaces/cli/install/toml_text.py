"""TOML edited as text: a table of its own goes in at the end, and comes out with its lines and no others."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from heldtrue.surfaces.cli.install.json_text import Unreadable

_HEADER = re.compile(r"\s*\[\[?\s*(?P<name>[^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_LINE = re.compile(r"line (\d+)")
_PART = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(?:\.|$)""")


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
    lines = [f"[{name}]", *(f"{key} = {render(value)}" for key, value in values.items())]
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
        line = f"{key} = {render(value)}{_newline(text)}"
        place = next((one for one in range(begin + 1, end) if re.match(rf"\s*{key}\s*=", lines[one])), None)
        if place is None:
            lines.insert(begin + 1, line)
            end += 1
        else:
            length = _length(lines[place:end])
            lines[place : place + length] = [line]
            end += 1 - length
    return "".join(lines)


def render(value: Any) -> str:
    """A text, a list of texts or a table of them; TOML spells texts as JSON does. Anything else is only ever shown."""
    if isinstance(value, Mapping):
        named = ((key if _BARE.fullmatch(key) else json.dumps(key), one) for key, one in value.items())
        return f"{{ {', '.join(f'{key} = {render(one)}' for key, one in named)} }}"
    return json.dumps(value, ensure_ascii=False, default=str)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _sections(lines: list[str], name: str) -> Iterator[tuple[int, int]]:
    """Where a table and the tables inside of it stand: from a heading to the last line that says something."""
    wanted = name.split(".")
    headers = [(place, _parts(found["name"])) for place, line in enumerate(lines) if (found := _HEADER.match(line))]
    for number, (place, parts) in enumerate(headers):
        if parts[: len(wanted)] != wanted:
            continue
        end = headers[number + 1][0] if number + 1 < len(headers) else len(lines)
        while end > place + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
            end -= 1
        yield place, end


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
