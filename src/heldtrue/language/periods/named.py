"""Seasons, quarters, weekends, weekdays and decades by their names."""

from __future__ import annotations

from datetime import date, timedelta

from heldtrue.language.periods.question_view import View, ends_at, is_free, year_at
from heldtrue.language.periods.spans import Span, add_months, day_of, day_span, month_span, span_of
from heldtrue.language.periods.words import DAYTIMES, RANGE_SIGNS, SEASONS, SHORT_DAYS, WEEKDAYS, YEARLY

_WEEKDAY_CUES = frozenset("on since before after until till by from".split())
_RECURRING = frozenset("every each black good any most a".split())
_SEASON_CUES = frozenset("in the during since before after over until by early late".split())
_QUARTER_CUES = frozenset("in for during since before after by of the until till from this early late mid".split())


def read_season(view: View, place: int) -> Span | None:
    name = view.low(place)
    year, after = year_at(view, place + 1)
    if not year:
        if not (view.expected == place or view.low(place - 1) in _SEASON_CUES) or not is_free(view, place + 1):
            return None
        if view.low(place + 1) == "of":
            return None  # `the fall of Rome`
        after = place + 1
        year = view.today.year - (view.today.month < SEASONS[name])
    first = date(year, SEASONS[name], 1)
    return span_of(first, add_months(first, 3), "season", after)


def read_quarter(view: View, place: int) -> Span | None:
    """`Q3`, `Q3 2022`, and with a year also `H1 2023`."""
    low, word = view.low(place), view.words[place]
    year, after = year_at(view, place + 1)
    months = 3 if low[0] == "q" else 6
    month = (int(low[1]) - 1) * months + 1
    if month > 12:
        return None
    if not year:
        opens = place == 0 and word.capital and view.low(1) not in (":", ".", ")")
        if months == 6 or not (opens or view.expected == place or view.low(place - 1) in _QUARTER_CUES):
            return None
        year, after = view.today.year - (month > view.today.month), place + 1
    return month_span(year, month, after, months=months, grain="quarter" if months == 3 else "range")


def read_weekend(view: View, place: int) -> Span | None:
    """`over the weekend`: the last one that has begun; what stands beside a date was read before."""
    if view.low(place - 1) not in ("the", "over") or not is_free(view, place + 1) or view.low(place + 1) == "of":
        return None
    saturday = view.today - timedelta(days=(view.today.weekday() - 5) % 7)
    return span_of(saturday, saturday + timedelta(days=2), "range", place + 1)


def read_weekday(view: View, place: int) -> Span | None:
    """`on Friday`, `Friday morning`, and Friday at the end of a question: the last that has begun."""
    word, before = view.words[place], view.low(place - 1)
    after = place + 1
    daytime = view.low(after) in DAYTIMES
    short = word.low in SHORT_DAYS
    if before in _RECURRING or (short and (not word.capital or word.low == "sun")):
        return None
    if before in RANGE_SIGNS and view.low(place - 2) in WEEKDAYS and view.expected != place:
        return None  # `Monday to Friday` is every week
    alone = not short and (ends_at(view, after) or view.low(after) in YEARLY)
    if not (alone or daytime or view.expected == place or before in _WEEKDAY_CUES):
        return None
    if view.low(after) not in WEEKDAYS and (span := view.expect(after + (view.low(after) == ","))):
        if span.grain == "day":
            return span  # `on Monday, 5 June` is one day
        if span.grain == "week":
            day = day_of(span.start) + timedelta(days=WEEKDAYS[word.low])
            return day_span(day, span.after)
    back = (view.today.weekday() - WEEKDAYS[word.low]) % 7
    return day_span(view.today - timedelta(days=back), after + daytime)


def read_decade(view: View, place: int) -> Span | None:
    digits = view.low(place)[:-1]
    if view.low(place - 1) not in ("the", "early", "late", "mid") or not is_free(view, place + 1):
        return None
    year = int(digits) if len(digits) == 4 else 1900 + int(digits)
    return month_span(year, 1, place + 1, months=120, grain="range")
