"""The command line at a service: ends of ids and line numbers mean the same there as in a home."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from heldtrue.surfaces.cli.screen import SESSION_VARIABLE
from tests.service.server import Server
from tests.surfaces.conftest import Done


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path / "served", ("--no-engine",)).start()
    yield running
    running.stop()


@pytest.fixture
def at_service(server: Server, process: Callable[..., Done], tmp_path: Path) -> Callable[..., Done]:
    def run(*words: str) -> Done:
        around = {"HELDTRUE_URL": server.url, "HELDTRUE_TOKEN": server.token, SESSION_VARIABLE: "one"}
        return process(*words, XDG_STATE_HOME=str(tmp_path / "state"), **around)

    return run


def test_a_service_takes_the_end_of_an_id(server: Server, at_service: Callable[..., Done]) -> None:
    memory = server.owner().learn("The shed is green").memory.id
    assert server.ask("GET", f"/v1/memories/{memory[-8:]}").json["memory"]["id"] == memory
    assert server.ask("POST", "/v1/memory.explain", {"memory": f"…{memory[-8:]}"}).json["memory"]["id"] == memory
    assert server.ask("GET", f"/v1/memories/{memory[:8]}").status == 404
    assert "The shed is green" in at_service("get", memory[-8:]).out


def test_lines_of_a_service_are_taken_as_they_were_shown(server: Server, at_service: Callable[..., Done]) -> None:
    bot = server.connect(server.let_in("bot", role="admin"))
    first, second = (bot.learn(f"{fact}.", kind="profile").memory.id for fact in ("The shed is green", "It squeaks"))
    assert "  2 The shed is green." in at_service("inbox").out
    server.owner().approve(second)
    done = at_service("reject", "1,2")
    assert done.status == 5
    assert f"memory {second} has changed since it was listed" in " ".join(done.err.split())
    done = at_service("reject", "2")
    assert done.status == 0
    assert "The shed is green." in done.out
    assert [server.owner().get(name).memory.status for name in (first, second)] == ["rejected", "active"]
