"""Words of time, and a text read as words: each with its place, each stated date as one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cache

import msgspec

from heldtrue.language.dates import MONTH_NUMBERS, find_dates

WEEKDAYS = {
    name: number
    for number, names in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())
    for name in (names, names[:3])
} | {"tues": 1, "thur": 3, "thurs": 3}
SHORT_DAYS = frozenset("mon tue wed thu fri sat sun".split())
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""The month in which each begins."""
UNITS = {
    "minute": "minute", "min": "minute", "hour": "hour", "hr": "hour", "day": "day", "night": "day", "week": "week",
    "month": "month", "quarter": "quarter", "year": "year", "yr": "year", "decade": "decade",
}  # fmt: skip
UNITS |= {f"{word}s": unit for word, unit in UNITS.items()}
COUNTS = {
    word: number
    for number, words in enumerate(
        """a an one ein einer einem un une una|two zwei deux dos|three drei trois tres|four vier quatre cuatro
        |five fünf cinq cinco|six sechs seis|seven sieben sept siete|eight acht huit ocho|nine neun neuf nueve
        |ten zehn dix diez|eleven|twelve zwölf douze doce""".split("|"),
        1,
    )
    for word in words.split()
}
VAGUE = {"couple": (2, 3), "few": (2, 5), "several": (3, 8)}
"""How many units such a word may mean, from and to."""
ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "last": -1}
PARTS = {
    "early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2,
}  # fmt: skip
"""Which of three parts each means."""
DAYTIMES = frozenset("morning afternoon evening night noon".split())
LAST = frozenset("last previous past".split())
NEXT = frozenset("next coming upcoming".split())
THIS = frozenset("this current".split())
YEARLY = {"last": -1, "previous": -1, "this": 0, "next": 1}
QUARTERS = frozenset("q1 q2 q3 q4 h1 h2".split())
DECADES = frozenset(f"{year}s" for year in range(1900, 2040, 10)) | frozenset("50s 60s 70s 80s 90s".split())
NEAR_DAYS = frozenset("yesterday today tonight tomorrow earlier".split())
BESIDE: Set[str] = WEEKDAYS.keys() | {"day", "week", "weekend", "month", "year"}
"""What may stand beside another time: `the Friday before`, `the week of`."""
NO_MONTHS = frozenset("ago set".split())
"""Short forms of months that mean something else far more often."""
MONTHS: Set[str] = MONTH_NUMBERS.keys() - NO_MONTHS
NAMES_OF_PEOPLE = frozenset("april may june august jan".split())
ARTICLES = frozenset({"the", "about", "around"})
RANGE_SIGNS = frozenset("- – — to through thru until till".split())
NO_YEAR_BEFORE_BY = frozenset("divided multiplied divide multiply times increased reduced grew rose fell".split())

TELLING: frozenset[str] = frozenset().union(MONTHS, NEAR_DAYS, UNITS, DAYTIMES, BESIDE, SEASONS, QUARTERS, DECADES)
"""Words of which every period without a number has one: a question without them needs no closer look."""
TRIGGERS: frozenset[str] = frozenset().union(
    MONTHS, NEAR_DAYS, LAST, NEXT, THIS, ORDINALS, COUNTS, VAGUE, UNITS, PARTS, BESIDE, SEASONS, QUARTERS, DECADES
)
"""Words with which a time can begin."""
ALWAYS_TIMES = frozenset(
    """yesterday today tonight tomorrow mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends
    fortnight""".split()
) | frozenset(name for name in WEEKDAYS if len(name) > 5)
"""Words that tell of a time whatever stands around them."""


class Word(msgspec.Struct, frozen=True, gc=False):
    low: str
    """Lower case without a possessive ending; of a date its ISO form, of a number its digits."""
    kind: str
    """`word`, `number`, `ordinal`, `date` or `mark`."""
    start: int
    end: int
    capital: bool = False
    owns: bool = False


@cache
def word_pattern() -> re.Pattern[str]:
    """A word with what follows its apostrophes, or one mark."""
    return re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


@cache
def _number_patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """A whole number; what may not stand before it; and what may not follow, since the number would go on."""
    return (
        re.compile(r"(\d{1,4})(st|nd|rd|th)?"),
        re.compile(r"[.:,/\\$€£¥#@+=]\Z"),
        re.compile(r"[.:,]\d|[/\\%°_]|-[^\W\d]"),
    )


def read_words(text: str) -> list[Word]:
    """The text as words and marks, each stated date as one; digits of prices, versions, ports and ratios are marks."""
    words: list[Word] = []
    position = 0
    for found in find_dates(text):
        words.extend(_split_words(text, position, found.start))
        words.append(Word(found.canonical, "date", found.start, found.end))
        position = found.end
    words.extend(_split_words(text, position, len(text)))
    return words


def _split_words(text: str, start: int, end: int) -> Iterator[Word]:
    for match in word_pattern().finditer(text, start, end):
        word = match.group()
        first, last = match.span()
        if word[0].isdecimal() and (number := _read_number(text, word, first, last)):
            yield number
            continue
        low = word.lower()
        if "’" in low:
            low = low.replace("’", "'")
        if word[0].isalpha():
            owns = low.endswith("'s")
            yield Word(low[:-2] if owns else low, "word", first, last, word[0].isupper(), owns)
        else:
            yield Word(low, "word" if word[0].isalnum() else "mark", first, last)


def _read_number(text: str, word: str, start: int, end: int) -> Word | None:
    """The word as a number, or as a mark where its digits belong to something else."""
    shape, needs_no, goes_on = _number_patterns()
    number = shape.fullmatch(word)
    if number is None:
        return None
    if needs_no.search(text, max(0, start - 1), start) or goes_on.match(text, end):
        return Word(word.lower(), "mark", start, end)
    return Word(word.lower(), "ordinal", start, end) if number[2] else Word(number[1], "number", start, end)
