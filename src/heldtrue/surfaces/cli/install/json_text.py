"""JSON edited as text: what is there keeps its bytes, its comments and its order; only a piece goes in or out."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NoReturn

import msgspec

Path = Sequence[str | int]
"""From the root inwards: keys of objects and indexes in arrays."""
_UNIT = "  "
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_COMMENT = re.compile(rf"{_STRING}|(?P<comment>//[^\n]*|/\*.*?\*/)", re.DOTALL)
_LAST_COMMA = re.compile(rf"{_STRING}|(?P<comma>,)(?=\s*[}}\]])")
_SPACE = re.compile(r"[ \t\r\n]*")


class Unreadable(Exception):
    """A text is not what its program reads; the message says why."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class Child(msgspec.Struct, frozen=True):
    """One member of an object, or one value of an array, by where it stands in the text."""

    key: str | int
    begin: int
    """Where its key begins; in an array, where it begins itself."""
    value: int
    end: int


class Container(msgspec.Struct, frozen=True):
    """An object or an array, by where its brackets stand."""

    open: int
    close: int
    children: tuple[Child, ...]

    def find(self, key: str | int) -> Child | None:
        return next((child for child in self.children if child.key == key), None)


class JsonText:
    """A JSON text with where things are in it; one that is `lenient` may hold comments and commas at the end."""

    def __init__(self, text: str, *, lenient: bool) -> None:
        self.text = text
        self.lenient = lenient
        self.newline = "\r\n" if "\r\n" in text else "\n"
        # Comments and last commas become blanks: an offset in the plain text is the same offset in the real one.
        self._last_commas: set[int] = set()
        self.plain = self._blank(text) if lenient else text
        self.value = self._load()
        self.root = self._open(_skip(self.plain, 0))

    def _blank(self, text: str) -> str:
        def blank(match: re.Match[str]) -> str:
            comment = match["comment"]
            return match[0] if comment is None else re.sub(r"[^\r\n]", " ", comment)

        def drop(match: re.Match[str]) -> str:
            if match["comma"] is None:
                return match[0]
            self._last_commas.add(match.start())
            return " "

        return _LAST_COMMA.sub(drop, _COMMENT.sub(blank, text))

    def _load(self) -> dict[str, Any]:
        try:
            value = json.loads(self.plain, parse_constant=_refuse_constant)
        except json.JSONDecodeError as problem:
            raise Unreadable(problem.msg, problem.lineno) from None
        except (ValueError, RecursionError) as problem:
            raise Unreadable(str(problem), 1) from None
        if not isinstance(value, dict):
            raise Unreadable("it is not a JSON object", 1)
        return value

    def _open(self, start: int) -> Container:
        """The container that starts at an offset; the inside of its children is not read."""
        plain, decoder, is_object = self.plain, json.JSONDecoder(), self.plain[start] == "{"
        children: list[Child] = []
        at = _skip(plain, start + 1)
        while plain[at] not in "}]":
            begin, key = at, len(children)
            if is_object:
                key, at = decoder.raw_decode(plain, at)
                at = _skip(plain, _skip(plain, at) + 1)
            _, end = decoder.raw_decode(plain, at)
            children.append(Child(key, begin, at, end))
            at = _skip(plain, end)
            if plain[at] == ",":
                at = _skip(plain, at + 1)
        keys = [child.key for child in children]
        if len(set(keys)) != len(keys):
            raise Unreadable("it has an object with a duplicate key", plain.count("\n", 0, start) + 1)
        return Container(start, at, tuple(children))

    def at(self, path: Path) -> Container:
        """The container that a path leads to."""
        found = self.root
        for key in path:
            child = found.find(key)
            assert child is not None
            found = self._open(child.value)
        return found

    def is_bare(self, path: Path) -> bool:
        """Whether there is nothing in a container, not even a comment."""
        child = self.at(path[:-1]).find(path[-1])
        assert child is not None
        is_plain = self.text[child.begin : child.end] == self.plain[child.begin : child.end]
        return is_plain and not self.at(path).children

    # What goes in

    def insert(self, path: Path, key: str | None, value: Any) -> str:
        """The text with a value more at the end of the container at a path."""
        container = self.at(path)
        if self._is_one_line(container, path):
            return self._insert_in_line(container, key, value)
        if container.children and self._stands_alone(container.children[0]):
            indent = self._indent(container.children[0].begin)
        else:
            indent = self._indent(container.open) + self._unit
        piece = self._member(key, value, indent)
        if not container.children:
            return self._fill_empty(container, piece, indent)
        last = container.children[-1]
        comma = self._comma_after(container, len(container.children) - 1)
        tail = len(self.text[: container.close].rstrip())
        piece = f"{self.newline}{indent}{piece}"
        if comma is not None:
            return f"{self.text[:tail]}{piece},{self.text[tail:]}"
        return f"{self.text[: last.end]},{self.text[last.end : tail]}{piece}{self.text[tail:]}"

    def _fill_empty(self, container: Container, piece: str, indent: str) -> str:
        held = self.text[container.open + 1 : container.close].rstrip()
        lead = f"{self.newline}{indent}{piece}{self.newline}{self._indent(container.open)}"
        return f"{self.text[: container.open + 1]}{held}{lead}{self.text[container.close :]}"

    def _insert_in_line(self, container: Container, key: str | None, value: Any) -> str:
        piece = self._dense(value) if key is None else f"{self._dense(key)}:{self._gap}{self._dense(value)}"
        offset = container.children[-1].end if container.children else container.open + 1
        lead = f",{self._gap}" if container.children else ""
        return f"{self.text[:offset]}{lead}{piece}{self.text[offset:]}"

    def replace(self, path: Path, value: Any) -> str:
        """The text with another value at a path."""
        child = self.at(path[:-1]).find(path[-1])
        assert child is not None
        is_dense = "\n" not in self.text[self.root.open : self.root.close]
        shown = self._dense(value) if is_dense else render(value, self._indent(child.begin), self._unit, self.newline)
        return f"{self.text[: child.value]}{shown}{self.text[child.end :]}"

    # What goes out

    def remove(self, path: Path) -> str:
        """The text without what is at a path, and without the comma and the line that it took."""
        container = self.at(path[:-1])
        index = next(number for number, child in enumerate(container.children) if child.key == path[-1])
        child, comma = container.children[index], self._comma_after(container, index)
        begin = len(self.text[: child.begin].rstrip())
        end = child.end if comma is None else comma + 1
        if self.plain[begin - 1] != self.text[begin - 1] and self.text[end:].partition("\n")[0].strip():
            begin = child.begin  # a comment before it ends with its line, and something comes after it on this one
        if (
            len(container.children) == 1
            and begin == container.open + 1
            and not self.text[end : container.close].strip()
        ):
            end = container.close
        # A comment between it and its comma is somebody's.
        between = self.text[child.end : comma] if comma is not None else ""
        text = self.text[:begin] + (between if between.strip() else "") + self.text[end:]
        if comma is None and index > 0:
            # It was the last one, so the one before it is now, and has no comma.
            before = self.plain.index(",", container.children[index - 1].end)
            text = text[:before] + text[before + 1 :]
        return text

    def _comma_after(self, container: Container, index: int) -> int | None:
        child = container.children[index]
        if index + 1 < len(container.children):
            return self.plain.index(",", child.end)
        return next((comma for comma in self._last_commas if child.end <= comma < container.close), None)

    # How the file is written

    @property
    def _unit(self) -> str:
        """One step of indent, as the first member of the file has it."""
        first = self.root.children[0] if self.root.children else None
        return (self._indent(first.begin) if first and self._stands_alone(first) else "") or _UNIT

    def _indent(self, offset: int) -> str:
        line = self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _stands_alone(self, child: Child) -> bool:
        return not self.text[self.text.rfind("\n", 0, child.begin) + 1 : child.begin].strip()

    def _is_one_line(self, container: Container, path: Path) -> bool:
        """Whether a container is to stay on the line that it is on."""
        if not container.children and not path:
            return False
        shown = container if container.children else self.root
        return "\n" not in self.text[shown.open : shown.close]

    @property
    def _gap(self) -> str:
        return "" if re.search(r'":\S', self.plain) and '": ' not in self.plain else " "

    def _dense(self, value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(f",{self._gap}", f":{self._gap}"))

    def _member(self, key: str | None, value: Any, indent: str) -> str:
        shown = render(value, indent, self._unit, self.newline)
        return shown if key is None else f"{json.dumps(key, ensure_ascii=False)}: {shown}"


def render(value: Any, indent: str = "", unit: str = _UNIT, newline: str = "\n") -> str:
    """A value as people write it: objects in lines, lists of plain values in one."""
    inner = indent + unit
    if isinstance(value, dict) and value:
        members = [f"{json.dumps(key)}: {render(member, inner, unit, newline)}" for key, member in value.items()]
        return f"{{{newline}{inner}{f',{newline}{inner}'.join(members)}{newline}{indent}}}"
    if isinstance(value, list) and any(isinstance(member, dict) for member in value):
        members = [render(member, inner, unit, newline) for member in value]
        return f"[{newline}{inner}{f',{newline}{inner}'.join(members)}{newline}{indent}]"
    return json.dumps(value, ensure_ascii=False)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
