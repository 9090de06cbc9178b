"""Moments and durations as whole microseconds, moments since 1970 in UTC, and how they are printed."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from heldtrue.domain.errors import InvalidInput

MICROSECOND = timedelta(microseconds=1)
SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US
HOUR_US = 60 * MINUTE_US
DAY_US = 24 * HOUR_US
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_UTC = datetime(1970, 1, 1)  # noqa: DTZ001 - the zone is written as Z, and this form prints faster
_LAST_US = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // MICROSECOND
_FIRST_US = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // MICROSECOND
_UNITS_US = {"second": SECOND_US, "minute": MINUTE_US, "hour": HOUR_US, "day": DAY_US, "week": 7 * DAY_US}
_SPAN = re.compile(r"(\d{1,9})\s*(seconds?|secs?|s|minutes?|mins?|m|hours?|h|days?|d|weeks?|w)")
_SHORT = {"s": "second", "sec": "second", "m": "minute", "min": "minute", "h": "hour", "d": "day", "w": "week"}


def is_moment(value: int) -> bool:
    """Whether a number of microseconds is within the years 1 to 9999."""
    return _FIRST_US <= value <= _LAST_US


def to_iso(moment: int) -> str:
    """A moment in the form every surface uses: `2026-11-15T08:30:00.000000Z`."""
    return (_EPOCH_UTC + timedelta(microseconds=moment)).isoformat(timespec="microseconds") + "Z"


def to_iso_or_none(moment: int | None) -> str | None:
    return None if moment is None else to_iso(moment)


def from_datetime(moment: datetime) -> int:
    """A datetime as a moment; one without a zone is taken as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // MICROSECOND


def to_datetime(moment: int) -> datetime:
    """A moment as a datetime in UTC."""
    return _EPOCH + timedelta(microseconds=moment)


def parse_span(text: str, *, field: str) -> int:
    """A duration such as `7d`, `36 hours` or `2 weeks`, in microseconds."""
    match = _SPAN.fullmatch(text.strip().lower())
    if match is None:
        raise InvalidInput(
            "is not a duration", given=text, field=field, hint="write a duration such as 7d, 36h or 2 weeks"
        )
    word = match[2].rstrip("s") or "s"
    span = int(match[1]) * _UNITS_US[_SHORT.get(word, word)]
    if span > _LAST_US - _FIRST_US:
        raise InvalidInput("is too long", given=text, field=field, hint="use a shorter duration")
    return span


def check_calendar(moment: int, text: str, field: str) -> int:
    """A moment that was read from a text, if the calendar has it."""
    if not _FIRST_US <= moment <= _LAST_US:
        raise InvalidInput("is out of range", given=text, field=field, hint="use a year between 1 and 9999")
    return moment
