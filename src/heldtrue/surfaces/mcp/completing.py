"""Completion for the arguments of prompts and resource templates: names that are in use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.verb_index import find_capability
from heldtrue.domain.errors import InvalidInput, NotFound
from heldtrue.domain.limits import MCP_COMPLETIONS_MAX
from heldtrue.surfaces.mcp.callers import Caller
from heldtrue.surfaces.mcp.prompts import PROMPTS
from heldtrue.surfaces.mcp.resources import GAPS


def complete(params: dict[str, Any], caller: Caller) -> dict[str, Any]:
    """Values for an argument that the caller may see, prefix matches first."""
    asked = params.get("argument")
    name, value = (asked.get("name"), asked.get("value")) if isinstance(asked, dict) else (None, None)
    if not isinstance(name, str) or not isinstance(value, str):
        raise InvalidInput("argument must have a name and a value, both of them strings", field="argument")
    if name not in _gaps_of(params.get("ref")):
        raise InvalidInput(f"no argument named {name!r}", field="argument")
    find = _FINDERS.get(name)
    fitting = _fit(find(caller()), value) if find is not None else []
    return {
        "values": fitting[:MCP_COMPLETIONS_MAX],
        "total": len(fitting),
        "hasMore": len(fitting) > MCP_COMPLETIONS_MAX,
    }


def _gaps_of(ref: Any) -> tuple[str, ...]:
    """The arguments of the prompt or template."""
    match ref:
        case {"type": "ref/prompt", "name": str(name)}:
            gaps = next(
                (tuple(gap.name for gap in prompt.arguments) for prompt in PROMPTS if prompt.name == name), None
            )
        case {"type": "ref/resource", "uri": str(uri)}:
            gaps = GAPS.get(uri)
        case _:
            raise InvalidInput("ref must be a prompt (ref/prompt) or a resource template (ref/resource)", field="ref")
    if gaps is None:
        raise NotFound("no such prompt or template", field="ref")
    return gaps


def _fit(names: Iterable[str], value: str) -> list[str]:
    """Names that start with the value, then names that contain it."""
    typed = value.strip().casefold()
    found = [name for name in names if typed in name.casefold()]
    return sorted(found, key=lambda name: not name.casefold().startswith(typed))


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
    return [item.id for item in capability.invoke(call, {"limit": MCP_COMPLETIONS_MAX}).items]


_FINDERS: dict[str, Callable[[Call], list[str]]] = {
    "project": _names_of("project"),
    "repo": _names_of("repo"),
    "topic": lambda call: list(_status(call).topics),
    "id": _newest,
}
"""The source of values for each argument; free text has none."""
