"""Random histories under both clocks: a space answers as a small oracle does (`make bench-histories` runs more)."""

from __future__ import annotations

import pytest

from bench.histories import NAMES, run_histories
from heldtrue.ingest.acts import learn
from tests.acceptance.homes import MakeHome, times

GROUPS, POSTGRES_GROUPS = times(8), times(1)


@pytest.mark.covers("A14", "A4", "A5", "A7")
@pytest.mark.parametrize("group", range(GROUPS))
def test_a_space_answers_as_the_oracle_does(group: int) -> None:
    assert run_histories(_seeds(group)) > 100


@pytest.mark.covers("A14", "A7")
@pytest.mark.parametrize("group", range(POSTGRES_GROUPS))
def test_a_space_in_postgresql_answers_as_the_oracle_does(group: int, make_home: MakeHome) -> None:
    assert run_histories(_seeds(GROUPS + group), home=make_home("postgres")) > 100


def test_the_oracle_notices_a_rule_that_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "_restated_times", lambda _candidate, _memory: {})
    with pytest.raises(AssertionError, match="differs"):
        run_histories(_seeds(0))


def _seeds(group: int) -> range:
    return range(group * len(NAMES), (group + 1) * len(NAMES))
