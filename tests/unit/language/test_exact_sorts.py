"""What is not a statement by its form alone, in whatever language."""

from __future__ import annotations

import pytest

from heldtrue.domain.judged import TextSort
from heldtrue.language.exact_sorts import sort_exactly
from tests.effort import assert_linear

DIALOGUE = "User: where is the key?\nAssistant: Under the mat."
NAMED = "[14:02] kirsten: too wide\n[14:03] bot: which table?\n[14:05] kirsten: the first\n[14:06] bot: done"
LOG = "2026-05-01 10:00:01 INFO start\n2026-05-01 10:00:02 INFO read 3 files\n2026-05-01 10:00:03 ERROR no disk"
CODE = "def read(path):\n    if path is None:\n        return load(path)\n    x = 3"


@pytest.mark.covers("D5")
@pytest.mark.parametrize("text", ["...", "\U0001f44d", "!?", "Thanks!", "ok, thanks", "Hello hello", "Yes.", "— ***"])
def test_signs_and_bare_greetings_are_chatter(text: str) -> None:
    assert sort_exactly(text) is TextSort.CHATTER


@pytest.mark.covers("D5")
@pytest.mark.parametrize("text", [DIALOGUE, NAMED, LOG, CODE, f"{LOG}\n{LOG}\nand so on"])
def test_pasted_dialogue_logs_and_code_are_transcripts(text: str) -> None:
    assert sort_exactly(text) is TextSort.TRANSCRIPT


@pytest.mark.parametrize(
    "text",
    [
        "The gate is blue.",
        "I think the gate might be blue.",
        "Thanks to Ito's patch, cold start dropped to 2.3 s.",
        "No deploys on Fridays",
        "你好",
        "Host: stg-04\nPort: 5433\nUser: backup",
        "Backend: Go\nFrontend: React\nStore: SQLite\nQueue: none",
        "To release:\n$ make dist\n$ make push\n$ make announce\n$ make rest",
        "Deploy like this:\n```\nx = 1;\ny = 2;\nz = 3;\n```",
        "The retry helper waits twice as long each time.\nIt gives up after five attempts.",
        "INFO lines are dropped at night.",
        "8080",
    ],
)
def test_anything_else_is_left_to_the_reader(text: str) -> None:
    assert sort_exactly(text) is None


@pytest.mark.parametrize("unit", ["a: b\n", "x = 1;\n", "a b ", "12:00:01 ", "a> ", "a a a: "])
def test_the_effort_is_linear(unit: str) -> None:
    assert_linear(sort_exactly, unit * (65_536 // len(unit)))
