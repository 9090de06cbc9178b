"""Moments, spans, and the words for them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.times import from_datetime, parse_moment, parse_span, to_iso

NOW = from_datetime(datetime(2026, 5, 17, 9, 30, tzinfo=UTC))
DAY = 86_400_000_000


@pytest.mark.covers("A14")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-05-17", "2026-05-17T00:00:00.000000Z"),
        ("2026-05-17T09:30:00Z", "2026-05-17T09:30:00.000000Z"),
        ("2026-05-17T09:30:00", "2026-05-17T09:30:00.000000Z"),
        ("2026-05-17 09:30:00.000001", "2026-05-17T09:30:00.000001Z"),
        ("2026-05-17T09:30:00+02:00", "2026-05-17T07:30:00.000000Z"),
        (" now ", "2026-05-17T09:30:00.000000Z"),
        ("Today", "2026-05-17T00:00:00.000000Z"),
        ("yesterday", "2026-05-16T00:00:00.000000Z"),
        ("3 days ago", "2026-05-14T09:30:00.000000Z"),
        ("36h ago", "2026-05-15T21:30:00.000000Z"),
        ("2 WEEKS ago", "2026-05-03T09:30:00.000000Z"),
        ("0001-01-01", "0001-01-01T00:00:00.000000Z"),
        ("9999-12-31", "9999-12-31T00:00:00.000000Z"),
    ],
)
def test_a_moment_may_be_said_in_these_ways(text: str, expected: str) -> None:
    assert to_iso(parse_moment(text, field="as_of", now=NOW)) == expected


@pytest.mark.parametrize(
    "text", ["", "soon", "tomorrow-ish", "2026-13-01", "2026-02-30", "17.05.2026", "ago", "-1 days ago", "#12"]
)
def test_anything_else_is_no_moment(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_moment(text, field="valid_from", now=NOW)
    assert refused.value.field == "valid_from"
    assert refused.value.hint


@pytest.mark.parametrize("text", ["999999999 weeks ago", "0001-01-01T00:00:00+14:00"])
def test_a_moment_outside_the_calendar_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_moment(text, field="as_of", now=NOW)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("7d", 7),
        ("1 day", 1),
        ("2 weeks", 14),
        ("48h", 2),
        ("1440 minutes", 1),
        ("86400s", 1),
        ("1w", 7),
        ("24 hours", 1),
    ],
)
def test_a_span_may_be_said_in_these_ways(text: str, days: float) -> None:
    assert parse_span(text, field="max_age") == days * DAY


@pytest.mark.parametrize("text", ["", "7", "d", "-7d", "7 years", "1.5d", "7dd"])
def test_anything_else_is_no_span(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_span(text, field="max_age")
    assert refused.value.field == "max_age"


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=9)), timezone(timedelta(hours=-5))])))
def test_a_moment_survives_being_written_and_read(moment: datetime) -> None:
    try:
        microseconds = from_datetime(moment)
        text = to_iso(microseconds)
    except OverflowError:
        return  # a zone pushed it out of the calendar
    assert parse_moment(text, field="as_of", now=NOW) == microseconds
    assert len(text) == len("2026-11-15T08:30:00.000000Z"), "so that texts sort as moments do"
