"""Describe an invalid value: where it is, what was given, what is expected. Only loaded for an error."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, get_args, get_type_hints

import msgspec

from heldtrue.capabilities.parameters import Parameter, bare_type, choices_of, synonyms_of
from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.limits import QUOTED_VALUE_CHARS_MAX
from heldtrue.domain.plural import count
from heldtrue.language.masking import redact_beginning

UNKNOWN: Any = object()
"""Stands for a value that is not known."""
_PATH_IN_MESSAGE = re.compile(r" - at (?P<key>`key` in )?`\$\.?(?P<path>[^`]*)`$")
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
_EMPTY_HINTS = {"reason": "specify the reason in plain words"}


class Described(Protocol):
    """A capability with its arguments."""

    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> tuple[Parameter, ...]: ...
    @property
    def request(self) -> type[msgspec.Struct]: ...


def explain_misfit(
    problem: msgspec.ValidationError, capability: Described, arguments: Any = UNKNOWN, *, within: str | None = None
) -> InvalidInput:
    """Return an error that contains the argument, the value and what is expected.

    `within` is the path of the validated value, if it is not all of the arguments.
    """
    text, path = split_path(problem)
    path = ".".join(part for part in (within, path) if part) or None
    if found := _NO_SUCH_KEY.match(text):
        return _explain_unknown(path, found["key"], capability)
    if found := _MISSING_KEY.match(text):
        return _explain_missing(path, found["key"], capability)
    hint_there, value = hint_at(capability.request, path), value_at(arguments, path)
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
    """The choice that the caller probably meant by an invalid value."""
    said = _BAD_CHOICE.match(text)
    given = said["value"].strip("'") if value is UNKNOWN and said else value
    return nearest_choice(given, hint) if isinstance(given, str) else None


def nearest_choice(given: str, hint: Any) -> str | None:
    """The choice that the caller probably meant, found by synonym or by the nearest spelling."""
    choices, ours = choices_of(hint), synonyms_of(hint)
    plain = "_".join(given.strip().lower().replace("-", " ").split())
    for word in (plain, plain.removesuffix("s")):
        if word in choices:
            return word
        if ours.get(word) in choices:
            return ours[word]
    return nearest(plain, choices, alike=0.7)


def _explain_unknown(path: str | None, key: str, capability: Described) -> InvalidInput:
    """Return the error for an unknown argument. With `path`, the unknown key is in an object inside an argument."""
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
        hint=f"the arguments are {', '.join(names)}",
        meant=nearest(key, names),
    )


def _explain_missing(path: str | None, key: str, capability: Described) -> InvalidInput:
    """The error for a missing key."""
    whole = f"{path}.{key}" if path else key
    message = f"{path}: {key} is missing" if path else f"{capability.name} needs {key}"
    return InvalidInput(message, field=whole, hint=_describe(capability, whole))


def _describe(capability: Described, path: str | None) -> str | None:
    top = _STEP.findall(path)[0] if path else None
    return next(
        (
            parameter.description
            for parameter in capability.parameters
            if parameter.name == top and parameter.description
        ),
        None,
    )


def nearest(wrong: str, known: Iterable[str], *, alike: float = 0.5) -> str | None:
    """The known word with the nearest spelling."""
    close = difflib.get_close_matches(wrong, list(known), 1, alike)
    return close[0] if close else None


def split_path(problem: Exception) -> tuple[str, str | None]:
    """Split a msgspec error into its text and the path of the value, such as `memories[1].kind`."""
    message = str(problem)
    match = _PATH_IN_MESSAGE.search(message)
    if match is None:
        return message, None
    return "a key is not a string" if match["key"] else message[: match.start()], match["path"] or None


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
        return f"a list of {count(len(value), 'item')}"
    # Masked before it is cut: half a secret would not be known for one.
    shown = show(redact_beginning(value) if isinstance(value, str) else value)
    return shown if len(shown) <= QUOTED_VALUE_CHARS_MAX else shown[:QUOTED_VALUE_CHARS_MAX] + "…"


def value_at(value: Any, path: str | None) -> Any:
    """The given value at a path."""
    for step in _STEP.findall(path or ""):
        try:
            value = value[int(step[1:-1])] if step[0] == "[" else value[step]
        except (LookupError, TypeError, ValueError):
            return UNKNOWN
    return value


def hint_at(shape: Any, path: str | None) -> Any:
    """The expected type at a path."""
    for step in _STEP.findall(path or ""):
        shape = bare_type(shape)
        if step[0] == "[":
            # Of a list, a tuple of any length, or a mapping.
            shape = [inner for inner in get_args(shape) if inner is not Ellipsis][-1]
        else:
            shape = get_type_hints(shape, include_extras=True)[step]
    return shape


def explain_line(problem: Exception, many: Described, number: int, stored: int) -> InvalidInput:
    """Return the error for one line of a file. Each line is an item of the list that `many` accepts."""
    item_path = f"{many.parameters[0].name}[0]"
    if isinstance(problem, msgspec.ValidationError):
        problem = explain_misfit(problem, many, within=item_path)
    found = problem if isinstance(problem, InvalidInput) else InvalidInput(str(problem))
    found.lead_with_field()
    name_line(found, item_path, number)
    inner = (found.field or "").removeprefix(item_path).removeprefix(".")
    meant = f"{found.hint} " if found.meant is not None else ""
    return InvalidInput(
        found.message,
        field=inner or "path",
        hint=f"{meant}each line must be a JSON object with the arguments of learn; "
        f"{count(stored, 'memory from an earlier line was', 'memories from earlier lines were')} stored",
    )


def name_line(problem: InvalidInput, item_path: str, number: int) -> None:
    """Reword the error about a list item so that it contains the line number in the file."""
    rest = re.sub(rf"^{re.escape(item_path)}[.:]? ?", "", problem.message)
    problem.message = f"line {number}: {rest}"
