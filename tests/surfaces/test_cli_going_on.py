"""A page that is not the last says how to go on: the same command, with all that was asked, from where it ends."""

import shlex
from collections.abc import Callable

import pytest

from heldtrue.surfaces.cli.options import type_again
from tests.surfaces.conftest import CommandLine, Done


def next_line(told: str) -> list[str]:
    (line,) = [line for line in told.splitlines() if line.startswith(("More: ", "To continue: "))]
    program, *words = shlex.split(line.partition(": ")[2])
    assert program == "heldtrue"
    return words


def test_a_list_leads_on_with_its_own_filters(heldtrue: CommandLine) -> None:
    for number in range(3):
        heldtrue("learn", f"Server {number} runs Debian", "--topic", "the servers")
        heldtrue("learn", f"Printer {number} is out of ink", "--topic", "printers")
    words = next_line(heldtrue("list", "--topic", "the servers", "--limit", "1"))
    assert words[:-2] == ["--home", str(heldtrue.home), "list", "--topic", "the servers", "--limit", "1"]
    seen = []
    while words:
        told = heldtrue(*words)
        seen.append(told.split("\n")[0])
        assert "Printer" not in told
        words = next_line(told) if "More: " in told else []
    assert [line[6:14] for line in seen] == ["Server 1", "Server 0"]


@pytest.mark.parametrize("command", ["inbox", "conflicts", "recalls", "jobs", "events"])
def test_every_list_leads_on_and_keeps_who_asks_and_how_many(heldtrue: CommandLine, command: str) -> None:
    for number in (8080, 9090, 7070):
        heldtrue("--agent", f"scout-{number}", "learn", f"The API listens on port {number}")
        heldtrue("recall", f"which port is {number}?")
    for number in (1, 2):
        heldtrue("capture", f"We moved office {number}.", "--extract")
    told = heldtrue(command, "--limit", "1", "--project", "shop")
    option = "--after" if command == "events" else "--cursor"
    words = next_line(told)
    assert words[:-1] == ["--home", str(heldtrue.home), command, "--limit", "1", "--project", "shop", option]
    further = heldtrue(*words)
    assert further != told
    if option in further:
        assert next_line(further)[:-1] == words[:-1]


def test_the_place_stands_before_words_that_are_no_options_and_only_once() -> None:
    assert type_again(["list", "--cursor=4", "--cursor", "5", "--", "--cursor"], "--cursor", "6") == (
        "heldtrue list --cursor 6 -- --cursor"
    )


def test_status_leaves_out_what_an_agent_is_not_told(heldtrue: CommandLine) -> None:
    heldtrue("learn", "The API listens on port 8080")
    told = heldtrue("--agent", "scout", "status")
    assert "active memories" in told
    for absent in ("None", "in memory", "rejected claims", "sources"):
        assert absent not in told
    owner = heldtrue("status")
    assert "sources" in owner
    assert str(heldtrue.home) in owner


def test_status_counts_the_rejected_claims_that_are_listed(heldtrue: CommandLine) -> None:
    memory = heldtrue("-q", "learn", "Alice lives in Berlin and works at Acme").strip()
    assert heldtrue.json("status")["rejected_values"] == 0
    heldtrue("forget", memory, "--reason", "she moved")
    listed = heldtrue.json("rejections")["items"]
    assert heldtrue.json("status")["rejected_values"] == len(listed) == 1


def test_the_same_question_asked_again_is_found_by_the_end_of_its_id(heldtrue: CommandLine) -> None:
    heldtrue("learn", "The API listens on port 8080")
    for _ in range(2):
        recalled = heldtrue("recall", "which port?").splitlines()[-1]
        ending = recalled.removeprefix("Why these results: heldtrue why ")
        assert heldtrue("why", ending).startswith("which port?")


@pytest.mark.parametrize("words", [("recall", "port"), ("search", "port"), ("view", "ports")])
def test_results_stand_under_what_was_looked_for(heldtrue: CommandLine, words: tuple[str, str]) -> None:
    heldtrue("learn", "The API listens on port 8080")
    heldtrue("save-view", "ports", "which port?")
    assert heldtrue(*words).splitlines()[0] == f'1 memory for "{words[1]}"'


def test_a_restored_memory_that_contradicts_another_comes_with_the_command_that_resolves_it(
    heldtrue: CommandLine,
) -> None:
    old = heldtrue("-q", "learn", "The API listens on port 8080").strip()
    heldtrue("correct", old, "The API listens on port 9090", "--reason", "it moved")
    told = heldtrue("restore", old)
    (conflict,) = heldtrue.json("conflicts")["items"]
    assert f"heldtrue resolve {conflict['conflict']['id'][-8:]} keep_old|keep_new" in " ".join(told.split())


@pytest.mark.parametrize("command", ["list", "follow"])
def test_a_service_is_not_asked_without_a_token(process: Callable[..., Done], command: str) -> None:
    unasked = process(command, HELDTRUE_URL="http://127.0.0.1:9", HELDTRUE_TOKEN="")
    said = " ".join(unasked.err.split())
    assert (unasked.status, "set HELDTRUE_TOKEN to your token" in said) == (4, True)
    assert "cannot be reached" not in said
    asked = process(command, HELDTRUE_URL="http://127.0.0.1:9", HELDTRUE_TOKEN="x")
    assert "cannot be reached" in " ".join(asked.err.split())
