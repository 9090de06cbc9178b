"""Brings values to one form before texts are compared: numbers, dates, times, identifiers, accents.

Two texts that write the same value differently (3:30 pm and 15:30, Köln and Koeln) become alike, and two values that
differ in one digit stay apart: `values_differ` compares them exactly.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_SPELLED = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d"}
_MONTHS = tuple("january february march april may june july august september october november december".split())
_UNITS = "two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_NUMBERS = (
    {word: number for number, word in enumerate(_UNITS, 2)}
    | {word: number for number, word in enumerate(_TEENS, 10)}
    | {word: 10 * number for number, word in enumerate(_TENS, 2)}
    | {"dozen": 12, "hundred": 100}
)
_ONES = {"one": 1, **{word: number for number, word in enumerate(_UNITS, 2)}}
_DAYS = {word: number for number, word in enumerate(_ORDINALS, 1)}

_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in _MONTHS)
_HOUR = r"(\d{1,2})"


def _month(name: str) -> str:
    return next(month for month in _MONTHS if month.startswith(name[:3]))


def _iso_date(found: re.Match[str]) -> str:
    year, month, day = (int(part) for part in found.groups())
    return f"{day} {_MONTHS[month - 1]} {year}" if 1 <= month <= 12 else found[0]


def _dotted_date(found: re.Match[str]) -> str:
    day, month, year = (int(part) for part in found.groups())
    return f"{day} {_MONTHS[month - 1]} {year}" if 1 <= month <= 12 and 1 <= day <= 31 else found[0]


def _clock_12(found: re.Match[str]) -> str:
    hour = int(found[1]) % 12 + (12 if found[3] == "p" else 0)
    return f"{hour}:{found[2] or '00'}"


def _part_of_day(found: re.Match[str]) -> str:
    hour, minutes, part = int(found[1]), found[2] or "00", found[3]
    if hour > 12:
        return f"{hour}:{minutes}"
    return f"{hour % 12 + (0 if part == 'morning' else 12)}:{minutes}"


def _spoken_clock(found: re.Match[str]) -> str:
    shift = {"quarter past": 15, "half past": 30, "quarter to": -15}[f"{found[1]} {found[2]}"]
    minutes = int(found[3]) % 24 * 60 + shift
    return f"{minutes // 60 % 24}:{minutes % 60:02}"


_Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]
_RULES: tuple[_Rule, ...] = (
    # Numbers: 1,250 and 1'250; 13,5; 2.5k; twenty-four; a dozen.
    (re.compile(r"(?<=\d)[,'’](?=\d{3}(?!\d))"), lambda _: ""),
    (re.compile(r"(?<=\d),(?=\d{1,2}(?![\d,]))"), lambda _: "."),
    (re.compile(r"\b(\d+(?:\.\d+)?)k\b"), lambda found: f"{float(found[1]) * 1000:g}"),
    (
        re.compile(rf"\b({'|'.join(_TENS)})[- ]({'|'.join(_ONES)})\b"),
        lambda found: str(_NUMBERS[found[1]] + _ONES[found[2]]),
    ),
    (re.compile(rf"\b(?:an? (?=dozen|hundred))?({'|'.join(_NUMBERS)})\b"), lambda found: str(_NUMBERS[found[1]])),
    # Dates: 2026-05-02, 02.05.2026, May 2nd, the second of May.
    (re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b"), _iso_date),
    (re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b"), _dotted_date),
    (re.compile(rf"\b({'|'.join(_DAYS)}) of ({_MONTH})\b"), lambda found: f"{_DAYS[found[1]]} {_month(found[2])}"),
    (
        re.compile(rf"\b({_MONTH})\b\.? (\d{{1,2}})(?:st|nd|rd|th)?\b,?(?! ?(?:am|pm|:|\.\d))"),
        lambda found: f"{int(found[2])} {_month(found[1])}",
    ),
    (
        re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b\.?,?"),
        lambda found: f"{int(found[1])} {_month(found[2])}",
    ),
    # Times: quarter past 4, 4.15 am, 10 in the evening, 15h30, noon, 04:15.
    (re.compile(rf"\b(quarter|half) (past|to) {_HOUR}\b"), _spoken_clock),
    (re.compile(rf"\b{_HOUR}(?:[:.](\d\d))? ?([ap])\.?m\b\.?"), _clock_12),
    (re.compile(rf"\b{_HOUR}(?:[:.](\d\d))?(?: o'clock)? in the (morning|afternoon|evening)\b"), _part_of_day),
    (re.compile(r"\b(\d{1,2})h(\d\d)\b"), lambda found: f"{found[1]}:{found[2]}"),
    (re.compile(r"\b(noon|midnight)\b"), lambda found: "12:00" if found[1] == "noon" else "0:00"),
    (re.compile(r"\b0(?=\d:\d\d)"), lambda _: ""),
    # Identifiers: ZX-2210-77 and ZX 2210 77; 64GB and 64 GB.
    (re.compile(r"(?<=\d)[-_/#](?=[^\W\d_])|(?<=[^\W\d_])[-_/#](?=\d)|(?<=\d)-(?=\d)"), lambda _: " "),
    (re.compile(r"(?<=\d)(?=(?:[kmgt]i?b|ms|min|h|km|kg|g|cm|mm|eur|usd)\b)"), lambda _: " "),
)
_TOKEN = re.compile(r"[^\W_]+(?:[.:][^\W_]+)*")


def bring_to_one_form(text: str) -> str:
    """The text in lower case, without accents, with its values written in one way."""
    text = _fold_letters(text)
    for pattern, write in _RULES:
        text = pattern.sub(write, text)
    return text


def values_differ(said: str, held: str) -> bool:
    """Whether a text has other values with digits in the place of those of a held text; both in one form.

    A value that is one digit apart is another value. A text that has no value at all may still say the held one in
    words.
    """
    here, there = _numbers_of(said), _numbers_of(held)
    missing = there - here
    if not missing:
        return False
    # An identifier may be written with or without its separators, but never be part of a longer one.
    runs = _joined_runs(said)
    if all(token in runs for token in missing):
        return False
    spelled = _joined_runs(held)
    return any(token not in spelled for token in here - there)


def contains_words(said: str, held: str) -> bool:
    """Whether a text contains another word for word; both in one form."""
    at = said.find(held := held.rstrip(".!? "))
    if not held or at < 0:
        return False
    end = at + len(held)
    before, after = said[at - 1 : at], said[end : end + 1]
    return not (before.isalnum() and held[0].isalnum()) and not (after.isalnum() and held[-1].isalnum())


def _numbers_of(text: str) -> set[str]:
    return {token for token in _TOKEN.findall(text) if any(letter.isdigit() for letter in token)}


def _joined_runs(text: str) -> set[str]:
    """Up to four neighbouring tokens, joined without what separates them."""
    tokens = _TOKEN.findall(text)
    return {"".join(tokens[at : at + length]) for length in (1, 2, 3, 4) for at in range(len(tokens) - length + 1)}


def _fold_letters(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    if folded.isascii():
        return folded
    folded = "".join(_SPELLED.get(letter, letter) for letter in folded)
    apart = unicodedata.normalize("NFD", folded)
    # Only Latin letters lose their marks: in other scripts a mark makes another letter.
    kept = [
        letter
        for at, letter in enumerate(apart)
        if not (unicodedata.combining(letter) and at and apart[at - 1].isascii())
    ]
    return unicodedata.normalize("NFC", "".join(kept))
