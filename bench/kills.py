"""`python -m bench kills`: servers and workers killed under load, and homes changed beneath a writer.

Every write that was acknowledged is looked for afterwards. A write whose answer was lost is sent again with its key,
and must be there once. After a home was changed, no further write may be acknowledged, and the next process has to say
that something is missing.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import random
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import msgspec

from bench.damage import DEEDS
from heldtrue import HeldtrueError, Memory

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["heldtrue.surfaces.rest.serve", "heldtrue.surfaces.sdk"])
_LONGEST_LIFE_SECONDS = 0.6
_START_SECONDS_MAX = 60.0
_ANSWER_SECONDS_MAX = 30.0
_CLIENTS = 3


class KillReport(msgspec.Struct):
    """What was counted."""

    kills: int = 0
    acknowledged: int = 0
    sent_again: int = 0
    lost: int = 0
    twice: int = 0
    problems: list[str] = []
    """What `verify` found at the end."""


class DamageReport(msgspec.Struct):
    """What was counted for one kind of damage."""

    times: int = 0
    acknowledged: int = 0
    acknowledged_into_nothing: int = 0
    unnamed: int = 0
    """How often the next process did not say that something is missing."""


def serve(home: str, ready: Connection) -> None:
    """A server, as `heldtrue serve` runs it."""
    from heldtrue.surfaces.rest.serve import Server

    server = Server(Path(home), host=None, port=0, engine=True)
    ready.send(server.announce().url)
    server.run()


def work(home: str, ready: Connection) -> None:
    """A worker, as `heldtrue work` runs it, again and again."""
    memory = Memory.open(home)
    ready.send("")
    while True:
        memory.work()
        time.sleep(0.01)


class Load:
    """Clients that write through a server, each request with a key of its own."""

    def __init__(self, token: str, chance: random.Random) -> None:
        self._token = token
        self._chance = chance
        self._lock = threading.Lock()
        self._next = 0
        self._open: list[tuple[str, str]] = []
        """Requests whose answer was lost: key and content."""
        self.acknowledged: dict[str, str] = {}
        """By key, the id of the memory."""
        self.sent_again = 0

    def run(self, url: str, stop: threading.Event) -> None:
        """Write until the server is gone."""
        while not stop.is_set():
            key, content = self._take()
            try:
                status, body = self._post(url, "/v1/memories", {"content": content}, key)
            except (OSError, http.client.HTTPException):
                self._put_back(key, content)
                return
            if status in (200, 201):
                self.acknowledged[key] = json.loads(body)["memory"]["id"]
            else:
                self._put_back(key, content)

    def add_jobs(self, url: str) -> None:
        """Evidence for the workers to read."""
        turns = [{"name": "Mira", "content": f"I prefer the {self._chance.getrandbits(40):x} tea."} for _ in range(5)]
        thread = f"{self._chance.getrandbits(40):x}"
        try:
            self._post(url, "/v1/sources", {"messages": turns, "thread": thread}, f"source {thread}")
        except (OSError, http.client.HTTPException):
            return

    def _take(self) -> tuple[str, str]:
        with self._lock:
            if self._open:
                self.sent_again += 1
                return self._open.pop()
            self._next += 1
            return f"key {self._next}", f"Lamp l{self._next}q hangs in room r{self._next * 7}z."

    def _put_back(self, key: str, content: str) -> None:
        with self._lock:
            self._open.append((key, content))

    def _post(self, url: str, path: str, body: dict[str, object], key: str) -> tuple[int, bytes]:
        host, _, port = url.removeprefix("http://").partition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=_ANSWER_SECONDS_MAX)
        headers = {
            "Authorization": f"Bearer {self._token}", "Content-Type": "application/json", "Idempotency-Key": key,
        }  # fmt: skip
        try:
            connection.request("POST", path, json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


def run_kills(home: Path, kills: int, seed: int) -> KillReport:
    """Kill servers and workers, one after the other, while clients write."""
    chance = random.Random(seed)
    with Memory.open(home) as memory:
        token = memory.rotate_agent("owner").token
    (home / "heldtrue.toml").write_text(
        "[server]\nrequests_per_second = 100000\nwrites_per_minute = 1000000\nin_flight = 100\n", "utf-8"
    )
    assert token is not None
    load, report = Load(token, chance), KillReport()
    while report.kills < kills:
        server, url = _start(serve, home)
        worker, _ = _start(work, home)
        stop = threading.Event()
        clients = [threading.Thread(target=load.run, args=(url, stop), daemon=True) for _ in range(_CLIENTS)]
        for client in clients:
            client.start()
        load.add_jobs(url)
        for victim in (worker, server):
            time.sleep(chance.uniform(0, _LONGEST_LIFE_SECONDS))
            _kill(victim)
            report.kills += 1
        stop.set()
        for client in clients:
            client.join()
        if report.kills % 50 == 0:
            print(f"  {report.kills} kills, {len(load.acknowledged)} acknowledged", flush=True)
    report.acknowledged, report.sent_again = len(load.acknowledged), load.sent_again
    _account(home, load, report)
    return report


def _account(home: Path, load: Load, report: KillReport) -> None:
    """Look for everything that was acknowledged."""
    with Memory.open(home) as memory:
        held = list(_all_memories(memory))
        ids, contents = {memory_id for memory_id, _ in held}, [content for _, content in held]
        report.lost = len(set(load.acknowledged.values()) - ids)
        report.twice = len(contents) - len(set(contents))
        report.problems = [f"{problem.what} {problem.where}: {problem.detail}" for problem in memory.verify().problems]


def _all_memories(memory: Memory) -> Iterator[tuple[str, str]]:
    cursor = None
    while True:
        page = memory.list(limit=1_000, cursor=cursor)
        yield from ((found.id, found.content) for found in page.items)
        cursor = page.next_cursor
        if cursor is None:
            return


def _start(function: object, home: Path) -> tuple[BaseProcess, str]:
    receiving, sending = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=function, args=(str(home), sending), daemon=True)  # type: ignore[arg-type]
    process.start()
    sending.close()
    if not receiving.poll(_START_SECONDS_MAX):
        raise RuntimeError("a process did not start")
    return process, str(receiving.recv())


def _kill(process: BaseProcess) -> None:
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()


def run_damage(folder: Path, name: str, times: int, seed: int) -> DamageReport:
    """Change a home beneath a writer, and watch what it is told."""
    chance, report = random.Random(f"{seed} {name}"), DamageReport()
    for number in range(times):
        home, older = folder / f"{name} {number}", folder / f"{name} {number} before"
        with Memory.open(home) as memory:
            memory.learn("The bell rings at noon.")
        shutil.copytree(home, older)
        with Memory.open(home) as memory:
            _write_and_damage(memory, home, older, name, chance, report)
        report.times += 1
        report.unnamed += not _is_named(home)
        shutil.rmtree(home, ignore_errors=True)
        shutil.rmtree(older, ignore_errors=True)
    return report


def _write_and_damage(
    memory: Memory, home: Path, older: Path, name: str, chance: random.Random, report: DamageReport
) -> None:
    """Write in one thread, change the home in another, and count what was acknowledged before and after."""
    changed, begun = threading.Event(), threading.Event()

    def write() -> None:
        refused = 0
        for number in range(10_000):
            is_after = changed.is_set()
            try:
                memory.learn(f"Lamp l{number}q hangs in room r{number * 7}z.")
            except HeldtrueError:
                refused += 1
            else:
                report.acknowledged += 1
                report.acknowledged_into_nothing += is_after
            begun.set()
            if is_after and refused + number > 3:
                return

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    begun.wait()
    time.sleep(chance.uniform(0, 0.1))
    DEEDS[name](older, home)
    changed.set()
    writer.join()


def _is_named(home: Path) -> bool:
    """Whether the next process says that something is missing, or finds everything there."""
    try:
        with Memory.open(home) as memory:
            memory.learn("The gate is green.")
            return memory.verify().ok
    except HeldtrueError:
        return True


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=1_000, help="servers and workers to kill")
    parser.add_argument("--times", type=int, default=20, help="homes to change in each way")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    failed = False
    with tempfile.TemporaryDirectory(prefix="heldtrue-kills-") as folder:
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"
        for name in DEEDS:
            damage = run_damage(Path(folder), name, chosen.times, chosen.seed)
            failed |= bool(damage.acknowledged_into_nothing or damage.unnamed)
            print(
                f"{name:<36} {damage.times:>4} times, {damage.acknowledged:>6} acknowledged before, "
                f"{damage.acknowledged_into_nothing} after, {damage.unnamed} not named",
                flush=True,
            )
        if chosen.kills:
            report = run_kills(Path(folder) / "killed", chosen.kills, chosen.seed)
            failed |= bool(report.lost or report.twice or report.problems)
            print(
                f"{report.kills} kills: {report.acknowledged} acknowledged, {report.sent_again} sent again, "
                f"{report.lost} lost, {report.twice} there twice, verify: {report.problems or 'ok'}"
            )
    return int(failed)
