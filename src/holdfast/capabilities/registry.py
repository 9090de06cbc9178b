"""The registry: one typed function with one docstring is a capability, and surfaces are made from it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from holdfast.capabilities.call import Call
from holdfast.domain.errors import HoldfastError, InvalidInput

Handler = Callable[..., Any]
REQUIRED: Any = msgspec.NODEFAULT
"""Stands for the default of an argument that has none."""
IDEMPOTENCY = "idempotency_key"
_WORDS_MAX = 800
"""Characters of an error message; what was given may be far longer."""
_IDEMPOTENCY_DOC = "Any text that names this one request: sent again, it gets the first answer and changes nothing."
_PLACE = r" - at `(?:key in )?\$\.?(?P<field>[^`]*)`$"
_UNKNOWN = r"Object contains unknown field `(?P<field>[^`]*)`"
_MISSING = r"Object missing required field `(?P<field>[^`]*)`"


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

    def __init__(self, name: str, effect: Effect, handler: Handler) -> None:
        self.name = name
        self.effect = effect
        self.handler = handler

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
        except HoldfastError as problem:
            _mask_words(problem)
            raise

    def _invoke(self, call: Call, arguments: Mapping[str, Any], strict: bool) -> Any:
        try:
            request = msgspec.convert(dict(arguments), self.request, strict=strict)
        except msgspec.ValidationError as problem:
            raise explain_validation(problem, self) from None
        values = {name: getattr(request, name) for name in self.request.__struct_fields__}
        key = values.pop(IDEMPOTENCY, None)
        body = msgspec.json.encode(values, order="sorted") if key is not None else b""
        return self.handler(msgspec.structs.replace(call, action=self.name, idempotency_key=key, body=body), **values)


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


def capability(name: str, effect: Effect) -> Callable[[Handler], Handler]:
    """Declare a function to be a capability."""

    def declare(handler: Handler) -> Handler:
        CAPABILITIES[name] = Capability(name, effect, handler)
        return handler

    return declare


def describe_hint(hint: Any) -> str:
    """The description written into an annotation."""
    if get_origin(hint) is Annotated:
        for extra in get_args(hint)[1:]:
            if isinstance(extra, Meta) and extra.description:
                return extra.description
    return ""


def explain_validation(problem: msgspec.ValidationError, capability: Capability) -> InvalidInput:
    """A validation error that names the argument and says what it takes."""
    message = str(problem)
    inside = re.search(_PLACE, message)
    if inside and (found := re.search(_UNKNOWN, message) or re.search(_MISSING, message)):
        verdict = "needs" if re.search(_MISSING, message) else "has no"
        return InvalidInput(
            f"{inside['field']} {verdict} {found['field']}",
            field=f"{inside['field']}.{found['field']}",
            hint=_hint_for(capability, inside["field"]),
        )
    if found := re.search(_UNKNOWN, message):
        import difflib

        names = [one.name for one in capability.parameters]
        close = difflib.get_close_matches(found["field"], names, 1, 0.5)
        hint = f"did you mean {close[0]}?" if close else f"it takes: {', '.join(names)}"
        return InvalidInput(f"{capability.name} has no argument {found['field']!r}", field=found["field"], hint=hint)
    if found := re.search(_MISSING, message):
        return InvalidInput(
            f"{capability.name} needs {found['field']}",
            field=found["field"],
            hint=_hint_for(capability, found["field"]),
        )
    place = re.search(_PLACE, message)
    field = place["field"] if place else None
    text = re.sub(_PLACE, "", message)
    return InvalidInput(
        f"{field or capability.name}: {text[:1].lower()}{text[1:]}", field=field, hint=_hint_for(capability, field)
    )


def _mask_words(problem: HoldfastError) -> None:
    """An error repeats what was given, but no secret in it, and not all of what has no end."""
    from holdfast.language.secrets import redact_secrets

    def mask(text: str) -> str:
        masked = redact_secrets(text).text
        return masked if len(masked) <= _WORDS_MAX else masked[:_WORDS_MAX] + "…"

    problem.message = mask(problem.message)
    problem.args = (problem.message,)
    problem.field = mask(problem.field) if problem.field else problem.field
    problem.hint = mask(problem.hint) if problem.hint else problem.hint


def _hint_for(capability: Capability, field: str | None) -> str | None:
    top = (field or "").split(".")[0].split("[")[0]
    return next((one.description for one in capability.parameters if one.name == top and one.description), None)


def explain_line(problem: Exception, number: int, kept: int) -> InvalidInput:
    """A problem with one line of a file, saying what of the lines before it was kept."""
    field = getattr(problem, "field", None)
    place = re.search(_PLACE, str(problem))
    message = re.sub(_PLACE, "", str(problem))
    return InvalidInput(
        f"line {number}: {message}",
        field=field or (place["field"] if place else None) or "path",
        hint=f"each line is a JSON object with the arguments of learn; {kept} memories before it were kept",
    )
