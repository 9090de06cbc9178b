"""The options that every command takes, before it or after it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.surfaces.cli.usage import UsageProblem, suggest

EXTRA_COMMANDS = ("mcp", "serve", "follow", "tour", "install", "uninstall", "hook", "help", "version")
"""The commands that are no capabilities."""
COLORS = ("auto", "always", "never")


class GlobalOption(msgspec.Struct, frozen=True):
    """One option of all commands."""

    name: str
    metavar: str | None
    """What its value is; none for a flag."""
    description: str


GLOBALS = (
    GlobalOption("home", "DIR", "The folder of the memory; else HELDTRUE_HOME, else .heldtrue of this project."),
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


OF_AGENTS = {"add": "add-agent", "rotate": "rotate-agent", "revoke": "revoke-agent", "list": "agents"}
"""What is said about agents in two words, and the command that each is."""


_AROUND = {"`projects`": "--project ID"}
"""Arguments that an option of every command gives as well, which is what is typed."""


def say_hint(hint: str) -> str:
    """A hint with the verbs and arguments that it names as they are typed."""
    from heldtrue.surfaces.choice import say_for_commands

    for word, typed in _AROUND.items():
        hint = hint.replace(word, typed)
    return say_for_commands(hint, _command_of)


def _command_of(verb: str) -> str | None:
    """The command that a capability is; none where there is no such capability."""
    from heldtrue.capabilities.homes import HOMES

    if not any(verb in verbs for verbs in HOMES.values()):
        return None
    command = verb.replace("_", "-")
    return next((f"agents {word}" for word, joined in OF_AGENTS.items() if joined == command != "agents"), command)


def _join_words(command: str, rest: list[str]) -> tuple[str, list[str]]:
    """`agents add NAME` is `add-agent NAME`: what is done to agents may be said in two words, also after `help`."""
    if command not in ("agents", "help"):
        return command, rest
    named, left = split_command(rest)
    if named is None:
        return command, rest
    if command == "help":
        return command, [named, *left]
    if named not in OF_AGENTS:
        close = suggest(named, OF_AGENTS)
        raise UsageProblem(
            f"there is no command 'agents {named}'",
            field="command",
            hint=f"{f'did you mean agents {close}? ' if close else ''}there are agents {', agents '.join(OF_AGENTS)}",
        )
    return OF_AGENTS[named], left


def split_command(words: list[str]) -> tuple[str | None, list[str]]:
    """The command, which is the first word that is no option, and everything else that was typed."""
    place = 0
    while place < len(words):
        word = words[place]
        if word == "--":
            break
        if not word.startswith("-") or word == "-":
            return _join_words(word, words[:place] + words[place + 1 :])
        place += 2 if word in _TAKE_VALUE else 1
    return None, list(words)


def type_again(words: Sequence[str], option: str, value: str) -> str:
    """What was typed, as a line to be copied, with another value of one option and everything else as it was."""
    import shlex  # only what goes on pays for it

    end = words.index("--") if "--" in words else len(words)
    kept: list[str] = []
    given = iter(words[:end])
    for word in given:
        if word == option:
            next(given, None)
        elif not word.startswith(f"{option}="):
            kept.append(word)
    return shlex.join(["heldtrue", *kept, option, value, *words[end:]])


def find_stray(words: list[str]) -> str | None:
    """The first option before the command that is none of every command: what follows it was taken for the command."""
    known = {f"--{one.name}" for one in GLOBALS} | {"-q"}
    place = 0
    while place < len(words) and len(words[place]) > 1 and words[place][0] == "-" and words[place] != "--":
        name = words[place].partition("=")[0]
        if name not in known:
            return name
        place += 2 if words[place] in _TAKE_VALUE else 1
    return None
