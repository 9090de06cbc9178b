"""`make run` and `make test` set up one environment: the second adds to the first, and neither trusts a broken one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.environments import name_packages, read_pins
from tools.environment import PROJECT, Progress

BACKEND = """
import zipfile
from pathlib import Path


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    name = "small-1-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as wheel:
        wheel.writestr("small.py", "")
        wheel.writestr("small-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: small\\nVersion: 1\\n")
        wheel.writestr("small-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("small-1.dist-info/RECORD", "")
    return name
"""
PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "small"
version = "1"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout whose locks are empty, so that setting it up needs no package index."""
    folder = tmp_path / "checkout"
    (folder / "tools").mkdir(parents=True)
    (folder / "requirements").mkdir()
    shutil.copy(PROJECT / "tools" / "environment.py", folder / "tools")
    shutil.copy(PROJECT / "Makefile", folder)
    reader = folder / "packages" / "heldtrue-reader"
    reader.mkdir(parents=True)
    for package, name in ((folder, "small"), (reader, "reader")):
        (package / "pyproject.toml").write_text(PYPROJECT.replace("small", name))
        (package / "backend.py").write_text(BACKEND.replace("small", name))
    for purpose in ("run", "dev"):
        (folder / "requirements" / f"{purpose}.txt").write_text(f"# nothing for {purpose}\n")
    return folder


def set_up(project: Path, purpose: str) -> str:
    """What `make` prints while it sets the checkout up."""
    target = {"run": ".venv/ready-to-run", "dev": ".venv/ready"}[purpose]
    done = subprocess.run(
        ["make", f"PYTHON={sys.executable}", target], cwd=project, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def has_small(project: Path) -> bool:
    return subprocess.run([project / ".venv/bin/python", "-c", "import small"], check=False).returncode == 0


@pytest.mark.slow
def test_what_the_tests_need_is_added_to_what_the_service_needs(project: Path) -> None:
    assert "creating .venv" in set_up(project, "run")
    assert has_small(project)
    assert not (project / ".venv/ready").exists()
    assert "creating" not in set_up(project, "run")

    added = set_up(project, "dev")
    assert "installing the packages for development" in added
    assert "creating" not in added
    assert (project / ".venv/ready").exists()
    assert "installing" not in set_up(project, "run")


@pytest.mark.slow
def test_a_copied_checkout_and_a_vanished_interpreter_start_anew(project: Path, tmp_path: Path) -> None:
    set_up(project, "dev")
    assert "installing" not in set_up(project, "run"), "the service needs nothing that the tests do not need"

    copy = tmp_path / "copy"
    shutil.copytree(project, copy, symlinks=True)
    assert "creating .venv" in set_up(copy, "run")
    assert has_small(copy)

    (copy / ".venv/bin/python").unlink()
    (copy / ".venv/bin/python").symlink_to(tmp_path / "gone")
    assert "creating .venv" in set_up(copy, "run")
    assert has_small(copy)


@pytest.mark.slow
def test_a_failed_installation_says_what_pip_said_and_what_to_do(project: Path) -> None:
    (project / "requirements/run.txt").write_text("no-such-package==1 --hash=sha256:" + "0" * 64 + "\n")
    done = subprocess.run(
        ["make", f"PYTHON={sys.executable}", ".venv/ready-to-run"],
        cwd=project,
        env={"PATH": "/usr/bin:/bin", "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "no-such-package" in done.stderr
    assert "Can this machine reach its package index?" in done.stderr
    assert not (project / ".venv/ready-to-run").exists()


def test_progress_names_the_package_and_how_many_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(3)
    progress.quiet_seconds = 0
    for line in (
        "Ignoring numpy: markers 'python_full_version >= \"3.12\"' don't match your environment\n",
        "Requirement already satisfied: anyio==4.16.0 in /somewhere\n",
        "Collecting numpy==2.4.6\n",
        "  Downloading numpy-2.4.6-cp311-manylinux_x86_64.whl (16.9 MB)\n",
        "Installing collected packages: numpy\n",
    ):
        progress.read(line)
    progress.wait()
    printed = capsys.readouterr().out.splitlines()
    assert printed[:-1] == [
        "heldtrue:   1 of 2: anyio",
        "heldtrue:   2 of 2: numpy",
        "heldtrue:   2 of 2: numpy (16.9 MB)",
        "heldtrue:   unpacking 2 packages",
    ]
    assert re.fullmatch(r"heldtrue:   still at work after \d+ s", printed[-1])


@pytest.mark.parametrize("small", ["run", "image"])
def test_small_locks_have_the_versions_of_the_large_one(small: str) -> None:
    versions = {tuple(pin.split(" ;")[0].split("==")) for pin in read_pins("dev")}
    assert {tuple(pin.split(" ;")[0].split("==")) for pin in read_pins(small)} <= versions


def test_the_locks_hold_what_is_needed_and_not_what_is_never_loaded() -> None:
    unused = {"huggingface-hub", "pydantic", "requests", "safetensors", "toml"}
    assert {"apsw", "hatchling", "numpy", "starlette", "tokenizers", "wordllama"} <= name_packages("run")
    assert name_packages("image") - name_packages("run") == {
        "psycopg",
        "psycopg-binary",
        "tzdata",
    }
    assert not unused & name_packages("image")
    assert unused <= name_packages("dev"), "the tests have them, so the list is about real packages"


@pytest.mark.parametrize("lock", ["run", "image", "dev"])
def test_locks_name_no_host(lock: str) -> None:
    assert "://" not in (PROJECT / "requirements" / f"{lock}.txt").read_text()
