"""The commands that are no capabilities: the servers, help, version, the tour, and connecting agents."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from heldtrue import __version__
from heldtrue.capabilities.declaration import EverydayCommand, Group
from heldtrue.capabilities.parameters import REQUIRED, Metavar, Parameter, Reference
from heldtrue.capabilities.verb_index import all_capabilities, find_capability, find_synonym, verbs
from heldtrue.surfaces.cli.arguments import Argument, arguments_of
from heldtrue.surfaces.cli.install import parameters
from heldtrue.surfaces.cli.options import GLOBALS, Options, find_color, find_stray, split_command
from heldtrue.surfaces.cli.parser import parse_words
from heldtrue.surfaces.cli.screen import Screen, encode_answer
from heldtrue.surfaces.cli.usage import UsageProblem, suggest

if TYPE_CHECKING:
    from heldtrue.wiring.settings_reference import Setting

FollowedEvent = Literal["memory:read", "memory:write", "memory:flush", "memory:compact", "memory:search"]
"""Said again here: the commands that are no capabilities load none."""


_Setting = Annotated[str | None, Reference(("setting",))]
_Command = Annotated[str, Reference(("command",))]


class BuiltinCommand(msgspec.Struct, frozen=True):
    """A command of the command line itself."""

    summary: str
    parameters: tuple[Parameter, ...] = ()
    runner: str = ""
    """Module and function that run it, with what was given and the options; loaded when it is used."""
    examples: tuple[str, ...] = ()
    group: Group = Group.MORE
    everyday: EverydayCommand | None = None
    synonyms: tuple[str, ...] = ()
    """Words that people bring from elsewhere and mean this one by."""

    @property
    def arguments(self) -> list[Argument]:
        return [Argument(one) for one in self.parameters]


BUILTIN_COMMANDS = {
    "mcp": BuiltinCommand(
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
        "mcp_command:run_mcp",
        group=Group.AGENTS,
    ),
    "tour": BuiltinCommand(
        "A guided tour on a temporary memory: learn, contradict, correct, travel in time, verify.",
        (Parameter("keep", bool, False, "Keep the memory that the tour makes, and say where it is.", False),),
        "tour:run_tour",
    ),
    "serve": BuiltinCommand(
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
        group=Group.AGENTS,
        everyday=EverydayCommand(12, "Serve this memory to agents over HTTP and MCP"),
        synonyms=("server", "start"),
    ),
    "follow": BuiltinCommand(
        "Tell what happens as it happens, a line for each event, until it is stopped.",
        (
            Parameter("after", str | None, None, "The id of the last event seen; left out, it begins now.", False),
            Parameter(
                "since",
                Annotated[str | None, Metavar("WHEN")],
                None,
                "Begin with what happened since then, such as '1 hour ago' or 2026-05-17; --limit counts it too.",
                False,
            ),
            Parameter("names", list[FollowedEvent] | None, None, "Only these events.", False),
            Parameter("limit", int | None, None, "Stop after so many; left out, it goes on.", False),
        ),
        "following:run_follow",
        group=Group.FOLLOW,
        synonyms=("watch", "tail"),
    ),
    "install": BuiltinCommand(
        "Connect an agent to this memory: write its configuration, after showing the change; alone, list the agents.",
        parameters.INSTALL,
        "install.command:run_install",
        (
            "heldtrue install",
            "heldtrue install claude-code",
            "heldtrue install cursor --scope project --print",
            "heldtrue --agent reviewer --project shop install codex",
        ),
        group=Group.AGENTS,
        everyday=EverydayCommand(13, "Connect Claude Code, Cursor, Codex or another agent"),
        synonyms=("connect",),
    ),
    "uninstall": BuiltinCommand(
        "Take out of an agent what install put in.",
        parameters.UNINSTALL,
        "install.command:run_uninstall",
        ("heldtrue uninstall claude-code",),
        group=Group.AGENTS,
        synonyms=("disconnect",),
    ),
    "hook": BuiltinCommand(
        "What Claude Code runs as its hooks, with JSON on standard input; see install.",
        parameters.HOOK,
        group=Group.AGENTS,
    ),
    "init": BuiltinCommand(
        "Create a home with a commented settings file, heldtrue.toml; an existing home or file is not changed.",
        (),
        "config:run_init",
        ("heldtrue init", "heldtrue --home ~/notes/.heldtrue init"),
    ),
    "config": BuiltinCommand(
        "Show or change settings: config list, config get KEY, config set KEY VALUE, config unset KEY.",
        (
            Parameter("action", Literal["list", "get", "set", "unset"], "list", "What to do.", True),
            Parameter("key", _Setting, None, "The setting, such as server.port; for list, a section.", True),
            Parameter("value", str | None, None, "With set: the new value.", True),
        ),
        "config:run_config",
        (
            "heldtrue config list server",
            "heldtrue config get recall.log_days",
            "heldtrue config set server.port 8080",
            "heldtrue config unset server.port",
        ),
        synonyms=("settings", "configure"),
    ),
    "completion": BuiltinCommand(
        "Print the script that completes commands, options and ids in your shell.",
        (Parameter("shell", Literal["bash", "zsh", "fish"], REQUIRED, "Your shell.", True),),
        "completion.command:run_completion",
        (
            "source <(heldtrue completion bash)",
            "source <(heldtrue completion zsh)",
            "heldtrue completion fish > ~/.config/fish/completions/heldtrue.fish",
        ),
        synonyms=("completions",),
    ),
    "help": BuiltinCommand(
        "Show the everyday commands, all commands, or how to use one.",
        (
            Parameter("command", _Command, "", "The command you want to know about, or settings.", True),
            Parameter("all", bool, False, "List every command, grouped by task.", False),
        ),
        examples=("heldtrue help --all", "heldtrue help learn", "heldtrue help settings"),
    ),
    "version": BuiltinCommand("Which Heldtrue this is."),
}
SETTINGS = "settings"
"""What help tells of that is no command."""
_HELP = ("-h", "--help")
_VERSION = ("-V", "--version")


def perform_builtin(command: str | None, words: list[str]) -> int:
    """Run one of the commands that are no capabilities, show help, or say that there is no such command."""
    end = words.index("--") if "--" in words else len(words)
    flags = {word for word in words[:end] if word in (*_HELP, *_VERSION)}
    rest = [word for word in words[:end] if word not in flags] + words[end:]
    asked_help = not flags.isdisjoint(_HELP)
    if command is None and not flags.isdisjoint(_VERSION):
        command = "version"
    command = _find_builtin(command)
    if command is None:
        return _show_all(rest, asked_help=asked_help)
    if asked_help and command != "help":
        return show_help(command, Options(color=find_color(rest), json="--json" in rest[:end]))
    if command not in BUILTIN_COMMANDS:
        raise unknown_command(command, words)
    return _run(command, _ask_about_help(rest) if asked_help else rest)


def _ask_about_help(rest: list[str]) -> list[str]:
    """`help --help` asks how help itself is used."""
    return rest if split_command(rest)[0] is not None else ["help", *rest]


def _show_all(rest: list[str], *, asked_help: bool) -> int:
    """The overview, where no command was given; a program that gave none has made a mistake."""
    options, _ = parse_words("heldtrue", (), rest)
    if options.json and not asked_help:
        raise UsageProblem("no command was given", field="command", hint="see: heldtrue help")
    return show_help(None, options)


def _run(command: str, rest: list[str]) -> int:
    if command == "hook":
        from heldtrue.surfaces.cli.hooks import run_hook

        return run_hook(rest, parameters.HOOK)
    options, given = parse_words(command, BUILTIN_COMMANDS[command].arguments, rest)
    if command == "help":
        return show_help(given.get("command"), options, every=given.get("all", False))
    if command == "version":
        return _show_version(options)
    module, _, name = BUILTIN_COMMANDS[command].runner.partition(":")
    status: int = getattr(import_module(f"heldtrue.surfaces.cli.{module}"), name)(given, options)
    return status


def _show_version(options: Options) -> int:
    screen = Screen(sys.stdout, options.color)
    if options.json:
        screen.write_bytes(encode_answer({"version": __version__}, pretty=screen.is_terminal))
    else:
        screen.write(f"heldtrue {__version__}\n")
    return 0


def _find_builtin(command: str | None) -> str | None:
    """The built-in command that people mean by a word of theirs; any other word as it is."""
    return next((name for name, builtin in BUILTIN_COMMANDS.items() if command in builtin.synonyms), command)


_FORGET = "heldtrue forget retracts a memory: it is no longer recalled, and its history stays readable"
_NO_LOGIN = (
    "to ask a service, set HELDTRUE_URL and HELDTRUE_TOKEN; a memory on this machine needs no login. "
    "To give an agent a token: heldtrue agents add NAME"
)
NOT_THERE = {
    **dict.fromkeys(("erase", "purge", "wipe", "destroy", "shred"), ("erasing is not available yet", _FORGET)),
    **dict.fromkeys(("login", "logout", "signin", "auth"), ("there are no accounts to log in to", _NO_LOGIN)),
    "setup": (
        "setup is two commands",
        "heldtrue init creates a home with a settings file; heldtrue install connects an agent to it",
    ),
}
"""Words that people bring from elsewhere for what there is not, with what there is instead."""


def unknown_command(command: str, words: list[str] | None = None) -> UsageProblem:
    """Say that there is no such command, or which option made a word be taken for one."""
    if (stray := find_stray(words or [])) is not None:
        close = suggest(stray, [f"--{one.name}" for one in GLOBALS])
        return UsageProblem(
            f"there is no option {stray} of every command",
            field=stray.lstrip("-").replace("-", "_"),
            hint=f"did you mean {close}?" if close else "what only one command takes comes after that command",
        )
    if command in NOT_THERE:
        message, hint = NOT_THERE[command]
        return UsageProblem(message, field="command", hint=hint)
    if (meant := find_synonym(command)) is not None:
        hint = _name_meant(meant)
    else:
        close = suggest(command, [verb.replace("_", "-") for verb in verbs()] + list(BUILTIN_COMMANDS))
        hint = f"did you mean heldtrue {close}?" if close else "see all commands: heldtrue help --all"
    return UsageProblem(f"there is no command {command!r}", field="command", hint=hint)


def _name_meant(verb: str) -> str:
    """How to use the command that was meant, and what it does."""
    from heldtrue.surfaces.cli.help import name_usage

    capability = find_capability(verb)
    assert capability is not None
    known = verbs()[verb]
    summary = known.everyday.summary if known.everyday is not None else known.summary
    usage = name_usage(verb.replace("_", "-"), arguments_of(capability)).removesuffix(" [OPTIONS]")
    return f"use {usage}: {summary[0].lower()}{summary[1:]}"


def _tell_help(command: str | None) -> dict[str, Any]:
    """What help says, for programs: every command, or the one asked about, with what it takes."""
    from heldtrue.surfaces.cli.help import tell_command

    found = {verb.replace("_", "-"): (one.doc, arguments_of(one)) for verb, one in all_capabilities().items()}
    found |= {name: (one.summary, one.arguments) for name, one in BUILTIN_COMMANDS.items()}
    wanted = find_known(command).replace("_", "-") if command else None
    if wanted and wanted not in found:
        raise unknown_command(wanted)
    return {"commands": [tell_command(name, *one) for name, one in found.items() if wanted in (None, name)]}


def _find_settings() -> list[Setting]:
    from heldtrue.wiring.settings_reference import describe_settings  # reads the source, for help alone

    return describe_settings()


def _everyday() -> list[tuple[str, str]]:
    """The everyday commands, each with what it does."""
    found = {verb.replace("_", "-"): known.everyday for verb, known in verbs().items()}
    found |= {name: builtin.everyday for name, builtin in BUILTIN_COMMANDS.items()}
    ranked = sorted((one.rank, name, one.summary) for name, one in found.items() if one is not None)
    return [(name, summary) for _, name, summary in ranked]


def _summaries() -> dict[Group, list[tuple[str, str]]]:
    """Every command with what it does, by what it is for."""
    groups: dict[Group, list[tuple[str, str]]] = {group: [] for group in Group}
    for verb, capability in all_capabilities().items():
        groups[capability.declared.group].append((verb.replace("_", "-"), capability.summary))
    for name, builtin in BUILTIN_COMMANDS.items():
        groups[builtin.group].append((name, builtin.summary))
    return groups


def find_known(command: str) -> str:
    """The command that a word is or that is meant by it."""
    if command in BUILTIN_COMMANDS or find_capability(command.replace("-", "_")) is not None:
        return command
    return find_synonym(command) or _find_builtin(command) or command


def show_help(command: str | None, options: Options, *, every: bool = False) -> int:
    """Help for one command, for the everyday commands, or for every one."""
    from heldtrue.surfaces.cli.help import show_all, show_capability, show_command, show_everyday, show_settings
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
    command = find_known(command) if command else None
    if settings is not None:
        show_settings(page, settings)
    elif every:
        show_all(page, _summaries())
    elif not command:
        show_everyday(page, _everyday())
    elif command in BUILTIN_COMMANDS:
        show_command(
            page,
            command,
            BUILTIN_COMMANDS[command].summary,
            BUILTIN_COMMANDS[command].arguments,
            examples=BUILTIN_COMMANDS[command].examples,
        )
    elif (found := find_capability(command.replace("-", "_"))) is not None:
        show_capability(page, command, found)
    else:
        raise unknown_command(command)
    screen.write(str(page))
    return 0
