"""A conflict ends when one of its sides leaves use, whoever takes it out, and is back when that is taken back."""

from __future__ import annotations

from typing import Any

import pytest

from heldtrue import ManualClock, Memory
from heldtrue.domain.principal import SYSTEM
from heldtrue.ingest.acts.maintenance import merge
from heldtrue.ingest.gateway import WriteRequest
from heldtrue.ingest.outcome import Outcome

THIRTY, SIXTY = "The API timeout is 30 seconds.", "The API timeout is 60 seconds."
PORTS = ("The database port is 5432.", "The database port is 5433.")


def contradict(memory: Memory, old: str, new: str, **more: Any) -> tuple[str, str, str]:
    """Two memories of two agents that contradict each other: the older, the newer, and the conflict."""
    first = memory.as_agent("codex").learn(old, **more).memory.id
    second = memory.as_agent("claude").learn(new)
    (conflict,) = second.conflicts
    return first, second.memory.id, conflict


def pending(memory: Memory) -> list[str]:
    return [item.conflict.id for item in memory.conflicts().items]


def settled(memory: Memory, conflict: str) -> tuple[str, str, str]:
    """How a conflict was settled, by whom and why."""
    (one,) = [item.conflict for item in memory.conflicts(settled=True).items if item.conflict.id == conflict]
    return one.disposition or "", one.resolved_by or "", one.reason or ""


def put_together(memory: Memory, left: str, right: str) -> int:
    """Merge two memories as maintenance does; the entry that tells of it."""
    instance = memory._call.instance
    with instance.store.read() as reading:
        found = [reading.memories.version(name) for name in (left, right)]
    first, second = found
    assert first is not None
    assert second is not None
    request = WriteRequest(principal=SYSTEM, channel="engine", action="memory.consolidate")
    return instance.gateway.submit(request, lambda pen: merge(pen, first, second, "both say the same"), Outcome).seq


@pytest.mark.covers("A12", "E6")
def test_a_side_that_is_archived_ends_the_conflict_and_undo_brings_both_back(
    anywhere: Memory, clock: ManualClock
) -> None:
    old, new, conflict = contradict(anywhere, THIRTY, SIXTY, staleness="daily")
    _, _, other = contradict(anywhere, *PORTS)
    clock.advance(days=3)
    done = anywhere.compact()
    assert done.counts == {"stale": 1}
    assert done.job is not None
    assert pending(anywhere) == [other], "the one whose sides are both in use is still open"
    assert settled(anywhere, conflict) == ("keep_new", "system:heldtrue", "archived: out of date (staleness: daily)")
    assert anywhere.approve(new).outcome == "approved", "nothing stands in its way any more"
    anywhere.undo(done.job.id, reason="it is still right")
    (back,) = [item for item in anywhere.conflicts().items if item.conflict.id != other]
    assert {back.old.id, back.new.id} == {old, new}
    assert back.conflict.id != conflict, "the settled one stays settled"
    assert anywhere.verify().problems == []


@pytest.mark.covers("A12", "E6")
def test_undo_reopens_no_conflict_with_what_is_gone_meanwhile(owner: Memory, clock: ManualClock) -> None:
    _, new, _ = contradict(owner, THIRTY, SIXTY, staleness="daily")
    clock.advance(days=3)
    job = owner.compact().job
    assert job is not None
    owner.reject(new, reason="nobody waits that long")
    owner.undo(job.id, reason="it is still right")
    assert pending(owner) == []


@pytest.mark.covers("B24", "E6")
def test_a_side_that_is_merged_away_hands_its_conflict_over(anywhere: Memory) -> None:
    old, new, conflict = contradict(anywhere, THIRTY, SIXTY)
    twin = anywhere.as_agent("cursor").learn("Calls wait a minute for the API.").memory.id
    entry = put_together(anywhere, new, twin)
    (carried,) = anywhere.conflicts().items
    assert (carried.old.id, carried.new.id) == (old, twin)
    assert settled(anywhere, conflict) == ("merge", "system:heldtrue", f"merged into {twin}")
    anywhere.undo(entry=f"#{entry}", reason="they do not say the same")
    (back,) = anywhere.conflicts().items
    assert (back.old.id, back.new.id) == (old, new)
    assert settled(anywhere, carried.conflict.id)[0] == "keep_old"
    assert anywhere.verify().problems == []


@pytest.mark.covers("B24", "E6")
def test_what_a_person_let_stand_is_not_raised_again_by_a_merge(owner: Memory) -> None:
    _, new, conflict = contradict(owner, THIRTY, SIXTY)
    third = owner.as_agent("cursor").learn("The API timeout is 45 seconds.")
    for conflict_id in third.conflicts:
        owner.resolve(conflict_id, "keep_both", reason="one is the old API")
    twin = third.memory.id
    assert pending(owner) == [conflict]
    put_together(owner, new, twin)
    assert pending(owner) == []


@pytest.mark.covers("E6")
def test_what_is_undone_leaves_no_conflict_behind(anywhere: Memory) -> None:
    anywhere.learn("Mira lives in Porto.")
    turn = {"name": "Mira", "content": "I live in Lyon."}
    job = anywhere.capture(messages=[turn], thread="monday").job
    anywhere.work()
    (raised,) = pending(anywhere)
    _, _, other = contradict(anywhere, *PORTS)
    anywhere.undo(job, reason="a joke")
    assert pending(anywhere) == [other]
    assert settled(anywhere, raised) == ("keep_old", "person:owner", "undone: a joke")
    assert anywhere.verify().problems == []
