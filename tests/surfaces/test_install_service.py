"""A client can be connected to a service: with a token of its own, which nobody else can read."""

from __future__ import annotations

import json
import stat
import subprocess
from collections.abc import Iterator

import pytest

from tests.service.server import Server
from tests.surfaces.conftest import ENVIRONMENT
from tests.surfaces.desk import NAMES, Desk, desk, entry_in, existing

__all__ = ["desk"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("service") / "home").start()
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="module")
def token(server: Server) -> str:
    return server.let_in("reviewer", projects=["shop"])


@pytest.mark.covers("A20")
@pytest.mark.parametrize("client", NAMES)
def test_a_client_gets_the_service_and_its_token_by_its_environment(
    desk: Desk, server: Server, token: str, client: str
) -> None:
    desk.more = {"HELDTRUE_TOKEN": token}
    file = desk.file(client)
    before = desk.write(file, existing(client))
    file.chmod(0o644)
    shown = desk("install", client, "--url", server.url, "--yes")
    entry = entry_in(file.read_text("utf-8"), client)
    assert entry["args"] == ["mcp", "--url", server.url]
    assert entry["env"] == {"HELDTRUE_TOKEN": token}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert token not in shown
    assert f"uses the service at {server.url}." in shown
    assert not desk.hooks().exists(), "hooks know memories on this machine only"
    assert "Nothing to change" in desk("install", client, "--url", server.url)
    desk("uninstall", client, "--yes")
    assert file.read_bytes() == before


def test_what_is_written_starts_a_server_that_answers_as_the_agent(desk: Desk, server: Server, token: str) -> None:
    desk.more = {"HELDTRUE_TOKEN": token}
    desk("install", "cursor", "--url", server.url, "--yes")
    entry = entry_in(desk.file("cursor").read_text("utf-8"), "cursor")
    learn = {"name": "memory_learn", "arguments": {"content": "The kiosk opens at six", "scope": "project:shop"}}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": learn},
    ]
    done = subprocess.run(
        [entry["command"], *entry["args"]],
        input="".join(f"{json.dumps(line)}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=desk.project,
        env=ENVIRONMENT | entry["env"],
    )
    assert "agent:reviewer" in done.stdout, done.stdout + done.stderr


def test_the_owners_token_is_not_written_and_neither_is_none(desk: Desk, server: Server) -> None:
    for more, told in (
        ({"HELDTRUE_TOKEN": server.token}, "would be recorded as that person's statement"),
        ({}, "connecting cursor to"),
    ):
        desk.more = more
        done = desk.run("install", "cursor", "--url", server.url, "--yes")
        said = " ".join(done.err.split())
        assert (done.status, told in said) == (4, True), said
        assert "heldtrue agents add cursor --project ID" in said
        assert desk.files() == {}
    desk.more = {"HELDTRUE_TOKEN": "ht_unknown"}
    assert desk.run("install", "cursor", "--url", server.url, "--yes").status == 4
    assert desk.files() == {}


def test_what_does_not_go_with_a_service_is_refused(desk: Desk, server: Server, token: str) -> None:
    desk.more = {"HELDTRUE_TOKEN": token}
    for words in (["--agent", "x"], ["--project", "shop"], ["--home", "/x"], ["--scope", "project"]):
        assert desk.run("install", "cursor", "--url", server.url, "--yes", *words).status == 2, words
    assert desk.run("install", "cursor", "--url", "nowhere", "--yes").status == 2
    assert desk.files() == {}
    printed = desk("install", "cursor", "--url", server.url, "--print")
    assert token not in printed
    assert entry_in(printed, "cursor")["env"] == {"HELDTRUE_TOKEN": "THE_TOKEN_OF_AN_AGENT"}


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_going_back_to_a_memory_here_leaves_no_token_behind(
    desk: Desk, server: Server, token: str, client: str
) -> None:
    desk("install", client, "--yes")
    desk.more = {"HELDTRUE_TOKEN": token}
    shown = desk("install", client, "--url", server.url, "--yes")
    assert f"will use {server.url} instead of {desk.memory}." in shown
    assert ("The hooks of Claude Code still use the store on this machine" in shown) == (client == "claude-code")
    desk.more = {"HELDTRUE_URL": server.url}
    shown = desk("install", client, "--yes")
    assert f"will use the store at {desk.memory}, not the service in HELDTRUE_URL" in shown
    assert token not in desk.file(client).read_text("utf-8")
    assert "env" not in entry_in(desk.file(client).read_text("utf-8"), client)


@pytest.mark.parametrize("client", ["cursor", "codex"])
def test_another_token_takes_the_place_of_the_first_and_all_else_stays(
    desk: Desk, server: Server, token: str, client: str
) -> None:
    file = desk.file(client)
    held = {"command": "/old/bin/heldtrue", "args": ["mcp", "--url", "http://old"]}
    added = {"HELDTRUE_TOKEN": "ht_old", "LOG": "debug"}
    if client == "codex":
        lines = [f"{key} = {json.dumps(value)}" for key, value in held.items()]
        table = ["[mcp_servers.heldtrue.env]", *(f"{key} = {json.dumps(value)}" for key, value in added.items())]
        desk.write(file, "\n".join(["[mcp_servers.heldtrue]", *lines, "", *table, ""]))
    else:
        desk.write(file, json.dumps({"mcpServers": {"heldtrue": held | {"env": added}}}, indent=2))
    desk.more = {"HELDTRUE_TOKEN": token}
    desk("install", client, "--url", server.url, "--yes")
    assert entry_in(file.read_text("utf-8"), client)["env"] == {"HELDTRUE_TOKEN": token, "LOG": "debug"}


def test_what_is_written_names_no_way_back(desk: Desk) -> None:
    desk("--home", "../elsewhere", "install", "cursor", "--yes")
    entry = entry_in(desk.file("cursor").read_text("utf-8"), "cursor")
    assert ".." not in " ".join([entry["command"], *entry["args"]])
    assert str(desk.project.parent / "elsewhere") in entry["args"]
