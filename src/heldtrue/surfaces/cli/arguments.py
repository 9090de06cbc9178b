"""The parameters of a capability as arguments and options, and how their values are read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, get_args, get_origin

import msgspec

from heldtrue.capabilities.parameters import Mark, Parameter, bare_type, choices_of
from heldtrue.capabilities.registry import Capability
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import InvalidInput, NotFound, TooLarge
from heldtrue.domain.limits import OBJECTS_BYTES_MAX
from heldtrue.surfaces.cli.options import RESERVED
from heldtrue.surfaces.cli.usage import UsageProblem

ONLY = "--only-"
"""The prefix of an option that filters the answer and has the name of a global option."""
GIVEN = "--in-"
"""The prefix of an option that sets what is stored and has the name of a global option."""


_NAMES = frozenset(("agent", "command", "setting"))
"""Things that have a name instead of an id; the name may be a number."""


class Shape(msgspec.Struct, frozen=True):
    """The type of a parameter, as far as the command line needs it."""

    base: type
    """str, int, float or bool; `msgspec.Struct` for objects; `object` for anything else, given as JSON."""
    many: bool = False
    choices: tuple[str, ...] = ()


def shape_of(hint: Any) -> Shape:
    """Read a type hint."""
    hint = bare_type(hint)
    if get_origin(hint) in (list, tuple):
        return msgspec.structs.replace(shape_of(get_args(hint)[0]), many=True)
    if choices := choices_of(hint):
        return Shape(str, choices=choices)
    if isinstance(hint, type):
        if issubclass(hint, msgspec.Struct):
            return Shape(msgspec.Struct)
        if hint in (str, int, float, bool):
            return Shape(hint)
    return Shape(object)


class Argument:
    """One parameter as a word or an option."""

    def __init__(self, parameter: Parameter, *, narrows: bool = True) -> None:
        self.parameter = parameter
        self._narrows = narrows
        self.name = parameter.name
        self.shape = shape_of(parameter.type)
        self.is_word = parameter.positional
        """Whether it is positional; a positional argument with a default also has an option."""

    @property
    def is_flag(self) -> bool:
        return self.shape.base is bool and not self.shape.many

    @property
    def is_sentence(self) -> bool:
        return self.is_word and self.parameter.has(Mark.SENTENCE)

    @property
    def from_stdin(self) -> bool:
        return self.parameter.has(Mark.STDIN)

    @property
    def names_ids(self) -> bool:
        """Whether it takes ids, and so line numbers of a listing."""
        reference = self.parameter.reference
        return reference is not None and reference.by_line and not _NAMES & set(reference.what)

    @property
    def is_file(self) -> bool:
        """Whether it takes objects, from a file with one per line."""
        return self.shape.base is msgspec.Struct and self.shape.many

    @property
    def option(self) -> str | None:
        """Its option; None if it is only positional."""
        if self.is_word and self.parameter.required:
            return None
        name = _singular(self.name) if self.shape.many else self.name
        prefix = ONLY if self._narrows else GIVEN
        return f"{prefix if name in RESERVED else '--'}{name.replace('_', '-')}"

    @property
    def forms(self) -> tuple[str, ...]:
        """The option as help shows it: of a flag, the form that changes the default; both, if a setting decides."""
        if self.option is None:
            return ()
        if not self.is_flag or self.parameter.default is False:
            return (self.option,)
        without = f"--no-{self.option.removeprefix('--')}"
        return (without,) if self.parameter.default is True else (self.option, without)

    @property
    def metavar(self) -> str:
        if self.is_file:
            return "FILE"
        if (named := self.parameter.metavar) is not None:
            return named
        name = _singular(self.name) if self.shape.many else self.name
        plain = name.rpartition("_")[2].upper()
        return {int: "N", float: "X"}.get(self.shape.base, plain)

    @property
    def splits_at_commas(self) -> bool:
        return self.shape.many and not self.parameter.has(Mark.PROSE)

    def read(self, value: str | list[str] | bool) -> Any:
        """Convert typed text to a value."""
        if isinstance(value, bool):
            return value
        if self.is_file:
            return read_objects(value if isinstance(value, str) else value[-1], self.name)
        if self.shape.many:
            texts = [value] if isinstance(value, str) else value
            # Commas separate names; in a message a comma is part of the text.
            pieces = [piece.strip() for text in texts for piece in text.split(",")] if self.splits_at_commas else texts
            return [self._read_value(piece) for piece in pieces if piece]
        text = value if isinstance(value, str) else value[-1]
        if text == "-" and self.from_stdin:
            return read_stdin().rstrip("\n")
        return self._read_value(text)

    @property
    def _label(self) -> str:
        """Its name in errors: the option, or for a positional one the plain name."""
        return self.name if self.is_word else self.option or self.name

    def _read_value(self, text: str) -> Any:
        if self.shape.choices and text not in self.shape.choices:
            raise self._refuse_choice(text)
        if self.shape.base in (int, float):
            try:
                return self.shape.base(text)
            except ValueError:
                kind = "a whole number" if self.shape.base is int else "a number"
                raise UsageProblem(
                    f"{self._label} must be {kind}, not {text!r}",
                    field=self.name,
                    hint=self.parameter.description or None,
                ) from None
        return _decode(text) if self.shape.base is object else text

    def _refuse_choice(self, text: str) -> UsageProblem:
        from heldtrue.capabilities.validation import nearest_choice  # loaded only for an error

        close = nearest_choice(text, _inner(self.parameter.type))
        meant = f"did you mean {close}? " if close else ""
        return UsageProblem(
            f"{text!r} is not a valid value for {self._label}",
            field=self.name,
            hint=f"{meant}choose one of: {', '.join(self.shape.choices)}",
        )


def _inner(hint: Any) -> Any:
    """The type of a value, or of the elements of a list."""
    listed = bare_type(hint)
    return get_args(listed)[0] if get_origin(listed) in (list, tuple) else hint


def _singular(plural: str) -> str:
    """`scope` for scopes, `status` for statuses."""
    if plural.endswith("ses"):
        return plural[:-2]
    return f"{plural[:-3]}y" if plural.endswith("ies") else plural.removesuffix("s")


def _decode(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def arguments_of(capability: Capability) -> list[Argument]:
    narrows = capability.effect is Effect.READ
    return [Argument(parameter, narrows=narrows) for parameter in capability.parameters]


def name_options(hint: str, arguments: Sequence[Argument]) -> str:
    """A hint of a command with the arguments of this command as its options: `messages` is --message."""
    for argument in arguments:
        if argument.option is not None:
            hint = hint.replace(f"`{argument.name}`", argument.option)
    return hint


def read_stdin() -> str:
    return _read_all(sys.stdin.buffer, "standard input")


def _read_all(file: BinaryIO, name: str, field: str | None = None) -> str:
    """Read a file, up to the size limit of a request: it may be an endless device or pipe."""
    raw = file.read(OBJECTS_BYTES_MAX + 1)
    if len(raw) > OBJECTS_BYTES_MAX:
        raise TooLarge(
            f"{name} has more than {OBJECTS_BYTES_MAX:,} bytes",
            field=field,
            hint="split the file, or use heldtrue ingest",
        )
    return raw.decode("utf-8", "replace")


class Lines(list[Any]):
    """The objects of a file, with the line number of each."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: list[int] = []


