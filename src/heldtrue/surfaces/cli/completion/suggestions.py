"""What could be typed next: commands, options, their values, and the ids of what is there."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from heldtrue.capabilities.parameters import Mark, Reference
from heldtrue.capabilities.verb_index import find_capability, verbs
from heldtrue.domain.ids import ending_of, is_id, plain_reference
from heldtrue.domain.limits import COMPLETED_IDS_MAX, COMPLETION_SECONDS_MAX
from heldtrue.surfaces.cli.options import COLORS, GLOBALS, Options, split_command, two_words
from heldtrue.surfaces.cli.usage import UsageProblem

if TYPE_CHECKING:
    from heldtrue.surfaces.cli.arguments import Argument

_FOLDERS = ("home",)
"""The global options that take the name of a folder."""


class Suggestion(msgspec.Struct, frozen=True):
    """A word that could be typed."""

    value: str
    description: str = ""


class Completion(msgspec.Struct, frozen=True):
    """What could be typed: words, or the names of files, which a shell completes itself."""

    suggestions: Sequence[Suggestion] = ()
    files: bool = False


FILES = Completion(files=True)
NOTHING = Completion()


def complete_line(words: Sequence[str]) -> Completion:
    """What the last word could become; those before it are taken as they are."""
    *before, current = words or [""]
    try:
        command, rest = split_command(list(before))
    except UsageProblem:
        return NOTHING
    if command is None:
        found = _complete_start(before, current)
    else:
        found = _complete_argument(command, rest, current, before)
    fitting = [suggestion for suggestion in found.suggestions if suggestion.value.startswith(current)]
    return Completion(fitting, found.files)


def _complete_start(before: Sequence[str], current: str) -> Completion:
    """Where no command was typed yet: an option of every command, its value, or a command."""
    pending = before[-1] if before else ""
    for option in GLOBALS:
        if option.metavar and pending == f"--{option.name}":
            return _value_of_global(option.name)
    return _options(()) if current.startswith("-") else Completion(list(_commands()))


def _value_of_global(name: str) -> Completion:
    if name in _FOLDERS:
        return FILES
    return Completion([Suggestion(color) for color in COLORS]) if name == "color" else NOTHING


def _commands() -> Iterable[Suggestion]:
    from heldtrue.surfaces.cli.builtin_commands import BUILTIN_COMMANDS

    for verb, known in verbs().items():
        yield Suggestion(verb.replace("_", "-"), known.everyday.summary if known.everyday else known.summary)
    for name, builtin in BUILTIN_COMMANDS.items():
        yield Suggestion(name, builtin.everyday.summary if builtin.everyday else builtin.summary)


def _options(arguments: Sequence[Argument]) -> Completion:
    """The options of a command and of every command."""
    own = [Suggestion(form, argument.parameter.description) for argument in arguments for form in argument.forms]
    every = [Suggestion(f"--{option.name}", option.description) for option in GLOBALS]
    return Completion([*own, *every, Suggestion("--help", "How this command is used.")])


def _complete_argument(command: str, rest: Sequence[str], current: str, before: Sequence[str]) -> Completion:
    arguments = _arguments_of(command)
    if arguments is None:
        return NOTHING
    words, pending = _scan(rest, arguments)
    if pending is None and current.startswith("--") and "=" in current:
        return _after_equals(arguments, current, before)
    if pending is not None:
        return _value_of_option(arguments, pending, current, before)
    if current.startswith("-"):
        return _options(arguments)
    family = _second_words(command) if not words else []
    places = [argument for argument in arguments if argument.is_word]
    if words and len(places) == 1 and places[0].names_ids:
        words = 0  # several may be named
    if words >= len(places):
        return Completion(family)
    return Completion([*family, *(found := _values(places[words], current, before)).suggestions], found.files)


def _second_words(command: str) -> list[Suggestion]:
    """What may follow a command that is said in two words, such as `agents add`."""
    family = two_words(command).items()
    return [Suggestion(word, verbs()[whole.replace("-", "_")].summary) for word, whole in family]


def _after_equals(arguments: Sequence[Argument], current: str, before: Sequence[str]) -> Completion:
    """The value behind `--option=`."""
    option, _, typed = current.partition("=")
    found = _value_of_option(arguments, option, typed, before)
    return Completion(_lead(f"{option}=", found.suggestions), found.files)


def _lead(typed: str, suggestions: Iterable[Suggestion]) -> list[Suggestion]:
    """The suggestions behind what is already typed of the same word."""
    return [Suggestion(typed + suggestion.value, suggestion.description) for suggestion in suggestions]


def _value_of_option(arguments: Sequence[Argument], option: str, current: str, before: Sequence[str]) -> Completion:
    for argument in arguments:
        if argument.option == option:
            return _values(argument, current, before)
    return _value_of_global(option.removeprefix("--"))


def _arguments_of(command: str) -> Sequence[Argument] | None:
    from heldtrue.surfaces.cli.arguments import arguments_of
    from heldtrue.surfaces.cli.builtin_commands import BUILTIN_COMMANDS, find_known

    known = find_known(command)
    if known in BUILTIN_COMMANDS:
        return BUILTIN_COMMANDS[known].arguments
    capability = find_capability(known.replace("-", "_"))
    return arguments_of(capability) if capability is not None else None


def _scan(words: Sequence[str], arguments: Sequence[Argument]) -> tuple[int, str | None]:
    """How many words have a place before the one that is typed, and the option that still needs its value."""
    takes_value = {f"--{option.name}" for option in GLOBALS if option.metavar}
    takes_value |= {argument.option for argument in arguments if argument.option and not argument.is_flag}
    placed, pending = 0, None
    for word in words:
        if pending is not None:
            pending = None
        elif not word.startswith("-") or word == "-":
            placed += 1
        elif word in takes_value:
            pending = word
    return placed, pending


def _values(argument: Argument, current: str, before: Sequence[str]) -> Completion:
    """The values that an argument takes; of a list, the one that is being typed."""
    reference = argument.parameter.reference
    if argument.shape.choices:
        found = [Suggestion(choice) for choice in argument.shape.choices]
    elif reference is not None:
        found = list(_named(reference, before))
    else:
        return FILES if argument.is_file or argument.parameter.has(Mark.PATH) else NOTHING
    typed = current.rpartition(",")[0]
    if typed and (argument.shape.many or argument.names_ids):
        found = _lead(f"{typed},", found)
    return Completion(found)


def _named(reference: Reference, before: Sequence[str]) -> Iterable[Suggestion]:
    """What could be named: commands, settings, or what is there."""
    if "command" in reference.what:
        return [*_commands(), Suggestion("settings", "Every setting, with its default")]
    if "setting" in reference.what:
        from heldtrue.wiring.settings_reference import describe_settings

        return [Suggestion(setting.path, setting.meaning) for setting in describe_settings()]
    return _listed(reference, before) if reference.listed_by is not None else ()


def _listed(reference: Reference, before: Sequence[str]) -> Iterable[Suggestion]:
    """The newest things of a kind, as the verb that lists them shows them: ids by their end, which is enough."""
    from heldtrue.surfaces.cli.answers import essential_lines, show_answer
    from heldtrue.surfaces.cli.backends import open_backend
    from heldtrue.surfaces.cli.page import Page
    from heldtrue.surfaces.cli.screen import Screen

    capability = find_capability(reference.listed_by or "")
    if capability is None:
        return
    limit = (
        {"limit": COMPLETED_IDS_MAX} if any(parameter.name == "limit" for parameter in capability.parameters) else {}
    )
    with open_backend(capability, _read_options(before), limit, patience_seconds=COMPLETION_SECONDS_MAX) as backend:
        page = Page(Screen(sys.stdout, "never"), backend.now, compact=True)
        answer = backend.use(capability, limit)
        show_answer(page, answer, limit)
    if page.listed is None:
        yield from (Suggestion(name) for name in essential_lines(answer))
    for line in page.listed or ():
        for shown in line:
            if shown.what in reference.what:
                yield Suggestion(ending_of(shown.id) if is_id(plain_reference(shown.id)) else shown.id, shown.text)


def _read_options(before: Sequence[str]) -> Options:
    """The options of every command among what was typed, as far as they say where to look and as whom."""
    given: dict[str, str] = {}
    for option in GLOBALS:
        for number, word in enumerate(before):
            if option.metavar and word == f"--{option.name}" and number + 1 < len(before):
                given[option.name] = before[number + 1]
            elif option.metavar and word.startswith(f"--{option.name}="):
                given[option.name] = word.partition("=")[2]
    return Options(**given)  # type: ignore[arg-type]  # only those with values are read, which are texts
