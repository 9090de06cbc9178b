"""Brings values to one form before texts are compared: numbers, dates, times, identifiers, accents.

Two texts that write the same value differently (3:30 pm and 15:30, Köln and Koeln) become alike, and two values that
differ in one digit stay apart: `other_values` compares them exactly.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal

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
    | {"dozen": 12, "hundred": 100, "thousand": 1000}
)
_ONES = {"one": 1, **{word: number for number, word in enumerate(_UNITS, 2)}}
_DAYS = {word: number for number, word in enumerate(_ORDINALS, 1)}

_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in (*_MONTHS, "sept"))
_HOUR = r"(\d{1,2})"
_DIGITED = rf"\d{{1,3}}|an?|{'|'.join(_ONES)}|{'|'.join(_TEENS)}|{'|'.join(_TENS)}"
"""What can stand before or after hundred and thousand."""


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


def _multiplied(found: re.Match[str]) -> str:
    """`two hundred and fifty`, `3 thousand`."""
    first, rest = (_number_of(found[n]) if found[n] else 0 for n in (1, 3))
    return str(first * (100 if found[2] == " hundred" else 1000) + rest)


def _number_of(word: str) -> int:
    return int(word) if word.isdigit() else _ONES.get(word) or _NUMBERS.get(word) or 1


def _large(found: re.Match[str]) -> str:
    return _plain(Decimal(found[1]) * (10**6 if found[2][0] == "m" else 10**9))


_CURRENCIES = {"€": "eur", "$": "usd", "£": "gbp", "e": "eur", "d": "usd", "u": "usd", "g": "gbp", "p": "gbp"}


def _amount(found: re.Match[str]) -> str:
    return f"{_plain(Decimal(found[3]))} {_CURRENCIES[found[1] or found[2][0]]}"


def _amount_after(found: re.Match[str]) -> str:
    return f"{_plain(Decimal(found[1]))} {_CURRENCIES[found[2] or found[3][0]]}"


def _spoken_hour(found: re.Match[str]) -> str:
    return "30 min" if found[1] == "half an" else "90 min" if found[1] == "1.5" else "60 min"


_LARGER = {
    **dict.fromkeys(("kg", "kilo", "kilos", "kilogram", "kilograms"), ("g", 1000)),
    **dict.fromkeys(("km", "kilometer", "kilometers", "kilometre", "kilometres"), ("m", 1000)),
    **dict.fromkeys(("hour", "hours", "hr", "hrs"), ("min", 60)),
    **dict.fromkeys(("year", "years"), ("months", 12)),
    **dict.fromkeys(("week", "weeks"), ("days", 7)),
}
"""Units, with the smaller one that their values are given in and how many of it they have."""
_SPELLED_UNITS = {
    **dict.fromkeys(("gram", "grams"), "g"),
    **dict.fromkeys(("metre", "metres", "meter", "meters"), "m"),
    **dict.fromkeys(("minute", "minutes", "mins"), "min"),
    **dict.fromkeys(("second", "seconds", "sec", "secs"), "s"),
    **dict.fromkeys(("gigabyte", "gigabytes"), "gb"),
    **dict.fromkeys(("megabyte", "megabytes"), "mb"),
    **dict.fromkeys(("terabyte", "terabytes"), "tb"),
    **dict.fromkeys(("month",), "months"),
    **dict.fromkeys(("day",), "days"),
}


def _smaller_unit(found: re.Match[str]) -> str:
    unit, factor = _LARGER[found[2]]
    return f"{_plain(Decimal(found[1]) * factor)} {unit}"


def _clock_24(found: re.Match[str]) -> str:
    return f"{int(found[1])}:{found[2] or found[3]}"


def _middle_of_day(found: re.Match[str]) -> str:
    return "0:00" if found[1] == "midnight" else "12:00"


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


_Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]
_RULES: tuple[_Rule, ...] = (
    # Numbers: 1,250 and 1'250 and 1.250.000; 13,5; 2.5k; twenty-four; twenty-first; two hundred and fifty; a dozen.
    (re.compile(r"(?<=\d)[,'’](?=\d{3}(?!\d))"), lambda _: ""),
    (re.compile(r"\b\d{1,3}(?:\.\d{3}){2,6}\b"), lambda found: found[0].replace(".", "")),
    (re.compile(r"(?<=\d),(?=\d{1,2}(?![\d,]))"), lambda _: "."),
    (re.compile(r"\b(\d+(?:\.\d+)?)k\b"), lambda found: _plain(Decimal(found[1]) * 1000)),
    (
        re.compile(rf"\b({'|'.join(_TENS)})[- ]({'|'.join(_ORDINALS[:9])})\b"),
        lambda found: str(_NUMBERS[found[1]] + _DAYS[found[2]]),
    ),
    (
        re.compile(rf"\b({'|'.join(_TENS)})[- ]({'|'.join(_ONES)})\b"),
        lambda found: str(_NUMBERS[found[1]] + _ONES[found[2]]),
    ),
    (re.compile(rf"\b({_DIGITED})( hundred)(?: (?:and )?({_DIGITED}))?\b"), _multiplied),
    (re.compile(rf"\b({_DIGITED})( thousand| grand)(?: (?:and )?({_DIGITED}))?\b"), _multiplied),
    (
        re.compile(rf"\b(?:an? (?=dozen|hundred|thousand))?({'|'.join(_NUMBERS)})\b"),
        lambda found: str(_NUMBERS[found[1]]),
    ),
    (re.compile(r"\b(?:(\d+)|one|an?) and a half\b"), lambda found: f"{found[1] or 1}.5"),
    (re.compile(r"\bhalf a (?=million|billion)"), lambda _: "0.5 "),
    (re.compile(r"\b(\d+(?:\.\d+)?) ?(million|billion|mio\b\.?|mrd\b\.?|mn|bn)(?!\w)"), _large),
    # Dates: 2026-05-02, 02.05.2026, May 2nd, the second of May; other ordinals: 3rd, third.
    (re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b"), _iso_date),
    (re.compile(r"\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b"), _dotted_date),
    (re.compile(rf"\b({'|'.join(_DAYS)}) of ({_MONTH})\b"), lambda found: f"{_DAYS[found[1]]} {_month(found[2])}"),
    (
        re.compile(rf"\b({_MONTH})\b\.? (\d{{1,2}})(?:st|nd|rd|th)?\b,?(?! ?(?:am|pm|:|\.\d))"),
        lambda found: f"{int(found[2])} {_month(found[1])}",
    ),
    (
        re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b\.?,?"),
        lambda found: f"{int(found[1])} {_month(found[2])}",
    ),
    (re.compile(rf"\b({'|'.join(_ORDINALS[2:])})\b"), lambda found: str(_DAYS[found[1]])),
    (re.compile(r"(?<=\d)(?:st|nd|rd|th)\b"), lambda _: ""),
    # Times: quarter past 4, 4.15 am, 17.45 h, 10 in the evening, 15h30, noon, 04:15.
    (re.compile(rf"\b(quarter|half) (past|to) {_HOUR}\b"), _spoken_clock),
    (re.compile(rf"\b{_HOUR}(?:[:.](\d\d))? ?([ap])\.?m\b\.?"), _clock_12),
    (re.compile(rf"\b{_HOUR}(?:[:.](\d\d))?(?: o'clock)? in the (morning|afternoon|evening)\b"), _part_of_day),
    (re.compile(r"\b(\d{1,2})(?:h(\d\d)\b|[.:](\d\d) ?(?:h|hrs|hours|uhr)\b)"), _clock_24),
    (re.compile(r"(?<=\d:\d\d):00\b"), lambda _: ""),
    (re.compile(r"\b(?:12(?: o'clock)? )?(noon|midday|midnight)\b"), _middle_of_day),
    (re.compile(r"\b0(?=\d:\d\d)"), lambda _: ""),
    # Shares, amounts, weights, distances, durations: 12 %, EUR 40, 3.5 kg, 1.2 km, an hour and a half.
    (re.compile(r"(?<=\d) ?%| per ?cent\b"), lambda _: " percent"),
    (re.compile(r"(?:(?<!\w)([€$£])|\b(eur|usd|gbp)) ?(\d+(?:\.\d+)?)"), _amount),
    (re.compile(r"\b(\d+(?:\.\d+)?) ?(?:([€$£])|(eur|usd|gbp|euros?|dollars?|pounds sterling)\b)"), _amount_after),
    (re.compile(r"\b(half an|an?|1(?:\.5)?) hours?\b"), _spoken_hour),
    (re.compile(rf"(?<![\d:.])(\d+(?:\.\d+)?) ?({'|'.join(_LARGER)})\b"), _smaller_unit),
    (re.compile(rf"(?<=\d) ?({'|'.join(_SPELLED_UNITS)})\b"), lambda found: f" {_SPELLED_UNITS[found[1]]}"),
    # Versions: v2.4, version 2.4.
    (re.compile(r"\b(?:version |v\.? ?)(?=\d)"), lambda _: ""),
    # Identifiers: ZX-2210-77 and ZX 2210 77; 64GB and 64 GB.
    (re.compile(r"(?<=\d)[-_/#](?=[^\W\d_])|(?<=[^\W\d_])[-_/#](?=\d)|(?<=\d)-(?=\d)"), lambda _: " "),
    (re.compile(r"(?<=\d)(?=(?:[kmgt]i?b|ms|min|h|km|kg|g|cm|mm|eur|usd)\b)"), lambda _: " "),
)


def bring_to_one_form(text: str) -> str:
    """The text in lower case, without accents, with its values written in one way."""
    text = _fold_letters(text)
    for pattern, write in _RULES:
        text = pattern.sub(write, text)
    return text


def contains_words(said: str, held: str) -> bool:
    """Whether a text contains another word for word; both in one form."""
    at = said.find(held := held.rstrip(".!? "))
    if not held or at < 0:
        return False
    end = at + len(held)
    before, after = said[at - 1 : at], said[end : end + 1]
    return not (before.isalnum() and held[0].isalnum()) and not (after.isalnum() and held[-1].isalnum())


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
