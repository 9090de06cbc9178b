"""Durations, and the words for them."""

import pytest

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.times import parse_span

DAY = 86_400_000_000


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