def name_source_line(problem: InvalidInput, arguments: dict[str, Any]) -> None:
    """Add the line number to an error about an object that was read from a file."""
    name, opening, rest = (problem.field or "").partition("[")
    lines = arguments.get(name)
    if opening and isinstance(lines, Lines):
        from heldtrue.capabilities.validation import name_line

        index = rest.partition("]")[0]
        name_line(problem, f"{name}[{index}]", lines.numbers[int(index)])


def _read_file(name: str, field: str) -> str:
    with Path(name).expanduser().open("rb") as file:
        return _read_all(file, name, field)


def read_objects(name: str, field: str) -> Lines:
    """The objects of a JSON Lines file; `-` is standard input."""
    try:
        text = read_stdin() if name == "-" else _read_file(name, field)
    except OSError as problem:
        raise NotFound(
            f"{name} cannot be read: {problem.strerror}",
            field=field,
            hint="specify a JSON Lines file, or - for standard input",
        ) from None
    objects = Lines()
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                objects.append(msgspec.json.decode(line))
                objects.numbers.append(number)
            except msgspec.DecodeError as problem:
                raise UsageProblem(
                    f"line {number} of {name} is not JSON: {problem}",
                    field=field,
                    hint='write one object per line, such as {"content": "The API listens on port 8080"}',
                ) from None
    return objects
