"""Completion: what `heldtrue __complete` offers, and what the shells that are here make of it."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from heldtrue import Memory
from heldtrue.capabilities.verb_index import verbs
from heldtrue.surfaces.cli.builtin_commands import BUILTIN_COMMANDS
from heldtrue.surfaces.cli.options import GLOBALS
from heldtrue.wiring.settings import setting_names
from tests.surfaces.conftest import ENVIRONMENT, Done
from tests.waiting import wait_until

Process = Callable[..., Done]
SHELLS = ("bash", "zsh", "fish")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def ids(home: Path) -> dict[str, str]:
    with Memory.open(home) as memory:
        memory.add_agent("bot", role="admin")
        active = memory.learn("The API listens on port 8080").memory.id
        waiting = memory.as_agent("bot").learn("The API listens on port 9090")
        job = memory.capture("We moved the office to Lyon.").job
        recall = memory.recall("which port?").recall_id
        memory.save_view("ports", "which ports?")
    assert job is not None
    return {
        "active": active,
        "waiting": waiting.memory.id,
        "conflict": waiting.conflicts[0],
        "job": job,
        "recall": recall,
    }


def offered(process: Process, *words: str) -> dict[str, str]:
    """What could stand in the place of the last word, with its description."""
    done = process("__complete", "zsh", *words)
    assert (done.status, done.err) == (0, "")
    kind, *lines = done.out.splitlines()
    assert kind == "words"
    return dict(line.split("\t") for line in lines)


def test_commands_are_offered_with_what_they_do(process: Process) -> None:
    every = offered(process, "")
    assert set(every) == {*(verb.replace("_", "-") for verb in verbs()), *BUILTIN_COMMANDS}
    assert all(every.values())
    assert list(offered(process, "app")) == ["approve"]
    assert list(offered(process, "--home", "x", "app")) == ["approve"]
    assert "add" in offered(process, "agents", "")
    assert "settings" in offered(process, "help", "")


def test_options_and_choices_are_offered(process: Process) -> None:
    options = offered(process, "learn", "x", "-")
    assert {"--kind", "--scope", "--source", "--help"} <= set(options)
    assert {f"--{option.name}" for option in GLOBALS} <= set(options)
    assert set(offered(process, "learn", "x", "--kind", "pr")) == {"profile", "preference", "project"}
    assert set(offered(process, "learn", "x", "--kind=pro")) == {"--kind=profile", "--kind=project"}
    assert set(offered(process, "list", "--status", "inbox,ac")) == {"inbox,active"}
    assert set(offered(process, "resolve", "x", "keep_")) == {"keep_old", "keep_new", "keep_both"}
    assert set(offered(process, "--color", "")) == {"auto", "always", "never"}
    assert set(offered(process, "config", "get", "server.")) == {
        name for name in setting_names() if name.startswith("server.")
    }
    assert offered(process, "add", "x", "--kind", "les") == {"lesson": ""}, "a word from elsewhere is its command"


def test_ids_are_offered_by_their_end_with_their_first_words(process: Process, ids: dict[str, str]) -> None:
    end = {name: value[-8:] for name, value in ids.items()}
    assert offered(process, "approve", "") == {end["waiting"]: "The API listens on port 9090"}
    assert offered(process, "explain", "") == {end["active"]: "The API listens on port 8080"}
    assert offered(process, "explain", end["active"][:3]) == {end["active"]: "The API listens on port 8080"}
    assert offered(process, "explain", "zz") == {}
    assert list(offered(process, "resolve", "")) == [end["conflict"]]
    assert list(offered(process, "cancel", "")) == [end["job"]]
    assert offered(process, "why", "") == {end["recall"]: "which port?"}
    assert list(offered(process, "view", "")) == ["ports"]
    assert list(offered(process, "agents", "rotate", "")) == ["bot"]
    assert list(offered(process, "reject", "x", "")) == [end["waiting"]], "several may be named"
    assert list(offered(process, "reject", "x,")) == [f"x,{end['waiting']}"]


def test_only_what_the_agent_may_see_is_offered(process: Process, home: Path) -> None:
    with Memory.open(home) as memory:
        memory.add_agent("seo", role="project", projects=["shop"])
        memory.learn("The vault is in the cellar", scope="project:bank")
        memory.learn("The shop opens at nine", scope="project:shop")
    assert list(offered(process, "--agent", "seo", "explain", "").values()) == ["The shop opens at nine"]
    assert len(offered(process, "explain", "")) == 2


def test_files_are_left_to_the_shell(process: Process) -> None:
    for words in (["ingest", ""], ["--home", ""], ["learn-many", "fa"], ["learn", "x", "--source", "sr"]):
        assert process("__complete", "fish", *words).out == "files\n"


def test_nothing_is_made_changed_or_said(process: Process, home: Path) -> None:
    for words in (["explain", ""], ["nonsense", ""], ["agents", "nonsense", ""], ["--agent", "a/b", "get", ""]):
        done = process("__complete", "zsh", *words)
        assert (done.status, done.out, done.err) == (0, "words\n", "")
    assert not home.exists()
    done = process("__complete", "zsh", "explain", "", HELDTRUE_URL="http://127.0.0.1:1", HELDTRUE_TOKEN="x")
    assert (done.status, done.out, done.err) == (0, "words\n", "")


def test_what_is_stored_cannot_steer_the_terminal(process: Process, home: Path) -> None:
    with Memory.open(home) as memory:
        memory.learn("The lamp\tis \x1b[31mred\x1b[0m and\nbright")
    (description,) = offered(process, "explain", "").values()
    assert description.isprintable()


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_its_script(process: Process, shell: str) -> None:
    done = process("completion", shell)
    assert (done.status, done.err) == (0, "")
    assert f"__complete {shell}" in done.out
    program = shutil.which(shell)
    if program is not None:
        checked = subprocess.run([program, "-n"], input=done.out, capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")


@pytest.fixture
def command(tmp_path: Path, home: Path) -> dict[str, str]:
    """An environment in which the command is found by its name."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "heldtrue").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m heldtrue "$@"\n')
    (programs / "heldtrue").chmod(0o755)
    return ENVIRONMENT | {
        "PATH": f"{programs}{os.pathsep}{ENVIRONMENT['PATH']}",
        "HELDTRUE_HOME": str(home),
        "TERM": "dumb",
        "PS1": "> ",
    }


