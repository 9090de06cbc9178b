"""Days of the calendar, and the spans that weeks, months, quarters and years make of them."""

from __future__ import annotations

from calendar import isleap
from datetime import date, timedelta

import msgspec

HOUR_US = 3_600_000_000
DAY_US = 24 * HOUR_US
_EPOCH = date(1970, 1, 1).toordinal()
_FIRST_DAY, _LAST_DAY = date(1, 1, 2).toordinal() - _EPOCH, date(9999, 12, 30).toordinal() - _EPOCH


class Span(msgspec.Struct, frozen=True, gc=False):
    """A stretch of time and the place of the first word after its name."""

    start: int
    end: int
    grain: str
    after: int
    month: int = 0
    """The month it names without a year, and the day; zero where the year is settled."""
    day: int = 0


def day_of(moment: int) -> date:
    return date.fromordinal(min(max(moment // DAY_US, _FIRST_DAY), _LAST_DAY) + _EPOCH)


def moment_of(day: date) -> int:
    return (day.toordinal() - _EPOCH) * DAY_US


def span_of(start: date, end: date, grain: str, after: int) -> Span:
    return Span(moment_of(start), moment_of(end), grain, after)


def add_months(day: date, months: int) -> date:
    """The first of the month so many months away."""
    count = day.year * 12 + day.month - 1 + months
    return date(count // 12, count % 12 + 1, 1)


def shift_day(day: date, count: int, unit: str) -> date:
    """The same day so many units later, or the last day of that month where it has no such day."""
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    first = add_months(day, count * {"month": 1, "quarter": 3, "year": 12, "decade": 120}[unit])
    return min(first + timedelta(days=day.day - 1), add_months(first, 1) - timedelta(days=1))


def month_span(year: int, month: int, after: int, *, months: int = 1, grain: str = "month") -> Span:
    first = date(year, month, 1)
    return span_of(first, add_months(first, months), grain, after)


def year_span(year: int, after: int) -> Span:
    return month_span(year, 1, after, months=12, grain="year")


def day_span(day: date, after: int) -> Span:
    return span_of(day, day + timedelta(days=1), "day", after)


def unit_span(day: date, unit: str, after: int) -> Span:
    """The calendar's day, week, month, quarter, year or decade that a day lies in."""
    if unit == "day":
        return day_span(day, after)
    if unit == "week":
        first = day - timedelta(days=day.weekday())
        return span_of(first, first + timedelta(days=7), "week", after)
    if unit == "month":
        return month_span(day.year, day.month, after)
    if unit == "quarter":
        return month_span(day.year, (day.month - 1) // 3 * 3 + 1, after, months=3, grain="quarter")
    if unit == "decade":
        return month_span(day.year // 10 * 10, 1, after, months=120, grain="range")
    return year_span(day.year, after)


def resolve_month(today: date, month: int, day: int, after: int) -> Span:
    """The last such month, or day of a month, that has begun; it remembers that no year was said."""
    year = today.year - ((month, day or 1) > (today.month, today.day))
    while (month, day) == (2, 29) and not isleap(year):
        year -= 1
    span = dated_span(year, month, day, after)
    return Span(span.start, span.end, span.grain, after, month, day)


def dated_span(year: int, month: int, day: int, after: int) -> Span:
    """A month, or a day of it. Raises a `ValueError` if the calendar has no such day."""
    return day_span(date(year, month, day), after) if day else month_span(year, month, after)
