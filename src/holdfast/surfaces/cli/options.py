"""The options that every command takes, before it or after it."""

from __future__ import annotations

import msgspec

EXTRA_COMMANDS = ("tour", "help", "version")
"""The commands that are no capabilities."""
COLORS = ("auto", "always", "never")


class GlobalOption(msgspec.Struct, frozen=True):
    """One option of all commands."""

    name: str
    metavar: str | None
    """What its value is; none for a flag."""
    description: str


GLOBALS = (
    GlobalOption("home", "DIR", "The folder of the memory; else HOLDFAST_HOME, else .holdfast of this project."),
    GlobalOption("agent", "NAME", "Act as this agent; left out, you are the owner, a person."),
    GlobalOption(
        "project",
        "ID",
        "The project you work in: what you learn goes to project:ID, and recall covers it and what is global.",
    ),
    GlobalOption("repo", "ID", "The repository you work in."),
    GlobalOption("session", "ID", "The session you work in."),
    GlobalOption("json", None, "Print the answer as JSON, errors too."),
    GlobalOption("color", "WHEN", "Use colours: auto, always or never."),
    GlobalOption("quiet", None, "Print only ids, or nothing; -q for short."),
    GlobalOption("debug", None, "Show where an unexpected error came from."),
)
RESERVED = frozenset(one.name for one in GLOBALS) | {"help", "version"}


class Options(msgspec.Struct, frozen=True):
    """What was chosen for this run."""

    home: str | None = None
    agent: str | None = None
    project: str | None = None
    repo: str | None = None
    session: str | None = None
    json: bool = False
    color: str = "auto"
    quiet: bool = False
    debug: bool = False


def find_color(words: list[str]) -> str:
    """The colours that were asked for, on a line that need not be right otherwise."""
    for place, word in enumerate(words):
        if word.startswith("--color="):
            return word.partition("=")[2]
        if word == "--color" and place + 1 < len(words):
            return words[place + 1]
    return "auto"


_TAKE_VALUE = frozenset(f"--{one.name}" for one in GLOBALS if one.metavar)


def split_command(words: list[str]) -> tuple[str | None, list[str]]:
    """The command, which is the first word that is no option, and everything else that was typed."""
    place = 0
    while place < len(words):
        word = words[place]
        if word == "--":
            break
        if not word.startswith("-") or word == "-":
            return word, words[:place] + words[place + 1 :]
        place += 2 if word in _TAKE_VALUE else 1
    return None, list(words)
