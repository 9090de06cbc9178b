"""Many agents write at once, each in a process of its own, and a retry never doubles a memory (bars 1 and 11)."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from heldtrue import Memory
from tests.acceptance.homes import MakeHome, entries, recalled, times
from tests.reliability.processes import join, start
from tests.reliability.workers import (
    describe_machine,
    die_before_answer,
    learn_key,
    maintain_until,
    name_machine,
    retry_keys,
    write_memories,
)

pytestmark = pytest.mark.without_reader

RETRIES, KEYS = 1_000, 10


def read_reports(folder: Path, pattern: str) -> list[Any]:
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob(pattern))]


def write_from_processes(home: Path, folder: Path, *, workers: int, each: int) -> tuple[list[Any], Any]:
    """Let all workers write while one more process does the upkeep; their reports and its."""
    stop = folder / "stop"
    upkeep = start(maintain_until, str(home), str(stop), str(folder / "upkeep.json"))
    writers = [
        start(write_memories, str(home), number, each, str(folder / f"writer-{number:02}.json"))
        for number in range(workers)
    ]
    ended = join(writers, 300)
    stop.touch()
    assert ended + join([upkeep]) == [0] * (workers + 1)
    return read_reports(folder, "writer-*.json"), read_reports(folder, "upkeep.json")[0]


@pytest.mark.slow
@pytest.mark.covers("B28", "B1")
@pytest.mark.parametrize(
    ("kind", "workers", "each"), [("sqlite", 16, 100), ("postgres", 8, 25)], ids=["sqlite", "postgres"]
)
def test_every_memory_that_many_processes_write_during_upkeep_is_kept(
    kind: str, workers: int, each: int, make_home: MakeHome, tmp_path: Path, record_property: Any
) -> None:
    home, each = make_home(kind), times(each)
    reports, upkeep = write_from_processes(home, tmp_path, workers=workers, each=each)
    longest = max(report["longest"] for report in reports)
    record_property("longest wait in seconds", round(longest, 2))
    record_property("upkeep rounds", upkeep["rounds"])
    assert [problem for report in (*reports, upkeep) for problem in report["problems"]] == []
    assert Counter(outcome for report in reports for outcome in report["outcomes"]) == {"created": workers * each}
    assert upkeep["rounds"] > 0
    with Memory.open(home) as memory:
        assert memory.verify().problems == []
        ledger = entries(memory)
        assert [entry.seq for entry in ledger] == list(range(1, workers * each + 1))
        assert all(earlier.recorded_at < later.recorded_at for earlier, later in pairwise(ledger))
        assert memory.status().agents == {f"agent:worker-{number}": each for number in range(workers)}
        for worker in range(workers):
            for number in range(each):
                # One with a name near to it may come second.
                found = recalled(memory, name_machine(worker, number), limit=2)
                assert found[:1] == [describe_machine(worker, number)]


@pytest.mark.slow
@pytest.mark.covers("B28", "D5")
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_retries_from_two_processes_and_after_a_lost_answer_leave_one_memory_per_key(
    kind: str, make_home: MakeHome, tmp_path: Path
) -> None:
    home = make_home(kind)
    tries = times(RETRIES) if kind == "sqlite" else times(RETRIES) // 5
    lost = [start(die_before_answer, str(home), number) for number in range(0, KEYS, 2)]
    assert join(lost) == [-signal.SIGKILL] * len(lost)
    with Memory.open(home) as memory:
        assert memory.status().active == len(lost), "each was committed before its process died"
    retrying = [start(retry_keys, str(home), KEYS, tries // 2, str(tmp_path / f"retry-{name}.json")) for name in "ab"]
    assert join(retrying) == [0, 0]
    first, second = read_reports(tmp_path, "retry-*.json")
    with Memory.open(home) as memory:
        for number in map(str, range(KEYS)):
            assert len({*first[number], *second[number]}) == 1, "every try got the first answer"
        assert memory.status().active == KEYS
        assert len(entries(memory)) == KEYS, "a retry leaves no trace of its own"
        assert memory.verify().ok
        again = learn_key(memory.as_agent("someone-else"), 0)
        assert again.outcome == "corroborated", "without the same caller behind it, the key is just a text"


@pytest.mark.covers("B28")
def test_many_processes_may_be_the_first_to_open_a_home(tmp_path: Path) -> None:
    script = (
        "import sys; from heldtrue import Memory; "
        "Memory.open(sys.argv[1]).learn(f'Clerk {sys.argv[2]} sits at desk 7{sys.argv[2]}')"
    )
    for turn in range(6):
        home = tmp_path / f"home-{turn}"
        crowd = [subprocess.Popen([sys.executable, "-c", script, str(home), str(number)]) for number in range(6)]
        assert [process.wait(timeout=60) for process in crowd] == [0] * 6
        with Memory.open(home) as memory:
            assert memory.status().active == 6
            assert memory.verify().ok
