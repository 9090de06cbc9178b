"""Moments as people write them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.times import from_datetime, to_iso
from heldtrue.language.moments import parse_deadline, parse_moment

NOW = from_datetime(datetime(2026, 5, 17, 9, 30, tzinfo=UTC))
"""A Sunday."""


@pytest.mark.covers("A14")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-05-17", "2026-05-17 00:00"),
        ("2026-05-17T09:30:00Z", "2026-05-17 09:30"),
        ("2026-05-17T09:30:00", "2026-05-17 09:30"),
        ("2026-05-17 09:30", "2026-05-17 09:30"),
        ("2026-05-17T09:30:00+02:00", "2026-05-17 07:30"),
        ("2026-W20", "2026-05-11 00:00"),
        (" now ", "2026-05-17 09:30"),
        ("Today", "2026-05-17 00:00"),
        ("yesterday", "2026-05-16 00:00"),
        ("tomorrow", "2026-05-18 00:00"),
        ("3 days ago", "2026-05-14 09:30"),
        ("36h ago", "2026-05-15 21:30"),
        ("36h", "2026-05-15 21:30"),
        ("2d", "2026-05-15 09:30"),
        ("2 WEEKS ago", "2026-05-03 09:30"),
        ("a week ago", "2026-05-10 09:30"),
        ("an hour ago", "2026-05-17 08:30"),
        ("two months ago", "2026-03-17 09:30"),
        ("1 year ago", "2025-05-17 09:30"),
        ("in 3 days", "2026-05-20 09:30"),
        ("two weeks from now", "2026-05-31 09:30"),
        ("tuesday", "2026-05-12 00:00"),
        ("Tue", "2026-05-12 00:00"),
        ("on Friday", "2026-05-15 00:00"),
        ("sunday", "2026-05-17 00:00"),
        ("last sunday", "2026-05-10 00:00"),
        ("next friday", "2026-05-22 00:00"),
        ("last week", "2026-05-04 00:00"),
        ("this month", "2026-05-01 00:00"),
        ("last month", "2026-04-01 00:00"),
        ("last year", "2025-01-01 00:00"),
        ("May 2026", "2026-05-01 00:00"),
        ("may", "2026-05-01 00:00"),
        ("June", "2025-06-01 00:00"),
        ("2026-05", "2026-05-01 00:00"),
        ("2026", "2026-01-01 00:00"),
        ("12 May", "2026-05-12 00:00"),
        ("May 12, 2025", "2025-05-12 00:00"),
        ("17.05.2026", "2026-05-17 00:00"),
        ("Q1 2026", "2026-01-01 00:00"),
        ("the day before yesterday", "2026-05-15 00:00"),
        ("yesterday 14:00", "2026-05-16 14:00"),
        ("yesterday at 2pm", "2026-05-16 14:00"),
        ("tuesday 9:30", "2026-05-12 09:30"),
        ("12 May 2026, 18:05", "2026-05-12 18:05"),
        ("8:15", "2026-05-17 08:15"),
        ("12am", "2026-05-17 00:00"),
        ("monday at noon", "2026-05-11 12:00"),
        ("gestern", "2026-05-16 00:00"),
        ("0001-01-01", "0001-01-01 00:00"),
        ("9999-12-31", "9999-12-31 00:00"),
    ],
)
def test_a_moment_may_be_written_in_these_ways(text: str, expected: str) -> None:
    assert to_iso(parse_moment(text, field="as_of", now=NOW))[:16].replace("T", " ") == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "soon", "tomorrow-ish", "2026-13-01", "2026-02-30", "ago", "-1 days ago", "#12", "03/04/2026", "may I",
        "yesterday 25:00", "13pm", "last week 14:00", "before May", "tuesday or so", "a", "5", "30 February",
        "29 February 2026", "Feb 29, 2023", "x" * 5_000,
    ],
)  # fmt: skip
def test_anything_else_is_refused_and_the_error_names_the_field(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_moment(text, field="valid_from", now=NOW)
    assert refused.value.field == "valid_from"
    assert refused.value.hint


@pytest.mark.parametrize(
    "text", ["999999999 weeks ago", "0001-01-01T00:00:00+14:00", "9999 years ago", "in 9999 years"]
)
def test_a_moment_outside_the_calendar_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_moment(text, field="as_of", now=NOW)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 days", "2026-05-19 09:30"),
        ("in 2 days", "2026-05-19 09:30"),
        ("a month", "2026-06-17 09:30"),
        ("friday", "2026-05-22 00:00"),
        ("june", "2026-06-01 00:00"),
        ("tomorrow 18:00", "2026-05-18 18:00"),
        ("2026-05-20", "2026-05-20 00:00"),
        ("next week", "2026-05-18 00:00"),
    ],
)
def test_a_deadline_lies_ahead(text: str, expected: str) -> None:
    assert to_iso(parse_deadline(text, field="expires", now=NOW))[:16].replace("T", " ") == expected


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=9)), timezone(timedelta(hours=-5))])))
def test_a_moment_survives_being_written_and_read(moment: datetime) -> None:
    try:
        microseconds = from_datetime(moment)
        text = to_iso(microseconds)
    except OverflowError:
        return  # a zone pushed it out of the calendar
    assert parse_moment(text, field="as_of", now=NOW) == microseconds
    assert len(text) == len("2026-11-15T08:30:00.000000Z"), "so that texts sort as moments do"
