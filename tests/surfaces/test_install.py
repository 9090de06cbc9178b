"""Connecting a client writes what its program reads, keeps all else to the byte, and can be taken back."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
from pathlib import Path

import pytest

from heldtrue import Memory
from heldtrue.surfaces.cli.install.clients import CLIENTS
from heldtrue.surfaces.cli.install.parameters import INSTALL
from tests.surfaces.conftest import ENVIRONMENT, CommandLine
from tests.surfaces.desk import BOTH, NAMES, SETTINGS, Desk, desk, entry_in, existing, options_of

__all__ = ["desk"]


def registered(desk: Desk) -> dict[str, str]:
    """The agents on record in the memory, with their roles."""
    with Memory.open(desk.memory) as memory:
        return {agent.name: agent.role for agent in memory.agents().items}


@pytest.mark.covers("A20")
@pytest.mark.parametrize("client", NAMES)
def test_a_client_without_configuration_gets_one(desk: Desk, client: str) -> None:
    done = desk.start("install", client, "--yes")
    assert (done.status, done.err) == (0, "")
    file = desk.file(client)
    entry = entry_in(file.read_text("utf-8"), client)
    assert Path(entry["command"]).is_absolute()
    assert os.access(entry["command"], os.X_OK)
    assert options_of(entry) == {"--agent": client, "--home": str(desk.memory)}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    if not CLIENTS[client].is_toml:
        json.loads(file.read_bytes())
    assert registered(desk) == {client: "general"}, "connecting registers the agent"


@pytest.mark.covers("A20")
@pytest.mark.parametrize("client", NAMES)
def test_what_is_there_stays_there_and_comes_back_to_the_byte(desk: Desk, client: str) -> None:
    file = desk.file(client)
    before = desk.write(file, existing(client))
    file.chmod(0o640)
    desk("install", client, "--yes")
    after = file.read_text("utf-8")
    assert options_of(entry_in(after, client))["--agent"] == client
    kept = iter(after.splitlines())
    for line in existing(client).splitlines():
        assert any(kept_line.rstrip(",") == line.rstrip(",") for kept_line in kept), f"{line!r} is gone or moved"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    copy = file.with_name(f"{file.name}.before-heldtrue")
    assert copy.read_bytes() == before
    assert stat.S_IMODE(copy.stat().st_mode) == 0o640
    desk("uninstall", client, "--yes")
    assert file.read_bytes() == before
    assert not copy.exists()


@pytest.mark.covers("A20")
@pytest.mark.parametrize("client", NAMES)
def test_it_comes_back_to_the_byte_without_the_copy_too(desk: Desk, client: str) -> None:
    file = desk.file(client)
    before = desk.write(file, existing(client))
    desk("install", client, "--yes", "--no-hooks")
    file.with_name(f"{file.name}.before-heldtrue").unlink()
    desk("uninstall", client, "--yes")
    assert file.read_bytes() == before


@pytest.mark.covers("A20")
@pytest.mark.parametrize("client", NAMES)
def test_a_second_run_has_nothing_to_change(desk: Desk, client: str) -> None:
    desk.write(desk.file(client), existing(client))
    desk("install", client, "--yes")
    files = desk.files()
    assert "Nothing to change" in desk("install", client)
    assert desk.files() == files
    desk("uninstall", client, "--yes")
    assert "Nothing to change" in desk("uninstall", client)


@pytest.mark.covers("A20")
@pytest.mark.parametrize("client", NAMES)
def test_uninstalling_leaves_no_file_that_was_not_there(desk: Desk, client: str) -> None:
    files = desk.client_files()
    desk("install", client, "--yes")
    assert len(desk.client_files()) == len(files) + (2 if client == "claude-code" else 1)
    desk("uninstall", client, "--yes")
    assert desk.client_files() == files


@pytest.mark.covers("A20")
@pytest.mark.parametrize("client", NAMES)
def test_what_cannot_be_read_is_refused_by_file_and_line(desk: Desk, client: str) -> None:
    wrong = "model = 1\n\nmodel = 2\n" if CLIENTS[client].is_toml else '{\n  "a": 1,\n  "b" 2\n}\n'
    file = desk.file(client)
    before = desk.write(file, wrong)
    for words in (["install", client, "--yes"], ["uninstall", client, "--yes"]):
        done = desk.run(*words)
        assert done.status == 5
        assert f"{file},line3:" in "".join(done.err.split())
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir() if path.is_file()] == [file.name]


@pytest.mark.covers("A20")
@pytest.mark.parametrize("client", NAMES)
def test_print_only_prints(desk: Desk, client: str) -> None:
    done = desk.run("install", client, "--print", "--no-hooks", "--project", "shop")
    assert done.status == 0
    assert options_of(entry_in(done.out, client))["--project"] == "shop"
    assert str(desk.file(client)) in done.err
    pieces = json.loads(desk("install", client, "--print", "--no-hooks", "--project", "shop", "--json"))["pieces"]
    assert pieces == [{"file": str(desk.file(client)), "text": done.out}]
    assert desk.files() == {}


@pytest.mark.covers("A20")
@pytest.mark.parametrize("client", BOTH)
def test_a_project_has_a_configuration_of_its_own(desk: Desk, client: str) -> None:
    desk("install", client, "--scope", "project", "--yes")
    file = desk.file(client, "project")
    assert file.is_relative_to(desk.project)
    assert options_of(entry_in(file.read_text("utf-8"), client))["--project"] == "web-shop"
    assert not desk.file(client).exists()
    rows = {client["client"]: client for client in json.loads(desk("install", "--json"))["clients"]}
    assert (rows[client]["installed"], rows[client]["file"]) == (["project"], str(file))
    desk("uninstall", client, "--scope", "project", "--yes")
    assert not file.exists()


@pytest.mark.parametrize("client", sorted(set(NAMES) - set(BOTH)))
def test_a_scope_that_a_client_does_not_have_is_refused(desk: Desk, client: str) -> None:
    done = desk.run("install", client, "--scope", "project", "--yes")
    assert done.status == 2
    assert "no project configuration" in done.err


# Asking


def test_the_change_is_shown_and_asked_about(desk: Desk) -> None:
    before = desk.write(desk.file("cursor"), existing("cursor"))
    done = desk.start("install", "cursor")
    assert done.status == 2
    assert '+    "heldtrue": {' in done.out
    assert '-    "other"' not in done.out
    assert "--yes" in done.err
    done = desk.run("install", "cursor", stdin="no\n")
    assert (done.status, desk.file("cursor").read_bytes()) == (1, before)
    assert "Nothing was changed." in done.out
    assert desk.run("install", "cursor", "--json").status == 2
    assert desk.file("cursor").read_bytes() == before
    assert desk.start("install", "cursor", stdin="y\n").status == 0
    assert entry_in(desk.file("cursor").read_text("utf-8"), "cursor")


def test_what_stands_beside_the_change_tells_no_secret(desk: Desk) -> None:
    secret = "sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb7cDe0f"
    servers = {"other": {"env": {"API_KEY": secret}}}
    for text in (json.dumps({"mcpServers": servers}, indent=1), f'{{"mcpServers":\n {json.dumps(servers)}\n}}'):
        desk.write(desk.file("windsurf"), text)
        shown = desk("install", "windsurf", "--yes")
        assert "heldtrue" in shown
        assert secret not in shown
        assert secret in desk.file("windsurf").read_text("utf-8")


def test_a_file_in_one_long_line_stays_one(desk: Desk) -> None:
    value = {"cache": "x" * 5_000, "mcpServers": {"other": {"command": "npx"}}}
    desk.write(desk.file("claude-code"), json.dumps(value, separators=(",", ":")))
    shown = desk("install", "claude-code", "--yes", "--no-hooks")
    assert max(map(len, shown.splitlines())) < 300
    text = desk.file("claude-code").read_text("utf-8")
    assert "\n" not in text
    assert '"heldtrue":{"type":"stdio",' in text


def test_the_clients_are_listed_with_what_is_found(desk: Desk) -> None:
    desk.file("zed").parent.mkdir(parents=True)
    desk.write(desk.file("cursor"), "{}")
    desk("install", "cursor", "--yes")
    desk.write(desk.file("gemini"), "not JSON at all")
    rows = {client["client"]: client for client in json.loads(desk("install", "--json"))["clients"]}
    assert list(rows) == NAMES
    assert rows["cursor"]["installed"] == ["user"]
    assert (rows["zed"]["found"], rows["zed"]["installed"]) == (True, [])
    assert rows["windsurf"]["found"] is False
    assert rows["gemini"]["installed"] == []
    shown = desk("install")
    assert re.search(r"cursor +installed +\S+mcp\.json", shown)
    assert re.search(r"zed +found ", shown)


def test_a_name_that_is_none_is_told(desk: Desk) -> None:
    done = desk.run("install", "cursr")
    assert (done.status, "did you mean cursor?" in done.err) == (2, True)
    assert "--client" not in desk.run("install", "foo").err
    assert desk.run("install", "cursor", "--agent", "a b", "--yes").status == 2
    assert desk.run("install", "cursor", "--project", "a:b", "--yes").status == 2
    assert desk.run("uninstall").status == 2
    (parameter,) = [parameter for parameter in INSTALL if parameter.name == "client"]
    assert all(f"'{name}'" in str(parameter.type) for name in NAMES)


# Hooks in the settings of Claude Code


@pytest.mark.covers("A20", "E4")
def test_hooks_stand_beside_those_of_others(desk: Desk) -> None:
    before = desk.write(desk.hooks(), SETTINGS)
    desk("install", "claude-code", "--yes")
    settings = json.loads(desk.hooks().read_bytes())
    assert settings["permissions"] == {"allow": ["Bash(make test)"]}
    assert settings["hooks"]["Stop"][0] == {"hooks": [{"type": "command", "command": "say done"}]}
    words = {"SessionStart": "session-start", "UserPromptSubmit": "prompt", "Stop": "stop", "SessionEnd": "session-end"}
    for event, word in words.items():
        (hook,) = settings["hooks"][event][-1]["hooks"]
        assert f" hook {word} --agent claude-code --home {desk.memory}" in hook["command"]
        assert hook["timeout"] > 0
    desk("uninstall", "claude-code", "--yes")
    assert desk.hooks().read_bytes() == before


@pytest.mark.covers("A20")
def test_only_our_hook_leaves_a_group_that_somebody_shares(desk: Desk) -> None:
    desk("install", "claude-code", "--yes")
    settings = json.loads(desk.hooks().read_bytes())
    settings["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "say done"})
    settings["model"] = "opus"
    desk.write(desk.hooks(), json.dumps(settings, indent=4))
    desk("uninstall", "claude-code", "--yes")
    assert json.loads(desk.hooks().read_bytes()) == {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]},
        "model": "opus",
    }


def test_hooks_can_be_left_out_and_changed(desk: Desk, tmp_path: Path) -> None:
    desk("install", "claude-code", "--yes", "--no-hooks")
    assert not desk.hooks().exists()
    desk("install", "claude-code", "--yes")
    desk("install", "claude-code", "--yes", "--home", str(tmp_path / "a home"))
    hooks = json.loads(desk.hooks().read_bytes())["hooks"]
    assert {len(groups) for groups in hooks.values()} == {1}
    assert all(f"--home '{tmp_path}/a home'" in group["hooks"][0]["command"] for (group,) in hooks.values())


def test_hooks_of_a_project_are_not_shared(desk: Desk) -> None:
    desk("install", "claude-code", "--scope", "project", "--yes")
    assert (desk.project / ".claude" / "settings.local.json").exists()
    assert not desk.hooks().exists()


# Which memory, and which project


@pytest.mark.covers("A20")
@pytest.mark.parametrize("client", NAMES)
def test_a_client_finds_the_memory_by_the_rule_of_the_commands(desk: Desk, client: str) -> None:
    desk.names_memory = False
    shown = desk("install", client, "--yes")
    assert "--home" not in entry_in(desk.file(client).read_text("utf-8"), client)["args"]
    assert f"{desk.home}/.heldtrue" in shown
    assert json.loads(desk("where", "--json"))["home"] == f"{desk.home}/.heldtrue"
    folder_home = json.loads(desk("init", "--here", "--json"))["home"]
    desk("uninstall", client, "--yes")
    shown = desk("install", client, "--yes")
    assert "--home" not in entry_in(desk.file(client).read_text("utf-8"), client)["args"]
    assert folder_home in shown, "it says that commands use another one here, or that it will use it too"


@pytest.mark.covers("A20")
@pytest.mark.parametrize("client", BOTH)
def test_the_configuration_of_a_project_names_the_home_of_its_folder(desk: Desk, client: str) -> None:
    desk.names_memory = False
    desk("install", client, "--scope", "project", "--yes")
    file = desk.file(client, "project")
    assert "--home" not in entry_in(file.read_text("utf-8"), client)["args"], "it has none of its own"
    folder_home = json.loads(desk("init", "--here", "--json"))["home"]
    desk("install", client, "--scope", "project", "--yes")
    assert options_of(entry_in(file.read_text("utf-8"), client))["--home"] == folder_home


def test_a_memory_that_only_came_with_a_folder_is_not_written_down(desk: Desk) -> None:
    desk.names_memory = False
    stranger = desk.project / ".heldtrue"
    stranger.mkdir()
    done = desk.run("install", "cursor", "--scope", "project", "--yes")
    assert done.status != 0
    assert "was not created on this machine" in " ".join(done.err.split())
    assert not desk.file("cursor", "project").exists()
    assert "Commands in this folder" not in desk("install", "cursor", "--yes")
    desk("install", "cursor", "--scope", "project", "--yes", "--home", str(stranger))
    desk("uninstall", "cursor", "--scope", "project", "--yes")


def test_a_memory_that_is_named_is_taken_and_told_before_anybody_agrees(desk: Desk) -> None:
    desk.names_memory = False
    there = desk.home / "there"
    done = desk.run("install", "claude-code", "--home", str(there), stdin="no\n")
    assert done.out.index(f"All projects will share {there}.") < done.out.index("Make this change?")
    desk("install", "claude-code", "--home", str(there), "--yes")
    moved = f"Claude Code will use {desk.home}/.heldtrue instead of {there}. The memories at {there} are kept."
    done = desk.run("install", "claude-code", stdin="no\n")
    assert done.out.index(moved) < done.out.index("Make this change?")
    assert moved in json.loads(desk("install", "claude-code", "--yes", "--json"))["notes"]
    assert "Nothing to change" in desk("install", "claude-code")
    assert "moves" not in desk("install", "claude-code", "--yes", "--project", "shop")


@pytest.mark.covers("A20")
@pytest.mark.parametrize("words", [[], ["--no-hooks"], ["--project", "till"], ["--scope", "project"]])
def test_the_server_and_the_hooks_mean_the_same_memory_and_project(desk: Desk, words: list[str]) -> None:
    scope = "project" if "project" in words else "user"
    desk("install", "claude-code", "--yes", *(words if scope == "project" else []))
    other = desk.home / "other"
    desk("install", "claude-code", "--yes", "--home", str(other), *words)
    entry = entry_in(desk.file("claude-code", scope).read_text("utf-8"), "claude-code")
    file = desk.hooks() if scope == "user" else desk.project / ".claude" / "settings.local.json"
    commands = [group[0]["hooks"][0]["command"] for group in json.loads(file.read_bytes())["hooks"].values()]
    options = options_of(entry)
    assert options["--home"] == str(other)
    for command in commands:
        typed = shlex.split(command)
        given = typed[typed.index("hook") + 2 :]
        assert dict(zip(given[::2], given[1::2], strict=True)) == options
    # Where neither names a project, both take that of the folder: hooks always do, the server is told to.
    assert ("--here" in entry["args"]) == ("--project" not in options)


@pytest.mark.parametrize("client", NAMES)
def test_only_what_starts_servers_in_the_project_is_asked_where_it_is(desk: Desk, client: str) -> None:
    desk("install", client, "--yes")
    entry = entry_in(desk.file(client).read_text("utf-8"), client)
    assert ("--here" in entry["args"]) == (client in ("claude-code", "codex", "gemini"))


@pytest.mark.covers("A20", "E4")
def test_what_the_server_keeps_the_hooks_of_the_same_project_tell(desk: Desk) -> None:
    desk.names_memory = False
    desk("install", "claude-code", "--yes")
    entry = entry_in(desk.file("claude-code").read_text("utf-8"), "claude-code")
    hook = json.loads(desk.hooks().read_bytes())["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    arguments = {"content": "Deploys happen on Tuesdays", "kind": "lesson"}
    params = {"name": "memory_learn", "arguments": arguments}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    other = desk.home / "code" / "other"
    (other / ".git").mkdir(parents=True)

    def start(command: list[str], given: object, folder: Path) -> str:
        done = subprocess.run(
            command,
            input=json.dumps(given) + "\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            cwd=folder,
            env={"PYTHONPATH": ENVIRONMENT["PYTHONPATH"], "HOME": str(desk.home)},
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    learned = json.loads(start([entry["command"], *entry["args"]], asked, desk.project))
    assert learned["result"]["structuredContent"]["memory"]["scope"] == "project:web-shop"
    for folder, is_known in ((desk.project, True), (other, False)):
        shown = start(["/bin/sh", "-c", hook], {"session_id": "s", "cwd": str(folder)}, folder)
        assert ("Tuesdays" in shown) == is_known


# What was written works


@pytest.mark.covers("A20")
@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_what_is_written_starts_a_server(desk: Desk, client: str) -> None:
    desk("install", client, "--yes")
    entry = entry_in(desk.file(client).read_text("utf-8"), client)
    asked = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": client, "version": "1"}}
    done = subprocess.run(
        [entry["command"], *entry["args"]],
        input=json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked}) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=desk.home,
        env={"PYTHONPATH": ENVIRONMENT["PYTHONPATH"]},
    )
    assert json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "heldtrue", done.stderr


def test_the_commands_are_told_by_help(heldtrue: CommandLine) -> None:
    for command in ("install", "uninstall", "hook"):
        assert f"    {command} " in heldtrue("help", "--all")
        assert heldtrue("help", command) == heldtrue(command, "--help")
    told = " ".join(heldtrue("install", "--help").split())
    assert all(option in told for option in ("--scope", "--yes", "--print", "--no-hooks", *NAMES))
