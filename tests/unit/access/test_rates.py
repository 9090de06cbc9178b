"""Buckets that fill with time."""

from __future__ import annotations

import pytest

from heldtrue.access.rates import Rates, TooOften


class Hands:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def take(rates: Rates, who: str = "agent:a", what: str = "writes") -> bool:
    try:
        rates.take(who, what, per_second=2.0, burst=3.0)
    except TooOften:
        return False
    return True


def test_a_burst_passes_then_one_each_time_a_bucket_has_filled_by_one() -> None:
    hands = Hands()
    rates = Rates(hands)
    assert [take(rates) for _ in range(4)] == [True, True, True, False]
    hands.now += 0.5
    assert [take(rates) for _ in range(2)] == [True, False]
    hands.now += 1_000
    assert [take(rates) for _ in range(4)] == [True, True, True, False]  # it never holds more than the burst


def test_each_principal_and_each_sort_of_call_has_its_own() -> None:
    rates = Rates(Hands())
    assert [take(rates) for _ in range(4)][-1] is False
    assert take(rates, who="agent:b")
    assert take(rates, what="requests")


def test_who_is_refused_is_told_how_long_to_wait_and_then_passes() -> None:
    hands = Hands()
    rates = Rates(hands)
    while take(rates):
        pass
    with pytest.raises(TooOften) as told:
        rates.take("agent:a", "writes", per_second=2.0, burst=3.0)
    assert told.value.retry_after_seconds == pytest.approx(0.5)
    hands.now += told.value.retry_after_seconds
    assert take(rates)


def test_a_refusal_costs_nothing() -> None:
    hands = Hands()
    rates = Rates(hands)
    while take(rates):
        pass
    for _ in range(40):
        hands.now += 0.01
        assert not take(rates)
    hands.now += 0.11
    assert take(rates)
