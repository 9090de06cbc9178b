"""Splits a large JSON file into parts that are read one by one: only one part is in memory at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import msgspec

from heldtrue.domain.limits import EXPORT_ELEMENT_BYTES_MAX
from heldtrue.readers.feeds import Feed
from heldtrue.readers.plain import decode_text
from heldtrue.readers.strict_json import Malformed, parse_json
from heldtrue.readers.values import FileNote, Skipped, Value

_OUTSIDE = re.compile(rb'["{}\[\],:]')
_STRING = re.compile(rb'[^"\\]*+(?:\\[\s\S][^"\\]*+)*+')
_BLANK = re.compile(rb"\s*+")
_QUOTE, _COMMA, COLON, LIST = b'",:['
OPENING, CLOSING = frozenset(b"{["), frozenset(b"}]")


class JsonPart(msgspec.Struct, frozen=True):
    """One part of a large JSON value."""

    key: str | None
    """The member of the outer object that it is, or stands in; None in an outer list."""
    number: int | None
    """Its number in the list, from 1; None for a whole member."""
    value: Any


def read_parts(feed: Feed, keys: frozenset[str] = frozenset()) -> Iterator[JsonPart | Skipped | FileNote]:
    """The elements of a list; or the members of an object, those that are lists and are asked for by element.

    What cannot be read is named and left out.
    """
    noted = False
    for raw in _Cutter(keys).cut(feed.text_chunks()):
        where = raw.where(feed.path)
        if raw.problem is not None:
            yield Skipped(path=where, reason=raw.problem)
            continue
        text, note = decode_text(raw.data)
        if note and not noted:
            noted = True
            yield FileNote(path=feed.path, text=note)
        try:
            yield JsonPart(raw.key, raw.number, parse_json(text))
        except Malformed as problem:
            yield Skipped(path=where, reason=f"it {problem}")


class _Raw(msgspec.Struct, frozen=True):
    key: str | None = None
    number: int | None = None
    data: bytes = b""
    problem: str | None = None

    def where(self, path: str) -> str:
        key = f"#{self.key[:100]}" if self.key is not None else ""
        return f"{path}{key}" + (f"#{self.number}" if self.number is not None else "")


def find_signs(chunks: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Each structural character of the JSON, with the bytes before it; 0 at the end of a chunk."""
    inside = escaped = False
    for chunk in chunks:
        start = at = 0
        if escaped and chunk:
            escaped, at = False, 1
        while at < len(chunk):
            if inside:
                at = _skip_string(chunk, at)
                escaped = chunk[at : at + 1] == b"\\"
                inside = at == len(chunk) or escaped
                at += 1
                continue
            found = _OUTSIDE.search(chunk, at)
            if found is None:
                break
            at, sign = found.end(), chunk[found.start()]
            if sign == _QUOTE:
                inside = True
            else:
                yield chunk[start : found.start()], sign
                start = at
        yield chunk[start:], 0


def _skip_string(chunk: bytes, at: int) -> int:
    """Where a string ends; at a lone escape, where the chunk ends in the middle of one."""
    found = _STRING.match(chunk, at)
    return found.end() if found else at