def in_bash(environment: dict[str, str], line: str, *, key: int = 9) -> list[str]:
    """What bash itself would offer for a line: it cuts the words, and calls the function."""
    script = """
        source <(heldtrue completion bash)
        COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=$2
        current=${COMP_LINE##*[[:space:]]}
        current=${current##*[:=]}
        _heldtrue heldtrue "$current" ""
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", line, str(key)],
        env=environment, capture_output=True, text=True, check=True, timeout=60, cwd=Path(__file__).parent,
    )  # fmt: skip
    assert done.stderr == ""
    return [found for found in done.stdout.splitlines() if found]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_is_given_words_and_lists_with_descriptions(command: dict[str, str], ids: dict[str, str]) -> None:
    assert in_bash(command, "heldtrue appr") == ["approve"]
    assert in_bash(command, "heldtrue approve ") == [ids["waiting"][-8:]]
    assert in_bash(command, "heldtrue learn x --kind=pro") == ["profile", "project"], "bash cuts at the equals sign"
    shown = in_bash(command, "heldtrue re", key=ord("?"))
    assert any(re.fullmatch(r"recall +\S.*", line) for line in shown)
    assert Path(__file__).name in in_bash(command, "heldtrue ingest ")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_a_key_completes_in_a_real_bash(command: dict[str, str], ids: dict[str, str]) -> None:
    ours, theirs = pty.openpty()
    shell = subprocess.Popen(
        ["bash", "--norc", "--noprofile", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, env=command,
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)

    told: list[str] = []

    def holds(wanted: str) -> bool:
        if select.select([ours], [], [], 1)[0]:
            told.append(os.read(ours, 65536).decode())
        return wanted in "".join(told)

    def read_until(wanted: str) -> None:
        told.clear()
        wait_until(lambda: holds(wanted))

    try:
        read_until("> ")
        os.write(ours, b"source <(heldtrue completion bash); echo rea''dy\n")
        read_until("ready")
        os.write(ours, b"heldtrue appr\t")
        read_until("heldtrue approve ")
        os.write(ours, b"\t")
        read_until(ids["waiting"][-8:])
    finally:
        shell.kill()
        shell.wait()
        os.close(ours)


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_offers_ids(command: dict[str, str], ids: dict[str, str]) -> None:
    script = 'heldtrue completion fish | source; complete -C "heldtrue approve "'
    done = subprocess.run(["fish", "-c", script], env=command, capture_output=True, text=True, check=True, timeout=60)
    assert f"{ids['waiting'][-8:]}\tThe API listens on port 9090" in done.stdout


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_defines_the_completion(command: dict[str, str]) -> None:
    script = "autoload -U compinit; compinit -u; source <(heldtrue completion zsh); print $_comps[heldtrue]"
    done = subprocess.run(["zsh", "-f", "-c", script], env=command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "_heldtrue"
