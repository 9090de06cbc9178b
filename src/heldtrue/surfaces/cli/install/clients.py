"""The programs that can be connected: the path and the format of each configuration."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from heldtrue.environment import read_variables
from heldtrue.surfaces.cli.install.pieces import EVENTS, ConfigPiece, Hooks, JsonServerEntry, TomlServer
from heldtrue.surfaces.projects import find_project

USER, PROJECT = "user", "project"
_TIMEOUTS_S = {"SessionStart": 10, "UserPromptSubmit": 10, "Stop": 30, "SessionEnd": 30}
"""How many seconds each hook may take before Claude Code continues without it."""
_BEGINNINGS = "startup|clear|compact"
"""The session starts that need an injection; a resumed session still has the earlier one."""


class Machine(msgspec.Struct, frozen=True):
    """Where programs look for their files."""

    system: str
    environment: Mapping[str, str]
    home: Path
    project: Path
    """The folder of the project we are in."""

    @property
    def config(self) -> Path:
        """Where programs with a window keep what is configured."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        return self.roaming if self.system == "win32" else self.xdg

    @property
    def xdg(self) -> Path:
        return self._named("XDG_CONFIG_HOME") or self.home / ".config"

    @property
    def roaming(self) -> Path:
        return self._named("APPDATA") or self.home / "AppData" / "Roaming"

    def folder(self, variable: str, name: str) -> Path:
        """A folder that a variable names, or else one of the home."""
        return self._named(variable) or self.home / name

    def _named(self, variable: str) -> Path | None:
        value = self.environment.get(variable)
        return Path(value) if value and Path(value).is_absolute() else None


def this_machine() -> Machine:
    return Machine(sys.platform, read_variables(), Path.home(), find_project(Path.cwd()))


Place = Callable[[Machine], Path]


class Client(msgspec.Struct, frozen=True):
    """A program that speaks MCP."""

    name: str
    title: str
    user: Place
    project: Place | None = None
    """The file with a project's servers, for programs that have one."""
    container: str = "mcpServers"
    names_type: bool = False
    """Whether an entry states that the server uses stdio."""
    lenient: bool = True
    """Whether the program, and therefore Heldtrue, accepts comments in its JSON file."""
    is_toml: bool = False
    programs: tuple[str, ...] = ()
    """The names of its commands."""
    starts_in_project: bool = False
    """Whether it starts servers in the project folder. Programs with a window may start them anywhere."""
    user_hooks: Place | None = None
    project_hooks: Place | None = None
    next_step: str = "Restart the program. It then starts the server by itself."

    def server(self, command: list[str], scope: str, environment: Mapping[str, str]) -> ConfigPiece:
        """The entry that starts a command."""
        keeps_env = scope == USER
        entry: dict[str, Any] = {"type": "stdio"} if self.names_type else {}
        entry |= {"command": command[0], "args": command[1:]}
        if environment:
            entry["env"] = dict(environment)
        if self.is_toml:
            return TomlServer(self.container, entry, keeps_env)
        return JsonServerEntry(self.container, entry, self.lenient, keeps_env)

    def config_file(self, scope: str, machine: Machine) -> Path | None:
        locate = self.user if scope == USER else self.project
        return locate(machine) if locate is not None else None

    def hooks_file(self, scope: str, machine: Machine) -> Path | None:
        locate = self.user_hooks if scope == USER else self.project_hooks
        return locate(machine) if locate is not None else None

    def is_found(self, machine: Machine) -> bool:
        """Whether it is on this machine: its folder is there, or its program can be started."""
        import shutil

        files = [locate(machine) for locate in (self.user, self.user_hooks) if locate is not None]
        folders = [file.parent for file in files if file.parent != machine.home]
        if any(folder.is_dir() for folder in folders) or any(file.exists() for file in files):
            return True
        return any(shutil.which(program, path=machine.environment.get("PATH")) for program in self.programs)


