"""A process killed at any instant loses nothing that it said was saved (bar 2)."""

from __future__ import annotations

import random
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from heldtrue import Memory
from tests.acceptance.homes import MakeHome, entries, listed, times
from tests.reliability.processes import CONTEXT, start
from tests.reliability.workers import acknowledge_learns

pytestmark = pytest.mark.without_reader

KILLS, LONGEST_LIFE_S = 300, 0.1
KILLS_ON_POSTGRES, LONGEST_LIFE_ON_POSTGRES_S = 30, 0.4


def read_until_killed(pipe: Connection, life: float, kill: Any) -> list[str]:
    """What a child says was kept: while it lives, and what was still in the pipe when it was killed."""
    assert pipe.poll(30), "the child opened its home"
    assert pipe.recv_bytes() == b"open"
    kept, end = [], time.monotonic() + life
    while (left := end - time.monotonic()) > 0:
        if pipe.poll(left):
            kept.append(pipe.recv_bytes().decode())
    kill()
    while True:
        try:
            kept.append(pipe.recv_bytes().decode())
        except (EOFError, OSError):
            return kept


def kill_writer(home: Path, round_: int, life: float) -> list[str]:
    """Let a writer live for a while on a home, kill it with SIGKILL, and give what it had acknowledged."""
    receiving, sending = CONTEXT.Pipe(duplex=False)
    child = start(acknowledge_learns, str(home), round_, sending)
    sending.close()
    try:
        kept = read_until_killed(receiving, life, child.kill)
    finally:
        child.kill()
        child.join()
        receiving.close()
    assert child.exitcode == -9, "it was killed, and did not end by itself"
    return kept


def all_ids(memory: Memory) -> set[str]:
    ids: set[str] = set()
    cursor = None
    while True:
        page = memory.list(limit=1_000, cursor=cursor)
        ids |= {item.id for item in page.items}
        cursor = page.next_cursor
        if cursor is None:
            return ids


@pytest.mark.slow
@pytest.mark.covers("B28", "D28")
@pytest.mark.parametrize(
    ("kind", "kills", "longest"),
    [("sqlite", KILLS, LONGEST_LIFE_S), ("postgres", KILLS_ON_POSTGRES, LONGEST_LIFE_ON_POSTGRES_S)],
)
def test_no_acknowledged_memory_is_lost_to_a_kill(
    kind: str, kills: int, longest: float, make_home: MakeHome, record_property: Any
) -> None:
    home, chance = make_home(kind), random.Random(5)
    acknowledged: list[str] = []
    for round_ in range(times(kills)):
        acknowledged += kill_writer(home, round_, chance.uniform(0, longest))
    with Memory.open(home) as memory:
        assert memory.learn("The survivors were counted.").outcome == "created", "the home goes on working"
        held = all_ids(memory)
        record_property("acknowledged", len(acknowledged))
        record_property("kept though not acknowledged", len(held) - 1 - len(acknowledged))
        assert len(acknowledged) > times(kills), "there was something to lose"
        assert len(set(acknowledged)) == len(acknowledged)
        assert set(acknowledged) - held == set()
        assert memory.verify().problems == []
        assert [entry.seq for entry in entries(memory)] == list(range(1, len(held) + 1)), "nothing was half-written"
        for memory_id in chance.sample(sorted(acknowledged), min(50, len(acknowledged))):
            found = memory.recall(memory.get(memory_id).memory.content.split()[0], limit=1).results
            assert [result.memory.id for result in found] == [memory_id], "the index agrees"
        assert len(listed(memory, limit=10)) == 10
