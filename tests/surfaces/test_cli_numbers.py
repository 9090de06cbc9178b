"""Line numbers instead of ids: in the terminal that showed the listing, and only for what is still as it was shown."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import pytest
from msgspec import Meta

from heldtrue import Memory
from heldtrue.capabilities.arguments import MemoryRef
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.parameters import Request
from heldtrue.capabilities.registry import CAPABILITIES, capability
from heldtrue.domain.action import Effect
from heldtrue.surfaces.cli.screen import SESSION_VARIABLE
from tests.surfaces.conftest import ENVIRONMENT, CommandLine, Done

FACTS = ("The shed is green", "The gate squeaks", "The pier is 40 metres long", "The lamp is broken")


class DestroyRequest(Request):
    memory: MemoryRef


class DestroyAnswer(msgspec.Struct):
    memory: Annotated[str, Meta(description="What is gone.")]


class Terminal:
    """A terminal with a shell's session of its own, in which commands are typed one after the other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ours, self._theirs = pty.openpty()
        self._answers, theirs = os.pipe()
        code = (
            "import json, os, subprocess, sys\n"
            "for line in sys.stdin:\n"
            "    words, pipe = json.loads(line)\n"
            "    done = subprocess.run(words, stdin=0, stdout=subprocess.PIPE if pipe else 1)\n"
            f"    os.write({theirs}, json.dumps(done.returncode).encode() + b'\\n')\n"
        )
        environment = {name: value for name, value in ENVIRONMENT.items() if name not in ("NO_COLOR", SESSION_VARIABLE)}
        # The leader of a session, as a shell is; what it starts shares its terminal.
        self._shell = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=self._theirs,
            stderr=self._theirs,
            pass_fds=[theirs],
            start_new_session=True,
            env=environment
            | {
                "HELDTRUE_HOME": str(folder / "home"),
                "XDG_STATE_HOME": str(folder / "state"),
                "TERM": "dumb",
            },
        )
        os.close(theirs)

    def type(self, *words: str, piped: bool = False) -> Done:
        """Run a command here; `piped` sends what it prints elsewhere."""
        assert self._shell.stdin is not None
        typed = [sys.executable, "-m", "heldtrue", *words]
        self._shell.stdin.write(json.dumps([typed, piped]).encode() + b"\n")
        self._shell.stdin.flush()
        told = b""
        os.set_blocking(self._ours, False)
        while True:
            ready, _, _ = select.select([self._ours, self._answers], [], [], 60)
            assert ready, "no answer"
            if self._ours in ready:
                told += os.read(self._ours, 65536)
            elif self._answers in ready:
                status = int(os.read(self._answers, 64))
                return Done(status, told.decode().replace("\r\n", "\n"), "")

    def close(self) -> None:
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        self._shell.wait(60)
        for descriptor in (self._ours, self._theirs, self._answers):
            os.close(descriptor)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    opened = Terminal(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def waiting(home: Path) -> list[str]:
    """Decisions of an agent that wait, newest first."""
    with Memory.open(home) as memory:
        agent = memory.as_agent("bot")
        ids = [agent.learn(f"{fact}.", kind="profile").memory.id for fact in FACTS]
    return ids[::-1]


def statuses(home: Path, ids: list[str]) -> list[str]:
    with Memory.open(home) as memory:
        return [memory.get(name).memory.status for name in ids]


def test_a_number_of_the_last_listing_is_as_good_as_an_id(terminal: Terminal, home: Path, waiting: list[str]) -> None:
    shown = terminal.type("inbox").out
    for number, (name, fact) in enumerate(zip(waiting, FACTS[::-1], strict=True), 1):
        assert f"\n  {number} {fact}." in shown
        assert f"…{name[-8:]}" in shown
    done = terminal.type("approve", "2")
    assert done.status == 0
    assert FACTS[2] in done.out, "the act prints the text it acted on"
    assert statuses(home, waiting) == ["inbox", "active", "inbox", "inbox"]
    assert FACTS[3] in terminal.type("explain", "1").out


def test_several_are_named_by_ranges_and_lists(terminal: Terminal, home: Path, waiting: list[str]) -> None:
    terminal.type("inbox")
    done = terminal.type("approve", "1-2,4")
    assert done.status == 0
    assert [fact in done.out for fact in FACTS] == [True, False, True, True]
    assert statuses(home, waiting) == ["active", "active", "inbox", "active"]
    terminal.type("list")
    assert terminal.type("forget", "1", "3", "--reason", "gone").status == 0
    assert statuses(home, waiting).count("retracted") == 2


def test_several_ids_in_a_row_are_taken_without_a_listing(terminal: Terminal, home: Path, waiting: list[str]) -> None:
    assert terminal.type("reject", waiting[0], waiting[1][-8:]).status == 0
    assert statuses(home, waiting) == ["rejected", "rejected", "inbox", "inbox"]


def test_what_has_changed_since_is_refused(terminal: Terminal, home: Path, waiting: list[str]) -> None:
    terminal.type("inbox")
    with Memory.open(home) as memory:
        memory.approve(waiting[1])
    done = terminal.type("reject", "1-3")
    assert done.status == 5
    assert "has changed since it was listed" in " ".join(done.out.split())
    assert "it was inbox, version 1 and is now active, version 2" in " ".join(done.out.split())
    assert statuses(home, waiting) == ["inbox", "active", "inbox", "inbox"], "nothing of it was done"
    assert terminal.type("reject", "1,3").status == 0, "the control: the others are as they were"
    assert terminal.type("reject", "1").status == 5, "what was done to it here changed it too"


def test_a_listing_is_of_one_terminal(terminal: Terminal, tmp_path: Path, home: Path, waiting: list[str]) -> None:
    other = Terminal(tmp_path)
    try:
        terminal.type("inbox")
        done = other.type("approve", "1")
        assert done.status == 2
        assert "no listing has been shown in this terminal yet" in " ".join(done.out.split())
        other.type("list", "--status", "inbox", "--limit", "1")
        assert terminal.type("approve", "4").status == 0, "the listing there has not become the one here"
    finally:
        other.close()
    assert statuses(home, waiting)[3] == "active"


def test_without_a_terminal_numbers_are_no_names(home: Path, tmp_path: Path, waiting: list[str]) -> None:
    environment = ENVIRONMENT | {"HELDTRUE_HOME": str(home), "XDG_STATE_HOME": str(tmp_path / "state")}
    environment.pop(SESSION_VARIABLE, None)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "heldtrue", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=60, check=False, env=environment,
        )  # fmt: skip

    assert "  1 The lamp is broken." in run("inbox").stdout
    assert not (tmp_path / "state" / "heldtrue" / "listings").exists()
    done = run("approve", "1")
    assert done.returncode == 2
    assert "does not run in a terminal" in " ".join(done.stderr.split())
    assert set(statuses(home, waiting)) == {"inbox"}
    environment[SESSION_VARIABLE] = "script"
    run("inbox")
    assert run("approve", "1").returncode == 0, "a session may be named instead"
    environment[SESSION_VARIABLE] = "other"
    assert run("approve", "2").returncode == 2


