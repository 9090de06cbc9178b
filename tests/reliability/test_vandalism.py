"""Whatever is changed in a home, wherever: what alters an answer is found (bar 32)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.homes import times
from tests.reliability.prepared import copy_home
from tests.reliability.vandalism import answers_of, count_changes, is_found, prepare_everything

pytestmark = pytest.mark.without_reader

CHANGES = 120


@pytest.mark.slow
@pytest.mark.covers("D2", "C18")
def test_every_change_that_alters_an_answer_is_found(tmp_path: Path) -> None:
    pristine = tmp_path / "pristine"
    prepare_everything(pristine)
    untouched = copy_home(pristine, tmp_path / "untouched")
    assert not is_found(untouched), "an untouched home verifies"
    assert answers_of(copy_home(pristine, tmp_path / "first")) == answers_of(copy_home(pristine, tmp_path / "second"))
    tally = count_changes(pristine, tmp_path, times(CHANGES), seed=1)
    assert tally.made == times(CHANGES)
    assert tally.missed == []
    assert tally.crashed == []
    assert tally.found > tally.made // 2
