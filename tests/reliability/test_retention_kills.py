"""Retention that is killed within and between its steps archives everything that is due, each thing once (bar 3)."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from bench.upkeep import Death, work_with_kills
from heldtrue import ManualClock, Memory
from heldtrue.engine.queue import NewJob, ask_for
from tests.acceptance.homes import KINDS, START, MakeHome, entries

pytestmark = pytest.mark.without_reader

SETTINGS = """
[recall]
vector_model = "none"
[[retention.rules]]
source = "conversation"
days = 30
[[retention.rules]]
category = "health"
days = 30
"""
TURNS, FACTS = 330, 2
"""Each fact is a step, and some fifty turns are one."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.covers("A32", "A12")
def test_retention_that_is_killed_goes_on_where_it_stopped(kind: str, make_home: MakeHome) -> None:
    home = make_home(kind, SETTINGS)
    with Memory.open(home, clock=ManualClock(START)) as owner:
        turns = [{"name": "Mira", "content": f"The heron counted {number} fish."} for number in range(TURNS)]
        owner.capture(messages=turns, thread="monday", extract=False)
        owner.learn_many(
            [{"content": f"Plaster p{number} is in box b{number}.", "category": "health"} for number in range(FACTS)]
        )
    moment = START + timedelta(days=31)
    with Memory.open(home, clock=ManualClock(moment)) as owner:
        head, instance = owner.status().ledger_entries or 0, owner._call.instance
        with instance.store.write() as transaction:
            job = ask_for(transaction, NewJob(name="compact", asked_by="person:owner", trigger="a test"), now=0)
    deaths = iter([Death(2, True), Death(4, False), Death(2, True), None])
    moment, killed = work_with_kills(home, moment, deaths)
    assert killed == 3, "among the facts, after turns were archived, and within another step"
    with Memory.open(home, clock=ManualClock(moment)) as owner:
        written = entries(owner)[head:]
        assert Counter(entry.cause for entry in written) == {"retention": TURNS + FACTS}
        assert len({entry.target for entry in written}) == TURNS + FACTS, "each once"
        assert owner.job(job.id).job.counts == {"retention": FACTS, "sources": TURNS}
        assert not owner.recall("how many fish did the heron count?", within=["sessions"]).results
        assert owner.compact().counts == {}
        assert owner.undo(job.id, reason="all of it is needed").undone == TURNS + FACTS
        assert owner.recall("how many fish did the heron count?", within=["sessions"]).results
        assert len(owner.list().items) == FACTS
        assert owner.verify().problems == []