def test_a_listing_that_went_elsewhere_ends_the_one_before(terminal: Terminal, home: Path, waiting: list[str]) -> None:
    terminal.type("inbox")
    terminal.type("inbox", "--json")
    terminal.type("recall", "shed", "--quiet")
    assert terminal.type("explain", "1").status == 0, "what numbers no lines changes nothing"
    terminal.type("list", "--status", "inbox", "--limit", "2", piped=True)
    assert terminal.type("approve", "1").status == 2
    assert set(statuses(home, waiting)) == {"inbox"}


def test_an_empty_listing_has_no_lines(terminal: Terminal, home: Path, waiting: list[str]) -> None:
    terminal.type("inbox")
    assert "No inbox items match" in terminal.type("inbox", "--kind", "lesson").out
    assert terminal.type("approve", "1").status == 2
    assert set(statuses(home, waiting)) == {"inbox"}


def test_with_json_nothing_changes(terminal: Terminal, home: Path, waiting: list[str]) -> None:
    terminal.type("inbox")
    done = terminal.type("approve", "1", "--json")
    assert done.status == 3
    assert json.loads(done.out)["error"]["code"] == "not_found"
    assert terminal.type("approve", "1", "2", "--json").status == 2
    assert set(statuses(home, waiting)) == {"inbox"}


