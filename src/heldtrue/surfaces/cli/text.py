"""Words on a terminal: measured, wrapped, and times as people say them."""

from __future__ import annotations

import unicodedata

from heldtrue.domain.plural import count
from heldtrue.surfaces.safe_text import JOINERS, clean, clean_lines

_UNITS = (
    ("year", 31_536_000),
    ("month", 2_592_000),
    ("week", 604_800),
    ("day", 86_400),
    ("hour", 3_600),
    ("minute", 60),
)


def width_of(text: str) -> int:
    """How many columns a clean text takes."""
    return len(text) if text.isascii() else sum(_width(letter) for letter in text)


def _width(letter: str) -> int:
    if unicodedata.combining(letter) or letter in JOINERS or unicodedata.category(letter) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in ("W", "F") else 1


def wrap(text: str, width: int) -> list[str]:
    """A text in lines of at most `width` columns, broken at spaces where there are any; its own lines are kept."""
    wrapped: list[str] = []
    for line in clean_lines(text):
        indent = line[: len(line) - len(line.lstrip(" "))][: width // 2]
        wrapped += _wrap_line(line, width, indent)
    return wrapped


def _wrap_line(line: str, width: int, indent: str) -> list[str]:
    lines: list[str] = []
    current = indent
    for word in line.split():
        joined = f"{current} {word}" if current.strip() else indent + word
        if width_of(joined) <= width:
            current = joined
            continue
        if current.strip():
            lines.append(current)
        *full, rest = _break_word(indent + word, width)
        lines += full
        current = rest
    return [*lines, current.rstrip()]


def _break_word(word: str, width: int) -> list[str]:
    """A word that may be longer than a line, in pieces that are not."""
    pieces = [""]
    taken = 0
    for letter in word:
        columns = _width(letter)
        if taken + columns > width:
            pieces.append("")
            taken = 0
        pieces[-1] += letter
        taken += columns
    return pieces


def shorten(text: str, width: int) -> str:
    """The start of a text on one line."""
    line = clean(text).strip()
    if width_of(line) <= width:
        return line
    return _break_word(line, max(1, width - 1))[0].rstrip() + "…"


def moment(iso: str) -> str:
    """A time of record, to the minute: `2026-11-15 20:31 UTC`."""
    return f"{iso[:10]} {iso[11:16]} UTC"


def age(iso: str, now: int) -> str:
    """How long ago, in the largest unit that fits; a moment to come is told by its date."""
    from datetime import datetime

    seconds = now // 1_000_000 - int(datetime.fromisoformat(iso).timestamp())
    if seconds < -60:
        return f"on {iso[:10]}"
    for unit, size in _UNITS:
        if seconds >= size:
            return f"{count(seconds // size, unit)} ago"
    return "just now"


def size(number: int) -> str:
    """Bytes as people say them."""
    amount = float(number)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:,.0f} {unit}" if unit == "bytes" else f"{amount:,.1f} {unit}"
        amount /= 1000
    raise AssertionError("unreachable")
