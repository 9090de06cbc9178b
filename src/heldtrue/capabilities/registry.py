"""The registry: one typed function with one docstring is a capability, and surfaces are made from it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from enum import Enum, StrEnum
from functools import cached_property
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from heldtrue.capabilities.call import Call
from heldtrue.domain.errors import HeldtrueError, InvalidInput

Handler = Callable[..., Any]
REQUIRED: Any = msgspec.NODEFAULT
"""Stands for the default of an argument that has none."""
IDEMPOTENCY = "idempotency_key"
_MANY = "memories"
"""The argument that makes one use as good as many."""
_WORDS_MAX = 800
"""Characters of an error message; what was given may be far longer."""
_IDEMPOTENCY_DOC = "Any text that names this one request: sent again, it gets the first answer and changes nothing."


class Effect(StrEnum):
    """What a capability does to a space."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class Parameter(msgspec.Struct, frozen=True):
    """One argument of a capability."""

    name: str
    type: Any
    default: Any
    description: str
    positional: bool

    @property
    def required(self) -> bool:
        return self.default is REQUIRED


class Capability:
    """A verb with its arguments, its answer, its effect and its one description."""

    def __init__(
        self, name: str, effect: Effect, handler: Handler, *, for_skills: bool = False, for_persons: bool = False
    ) -> None:
        self.name = name
        self.effect = effect
        self.handler = handler
        self.for_skills = for_skills
        """Whether an agent may use it that is handed what it needs."""
        self.for_persons = for_persons
        """Whether it is refused to every agent. What it does refuses them itself, with an entry where it is a write."""
        """Whether an agent may use it that is only handed what it needs."""

    @property
    def verb(self) -> str:
        return self.name.partition(".")[2]

    @property
    def doc(self) -> str:
        first, _, rest = (self.handler.__doc__ or "").strip().partition("\n")
        return f"{first}\n{textwrap.dedent(rest)}".strip()

    @property
    def summary(self) -> str:
        return self.doc.split("\n", 1)[0]

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self.handler, include_extras=True)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The arguments in order, with the key for safe retries on everything that writes."""
        found = []
        for name, default, positional in _signature(self.handler):
            hint = self._hints[name]
            found.append(Parameter(name, hint, default, describe_hint(hint), positional))
        if self.effect is Effect.WRITE:
            found.append(Parameter(IDEMPOTENCY, str | None, None, _IDEMPOTENCY_DOC, False))
        return tuple(found)

    @cached_property
    def request(self) -> type[msgspec.Struct]:
        """The arguments as one validated value; its JSON Schema is what surfaces publish."""
        fields = [
            (one.name, one.type) if one.required else (one.name, one.type, one.default) for one in self.parameters
        ]
        name = "".join(part.title() for part in self.verb.split("_")) + "Request"
        return msgspec.defstruct(name, fields, kw_only=True, frozen=True, forbid_unknown_fields=True)

    @cached_property
    def answer(self) -> Any:
        return self._hints["return"]

    def invoke(self, call: Call, arguments: Mapping[str, Any], *, strict: bool = True) -> Any:
        """Check the arguments and do it. Every surface ends up here."""
        try:
            return self._invoke(call, arguments, strict)
        except HeldtrueError as problem:
            if isinstance(problem, InvalidInput):
                lead_with_field(problem)
            _mask_words(problem)
            raise

    def _invoke(self, call: Call, arguments: Mapping[str, Any], strict: bool) -> Any:
        call.authorise(for_skills=self.for_skills, for_admins=self.effect is Effect.ADMIN)
        try:
            request = msgspec.convert(dict(arguments), self.request, strict=strict)
        except msgspec.ValidationError as problem:
            from heldtrue.capabilities.validation import explain_misfit

            raise explain_misfit(problem, self, arguments) from None
        values = {name: getattr(request, name) for name in self.request.__struct_fields__}
        if call.meter is not None:
            call.meter(self.effect, len(values.get(_MANY) or ()) or 1)
        _refuse_unstorable(values)
        key = values.pop(IDEMPOTENCY, None)
        body = _body_of(values) if key is not None else b""
        return self.handler(msgspec.structs.replace(call, action=self.name, idempotency_key=key, body=body), **values)


_PROSE = frozenset(
    "answer content context memories messages question rationale reason source_text summary task text title".split()
)
"""Arguments that are made plain on their way in; whatever they hold, something readable is left."""


def _refuse_unstorable(values: Mapping[str, Any]) -> None:
    """Refuse names, ids and paths with characters that no store can hold."""
    for name, value in values.items():
        if not value or name in _PROSE:
            continue
        for text in value if isinstance(value, list) else (value,):
            if isinstance(text, str) and ("\x00" in text or not (text.isascii() or _is_text(text))):
                raise InvalidInput(f"{name} holds a character that is no text", field=name, hint="leave it out")


def _is_text(text: str) -> bool:
    return not any("\ud800" <= mark <= "\udfff" for mark in text)


def _body_of(values: Mapping[str, Any]) -> bytes:
    """A request in one form, to tell it from another with the same key."""
    try:
        return msgspec.json.encode(values, order="sorted")
    except UnicodeEncodeError:
        return repr(sorted(values.items())).encode("ascii", "backslashreplace")


def _signature(handler: Handler) -> list[tuple[str, Any, bool]]:
    """Name, default and whether it has a place, of each argument after the call."""
    # inspect.signature says the same, and takes longer to load than a recall takes to answer.
    code = handler.__code__
    placed = code.co_varnames[1 : code.co_argcount]
    named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    defaults = dict(zip(reversed(placed), reversed(handler.__defaults__ or ()), strict=False))
    defaults |= handler.__kwdefaults__ or {}
    order = [(name, True) for name in placed] + [(name, False) for name in named]
    return [(name, defaults.get(name, REQUIRED), positional) for name, positional in order]


CAPABILITIES: dict[str, Capability] = {}


def capability(
    name: str, effect: Effect, *, for_skills: bool = False, for_persons: bool = False
) -> Callable[[Handler], Handler]:
    """Declare a function to be a capability."""

    def declare(handler: Handler) -> Handler:
        CAPABILITIES[name] = Capability(name, effect, handler, for_skills=for_skills, for_persons=for_persons)
        return handler

    return declare


def describe_hint(hint: Any) -> str:
    """The description written into an annotation."""
    if get_origin(hint) is Annotated:
        for extra in get_args(hint)[1:]:
            if isinstance(extra, Meta) and extra.description:
                return extra.description
    return ""


def bare_type(hint: Any) -> Any:
    """A type without its description and without None; one of several types stays as it is."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return bare_type(inner[0])
    if origin in (Union, UnionType):
        named = [one for one in inner if one is not type(None)]
        return bare_type(named[0]) if len(named) == 1 else hint
    return hint


