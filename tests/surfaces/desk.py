"""Somebody's home folder with the configurations of clients, and the command line in it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from heldtrue.surfaces.cli.install.clients import CLIENTS, Machine
from heldtrue.surfaces.cli.install.json_text import JsonText
from heldtrue.surfaces.cli.main import main
from tests.surfaces.conftest import ENVIRONMENT, Done

NAMES = list(CLIENTS)
BOTH = [name for name, client in CLIENTS.items() if client.project is not None]
COMMENTED = """\
// Kept by hand.
{
  /* one of mine */
  "theme": "dark", // late
  "%s": {
    "other": { "command": "npx", "args": ["-y", "a//b"], "env": {"KEY": "ünï"} }, // "quoted"
  },
  "last": [1, 2.50, 1e3]
  // the end
}
"""
STRICT = '{\n\t"numStartups": 41,\n\t"mcpServers": {\n\t\t"other": {"command": "npx"}\n\t},\n\t"userID": "x"\n}'
SETTINGS = """\
{
    "permissions": {"allow": ["Bash(make test)"]},
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "say done"}]}
        ],
        "PreToolUse": []
    }
}
"""
TOML = """\
# how I like it
model = "gpt-5"   # the big one

[mcp_servers.other]
command = "npx"
args = [
  "-y",  # yes
  "pkg",
]

[profiles.quick]
model = "small"
"""


@dataclass
class Desk:
    """Somebody's home folder and project, and the command line in it."""

    home: Path
    project: Path
    memory: Path
    capsys: pytest.CaptureFixture[str]
    more: dict[str, str] = field(default_factory=dict)
    names_memory: bool = True
    """Whether the environment says where the memory is."""

    def environment(self) -> dict[str, str]:
        taken = ("XDG_", "CLAUDE_", "CODEX_", "APPDATA")
        kept = {name: value for name, value in ENVIRONMENT.items() if not name.startswith(taken)}
        named = {"HELDTRUE_HOME": str(self.memory)} if self.names_memory else {}
        return {name: value for name, value in kept.items() if not name.startswith("HELDTRUE_")} | {
            "HOME": str(self.home),
            **named,
            **self.more,
        }

    def run(self, *words: str, stdin: str = "") -> Done:
        """A command in this process, as if it were started in the project."""
        self.capsys.readouterr()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "environ", self.environment())
            patch.setattr(sys, "stdin", io.StringIO(stdin))
            patch.chdir(self.project)
            status = main(list(words))
        printed = self.capsys.readouterr()
        return Done(status, printed.out, printed.err)

    def start(self, *words: str, stdin: str = "") -> Done:
        """A command as a process of its own."""
        done = subprocess.run(
            [sys.executable, "-m", "heldtrue", *words],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            cwd=self.project,
            env=self.environment(),
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def __call__(self, *words: str) -> str:
        done = self.run(*words)
        assert done.status == 0, done.err + done.out
        return done.out

    def file(self, client: str, scope: str = "user") -> Path:
        machine = Machine(sys.platform, self.more, self.home, self.project)
        place = CLIENTS[client].config_file(scope, machine)
        assert place is not None
        return place

    def hooks(self) -> Path:
        return self.home / ".claude" / "settings.json"

    def write(self, path: Path, text: str) -> bytes:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return text.encode()

    def files(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in sorted(self.home.rglob("*")) if path.is_file()}

    def client_files(self) -> dict[str, bytes]:
        """All files but the records of known homes, which stay as long as the memory does."""
        records = self.home / ".local" / "state" / "heldtrue" / "known-homes"
        return {path: content for path, content in self.files().items() if Path(path).parent != records}


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    home, project = tmp_path / "me", tmp_path / "me" / "code" / "web shop"
    (project / ".git").mkdir(parents=True)
    return Desk(home, project, tmp_path / "memory", capsys)


def existing(client: str) -> str:
    """A configuration that its owner has tended."""
    if CLIENTS[client].is_toml:
        return TOML
    return COMMENTED % CLIENTS[client].container if CLIENTS[client].lenient else STRICT


def entry_in(text: str, client: str) -> dict[str, Any]:
    value = tomllib.loads(text) if CLIENTS[client].is_toml else JsonText(text, lenient=True).value
    found: dict[str, Any] = value[CLIENTS[client].container]["heldtrue"]
    return found


def options_of(entry: dict[str, Any]) -> dict[str, str]:
    words = [arg for arg in entry["args"][entry["args"].index("mcp") + 1 :] if arg != "--here"]
    return dict(zip(words[::2], words[1::2], strict=True))