class _Cutter:
    """Follows the levels of a JSON text, and holds the bytes of one part."""

    def __init__(self, keys: frozenset[str]) -> None:
        self._keys = keys
        self._depth = 0
        self._floor = 0
        """The level whose values are parts: 0 before and after, 1 in the outer value, 2 in a list inside of it."""
        self._outer = 0
        self._key: str | None = None
        self._number = 0
        self._held = bytearray()
        self._size = 0
        self._ended = False

    def cut(self, chunks: Iterable[bytes]) -> Iterator[_Raw]:
        for before, sign in find_signs(chunks):
            self._hold(before)
            if sign in OPENING:
                self._open(sign)
            elif sign in CLOSING:
                yield from self._close(sign)
            elif sign == _COMMA and 0 < self._depth == self._floor:
                yield from self._take()
            elif sign == COLON and self._is_member():
                self._name()
            elif sign:
                self._hold(bytes([sign]))
        yield from self._end()

    def _hold(self, data: bytes) -> None:
        self._size += len(data)
        if self._size <= EXPORT_ELEMENT_BYTES_MAX:
            self._held += data
        elif self._held:
            self._held = bytearray()

    def _drop(self) -> bytes:
        data, self._held, self._size = bytes(self._held), bytearray(), 0
        return data

    def _is_blank(self) -> bool:
        return self._size <= EXPORT_ELEMENT_BYTES_MAX and _BLANK.fullmatch(self._held) is not None

    def _is_member(self) -> bool:
        return self._outer != LIST and self._depth == self._floor == 1 and self._key is None

    def _name(self) -> None:
        try:
            name = parse_json(decode_text(self._drop())[0])
        except Malformed:
            name = None
        self._key = name if isinstance(name, str) else "?"

    def _open(self, sign: int) -> None:
        self._depth += 1
        if self._depth == 1 and not self._ended and self._is_blank():
            self._outer, self._floor = sign, 1
            self._drop()
        elif self._depth == 2 and self._floor == 1 and self._is_streamed(sign):
            self._floor, self._number = 2, 0
            self._drop()
        else:
            self._hold(bytes([sign]))

    def _is_streamed(self, sign: int) -> bool:
        return sign == LIST and self._outer != LIST and self._key in self._keys and self._is_blank()

    def _close(self, sign: int) -> Iterator[_Raw]:
        if self._depth == 0 or self._depth > self._floor:
            self._depth = max(0, self._depth - 1)
            self._hold(bytes([sign]))
            return
        yield from self._take()
        self._depth -= 1
        self._floor -= 1
        if self._floor == 0:
            self._ended = True
        else:
            self._key, self._number = None, 0

    def _take(self) -> Iterator[_Raw]:
        """The collected bytes as a part; there may be none between two commas."""
        is_list = self._floor == 2 or self._outer == LIST
        if not self._is_blank():
            self._number += 1
            number = self._number if is_list else None
            if self._size > EXPORT_ELEMENT_BYTES_MAX:
                problem = f"it is larger than {EXPORT_ELEMENT_BYTES_MAX:,} bytes"
                yield _Raw(self._key, number, problem=problem)
            elif not is_list and self._key is None:
                yield _Raw(problem="a member of the top-level object has no name")
            else:
                yield _Raw(self._key, number, bytes(self._held))
        self._drop()
        if not is_list:
            self._key = None

    def _end(self) -> Iterator[_Raw]:
        if self._ended:
            if not self._is_blank():
                yield _Raw(problem="there is text after the end of the JSON value; the rest was skipped")
        elif self._floor:
            if self._depth == self._floor and self._held.rstrip().endswith(b"}"):
                yield from self._take()  # only what should follow is missing
            yield _Raw(problem="it is truncated; the incomplete part was skipped")
        elif self._is_blank():
            yield _Raw(problem="it is empty")
        else:
            yield _Raw(problem="it is neither a JSON array nor a JSON object")


def read_conversations(
    feed: Feed, read_one: Callable[[Any, str], Iterator[Value]], *, keys: Collection[str]
) -> Iterator[Value]:
    """Each conversation of an export; a file that is one conversation itself is known by one of its keys."""
    single: dict[str, Any] = {}
    for part in read_parts(feed, frozenset({"conversations"})):
        if not isinstance(part, JsonPart):
            yield part
        elif part.number is None:
            single[part.key or ""] = part.value
        else:
            yield from read_one(part.value, f"{feed.path}#{part.number}")
    if not single.keys().isdisjoint(keys):
        yield from read_one(single, feed.path)
    elif single:
        yield Skipped(
            path=feed.path, reason=f"these members are not conversations: {', '.join(sorted(single)[:10])[:200]}"
        )
