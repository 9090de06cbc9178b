"""The parts of a score, each between nought and one, and their sum."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.recall.explain import describe_age
from holdfast.recall.weigh import recency_part, topic_part, weigh_parts
from tests.conformance.samples import make_version

DAY = 86_400_000_000
PARTS = ("text", "topic", "recency", "confidence", "proximity")


@pytest.mark.covers("A7")
@pytest.mark.parametrize(("days", "part"), [(0, 1.0), (30, 0.5), (60, 0.25), (-5, 1.0)])
def test_freshness_halves_every_half_life_and_the_future_is_no_fresher(days: int, part: float) -> None:
    memory = make_version(observed_at=0)
    assert recency_part(memory, now=days * DAY, half_life_days=30.0) == pytest.approx(part)


@pytest.mark.covers("A7")
@pytest.mark.parametrize(
    ("held", "asked", "part"),
    [
        ("api", "api", 1.0),
        ("API", "api", 1.0),
        ("api", "parser", 0.0),
        (None, "api", 0.0),
        ("api", None, 0.0),
        ("", "", 0.0),
    ],
)
def test_a_topic_is_met_or_not(held: str | None, asked: str | None, part: float) -> None:
    assert topic_part(make_version(topic=held), asked) == part


unit = st.floats(0, 1)


@pytest.mark.covers("A7", "B15")
@given(
    st.fixed_dictionaries(dict.fromkeys(PARTS, unit)),
    st.fixed_dictionaries(dict.fromkeys(PARTS, st.floats(0, 10))),
)
def test_the_shares_are_the_score_and_the_score_is_between_nought_and_one(
    parts: dict[str, float], weights: dict[str, float]
) -> None:
    score, shares = weigh_parts(parts, weights)
    assert score == pytest.approx(sum(shares.values()), abs=1e-6)
    assert 0 <= score <= 1 + 1e-5
    assert set(shares) == set(PARTS)
    assert all((weights[name] > 0) or (share == 0) for name, share in shares.items())


@pytest.mark.covers("A7")
def test_weights_count_in_proportion_and_all_noughts_score_nought() -> None:
    parts = dict.fromkeys(PARTS, 1.0)
    score, shares = weigh_parts(parts, {"text": 6, "topic": 1, "recency": 1, "confidence": 1.5, "proximity": 0.5})
    assert (score, shares["text"]) == (1.0, 0.6)
    assert weigh_parts(parts, dict.fromkeys(PARTS, 0.0))[0] == 0.0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "just now"), (59, "just now"), (60, "1 minute ago"), (7_200, "2 hours ago"), (86_400, "1 day ago"),
     (2_592_000, "1 month ago"), (63_072_000, "2 years ago"), (-5, "just now")],
)  # fmt: skip
def test_an_age_is_told_in_its_largest_unit(seconds: int, words: str) -> None:
    assert describe_age(0, seconds * 1_000_000) == words
