"""The options that every command takes, before it or after it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.surfaces.cli.usage import UsageProblem, suggest

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
    GlobalOption("compact", None, "Print listings with one line for each item."),
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
    compact: bool = False
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


def two_words(first: str) -> dict[str, str]:
    """The commands that may be said in two words beginning with this one: by the second word, the command it is."""
    from heldtrue.capabilities.verb_index import verbs

    named = {verb: known.command for verb, known in verbs().items() if known.command is not None}
    return {words[1]: verb.replace("_", "-") for verb, words in named.items() if words[0] == first}


_AROUND = {"`projects`": "--project ID"}
"""Arguments that an option of every command gives as well, which is what is typed."""


def say_hint(hint: str) -> str:
    """A hint with the verbs and arguments that it names as they are typed."""
    from heldtrue.surfaces.tool_catalogue import say_for_commands

    for word, typed in _AROUND.items():
        hint = hint.replace(word, typed)
    return say_for_commands(hint, _command_of)


def _command_of(verb: str) -> str | None:
    """The command that a capability is; none where there is no such capability."""
    from heldtrue.capabilities.verb_index import find_verb

    known = find_verb(verb)
    if known is None:
        return None
    is_short = known.command is None or known.command[0] == verb
    return verb.replace("_", "-") if is_short else " ".join(known.command or ())


def _join_words(command: str, rest: list[str]) -> tuple[str, list[str]]:
    """`agents add NAME` is `add-agent NAME`: some commands may be said in two words, also after `help`."""
    if command == "help":
        named, left = split_command(rest)
        return (command, [named, *left]) if named is not None else (command, rest)
    family = two_words(command)
    named, left = split_command(rest) if family else (None, rest)
    if named is None:
        return command, rest
    if named not in family:
        close = suggest(named, family)
        meant = f"did you mean {command} {close}? " if close else ""
        raise UsageProblem(
            f"there is no command '{command} {named}'",
            field="command",
            hint=f"{meant}there are {', '.join(f'{command} {word}' for word in family)}",
        )
    return family[named], left


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
