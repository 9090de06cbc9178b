"""`python -m bench taking_in`: how fast messages are captured, and extracted by real `heldtrue work` processes.

One process captures conversations of twenty turns; then as many workers as there are cores read them, half of what is
said being worth keeping. Beside it stand bare one-row commits with the same settings, taken before and after.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import monotonic, perf_counter, process_time, sleep

from bench.machine import describe_machine
from bench.material import invent_name, sentences
from bench.pages import RESULTS, machine_lines, table, write_page
from bench.writes import bare_loop
from heldtrue import Memory

MESSAGES, TURNS, WORKERS = 10_000, 20, 2
PEOPLE = 200
BAR = 500
"""Messages a second, captured and extracted."""
BARE_COMMITS, BARE_ROUNDS = 400, 3
_NEWS_EVERY_S = 0.5
_SAID = (
    "I prefer {thing} tea in the morning.",
    "I always book the {thing} room for reviews.",
    "We decided to use {thing} for the backups because the old one was too slow.",
    "Please never restart {thing} before the nightly run.",
    "The deploy host of the shop is called {thing}.",
    "My sister {thing} lives in Porto.",
    "I am allergic to {thing} nuts.",
    "Our standup with {thing} is at nine on Mondays.",
)
_CHATTER = (
    "Good morning, how was the {thing} trip?",
    "Thanks, that sounds good!",
    "Could you have a look at {thing} when you find the time?",
    "Hm, let me think about that for a moment.",
    "What would happen if we moved {thing}?",
    "Ha, just like last time with {thing}.",
)


@dataclass(frozen=True)
class Phase:
    """What one part of the way in took: by the clock, and of the processors' time."""

    messages: int
    seconds: float
    processor: float

    @property
    def rate(self) -> float:
        return self.messages / self.seconds


@dataclass(frozen=True)
class Measured:
    """A whole run."""

    capture: Phase
    extraction: Phase
    bare: float
    """Bare one-row commits a second, around the run."""
    held: int
    """Memories that wait now."""

    @property
    def both(self) -> Phase:
        one, other = self.capture, self.extraction
        return Phase(one.messages, one.seconds + other.seconds, one.processor + other.processor)


def conversations(messages: int, *, seed: int = 11) -> Iterator[list[dict[str, str]]]:
    """Talks of two people each; every other turn says something that nobody has said before."""
    chance = random.Random(seed)
    number = 0
    while number < messages:
        speakers = [invent_name(50_000 + chance.randrange(PEOPLE)) for _ in range(2)]
        talk = []
        for turn in range(min(TURNS, messages - number)):
            shape = chance.choice(_CHATTER if turn % 2 else _SAID)
            talk.append({"name": speakers[turn % 2], "content": shape.format(thing=invent_name(number + turn))})
        number += len(talk)
        yield talk


def capture(home: Path, messages: int) -> Phase:
    """Hand in all talks, one after another, each as one durable write."""
    talks = list(conversations(messages))
    with Memory.open(home) as memory:
        memory.capture(messages=[{"name": "Mira", "content": "Hello."}], thread="warm-up", extract=False)
        start, processor = perf_counter(), process_time()
        for number, talk in enumerate(talks):
            memory.capture(messages=talk, thread=f"talk {number}")
            if number % 50 == 0:
                _news("captured", number * TURNS, messages)
        spent, processor = perf_counter() - start, process_time() - processor
    _news("captured", messages, messages, end="\n")
    return Phase(messages, spent, processor)


