"""One home: found by one rule, known by its id and head, and never taken from a folder that somebody else made."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from heldtrue import Memory
from heldtrue.wiring.homes import find_home
from tests.surfaces.conftest import ENVIRONMENT, Done

MINE, FOREIGN = "The safe opens with a blue key.", "The safe opens with a brass key."


class Person:
    """Somebody with a home folder, who types commands in folders."""

    def __init__(self, home: Path) -> None:
        self.home = home
        home.mkdir(parents=True)
        left_out = ("HELDTRUE_", "XDG_", "CLAUDE_")
        self.environment = {name: value for name, value in ENVIRONMENT.items() if not name.startswith(left_out)}
        self.environment |= {"HOME": str(home), "GIT_CONFIG_GLOBAL": "/dev/null"}

    def run(self, folder: Path, *words: str, stdin: str = "", **changed: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "heldtrue", *words],
            input=stdin, capture_output=True, text=True, timeout=60, cwd=folder,
            env=self.environment | changed, check=False,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, " ".join(done.stderr.split()))

    def __call__(self, folder: Path, *words: str, stdin: str = "", **changed: str) -> str:
        done = self.run(folder, *words, stdin=stdin, **changed)
        assert done.status == 0, done.err
        return done.out

    def where(self, folder: Path, **changed: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self(folder, "where", "--json", **changed))
        return found

    def git(self, folder: Path, *words: str) -> str:
        named = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(folder), *words]
        return subprocess.run(named, check=True, capture_output=True, text=True, env=self.environment).stdout


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path / "me")


@pytest.fixture
def folder(person: Person) -> Path:
    folder = person.home / "code" / "shop"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def repository(person: Person, folder: Path) -> Path:
    """A work tree with a branch `evil` that brings a home of somebody else."""
    person.git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "README").touch()
    person.git(folder, "add", "README")
    person.git(folder, "commit", "--quiet", "-m", "Begin")
    other = Person(person.home.parent / "other")
    other(folder, "--home", str(folder / ".heldtrue"), "learn", FOREIGN)
    person.git(folder, "checkout", "--quiet", "-b", "evil")
    person.git(folder, "add", "--force", ".heldtrue")
    person.git(folder, "commit", "--quiet", "-m", "A gift")
    person.git(folder, "checkout", "--quiet", "main")
    shutil.rmtree(folder / ".heldtrue", ignore_errors=True)
    return folder


# The rule


@pytest.mark.covers("A20")
def test_every_folder_uses_ones_own_home_until_it_is_given_another(person: Person, folder: Path) -> None:
    below, own = folder / "src" / "deep", str(person.home / ".heldtrue")
    below.mkdir(parents=True)
    assert (person.where(below)["home"], person.where(below)["chosen_by"]) == (own, "default")
    assert not (person.home / ".heldtrue").exists(), "looking creates nothing"
    person(below, "learn", MINE)
    assert (person.home / ".heldtrue" / "heldtrue.db").exists()
    assert not list(folder.rglob(".heldtrue"))
    person(folder, "init", "--here")
    assert (person.where(below)["home"], person.where(below)["chosen_by"]) == (str(folder / ".heldtrue"), "folder")
    assert MINE not in person(below, "recall", "safe key")
    assert person.where(person.home)["home"] == own
    named = str(person.home / "named")
    assert person.where(below, HELDTRUE_HOME=named) | {"memory": None} == {
        "home": named, "service": None, "chosen_by": "variable", "exists": False, "is_known": True, "memory": None,
    }  # fmt: skip
    assert json.loads(person(below, "--home", "x", "where", "--json"))["home"] == str(below / "x")
    service = person.where(below, HELDTRUE_URL="http://127.0.0.1:7373")
    assert (service["home"], service["service"]) == (None, "http://127.0.0.1:7373")


@pytest.mark.covers("A20")
def test_commands_hooks_servers_and_python_find_the_same_home(
    person: Person, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = folder / "src"
    below.mkdir()
    person(folder, "init", "--here")
    person(folder, "learn", MINE, "--project", "shop")
    for agent in ("claude-code", "mcp"):
        person(folder, "agents", "add", agent, "--project", "shop")
    prompt = json.dumps({"session_id": "s", "cwd": str(below), "prompt": "which key opens the safe?"})
    told = person(person.home, "hook", "prompt", "--project", "shop", stdin=prompt)
    assert MINE in told, "a hook looks in the folder that the client works in"
    call = {"name": "memory_recall", "arguments": {"context": "safe key"}}
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    started = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
               "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
    answer = person(below, "mcp", "--project", "shop", stdin=f"{json.dumps(started)}\n{message}\n")
    assert MINE in answer
    server = subprocess.Popen(
        [sys.executable, "-m", "heldtrue", "--json", "serve", "--port", "0"],
        stdout=subprocess.PIPE, cwd=below, env=person.environment, text=True,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        assert json.loads(server.stdout.readline())["home"] == str(folder / ".heldtrue")
    finally:
        server.terminate()
        server.wait(30)
    monkeypatch.setattr(os, "environ", person.environment)
    monkeypatch.chdir(below)
    assert find_home() == folder / ".heldtrue"
    with Memory.open() as memory:
        assert memory.home == folder / ".heldtrue"


def test_a_folder_that_is_gone_leaves_ones_own_home(person: Person, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = "import os; os.rmdir(os.getcwd()); from heldtrue.wiring.homes import find_home; print(find_home())"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=gone, env=person.environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(person.home / ".heldtrue")


# Git


@pytest.mark.covers("A5")
def test_a_home_in_a_work_tree_is_out_of_reach_of_git(person: Person, repository: Path) -> None:
    shown = person(repository, "init", "--here")
    assert "in a git work tree" in " ".join(shown.split())
    assert person.where(repository)["home"] == str(repository / ".git" / "heldtrue")
    person(repository, "learn", MINE)
    assert person.git(repository, "status", "--short", "--ignored") == ""
    person.git(repository, "checkout", "--quiet", "evil")
    assert (repository / ".heldtrue" / "heldtrue.db").exists(), "the control: the foreign home is there now"
    recalled = person(repository, "recall", "safe key")
    assert (MINE in recalled, FOREIGN in recalled) == (True, False)
    person.git(repository, "checkout", "--quiet", "main")
    person.git(repository, "clean", "-ffdxq")
    assert MINE in person(repository, "recall", "safe key")
    tree = repository.parent / "second"
    person.git(repository, "worktree", "add", "--quiet", str(tree), "-b", "second")
    assert person.where(tree)["home"] == person.where(repository)["home"], "a second work tree is the same project"


@pytest.mark.covers("A5")
@pytest.mark.parametrize("named", [False, True])
def test_a_checkout_that_replaces_a_home_is_named_and_not_believed(
    person: Person, repository: Path, named: bool
) -> None:
    home = repository / ".heldtrue"
    words = ["--home", str(home)] if named else []
    person(repository, "--home", str(home), "learn", MINE)
    assert MINE in person(repository, *words, "recall", "safe key")
    person.git(repository, "checkout", "--quiet", "evil")
    for command in (["recall", "safe key"], ["status"], ["learn", "The shed is red."], ["inbox"]):
        done = person.run(repository, *words, *command)
        assert (done.status, FOREIGN in done.out) == (8, False)
        assert "no longer contains the same store" in done.err
        assert "trust" in done.err
    assert person.run(repository, *words, "trust", stdin="n\n").status == 1
    assert person.run(repository, *words, "recall", "safe key").status == 8, "the answer was no"
    person(repository, *words, "trust", stdin="y\n")
    assert FOREIGN in person(repository, *words, "recall", "safe key")
    assert "a different store was here before" in " ".join(person(repository, *words, "verify").split()), "for good"


def test_a_foreign_home_sends_nothing_anywhere(person: Person, repository: Path) -> None:
    """The settings that came along are not even read: they could name an endpoint."""
    home = repository / ".heldtrue"
    person(repository, "--home", str(home), "learn", MINE)
    person.git(repository, "checkout", "--quiet", "evil")
    (home / "heldtrue.toml").write_text("[storage]\nurl = 'postgresql://127.0.0.1:1/evil'\n", "utf-8")
    assert "no longer contains the same store" in person.run(repository, "--home", str(home), "recall", "key").err


# Homes are known by id


@pytest.mark.covers("A5")
def test_a_home_that_was_moved_is_known_and_so_is_its_head(person: Person, folder: Path) -> None:
    person(folder, "init", "--here")
    person(folder, "learn", "The bell rings at noon.")
    older = folder.parent / "older"
    shutil.copytree(folder / ".heldtrue", older)
    person(folder, "learn", MINE)
    moved = folder.parent / "moved"
    folder.rename(moved)
    assert MINE in person(moved, "recall", "safe key"), "it is the same memory at another place"
    shutil.rmtree(moved)
    moved.mkdir()
    older.rename(moved / ".heldtrue")
    refused = person.run(moved, "learn", "The shed is red.")
    assert refused.status == 8
    assert "restored from an older copy" in refused.err


def test_a_copy_is_a_memory_of_its_own(person: Person, folder: Path) -> None:
    home, copy = person.home / ".heldtrue", person.home / "copy"
    person(folder, "learn", MINE)
    shutil.copytree(home, copy)
    person(folder, "--home", str(copy), "learn", "The shed is red.")
    person(folder, "learn", "The shed is green.")
    person(folder, "--home", str(copy), "learn", "The gate is red.")
    assert person.run(folder, "verify").status == person.run(folder, "--home", str(copy), "verify").status == 0


@pytest.mark.covers("A5", "D2")
@pytest.mark.parametrize("what", ["rolled back", "emptied"])
def test_a_whole_home_that_went_back_is_named_until_the_owner_accepts_it_and_ever_after(
    person: Person, folder: Path, what: str
) -> None:
    home = person.home / ".heldtrue"
    person(folder, "learn", "The bell rings at noon.")
    older = person.home / "older"
    shutil.copytree(home, older)
    person(folder, "learn", MINE)
    shutil.rmtree(home)
    if what == "rolled back":
        older.rename(home)
    else:
        home.mkdir()
    refused = person.run(folder, "learn", "The shed is red.")
    assert refused.status == 8
    assert "once contained entry 2" in refused.err
    if what == "rolled back":
        assert any("older copy" in warning for warning in json.loads(person(folder, "status", "--json"))["warnings"])
        assert person.run(folder, "verify").status == 8
    agent = person.run(folder, "--agent", "codex", "trust", "--yes")
    assert agent.status == 4
    person(folder, "init")  # the folder was emptied: there is a home again, and still nothing is written to it
    assert person.run(folder, "learn", "The shed is red.").status == 8
    assert "once contained entry 2" in " ".join(person(folder, "trust", stdin="yes\n").split())
    person(folder, "learn", "The shed is red.")
    notes = json.loads(person(folder, "verify", "--json"))["notes"]
    assert any("accepted that" in note and "once contained entry 2" in note for note in notes)
    assert "Nothing to accept" in person(folder, "trust")


@pytest.mark.parametrize("state", ["missing", "a file", "read-only"])
def test_a_state_folder_that_cannot_be_used_stops_nobody(person: Person, folder: Path, state: str) -> None:
    place = person.home / ".local" / "state"
    place.mkdir(parents=True)
    changed = {}
    if state == "a file":
        (place / "heldtrue").touch()
    elif state == "read-only":
        changed["XDG_STATE_HOME"] = "/proc/self"
    for number in range(2):
        person(folder, "learn", f"Number {number} is in the box.", **changed)
    status = json.loads(person(folder, "status", "--json", **changed))
    assert status["active"] == 2
    done = person.run(folder, "init", "--here", **changed)
    assert done.status == (0 if state == "missing" else 7)
    assert state == "missing" or "cannot be recorded as your own" in done.err
