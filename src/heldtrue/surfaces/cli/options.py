"""The global options: every command takes them, before or after its name."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.surfaces.cli.usage import UsageProblem, suggest

COLORS = ("auto", "always", "never")


class GlobalOption(msgspec.Struct, frozen=True):
    """One global option."""

    name: str
    metavar: str | None
    """The name of its value in help; None for a flag."""
    description: str


GLOBALS = (
    GlobalOption(
        "home",
        "DIR",
        "The store's folder. Default: HELDTRUE_HOME if set, otherwise this folder's home, otherwise ~/.heldtrue.",
    ),
    GlobalOption(
        "url", "URL", "Use the service at this URL, with the token in HELDTRUE_TOKEN. Default: HELDTRUE_URL, if set."
    ),
    GlobalOption("agent", "NAME", "Act as this agent. By default, you act as the owner, a person."),
    GlobalOption(
        "project",
        "ID",
        "The project you work in. New memories get the scope project:ID, and recall searches this scope and global.",
    ),
    GlobalOption("repo", "ID", "The repository you work in."),
    GlobalOption("session", "ID", "The session you work in."),
    GlobalOption("json", None, "Print the result as JSON, including errors."),
    GlobalOption("color", "WHEN", "Use colours: auto, always or never."),
    GlobalOption("compact", None, "Print one line per item in listings."),
    GlobalOption("quiet", None, "Print only ids, or nothing if there are none (short: -q)."),
    GlobalOption("debug", None, "Show the traceback of an unexpected error."),
)
RESERVED = frozenset(option.name for option in GLOBALS) | {"help", "version"}


class Options(msgspec.Struct, frozen=True):
    """The values of the global options in this run."""

    home: str | None = None
    url: str | None = None
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
    """The value of --color, in a command line that may be wrong otherwise."""
    for index, word in enumerate(words):
        if word.startswith("--color="):
            return word.partition("=")[2]
        if word == "--color" and index + 1 < len(words):
            return words[index + 1]
    return "auto"


_TAKE_VALUE = frozenset(f"--{option.name}" for option in GLOBALS if option.metavar)


def two_words(first: str) -> dict[str, str]:
    """The two-word forms of commands that start with this word: second word to command."""
    from heldtrue.capabilities.verb_index import verbs

    named = {verb: known.command for verb, known in verbs().items() if known.command is not None}
    return {words[1]: verb.replace("_", "-") for verb, words in named.items() if words[0] == first}


def say_hint(hint: str) -> str:
    """A hint with its verbs and arguments as they are typed."""
    from heldtrue.surfaces.tool_catalogue import say_for_commands

    return say_for_commands(hint, _command_of)


def _command_of(verb: str) -> str | None:
    """The command of a capability; None if there is no such capability."""
    from heldtrue.capabilities.verb_index import find_verb

    known = find_verb(verb)
    if known is None:
        return None
    is_short = known.command is None or known.command[0] == verb
    return verb.replace("_", "-") if is_short else " ".join(known.command or ())


def _join_words(command: str, words: list[str]) -> tuple[str, list[str]]:
    """`agents add NAME` is `add-agent NAME`: some commands have a two-word form, also after `help`."""
    if command == "help":
        named, left = split_command(words)
        return (command, [named, *left]) if named is not None else (command, words)
    family = two_words(command)
    named, left = split_command(words) if family else (None, words)
    if named is None:
        return command, words
    if named not in family:
        close = suggest(named, family)
        meant = f"did you mean {command} {close}? " if close else ""
        raise UsageProblem(
            f"there is no command '{command} {named}'",
            field="command",
            hint=f"{meant}choose one of: {', '.join(f'{command} {word}' for word in family)}",
        )
    return family[named], left


def split_command(words: list[str]) -> tuple[str | None, list[str]]:
    """The command, which is the first word that is not an option, and all other words."""
    index = 0
    while index < len(words):
        word = words[index]
        if word == "--":
            break
        if not word.startswith("-") or word == "-":
            return _join_words(word, words[:index] + words[index + 1 :])
        index += 2 if word in _TAKE_VALUE else 1
    return None, list(words)


def type_again(words: Sequence[str], option: str, value: str) -> str:
    """The command line to copy: what was typed, with a new value for one option."""
    import shlex  # loaded only for a next page

    end = words.index("--") if "--" in words else len(words)
    others: list[str] = []
    given = iter(words[:end])
    for word in given:
        if word == option:
            next(given, None)
        elif not word.startswith(f"{option}="):
            others.append(word)
    return shlex.join(["heldtrue", *others, option, value, *words[end:]])


def find_stray(words: list[str]) -> str | None:
    """The first option before the command that is not global: the word after it was taken for the command."""
    known = {f"--{option.name}" for option in GLOBALS} | {"-q"}
    index = 0
    while index < len(words) and len(words[index]) > 1 and words[index][0] == "-" and words[index] != "--":
        name = words[index].partition("=")[0]
        if name not in known:
            return name
        index += 2 if words[index] in _TAKE_VALUE else 1
    return None
