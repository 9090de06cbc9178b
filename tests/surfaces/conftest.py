"""The command line as tests use it: inside this process for breadth, as a real process for the main paths."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import heldtrue as package
from heldtrue.surfaces.cli.main import main

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(package.__file__).parents[1]), "COLUMNS": "100"}
"""For processes of their own, wherever they start: they find the same Heldtrue."""


@dataclass(frozen=True)
class Done:
    """What a command printed, and how it ended."""

    status: int
    out: str
    err: str

    @property
    def answer(self) -> Any:
        return json.loads(self.out)


class CommandLine:
    """Runs commands on one home."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home = home
        self._capsys = capsys

    def run(self, *words: str) -> Done:
        """A command in this process, however it ends."""
        self._capsys.readouterr()
        status = main([*([] if "--home" in words else ["--home", str(self.home)]), *words])
        printed = self._capsys.readouterr()
        return Done(status, printed.out, printed.err)

    def __call__(self, *words: str) -> str:
        """What a command that must succeed prints for people."""
        done = self.run(*words)
        assert done.status == 0, done.err
        return done.out

    def json(self, *words: str) -> Any:
        """What a command that must succeed answers to programs."""
        done = self.run("--json", *words)
        assert done.status == 0, done.err
        return done.answer


@pytest.fixture
def heldtrue(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return CommandLine(tmp_path / "home", capsys)


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., Done]:
    """Runs a command as a process of its own."""

    def run(*words: str | bytes, stdin: str = "", home: Path | None = None, **environment: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "heldtrue", *words],
            input=stdin.encode(),
            capture_output=True,
            timeout=60,
            check=False,
            cwd=tmp_path,
            env=ENVIRONMENT | {"HELDTRUE_HOME": str(home or tmp_path / "home")} | environment,
        )
        return Done(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    return run