def choices_of(hint: Any) -> tuple[str, ...]:
    """The values that a type is limited to; none where it is not."""
    hint = bare_type(hint)
    if get_origin(hint) is Literal:
        return tuple(str(one) for one in get_args(hint))
    return tuple(str(one.value) for one in hint) if isinstance(hint, type) and issubclass(hint, Enum) else ()


def lead_with_field(problem: InvalidInput) -> None:
    """Let a message that begins with what was given say first which argument that is."""
    if problem.field and problem.message.startswith(("'", '"')):
        problem.message = f"{problem.field}: {problem.message}"


def _mask_words(problem: HeldtrueError) -> None:
    """An error repeats what was given, but no secret in it, and not all of what has no end."""
    from heldtrue.language.secrets import redact_beginning

    def mask(text: str) -> str:
        masked = redact_beginning(text)
        return masked if len(masked) <= _WORDS_MAX else masked[:_WORDS_MAX] + "…"

    problem.message = mask(problem.message)
    problem.args = (problem.message,)
    problem.field = mask(problem.field) if problem.field else problem.field
    problem.hint = mask(problem.hint) if problem.hint else problem.hint


def explain_line(problem: Exception, number: int, kept: int) -> InvalidInput:
    """A problem with one line of a file, saying what of the lines before it was kept."""
    from heldtrue.capabilities import validation

    return validation.explain_line(problem, CAPABILITIES["memory.learn_many"], number, kept)
