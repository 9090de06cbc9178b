"""Events followed from Python: the same from a home and from a server, through broken lines, until it is closed."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from heldtrue import BrainClient, HeldtrueError, InvalidInput, Memory
from heldtrue.domain.errors import NotAllowed, NotFound, StorageUnavailable
from tests.service.server import ENVIRONMENT, Server
from tests.waiting import wait_until

WRITES: list[Any] = ["memory:write"]


def contents(memory: Any, events: list[Any]) -> list[str]:
    """What the memories say that some events are about."""
    paths = [event.payload["path"] if not isinstance(event, dict) else event["payload"]["path"] for event in events]
    return [memory.get(path).memory.content for path in paths]


@pytest.fixture(params=["home", "server"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    """A memory that is followed one way or the other."""
    if request.param == "home":
        with Memory.open(tmp_path / "home") as opened:
            opened.rotate_agent("owner")  # as a server does when it starts for the first time
            yield opened
        return
    running = Server(tmp_path / "home", ("--no-engine",)).start()
    try:
        with running.owner() as connected:
            yield connected
    finally:
        running.stop()


@pytest.mark.covers("C15")
def test_events_are_told_as_they_happen_from_now_on_or_from_a_place(memory: Memory) -> None:
    memory.learn("The tide is at six")
    with memory.follow(names=WRITES) as following:
        memory.learn("The tide is at noon")
        memory.learn("The gate is painted red")
        seen = [next(following), next(following)]
    assert contents(memory, seen) == ["The tide is at noon", "The gate is painted red"]
    assert [event.event for event in seen] == WRITES * 2
    with memory.follow(after=seen[0].id, names=WRITES) as following:
        assert next(following) == seen[1]
    with memory.follow(after="0.0", names=WRITES) as following:
        assert [next(following).payload["seq"] for _ in range(4)] == [1, 2, 3, 4]


def test_searches_are_followed_too_and_mistakes_are_told_before_the_loop(memory: Memory) -> None:
    with memory.follow(names=["memory:search"]) as following:
        memory.learn("The barometer hangs in the hall")
        memory.recall("where does the barometer hang?")
        assert next(following).payload["query"] == "where does the barometer hang?"
    wrongs: list[dict[str, Any]] = [{"after": "what"}, {"after": "900.0"}, {"names": ["memory:wrote"]}]
    for wrong in wrongs:
        with pytest.raises(InvalidInput):
            memory.follow(**wrong)


@pytest.mark.covers("C15")
def test_what_was_over_before_it_began_is_not_told(memory: Memory) -> None:
    memory.learn("The sextant lies in the attic")
    for _ in range(3):
        memory.recall("where was the sextant before?")
        with memory.follow() as following:  # at once, while the recall still waits to be logged
            memory.recall("where is the sextant now?")
            event = next(following)
            assert (event.event, event.payload["query"]) == ("memory:search", "where is the sextant now?")


@pytest.mark.covers("C15")
def test_who_reads_a_memory_by_its_id_is_told_and_a_read_is_no_recall(memory: Memory) -> None:
    learned = memory.learn(
        "The chart hangs in the hall", source_text="Mara said that the chart hangs in the hall."
    ).memory
    source = memory.get(learned.id).evidence[0].source_id
    with memory.follow(names=["memory:read"]) as following:
        memory.get(learned.id[-13:])
        memory.expand(learned.iri)
        memory.expand(source)
        memory.explain(learned.id)
        memory.history(learned.id)
        with pytest.raises(NotFound):
            memory.get("01a1e2c7-9c51-753f-9497-000000000000")
        memory.inject("where does the chart hang?")
        seen = [next(following) for _ in range(6)]
    reads = ["get", "expand", "expand", "explain", "history", "inject"]
    assert [event.payload["type"] for event in seen] == reads
    assert [event.payload["path"] for event in seen[:5]] == [learned.iri, learned.iri, source, learned.iri, learned.iri]
    assert {event.by for event in seen} == {"person:owner"}
    assert "chart" not in str([event.payload for event in seen])
    assert [item.verb for item in memory.recalls().items] == ["inject"]


def test_a_read_answers_also_while_another_holds_the_store_and_agents_see_their_own(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as owner:
        fact = owner.learn("The pump stands in the cellar").memory.id
        scout = owner.as_agent("scout")
        with owner._call.instance.store.write():
            reader = threading.Thread(target=lambda: (scout.get(fact), owner.get(fact)))
            reader.start()
            reader.join(10)
            assert not reader.is_alive(), "it waits for nobody"
        reads: list[Any] = ["memory:read"]
        assert [item.by for item in owner.events(names=reads).items] == ["agent:scout", "person:owner"]
        assert [item.by for item in scout.events(names=reads).items] == ["agent:scout"]
        with owner._call.instance.store.read() as reading:
            assert not [use for use in reading.log.uses([fact]) if use.recalled]


@pytest.mark.parametrize("end", ["following", "memory"])
def test_a_loop_that_waits_ends_at_once_when_it_is_closed_from_another_thread(memory: Memory, end: str) -> None:
    following = memory.follow()
    ended: list[str] = []

    def read_to_the_end() -> None:
        ended.extend(event.id for event in following)
        ended.append("ended")

    waiting = threading.Thread(target=read_to_the_end)
    waiting.start()
    time.sleep(0.7)
    assert waiting.is_alive()
    (following if end == "following" else memory).close()
    waiting.join(10)
    assert ended == ["ended"]
    assert list(following) == []
    following.close()  # a second time is no mistake


def test_what_has_arrived_is_not_told_any_more_once_it_is_closed(memory: Memory) -> None:
    for number in range(5):
        memory.learn(f"Buoy {number} is painted in colour {number}")
    following = memory.follow(after="0.0")
    seen = []
    for event in following:
        seen.append(event.id)
        following.close()
    assert seen == ["1.0"]


def test_more_events_than_fit_a_page_come_without_a_pause(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as memory:
        for batch in range(3):
            memory.learn_many([{"content": f"Stone {batch} {number} lies at {number}"} for number in range(1000)])
        pauses: list[float] = []
        with memory.follow(after="0.0", names=WRITES) as following:
            following._source._ended.wait = pauses.append  # type: ignore[attr-defined]
            seqs = [next(following).payload["seq"] for _ in range(3000)]
        assert seqs == list(range(1, 3001))
        assert pauses == []


class Wire:
    """A line between a client and a server that can be cut, and that counts how often it was taken up."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._open: list[socket.socket] = []
        self.asked: list[bytes] = []
        self.cut_after: int | None = None
        """How much of its answer the next connection passes on before it breaks."""
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._port))
            self._open += [near, far]
            threading.Thread(target=self._ask, args=(near, far), daemon=True).start()
            threading.Thread(target=self._answer, args=(far, near, self.cut_after), daemon=True).start()

    def _ask(self, near: socket.socket, far: socket.socket) -> None:
        with suppress(OSError):
            while data := near.recv(4096):
                self.asked.append(data)
                far.sendall(data)
        hang_up(near, far)

    def _answer(self, far: socket.socket, near: socket.socket, left: int | None) -> None:
        with suppress(OSError):
            while data := far.recv(4096 if left is None else min(left, 4096)):
                near.sendall(data)
                left = None if left is None else left - len(data)
                if left == 0:
                    break
        hang_up(near, far)

    def cut(self) -> None:
        hang_up(*self._open)
        self._open.clear()

    def close(self) -> None:
        self._listening.close()
        self.cut()


