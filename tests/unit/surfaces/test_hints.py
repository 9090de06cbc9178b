"""Hints are said once, in words that hold everywhere, and each surface puts its own names into them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import heldtrue
from heldtrue.capabilities.verb_index import all_capabilities
from heldtrue.surfaces.cli.options import say_hint
from heldtrue.surfaces.tool_catalogue import retell_commands, say_for_tools

SOURCE = Path(heldtrue.__file__).parent
TYPED = re.compile(r"\bheldtrue [a-z]|(?<!\S)--[a-z]")
OF_THE_MACHINE = (
    "surfaces/cli/",
    "surfaces/mcp/",
    "surfaces/rest/serve.py",
    "surfaces/remote.py",
    "wiring/",
    "storage/",
)
"""Where a hint is for whoever sits at the machine that has the home, and can only be followed there."""
LEFT = {"recall/index/vectors.py"}


def hints() -> Iterator[tuple[str, str]]:
    """Every text that is given as a hint, with the file it is in."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "hint":
                pieces = [constant.value for constant in ast.walk(node.value) if isinstance(constant, ast.Constant)]
                yield str(path.relative_to(SOURCE)), "".join(str(piece) for piece in pieces)


def test_no_hint_that_a_remote_caller_can_get_is_a_command_line() -> None:
    every = list(hints())
    assert len(every) > 150
    typed = [(where, text) for where, text in every if TYPED.search(text)]
    assert [hint for hint in typed if not hint[0].startswith(OF_THE_MACHINE) and hint[0] not in LEFT] == [
        (
            "capabilities/transfer.py",
            "on the machine that will hold the store, run `heldtrue --home NEW_FOLDER restore-backup FILE`",
        )
    ]


def test_every_word_that_a_hint_names_is_a_capability_or_an_argument() -> None:
    known = set(all_capabilities()) | {
        parameter.name for each in all_capabilities().values() for parameter in each.parameters
    }
    named = {(where, word) for where, text in hints() for word in re.findall(r"`([a-z_]+)`", text)}
    assert len(named) > 20
    assert {hint for hint in named if hint[1] not in known} == set()


SAID = {
    "find it with: `list`, or `recall`": (
        "find it with: heldtrue list, or heldtrue recall",
        "find it with: memory.list, or memory.recall",
        "find it with: memory_recall",
    ),
    "let it in with `add_agent`": (
        "let it in with heldtrue agents add",
        "let it in with memory.add_agent",
        "let it in with add_agent",
    ),
    "see `job` 01a1, with a `source_text`": (
        "see heldtrue job 01a1, with a --source-text",
        "see memory.job 01a1, with a source_text",
        "see job 01a1, with a source_text",
    ),
    "run heldtrue verify": ("run heldtrue verify", "run memory.verify", "run heldtrue verify"),
    "what a server said: memory.list": (
        "what a server said: heldtrue list",
        "what a server said: memory.list",
        "what a server said: memory.list",
    ),
}


@pytest.mark.parametrize("hint", SAID)
def test_each_surface_says_it_in_its_own_words(hint: str) -> None:
    verbs = set(all_capabilities())
    assert SAID[hint] == (
        say_hint(hint),
        retell_commands(hint, lambda verb: f"memory.{verb}" if verb in verbs else None),
        say_for_tools(hint, {"recall", "learn"}.__contains__),
    )
