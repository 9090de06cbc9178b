"""Where the examples of the documents are run."""

import os
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def newcomer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of somebody who has installed Heldtrue and nothing else, with an empty memory."""
    folder, programs = tmp_path / "work", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    write_program(programs / "heldtrue", "-m heldtrue.surfaces.cli.main")
    write_program(programs / "python", "")
    write_program(programs / "python3", "")
    for variable in [name for name in os.environ if name.startswith("HELDTRUE_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("HELDTRUE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(PROJECT / "src"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.chdir(folder)
    return folder


def write_program(path: Path, arguments: str) -> None:
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
    path.chmod(0o755)
