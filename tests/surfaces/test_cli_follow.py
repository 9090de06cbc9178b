"""`heldtrue follow` tells that it listens, from when on, and when it cannot hear."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from heldtrue import ManualClock, Memory
from tests.service.server import Server
from tests.surfaces.conftest import ENVIRONMENT, Done
from tests.waiting import wait_until

Process = Callable[..., Done]


class Watching:
    """A command that goes on, in a real terminal."""

    def __init__(self, *words: str, **environment: str) -> None:
        self._ours, theirs = pty.openpty()
        around = {name: value for name, value in ENVIRONMENT.items() if name != "NO_COLOR"} | {"TERM": "dumb"}
        self._running = subprocess.Popen(
            [sys.executable, "-m", "heldtrue", *words],
            stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=around | environment,
        )  # fmt: skip
        os.close(theirs)
        self._told = ""

    def read_until(self, wanted: str) -> str:
        wait_until(lambda: self._holds(wanted), seconds=60)
        return self._told

    def _holds(self, wanted: str) -> bool:
        if wanted not in " ".join(self._told.split()) and select.select([self._ours], [], [], 1)[0]:
            self._told += os.read(self._ours, 65536).decode()
        return wanted in " ".join(self._told.split())

    def stop(self) -> None:
        self._running.kill()
        self._running.wait()
        os.close(self._ours)


@pytest.fixture
def watch() -> Iterator[Callable[..., Watching]]:
    begun: list[Watching] = []

    def begin(*words: str, **environment: str) -> Watching:
        begun.append(Watching(*words, **environment))
        return begun[-1]

    yield begin
    for watching in begun:
        watching.stop()


def test_it_says_that_it_listens(watch: Callable[..., Watching], tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Memory.open(home) as memory:
        memory.learn("The shed is green")
        watching = watch("--home", str(home), "follow")
        told = watching.read_until("stop with Ctrl-C")
        assert f"Listening for events from {home}" in " ".join(told.split())
        memory.learn("The gate squeaks")
        assert "learn created" in watching.read_until("learn created")


def test_a_program_is_told_events_alone(process: Process, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as memory:
        memory.learn("The shed is green")
    done = process("follow", "--after", "0.0", "--limit", "1")
    assert (done.status, done.err) == (0, "")
    assert done.out.count("\n") == 1


def test_since_begins_with_what_there_is_and_counts_it(process: Process, tmp_path: Path) -> None:
    clock = ManualClock(int((time.time() - 3 * 3600) * 1_000_000))
    with Memory.open(tmp_path / "home", clock=clock) as memory:
        memory.learn("The shed is green")
        memory.recall("what is green?")
        clock.advance(hours=2)
        memory.learn("The gate squeaks")
        memory.recall("what squeaks?")
    done = process("follow", "--since", "90 minutes ago", "--limit", "2")
    assert done.status == 0
    written, searched = done.out.splitlines()
    assert "memory:write" in written
    assert "what squeaks?" in searched
    assert len(process("follow", "--since", "1 day ago", "--limit", "4", "-q").out.split()) == 4
    assert process("follow", "--since", "someday", "--limit", "1").status == 2
    assert process("follow", "--since", "1 day ago", "--after", "0.0", "--limit", "1").status == 2


def test_a_lost_connection_is_told_and_taken_up_again(watch: Callable[..., Watching], tmp_path: Path) -> None:
    server = Server(tmp_path / "home", ("--no-engine",)).start()
    try:
        watching = watch("follow", HELDTRUE_URL=server.url, HELDTRUE_TOKEN=server.token)
        assert server.url in watching.read_until("stop with Ctrl-C")
        server.stop()
        watching.read_until("Connection lost, retrying: ")
        server = Server(tmp_path / "home", ("--no-engine", "--port", str(server.port)), token=server.token).start()
        watching.read_until("Reconnected; no events were missed")
        server.owner().learn("The gate squeaks")
        watching.read_until("learn created")
    finally:
        server.stop()
