"""A home: made by what fills it, never by looking, and kept out of version control."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from heldtrue import Memory, StorageProblem
from heldtrue.capabilities.registry import Capability
from heldtrue.capabilities.verb_index import all_capabilities
from tests.surfaces.conftest import CommandLine, Done

PORT = "The API listens on port 8080."
FILLING = {verb for verb, capability in all_capabilities().items() if capability.declared.makes_home}
"""The verbs that can put something into an empty home."""


def type_command(capability: Capability) -> list[str]:
    """The command of a capability, with a value for everything that it needs."""
    words = [capability.verb.replace("_", "-")]
    for parameter in capability.parameters:
        if parameter.required:
            value = {"disposition": "keep_old", "since": "#0", "decision": "approve", "candidate": "1"}.get(
                parameter.name, "x"
            )
            words += [value] if parameter.positional else [f"--{parameter.name}", value]
    return words


@pytest.mark.parametrize("verb", sorted(all_capabilities().keys() - FILLING))
def test_what_fills_no_home_makes_none_and_says_that_there_is_none(heldtrue: CommandLine, verb: str) -> None:
    words = type_command(all_capabilities()[verb])
    told = heldtrue.run(*words)
    assert (told.status, told.out) == (3, "")
    assert f"there is no store at {heldtrue.home}" in " ".join(told.err.split())
    assert "create one with heldtrue init or heldtrue learn, or choose another home with --home" in told.err
    error = json.loads(heldtrue.run("--json", *words).err)["error"]
    assert (error["code"], error["field"]) == ("not_found", "home")
    assert not heldtrue.home.exists()


def test_a_folder_without_a_memory_is_none_and_stays_as_it_is(heldtrue: CommandLine) -> None:
    heldtrue.home.mkdir()
    (heldtrue.home / "heldtrue.toml").write_text('[storage]\nurl = "other.db"', "utf-8")
    assert heldtrue.run("status").status == 3
    assert [path.name for path in heldtrue.home.iterdir()] == ["heldtrue.toml"]
    heldtrue("learn", PORT)
    assert heldtrue.json("status")["active"] == 1
    assert (heldtrue.home / "other.db").exists()


@pytest.mark.parametrize("verb", ["status", "verify", "recall", "export", "learn", "restore_backup"])
def test_a_home_that_is_a_file_is_refused(heldtrue: CommandLine, verb: str) -> None:
    heldtrue.home.write_text("mine", "utf-8")
    done = heldtrue.run(*type_command(all_capabilities()[verb]))
    assert done.status == 7
    assert f"the home {heldtrue.home} is a file, not a folder." in " ".join(done.err.split())
    assert heldtrue.home.read_text("utf-8") == "mine"


def test_python_is_told_the_same_about_a_file(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    with pytest.raises(StorageProblem, match="is a file, not a folder"):
        Memory.open(tmp_path / "home")


def test_a_new_home_stays_out_of_version_control(process: Callable[..., Done], tmp_path: Path) -> None:
    project = tmp_path / "project"
    home = project / ".heldtrue"
    project.mkdir()
    assert process("learn", PORT, home=home).status == 0
    assert (home / ".gitignore").read_text("utf-8") == "*\n"
    assert (home / ".gitignore").stat().st_mode & 0o777 == 0o600
    (project / "README").touch()
    subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    status = ["git", "-C", str(project), "status", "--short", "--untracked-files=all"]
    assert subprocess.run(status, check=True, capture_output=True, text=True).stdout == "?? README\n"


def test_a_home_that_was_there_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    Memory.open(tmp_path / "home").close()
    assert not (tmp_path / "home" / ".gitignore").exists()


def test_status_tells_the_name_of_the_memory(heldtrue: CommandLine) -> None:
    heldtrue("learn", PORT)
    assert heldtrue("status").startswith("memory  ")
    (heldtrue.home / "heldtrue.toml").write_text('[project]\nname = "shop"', "utf-8")
    assert heldtrue("status").startswith(f"shop  {heldtrue.home}")
