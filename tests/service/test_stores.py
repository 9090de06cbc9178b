"""The service over either kind of store, and several servers over one space."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from heldtrue.surfaces.rest.neighbours import find_neighbours
from tests.acceptance.homes import KINDS, MakeHome, provide_homes
from tests.service.server import ENVIRONMENT, Server
from tests.waiting import wait_until


@pytest.fixture
def make_home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeHome]:
    yield from provide_homes(request, tmp_path)


@pytest.mark.covers("B28", "D28")
@pytest.mark.parametrize("kind", KINDS)
def test_two_servers_share_a_space_and_all_of_their_writes_are_kept(make_home: MakeHome, kind: str) -> None:
    home = make_home(kind)
    first = Server(home).start()
    second = Server(home, token=first.token).start()
    try:
        tokens = [first.let_in(f"diver{number}", projects=["reef"]) for number in range(4)]
        kept: list[str] = []
        problems: list[BaseException] = []

        def write(number: int, token: str) -> None:
            server = (first, second)[number % 2]
            try:
                with server.connect(token) as memory:
                    for index in range(10):
                        learned = memory.learn(f"Diver {number} saw fish {index} at depth {10 * number + index}")
                        kept.append(learned.memory.id)
            except BaseException as problem:  # noqa: BLE001 - told below
                problems.append(problem)

        writers = [threading.Thread(target=write, args=arguments) for arguments in enumerate(tokens)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join(60)
        assert not problems
        for server in (first, second):
            held = {item.id for item in server.owner().list(limit=1000).items}
            assert set(kept) <= held
        found = second.connect(tokens[0]).recall("what did diver 0 see at depth 3?")
        assert found.results[0].memory.content == "Diver 0 saw fish 3 at depth 3"
        events = second.owner().events(after="0.0", names=["memory:write"], limit=1000).items
        assert len([event for event in events if event.payload["type"] == "memory.learn"]) == 40
        first.owner().revoke_agent("diver0")
        assert second.ask("GET", "/v1/memories", token=tokens[0]).status == 401  # at once, on the other server too
        assert second.owner().verify().ok
    finally:
        first.stop()
        second.stop()


def others_in(server: Server) -> list[str]:
    """The addresses of the other servers that a server has told of in its log."""
    lines = [json.loads(line) for line in server.log]
    return [logged["url"] for logged in lines if logged["event"] == "another server is already running for this home"]


@pytest.mark.covers("B28")
def test_a_second_server_says_where_the_first_one_is_and_one_that_was_killed_counts_no_more(tmp_path: Path) -> None:
    home = tmp_path / "home"
    first = Server(home).start()
    assert first.told["others"] == []
    second = Server(home, token=first.token).start()
    stranger = Server(tmp_path / "elsewhere").start()
    try:
        assert second.told["others"] == [{"url": first.url, "pid": first.process.pid}]
        second.ask("GET", "/healthz")
        wait_until(lambda: others_in(second) == [first.url])
        assert stranger.told["others"] == []
        first.process.kill()
        first.process.wait(10)
        third = Server(home, token=first.token).start()
        assert [other["url"] for other in third.told["others"]] == [second.url]
        third.ask("GET", "/healthz")
        assert third.stop() == 0
        assert len(list((home / "serving").iterdir())) == 1
    finally:
        for process in (first, second, stranger):
            process.stop()
    assert not any((home / "serving").iterdir())


def test_a_person_who_starts_a_second_server_is_told_on_standard_error(server: Server) -> None:
    words = [sys.executable, "-m", "heldtrue", "--home", str(server.home), "serve", "--port", "0"]
    second = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    try:
        assert second.stdout is not None
        while "Stop with Ctrl-C" not in second.stdout.readline():
            pass
    finally:
        second.terminate()
        _, told = second.communicate(timeout=30)
    said = " ".join(told.split())
    assert f"another server is already serving this store at {server.url} (process {server.process.pid})" in said
    assert "each job runs only once" in said


@pytest.mark.covers("B28")
def test_two_servers_that_both_work_do_each_job_once(tmp_path: Path) -> None:
    first = Server(tmp_path / "home").start()
    second = Server(tmp_path / "home", token=first.token).start()
    try:
        towns = "Vienna Lisbon Oslo Prague Turin Ghent Porto Split Lyon Bergen Krakow Malmo".split()
        for number, town in enumerate(towns):
            (first, second)[number % 2].owner().capture(f"I always take the night train to {town}.", speaker="Mara")
        owner = second.owner()

        def extractions() -> list[tuple[str, int]]:
            return [(job.state, job.tries) for job in owner.jobs(limit=100).items if job.name == "extract"]

        # What a job proposes is in the inbox a moment before the job is marked as done.
        wait_until(lambda: {state for state, _ in extractions()} == {"done"})
        assert extractions() == [("done", 1)] * len(towns)
        found = sorted(item.memory.content for item in owner.inbox(limit=100).items)
        assert len(found) == len(set(found)) == len(towns)
        entries = owner.events(after="0.0", limit=1000).items
        assert len([entry for entry in entries if entry.payload.get("delta") == "pending"]) == len(towns)
    finally:
        first.stop()
        second.stop()


@pytest.mark.parametrize("planted", ["a link to a folder elsewhere", "a pipe", "a file of another name"])
def test_what_is_planted_where_servers_leave_their_notes_is_neither_followed_nor_removed(
    tmp_path: Path, planted: str
) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    precious = elsewhere / "12-0123abcd.json"
    precious.write_text('{"url": "http://elsewhere", "pid": 1}')
    notes = home / "serving"
    if planted.startswith("a link"):
        notes.symlink_to(elsewhere)
    else:
        notes.mkdir()
        left = notes / "13-0123abcd.json"
        left.write_text('{"url": "http://left", "pid": 13}')
        if planted == "a pipe":
            os.mkfifo(notes / "12-0123abcd.json")
        else:
            (notes / "data.json").write_text("{}")
    assert find_neighbours(home) == []
    assert precious.exists()
    if not planted.startswith("a link"):
        assert not left.exists(), "the control: a note that was left behind is cleared away"
        assert len(list(notes.iterdir())) == 1
