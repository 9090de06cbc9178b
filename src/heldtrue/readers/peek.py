"""Reads the start of a file: the keys of its JSON, and its first lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from heldtrue.domain.limits import RECOGNISE_BYTES, RECOGNISE_KEYS_MAX, RECOGNISE_ROWS_MAX
from heldtrue.readers.feeds import Feed
from heldtrue.readers.json_parts import CLOSING, COLON, LIST, OPENING, JsonPart, find_signs, read_parts
from heldtrue.readers.plain import decode_text
from heldtrue.readers.strict_json import Malformed, Row, parse_json, read_rows
from heldtrue.readers.values import FileNote, Skipped


class Peek(msgspec.Struct, frozen=True):
    """The start of a file."""

    text: str
    is_list: bool
    keys: frozenset[str]
    """Of the outer object, or of the first object in the outer list."""
    rows: tuple[dict[str, Any], ...]
    """The first lines, where each is an object of JSON."""


def peek_at(head: bytes) -> Peek:
    text, _ = decode_text(head)
    if text.lstrip()[:1] not in ("{", "["):
        return Peek(text, False, frozenset(), ())
    is_list, keys = _first_keys(text.encode("utf-8", "surrogatepass"))
    return Peek(text, is_list, keys, _first_rows(text, is_cut=len(head) >= RECOGNISE_BYTES))


def _first_keys(data: bytes) -> tuple[bool, frozenset[str]]:
    depth = level = outer = 0
    keys: set[str] = set()
    for before, sign in find_signs([data]):
        if sign in OPENING:
            depth += 1
            outer, level = outer or sign, level or (2 if sign == LIST else 1)
        elif sign in CLOSING:
            depth -= 1
            if depth < level:
                break
        elif sign == COLON and depth == level and len(keys) < RECOGNISE_KEYS_MAX:
            keys |= _name(before)
    return outer == LIST, frozenset(keys)


def _name(raw: bytes) -> set[str]:
    try:
        name = parse_json(raw.decode("utf-8", "replace"))
    except Malformed:
        return set()
    return {name} if isinstance(name, str) else set()


def _first_rows(text: str, *, is_cut: bool) -> tuple[dict[str, Any], ...]:
    lines = text.split("\n")
    rows: list[dict[str, Any]] = []
    for line in lines[: len(lines) - is_cut][: 2 * RECOGNISE_ROWS_MAX]:
        if not line.strip():
            continue
        try:
            row = parse_json(line)
        except Malformed:
            if not rows:
                return ()  # a file that begins with no object is none of lines
            continue
        if isinstance(row, dict):
            rows.append(row)
    return tuple(rows[:RECOGNISE_ROWS_MAX])


def read_records(feed: Feed, keys: frozenset[str]) -> Iterator[tuple[str, str | None, Any] | Skipped | FileNote]:
    """The records of a file of JSON Lines, a list, or an object with lists under some keys.

    Each comes with where it stands and with the key of its list, if it has one.
    """
    seen = peek_at(feed.head())
    if seen.rows and not (seen.keys & keys):
        for row in read_rows(feed):
            yield (f"{feed.path}:{row.number}", None, row.record) if isinstance(row, Row) else row
        return
    for part in read_parts(feed, keys):
        if isinstance(part, JsonPart) and part.number is not None:
            yield f"{feed.path}#{part.key + '#' if part.key else ''}{part.number}", part.key, part.value
        elif not isinstance(part, JsonPart):
            yield part
