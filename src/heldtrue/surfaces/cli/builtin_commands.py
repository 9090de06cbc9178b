"""The commands that are not capabilities: the servers, help, version, the tour, and connecting agents."""

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
from heldtrue.surfaces.cli.options import GLOBALS, Options, find_color, find_stray, split_command, two_words
from heldtrue.surfaces.cli.parser import parse_words
from heldtrue.surfaces.cli.screen import Screen, encode_answer
from heldtrue.surfaces.cli.usage import UsageProblem, suggest

if TYPE_CHECKING:
    from heldtrue.wiring.settings_reference import Setting

FollowedEvent = Literal["memory:read", "memory:write", "memory:flush", "memory:compact", "memory:search"]
"""Repeated here, because a built-in command does not load the capabilities."""


_Setting = Annotated[str | None, Reference(("setting",))]
_Command = Annotated[str, Reference(("command",))]


class BuiltinCommand(msgspec.Struct, frozen=True):
    """A command of the command line itself."""

    summary: str
    parameters: tuple[Parameter, ...] = ()
    runner: str = ""
    """The module and function that run it; loaded on use."""
    examples: tuple[str, ...] = ()
    group: Group = Group.MORE
    everyday: EverydayCommand | None = None
    synonyms: tuple[str, ...] = ()
    """Names of this command in other tools."""

    @property
    def arguments(self) -> list[Argument]:
        return [Argument(parameter) for parameter in self.parameters]


