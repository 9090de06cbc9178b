"""Whatever a configuration looks like, it is edited safely or left alone."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldtrue.domain.errors import WrongState
from heldtrue.surfaces.cli.install.clients import CLIENTS, Machine
from heldtrue.surfaces.cli.install.files import read_config, write_config
from heldtrue.surfaces.cli.install.json_text import JsonText
from heldtrue.surfaces.cli.install.pieces import JsonServerEntry, TomlServer
from tests.surfaces.desk import Desk, desk, entry_in, existing, options_of

__all__ = ["desk"]


# Files as they are


@pytest.mark.covers("A20")
def test_another_agent_or_home_changes_only_the_entry(desk: Desk, tmp_path: Path) -> None:
    for client in ("zed", "codex", "claude-code"):
        before = desk.write(desk.file(client), existing(client))
        desk("install", client, "--yes")
        text = desk.file(client).read_text("utf-8")
        heading = "[mcp_servers.heldtrue]\n" if client == "codex" else '"heldtrue": {'
        mine = "startup_timeout_sec = 20\n" if client == "codex" else '"enabled": true,'
        desk.write(desk.file(client), text.replace(heading, heading + mine))
        desk("--agent", "reviewer", "--home", str(tmp_path / "else"), "install", client, "--yes")
        entry = entry_in(desk.file(client).read_text("utf-8"), client)
        assert options_of(entry) == {"--agent": "reviewer", "--home": str(tmp_path / "else")}
        assert entry.get("enabled") or entry.get("startup_timeout_sec") == 20, "what somebody added is kept"
        copy = desk.file(client).with_name(f"{desk.file(client).name}.before-heldtrue")
        assert copy.read_bytes() == before, "the copy is still the one from before Heldtrue"
        desk("uninstall", client, "--yes")
        assert desk.file(client).read_bytes() == before


def test_an_entry_of_that_name_for_a_server_elsewhere_is_replaced(desk: Desk) -> None:
    desk.write(desk.file("cursor"), '{"mcpServers": {"heldtrue": {"url": "http://localhost:7373/mcp"}}}')
    desk("install", "cursor", "--yes")
    entry = entry_in(desk.file("cursor").read_text("utf-8"), "cursor")
    assert set(entry) == {"type", "command", "args"}


FOREIGN_ENV = {"LD_PRELOAD": "/tmp/evil.so", "PYTHONPATH": "/tmp/evil", "HELDTRUE_HOME": "/tmp/theirs"}


def _entry_text(client: str, entry: dict[str, Any], *, is_dense: bool = False) -> str:
    """A configuration with an entry of our name, as somebody else wrote it."""
    if not CLIENTS[client].is_toml:
        value = {CLIENTS[client].container: {"heldtrue": entry}, "cache": "x" * 2_000 if is_dense else ""}
        return json.dumps(value, indent=None if is_dense else 2)
    plain = [f"{key} = {json.dumps(item)}" for key, item in entry.items() if not isinstance(item, dict)]
    env = [f"{key} = {json.dumps(item)}" for key, item in entry.get("env", {}).items()]
    lines = ["[mcp_servers.heldtrue]", *plain, *(["", "[mcp_servers.heldtrue.env]", *env] if env else [])]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("client", ["claude-code", "cursor", "codex"])
@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("/tmp/evil", ["mcp"]),
        ("/bin/sh", ["-c", "evil", "-m", "heldtrue", "mcp"]),
        ("/bin/sh", ["-m", "heldtrue"]),
        ("/opt/heldtrue/run", []),
    ],
)
def test_nothing_is_kept_of_an_entry_that_starts_another_program(
    desk: Desk, client: str, scope: str, command: str, args: list[str]
) -> None:
    held = {"command": command, "args": args, "cwd": "/tmp/theirs", "env": FOREIGN_ENV}
    before = desk.write(desk.file(client, scope), _entry_text(client, held))
    shown = desk("install", client, "--scope", scope, "--yes", "--no-hooks")
    entry = entry_in(desk.file(client, scope).read_text("utf-8"), client)
    assert set(entry) - {"type"} == {"command", "args"}
    removed = [line for line in shown.splitlines() if line.startswith("-")]
    assert all(any(word in line for line in removed) for word in (command, "/tmp/theirs", *FOREIGN_ENV))
    assert "Nothing to change" in desk("install", client, "--scope", scope, "--no-hooks")
    desk("uninstall", client, "--scope", scope, "--yes")
    assert desk.file(client, scope).read_bytes() == before


@pytest.mark.parametrize("client", ["claude-code", "cursor", "codex"])
@pytest.mark.parametrize(
    ("command", "args"), [("/old/bin/heldtrue", ["mcp"]), ("/usr/bin/python3", ["-P", "-m", "heldtrue", "mcp"])]
)
def test_an_environment_is_kept_where_it_is_your_own_and_never_in_a_project(
    desk: Desk, client: str, command: str, args: list[str]
) -> None:
    for scope, is_kept in (("user", True), ("project", False)):
        held = {"command": command, "args": args, "env": {"HELDTRUE_LOG": "debug"}}
        desk.write(desk.file(client, scope), _entry_text(client, held))
        shown = desk("install", client, "--scope", scope, "--yes", "--no-hooks")
        entry = entry_in(desk.file(client, scope).read_text("utf-8"), client)
        assert entry.get("env") == ({"HELDTRUE_LOG": "debug"} if is_kept else None)
        assert any(line.startswith("-") and "HELDTRUE_LOG" in line for line in shown.splitlines()) != is_kept
        assert entry["command"] != command
        assert "Nothing to change" in desk("install", client, "--scope", scope, "--no-hooks")


def test_a_file_that_names_an_environment_is_one(desk: Desk) -> None:
    file = desk.file("vscode", "project")
    desk.write(file, _entry_text("vscode", {"command": "heldtrue", "args": ["mcp"], "envFile": ".env"}))
    desk("install", "vscode", "--scope", "project", "--yes")
    assert set(entry_in(file.read_text("utf-8"), "vscode")) == {"type", "command", "args"}


def test_what_goes_out_of_a_long_line_is_shown_too(desk: Desk) -> None:
    held = {"command": "/tmp/evil", "args": ["mcp"], "env": FOREIGN_ENV}
    desk.write(desk.file("cursor"), _entry_text("cursor", held, is_dense=True))
    shown = desk("install", "cursor", "--yes").splitlines()
    assert any(line.startswith("-") and "LD_PRELOAD" in line for line in shown)
    assert any(line.startswith("+") and "--agent" in line for line in shown)
    assert max(map(len, shown)) < 300


def test_other_changes_since_then_are_kept(desk: Desk) -> None:
    desk.write(desk.file("cursor"), '{\n  "mcpServers": {\n    "a": {"command": "x"}\n  }\n}\n')
    desk("install", "cursor", "--yes")
    text = desk.file("cursor").read_text("utf-8")
    desk.write(desk.file("cursor"), text.replace('"a": {"command": "x"},', '"b": {"command": "y"},'))
    desk("uninstall", "cursor", "--yes")
    assert desk.file("cursor").read_text("utf-8") == '{\n  "mcpServers": {\n    "b": {"command": "y"}\n  }\n}\n'


SHAPES = (
    "", "\n", "{}", "{ }\n", "\ufeff{}\r\n", '{"mcpServers":{}}', '{\n  "mcpServers": {\n  }\n}',
    '{\r\n\t"a": 1\r\n}\r\n', '{ "a": 1,\n  "b": 2 }', "{ // c\n}",
)  # fmt: skip


@pytest.mark.parametrize("text", SHAPES)
def test_files_of_every_shape_come_back(desk: Desk, text: str) -> None:
    before = desk.write(desk.file("cursor"), text)
    desk("install", "cursor", "--yes")
    data = desk.file("cursor").read_bytes()
    assert entry_in(data.decode("utf-8-sig"), "cursor")
    assert data.startswith(b"\xef\xbb\xbf") == text.startswith("\ufeff")
    assert data.count(b"\r\n") in (0, data.count(b"\n"))
    desk("uninstall", "cursor", "--yes")
    assert desk.file("cursor").read_bytes() == before


def test_a_link_is_followed_and_told(desk: Desk, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "mcp.json"
    before = desk.write(real, existing("cursor"))
    desk.file("cursor").parent.mkdir(parents=True)
    desk.file("cursor").symlink_to(real)
    shown = " ".join(desk("install", "cursor", "--yes").split())
    assert f"{desk.file('cursor')} is a symbolic link to this file." in shown
    assert desk.file("cursor").is_symlink()
    assert entry_in(real.read_text("utf-8"), "cursor")
    desk("uninstall", "cursor", "--yes")
    assert (desk.file("cursor").is_symlink(), real.read_bytes()) == (True, before)


def test_a_folder_that_is_a_link_is_followed_and_told(desk: Desk, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles"
    real.mkdir()
    (desk.home / ".cursor").symlink_to(real)
    shown = " ".join(desk("install", "cursor", "--yes").split())
    assert f"{desk.file('cursor')} is the same file, because {desk.home}/.cursor is a symbolic link." in shown
    assert entry_in((real / "mcp.json").read_text("utf-8"), "cursor")


LINKS_OUT = {
    "a file that is not there": ("claude-code", ".mcp.json", "new.json"),
    "hooks that are not there": ("claude-code", ".claude/settings.local.json", "new.json"),
    "the folder of the hooks": ("claude-code", ".claude", ".claude"),
    "a folder that is not there": ("gemini", ".gemini", "new"),
    "what another client reads": ("claude-code", ".mcp.json", ".cursor/mcp.json"),
    "what the same client reads": ("cursor", ".cursor/mcp.json", ".cursor/mcp.json"),
    "a table": ("codex", ".codex", ".codex"),
}


@pytest.mark.covers("A20")
@pytest.mark.parametrize("is_relative", [False, True])
@pytest.mark.parametrize("case", LINKS_OUT)
def test_a_link_out_of_the_project_is_refused(desk: Desk, case: str, is_relative: bool) -> None:
    client, link, target = LINKS_OUT[case]
    desk.write(desk.home / ".claude" / "settings.json", "{}")
    desk.write(desk.home / ".cursor" / "mcp.json", existing("cursor"))
    desk.write(desk.home / ".codex" / "config.toml", existing("codex"))
    named = desk.project / link
    named.parent.mkdir(parents=True, exist_ok=True)
    depth = len(named.relative_to(desk.home).parents) - 1
    named.symlink_to(Path(*[".."] * depth, target) if is_relative else desk.home / target)
    before, names = desk.files(), sorted(desk.home.rglob("*"))
    for words in (["install"], ["uninstall"], ["install", "--print"]):
        done = desk.run(words[0], client, "--scope", "project", *(words[1:] or ["--yes"]))
        assert done.status == 5
        told = "".join(done.err.split())
        assert "".join(f"{named}".split()) in told
        assert "".join(f"is outside the project, at {desk.home / target}".split()) in told
        assert "nothingwaschanged" in told
    assert (desk.files(), sorted(desk.home.rglob("*"))) == (before, names)
    rows = {client["client"]: client for client in json.loads(desk("install", "--json"))["clients"]}
    assert "project" not in rows[client]["installed"]


def test_hooks_that_are_left_out_do_not_mind_where_their_folder_leads(desk: Desk) -> None:
    desk("install", "claude-code", "--yes")
    theirs = desk.hooks().rename(desk.hooks().with_name("settings.local.json"))
    before = theirs.read_bytes()
    (desk.project / ".claude").symlink_to(desk.home / ".claude")
    desk("install", "claude-code", "--scope", "project", "--yes", "--no-hooks")
    assert entry_in(desk.file("claude-code", "project").read_text("utf-8"), "claude-code")
    assert theirs.read_bytes() == before


def test_a_link_inside_of_the_project_is_followed_and_told(desk: Desk) -> None:
    real = desk.project / "tools" / "mcp.json"
    desk.write(real, "{}")
    desk.file("claude-code", "project").symlink_to(Path("tools") / "mcp.json")
    shown = " ".join(desk("install", "claude-code", "--scope", "project", "--yes", "--no-hooks").split())
    assert f"{desk.file('claude-code', 'project')} is a symbolic link to this file." in shown
    assert entry_in(real.read_text("utf-8"), "claude-code")


def test_a_change_by_another_program_meanwhile_is_not_lost(desk: Desk) -> None:
    desk.write(desk.file("cursor"), "{}")
    file = read_config(desk.file("cursor"))
    newer = desk.write(desk.file("cursor"), '{"mcpServers": {"new": {"command": "x"}}}')
    with pytest.raises(WrongState, match="changed by another program"):
        write_config(file, b'{"mcpServers": {}}', keep_copy=True)
    assert desk.file("cursor").read_bytes() == newer
    assert [path.name for path in desk.file("cursor").parent.iterdir()] == ["mcp.json"]


def test_what_is_no_plain_text_file_is_refused(desk: Desk) -> None:
    desk.file("cursor").mkdir(parents=True)
    assert desk.run("install", "cursor", "--yes").status == 5
    before = desk.file("gemini")
    before.parent.mkdir(parents=True)
    before.write_bytes(b'{\n "a": "\xff"}')
    done = desk.run("install", "gemini", "--yes")
    assert (done.status, "line 2" in done.err) == (5, True)
    assert before.read_bytes() == b'{\n "a": "\xff"}'


def test_a_write_that_fails_leaves_the_file_whole(desk: Desk) -> None:
    before = desk.write(desk.file("cursor"), existing("cursor"))
    desk.file("cursor").with_name("mcp.json.before-heldtrue").mkdir()
    done = desk.run("install", "cursor", "--yes")
    assert (done.status, "cannot be written" in " ".join(done.err.split())) == (7, True)
    assert desk.file("cursor").read_bytes() == before
    assert len(list(desk.file("cursor").parent.iterdir())) == 2, "nothing half-written is left behind"
    desk.write(desk.home / ".gemini", "a file where a folder should be")
    assert desk.run("install", "gemini", "--yes").status == 7


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("codex", 'mcp_servers = { other = { command = "x" } }\n'),
        ("cursor", '{"mcpServers": []}'),
        ("zed", '{"context_servers": null}'),
    ],
)
def test_what_cannot_be_edited_is_printed_to_be_added_by_hand(desk: Desk, client: str, text: str) -> None:
    before = desk.write(desk.file(client), text)
    done = desk.run("install", client, "--yes")
    assert done.status == 5
    assert "by hand" in " ".join(done.err.split())
    assert "heldtrue" in done.err
    assert "--agent" in done.err
    assert desk.file(client).read_bytes() == before


@pytest.mark.parametrize(
    ("system", "places"),
    [
        (
            "darwin",
            {
                "claude-desktop": "Library/Application Support/Claude/claude_desktop_config.json",
                "vscode": "Library/Application Support/Code/User/mcp.json",
                "zed": ".config/zed/settings.json",
                "claude-code": ".claude.json",
            },
        ),
        (
            "win32",
            {
                "claude-desktop": "roam/Claude/claude_desktop_config.json",
                "vscode": "roam/Code/User/mcp.json",
                "zed": "roam/Zed/settings.json",
                "windsurf": ".codeium/windsurf/mcp_config.json",
            },
        ),
        (
            "linux",
            {
                "claude-desktop": "conf/Claude/claude_desktop_config.json",
                "vscode": "conf/Code/User/mcp.json",
                "zed": "conf/zed/settings.json",
                "windsurf": "conf/devin/mcp_config.json",
                "codex": "codex/config.toml",
            },
        ),
    ],
)
def test_every_system_has_its_places(system: str, places: dict[str, str], tmp_path: Path) -> None:
    environment = {"APPDATA": str(tmp_path / "roam")} if system == "win32" else {}
    if system == "linux":
        (tmp_path / "conf" / "devin").mkdir(parents=True)
        environment = {"XDG_CONFIG_HOME": str(tmp_path / "conf"), "CODEX_HOME": str(tmp_path / "codex")}
    machine = Machine(system, environment, tmp_path, tmp_path)
    assert {name: CLIENTS[name].config_file("user", machine) for name in places} == {
        name: tmp_path / part for name, part in places.items()
    }


def test_a_folder_of_its_own_holds_all_of_claude_code(desk: Desk) -> None:
    desk.more["CLAUDE_CONFIG_DIR"] = str(desk.home / "work-claude")
    desk("install", "claude-code", "--yes")
    own = desk.home / "work-claude"
    assert sorted(desk.client_files()) == [str(own / ".claude.json"), str(own / "settings.json")]


# Any file at all

KEYS = st.text(alphabet='abß"\\/ ,:{}', max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=5,
)
SPACE = st.sampled_from(["", " ", "\n", "\n  ", "\n\t", " /* , } */ ", ' // ] "\n', "\r\n"])


@st.composite
def documents(draw: st.DrawFn, *, root: dict[str, Any] | None = None) -> tuple[str, Any]:
    """A JSON object as some program or person may have written it, with comments and commas at the end."""
    value = root if root is not None else draw(st.dictionaries(KEYS, VALUES, max_size=3))
    servers = draw(st.none() | st.dictionaries(KEYS, VALUES, max_size=2))
    value = value if servers is None else value | {"servers": servers}

    def write(value: Any) -> str:
        if not isinstance(value, dict | list):
            return json.dumps(value)
        pieces = [f"{json.dumps(key)}:{draw(SPACE)}{write(held)}" for key, held in value.items()] if isinstance(
            value, dict
        ) else [write(held) for held in value]  # fmt: skip
        inner = ",".join(f"{draw(SPACE)}{piece}{draw(SPACE)}" for piece in pieces)
        ends_in_comma = draw(st.booleans()) if pieces else False
        last = "," if ends_in_comma else ""
        brackets = "{}" if isinstance(value, dict) else "[]"
        return f"{brackets[0]}{inner}{last}{draw(SPACE)}{brackets[1]}"

    return draw(SPACE) + write(value) + draw(SPACE), value


@pytest.mark.covers("A20")
@given(documents())
def test_any_json_keeps_all_it_says_and_every_comment(made: tuple[str, Any]) -> None:
    text, value = made
    piece = JsonServerEntry("servers", {"command": "/bin/heldtrue", "args": ["mcp"]}, lenient=True)
    new = piece.put(text)
    wanted = value | {"servers": {**value.get("servers", {}), "heldtrue": piece.entry}}
    assert JsonText(new, lenient=True).value == wanted
    # Only insertions: what was there is there still, in its order.
    left = iter("".join(new.split()))
    assert all(mark in left for mark in "".join(text.split()))
    assert piece.put(new) == new
    back = piece.take(new)
    assert JsonText(back, lenient=True).value in (value, {key: item for key, item in value.items() if key != "servers"})
    assert (back.count("/*"), back.count("//")) == (text.count("/*"), text.count("//"))


@pytest.mark.covers("A20")
@given(st.lists(st.sampled_from(["a = 1", "# note", "", '[mcp_servers.x]\ncommand = "y"', "[t.u] # z", "b = '[q]'"])))
def test_any_toml_keeps_its_lines(lines: list[str]) -> None:
    text = "\n".join(lines)
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    piece = TomlServer("mcp_servers", {"command": "/bin/heldtrue", "args": ["mcp", "--agent", "codex"]})
    new = piece.put(text)
    assert new.startswith(text)
    assert tomllib.loads(new)["mcp_servers"]["heldtrue"] == piece.entry
    assert tomllib.loads(piece.take(new)) == value
    assert piece.put(new) == new
