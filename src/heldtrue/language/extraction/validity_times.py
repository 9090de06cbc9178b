"""When a statement holds: the dates it names, those without a year turned to the side the words look to."""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import cache

from heldtrue.domain.memory import Kind
from heldtrue.language.dates import find_dates
from heldtrue.language.periods import Period, find_periods
from heldtrue.language.periods.prefilter import could_name_time
from heldtrue.language.periods.spans import DAY_US, add_months, day_of, moment_of, shift_day

_LOOKS_BACK = (
    r"\b(?:moved|took|joined|gave|quit|stopped|started|was|were|born|grew|graduated|switched|changed"
    r"|left|became|decided|chose|agreed|yesterday|last|ago|since|had|did|dropped|got|seit|depuis"
    r"|desde)\b"
)
_UNTIL = r"\b(?:until|till|ends?|expires?|runs? (?:out|until)|last day|through|bis|jusqu|hasta)\b"
_FROM = (
    r"\b(?:since|from|as of|starting|starts?|moved|joined|took over|started|switched|gave up|quit"
    r"|stopped|seit|ab|depuis|desde|dès|became|begins?|changed)\b"
)
_MONTH_END = r"\bend of (?:the|this) (month|week|year|quarter)\b"

_DAY_OF_MONTH = re.compile(
    r"\b(?:by|before|on|until|till|due) (?:\w+ )?the (\d{1,2})(?:st|nd|rd|th)\b(?! (?:of|floor|time"
    r"|century|grade|version|line))"
)


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return re.compile(_LOOKS_BACK), re.compile(_UNTIL), re.compile(_FROM), re.compile(_MONTH_END)


def read_valid_time(low: str, text: str, *, kind: Kind, said_at: int | None) -> tuple[int | None, int | None]:
    """From when and until when it holds, in microseconds; none where the words do not say."""
    back, until, starts, month_end = _rules()
    if not could_name_time(text) and not month_end.search(low):
        return None, None
    period = _find_period(text, low, said_at, forward=kind is Kind.TASK_HINT or not back.search(low))
    if period is None:
        return None, None
    first, last, grain = period
    if kind is Kind.TASK_HINT:
        return first, last
    if until.search(low):
        return None, last
    if starts.search(low):
        return first, None
    return (first, last) if grain == "day" and kind in (Kind.PROJECT, Kind.EPISODE, Kind.NOTE) else (None, None)


def _find_period(text: str, low: str, said_at: int | None, *, forward: bool) -> tuple[int, int, str] | None:
    if said_at is None:
        return _read_absolute(text)
    found = _rules()[3].search(low)
    if found:
        return _end_of(found[1], said_at)
    if forward and (day := _read_day_of_month(low, said_at)):
        return day
    periods = find_periods(text, now=said_at)
    if not periods:
        return None
    period = periods[0]
    return _turn_forward(period, said_at) if forward else (period.start, period.end, period.grain)


def _read_absolute(text: str) -> tuple[int, int, str] | None:
    """Without a clock only dates with a year say when."""
    for mention in find_dates(text):
        parts = [int(part) for part in mention.canonical.split("-")]
        first = date(parts[0], parts[1] if len(parts) > 1 else 1, parts[2] if len(parts) > 2 else 1)
        if len(parts) == 3:
            return moment_of(first), moment_of(first) + DAY_US, "day"
        return moment_of(first), moment_of(add_months(first, 1 if len(parts) == 2 else 12)), "month"
    return None


def read_iso_day(day: str) -> int | None:
    """The moment a day written as 2026-01-19 begins."""
    return moment_of(date.fromisoformat(day)) if len(day) == 10 else None


def _read_day_of_month(low: str, said_at: int) -> tuple[int, int, str] | None:
    """`before the 15th`: the next such day."""
    found = _DAY_OF_MONTH.search(low)
    if found is None or not 1 <= int(found[1]) <= 31:
        return None
    today, number = day_of(said_at), int(found[1])
    for months in range(4):
        first = add_months(today, months)
        day = first + timedelta(days=number - 1)
        if day.month == first.month and day >= today:
            return moment_of(day), moment_of(day) + DAY_US, "day"
    return None


def _end_of(unit: str, said_at: int) -> tuple[int, int, str]:
    """The stretch from now to the end of this month, week, quarter or year."""
    today = day_of(said_at)
    if unit == "week":
        last = moment_of(today) + (7 - today.weekday()) * DAY_US
    else:
        months = {"month": 1, "quarter": 3, "year": 12}[unit]
        begin = today.month - 1 - (today.month - 1) % months
        last = moment_of(add_months(date(today.year, begin + 1, 1), months))
    return moment_of(today), last, "range"


def _turn_forward(period: Period, said_at: int) -> tuple[int, int, str]:
    """A day without a year that lies behind is meant for the next time it comes, unless the words look back."""
    words = period.words.lower()
    today = moment_of(day_of(said_at))
    if period.end > today or re.search(r"\d{4}|last|ago|yesterday|past|since|earlier", words):
        return period.start, period.end, period.grain
    start, end = day_of(period.start), day_of(period.end)
    unit = "week" if re.search(r"day\b|days\b", words) and not re.search(r"\d", words) else "year"
    return moment_of(shift_day(start, 1, unit)), moment_of(shift_day(end, 1, unit)), period.grain
