"""The names of capabilities as tools, and hints in the terms of tools or of the command line."""

from __future__ import annotations

import re
from collections.abc import Callable

from heldtrue.capabilities.verb_index import find_verb, verbs

PREFIX = "memory_"
"""Used instead of `memory.`: some clients and vendors drop all tools if one name has a dot."""
_COMMAND = re.compile(r"`([a-z_]+)`|\bheldtrue ([a-z][a-z-]*)")
"""How a hint names a verb or an argument: as `verb`, or as a command to type on the machine of the home."""
_EITHER = re.compile(rf"(?:{_COMMAND.pattern})(?: [A-Z]+)*, or (?=(?:{_COMMAND.pattern}))")
_WORD = re.compile(r"`([a-z_]+)`")
_REMOTE = re.compile(r"\bmemory\.([a-z_]+)")


def tool_name(verb: str) -> str:
    """The tool name of a capability."""
    known = find_verb(verb)
    return (known.tool if known is not None else None) or PREFIX + verb


def verb_of_tool(name: str) -> str | None:
    """The verb of a tool; None if no capability can have a tool of this name."""
    named = next((verb for verb, known in verbs().items() if known.tool == name), None)
    if named is not None:
        return named
    return name.removeprefix(PREFIX) if name.startswith(PREFIX) else None


def retell_commands(hint: str, name_of: Callable[[str], str | None]) -> str:
    """A hint with the names that a surface uses; a word without such a name stays a plain word."""

    def retell(named: re.Match[str]) -> str:
        word, command = named.groups()
        return name_of(_verb(word, command)) or word or named[0]

    return _COMMAND.sub(retell, hint)


def _verb(word: str | None, command: str | None) -> str:
    return word or (command or "").replace("-", "_")


def say_for_tools(hint: str, is_tool: Callable[[str], bool]) -> str:
    """A hint for a caller with tools: of two alternatives, the one that has a tool."""

    def name_of(verb: str) -> str | None:
        known = find_verb(verb)
        if not is_tool(verb) and known is not None and known.instead is not None:
            verb = known.instead
        return tool_name(verb) if is_tool(verb) else None

    def choose(either: re.Match[str]) -> str:
        words = either.groups()
        first, second = name_of(_verb(*words[:2])), name_of(_verb(*words[2:]))
        return "" if first is None and second is not None else either[0]

    return retell_commands(_EITHER.sub(choose, hint), name_of)


def say_for_commands(hint: str, command_of: Callable[[str], str | None]) -> str:
    """A hint for the command line, where every word that is not a verb is an option; also for hints from a server."""

    def name_of(word: str) -> str:
        command = command_of(word)
        return f"--{word.replace('_', '-')}" if command is None else f"heldtrue {command}"

    plain = _REMOTE.sub(lambda named: f"`{named[1]}`" if command_of(named[1]) else named[0], hint)
    return _WORD.sub(lambda named: name_of(named[1]), plain)