def extract(home: Path, messages: int, workers: int) -> tuple[Phase, int]:
    """Let real worker processes read what was captured, and count what waits in the inbox then."""
    command = [sys.executable, "-m", "heldtrue", "--home", str(home), "--quiet", "work"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    start, before = perf_counter(), getrusage(RUSAGE_CHILDREN)
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) for _ in range(workers)]
    with Memory.open(home) as memory:
        _watch(memory, messages, lambda: any(process.poll() is None for process in running))
        spent = perf_counter() - start
        answer = memory.jobs(limit=1)
        if answer.waiting or answer.running or answer.failed or any(process.returncode for process in running):
            raise SystemExit(f"the queue is not done: {answer}")
        held = memory.status().inbox
    _news("extracted", messages, messages, end="\n")
    after = getrusage(RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Phase(messages, spent, processor), held


def _watch(memory: Memory, messages: int, goes_on: Callable[[], bool]) -> None:
    total = -(-messages // TURNS)
    while goes_on():
        until = monotonic() + _NEWS_EVERY_S
        while goes_on() and monotonic() < until:
            sleep(0.01)
        answer = memory.jobs(limit=1)
        _news("extracted", (total - answer.waiting - answer.running) * TURNS, messages)


def _news(done: str, number: int, total: int, *, end: str = "") -> None:
    print(f"\r  {done} {min(number, total):>6,} of {total:,}", end=end, flush=True)


def bare_rate(folder: Path, *, seed: int) -> float:
    texts = list(sentences(BARE_COMMITS, seed=seed))
    return median(bare_loop(folder, texts)[0] for _ in range(BARE_ROUNDS))


def measure(messages: int, workers: int) -> Measured:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        before = bare_rate(folder, seed=1)
        captured = capture(folder / "home", messages)
        extracted, held = extract(folder / "home", messages, workers)
        bare = median([before, bare_rate(folder, seed=2)])
    return Measured(captured, extracted, bare, held)


HEADS = ("what", "seconds", "messages a second", "of the bare rate", "ms of processor each")


def rows(measured: Measured, workers: int) -> list[list[str]]:
    told = (
        ("captured, one process", measured.capture),
        (f"extracted, {workers} × `heldtrue work`", measured.extraction),
        ("captured and extracted", measured.both),
    )
    found = [
        [
            what,
            f"{timing.seconds:,.1f}",
            f"{timing.rate:,.0f}",
            f"{timing.rate / measured.bare:.2f}",
            f"{1000 * timing.processor / timing.messages:.2f}",
        ]
        for what, timing in told
    ]
    reached = "reaches" if measured.both.rate >= BAR else "**misses**"
    found[-1][2] += f" ({reached} {BAR:,})"
    found.append(["bare one-row commits", "", f"{measured.bare:,.0f}", "1.00", ""])
    return found


def page(measured: Measured, messages: int, workers: int) -> list[str]:
    """The sections of taking-in.md."""
    return [
        "# Taking in",
        f"`make bench-taking-in`: {messages:,} messages in conversations of {TURNS} turns among {PEOPLE} people, every "
        f"other turn worth keeping, captured by one process and then extracted by {workers} processes of "
        "`heldtrue work`, their start and end included. Every capture is one durable write; each extraction goes "
        f"through the gate into the inbox, where {measured.held:,} memories wait at the end. No language model takes "
        "part. The last row is a loop that commits one row at a time with the same settings of SQLite: compare ratios "
        "across machines, and where others are at work too, the time of the processors: two cores have 2,000 ms of it "
        "a second.",
        machine_lines(describe_machine()),
        table(HEADS, rows(measured, workers)),
    ]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench taking_in", description=__doc__)
    parser.add_argument("--messages", type=int, default=MESSAGES, help="how many messages")
    parser.add_argument("--workers", type=int, default=WORKERS, help="how many processes read them")
    parser.add_argument("--out", type=Path, help="where the page goes; left out, bench/results for the usual numbers")
    chosen = parser.parse_args(arguments)
    print("machine:", json.dumps(describe_machine()))
    measured = measure(chosen.messages, chosen.workers)
    for row in rows(measured, chosen.workers):
        print("  " + " | ".join(row))
    usual = (chosen.messages, chosen.workers) == (MESSAGES, WORKERS)
    where = chosen.out or (RESULTS if usual else None)
    if where is not None:
        print(f"written: {write_page(where, 'taking-in', page(measured, chosen.messages, chosen.workers), {})}")
    return 0 if measured.both.rate >= BAR or not usual else 1
