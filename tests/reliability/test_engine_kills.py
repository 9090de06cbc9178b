"""Workers that are killed, and several at once: everything captured is processed, nothing twice (bar 3)."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path

import pytest

from heldtrue import Memory
from tests.acceptance.homes import KINDS, MakeHome, times
from tests.reliability.processes import CONTEXT, join, start
from tests.reliability.workers import SYLLABLES, work_at

ITEMS, KILLS, LONGEST_LIFE_S = 300, 25, 0.25
LEASE_S = 61
"""Longer than a worker that fell silent keeps its job."""


def fill(home: Path, items: int) -> set[str]:
    """Turns that each say one thing nobody else says, in jobs of one turn and of many."""
    chance = random.Random(3)
    with Memory.open(home) as memory:
        said = [f"I prefer {name_thing(chance)} tea in the morning." for _ in range(items)]
        for number, text in enumerate(said[: items // 3]):
            memory.capture(messages=[{"name": "Mira", "content": text}], thread=f"short {number}")
        rest = [{"name": "Mira", "content": text} for text in said[items // 3 :]]
        memory.capture(messages=rest, thread="long")
    return set(said)


def name_thing(chance: random.Random) -> str:
    return "".join(chance.choice(SYLLABLES) for _ in range(6))


def is_done(home: Path) -> bool:
    with Memory.open(home) as memory:
        answer = memory.jobs()
    return not (answer.waiting or answer.running)


def retry_set_aside(home: Path) -> int:
    """Ask again for jobs whose process ended three times without progress, as a person would; how many there were."""
    with Memory.open(home) as memory:
        failed = [job.id for job in memory.jobs(limit=1_000).items if job.state == "failed"]
        for job_id in failed:
            memory.retry(job_id)
    return len(failed)


def check_all_once(home: Path, said: set[str]) -> None:
    with Memory.open(home) as memory:
        assert memory.verify().problems == []
        jobs = memory.jobs(limit=1_000).items
        assert {job.state for job in jobs} == {"done"}
        assert sum(job.done for job in jobs) == len(said)
        held, cursor = [], None
        while True:
            page = memory.inbox(limit=1_000, cursor=cursor)
            held += page.items
            cursor = page.next_cursor
            if cursor is None:
                break
    assert Counter(len(item.evidence) for item in held) == {1: len(said)}
    assert {item.evidence[0].content for item in held} == said
    assert {item.memory.confidence for item in held} == {0.9}, "none was taken for a second source of itself"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.covers("B2", "B8")
def test_workers_that_are_killed_lose_nothing_and_do_nothing_twice(kind: str, make_home: MakeHome) -> None:
    home, chance = make_home(kind), random.Random(7)
    said = fill(home, times(ITEMS))
    killed = 0
    for round_ in range(10 * times(KILLS)):
        receiving, sending = CONTEXT.Pipe(duplex=False)
        worker = start(work_at, str(home), time.time() + LEASE_S * (round_ + 1), sending)
        sending.close()
        assert receiving.recv_bytes() == b"open"
        patience = chance.uniform(0, LONGEST_LIFE_S) if round_ < times(KILLS) else 60.0
        if not receiving.poll(patience):
            killed += 1
            worker.kill()
        worker.join()
        receiving.close()
        if is_done(home) and not retry_set_aside(home):
            break
    assert killed >= 3, "some were killed in the middle of it"
    check_all_once(home, said)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.covers("B2", "B28")
def test_two_workers_share_the_queue_and_do_nothing_twice(kind: str, make_home: MakeHome) -> None:
    home = make_home(kind)
    said = fill(home, times(ITEMS))
    pipes = [CONTEXT.Pipe(duplex=False) for _ in range(2)]
    workers = [start(work_at, str(home), time.time() + 1, sending) for _, sending in pipes]
    assert join(workers) == [0, 0]
    check_all_once(home, said)
