"""Every job again and again, killed within and between its steps: nothing gone, nothing untold, nothing twice (bar 3).

`python -m bench upkeep` does the same at full size.
"""

from __future__ import annotations

import pytest

from bench.upkeep import Soak, fill, read_state, soak
from heldtrue import Memory
from tests.acceptance.homes import KINDS, MakeHome, new_clock, times

pytestmark = pytest.mark.without_reader

SETTINGS = '[engine]\ntimezone = "UTC"\n[recall]\nvector_model = "none"\n'


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.covers("A12", "D17", "B8")
def test_every_job_killed_and_repeated_loses_nothing_and_can_be_undone(kind: str, make_home: MakeHome) -> None:
    done = soak(make_home(kind, SETTINGS), times(100), times(2), kills=2, undo_every=1)
    assert done.kills >= 3, "some were killed in the middle of it"
    assert done.entries >= 5, "there was something to do"
    assert done.undone >= 5
    assert {"extract", "consolidate", "compact", "insights", "summarise", "nightly", "weekly", "monthly"} <= set(
        done.jobs
    )
    assert {"merged", "promoted", "doubtful"} <= set(done.counts)


def test_the_check_notices_a_change_that_no_job_tells_of(make_home: MakeHome) -> None:
    home = make_home(settings=SETTINGS)
    fill(home, 20)
    running = Soak(home, 20, kills=0)
    with Memory.open(home, clock=new_clock()) as owner:
        with owner._call.instance.store.read() as reading:
            head = reading.ledger.head().seq
        before = read_state(owner)
        assert running._check(owner, head, set(), set()) == []
        owner.learn("The shed is green.")
        assert read_state(owner) != before
        with pytest.raises(AssertionError, match="no job tells of 1 entries"):
            running._check(owner, head, set(), set())
        with pytest.raises(AssertionError, match="a source is gone"):
            running._check(owner, head + 1, {"one that was there"}, set())
