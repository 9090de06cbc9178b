"""Moments as people write them: `2026-05-17`, `yesterday 14:00`, `2d`, `last week`, `May 2026`.

A day, week, month or year means its first instant, and a time without a zone is UTC.
"""

from __future__ import annotations

import re
from datetime import datetime

import msgspec

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.limits import MOMENT_CHARS_MAX
from heldtrue.domain.times import DAY_US, HOUR_US, MINUTE_US, check_calendar, from_datetime, parse_span

_EXAMPLES = (
    "write a moment such as 2026-05-17, 2026-05-17T09:30:00Z, 'yesterday 14:00', '3 days ago', 2d, tuesday, "
    "'last week' or 'May 2026'"
)
_COUNTED = re.compile(r"(\d{1,9}|[a-z]{1,6}) ?([a-z]{1,7})")
_COUNTS = {word: number for number, word in enumerate("one two three four five six seven eight nine ten".split(), 1)}
_COUNTS |= {"a": 1, "an": 1}
_CLOCK = re.compile(
    r"(.*?)(?:^|,? )(?:at )?(?:(\d{1,2})(?::(\d\d))? ?(am|pm)|(\d{1,2}):(\d\d)|(noon|midnight))(?: utc)?"
)


def parse_moment(text: str, *, field: str, now: int) -> int:
    """The moment that a text names. A duration lies in the past; a weekday, or a month without a year, is the last."""
    moment = _read_moment(text, now=now)
    if moment is None:
        raise InvalidInput("is not a date or time", given=text, field=field, hint=_EXAMPLES)
    return check_calendar(moment, text, field)


def parse_deadline(text: str, *, field: str, now: int) -> int:
    """The moment until which something lasts. A duration counts from now; a weekday or a month is the next one."""
    words = " ".join(text.lower().split())
    moment = None
    if span := _read_span(words):
        moment = span.after(now)
    elif not words.startswith(("last ", "this ", "next ")):
        moment = _read_moment(f"next {words}", now=now)
    return parse_moment(text, field=field, now=now) if moment is None else check_calendar(moment, text, field)


def _read_moment(text: str, *, now: int) -> int | None:
    words = " ".join(text.lower().split())
    if not 0 < len(words) <= MOMENT_CHARS_MAX:
        return None
    if words == "now":
        return now
    moment = _read_iso(text.strip())
    if moment is None:
        moment = _read_distance(words, now=now)
    return _read_day(words, now=now) if moment is None else moment


def _read_iso(text: str) -> int | None:
    try:
        return from_datetime(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None


# So much time before or after now


class _TimeSpan(msgspec.Struct, frozen=True):
    """A duration; months and years differ in length, so they are counted apart."""

    months: int = 0
    microseconds: int = 0

    def after(self, now: int) -> int:
        """The moment so long after another one, at the same time of day."""
        if not self.months:
            return now + self.microseconds
        from heldtrue.language.periods.spans import day_of, moment_of, shift_day

        try:
            return moment_of(shift_day(day_of(now), self.months, "month")) + now % DAY_US
        except (ValueError, OverflowError):
            return now + self.months * 31 * DAY_US  # outside the calendar, which the caller reports

    def before(self, now: int) -> int:
        return _TimeSpan(-self.months, -self.microseconds).after(now)


def _read_distance(words: str, *, now: int) -> int | None:
    """`3 days ago`, `2d`, `in two weeks`."""
    for is_ahead, core in (
        (True, words.removeprefix("in ") if words.startswith("in ") else ""),
        (True, words.removesuffix(" from now") if words.endswith(" from now") else ""),
        (False, words.removesuffix(" ago")),
    ):
        if span := _read_span(core):
            return span.after(now) if is_ahead else span.before(now)
    return None


def _read_span(words: str) -> _TimeSpan | None:
    """`2d`, `36 hours`, `a week`, `three months`."""
    match = _COUNTED.fullmatch(words)
    if match is None:
        return None
    number, unit = match[1], match[2].removesuffix("s") or "s"
    count = int(number) if number.isdigit() else _COUNTS.get(number)
    if count is None:
        return None
    if unit in ("month", "year"):
        return _TimeSpan(months=count * (12 if unit == "year" else 1))
    try:
        return _TimeSpan(microseconds=parse_span(f"{count} {unit}", field=""))
    except InvalidInput:
        return None


# A day, or a time on it


def _read_day(words: str, *, now: int) -> int | None:
    """The first instant of a named day, week, month or year, or a time of the day."""
    clock = _CLOCK.fullmatch(words)
    time_of_day = _read_clock(clock) if clock else None
    if clock is not None and time_of_day is not None:
        day = _find_start(clock[1] or "today", "day", now=now)
        return None if day is None else day + time_of_day
    return _find_start(words, None, now=now)


def _read_clock(clock: re.Match[str]) -> int | None:
    """The time since midnight, if a clock shows it."""
    _, hour, minute, half, hour24, minute24, name = clock.groups()
    if name:
        return 12 * HOUR_US if name == "noon" else 0
    hours, minutes = int(hour24 or hour), int(minute24 or minute or 0)
    if half:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if half == "pm" else 0)
    return hours * HOUR_US + minutes * MINUTE_US if hours < 24 and minutes < 60 else None


def _find_start(words: str, grain: str | None, *, now: int) -> int | None:
    """The start of the period that the words name, and nothing besides; of one grain, if one is given."""
    from heldtrue.language.periods import find_periods

    bare = words.removeprefix("on ").removeprefix("in ").removeprefix("the ").title()
    for asked in (bare, f"on {bare}", f"in {bare}"):
        for period in find_periods(asked, now=now):
            if period.words == bare and period.relation == "within" and grain in (None, period.grain):
                return period.start
    return None
