"""Read the annotation of an argument: its type, its description, and hints for the surfaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum, auto
from types import UnionType
from typing import Annotated, Any, Literal, Union, dataclass_transform, get_args, get_origin

import msgspec
from msgspec import Meta

REQUIRED: Any = msgspec.NODEFAULT
"""The default of an argument that has none."""


class RequestType(msgspec.StructMeta):
    """Makes every request a frozen struct with keyword fields that rejects unknown ones."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any) -> RequestType:
        config = {"frozen": True, "kw_only": True, "forbid_unknown_fields": True, **config}
        return super().__new__(mcs, name, bases, namespace, **config)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Request(msgspec.Struct, frozen=True, metaclass=RequestType):
    """The arguments of a capability, declared as a struct."""


class NoArguments(Request):
    """The request of a capability without arguments."""


class Mark(Enum):
    """Properties of an argument that its type does not express."""

    PROSE = auto()
    """Prose. It is normalised on input, may contain any character, and is not split at commas."""
    STDIN = auto()
    """A long text: on the command line, `-` reads it from standard input."""
    SENTENCE = auto()
    """On the command line it may be typed without quotes, if it is the last positional argument."""
    MOMENT = auto()
    """Python also accepts a date."""
    SPAN = auto()
    """Python also accepts a timedelta."""
    PATH = auto()
    """Python also accepts a path."""


class Metavar(msgspec.Struct, frozen=True):
    """The name of the value in help, if the argument's name is not clear enough."""

    name: str


class Reference(msgspec.Struct, frozen=True):
    """What a value refers to, by id, by the end of an id, or on a command line by its line in the last listing."""

    what: tuple[str, ...]
    """The kinds of items it may refer to: memory, source, conflict, job, recall, result of a recall, view, agent."""
    listed_by: str | None = None
    """The verb that lists the possible items, if there is one."""
    by_line: bool = True
    """Whether a line of the last listing is accepted; never for what destroys something."""


class Synonyms(msgspec.Struct, frozen=True, eq=False):
    """Words that people and models often use for a value, to suggest the right one."""

    words: Mapping[str, str]
    """For each value, its synonyms, separated by spaces. No synonym is itself a value."""


class Parameter(msgspec.Struct, frozen=True):
    """One argument of a capability or of a command."""

    name: str
    type: Any
    default: Any
    description: str
    positional: bool

    @property
    def required(self) -> bool:
        return self.default is REQUIRED

    def has(self, mark: Mark) -> bool:
        return any(extra is mark for extra in _extras(self.type))

    @property
    def reference(self) -> Reference | None:
        """What it refers to, if it is an id or a name."""
        return next((extra for extra in _extras(self.type) if isinstance(extra, Reference)), None)

    @property
    def metavar(self) -> str | None:
        return next((extra.name for extra in _extras(self.type) if isinstance(extra, Metavar)), None)


def read_parameters(request: type[msgspec.Struct], positional: tuple[str, ...]) -> list[Parameter]:
    """The arguments of a request: positional ones first, in order, then the others."""
    found = {}
    for field in msgspec.structs.fields(request):
        found[field.name] = Parameter(
            field.name, field.type, field.default, describe_hint(field.type), field.name in positional
        )
    others = [parameter for name, parameter in found.items() if name not in positional]
    return [*(found[name] for name in positional), *others]


def describe_hint(hint: Any) -> str:
    """The description in an annotation. If there are several, the outermost one."""
    metas = [extra for extra in _extras(hint) if isinstance(extra, Meta) and extra.description]
    return metas[-1].description or "" if metas else ""


def _extras(hint: Any) -> Iterator[Any]:
    if get_origin(hint) is Annotated:
        yield from get_args(hint)[1:]


def bare_type(hint: Any) -> Any:
    """A type without metadata and without None; other unions stay as they are."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return bare_type(inner[0])
    if origin in (Union, UnionType):
        named = [member for member in inner if member is not type(None)]
        return bare_type(named[0]) if len(named) == 1 else hint
    return hint


def choices_of(hint: Any) -> tuple[str, ...]:
    """The values of an enumerated type; empty for other types."""
    hint = bare_type(hint)
    if get_origin(hint) is Literal:
        return tuple(str(choice) for choice in get_args(hint))
    return tuple(str(choice.value) for choice in hint) if isinstance(hint, type) and issubclass(hint, Enum) else ()


def synonyms_of(hint: Any) -> dict[str, str]:
    """The value for each synonym, from the annotation of a type or of its items."""
    found: dict[str, str] = {}
    for extra in _extras(hint):
        if isinstance(extra, Synonyms):
            found |= {other: ours for ours, others in extra.words.items() for other in others.split()}
    for inner in get_args(hint):
        if get_origin(hint) is not Literal and not isinstance(inner, Meta | Mark | Metavar | Reference | Synonyms):
            found |= synonyms_of(inner)
    return found
