"""Completion for the arguments of prompts and resource templates: names that are in use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.verb_index import find_capability
from heldtrue.domain.errors import InvalidInput, NotFound
from heldtrue.surfaces.mcp.callers import Caller
from heldtrue.surfaces.mcp.prompts import PROMPTS
from heldtrue.surfaces.mcp.resources import GAPS

VALUES_MAX = 100
"""The maximum that the protocol allows in one answer."""


def complete(params: dict[str, Any], caller: Caller) -> dict[str, Any]:
    """Values for an argument that the caller may see, prefix matches first."""
    asked = params.get("argument")
    name, value = (asked.get("name"), asked.get("value")) if isinstance(asked, dict) else (None, None)
    if not isinstance(name, str) or not isinstance(value, str):
        raise InvalidInput("argument needs a name and a value, both strings", field="argument")
    if name not in _gaps_of(params.get("ref")):
        raise InvalidInput(f"no argument named {name!r}", field="argument")
    find = _FINDERS.get(name)
    fitting = _fit(find(caller()), value) if find is not None else []
    return {"values": fitting[:VALUES_MAX], "total": len(fitting), "hasMore": len(fitting) > VALUES_MAX}


def _gaps_of(ref: Any) -> tuple[str, ...]:
    """The arguments of the prompt or template."""
    match ref:
        case {"type": "ref/prompt", "name": str(name)}:
            gaps = next((tuple(gap.name for gap in one.arguments) for one in PROMPTS if one.name == name), None)
        case {"type": "ref/resource", "uri": str(uri)}:
            gaps = GAPS.get(uri)
        case _:
            raise InvalidInput("ref must be a prompt (ref/prompt) or a resource template (ref/resource)", field="ref")
    if gaps is None:
        raise NotFound("no such prompt or template", field="ref")
    return gaps


def _fit(held: Iterable[str], value: str) -> list[str]:
    """Names that start with the value, then names that contain it."""
    typed = value.strip().casefold()
    found = [one for one in held if typed in one.casefold()]
    return sorted(found, key=lambda one: not one.casefold().startswith(typed))


def _status(call: Call) -> Any:
    capability = find_capability("status")
    assert capability is not None
    return capability.invoke(call, {})


def _names_of(kind: str) -> Callable[[Call], list[str]]:
    """The names of the scopes of a kind, those with most memories first."""

    def find(call: Call) -> list[str]:
        return [scope.removeprefix(f"{kind}:") for scope in _status(call).scopes if scope.startswith(f"{kind}:")]

    return find


def _newest(call: Call) -> list[str]:
    capability = find_capability("list")
    assert capability is not None
    return [one.id for one in capability.invoke(call, {"limit": VALUES_MAX}).items]


_FINDERS: dict[str, Callable[[Call], list[str]]] = {
    "project": _names_of("project"),
    "repo": _names_of("repo"),
    "topic": lambda call: list(_status(call).topics),
    "id": _newest,
}
"""The source of values for each argument; free text has none."""
