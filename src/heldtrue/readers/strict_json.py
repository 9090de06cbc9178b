"""Parses untrusted JSON within limits, and refuses it with a reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any, NoReturn

import msgspec

from heldtrue.domain.limits import IMPORT_LINE_BYTES_MAX, NUMBER_CHARS_MAX, READ_NESTING_MAX
from heldtrue.readers.feeds import Feed
from heldtrue.readers.plain import decode_text
from heldtrue.readers.values import FileNote, Skipped

TOO_DEEP = f"is nested deeper than {READ_NESTING_MAX} levels"


class Malformed(Exception):
    """A text is not acceptable JSON; the message says why, and continues a sentence that starts with a name."""


def parse_json(text: str) -> Any:
    """The value of a JSON text; it has only finite numbers, no key twice, and at most 32 levels."""
    try:
        value = json.loads(
            text, object_pairs_hook=_pair_up, parse_constant=_refuse_constant, parse_int=_whole, parse_float=_decimal
        )
    except RecursionError:
        raise Malformed(TOO_DEEP) from None
    except ValueError as problem:
        raise Malformed(f"is not valid JSON ({problem})") from None
    _check_depth(value)
    return value


def _pair_up(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    paired = dict(pairs)
    if len(paired) != len(pairs):
        raise Malformed("has an object with a duplicate key")
    return paired


def _refuse_constant(name: str) -> NoReturn:
    raise Malformed(f"has {name}, which is not a JSON number")


def _whole(digits: str) -> int:
    _check_number(digits)
    return int(digits)


def _decimal(digits: str) -> float:
    _check_number(digits)
    return float(digits)


def _check_number(digits: str) -> None:
    if len(digits) > NUMBER_CHARS_MAX:
        raise Malformed(f"has a number of more than {NUMBER_CHARS_MAX} digits")


def _check_depth(value: Any) -> None:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(READ_NESTING_MAX):
        inner = chain.from_iterable(part.values() if isinstance(part, dict) else part for part in level)
        level = [part for part in inner if isinstance(part, dict | list)]
        if not level:
            return
    raise Malformed(TOO_DEEP)


class Row(msgspec.Struct, frozen=True):
    """One line of a JSON Lines file."""

    number: int
    record: dict[str, Any]


def read_rows(feed: Feed) -> Iterator[Row | Skipped | FileNote]:
    """The objects of a JSON Lines file; a line that is not an object is skipped and reported."""
    noted = False
    for number, line in _number_lines(feed):
        where = f"{feed.path}:{number}"
        if line is None:
            yield Skipped(path=where, reason=f"line {number} is longer than {IMPORT_LINE_BYTES_MAX:,} bytes")
            continue
        text, note = decode_text(line)
        if not text.strip():
            continue
        if note and not noted:
            noted = True
            yield FileNote(path=feed.path, text=note)
        try:
            record = parse_json(text)
        except Malformed as problem:
            yield Skipped(path=where, reason=f"line {number} {problem}")
            continue
        if isinstance(record, dict):
            yield Row(number, record)
        else:
            yield Skipped(path=where, reason=f"line {number} is not a JSON object")


def _number_lines(feed: Feed) -> Iterator[tuple[int, bytes | None]]:
    """Lines with their numbers, none held that is longer than the limit."""
    number, held, is_long = 1, bytearray(), False
    for chunk in feed.text_chunks():
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            is_long = is_long or len(held) + end - start > IMPORT_LINE_BYTES_MAX
            yield number, None if is_long else bytes(held) + chunk[start:end]
            number, held, is_long, start = number + 1, bytearray(), False, end + 1
        is_long = is_long or len(held) + len(chunk) - start > IMPORT_LINE_BYTES_MAX
        if is_long:
            held.clear()
        else:
            held += chunk[start:]
    if held or is_long:
        yield number, None if is_long else bytes(held)
