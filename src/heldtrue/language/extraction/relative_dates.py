"""Writes dates for words that mean another day later: `tomorrow`, `next Friday`, `yesterday`, `last month`."""

from __future__ import annotations

import re
from datetime import date
from functools import cache

from heldtrue.language.periods import find_periods
from heldtrue.language.periods.spans import DAY_US, day_of, moment_of

_RELATIVE = (
    r"(?P<by>by\s|until\s|before\s|since\s|from\s)?(?:on\s)?(?P<when>(?:the\sday\safter\stomorrow"
    r"|the\sday\sbefore\syesterday|tomorrow|yesterday|today)(?:\s(?:morning|afternoon|evening|night))?|tonight"
    r"|(?:next|last|this(?:\scoming)?)\s(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|month|year))\b(?!'s|-)"
)
_PARTS = {"morning": " in the morning", "afternoon": " in the afternoon", "evening": " in the evening"}
_PARTS |= dict.fromkeys(("night", "tonight"), " at night")
_WEEK_DAYS = 7


@cache
def _rule() -> re.Pattern[str]:
    return re.compile(rf"\b{_RELATIVE}", re.IGNORECASE)


def write_dates(text: str, said_at: int | None) -> str:
    """The text with dates in place of words that would mean another day later."""
    return text if said_at is None else _rule().sub(lambda found: _write(found, said_at), text)


def date_quotation(text: str, said_at: int | None) -> str:
    """A quotation, with the day it was said if its words need that."""
    return text if said_at is None or not _rule().search(text) else f"On {_name_day(day_of(said_at))}: {text}"


def _write(found: re.Match[str], said_at: int) -> str:
    when = found["when"].lower()
    periods = find_periods(when, now=said_at)
    if not periods:
        return found.group()
    start, grain = periods[0].start, periods[0].grain
    if when.startswith("this ") and grain == "day" and start < moment_of(day_of(said_at)):
        start += _WEEK_DAYS * DAY_US
    lead = found["by"] or ("on " if grain == "day" else "in ")
    return lead + _name_period(day_of(start), grain, when)


def _name_period(day: date, grain: str, when: str) -> str:
    """A day, week, month or year by its date; the part of the day and the weekday stay as they were said."""
    match grain:
        case "day":
            weekday = f"{day:%A} " if when.startswith(("next", "last", "this")) else ""
            return f"{weekday}{_name_day(day)}{_PARTS.get(when.split()[-1], '')}"
        case "week":
            return f"the week of {_name_day(day)}"
        case "month":
            return f"{day:%B %Y}"
        case _:
            return str(day.year)


def _name_day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
