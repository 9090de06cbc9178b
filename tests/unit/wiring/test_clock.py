"""Clocks that jump: ahead within a process, or far ahead of the last entry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from heldtrue import Memory
from heldtrue.domain.errors import ClockJumped
from heldtrue.domain.times import DAY_US, HOUR_US
from heldtrue.surfaces.cli.main import main
from heldtrue.wiring.clock import SystemClock

START = 1_800_000_000_000_000


class Hands:
    """A clock on the wall and the one that counts from the start of the machine, moved by hand."""

    def __init__(self) -> None:
        self.wall = START
        self.boot = 5_000_000

    def pass_by(self, span_us: int) -> None:
        self.wall += span_us
        self.boot += span_us

    def clock(self, *, is_confirmed: bool = False) -> SystemClock:
        return SystemClock(lambda: self.wall, lambda: self.boot, is_confirmed=is_confirmed)


@pytest.mark.covers("A14")
def test_a_clock_that_jumps_ahead_within_a_process_is_refused_until_it_is_right_again(tmp_path: Path) -> None:
    hands = Hands()
    with Memory.open(tmp_path / "home", clock=hands.clock()) as memory:
        memory.learn("The bell rings at noon.")
        hands.pass_by(300 * DAY_US)
        memory.learn("The gate is green.")  # the control: time that both clocks count is no jump
        hands.wall += HOUR_US - 1
        memory.learn("The well is deep.")  # a correction of less than an hour
        hands.wall += 3650 * DAY_US
        with pytest.raises(ClockJumped, match=r"jumped ahead by 3,650 days") as refused:
            memory.learn("The shed is red.")
        assert "restart" in (refused.value.hint or "")
        assert memory.recall("bell").results, "reading goes on"
        hands.wall -= 3650 * DAY_US
        assert memory.learn("The shed is red.").outcome == "created"
        hands.wall -= 30 * DAY_US
        memory.learn("The tower is tall.")
        assert memory.verify().ok, "recorded times never go back, whatever the clock does"


@pytest.mark.covers("A14")
def test_a_clock_far_ahead_of_the_last_entry_is_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, hands = tmp_path / "home", Hands()
    with Memory.open(home, clock=hands.clock()) as memory:
        memory.learn("The bell rings at noon.")
    hands.pass_by(399 * DAY_US)
    with Memory.open(home, clock=hands.clock()) as memory:
        memory.learn("The gate is green.")  # the control
    hands.pass_by(401 * DAY_US)
    with Memory.open(home, clock=hands.clock()) as memory:
        with pytest.raises(ClockJumped, match="401 days after the last entry") as refused:
            memory.learn("The shed is red.")
        assert "heldtrue trust" in (refused.value.hint or "")
    monkeypatch.setattr(
        "heldtrue.surfaces.cli.home_commands.SystemClock",
        lambda is_confirmed=False: hands.clock(is_confirmed=is_confirmed),
    )
    assert main(["--home", str(home), "--json", "trust", "--yes"]) == 0
    assert "401 days after the last entry" in json.loads(capsys.readouterr().out)["accepted"][0]
    with Memory.open(home, clock=hands.clock()) as memory:
        assert memory.learn("The shed is red.").outcome == "created"
        assert any("401 days after the last entry" in note for note in memory.verify().notes)


def test_a_process_that_has_written_is_not_asked_again(tmp_path: Path) -> None:
    hands = Hands()
    with Memory.open(tmp_path / "home", clock=hands.clock()) as memory:
        memory.learn("The bell rings at noon.")
        hands.pass_by(500 * DAY_US)
        assert memory.learn("The gate is green.").outcome == "created"


def test_the_machines_own_clocks_agree() -> None:
    SystemClock().refuse_jump(SystemClock().now())


@pytest.mark.covers("A14", "B24")
def test_the_way_back_from_a_jump_that_was_recorded_keeps_every_memory(tmp_path: Path) -> None:
    """As the troubleshooting guide says: up to the last right entry as it was, and the rest as new."""
    hands = Hands()
    home, fresh = tmp_path / "home", tmp_path / "fresh"
    with Memory.open(home, clock=hands.clock()) as memory:
        memory.learn("The bell rings at noon.")
    hands.pass_by(390 * DAY_US)
    with Memory.open(home, clock=hands.clock()) as memory:
        memory.learn("The gate is green.")
        memory.export(str(tmp_path / "before.jsonl"), as_of="#1")
        memory.export(str(tmp_path / "all.jsonl"))
    hands.pass_by(-390 * DAY_US)
    with Memory.open(fresh, clock=hands.clock()) as memory:
        memory.restore_backup(str(tmp_path / "before.jsonl"))
        memory.learn("The clock was wrong for a while.")
        assert memory.import_(str(tmp_path / "all.jsonl")).how == "proposed"
        active = {found.content for found in memory.list(limit=50).items}
        waiting = {candidate.memory.content for candidate in memory.inbox(limit=50).items}
        assert active | waiting >= {"The bell rings at noon.", "The gate is green."}
        assert memory.status().warnings == []
