"""Recall over REST beside recall in process, and a long day of mixed calls.

A home of 10,000 memories is served; 32 connections ask it, first at the pace of agents, who think between two calls,
then without resting. What each answer took is held against the same questions asked of the same home in process: by
one caller, and by 32 threads that do not rest either. Then 100,000 mixed calls follow, and the memory of the server is
watched. `python -m bench service` writes service.md; other numbers only print, unless --out names a folder.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

import psutil

from bench.machine import describe_machine
from bench.material import sentences
from bench.pages import RESULTS, against_bar, machine_lines, percentile, table, write_page
from bench.scale import RESULTS_WANTED, Probe, fill, make_probes
from bench.spaces import open_space
from heldtrue import Memory
from heldtrue.distribution import suggest_install
from tests.service.server import Server

MEMORIES, CONNECTIONS, CALLS = 10_000, 32, 100_000
SECONDS = 30.0
REST_S = 1.0
"""How long an agent thinks between two calls, about."""
WARMING, QUESTIONS = 100, 400
RATIO_BAR, GROWTH_BAR = 5.0, 10.0
WARM_SHARE = 0.1
"""The part of the mixed calls after which the server counts as warm."""
SAMPLES = 10
_MIX = {"recall": 40, "get": 20, "list": 14, "learn": 10, "feedback": 10, "capture": 6}
_FACTS = 250
"""Different statements that agents learn or capture over and over. By the time the server counts as warm nearly all of
them have been said once: what it holds afterwards grows with the calls alone, not with what there is to hold."""
_SEED = 4


# The client: as little of it as possible, for it shares the processors with the server


class Line:
    """One connection that is kept."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._usual = f"Host: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def open(self) -> None:
        self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=2**24)

    async def ask(self, verb: str, arguments: dict[str, Any], project: str | None = None) -> tuple[int, bytes]:
        """Use a capability; the status and the body of the answer."""
        assert self._streams is not None
        reader, writer = self._streams
        body = json.dumps(arguments).encode()
        around = f"Heldtrue-Project: {project}\r\n" if project else ""
        head = f"POST /v1/memory.{verb} HTTP/1.1\r\n{self._usual}{around}Content-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        _, _, rest = answer.partition(b"content-length: ")
        return int(answer[9:12]), await reader.readexactly(int(rest.partition(b"\r")[0]))

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()


@dataclass
class Asked:
    """What asking came to."""

    seconds: list[float] = field(default_factory=list)
    wrong: Counter[int] = field(default_factory=Counter)
    took: float = 0.0

    def p(self, share: float) -> float:
        return 1000 * percentile(self.seconds, share)

    @property
    def rate(self) -> float:
        return len(self.seconds) / self.took


async def _connect(port: int, token: str, count: int) -> list[Line]:
    lines = [Line(port, token) for _ in range(count)]
    for line in lines:
        await line.open()
    return lines


def ask_over_rest(
    port: int, token: str, probes: Sequence[Probe], connections: int, seconds: float, rest: float
) -> Asked:
    """Recall over some connections for a while, each resting between two calls for about as long as is said."""
    asked = Asked()

    async def one(line: Line, number: int) -> None:
        chance, end = random.Random(number), monotonic() + seconds
        if rest:
            # Not all at once: agents have not begun to think in the same moment.
            await asyncio.sleep(rest * chance.random())
        while monotonic() < end:
            probe = chance.choice(probes)
            started = perf_counter()
            status, _ = await line.ask("recall", {"context": probe.words, "limit": RESULTS_WANTED}, probe.project)
            asked.seconds.append(perf_counter() - started)
            if status != 200:
                asked.wrong[status] += 1
            if rest:
                await asyncio.sleep(rest * chance.uniform(0.5, 1.5))

    async def all_of_them() -> None:
        lines = await _connect(port, token, connections)
        started = perf_counter()
        await asyncio.gather(*(one(line, number) for number, line in enumerate(lines)))
        asked.took = perf_counter() - started
        for line in lines:
            line.close()

    asyncio.run(all_of_them())
    return asked