def hang_up(*lines: socket.socket) -> None:
    for line in lines:
        with suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)
        line.close()


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    laid = Wire(server.port)
    yield laid
    laid.close()


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server asks for two seconds between tries; a test need not wait for them."""
    from heldtrue.surfaces import following

    monkeypatch.setattr(following, "RECONNECT_SECONDS_MAX", 0.3)


@pytest.mark.covers("C15")
def test_a_line_that_is_cut_is_taken_up_with_nothing_lost_and_nothing_twice(server: Server, wire: Wire) -> None:
    owner = server.owner()
    seen: list[int] = []
    with BrainClient(wire.url, server.token) as brain, brain.follow(names=WRITES) as following:
        for number in range(6):
            if number % 2:
                wire.cut()
            owner.learn(f"Buoy {number} is painted in colour {number}")
            seen.append(next(following)["payload"]["seq"])
    assert seen == list(range(2, 8))
    taken_up = [data for data in wire.asked if data.startswith(b"GET /v1/events?names=memory%3Awrite")]
    assert len(taken_up) == 4
    # Before the first event it goes on from where it began, which the server has told it.
    assert [b"Last-Event-ID: " in data for data in taken_up] == [False, True, True, True]


def test_wherever_a_stream_breaks_off_each_event_is_told_once(server: Server, wire: Wire) -> None:
    owner = server.owner()
    for number in range(4):
        owner.learn(f"Buoy {number} is painted in colour {number}")
    begun = 0
    for cut_after in range(100, 2200, 120):
        wire.cut_after = cut_after
        with BrainClient(wire.url, server.token) as brain:
            try:
                following = brain.follow(after="0.0", names=WRITES)
            except StorageUnavailable:
                continue  # only the first connection may fail
            wire.cut_after = None
            begun += 1
            assert [next(following)["payload"]["seq"] for _ in range(5)] == [1, 2, 3, 4, 5], cut_after
    assert begun > 8


@pytest.mark.covers("C15")
def test_it_goes_on_through_a_restart_of_the_server(server: Server) -> None:
    owner = server.owner()
    with Memory.connect(server.url, server.token) as memory, memory.follow(names=WRITES) as following:
        owner.learn("The first tide is at six")
        seen = [next(following)]
        server.options = ("--port", str(server.port))
        server.stop()
        with Memory.open(server.home) as at_home:
            at_home.learn("The second tide is at noon")
        server.start()
        server.owner().learn("The third tide is at seven")
        seen += [next(following), next(following)]
        told = contents(server.owner(), seen)
        assert told == ["The first tide is at six", "The second tide is at noon", "The third tide is at seven"]


def test_a_token_that_is_taken_away_ends_it_with_the_reason(server: Server) -> None:
    token = server.let_in("listener", projects=["p"])
    with server.connect(token) as memory, memory.follow() as following:
        server.owner().learn("The foghorn sounds twice", scope="project:p")
        assert next(following).payload["scope"] == "project:p"  # the control: it hears what it may
        server.owner().revoke_agent("listener")
        server.owner().learn("The foghorn is broken", scope="project:p")
        with pytest.raises(NotAllowed) as refused:
            next(following)
        assert refused.value.code == "no_credential"
        assert list(following) == []


def test_who_is_not_there_and_what_is_no_server_of_ours_is_told_at_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(StorageUnavailable, match="cannot be reached"):
        Memory.connect(f"http://127.0.0.1:{port}", "x").follow()
    words = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "0"]
    around = ENVIRONMENT | {"PYTHONUNBUFFERED": "1"}
    other = subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=around
    )
    try:
        assert other.stdout is not None
        url = other.stdout.readline().split("(")[1].split(")")[0].rstrip("/")
        with pytest.raises(HeldtrueError, match="unreadable body"):
            Memory.connect(url, "x").follow()
    finally:
        other.terminate()
        other.wait(10)
        other.stdout.close()


def _threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("heldtrue-follow")]


@pytest.mark.covers("C15")
def test_code_that_awaits_follows_too_and_leaves_nothing_behind(server: Server) -> None:
    owner = server.owner()

    async def follow(brain: BrainClient, wanted: int) -> list[int]:
        seen = []
        async for event in brain.aio.follow(after="0.0", names=WRITES):
            seen.append(event["payload"]["seq"])
            if len(seen) == wanted:
                break
        return seen

    async def begun(threads: int) -> None:
        while len(_threads()) < threads:
            await asyncio.sleep(0.01)

    async def many(brain: BrainClient) -> list[list[int]]:
        following = [asyncio.create_task(follow(brain, 3)) for _ in range(8)]
        # More of them than a loop has threads of its own: who asks still gets an answer.
        await begun(8)
        await brain.aio.learn("The harbour is deep")
        await brain.aio.learn("The harbour is wide")
        return await asyncio.gather(*following)

    async def give_up(brain: BrainClient) -> None:
        task = asyncio.create_task(follow(brain, 100))
        await begun(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with BrainClient(server.url, server.token) as brain:
        assert asyncio.run(many(brain)) == [[1, 2, 3]] * 8
        asyncio.run(give_up(brain))
        gc.collect()
        wait_until(lambda: not _threads())
        with pytest.raises(InvalidInput):
            asyncio.run(follow_wrong(brain))
    assert owner.list().items


async def follow_wrong(brain: BrainClient) -> None:
    async for _ in brain.aio.follow(after="what"):
        pass


def test_the_command_line_follows_a_home_and_a_server(server: Server, tmp_path: Path) -> None:
    def run(*words: str, **around: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "heldtrue", *words]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=60, cwd=tmp_path, env=ENVIRONMENT | around, check=False
        )

    learned = server.owner().learn("The ferry leaves at nine").memory
    words = ["follow", "--after", "0.0", "--name", "memory:write", "--limit", "2"]
    remote = {"HELDTRUE_URL": server.url, "HELDTRUE_TOKEN": server.token}
    told = run(*words, **remote)
    assert f"learn created note in global {learned.id}" in told.stdout.splitlines()[1]
    assert run("--home", str(server.home), *words).stdout == told.stdout
    events = [json.loads(line) for line in run("--json", *words, **remote).stdout.splitlines()]
    assert [event["id"] for event in events] == run("-q", *words, **remote).stdout.split() == ["1.0", "2.0"]
    assert "there is no store at" in run("--home", str(tmp_path / "none"), "follow").stderr
    assert run("--agent", "codex", *words, **remote).returncode == 2
    assert run("follow", "--limit", "0", **remote).returncode == 2