def make_hooks(start: list[str], options: list[str]) -> Hooks:
    """The commands of the four moments; they are run by a shell, so that they are quoted for one."""
    groups: dict[str, dict[str, Any]] = {}
    for event, word in EVENTS.items():
        command = shlex.join([*start, "hook", word, *options])
        matcher = {"matcher": _BEGINNINGS} if event == "SessionStart" else {}
        groups[event] = matcher | {"hooks": [{"type": "command", "command": command, "timeout": _TIMEOUTS_S[event]}]}
    return Hooks(groups)


def _windsurf(machine: Machine) -> Path:
    """Windsurf became Devin Desktop in 2026, and looks in a folder of that name since."""
    devin = (machine.roaming if machine.system == "win32" else machine.xdg) / "devin"
    return (devin if devin.is_dir() else machine.home / ".codeium" / "windsurf") / "mcp_config.json"


def _claude(machine: Machine) -> Path:
    """With a folder of its own it keeps everything in there; without, this one file lies beside its folder."""
    return machine.folder("CLAUDE_CONFIG_DIR", "") / ".claude.json"


CLIENTS = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            "Claude Code",
            user=_claude,
            project=lambda machine: machine.project / ".mcp.json",
            names_type=True,
            lenient=False,
            programs=("claude",),
            starts_in_project=True,
            user_hooks=lambda machine: machine.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json",
            # The commands name folders of this machine, so they go where Claude Code keeps what is not shared.
            project_hooks=lambda machine: machine.project / ".claude" / "settings.local.json",
            next_step="Start a new session. /mcp shows the server, and /hooks shows the hooks.",
        ),
        Client(
            "claude-desktop",
            "Claude Desktop",
            user=lambda machine: machine.config / "Claude" / "claude_desktop_config.json",
            lenient=False,
            next_step="Quit Claude Desktop and start it again. Closing the window is not enough.",
        ),
        Client(
            "cursor",
            "Cursor",
            user=lambda machine: machine.home / ".cursor" / "mcp.json",
            project=lambda machine: machine.project / ".cursor" / "mcp.json",
            names_type=True,
            programs=("cursor", "cursor-agent"),
            next_step="Turn the server on under Settings > MCP.",
        ),
        Client(
            "vscode",
            "VS Code",
            user=lambda machine: machine.config / "Code" / "User" / "mcp.json",
            project=lambda machine: machine.project / ".vscode" / "mcp.json",
            container="servers",
            names_type=True,
            programs=("code",),
            next_step='In the command palette, run "MCP: List Servers" and start heldtrue.',
        ),
        Client(
            "codex",
            "Codex",
            user=lambda machine: machine.folder("CODEX_HOME", ".codex") / "config.toml",
            project=lambda machine: machine.project / ".codex" / "config.toml",
            container="mcp_servers",
            is_toml=True,
            programs=("codex",),
            starts_in_project=True,
            next_step="Start a new session. /mcp shows the server. Codex reads a project's configuration only if the "
            "project is trusted.",
        ),
        Client(
            "gemini",
            "Gemini CLI",
            user=lambda machine: machine.home / ".gemini" / "settings.json",
            project=lambda machine: machine.project / ".gemini" / "settings.json",
            programs=("gemini",),
            starts_in_project=True,
            next_step="Start a new session. /mcp shows the server.",
        ),
        Client(
            "zed",
            "Zed",
            user=lambda machine: (
                (
                    machine.roaming / "Zed"
                    if machine.system == "win32"
                    else (machine.xdg if machine.system != "darwin" else machine.home / ".config") / "zed"
                )
                / "settings.json"
            ),
            container="context_servers",
            programs=("zed", "zeditor"),
            next_step="Zed starts the server as soon as the settings file is saved. The agent settings show it.",
        ),
        Client(
            "windsurf",
            "Windsurf",
            user=_windsurf,
            project=lambda machine: machine.project / ".devin" / "mcp_config.json",
            programs=("windsurf", "devin-desktop"),
            next_step="Press refresh in the list of MCP servers.",
        ),
    )
}