BUILTIN_COMMANDS = {
    "mcp": BuiltinCommand(
        "Serve one agent over MCP on standard input and output. The agent's name is set with --agent; the default is "
        "mcp.",
        (
            Parameter(
                "tools",
                Literal["default", "all"],
                "default",
                "Which tools the agent gets: the everyday set (default) or all of them (all).",
                False,
            ),
            Parameter("here", bool, False, "Without --project, use the project of the current folder.", False),
        ),
        "mcp_command:run_mcp",
        group=Group.AGENTS,
    ),
    "tour": BuiltinCommand(
        "Take a guided tour on a temporary store: learn, contradict, correct, look back in time, verify.",
        (Parameter("keep", bool, False, "Keep the store that the tour creates, and print its path.", False),),
        "tour:run_tour",
    ),
    "serve": BuiltinCommand(
        "Serve this store to agents over HTTP and MCP until stopped.",
        (
            Parameter("host", str | None, None, "The address to listen on. Default: the setting server.host.", False),
            Parameter(
                "port",
                int | None,
                None,
                "The port to listen on, from 1 to 65535; 0 picks a free port. Default: the setting server.port.",
                False,
            ),
            Parameter(
                "engine",
                bool | None,
                None,
                "Run background jobs in the server, or leave them to heldtrue work. Default: the setting "
                "server.engine.",
                False,
            ),
        ),
        "serving:run_server",
        group=Group.AGENTS,
        everyday=EverydayCommand(12, "Serve this store to agents over HTTP and MCP"),
        synonyms=("server", "start"),
    ),
    "follow": BuiltinCommand(
        "Print events as they happen, one per line, until stopped.",
        (
            Parameter(
                "after", str | None, None, "Start after the event with this id. Default: print only new events.", False
            ),
            Parameter(
                "since",
                Annotated[str | None, Metavar("WHEN")],
                None,
                "Print the events since this time first, such as '1 hour ago' or 2026-05-17. They count towards "
                "--limit.",
                False,
            ),
            Parameter("names", list[FollowedEvent] | None, None, "Print only events with these names.", False),
            Parameter("limit", int | None, None, "Stop after this many events. Default: no limit.", False),
        ),
        "following:run_follow",
        group=Group.FOLLOW,
        synonyms=("watch", "tail"),
    ),
    "install": BuiltinCommand(
        "Connect a client, such as Claude Code, to this store: show the change to the configuration of the client, "
        "then make the change. Without a name, list the supported clients.",
        parameters.INSTALL,
        "install.command:run_install",
        (
            "heldtrue install",
            "heldtrue install claude-code",
            "heldtrue install cursor --scope project --print",
            "heldtrue --agent reviewer --project shop install codex",
        ),
        group=Group.AGENTS,
        everyday=EverydayCommand(13, "Connect Claude Code, Cursor, Codex or another client"),
        synonyms=("connect",),
    ),
    "uninstall": BuiltinCommand(
        "Disconnect a client: remove what heldtrue install added to its configuration.",
        parameters.UNINSTALL,
        "install.command:run_uninstall",
        ("heldtrue uninstall claude-code",),
        group=Group.AGENTS,
        synonyms=("disconnect",),
    ),
    "hook": BuiltinCommand(
        "Run a Claude Code hook, with JSON on standard input. heldtrue install sets up the hooks.",
        parameters.HOOK,
        group=Group.AGENTS,
    ),
    "init": BuiltinCommand(
        "Create a home with a commented settings file, heldtrue.toml. An existing home or file is not changed.",
        (
            Parameter(
                "here",
                bool,
                False,
                "Give this folder its own home, which is used in this folder and in all folders below it.",
                False,
            ),
        ),
        "config:run_init",
        ("heldtrue init", "heldtrue init --here", "heldtrue --home ~/notes/.heldtrue init"),
    ),
    "where": BuiltinCommand(
        "Show which store is used in this folder, and why.",
        (),
        "home_commands:run_where",
        ("heldtrue where", "heldtrue where --json"),
        synonyms=("which", "home", "pwd"),
    ),
    "trust": BuiltinCommand(
        "Accept a store that Heldtrue refuses because it came with a folder, was replaced or lost entries, or because "
        "the clock is far ahead of the last entry.",
        (Parameter("yes", bool, False, "Do not ask for confirmation.", False),),
        "home_commands:run_trust",
        ("heldtrue trust", "heldtrue --home ~/notes/.heldtrue trust"),
        synonyms=("accept-home",),
    ),
    "config": BuiltinCommand(
        "Show or change settings: config list, config get KEY, config set KEY VALUE, config unset KEY.",
        (
            Parameter("action", Literal["list", "get", "set", "unset"], "list", "What to do with the settings.", True),
            Parameter("key", _Setting, None, "The setting, such as server.port. With list, a section.", True),
            Parameter("value", str | None, None, "The new value (only for `set`).", True),
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
        (Parameter("shell", Literal["bash", "zsh", "fish"], REQUIRED, "Your shell: bash, zsh or fish.", True),),
        "completion.command:run_completion",
        (
            "source <(heldtrue completion bash)",
            "source <(heldtrue completion zsh)",
            "heldtrue completion fish > ~/.config/fish/completions/heldtrue.fish",
        ),
        synonyms=("completions",),
    ),
    "help": BuiltinCommand(
        "Show the everyday commands, all commands, or how to use one command.",
        (
            Parameter("command", _Command, "", "The command to explain, or the word settings.", True),
            Parameter("all", bool, False, "List every command, grouped by task.", False),
        ),
        examples=("heldtrue help --all", "heldtrue help learn", "heldtrue help settings"),
    ),
    "version": BuiltinCommand("Show the version."),
}
SETTINGS = "settings"
"""A topic of help that is not a command."""
_HELP = ("-h", "--help")
_VERSION = ("-V", "--version")


def perform_builtin(command: str | None, words: list[str]) -> int:
    """Run a command that is not a capability, show help, or refuse an unknown command."""
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


def _ask_about_help(words: list[str]) -> list[str]:
    """`help --help` shows the help of help itself."""
    return words if split_command(words)[0] is not None else ["help", *words]


def _show_all(words: list[str], *, asked_help: bool) -> int:
    """The overview, if no command was specified; with --json that is an error."""
    options, _ = parse_words("heldtrue", (), words)
    if options.json and not asked_help:
        raise UsageProblem("no command was specified", field="command", hint="see: heldtrue help")
    return show_help(None, options)


def _run(command: str, words: list[str]) -> int:
    if command == "hook":
        from heldtrue.surfaces.cli.hooks import run_hook

        return run_hook(words, parameters.HOOK)
    options, given = parse_words(command, BUILTIN_COMMANDS[command].arguments, words)
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
    """The built-in command that a synonym stands for; any other word unchanged."""
    return next((name for name, builtin in BUILTIN_COMMANDS.items() if command in builtin.synonyms), command)


_NO_LOGIN = (
    "to use a service, set HELDTRUE_URL and HELDTRUE_TOKEN; a store on this machine needs no login. To create "
    "a token for an agent: heldtrue agents add NAME"
)
NOT_THERE = {
    **dict.fromkeys(("login", "logout", "signin", "auth"), ("there are no accounts to log in to", _NO_LOGIN)),
    "setup": (
        "setup takes two commands",
        "heldtrue init creates a home with a settings file; heldtrue install connects a client to it",
    ),
}
"""Commands of other tools that do not exist here, each with the alternative."""


def unknown_command(command: str, words: list[str] | None = None) -> UsageProblem:
    """The error for an unknown command, or for an unknown option before it."""
    if (stray := find_stray(words or [])) is not None:
        close = suggest(stray, [f"--{option.name}" for option in GLOBALS])
        return UsageProblem(
            f"{stray} is not a global option",
            field=stray.lstrip("-").replace("-", "_"),
            hint=f"did you mean {close}?" if close else "put a command's own options after the command",
        )
    if command in NOT_THERE:
        message, hint = NOT_THERE[command]
        return UsageProblem(message, field="command", hint=hint)
    if (meant := find_synonym(command)) is not None:
        hint = _name_meant(meant)
    elif family := two_words(command):
        hint = f"choose one of: {', '.join(f'heldtrue {command} {word}' for word in family)}"
    else:
        close = suggest(command, [verb.replace("_", "-") for verb in verbs()] + list(BUILTIN_COMMANDS))
        hint = f"did you mean heldtrue {close}?" if close else "see all commands: heldtrue help --all"
    return UsageProblem(f"there is no command {command!r}", field="command", hint=hint)


def _name_meant(verb: str) -> str:
    """The usage and the summary of the command that was meant."""
    from heldtrue.surfaces.cli.help import name_usage

    capability = find_capability(verb)
    assert capability is not None
    known = verbs()[verb]
    summary = known.everyday.summary if known.everyday is not None else known.summary
    usage = name_usage(verb.replace("_", "-"), arguments_of(capability)).removesuffix(" [OPTIONS]")
    return f"use {usage}: {summary[0].lower()}{summary[1:]}"


def _describe_help(command: str | None) -> dict[str, Any]:
    """Help for programs: every command, or one, with its arguments."""
    from heldtrue.surfaces.cli.help import describe_command

    commands = {
        verb.replace("_", "-"): (capability.doc, arguments_of(capability))
        for verb, capability in all_capabilities().items()
    }
    commands |= {name: (builtin.summary, builtin.arguments) for name, builtin in BUILTIN_COMMANDS.items()}
    wanted = find_known(command).replace("_", "-") if command else None
    if wanted and wanted not in commands:
        raise unknown_command(wanted)
    return {
        "commands": [describe_command(name, *details) for name, details in commands.items() if wanted in (None, name)]
    }


def _find_settings() -> list[Setting]:
    from heldtrue.wiring.settings_reference import describe_settings  # reads the source, so only help loads it

    return describe_settings()


def _everyday() -> list[tuple[str, str]]:
    """The everyday commands with their summaries, in order."""
    everyday = {verb.replace("_", "-"): known.everyday for verb, known in verbs().items()}
    everyday |= {name: builtin.everyday for name, builtin in BUILTIN_COMMANDS.items()}
    ranked = sorted((entry.rank, name, entry.summary) for name, entry in everyday.items() if entry is not None)
    return [(name, summary) for _, name, summary in ranked]


def _summaries() -> dict[Group, list[tuple[str, str]]]:
    """Every command with its summary, by task."""
    groups: dict[Group, list[tuple[str, str]]] = {group: [] for group in Group}
    for verb, capability in all_capabilities().items():
        groups[capability.declared.group].append((verb.replace("_", "-"), capability.summary))
    for name, builtin in BUILTIN_COMMANDS.items():
        groups[builtin.group].append((name, builtin.summary))
    return groups


def find_known(command: str) -> str:
    """The command that a word names, or that it is a synonym of."""
    if command in BUILTIN_COMMANDS or find_capability(command.replace("-", "_")) is not None:
        return command
    return find_synonym(command) or _find_builtin(command) or command


def show_help(command: str | None, options: Options, *, every: bool = False) -> int:
    """Show the help of one command, the everyday commands, or all."""
    from heldtrue.surfaces.cli.help import show_all, show_capability, show_command, show_everyday, show_settings
    from heldtrue.surfaces.cli.page import Page

    screen = Screen(sys.stdout, options.color)
    settings = _find_settings() if command == SETTINGS else None
    if options.json and settings is not None:
        screen.write_bytes(encode_answer({"settings": settings}, pretty=screen.is_terminal))
        return 0
    if options.json:
        screen.write_bytes(encode_answer(_describe_help(command), pretty=screen.is_terminal))
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
    elif (capability := find_capability(command.replace("-", "_"))) is not None:
        show_capability(page, command, capability)
    else:
        raise unknown_command(command)
    screen.write(str(page))
    return 0
