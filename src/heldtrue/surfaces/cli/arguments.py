"""From a capability's parameters to what is typed, and from what was typed to its arguments."""

from __future__ import annotations

import sys
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
"""How an option begins that narrows the answer and would else be taken for one of every command."""
GIVEN = "--in-"
"""How it begins where it is part of what is written."""


_NAMES = frozenset(("agent", "command", "setting"))
"""What is known by a name alone, which may be a number."""


class Shape(msgspec.Struct, frozen=True):
    """What a parameter takes, as far as a command line needs to know."""

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
    """One parameter as it is typed."""

    def __init__(self, parameter: Parameter, *, narrows: bool = True) -> None:
        self.parameter = parameter
        self._narrows = narrows
        self.name = parameter.name
        self.shape = shape_of(parameter.type)
        self.is_word = parameter.positional
        """Whether it is known by its place; one with a default can be named too."""

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
        """Whether it takes the ids of things, and so the lines of a listing that show them."""
        reference = self.parameter.reference
        return reference is not None and not _NAMES & set(reference.what)

    @property
    def is_file(self) -> bool:
        """Objects come from a file with one on each line."""
        return self.shape.base is msgspec.Struct and self.shape.many

    @property
    def option(self) -> str | None:
        """The option that names it; none where only its place does."""
        if self.is_word and self.parameter.required:
            return None
        name = _one_of(self.name) if self.shape.many else self.name
        apart = ONLY if self._narrows else GIVEN
        return f"{apart if name in RESERVED else '--'}{name.replace('_', '-')}"

    @property
    def forms(self) -> tuple[str, ...]:
        """The option as it is told: of a flag, the form that changes something; both, where left out it is as set."""
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
        name = _one_of(self.name) if self.shape.many else self.name
        plain = name.rpartition("_")[2].upper()
        return {int: "N", float: "X"}.get(self.shape.base, plain)

    @property
    def splits_at_commas(self) -> bool:
        return self.shape.many and not self.parameter.has(Mark.PROSE)

    def read(self, given: str | list[str] | bool) -> Any:
        """The value for what was typed."""
        if isinstance(given, bool):
            return given
        if self.is_file:
            return read_objects(given if isinstance(given, str) else given[-1], self.name)
        if self.shape.many:
            texts = [given] if isinstance(given, str) else given
            # Names are put in a row by commas; in a message a comma is a comma.
            pieces = [one.strip() for text in texts for one in text.split(",")] if self.splits_at_commas else texts
            return [self._read_one(piece) for piece in pieces if piece]
        text = given if isinstance(given, str) else given[-1]
        if text == "-" and self.from_stdin:
            return read_stdin().rstrip("\n")
        return self._read_one(text)

    @property
    def _spoken(self) -> str:
        """What it is called to somebody who has typed it: one that is known by its place has typed no option."""
        return self.name if self.is_word else self.option or self.name

    def _read_one(self, text: str) -> Any:
        if self.shape.choices and text not in self.shape.choices:
            raise self._refuse_choice(text)
        if self.shape.base in (int, float):
            try:
                return self.shape.base(text)
            except ValueError:
                kind = "a whole number" if self.shape.base is int else "a number"
                raise UsageProblem(
                    f"{self._spoken} takes {kind}, and {text!r} is not one",
                    field=self.name,
                    hint=self.parameter.description or None,
                ) from None
        return _decode(text) if self.shape.base is object else text

    def _refuse_choice(self, text: str) -> UsageProblem:
        from heldtrue.capabilities.validation import nearest_choice  # only a mistake pays for it

        close = nearest_choice(text, _inner(self.parameter.type))
        meant = f"did you mean {close}? " if close else ""
        return UsageProblem(
            f"{text!r} is not a value of {self._spoken}",
            field=self.name,
            hint=f"{meant}choose one of: {', '.join(self.shape.choices)}",
        )


def _inner(hint: Any) -> Any:
    """The type of a value, or of one in a list of them."""
    listed = bare_type(hint)
    return get_args(listed)[0] if get_origin(listed) in (list, tuple) else hint


def _one_of(plural: str) -> str:
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


def read_stdin() -> str:
    return _read_all(sys.stdin.buffer, "standard input")


def _read_all(file: BinaryIO, name: str, field: str | None = None) -> str:
    """All of a file that may be a device or a pipe without end, as far as a request may be long."""
    raw = file.read(OBJECTS_BYTES_MAX + 1)
    if len(raw) > OBJECTS_BYTES_MAX:
        raise TooLarge(
            f"{name} holds more than {OBJECTS_BYTES_MAX:,} bytes", field=field, hint="hand it in in parts, or ingest it"
        )
    return raw.decode("utf-8", "replace")


class Lines(list[Any]):
    """What the lines of a file hold, and which line each came from."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: list[int] = []


def tell_line(problem: InvalidInput, given: dict[str, Any]) -> None:
    """Let a problem with one of the objects of a file name the line that it was read from."""
    name, opening, rest = (problem.field or "").partition("[")
    lines = given.get(name)
    if opening and isinstance(lines, Lines):
        from heldtrue.capabilities.validation import name_line

        place = rest.partition("]")[0]
        name_line(problem, f"{name}[{place}]", lines.numbers[int(place)])


def _read_file(name: str, field: str) -> str:
    with Path(name).expanduser().open("rb") as file:
        return _read_all(file, name, field)


def read_objects(name: str, field: str) -> Lines:
    """The objects of a file of JSON Lines; `-` is standard input."""
    try:
        text = read_stdin() if name == "-" else _read_file(name, field)
    except OSError as problem:
        raise NotFound(
            f"{name} cannot be read: {problem.strerror}", field=field, hint="name a file of JSON Lines, or - for stdin"
        ) from None
    found = Lines()
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                found.append(msgspec.json.decode(line))
                found.numbers.append(number)
            except msgspec.DecodeError as problem:
                raise UsageProblem(
                    f"line {number} of {name} is not JSON: {problem}",
                    field=field,
                    hint='write one object per line, such as {"content": "The API listens on port 8080"}',
                ) from None
    return found
