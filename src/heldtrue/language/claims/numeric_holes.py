"""Claims with a hole in place of each time and number, so that claims that differ only there are alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from heldtrue.language.grammar.lexicon import PREPOSITIONS

_MONTHS = frozenset("januari februari march april may june juli august septemb octob novemb decemb".split())
_WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_AMOUNT = re.compile(r"-?\d[\d.]*")
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)")
_UNITS = frozenset(
    """s month byte bit bit/s percent usd eur gbp jpy cny inr rub krw chf m g l celsius kelvin degree hz px dpi fps
    request/s km/h watt volt""".split()
)
_HEADS = PREPOSITIONS | {"|", "minus", "plus", "everi", "least", "most", "exact"}
_YEAR_HEADS = frozenset("in by until till from sinc befor after".split())
_PERIODS = frozenset("day week month year quarter night".split())
_PARTS = frozenset({"late", "earli", "mid"})
_NUMBERED_TIMES = frozenset({"week", "quarter"})
_TIME_WORDS = _WEEKDAYS | _MONTHS | _PARTS | _NUMBERED_TIMES | {"once", "twice"}
_NUMERALS = frozenset("-0123456789")
MOODS = frozenset("past will would can".split())
"""What may stand in front of an attribute."""


class Skeleton(NamedTuple):
    """An attribute and a value with marks for times and numbers, and what stood there."""

    words: tuple[str, ...]
    """`|` parts attribute and value; a mark starts with `#`."""
    filled: tuple[str, ...]


@lru_cache(maxsize=8192)
def read_skeleton(attribute: str, value: str) -> Skeleton:
    """The words of a claim with a mark in the place of each time and each number that is no label."""
    tokens = [*attribute.split(), "|", *value.split()]
    if not any(token[0] in _NUMERALS or token in _TIME_WORDS for token in tokens):
        return Skeleton(tuple(tokens), ())
    words: list[str] = []
    filled: list[str] = []
    place = 0
    while place < len(tokens):
        mark, size = _read_hole(tokens, place, words)
        if mark:
            words.append(mark)
            filled.append(" ".join(tokens[place : place + size]))
        else:
            words.append(tokens[place])
        place += size
    return Skeleton(tuple(words), tuple(filled))


def _read_hole(tokens: list[str], place: int, words: list[str]) -> tuple[str, int]:
    """The mark of the time or number that starts here and how many tokens it takes; no mark for other words."""
    before = words[-1] if words else "|"
    if tokens[place][:1].isdigit() or tokens[place][:1] == "-":
        return _read_digits(tokens, place, before, lead_of(words))
    word = tokens[place]
    following = tokens[place + 1] if place + 1 < len(tokens) else ""
    if word in _WEEKDAYS:
        return "#weekday", 1
    if word == "twice" or (word == "once" and following in _PERIODS):
        return "#count", 1
    if word in _NUMBERED_TIMES and following.isdigit():
        return "#date", 2
    if word in _PARTS and following in _MONTHS:
        return "#month", 2
    if word in _MONTHS and (before in _HEADS or before.startswith("#")):
        return ("#day", 2) if following.isdigit() else ("#month", 1)
    return "", 1


def _read_digits(tokens: list[str], place: int, before: str, lead: str) -> tuple[str, int]:
    word, following = tokens[place], tokens[place + 1] if place + 1 < len(tokens) else ""
    if _DATE.fullmatch(word) or (_YEAR.fullmatch(word) and lead in _YEAR_HEADS and following not in _UNITS):
        return "#date", 1
    if following == "clock":
        return "#clock", 2
    if following in _MONTHS and (word.isdigit() or _ORDINAL.fullmatch(word)):
        return "#day", 2
    if following == "of" and place + 2 < len(tokens) and tokens[place + 2] in _MONTHS:
        return "#day", 3
    if not _AMOUNT.fullmatch(word):
        return ("#day", 1) if before == "|" and not following and _ORDINAL.fullmatch(word) else ("", 1)
    if following in _UNITS:
        return f"#amount {following}", 2
    if following == "time":
        return "#count", 2
    return ("#count", 1) if before in _HEADS or before in MOODS or place == 0 else ("", 1)


def lead_of(words: Sequence[str]) -> str:
    """The last word, whether the value or the attribute holds it."""
    return next((word for word in reversed(words) if word != "|"), "")
