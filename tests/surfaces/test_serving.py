"""What `heldtrue serve` tells a person can be copied and works."""

import os
import re
import shlex
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from heldtrue.surfaces.cli import program_path
from tests.surfaces.conftest import ENVIRONMENT


@contextmanager
def served(folder: Path, *words: str, path: str = "/usr/bin:/bin") -> Iterator[str]:
    """A server on the home `h` of a folder, and all that it says when it begins."""
    running = subprocess.Popen(
        [sys.executable, "-m", "heldtrue", "--home", "x/../h", "serve", "--port", "0", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=folder,
        env=ENVIRONMENT | {"PATH": path},
    )
    assert running.stdout is not None
    try:
        lines = []
        for line in running.stdout:
            lines.append(line)
            if line.startswith("Stop with"):
                break
        yield "".join(lines)
    finally:
        running.terminate()
        running.communicate(timeout=30)


def address_in(told: str) -> str:
    return told.split(" is listening on ")[1].split()[0]


def test_the_lines_to_copy_work_from_another_folder(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with served(tmp_path) as told:
        (line,) = [line for line in told.splitlines() if "agents add codex" in line]
        assert f"--home {tmp_path / 'h'} agents" in line
        words = shlex.split(line.partition(":")[2])
        assert Path(words[0]).is_absolute()
        done = subprocess.run(
            [*words, "--json"], capture_output=True, text=True, check=False, cwd="/", env=ENVIRONMENT | {"PATH": ""}
        )
        assert '"codex"' in done.stdout, done.stderr
        assert "everything learned with the owner's token is recorded as stated by a person" in " ".join(told.split())
        assert "in the clear" not in told


def test_a_program_that_the_path_finds_is_called_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "heldtrue"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / ".." / "bin" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert program_path.name_program() == "heldtrue"
    assert program_path.find_start() == [str(program)]
    monkeypatch.setenv("PATH", os.defpath)
    assert program_path.name_program() == str(program)
    other = tmp_path / "other" / "heldtrue"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\nexit 1\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(other.parent))
    assert program_path.name_program() == str(program), "another program of this name is not meant"


def test_listening_everywhere_tells_an_address_that_works_and_what_is_open(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "heldtrue.toml").write_text('[server]\nallowed_hosts = ["memory.example"]\n')
    with served(tmp_path, "--host", "0.0.0.0") as told:
        assert "0.0.0.0" not in told
        with urllib.request.urlopen(f"{address_in(told)}/healthz", timeout=10) as answer:
            assert answer.status == 200
        assert "tokens are sent unencrypted. Put a TLS proxy in front" in " ".join(told.split())


@pytest.mark.parametrize(("form", "first"), [("lines", r"\d\d:\d\d:\d\d  GET  /healthz  200  "), ("auto", r'\{"at":"')])
def test_the_log_in_a_pipe_is_json_unless_lines_are_asked_for(form: str, first: str, tmp_path: Path) -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "heldtrue", "--home", str(tmp_path / "h"), "--quiet", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT | {"HELDTRUE_SERVER_LOG": form},
    )
    assert running.stdout is not None
    with urllib.request.urlopen(f"{running.stdout.readline().strip()}/healthz", timeout=10) as answer:
        assert answer.status == 200
    running.terminate()
    _, logged = running.communicate(timeout=30)
    assert re.match(first, logged)
