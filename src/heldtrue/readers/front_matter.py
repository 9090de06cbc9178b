"""The front matter of a Markdown note: plain values and flat lists only, by a reader that has nothing to exploit."""

from __future__ import annotations

import re

import msgspec

from heldtrue.domain.limits import FRONT_MATTER_BYTES_MAX, FRONT_MATTER_TAGS_MAX

_FENCE = re.compile(r"---[ \t]*\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_KEY = re.compile(r"([^\s#:\-\[\]{}\"'&*!|>%@`][^:]{0,199}?)\s*:(?:\s+(.*))?")
_ITEM = re.compile(r"\s*-(?:\s+(.*))?")
_ALIAS = re.compile(r"[&*][^\s,\]}]+")
_FLOW_ITEM = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,"'\[\]{}]*)\s*(?:,|$)""")
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/"}
_ESCAPE = re.compile(r"\\(.)")


class FrontMatter(msgspec.Struct, frozen=True):
    """The front matter of a note."""

    fields: dict[str, str | tuple[str, ...]] = {}
    lines: int = 0
    """The number of lines in the file, fences included."""
    problem: str | None = None
    """Why parts of it were skipped."""

    def text(self, key: str) -> str | None:
        value = self.fields.get(key)
        return value if isinstance(value, str) and value else None

    def listed(self, key: str) -> tuple[str, ...]:
        """A list; one text is read as a list with commas."""
        value = self.fields.get(key, ())
        if isinstance(value, str):
            return tuple(text for part in value.split(",") if (text := part.strip()))
        return value


class _NotRead(Exception):
    """The front matter cannot be read at all."""


def read_front_matter(text: str) -> FrontMatter:
    """Read the front matter of a note with uniform line ends; empty if it has none."""
    opening = _FENCE.match(text)
    closing = _END.search(text, opening.end(), opening.end() + FRONT_MATTER_BYTES_MAX + 4) if opening else None
    if opening is None:
        return FrontMatter()
    if closing is None:
        is_long = _END.search(text, opening.end()) is not None
        return FrontMatter(problem=f"front matter is longer than {FRONT_MATTER_BYTES_MAX:,} bytes" if is_long else None)
    body = text[opening.end() : closing.start()]
    lines = body.count("\n") + 2
    if len(body.encode("utf-8", "replace")) > FRONT_MATTER_BYTES_MAX:
        return FrontMatter(lines=lines, problem=f"front matter is longer than {FRONT_MATTER_BYTES_MAX:,} bytes")
    reader = _FieldReader()
    try:
        for number, line in enumerate(body.split("\n"), 2):
            reader.add(number, line)
    except _NotRead as problem:
        return FrontMatter(lines=lines, problem=f"front matter was skipped: {problem}")
    named = ", ".join(reader.unread[:5])
    return FrontMatter(
        reader.fields, lines, f"parts of the front matter were skipped: {named}" if reader.unread else None
    )


class _FieldReader:
    """Reads the plain fields of a front matter line by line, and reports those that are not plain."""

    def __init__(self) -> None:
        self.fields: dict[str, str | tuple[str, ...]] = {}
        self.unread: list[str] = []
        self._key: str | None = None
        self._items: list[str] = []

    def add(self, number: int, line: str) -> None:
        if not line.strip() or line.lstrip().startswith("#") or self._add_item(line):
            return
        found = _KEY.fullmatch(line)
        if found is None:
            self.unread.append(f"line {number}")
            self._drop_empty()
        else:
            self._begin(found[1].strip(), found[2] or "")

    def _add_item(self, line: str) -> bool:
        """Take a line as an item of the list that the last key has begun; False where it is none."""
        item, key = _ITEM.fullmatch(line), self._key
        if item is None or key is None or self.fields.get(key) not in ("", tuple(self._items)):
            return False
        self._items.append(_scalar(item[1] or ""))
        if len(self._items) <= FRONT_MATTER_TAGS_MAX:
            self.fields[key] = tuple(self._items)
        return True

    def _drop_empty(self) -> None:
        """Drop the last key if it has no value yet: its value is what was not plain."""
        if self._key is not None and not self._items and self.fields.get(self._key) == "":
            del self.fields[self._key]

    def _begin(self, key: str, raw: str) -> None:
        if key in self.fields:
            raise _NotRead(f"duplicate key {key[:50]}")
        self._key, self._items = key, []
        try:
            self.fields[key] = _value(raw)
        except ValueError:
            self.unread.append(key[:50])
            self._key = None


def _value(raw: str) -> str | tuple[str, ...]:
    raw = raw.strip()
    if raw.startswith("["):
        return _flow_list(raw)
    if raw.startswith(("{", "|", ">", "!")):
        raise ValueError
    return _scalar(raw)


def _flow_list(raw: str) -> tuple[str, ...]:
    if not raw.endswith("]"):
        raise ValueError
    inside, at = raw[1:-1].strip(), 0
    items: list[str] = []
    while at < len(inside) and len(items) < FRONT_MATTER_TAGS_MAX:
        found = _FLOW_ITEM.match(inside, at)
        if found is None or found.end() == at:
            raise ValueError
        items.append(_scalar(found[1]))
        at = found.end()
    return tuple(item for item in items if item)


def _scalar(raw: str) -> str:
    """One plain or quoted value, always as text."""
    raw = raw.strip()
    if _ALIAS.match(raw):
        raise _NotRead("anchors and aliases are not supported")
    if raw[:1] == '"' and raw[-1:] == '"' and len(raw) > 1:
        return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[0]), raw[1:-1])
    if raw[:1] == "'" and raw[-1:] == "'" and len(raw) > 1:
        return raw[1:-1].replace("''", "'")
    return raw.partition(" #")[0].rstrip()
