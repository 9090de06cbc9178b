"""Help: the list of commands and the usage of each, from the registry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from heldtrue.capabilities.declaration import Group
from heldtrue.capabilities.registry import Capability
from heldtrue.capabilities.verb_index import find_capability
from heldtrue.surfaces.cli.arguments import GIVEN, ONLY, Argument, arguments_of
from heldtrue.surfaces.cli.options import GLOBALS, GlobalOption, two_words
from heldtrue.surfaces.cli.page import Page, bold, dim, ink

if TYPE_CHECKING:
    from heldtrue.wiring.settings_reference import Setting

_COLUMN = 24


def show_everyday(page: Page, commands: Iterable[tuple[str, str]]) -> None:
    """The everyday commands, one per line, and how to list the others."""
    page.line(bold("heldtrue"), " — the memory that AI agents share and people can audit")
    page.title("Everyday commands")
    for name, summary in commands:
        page.line(ink(f"    {name:<10}", "cyan"), summary)
    page.title("Example")
    page.line("    ", dim("$ "), 'heldtrue learn "The API listens on port 8080" --source docs/deploy.md:12')
    page.gap()
    page.line(dim("  All commands: heldtrue help --all    One command: heldtrue help COMMAND"))
    page.line(dim("  Guided tour:  heldtrue tour          Settings:    heldtrue help settings"))


def show_all(page: Page, groups: Mapping[Group, Iterable[tuple[str, str]]]) -> None:
    """Every command with its summary, grouped by task."""
    page.line(bold("heldtrue"), " — the memory that AI agents share and people can audit")
    page.gap()
    page.line("  ", dim("heldtrue [OPTIONS] COMMAND ..."))
    for title, commands in groups.items():
        page.title(title)
        for name, summary in commands:
            page.text(summary, indent=_COLUMN + 2, first=ink(f"    {name}", "cyan"))
    page.title("Global options")
    _show_globals(page)
    page.gap()
    page.text(dim("Help for one command: heldtrue help COMMAND. All settings: heldtrue help settings"))


def show_settings(page: Page, settings: Iterable[Setting]) -> None:
    """Every key of the settings file, with its meaning and its default."""
    page.line(bold("heldtrue.toml"), " — the settings of a store, in its home folder")
    section = None
    for setting in settings:
        if setting.section != section:
            page.title(f"[{(section := setting.section)}]")
        text = f"{setting.meaning} Default: {setting.default}."
        page.text(text, indent=_COLUMN + 4, first=ink(f"    {setting.key}", "cyan"))


def show_capability(page: Page, command: str, capability: Capability) -> None:
    """The help of a capability as a command."""
    declared = capability.declared
    family = declared.command[0] if declared.command is not None else None
    show_command(page, command, capability.doc, arguments_of(capability), family=family, examples=declared.examples)


def show_command(
    page: Page,
    command: str,
    doc: str,
    arguments: Sequence[Argument],
    *,
    family: str | None = None,
    examples: Sequence[str] = (),
) -> None:
    """The usage, arguments, options and examples of a command."""
    page.line(bold(name_usage(command, arguments)))
    page.gap()
    for argument in arguments:
        doc = doc.replace(f"`{argument.name}`", argument.option or argument.metavar)
    for paragraph in doc.split("\n\n"):
        page.text(" ".join(paragraph.split()), indent=2)
        page.gap()
    options = [argument for argument in arguments if not argument.is_word]
    _show_arguments(page, "Arguments", [argument for argument in arguments if argument.is_word])
    _show_arguments(page, "Options", options)
    _show_similar(page, [argument.option for argument in options if argument.option])
    if family is not None:
        _show_family(page, family)
    page.title("Global options")
    page.list([_name_global(option) for option in GLOBALS], indent=4, between="  ")
    if examples:
        page.title("Examples")
        for example in examples:
            page.line("    ", dim("$ "), example)


def _show_arguments(page: Page, title: str, arguments: Sequence[Argument]) -> None:
    if arguments:
        page.title(title)
    for argument in arguments:
        _show_argument(page, argument)


def _show_similar(page: Page, options: Sequence[str]) -> None:
    """Explain the options that are named like a global option."""
    for start, purpose in ((ONLY, "filter the results"), (GIVEN, "set what is stored")):
        if similar := [option for option in options if option.startswith(start)]:
            page.gap()
            page.text(dim(_compare_options(similar, start, purpose)), indent=4)


def _show_family(page: Page, family: str) -> None:
    """The two-word commands that start with the same word."""
    page.title(family.title())
    for word, command in two_words(family).items():
        if (capability := find_capability(command.replace("-", "_"))) is not None:
            page.text(capability.summary, indent=_COLUMN + 4, first=ink(f"    {family} {word}", "cyan"))


def _compare_options(options: Sequence[str], start: str, purpose: str) -> str:
    """The purpose of some options, compared with the global options of the same name."""
    globals_alike = [f"--{option.removeprefix(start)}" for option in options]
    return f"Use {_join(options)} to {purpose}; use {_join(globals_alike)} to set who you are and where you work."


def _join(words: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def describe_command(command: str, doc: str, arguments: Sequence[Argument]) -> dict[str, object]:
    """The usage of a command, for programs."""
    return {
        "name": command,
        "usage": name_usage(command, arguments),
        "summary": doc.split("\n", 1)[0],
        "description": doc,
        "arguments": [
            {
                "name": argument.name,
                "option": next(iter(argument.forms), None),
                "required": argument.parameter.required,
                "default": None if argument.parameter.required else argument.parameter.default,
                "choices": argument.shape.choices,
                "many": argument.shape.many,
                "description": argument.parameter.description,
            }
            for argument in arguments
        ],
    }


def name_usage(command: str, arguments: Sequence[Argument]) -> str:
    """The usage line of a command."""
    pieces = [f"heldtrue {command}"]
    pieces += [
        argument.metavar if argument.parameter.required else f"[{argument.metavar}]"
        for argument in arguments
        if argument.is_word
    ]
    pieces += [
        f"{argument.option} {argument.metavar}"
        for argument in arguments
        if not argument.is_word and argument.parameter.required
    ]
    return " ".join([*pieces, "[OPTIONS]"])


def _show_argument(page: Page, argument: Argument) -> None:
    page.text(_describe(argument), indent=_COLUMN + 4, first=ink(f"    {_name(argument)}", "cyan"))


def _name(argument: Argument) -> str:
    if argument.is_word:
        return argument.metavar
    if argument.is_flag:
        return ", ".join(argument.forms)
    return f"{argument.option} {argument.metavar}"


def _describe(argument: Argument) -> str:
    sentences = [argument.parameter.description or argument.name.replace("_", " ")]
    if argument.shape.choices and not all(choice in sentences[0] for choice in argument.shape.choices):
        sentences.append(f"One of: {', '.join(argument.shape.choices)}.")
    sentences += [text for text in (_describe_default(argument, sentences[0]), _describe_many(argument)) if text]
    if argument.from_stdin:
        sentences.append("Use - to read standard input.")
    return " ".join(sentences)


def _describe_default(argument: Argument, description: str) -> str:
    if argument.is_flag:
        is_on = argument.parameter.default is True and description.startswith("Whether")
        return "On by default; this option turns it off." if is_on else ""
    has_default = not argument.parameter.required and argument.parameter.default not in (None, "")
    return f"Default: {argument.parameter.default}." if has_default else ""


def _describe_many(argument: Argument) -> str:
    if argument.is_file:
        return "A file with one JSON object per line. Use - to read standard input."
    if not argument.shape.many:
        return ""
    return (
        "To specify several, repeat the option or separate them with commas."
        if argument.splits_at_commas
        else "To specify several, repeat the option."
    )


def _show_globals(page: Page) -> None:
    for option in GLOBALS:
        page.text(option.description, indent=_COLUMN + 4, first=ink(f"    {_name_global(option)}", "cyan"))


def _name_global(option: GlobalOption) -> str:
    return f"--{option.name} {option.metavar}" if option.metavar else f"--{option.name}"
