"""A hint about an extra is a command that works for this copy, wherever it was installed from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from heldtrue import distribution
from heldtrue.distribution import suggest_install
from tests.packaging.environments import PROJECT, copy_project, create_environment, offline

SUGGEST = "from heldtrue.distribution import suggest_install; print(suggest_install('postgres'))"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return copy_project(tmp_path / "my clone")


@pytest.fixture
def python(tmp_path: Path) -> Path:
    return create_environment(tmp_path / "environment")


def run(*command: str | Path, python: Path, folder: Path | None = None) -> str:
    """What a command prints in a shell where the environment of that interpreter is active."""
    environment = offline(PATH=f"{python.parent}:{os.environ['PATH']}")
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def install(python: Path, *what: str | Path) -> None:
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", *what, python=python)


@pytest.mark.slow
def test_a_copy_from_a_source_tree_is_extended_from_that_tree(clone: Path, python: Path) -> None:
    install(python, "--editable", clone)
    hint = run(python, "-c", SUGGEST, python=python)
    assert hint.endswith(f"install --editable '{clone}[postgres]'")
    run("sh", "-c", hint, python=python, folder=Path("/"))
    assert run(python, "-c", SUGGEST, python=python) == hint


@pytest.mark.slow
def test_a_copy_from_a_folder_or_a_wheel_is_extended_from_that(clone: Path, python: Path, tmp_path: Path) -> None:
    install(python, clone)
    hint = run(python, "-c", SUGGEST, python=python)
    assert hint.endswith(f"install '{clone}[postgres]'")

    run(python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, clone, python=python)
    [wheel] = tmp_path.glob("*.whl")
    install(python, "--force-reinstall", wheel)
    hint = run(python, "-c", SUGGEST, python=python)
    assert hint.endswith(f"install '{wheel}[postgres]'")
    run("sh", "-c", hint, python=python, folder=Path("/"))

    wheel.unlink()
    hint = run(python, "-c", SUGGEST, python=python)
    assert hint.startswith("download the Heldtrue source again and run this in its folder: ")
    run("sh", "-c", hint.partition(": ")[2], python=python, folder=clone)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package folder of an installed copy, and the folder for notes of the installer beside it."""
    package = tmp_path / "site-packages" / "heldtrue"
    notes = package.parent / "heldtrue-0.1.0.dist-info"
    notes.mkdir(parents=True)
    monkeypatch.setattr(distribution, "_PACKAGE", package)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    return notes


def test_a_copy_from_an_index_is_extended_by_its_name(installed: Path) -> None:
    assert suggest_install("vectors").endswith("pip install 'heldtrue[vectors]'")


@pytest.mark.parametrize(
    ("note", "requirement"),
    [
        (
            {"url": "https://git.example/heldtrue", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}},
            "'heldtrue[vectors] @ git+https://git.example/heldtrue@c0ffee'",
        ),
        (
            {"url": "https://files.example/heldtrue-0.1.0-py3-none-any.whl", "archive_info": {}},
            "'heldtrue[vectors] @ https://files.example/heldtrue-0.1.0-py3-none-any.whl'",
        ),
    ],
)
def test_a_copy_from_elsewhere_is_extended_from_there(installed: Path, note: object, requirement: str) -> None:
    (installed / "direct_url.json").write_text(json.dumps(note))
    assert suggest_install("vectors").endswith(f"install {requirement}")


@pytest.mark.parametrize(
    ("file", "command"),
    [("pipx_metadata.json", "pipx install --force"), ("uv-receipt.toml", "uv tool install --force")],
)
def test_pipx_and_uv_are_told_to_install_it_again(installed: Path, tmp_path: Path, file: str, command: str) -> None:
    (tmp_path / file).touch()
    assert suggest_install("vectors") == f"{command} 'heldtrue[vectors]'"


def test_the_pip_of_this_environment_is_named(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = tmp_path / "bin" / "pip"
    assert f"{tmp_path}/bin/python" in suggest_install("vectors")
    monkeypatch.setenv("PATH", str(pip.parent))
    pip.parent.mkdir()
    pip.touch(mode=0o755)
    assert suggest_install("vectors").startswith("pip install ")


def test_no_bare_name_is_told_to_be_installed() -> None:
    allowed = {
        "docs/guides/installing.md",  # warns against it
        "tests/packaging/test_distribution.py",
        "tests/unit/language/test_secrets.py",
        "tests/unit/language/test_model_tokens.py",
    }
    found = subprocess.run(
        ["git", "grep", "-lE", r"(pip|pipx|uv tool) install [^.]*\bheldtrue(\[|\b)"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert set(found.stdout.split()) <= allowed
