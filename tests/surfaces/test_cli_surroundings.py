"""A command in poor surroundings says what is wrong in a sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from heldtrue.surfaces.cli.shortage import is_shortage
from tests.surfaces.conftest import ENVIRONMENT


def run(home: Path, *words: str, kilobytes: int | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    limit = () if kilobytes is None else ("sh", "-c", 'ulimit -v "$0" && exec "$@"', str(kilobytes))
    return subprocess.run(
        [*limit, sys.executable, "-m", "heldtrue", "--home", str(home), *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=ENVIRONMENT | more,
    )


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a program that is installed: its bytecode is there, so the compiler takes no memory."""
    folder = tmp_path_factory.mktemp("compiled")
    environment = {"PYTHONPYCACHEPREFIX": str(folder / "bytecode"), "PYTHONDONTWRITEBYTECODE": ""}
    for words in (("learn", "The API listens on port 8080."), ("recall", "API port")):
        assert run(folder / "home", *words, kilobytes=None, **environment).returncode == 0
    return environment


@pytest.mark.parametrize("kilobytes", [60_000, 90_000, 120_000, 150_000])
def test_little_memory_costs_the_model_and_nothing_else(
    tmp_path: Path, kilobytes: int, compiled: dict[str, str]
) -> None:
    assert run(tmp_path / "home", "learn", "The API listens on port 8080.").returncode == 0
    done = run(tmp_path / "home", "recall", "API port", kilobytes=kilobytes, **compiled)
    assert "Traceback" not in done.stderr + done.stdout
    assert "unexpected" not in done.stderr
    assert done.returncode == 0, "words need little"
    assert "8080" in done.stdout


@pytest.mark.parametrize(
    ("problem", "is_one"),
    [
        (MemoryError(), True),
        (ImportError("failed to map segment from shared object"), True),
        (ImportError("No module named 'x'"), False),
        (SystemError("returned NULL without exception set"), True),
        (SystemError("bad argument"), False),
    ],
)
def test_a_shortage_of_memory_is_told_from_other_faults(problem: Exception, is_one: bool) -> None:
    """Where the interpreter has too little memory for itself it may crash, so this is not tried with a limit."""
    assert is_shortage(problem) is is_one


def test_a_database_in_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "heldtrue.toml").write_text('[storage]\nurl = "sqlite:///missing/folder/x.db"\n', "utf-8")
    done = run(tmp_path, "--json", "learn", "The API listens on port 8080.")
    assert done.returncode == 7
    assert f"the folder {tmp_path}/missing/folder in storage.url does not exist" in done.stderr
    (tmp_path / "missing" / "folder").mkdir(parents=True)
    assert run(tmp_path, "learn", "The API listens on port 8080.").returncode == 0


@pytest.mark.parametrize("section", ["recall.endpoint", "extraction"])
@pytest.mark.parametrize("name", ["AWS_SECRET_ACCESS_KEY", "heldtrue_key", "HELDTRUE_", "HELDTRUE_KEY ", ""])
def test_a_bad_key_variable_is_told_what_it_must_look_like(tmp_path: Path, section: str, name: str) -> None:
    (tmp_path / "heldtrue.toml").write_text(f'[{section}]\nkey_variable = "{name}"\n', "utf-8")
    told = " ".join(run(tmp_path, "learn", "x").stderr.split())
    assert f'key_variable: "{name}" is not the name of an environment variable that begins with HELDTRUE_' in told
    assert "is not a string" not in told
