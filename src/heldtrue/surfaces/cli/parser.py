"""Parse the words of one command. Only the command that runs gets a parser, to start fast."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from heldtrue.surfaces.cli.arguments import GIVEN, ONLY, Argument
from heldtrue.surfaces.cli.options import COLORS, GLOBALS, Options
from heldtrue.surfaces.cli.usage import UsageProblem, suggest

_TAKE = argparse.SUPPRESS
_GLOBAL_NAMES = tuple(option.name for option in GLOBALS)


class _Once(argparse.Action):
    """Stores the value of an option, and refuses a second, different one."""

    def __call__(self, _parser: object, namespace: argparse.Namespace, value: Any, option: str | None = None) -> None:
        first = getattr(namespace, self.dest, value)
        if first != value:
            raise UsageProblem(
                f"{option} takes one value, but it was given {first!r} and {value!r}",
                field=(option or "").lstrip("-").replace("-", "_"),
                hint=self.help,
            )
        setattr(namespace, self.dest, value)


class _Parser(argparse.ArgumentParser):
    """An argparse parser that raises its errors and handles only options; other words are assigned by position."""

    def __init__(self) -> None:
        super().__init__(
            add_help=False,
            allow_abbrev=False,
            argument_default=_TAKE,
            # A width of its own: asking for the terminal's would import shutil.
            formatter_class=lambda prog: argparse.HelpFormatter(prog, width=80),
        )

    def error(self, message: str) -> NoReturn:
        name, colon, what = message.removeprefix("argument ").partition(": ")
        if not colon:
            raise UsageProblem(message)
        option = name.split("/")[0]
        if what.startswith("expected"):
            # The last form has the name of the parameter, the first is the one in the help.
            raise UsageProblem(f"{option} needs a value", field=name.split("/")[-1].lstrip("-").replace("-", "_"))
        if what.startswith("ignored explicit"):
            raise UsageProblem(f"{option} takes no value", field=option.lstrip("-").replace("-", "_"))
        raise UsageProblem(f"{option}: {what}")


def parse_words(command: str, arguments: Sequence[Argument], words: list[str]) -> tuple[Options, dict[str, Any]]:
    """The global options and the arguments of a command, checked as far as the command line can."""
    parser = _Parser()
    _add_globals(parser, arguments)
    for argument in arguments:
        _add_argument(parser, argument)
    end = words.index("--") if "--" in words else len(words)
    known, rest = parser.parse_known_args(words[:end])
    given = vars(known)
    options = Options(**{name: given.pop(f"global_{name}") for name in _GLOBAL_NAMES if f"global_{name}" in given})
    if options.color not in COLORS:
        raise UsageProblem(
            f"{options.color!r} is not a valid value for --color", field="color", hint="choose auto, always or never"
        )
    _refuse_unknown(command, arguments, rest)
    others = [*rest, *words[end + 1 :]]
    if not options.json:
        others = _join_ids(arguments, others)
    _assign_words(command, arguments, others, given)
    _require(command, arguments, given)
    by_name = {argument.name: argument for argument in arguments}
    for argument in arguments:
        if argument.is_word and argument.from_stdin and given.get(argument.name):
            _refuse_path(command, argument.name, given[argument.name])
    return options, {name: by_name[name].read(value) for name, value in given.items()}


def _add_globals(parser: _Parser, arguments: Sequence[Argument]) -> None:
    lists = [argument.option for argument in arguments if argument.shape.many]
    for option in GLOBALS:
        name = option.name
        if option.metavar is None:
            forms = ("-q", "--quiet") if name == "quiet" else (f"--{name}",)
            parser.add_argument(*forms, dest=f"global_{name}", action="store_true")
        else:
            many = next((form for form in (f"{GIVEN}{name}", f"{ONLY}{name}") if form in lists), None)
            hint = f"to specify several, use {many}" if many else "remove one of them"
            parser.add_argument(f"--{name}", dest=f"global_{name}", action=_Once, help=hint)


def _add_argument(parser: _Parser, argument: Argument) -> None:
    option = argument.option
    if option is None:
        return
    if argument.is_flag:
        parser.add_argument(option, dest=argument.name, action=argparse.BooleanOptionalAction)
    elif argument.shape.many:
        plural = f"--{argument.name.replace('_', '-')}"
        parser.add_argument(*dict.fromkeys((option, plural)), dest=argument.name, action="append")
    else:
        parser.add_argument(option, dest=argument.name, action=_Once, help="remove one of them")


def _is_option(word: str) -> bool:
    """Whether a word was meant as an option: it starts with a dash, and is not a number or a sentence."""
    return len(word) > 1 and word[0] == "-" and " " not in word and not word[1].isdigit()


def _refuse_unknown(command: str, arguments: Sequence[Argument], words: Sequence[str]) -> None:
    for word in words:
        if _is_option(word):
            name = word.partition("=")[0]
            known = [argument.option for argument in arguments if argument.option]
            known += [f"--{name}" for name in _GLOBAL_NAMES]
            close = suggest(name, known)
            raise UsageProblem(
                f"{command} has no option {name}",
                field=name.lstrip("-").replace("-", "_"),
                hint=f"did you mean {close}?" if close else f"see: heldtrue {command} --help",
            )


def _assign_words(command: str, arguments: Sequence[Argument], words: Sequence[str], values: dict[str, Any]) -> None:
    """Assign each word to the parameter at its position."""
    places = [argument for argument in arguments if argument.is_word and argument.name not in values]
    if len(words) > len(places) == 1 and places[0].is_sentence:
        words = [" ".join(words)]
    if len(words) > len(places):
        takes = sum(argument.is_word for argument in arguments)
        raise UsageProblem(
            f"unexpected argument {words[len(places)]!r}: {command} takes {takes or 'no'} argument{'s' * (takes != 1)}",
            hint=f"put quotation marks around a text with spaces; see: heldtrue {command} --help"
            if places
            else f"see: heldtrue {command} --help",
        )
    values.update((argument.name, word) for argument, word in zip(places, words, strict=False))


_OF_IDS = frozenset("0123456789abcdef-,….")
"""The characters of ids, short ids and line numbers."""


def _join_ids(arguments: Sequence[Argument], words: list[str]) -> list[str]:
    """Join several ids or line numbers to one list, if the command takes nothing else."""
    places = [argument for argument in arguments if argument.is_word]
    are_ids = len(places) == 1 and places[0].names_ids and all(_OF_IDS.issuperset(word.lower()) for word in words)
    return [",".join(words)] if are_ids and len(words) > 1 else words


def _refuse_path(command: str, field: str, words: str) -> None:
    """Refuse the name of a file as a text to store: its content was probably meant."""
    try:
        path = Path(words).expanduser()
        kind = "file" if path.is_file() else "folder" if path.is_dir() else None
    except (OSError, RuntimeError, ValueError):
        return  # not a valid file name
    if kind is not None:
        import shlex  # only a mistake pays for it

        name = shlex.quote(words)
        raise UsageProblem(
            f"{words!r} is the name of a {kind}, not its content",
            field=field,
            hint=f"to import its content: heldtrue ingest {name}; to store just this name: "
            f"echo {name} | heldtrue {command} -",
        )


def _require(command: str, arguments: Sequence[Argument], values: dict[str, Any]) -> None:
    for argument in arguments:
        if argument.parameter.required and argument.name not in values:
            what = argument.metavar if argument.option is None else f"{argument.option} {argument.metavar}"
            raise UsageProblem(
                f"{command} needs {what}", field=argument.name, hint=argument.parameter.description or None
            )
