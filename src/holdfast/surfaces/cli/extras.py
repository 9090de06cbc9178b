"""The commands that are no capabilities: help, version and the tour."""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from holdfast import __version__
from holdfast.capabilities.homes import all_capabilities, find_capability
from holdfast.capabilities.registry import Parameter
from holdfast.surfaces.cli.arguments import Argument
from holdfast.surfaces.cli.options import Options, find_color
from holdfast.surfaces.cli.parser import parse_words
from holdfast.surfaces.cli.screen import Screen, encode_answer
from holdfast.surfaces.cli.usage import UsageProblem, suggest


class Extra(msgspec.Struct, frozen=True):
    """A command of the command line itself."""

    summary: str
    parameters: tuple[Parameter, ...] = ()


EXTRAS = {
    "tour": Extra(
        "A guided tour on a temporary memory: learn, contradict, correct, travel in time, verify.",
        (Parameter("keep", bool, False, "Keep the memory that the tour makes, and say where it is.", False),),
    ),
    "help": Extra(
        "What there is, or how to use one command.",
        (Parameter("command", str, "", "The command you want to know about.", True),),
    ),
    "version": Extra("Which Holdfast this is."),
}
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
        options, _ = parse_words("holdfast", (), rest)
        if options.json and not asked_help:
            raise UsageProblem("no command was given", field="command", hint="see: holdfast help")
        return show_help(None, options)
    if command not in EXTRAS:
        if asked_help:
            return show_help(command, Options(color=find_color(rest), json="--json" in rest[:end]))
        raise unknown_command(command)
    options, given = parse_words(command, [Argument(one) for one in EXTRAS[command].parameters], rest)
    if asked_help or command == "help":
        return show_help(given.get("command") if command == "help" else command, options)
    if command == "version":
        return _show_version(options)
    from holdfast.surfaces.cli.tour import run_tour

    return run_tour(keep=given.get("keep", False), color=options.color)


def _show_version(options: Options) -> int:
    screen = Screen(sys.stdout, options.color)
    if options.json:
        screen.write_bytes(encode_answer({"version": __version__}, pretty=screen.is_terminal))
    else:
        screen.write(f"holdfast {__version__}\n")
    return 0


def unknown_command(command: str) -> UsageProblem:
    known = [verb.replace("_", "-") for verb in all_capabilities()] + list(EXTRAS)
    close = suggest(command, known)
    return UsageProblem(
        f"there is no command {command!r}",
        field="command",
        hint=f"did you mean holdfast {close}?" if close else "see what there is: holdfast help",
    )


def _tell_help(command: str | None) -> dict[str, Any]:
    """What help says, for programs: every command, or the one asked about, with what it takes."""
    from holdfast.surfaces.cli.help import tell_command

    found = {verb.replace("_", "-"): (one.doc, one.parameters) for verb, one in all_capabilities().items()}
    found |= {name: (one.summary, one.parameters) for name, one in EXTRAS.items()}
    wanted = command.replace("_", "-") if command else None
    if wanted and wanted not in found:
        raise unknown_command(wanted)
    return {"commands": [tell_command(name, *one) for name, one in found.items() if wanted in (None, name)]}


def show_help(command: str | None, options: Options) -> int:
    """Help for one command, or for all of them."""
    from holdfast.surfaces.cli.help import show_command, show_overview
    from holdfast.surfaces.cli.page import Page

    screen = Screen(sys.stdout, options.color)
    if options.json:
        screen.write_bytes(encode_answer(_tell_help(command), pretty=screen.is_terminal))
        return 0
    page = Page(screen, 0)
    if not command:
        show_overview(page, all_capabilities().values(), {name: one.summary for name, one in EXTRAS.items()})
    elif command in EXTRAS:
        show_command(page, command, EXTRAS[command].summary, EXTRAS[command].parameters)
    elif (found := find_capability(command.replace("-", "_"))) is not None:
        show_command(page, command, found.doc, found.parameters)
    else:
        raise unknown_command(command)
    screen.write(str(page))
    return 0
