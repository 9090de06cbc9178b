"""Help: what there is, and how one command is used. All of it comes from the registry."""

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
    """The commands of every day, each on a line, and where to find the others."""
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
    """Every command with its one line, grouped by task."""
    page.line(bold("heldtrue"), " — the memory that AI agents share and people can audit")
    page.gap()
    page.line("  ", dim("heldtrue [OPTIONS] COMMAND ..."))
    for title, commands in groups.items():
        page.title(title)
        for name, summary in commands:
            page.text(summary, indent=_COLUMN + 2, first=ink(f"    {name}", "cyan"))
    page.title("Options of every command")
    _show_globals(page)
    page.gap()
    page.text(dim("How to use one: heldtrue help COMMAND. What can be set: heldtrue help settings"))


def show_settings(page: Page, settings: Iterable[Setting]) -> None:
    """Every key of the file of settings, with what it is without being set."""
    page.line(bold("heldtrue.toml"), " — the settings of a memory, in its home")
    section = None
    for one in settings:
        if one.section != section:
            page.title(f"[{(section := one.section)}]")
        page.text(f"{one.meaning} Default: {one.default}.", indent=_COLUMN + 4, first=ink(f"    {one.key}", "cyan"))


def show_capability(page: Page, command: str, capability: Capability) -> None:
    """How one capability is used as a command."""
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
    """How one command is used: its arguments and options, each with its description."""
    page.line(bold(name_usage(command, arguments)))
    page.gap()
    for one in arguments:
        doc = doc.replace(f"`{one.name}`", one.option or one.metavar)
    for paragraph in doc.split("\n\n"):
        page.text(" ".join(paragraph.split()), indent=2)
        page.gap()
    options = [one for one in arguments if not one.is_word]
    _show_arguments(page, "Arguments", [one for one in arguments if one.is_word])
    _show_arguments(page, "Options", options)
    _show_apart(page, [one.option for one in options if one.option])
    if family is not None:
        _show_family(page, family)
    page.title("Options of every command")
    page.list([_name_global(one) for one in GLOBALS], indent=4, between="  ")
    if examples:
        page.title("Examples")
        for example in examples:
            page.line("    ", dim("$ "), example)


def _show_arguments(page: Page, title: str, arguments: Sequence[Argument]) -> None:
    if arguments:
        page.title(title)
    for one in arguments:
        _show_argument(page, one)


def _show_apart(page: Page, options: Sequence[str]) -> None:
    """What the options are for that are named after an option of every command."""
    for start, deed in ((ONLY, "choose what is shown"), (GIVEN, "are part of what is written")):
        if apart := [option for option in options if option.startswith(start)]:
            page.gap()
            page.text(dim(_tell_apart(apart, start, deed)), indent=4)


def _show_family(page: Page, family: str) -> None:
    """What else is said in two words that begin with the same one."""
    page.title(family.title())
    for word, command in two_words(family).items():
        if (found := find_capability(command.replace("-", "_"))) is not None:
            page.text(found.summary, indent=_COLUMN + 4, first=ink(f"    {family} {word}", "cyan"))


def _tell_apart(options: Sequence[str], start: str, deed: str) -> str:
    """What an option is for, beside the option of every command that it is named after."""
    acting = [f"--{option.removeprefix(start)}" for option in options]
    return f"{_join(options)} {deed}; {_join(acting)} say who and where you are."


def _join(words: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def tell_command(command: str, doc: str, arguments: Sequence[Argument]) -> dict[str, object]:
    """How one command is used, for programs."""
    return {
        "name": command,
        "usage": name_usage(command, arguments),
        "summary": doc.split("\n", 1)[0],
        "description": doc,
        "arguments": [
            {
                "name": one.name,
                "option": next(iter(one.forms), None),
                "required": one.parameter.required,
                "default": None if one.parameter.required else one.parameter.default,
                "choices": one.shape.choices,
                "many": one.shape.many,
                "description": one.parameter.description,
            }
            for one in arguments
        ],
    }


def name_usage(command: str, arguments: Sequence[Argument]) -> str:
    """What is typed, with a word for each argument."""
    pieces = [f"heldtrue {command}"]
    pieces += [one.metavar if one.parameter.required else f"[{one.metavar}]" for one in arguments if one.is_word]
    pieces += [f"{one.option} {one.metavar}" for one in arguments if not one.is_word and one.parameter.required]
    return " ".join([*pieces, "[OPTIONS]"])


def _show_argument(page: Page, one: Argument) -> None:
    page.text(_describe(one), indent=_COLUMN + 4, first=ink(f"    {_name(one)}", "cyan"))


def _name(one: Argument) -> str:
    if one.is_word:
        return one.metavar
    if one.is_flag:
        return ", ".join(one.forms)
    return f"{one.option} {one.metavar}"


def _describe(one: Argument) -> str:
    said = [one.parameter.description or one.name.replace("_", " ")]
    if one.shape.choices and not all(choice in said[0] for choice in one.shape.choices):
        said.append(f"One of: {', '.join(one.shape.choices)}.")
    said += [text for text in (_describe_default(one, said[0]), _describe_many(one)) if text]
    if one.from_stdin:
        said.append("- reads standard input.")
    return " ".join(said)


def _describe_default(one: Argument, said: str) -> str:
    if one.is_flag:
        is_yes = one.parameter.default is True and said.startswith("Whether")
        return "This says no; left out, it is yes." if is_yes else ""
    is_told = not one.parameter.required and one.parameter.default not in (None, "")
    return f"Left out: {one.parameter.default}." if is_told else ""


def _describe_many(one: Argument) -> str:
    if one.is_file:
        return "A file with one JSON object on each line; - reads standard input."
    if not one.shape.many:
        return ""
    return "Repeat it, or separate with commas." if one.splits_at_commas else "Repeat it."


def _show_globals(page: Page) -> None:
    for one in GLOBALS:
        page.text(one.description, indent=_COLUMN + 4, first=ink(f"    {_name_global(one)}", "cyan"))


def _name_global(one: GlobalOption) -> str:
    return f"--{one.name} {one.metavar}" if one.metavar else f"--{one.name}"
