"""On the command line: why something was recalled, what helped, and questions kept under a name."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from heldtrue import Memory
from heldtrue.surfaces.cli.text import width_of
from tests.acceptance.test_feedback import note_recall
from tests.surfaces.conftest import ENVIRONMENT, CommandLine, Done

PORT, SHOP = "The billing API listens on port 8080.", "The shop sends its invoices at midnight."


@pytest.fixture
def recall(heldtrue: CommandLine) -> tuple[str, list[str]]:
    """The id of a logged recall, and of what it gave."""
    with Memory.open(heldtrue.home) as memory:
        facts = [memory.learn(text).memory.id for text in (PORT, SHOP)]
        return note_recall(memory, *facts, injected=(facts[0],)), facts


@pytest.mark.covers("B18")
def test_why_tells_what_was_asked_what_came_back_and_what_helped(
    heldtrue: CommandLine, recall: tuple[str, list[str]]
) -> None:
    recall_id, facts = recall
    told = heldtrue("why", recall_id)
    for words in (
        "which port?", recall_id, "person:owner", "port billing", "limit 5", "2 results by recall", "tier items",
        "candidates 12", PORT, SHOP, "1.00 = text 1.00", "0.50 = text 0.50", f"heldtrue feedback {recall_id[-8:]}",
    ):  # fmt: skip
        assert words in told, words
    assert told.count("in the prompt") == 1
    assert "ignored" not in told.replace("--ignored", "")
    done = heldtrue("feedback", recall_id, "--used", facts[0], "--ignored", facts[1])
    assert "noted" in done
    assert f"{facts[0]}  priority +0.10" in done
    assert f"{facts[1]}  priority -0.05" in done
    told = heldtrue("why", recall_id)
    assert "used" in told
    assert "ignored" in told
    assert "1 of 2 used (entry #3)" in told
    assert "was undone" in heldtrue("feedback", recall_id, "--undo")
    assert heldtrue.run("feedback", recall_id, "--undo").status == 5
    assert heldtrue("why", recall_id, "--quiet").split() == facts


def test_an_answer_may_be_piped_in(
    process: Callable[..., Done], heldtrue: CommandLine, recall: tuple[str, list[str]]
) -> None:
    recall_id, facts = recall
    done = process(
        "--json", "feedback", recall_id, "--answer", "-", stdin=f"It is said that {PORT}\n", home=heldtrue.home
    )
    assert (done.status, done.err) == (0, "")
    assert done.answer["used"] == facts[:1]


@pytest.mark.covers("B18")
def test_the_log_is_listed_with_how_to_go_on(heldtrue: CommandLine, recall: tuple[str, list[str]]) -> None:
    told = heldtrue("recalls")
    assert "which port?" in told
    assert f"…{recall[0][-8:]} · person:owner · 2 results by recall" in told
    assert heldtrue("recalls", "-q").split() == [recall[0]]
    assert heldtrue.run("--agent", "scout", "why", recall[0]).status == 3
    assert "The recall log is empty" in heldtrue("--agent", "scout", "recalls")


@pytest.mark.covers("B18")
def test_a_question_is_kept_shown_asked_and_dropped(heldtrue: CommandLine) -> None:
    heldtrue("learn", PORT)
    assert "No saved views" in heldtrue("views")
    assert "saved" in heldtrue("save-view", "ports", "which port", "--arguments", '{"limit": 3}')
    told = heldtrue("views")
    for words in ("ports", "which port", "limit 3", "person:owner"):
        assert words in told
    assert PORT in heldtrue("view", "ports")
    assert heldtrue("views", "-q") == "ports\n"
    wrong = heldtrue.run("save-view", "ports", "which port", "--arguments", '{"limt": 3}')
    assert (wrong.status, "did you mean limit?" in wrong.err) == (2, True)
    assert "dropped" in heldtrue("drop-view", "ports")
    assert heldtrue.run("view", "ports").status == 3


@pytest.mark.covers("B18")
def test_a_recall_on_the_command_line_is_in_the_log(process: Callable[..., Done]) -> None:
    process("learn", PORT)
    done = process("--json", "--agent", "scout", "recall", "billing port")
    told = process("--json", "why", done.answer["recall_id"]).answer
    assert (told["question"], told["by"], told["channel"]) == ("billing port", "agent:scout", "cli")
    assert len(told["results"]) == 1


def test_an_answer_is_printed_before_its_log_is_written(heldtrue: CommandLine) -> None:
    heldtrue("learn", PORT)
    held, release = threading.Event(), threading.Event()
    with Memory.open(heldtrue.home) as memory:

        def hold() -> None:
            with memory._call.instance.store.write():
                held.set()
                release.wait(30)

        holder = threading.Thread(target=hold)
        holder.start()
        assert held.wait(10)
        asking = subprocess.Popen(
            [sys.executable, "-m", "heldtrue", "--home", str(heldtrue.home), "--json", "recall", "billing"],
            stdout=subprocess.PIPE, env=ENVIRONMENT,
        )  # fmt: skip
        assert asking.stdout is not None
        answer = json.loads(asking.stdout.readline())
        assert (len(answer["results"]), asking.poll()) == (1, None), "another writer still holds the lock"
        release.set()
        holder.join()
        assert asking.wait(30) == 0
        asking.stdout.close()
        assert memory.why(answer["recall_id"]).question == "billing"


@pytest.mark.parametrize("columns", [80, 110])
def test_lines_fit_the_page(heldtrue: CommandLine, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = "The quick brown fox jumps over the lazy dog while the 会議 goes on and on. " * 4
    heldtrue("learn", text)
    recall_id = heldtrue.json("recall", text)["recall_id"]
    heldtrue("save-view", "foxes", text, "--arguments", '{"kinds": ["note", "lesson", "convention"], "limit": 3}')
    for words in (["why", recall_id], ["recalls"], ["views"], ["feedback", recall_id, "--answer", text]):
        assert max(width_of(line) for line in heldtrue(*words).splitlines()) <= columns, words
