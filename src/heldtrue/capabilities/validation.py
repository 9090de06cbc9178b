"""Describe an invalid value: where it is, what was given, what is expected. Only loaded for an error."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, get_args, get_type_hints

import msgspec

from heldtrue.capabilities.parameters import Parameter, bare_type, choices_of, synonyms_of
from heldtrue.domain.errors import InvalidInput
from heldtrue.language.secrets import redact_beginning

UNKNOWN: Any = object()
"""Stands for a value that is not known."""
_PLACE = re.compile(r" - at (?P<key>`key` in )?`\$\.?(?P<path>[^`]*)`$")
_NO_SUCH_KEY = re.compile(r"Object contains unknown field `(?P<key>[^`]*)`")
_MISSING_KEY = re.compile(r"Object missing required field `(?P<key>[^`]*)`")
_EXPECTED = re.compile(
    r"Expected `(?P<type>\w+)[^`]*`(?P<length> of length)?(?: (?P<sign>[<>]=?) (?P<bound>[-\d.e+]+))?(?:, got `\w+`)?"
)
_BAD_CHOICE = re.compile(r"Invalid enum value (?P<value>.*)")
_STEP = re.compile(r"[^.\[\]]+|\[\.\.\.\]|\[\d+\]")
_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "str": "a string",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}
_SIGNS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
_EMPTY_HINTS = {"reason": "say why, in words"}
_SHOWN_MAX = 80
"""How many characters of a value an error repeats."""


class Described(Protocol):
    """A capability with its arguments."""

    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> tuple[Parameter, ...]: ...
    @property
    def request(self) -> type[msgspec.Struct]: ...


def explain_misfit(
    problem: msgspec.ValidationError, capability: Described, given: Any = UNKNOWN, *, within: str | None = None
) -> InvalidInput:
    """The error that names the argument, repeats the value, and says what is expected.

    `within` is the path of the validated value, if it is not all of the arguments.
    """
    text, path = split_place(problem)
    path = ".".join(part for part in (within, path) if part) or None
    if found := _NO_SUCH_KEY.match(text):
        return _explain_unknown(path, found["key"], capability)
    if found := _MISSING_KEY.match(text):
        return _explain_missing(path, found["key"], capability)
    hint_there, value = hint_at(capability.request, path), value_at(given, path)
    where = path or capability.name
    if is_empty(text):
        return InvalidInput(
            f"{where} is empty", field=path, hint=_EMPTY_HINTS.get(where) or _describe(capability, path)
        )
    close = _nearest_choice(text, hint_there, value)
    return InvalidInput(
        f"{where}: {word_misfit(text, hint_there, value)}",
        field=path,
        hint=_describe(capability, path),
        meant=close,
    )


def _nearest_choice(text: str, hint: Any, value: Any) -> str | None:
    """The choice that was probably meant by an invalid value."""
    said = _BAD_CHOICE.match(text)
    given = said["value"].strip("'") if value is UNKNOWN and said else value
    return nearest_choice(given, hint) if isinstance(given, str) else None


def nearest_choice(given: str, hint: Any) -> str | None:
    """The choice that was probably meant: a synonym, or else the nearest spelling."""
    choices, ours = choices_of(hint), synonyms_of(hint)
    plain = "_".join(given.strip().lower().replace("-", " ").split())
    for word in (plain, plain.removesuffix("s")):
        if word in choices:
            return word
        if ours.get(word) in choices:
            return ours[word]
    return nearest(plain, choices, alike=0.7)


def _explain_unknown(path: str | None, key: str, capability: Described) -> InvalidInput:
    """The error for an unknown argument, or with a path for an unknown key of an object inside an argument."""
    if path:
        known: Iterable[str] = bare_type(hint_at(capability.request, path)).__struct_fields__
        close = nearest(key, known)
        meant = f", did you mean {close!r}?" if close else ""
        return InvalidInput(
            f"{path}: unknown key {key!r}{meant}", field=f"{path}.{key}", hint=_describe(capability, path)
        )
    names = [parameter.name for parameter in capability.parameters]
    return InvalidInput(
        f"{capability.name} has no argument {key!r}",
        field=key,
        hint=f"its arguments are: {', '.join(names)}",
        meant=nearest(key, names),
    )


def _explain_missing(path: str | None, key: str, capability: Described) -> InvalidInput:
    """The error for a missing key."""
    whole = f"{path}.{key}" if path else key
    message = f"{path}: {key} is missing" if path else f"{capability.name} needs {key}"
    return InvalidInput(message, field=whole, hint=_describe(capability, whole))


def _describe(capability: Described, path: str | None) -> str | None:
    top = _STEP.findall(path)[0] if path else None
    return next((one.description for one in capability.parameters if one.name == top and one.description), None)


def nearest(wrong: str, known: Iterable[str], *, alike: float = 0.5) -> str | None:
    """The known word with the nearest spelling."""
    close = difflib.get_close_matches(wrong, list(known), 1, alike)
    return close[0] if close else None


def split_place(problem: Exception) -> tuple[str, str | None]:
    """Split a msgspec error into its text and the path of the value, such as `memories[1].kind`."""
    message = str(problem)
    place = _PLACE.search(message)
    if place is None:
        return message, None
    return "a key is not a string" if place["key"] else message[: place.start()], place["path"] or None


def is_empty(text: str) -> bool:
    """Whether the error says that a text or a list is empty."""
    found = _EXPECTED.match(text)
    return bool(found and found["length"] and (found["sign"], found["bound"]) == (">=", "1"))


def word_misfit(text: str, hint: Any, value: Any = UNKNOWN, show: Callable[[Any], str] = repr) -> str:
    """Describe an invalid value in plain words."""
    if choices := choices_of(hint):
        said = _BAD_CHOICE.match(text)
        shown = _name_value(value, show) if value is not UNKNOWN else said["value"] if said else "this"
        return f"{shown} is not one of {', '.join(choices)}"
    found = _EXPECTED.match(text)
    if found is None:
        return text[:1].lower() + text[1:]
    what = _TYPES.get(found["type"], found["type"])
    if found["sign"]:
        bound = f"{_SIGNS[found['sign']]} {found['bound'].removesuffix('.0')}"
        what += f" of {bound}" if not found["length"] else f" of length {bound}"
    if value is UNKNOWN:
        return f"it must be {what}"
    return f"{_name_value(value, show)} is not {what}"


def _name_value(value: Any, show: Callable[[Any], str]) -> str:
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple | set):
        return f"a list of {len(value):,}"
    # Masked before it is cut: half a secret would not be known for one.
    shown = show(redact_beginning(value) if isinstance(value, str) else value)
    return shown if len(shown) <= _SHOWN_MAX else shown[:_SHOWN_MAX] + "…"


def value_at(given: Any, path: str | None) -> Any:
    """The given value at a path."""
    for step in _STEP.findall(path or ""):
        try:
            given = given[int(step[1:-1])] if step[0] == "[" else given[step]
        except (LookupError, TypeError, ValueError):
            return UNKNOWN
    return given


def hint_at(shape: Any, path: str | None) -> Any:
    """The expected type at a path."""
    for step in _STEP.findall(path or ""):
        shape = bare_type(shape)
        if step[0] == "[":
            shape = get_args(shape)[-1]
        else:
            shape = get_type_hints(shape, include_extras=True)[step]
    return shape


def explain_line(problem: Exception, many: Described, number: int, kept: int) -> InvalidInput:
    """The error for a line of a file, whose lines are the items of the list that `many` takes."""
    place = f"{many.parameters[0].name}[0]"
    if isinstance(problem, msgspec.ValidationError):
        problem = explain_misfit(problem, many, within=place)
    found = problem if isinstance(problem, InvalidInput) else InvalidInput(str(problem))
    found.lead_with_field()
    name_line(found, place, number)
    inner = (found.field or "").removeprefix(place).removeprefix(".")
    meant = f"{found.hint} " if found.meant is not None else ""
    return InvalidInput(
        found.message,
        field=inner or "path",
        hint=f"{meant}each line is a JSON object with the arguments of learn; {kept} memories before it were stored",
    )


def name_line(problem: InvalidInput, place: str, number: int) -> None:
    """Reword the error about a list item so that it names the line of the file."""
    rest = re.sub(rf"^{re.escape(place)}[.:]? ?", "", problem.message)
    problem.message = f"line {number}: {rest}"
