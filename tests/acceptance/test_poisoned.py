"""No text raises its own standing, whichever way it comes in and whatever happens to it later."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.poison import CONTROL, Poisoned, attack, bring_in, look, make_attacks
from heldtrue import Memory
from tests.acceptance.homes import times


@pytest.mark.slow
def test_attacks_through_every_way_in_stay_what_they_are_and_quarantine_takes_them_out(tmp_path: Path) -> None:
    met = attack(tmp_path, texts=times(40), rounds=2)
    assert met.texts == times(40)
    assert met.stored > met.texts // 4, "the control: they do get in, as what they are"
    assert met.raised == []
    assert met.control_lost == 0
    assert met.left_after_quarantine == []


def test_the_check_notices_an_attack_that_a_person_let_in(tmp_path: Path) -> None:
    attacks, met = make_attacks(8), Poisoned()
    with Memory.open(tmp_path / "home") as owner:
        owner.learn(CONTROL)
        bring_in(owner, attacks)
        look(owner, attacks, met)
        assert met.raised == []
        owner.learn(attacks[0])
        look(owner, attacks, met)
    assert met.raised
