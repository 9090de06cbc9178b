"""The study of kills and changed homes, in small: `python -m bench kills` is the large form."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.damage import DEEDS
from bench.kills import run_damage, run_kills
from tests.acceptance.homes import times

pytestmark = pytest.mark.without_reader


@pytest.mark.covers("B28")
def test_killed_servers_and_workers_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    report = run_kills(tmp_path / "home", times(8), seed=1)
    assert report.kills >= times(8)
    assert report.acknowledged > 0, "there was something to lose"
    assert (report.lost, report.twice, report.problems) == (0, 0, [])


@pytest.mark.covers("A5")
@pytest.mark.parametrize("name", DEEDS)
def test_a_home_that_is_changed_under_load_is_named(tmp_path: Path, name: str) -> None:
    report = run_damage(tmp_path, name, times(2), seed=1)
    assert report.acknowledged > 0, "there was something to lose"
    assert (report.acknowledged_into_nothing, report.unnamed) == (0, 0)
