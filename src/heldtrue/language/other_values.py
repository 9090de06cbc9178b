"""Whether a text has another value where a held text has its own. Both are in one form (`value_forms`).

A value that is one digit apart is another value. Only values of the same kind are compared: a clock time is no other
port, and a text that mentions further numbers does not thereby change the one that matters.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(r"[^\W_]+(?:[.:][^\W_]+)*")
_CLOCK = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")
_MONTHS = frozenset("january february march april may june july august september october november december".split())
_UNITS = frozenset(
    """percent eur usd gbp chf g m min s ms days months kb mb gb tb kib mib gib cm mm ha mph rpm degrees °c °f celsius
    fahrenheit""".split()
)
_SMALL = frozenset(
    "a an the is are was of in on at to for by with and or has have from than as its it be no number up about".split()
)
_JOINED_TOKENS = 8
"""How many neighbouring tokens one identifier may be written in."""
_LIKE_DIGITS = 3
"""Plain numbers with at least so many digits, and equally many, may stand for each other."""


class _Value(NamedTuple):
    """A token with a digit."""

    text: str
    kind: str
    beside: frozenset[str]
    """The words before and after it that say what it counts or names."""


def values_differ(said: str, held: str) -> bool:
    """Whether a text has another value in the place of one of a held text."""
    theirs = _values_of(held)
    if not theirs:
        return False
    ours = _values_of(said)
    known = {value.text for value in theirs}
    others = [value for value in ours if value.text not in known]
    if not others:
        return False
    present = {value.text for value in ours} | _joined_runs(said)
    spelled = _joined_runs(held)
    others = [value for value in others if value.text not in spelled]
    return any(_may_replace(other, value) for value in theirs if value.text not in present for other in others)


def count_differing_numbers(said: str, held: str) -> int:
    """In how many tokens with digits two texts differ that are alike otherwise; 0 if they are not."""
    ours, theirs = _TOKEN.findall(said), _TOKEN.findall(held)
    if len(ours) != len(theirs):
        return 0
    other = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    return len(other) if all(_has_digit(first) and _has_digit(second) for first, second in other) else 0


def _has_digit(token: str) -> bool:
    return any(letter.isdigit() for letter in token)


def _may_replace(other: _Value, value: _Value) -> bool:
    """Whether another value stands where a value stood."""
    if _extends(other.text, value.text) or _extends(value.text, other.text):
        return True
    if other.kind != value.kind:
        return False
    if value.kind != "number" or other.beside & value.beside:
        return True
    size = len(value.text)
    return (size >= _LIKE_DIGITS and len(other.text) == size) or not (other.beside and value.beside)


def _extends(longer: str, shorter: str) -> bool:
    """Whether a version or an address is one part longer than another."""
    return longer.startswith(f"{shorter}.")


def _values_of(text: str) -> list[_Value]:
    tokens = _TOKEN.findall(text)
    values = []
    for number, token in enumerate(tokens):
        if _has_digit(token):
            before = tokens[number - 1] if number else ""
            after = tokens[number + 1] if number + 1 < len(tokens) else ""
            beside = frozenset(word for word in (before, after) if word not in _SMALL and word.isalpha())
            values.append(_Value(token.lstrip("0") or "0", _kind_of(token, before, after), beside))
    return values


def _kind_of(token: str, before: str, after: str) -> str:
    if _CLOCK.fullmatch(token):
        return "clock"
    if not token.replace(".", "", 1).isdigit():
        return "name"
    if after in _MONTHS:
        return "day"
    if len(token) == 4 and token[:2] in ("19", "20") and (before in _MONTHS or not after.isalpha()):
        return "year"
    return after if after in _UNITS else "number"


def _joined_runs(text: str) -> set[str]:
    """Neighbouring tokens, joined without what separates them."""
    tokens = [token.replace(":", "").replace(".", "") for token in _TOKEN.findall(text)]
    return {
        "".join(tokens[at : at + length]).lstrip("0")
        for length in range(1, _JOINED_TOKENS + 1)
        for at in range(len(tokens) - length + 1)
    }
