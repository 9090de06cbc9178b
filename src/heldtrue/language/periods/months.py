"""Times by number and by month: `12 May`, `May 7th`, `on the 5th`, `in May`, and stated dates."""

from __future__ import annotations

from heldtrue.language.dates import MONTH_NUMBERS
from heldtrue.language.periods.counted import read_counted
from heldtrue.language.periods.parts import read_ordinal
from heldtrue.language.periods.question_view import (
    View,
    counts_something,
    ends_at,
    form_of,
    is_free,
    is_measure,
    month_at,
    number_at,
    year_at,
)
from heldtrue.language.periods.spans import Span, add_months, dated_span, day_span, month_span, resolve_month, year_span
from heldtrue.language.periods.words import NAMES_OF_PEOPLE, NO_YEAR_BEFORE_BY, PARTS, QUARTERS

_PLAIN_MONTHS = frozenset(
    name for name in MONTH_NUMBERS if (len(name) > 5 or name == "july") and name not in ("august", "agosto", "janeiro")
)
"""Words that mean nothing but a month."""
_CUES = frozenset("in during through throughout mid early late last next this".split())
"""Words after which a month may be meant by a word that means other things too."""
_DAY_CUES = frozenset("on by since before after until till from the of".split())
_VERB_MONTHS = frozenset("may march".split())
_OPEN_MONTHS = frozenset("mar mars dec dez dic mai ene abr".split())
"""Short forms that are words elsewhere: after a cue they need a capital."""


def read_date(view: View, place: int) -> Span | None:
    iso = view.low(place)
    year, month, day = int(iso[:4]), int(iso[5:7] or 0), int(iso[8:10] or 0)
    if view.low(place - 1) in ("version", "build"):
        return None
    if month:
        return dated_span(year, month, day, place + 1)
    if is_measure(view.low(place + 1)) or (view.low(place - 1) == "by" and view.low(place - 2) in NO_YEAR_BEFORE_BY):
        return None  # `in 2000 ms`
    return year_span(year, place + 1)


def read_numbered(view: View, place: int) -> Span | None:
    """What starts with a number: `12 May`, `3 days ago`, `the 5th`, and a bare year where a time is expected."""
    number = number_at(view, place)
    first = place + 1
    if view.low(first) in (".", "of", "de"):
        first += 1
    if (month := month_at(view, first)) and 0 < number <= 31 and _is_day_then_month(view, place, first):
        return _with_year(view, month, number, first + 1)
    if view.kind(place) == "number" and (span := read_counted(view, place)):
        return span
    if view.kind(place) == "ordinal" and (span := read_ordinal(view, place)):
        return span
    if view.kind(place) == "ordinal" and view.low(place - 1) == "the" and view.low(place - 2) == "on":
        return _read_day_number(view, place) if is_free(view, place + 1) else None
    return _read_bare_year(view, place, number)


def _read_bare_year(view: View, place: int, number: int) -> Span | None:
    """A year where a time is expected, after another year, or before a quarter."""
    if not 1900 <= number < 2100 or counts_something(view, place):
        return None
    if view.low(place + 1) in QUARTERS and view.low(place + 1)[0] == "q":
        month = int(view.low(place + 1)[1]) * 3 - 2
        return month_span(number, month, place + 2, months=3, grain="quarter")
    joined = view.low(place - 1) in ("and", "or") and view.kind(place - 2) == "date"
    return year_span(number, place + 1) if joined or view.expected == place else None


def _is_day_then_month(view: View, day: int, month: int) -> bool:
    """Not `step 3 may fail`: a month that is a verb as well needs a capital, an ordinal or a cue."""
    word = view.words[month]
    if word.owns and word.low in NAMES_OF_PEOPLE:
        return False
    if word.low not in _VERB_MONTHS or word.capital or view.kind(day) == "ordinal" or ends_at(view, month + 1):
        return True
    return (
        (view.expected == day or view.low(day - 1) in _DAY_CUES)
        and is_free(view, month + 1)
        and view.low(month + 1) != "be"
    )


def _read_day_number(view: View, place: int) -> Span | None:
    """`on the 5th`: of this month, or of the month before where that day is still to come."""
    day = number_at(view, place)
    first = view.today.replace(day=1)
    month = first if day <= view.today.day else add_months(first, -1)
    return day_span(month.replace(day=day), place + 1)


def _with_year(view: View, month: int, day: int, after: int) -> Span:
    year, beyond = year_at(view, after + 1 if view.low(after) == "," and day else after)
    return dated_span(year, month, day, beyond) if year else resolve_month(view.today, month, day, after)


def read_month(view: View, place: int) -> Span | None:
    """`May 7th`, `in May`, `May last year`, `January`."""
    month, word = month_at(view, place), view.words[place]
    if word.owns and word.low in NAMES_OF_PEOPLE:
        return None
    day = number_at(view, place + 1) if view.kind(place + 1) in ("number", "ordinal") else 0
    exact = word.capital or view.kind(place + 1) == "ordinal" or word.low not in _VERB_MONTHS
    if 0 < day <= 31 and exact and not counts_something(view, place + 1):
        return _with_year(view, month, day, place + 2)
    if not means_month(view, place):
        return None
    return _with_year(view, month, 0, place + 1)


def means_month(view: View, place: int) -> bool:
    """Whether the name of a month here is no other word and nobody's name."""
    word, cue, expected = view.words[place], view.low(place - 1), view.expected == place
    if word.low in _PLAIN_MONTHS or year_at(view, place + 1)[0]:
        return True
    if word.low in _OPEN_MONTHS and not word.capital and cue != "in":
        return False
    if word.low == "mars" and view.low(place - 1) == "in" and word.capital:
        return False  # the planet; French writes its month small
    if cue == "of":
        return expected or view.low(place - 2) in PARTS or view.low(place - 2) == "month"
    if cue == "this" and not (word.capital and is_free(view, place + 1)):
        return ends_at(view, place + 1)
    if cue != "in" and word.low in NAMES_OF_PEOPLE and form_of(view.low(place + 1)) in ("s", "d"):
        return False  # `after June left`
    return expected or cue in _CUES
