"""What the processes of reliability tests do; kept apart so that starting one loads little."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import time
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from heldtrue import ManualClock, Memory
from heldtrue.wiring.models import READER_VARIABLE

SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()


def leave_reader_out() -> None:
    """Learn without the reader: these processes live for a fraction of a second, and the server that they are forked
    from has an environment of its own."""
    os.environ[READER_VARIABLE] = "none"


def name_machine(worker: int, number: int) -> str:
    """A word that occurs in one memory only."""
    return f"host{worker}n{number}"


def describe_machine(worker: int, number: int) -> str:
    """A sentence with few words in common with the others, as memories have."""
    chosen = hashlib.sha256(f"{worker} {number}".encode()).digest()
    owner, town, task = ("".join(SYLLABLES[byte % 20] for byte in chosen[at : at + 4]) for at in (0, 4, 8))
    return f"{name_machine(worker, number).title()} of {owner} stands in {town} and does {task}."


def write_memories(home: str, worker: int, count: int, report: str) -> None:
    """Learn `count` memories one by one as an agent of its own, and report outcomes, problems and the longest wait."""
    leave_reader_out()
    outcomes: list[str] = []
    problems: list[str] = []
    longest = 0.0
    with Memory.open(home, agent=f"worker-{worker}") as memory:
        for number in range(count):
            started = time.monotonic()
            try:
                outcomes.append(memory.learn(describe_machine(worker, number)).outcome)
            except Exception as problem:  # noqa: BLE001 - told to the test
                problems.append(f"{type(problem).__name__}: {problem}")
            longest = max(longest, time.monotonic() - started)
    Path(report).write_text(json.dumps({"outcomes": outcomes, "problems": problems, "longest": longest}), "utf-8")


def maintain_until(home: str, stop: str, report: str) -> None:
    """Do the upkeep over and over until a file appears, and report how often and what went wrong."""
    rounds, problems = 0, []
    with Memory.open(home) as memory:
        while not Path(stop).exists():
            try:
                memory.maintain()
            except Exception as problem:  # noqa: BLE001 - told to the test
                problems.append(f"{type(problem).__name__}: {problem}")
            rounds += 1
            time.sleep(0.005)
    Path(report).write_text(json.dumps({"rounds": rounds, "problems": problems}), "utf-8")


def learn_key(memory: Memory, number: int) -> Any:
    """The one request that a key stands for."""
    return memory.learn(f"The vault v{number}q opens with code {7_000 + number}.", idempotency_key=f"request-{number}")


def retry_keys(home: str, keys: int, tries: int, report: str) -> None:
    """Send the same few requests again and again, and report which memory each key got."""
    answers: dict[int, list[str]] = {}
    with Memory.open(home, agent="retrying") as memory:
        for attempt in range(tries):
            number = attempt % keys
            answer = learn_key(memory, number)
            answers.setdefault(number, []).append(f"{answer.outcome} {answer.memory.id} {answer.seq}")
    Path(report).write_text(json.dumps(answers), "utf-8")


def die_before_answer(home: str, number: int) -> None:
    """Commit a keyed write and die before its answer reaches anyone: even the head file does not hear of it."""
    memory = Memory.open(home, agent="retrying")
    heads = memory._call.instance.heads
    heads.publish = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[method-assign]
    learn_key(memory, number)


def acknowledge_learns(home: str, round_: int, acknowledged: Connection) -> None:
    """Learn without end, and say on the pipe which memory was kept, once `learn` has returned."""
    leave_reader_out()
    memory = Memory.open(home, agent="writer")
    acknowledged.send_bytes(b"open")
    number = 0
    while True:
        number += 1
        answer = memory.learn(describe_machine(round_, number))
        acknowledged.send_bytes(answer.memory.id.encode())


def work_at(home: str, moment: float, sending: Connection) -> None:
    """Do what is in the queue, at a given time, until killed or done."""
    clock = ManualClock(datetime.fromtimestamp(moment, tz=UTC))
    with Memory.open(home, clock=clock) as memory:
        sending.send_bytes(b"open")
        memory.work()
        sending.send_bytes(b"done")