def ask_in_process(home: Path, probes: Sequence[Probe], threads: int, seconds: float) -> Asked:
    """The same questions of the same home, by one thread or by many that do not rest."""
    asked, lock = Asked(), threading.Lock()
    with open_space(home) as instance:
        callers = {probe.project: Memory.over(instance, project=probe.project) for probe in probes}
        for probe in probes[:WARMING]:
            callers[probe.project].recall(probe.words, limit=RESULTS_WANTED)
        end = monotonic() + seconds

        def one(number: int) -> None:
            chance, own = random.Random(number), []
            while monotonic() < end:
                probe = chance.choice(probes)
                started = perf_counter()
                callers[probe.project].recall(probe.words, limit=RESULTS_WANTED)
                own.append(perf_counter() - started)
            with lock:
                asked.seconds.extend(own)

        working = [threading.Thread(target=one, args=(number,)) for number in range(threads)]
        started = perf_counter()
        for thread in working:
            thread.start()
        for thread in working:
            thread.join()
        asked.took = perf_counter() - started
    return asked


def apart(work: Callable[..., Asked], *given: Any) -> Asked:
    """Measure in a process of its own, so that neither side carries the other's load."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(work, *given).result()


# The mixed calls


@dataclass
class Mixed:
    """A long day."""

    calls: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    samples: list[tuple[int, int]] = field(default_factory=list)
    """After how many calls the server held how many bytes."""
    held: list[tuple[int, int | None, int | None]] = field(default_factory=list)
    """Memories, sources and entries of the ledger, when warm and at the end."""
    took: float = 0.0

    @property
    def done(self) -> int:
        return self.calls.total()

    @property
    def warm(self) -> int:
        return self.samples[0][1]

    @property
    def growth(self) -> float:
        """From when the server was warm to the end, in percent."""
        return 100 * (self.samples[-1][1] - self.warm) / self.warm


class Day:
    """Lets all connections work off one number of calls."""

    def __init__(self, server: Server, probes: Sequence[Probe], calls: int) -> None:
        self._server, self._probes, self._left = server, probes, calls
        self._process = psutil.Process(server.process.pid)
        self._facts = list(sentences(_FACTS, seed=_SEED))
        self._marks = [round(calls * (WARM_SHARE + (1 - WARM_SHARE) * step / SAMPLES)) for step in range(SAMPLES + 1)]
        self._memories: list[str] = []
        self.mixed = Mixed()

    def run(self) -> Mixed:
        asyncio.run(self._run())
        self._count()
        return self.mixed

    def _count(self) -> None:
        status = self._server.owner().status()
        self.mixed.held.append((sum(status.statuses.values()), status.sources, status.ledger_entries))

    async def _run(self) -> None:
        lines = await _connect(self._server.port, self._server.token, CONNECTIONS)
        started = perf_counter()
        await asyncio.gather(*(self._work(line, random.Random(number)) for number, line in enumerate(lines)))
        self.mixed.took = perf_counter() - started
        for line in lines:
            line.close()

    async def _work(self, line: Line, chance: random.Random) -> None:
        recalled: list[tuple[str, str]] = []
        while self._left > 0:
            self._left -= 1
            verb = chance.choices(list(_MIX), list(_MIX.values()))[0]
            if (verb == "feedback" and not recalled) or (verb == "get" and not self._memories):
                verb = "recall"
            probe = chance.choice(self._probes)
            arguments = self._arguments(verb, probe, chance, recalled)
            started = perf_counter()
            status, body = await line.ask(verb, arguments, probe.project)
            self.mixed.seconds.append(perf_counter() - started)
            self.mixed.calls[verb] += 1
            if status not in (200, 201):
                self.mixed.wrong[f"{verb} {status}"] += 1
            elif verb == "recall":
                self._note(json.loads(body), recalled)
            self._sample()

    def _arguments(
        self, verb: str, probe: Probe, chance: random.Random, recalled: list[tuple[str, str]]
    ) -> dict[str, Any]:
        number = chance.randrange(_FACTS)
        fact, scope = self._facts[number], f"project:p{1 + number % 50:02}"
        if verb == "feedback":
            recall, memory = recalled.pop()
            return {"recall_id": recall, "used": [memory]}
        if verb == "get":
            return {"memory": chance.choice(self._memories)}
        given: dict[str, dict[str, Any]] = {
            "list": {"limit": 20},
            "learn": {"content": fact, "scope": scope},
            "capture": {"content": f"We talked about it: {fact}.", "thread": f"talk-{number}", "scope": scope},
        }
        return given.get(verb, {"context": probe.words, "limit": RESULTS_WANTED})

    def _note(self, answer: dict[str, Any], recalled: list[tuple[str, str]]) -> None:
        for result in answer["results"][:1]:
            if result["memory"] is not None:
                recalled.append((answer["recall_id"], result["memory"]["id"]))
                if len(self._memories) < MEMORIES:
                    self._memories.append(result["memory"]["id"])

    def _sample(self) -> None:
        if self._marks and self.mixed.done >= self._marks[0]:
            if not self.mixed.samples:
                self._count()
            self._marks.pop(0)
            self.mixed.samples.append((self.mixed.done, int(self._process.memory_info().rss)))


# The run


@dataclass(frozen=True)
class Measured:
    """Everything of one run."""

    alone: Asked
    beside: Asked
    single: Asked
    paced: Asked
    hasty: Asked
    mixed: Mixed | None


def measure(folder: Path, calls: int, seconds: float) -> Measured:
    home = folder / "home"
    fill(home, MEMORIES)
    probes = make_probes(MEMORIES, QUESTIONS)
    server = Server(home).start()
    try:
        asking: Callable[..., Asked] = partial(apart, ask_over_rest, server.port, server.token, probes)
        asking(1, seconds / 5, 0.0)
        # In process before and after, so that a machine that is busier now than then does not flatter either side.
        before = apart(ask_in_process, home, probes, 1, seconds / 2)
        single = asking(1, seconds, 0.0)
        paced = asking(CONNECTIONS, seconds, REST_S)
        hasty = asking(CONNECTIONS, seconds, 0.0)
        beside = apart(ask_in_process, home, probes, CONNECTIONS, seconds)
        after = apart(ask_in_process, home, probes, 1, seconds / 2)
        alone = Asked(before.seconds + after.seconds, took=before.took + after.took)
        mixed = Day(server, probes, calls).run() if calls else None
    finally:
        server.stop()
    return Measured(alone, beside, single, paced, hasty, mixed)


HEADS = (
    "what",
    "questions a second",
    "p50, ms",
    "p95, ms",
    "p95 / in process, one caller",
    "p95 / in process, 32",
    "errors",
)


def rows_of(measured: Measured) -> list[list[str]]:
    alone, beside = measured.alone.p(0.95), measured.beside.p(0.95)
    rows = []
    for name, loads, held_alone, held_beside in (
        ("in process, one caller", measured.alone, False, False),
        (f"in process, {CONNECTIONS} threads without rest", measured.beside, False, False),
        ("REST, one connection without rest", measured.single, True, False),
        (f"REST, {CONNECTIONS} connections at the pace of agents", measured.paced, True, False),
        (f"REST, {CONNECTIONS} connections without rest", measured.hasty, False, True),
    ):
        to_alone, to_beside = loads.p(0.95) / alone, loads.p(0.95) / beside
        rows.append(
            [
                name,
                f"{loads.rate:,.0f}",
                f"{loads.p(0.5):.1f}",
                f"{loads.p(0.95):.1f}",
                against_bar(to_alone, RATIO_BAR, f"{to_alone:.1f}") if held_alone else f"{to_alone:.1f}",
                against_bar(to_beside, RATIO_BAR, f"{to_beside:.1f}") if held_beside else f"{to_beside:.1f}",
                against_bar(loads.wrong.total(), 0, str(loads.wrong.total())),
            ]
        )
    return rows


MIXED_HEADS = (
    "calls",
    "a second",
    "p50, ms",
    "p95, ms",
    "errors",
    "resident when warm, MiB",
    "at the end, MiB",
    "growth, %",
)


def mixed_row(mixed: Mixed) -> list[str]:
    wrong = mixed.wrong.total()
    return [
        f"{mixed.done:,}",
        f"{mixed.done / mixed.took:,.0f}",
        *(f"{1000 * percentile(mixed.seconds, share):.1f}" for share in (0.5, 0.95)),
        against_bar(wrong, 0, str(wrong)),
        f"{mixed.warm / 2**20:.0f}",
        f"{mixed.samples[-1][1] / 2**20:.0f}",
        against_bar(mixed.growth, GROWTH_BAR, f"{mixed.growth:.1f}"),
    ]


def _say_held(mixed: Mixed) -> str:
    """What the home came to hold meanwhile, which takes memory as well."""
    names = ("memories", "sources", "entries of the ledger")
    grown = [f"{last:,} {name} (from {first:,})" for name, first, last in zip(names, *mixed.held, strict=True)]
    return f"At the end the home held {', '.join(grown)}."


def page(measured: Measured, command: str, seconds: float) -> list[str]:
    """The sections of service.md."""
    sections = [
        "# The service under load",
        f"`{command}`: {MEMORIES:,} memories with their vectors, the questions of `python -m bench scale`, asked with "
        "the token of the owner in the project that each is about. In process, the same home is opened by a process of "
        f"its own; {seconds:g} s each. *At the pace of agents* a connection rests for about {REST_S:g} s between two "
        "calls. "
        f"Without rest {CONNECTIONS} callers share the processors, and each waits for the {CONNECTIONS - 1} others, "
        "over REST as in process: there the bar is on the one against the other.",
        machine_lines(describe_machine()),
        table(HEADS, rows_of(measured)),
    ]
    mixed = measured.mixed
    if mixed is not None:
        sections += [
            f"Mixed calls over {CONNECTIONS} connections without rest, as the owner, while the engine reads what is "
            f"captured: {', '.join(f'{verb} {count:,}' for verb, count in mixed.calls.most_common())}. Warm is the "
            f"server after {WARM_SHARE:.0%} of the calls. {_say_held(mixed)}",
            table(MIXED_HEADS, [mixed_row(mixed)]),
            table(("after calls", "resident, MiB"), [[f"{at:,}", f"{size / 2**20:.0f}"] for at, size in mixed.samples]),
        ]
    return sections


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench service", description=__doc__)
    parser.add_argument("--calls", type=int, default=CALLS, help="mixed calls; 0 leaves them out")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long each way of asking lasts")
    parser.add_argument("--out", type=Path, help="where the page goes; left out, bench/results for the usual run")
    chosen = parser.parse_args(arguments)
    if not all(find_spec(part) for part in ("numpy", "tokenizers", "wordllama")):
        print(f"This measures vectors too: {suggest_install('vectors')}", file=sys.stderr)
        return 2
    os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    with tempfile.TemporaryDirectory() as folder:
        measured = measure(Path(folder), chosen.calls, chosen.seconds)
    print(table(HEADS, rows_of(measured)))
    if measured.mixed is not None:
        print(table(MIXED_HEADS, [mixed_row(measured.mixed)]))
        print(dict(measured.mixed.wrong), measured.mixed.samples)
    usual = (chosen.calls, chosen.seconds) == (CALLS, SECONDS)
    if (where := chosen.out or (RESULTS if usual else None)) is not None:
        command = "python -m bench service" + ("" if usual else f" --calls {chosen.calls} --seconds {chosen.seconds:g}")
        print(f"written: {write_page(where, 'service', page(measured, command, chosen.seconds), {})}")
    return 0
