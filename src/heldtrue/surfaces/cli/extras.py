"""The commands that are no capabilities: the MCP server, help, version and the tour."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from heldtrue import __version__
from heldtrue.capabilities.parameters import Parameter
from heldtrue.capabilities.verb_index import all_capabilities, find_capability, verbs
from heldtrue.surfaces.cli.arguments import Argument, arguments_of
from heldtrue.surfaces.cli.install import parameters
from heldtrue.surfaces.cli.options import GLOBALS, Options, find_color, find_stray
from heldtrue.surfaces.cli.parser import parse_words
from heldtrue.surfaces.cli.screen import Screen, encode_answer
from heldtrue.surfaces.cli.usage import UsageProblem, suggest

if TYPE_CHECKING:
    from heldtrue.wiring.describing import Setting

FollowedEvent = Literal["memory:read", "memory:write", "memory:flush", "memory:compact", "memory:search"]
"""Said again here: the commands that are no capabilities load none."""


class Extra(msgspec.Struct, frozen=True):
    """A command of the command line itself."""

    summary: str
    parameters: tuple[Parameter, ...] = ()
    runner: str = ""
    """Module and function that run it, with what was given and the options; loaded when it is used."""
    examples: tuple[str, ...] = ()

    @property
    def arguments(self) -> list[Argument]:
        return [Argument(one) for one in self.parameters]


EXTRAS = {
    "mcp": Extra(
        "Serve an agent on standard input and output by the Model Context Protocol; it acts as --agent, or as mcp.",
        (
            Parameter(
                "tools", Literal["default", "all"], "default", "Which tools it gets: the everyday tools, or all.", False
            ),
            Parameter(
                "here", bool, False, "Where no project is named, it is that of the folder it is started in.", False
            ),
            Parameter("url", str | None, None, "Ask the service there, with HELDTRUE_TOKEN, and open no home.", False),
        ),
        "piping:run_mcp",
    ),
    "tour": Extra(
        "A guided tour on a temporary memory: learn, contradict, correct, travel in time, verify.",
        (Parameter("keep", bool, False, "Keep the memory that the tour makes, and say where it is.", False),),
        "tour:run_tour",
    ),
    "serve": Extra(
        "Serve this memory to agents over HTTP and MCP, until it is stopped.",
        (
            Parameter("host", str | None, None, "Where to listen; left out, as the settings say (127.0.0.1).", False),
            Parameter(
                "port", int | None, None, "A port from 1 to 65535; 0 takes one that is free; left out, 7373.", False
            ),
            Parameter(
                "engine",
                bool | None,
                None,
                "Do the work that waits in the queue, or leave it to heldtrue work; left out, as the settings say.",
                False,
            ),
        ),
        "serving:run_server",
    ),
    "follow": Extra(
        "Tell what happens as it happens, a line for each event, until it is stopped.",
        (
            Parameter("after", str | None, None, "The id of the last event seen; left out, it begins now.", False),
            Parameter("names", list[FollowedEvent] | None, None, "Only these events.", False),
            Parameter("limit", int | None, None, "Stop after so many; left out, it goes on.", False),
        ),
        "following:run_follow",
    ),
    "install": Extra(
        "Connect an agent to this memory: write its configuration, after showing the change; alone, list the agents.",
        parameters.INSTALL,
        "install.command:run_install",
        (
            "heldtrue install",
            "heldtrue install claude-code",
            "heldtrue install cursor --scope project --print",
            "heldtrue --agent reviewer --project shop install codex",
        ),
    ),
    "uninstall": Extra(
        "Take out of an agent what install put in.",
        parameters.UNINSTALL,
        "install.command:run_uninstall",
        ("heldtrue uninstall claude-code",),
    ),
    "hook": Extra("What Claude Code runs as its hooks, with JSON on standard input; see install.", parameters.HOOK),
    "help": Extra(
        "What there is, or how to use one command.",
        (Parameter("command", str, "", "The command you want to know about, or settings.", True),),
    ),
    "version": Extra("Which Heldtrue this is."),
}
SETTINGS = "settings"
"""What help tells of that is no command."""
_HELP = ("-h", "--help")
_VERSION = ("-V", "--version")


def perform_extra(command: str | None, words: list[str]) -> int:
    """Run one of the extra commands, show help, or say that there is no such command."""
    end = words.index("--") if "--" in words else len(words)
    asked_help = any(word in _HELP for word in words[:end])
    rest = [word for place, word in enumerate(words) if place >= end or word not in (*_HELP, *_VERSION)]
    if command is None and any(word in _VERSION for word in words[:end]):
        command = "version"
    if command is None:
        options, _ = parse_words("heldtrue", (), rest)
        if options.json and not asked_help:
            raise UsageProblem("no command was given", field="command", hint="see: heldtrue help")
        return show_help(None, options)
    if asked_help and command != "help":
        return show_help(command, Options(color=find_color(rest), json="--json" in rest[:end]))
    if command not in EXTRAS:
        raise unknown_command(command, words)
    if command == "hook":
        from heldtrue.surfaces.cli.hooks import run_hook

        return run_hook(rest, parameters.HOOK)
    options, given = parse_words(command, EXTRAS[command].arguments, rest)
    if command == "help":
        return show_help(given.get("command"), options)
    if command == "version":
        return _show_version(options)
    module, _, name = EXTRAS[command].runner.partition(":")
    status: int = getattr(import_module(f"heldtrue.surfaces.cli.{module}"), name)(given, options)
    return status


def _show_version(options: Options) -> int:
    screen = Screen(sys.stdout, options.color)
    if options.json:
        screen.write_bytes(encode_answer({"version": __version__}, pretty=screen.is_terminal))
    else:
        screen.write(f"heldtrue {__version__}\n")
    return 0


def unknown_command(command: str, words: list[str] | None = None) -> UsageProblem:
    """Say that there is no such command, or which option made a word be taken for one."""
    if (stray := find_stray(words or [])) is not None:
        close = suggest(stray, [f"--{one.name}" for one in GLOBALS])
        return UsageProblem(
            f"there is no option {stray} of every command",
            field=stray.lstrip("-").replace("-", "_"),
            hint=f"did you mean {close}?" if close else "what only one command takes comes after that command",
        )
    known = [verb.replace("_", "-") for verb in verbs()] + list(EXTRAS)
    meant = next((verb for verb, one in verbs().items() if command in one.synonyms), None)
    close = meant.replace("_", "-") if meant is not None else suggest(command, known)
    return UsageProblem(
        f"there is no command {command!r}",
        field="command",
        hint=f"did you mean heldtrue {close}?" if close else "see what there is: heldtrue help",
    )


def _tell_help(command: str | None) -> dict[str, Any]:
    """What help says, for programs: every command, or the one asked about, with what it takes."""
    from heldtrue.surfaces.cli.help import tell_command

    found = {verb.replace("_", "-"): (one.doc, arguments_of(one)) for verb, one in all_capabilities().items()}
    found |= {name: (one.summary, one.arguments) for name, one in EXTRAS.items()}
    wanted = command.replace("_", "-") if command else None
    if wanted and wanted not in found:
        raise unknown_command(wanted)
    return {"commands": [tell_command(name, *one) for name, one in found.items() if wanted in (None, name)]}


def _find_settings() -> list[Setting]:
    from heldtrue.wiring.describing import describe_settings  # reads the source, for help alone

    return describe_settings()


def show_help(command: str | None, options: Options) -> int:
    """Help for one command, or for all of them."""
    from heldtrue.surfaces.cli.help import show_capability, show_command, show_overview, show_settings
    from heldtrue.surfaces.cli.page import Page

    screen = Screen(sys.stdout, options.color)
    settings = _find_settings() if command == SETTINGS else None
    if options.json and settings is not None:
        screen.write_bytes(encode_answer({"settings": settings}, pretty=screen.is_terminal))
        return 0
    if options.json:
        screen.write_bytes(encode_answer(_tell_help(command), pretty=screen.is_terminal))
        return 0
    page = Page(screen, 0)
    if settings is not None:
        show_settings(page, settings)
    elif not command:
        show_overview(page, all_capabilities().values(), {name: one.summary for name, one in EXTRAS.items()})
    elif command in EXTRAS:
        show_command(
            page, command, EXTRAS[command].summary, EXTRAS[command].arguments, examples=EXTRAS[command].examples
        )
    elif (found := find_capability(command.replace("-", "_"))) is not None:
        show_capability(page, command, found)
    else:
        raise unknown_command(command)
    screen.write(str(page))
    return 0