def test_a_waiting_memory_leads_to_its_conflict(terminal: Terminal, home: Path) -> None:
    with Memory.open(home) as memory:
        memory.learn("The API listens on port 8080")
        claim = memory.as_agent("bot").learn("The API listens on port 9090").memory.id
    terminal.type("inbox")
    assert terminal.type("resolve", "1", "keep_new").status == 0, "a reason may be left out"
    assert statuses(home, [claim]) == ["active"]
    terminal.type("conflicts")
    assert terminal.type("approve", "1").status == 2


def test_jobs_and_recalls_have_numbers(terminal: Terminal, home: Path) -> None:
    with Memory.open(home) as memory:
        memory.capture("We moved the office to Lyon.")
        memory.learn("The shed is green")
    assert "  1 waiting  extract" in terminal.type("jobs").out
    assert "cancelled" in terminal.type("cancel", "1").out
    terminal.type("recall", "what is green?")
    assert "The shed is green" in terminal.type("get", "1").out
    assert "  1 what is green?" in terminal.type("recalls").out
    with Memory.open(home) as memory:
        recall = memory.recalls().items[0].id
    assert "what is green?" in terminal.type("why", "1").out
    assert "1 used, 0 ignored" in terminal.type("feedback", recall, "--used", "1").out


def test_what_is_irreversible_takes_no_numbers(
    heldtrue: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv(SESSION_VARIABLE, "one")

    @capability("memory.destroy_it", Effect.WRITE, positional=("memory",), irreversible=True)
    def destroy_it(_call: Call, request: DestroyRequest) -> DestroyAnswer:
        """Destroy a memory."""
        return DestroyAnswer(request.memory)

    try:
        memory = heldtrue.json("learn", "The shed is green")["memory"]["id"]
        heldtrue("list")
        assert "The shed" in heldtrue("get", "1"), "the control: the number is known"
        done = heldtrue.run("destroy-it", "1")
        assert done.status == 2
        assert "cannot be undone, so it does not accept line numbers" in done.err
        assert memory in heldtrue("destroy-it", memory)
    finally:
        del CAPABILITIES["memory.destroy_it"]


def test_listings_have_a_form_of_one_line_each(heldtrue: CommandLine, waiting: list[str]) -> None:
    for words in (["inbox"], ["list", "--status", "inbox"]):
        lines = heldtrue(*words, "--compact").splitlines()
        numbered = [line for line in lines if line[:3].strip().isdigit()]
        assert [line.split()[0] for line in numbered] == ["1", "2", "3", "4"]
        for line, name, fact in zip(numbered, waiting, FACTS[::-1], strict=True):
            assert f"…{name[-8:]}  {fact}." in line
            assert len(line) <= 100


def test_the_marks_of_a_list_are_explained_on_a_terminal(terminal: Terminal, home: Path) -> None:
    with Memory.open(home) as memory:
        memory.learn("The shed is green")
    assert "● verified by a person   ○ not verified" in terminal.type("list").out


def test_views_have_numbers_unless_one_is_called_so(terminal: Terminal, home: Path) -> None:
    with Memory.open(home) as memory:
        memory.learn("The shed is green")
        memory.save_view("colours", "what is green?")
    assert "  1 colours" in terminal.type("views").out
    assert "The shed is green" in terminal.type("view", "1").out
    with Memory.open(home) as memory:
        memory.save_view("2", "what is blue?")
    terminal.type("views")
    assert '"2"' in terminal.type("view", "2").out, "the name comes before the number"
    assert terminal.type("save-view", "1", "what is red?").status == 0
    with Memory.open(home) as memory:
        assert {view.name for view in memory.views().items} == {"1", "2", "colours"}, "a new name is no number"
