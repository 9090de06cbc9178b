"""Capabilities as tools for a model, whatever framework it is in: a name, a description, a schema, and a call."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

from heldtrue.capabilities.registry import Capability
from heldtrue.capabilities.verb_index import all_capabilities
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import HeldtrueError, InvalidInput
from heldtrue.surfaces.schemas import schema_of_few, schema_of_request
from heldtrue.surfaces.tool_catalogue import PREFIX, say_for_tools, tool_name

Choice = Literal["all"] | Iterable[str] | None
"""Which tools: those an agent needs every day (None), all of them, or some by name.

What only an administrator does is never among those of every day: a model gets it where a program says so.
"""


class Invoker(Protocol):
    """Anything that can use a capability: a `Memory`, embedded or remote."""

    def invoke(self, name: str, /, **arguments: Any) -> Any:
        """Use a capability by its name."""


class Tool(msgspec.Struct, frozen=True):
    """A capability as a model is told of it."""

    name: str
    capability: str
    description: str
    schema: dict[str, Any]
    """Of its arguments, as JSON Schema: complete in itself, one object."""


class Reply(msgspec.Struct, frozen=True):
    """What a tool said."""

    text: str
    """For the model: the answer as JSON, or what went wrong, where, and what to do next."""
    answer: Any
    """For a program; none where something went wrong."""
    is_error: bool = False

    def __str__(self) -> str:
        return self.text


def choose_tools(tools: Choice = None) -> list[Tool]:
    """The tools of a choice. They are made anew each time: a capability may have been declared since."""
    describe = _describe_briefly if tools is None else describe_tool
    return [describe(one) for one in _choose_capabilities(tools)]


def _choose_capabilities(tools: Choice) -> list[Capability]:
    held = all_capabilities()
    if tools is None:
        return [one for one in everyday_capabilities() if one.effect is not Effect.ADMIN]
    if isinstance(tools, str):
        if tools != "all":
            raise InvalidInput(f"{tools!r} is no choice of tools", field="tools", hint='say "all", or give a list')
        return list(held.values())
    return [_find(name, held.values()) for name in tools]


def everyday_capabilities(*, skill_agents: bool = False) -> list[Capability]:
    """Those that are always offered, in order: to skill agents, or to everyone else."""
    ranked = [(one.declared.tool, one) for one in all_capabilities().values()]
    offered = [(tool.rank, one.verb, one) for tool, one in ranked if tool and tool.skill_agents is skill_agents]
    return [one for _, _, one in sorted(offered, key=lambda place: place[:2])]


def describe_tool(capability: Capability) -> Tool:
    """A tool with all its arguments, in the capability's own words."""
    words = " ".join(capability.doc.split())
    return Tool(tool_name(capability.verb), capability.name, words, schema_of_request(capability))


def _describe_briefly(capability: Capability) -> Tool:
    """A tool in the words and with the arguments that are chosen for a model's daily use; it takes the others too."""
    told = capability.declared.tool
    assert told is not None
    schema = schema_of_few(capability, told.arguments)
    return Tool(tool_name(capability.verb), capability.name, told.description, schema)


def _find(name: str, among: Iterable[Capability]) -> Capability:
    """The capability behind a tool's name; its own name and its verb are understood as well."""
    offered = {tool_name(one.verb): one for one in among}
    for one in offered.values():
        if name in (tool_name(one.verb), one.name, one.verb, PREFIX + one.verb):
            return one
    import difflib

    # Without what they all begin with, which would make any two of them alike.
    bare = {one.removeprefix(PREFIX): one for one in offered}
    close = difflib.get_close_matches(name.removeprefix(PREFIX), bare, 1, 0.6)
    hint = f"did you mean {bare[close[0]]}?" if close else f"there are: {', '.join(offered)}"
    raise InvalidInput(f"there is no tool {name!r}", field="name", hint=hint)


def run_tool(
    memory: Invoker, name: str, arguments: Mapping[str, Any] | str | bytes | None, tools: Choice = None
) -> Reply:
    """Use a tool as a model asks for it, if it is one of those that the model was offered.

    What the model can do something about is a reply that says so, and names no tool that it does not have.
    """
    offered = _choose_capabilities(tools)
    try:
        capability = _find(name, offered)
        answer = memory.invoke(capability.name, **_read_arguments(arguments))
    except HeldtrueError as problem:
        return Reply(_tell_problem(problem, offered), None, is_error=True)
    return Reply(_to_json(answer), answer)


def _read_arguments(arguments: Mapping[str, Any] | str | bytes | None) -> dict[str, Any]:
    """Arguments as an object or as its JSON. Nothing, said of an argument, leaves it out: strict schemas want it so."""
    if isinstance(arguments, str | bytes):
        try:
            arguments = msgspec.json.decode(arguments) if arguments.strip() else {}
        except (msgspec.DecodeError, UnicodeError, RecursionError) as problem:
            raise InvalidInput(
                f"the arguments are not JSON: {problem}", field="arguments", hint="send one JSON object"
            ) from None
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        raise InvalidInput("the arguments are no object", field="arguments", hint="send one JSON object")
    return {name: value for name, value in arguments.items() if value is not None}


def _tell_problem(problem: HeldtrueError, offered: Sequence[Capability]) -> str:
    """An error with its code, the argument that is meant and what to do next, in the words of a tool's user."""
    told = problem.as_answer()
    error = told["error"]
    if isinstance(error, dict) and error.get("hint"):
        error["hint"] = say_for_tools(error["hint"], {one.verb for one in offered}.__contains__)
    return _to_json(told)


def _to_json(answer: Any) -> str:
    """An answer as a model reads it: without what is empty, since every word of it is paid for."""
    text = json.dumps(_without_nothing(msgspec.to_builtins(answer)), ensure_ascii=False, separators=(",", ":"))
    # A path may hold bytes that are no text.
    return text.encode("utf-8", "replace").decode("utf-8")


def _without_nothing(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nothing(one) for name, one in value.items() if one is not None}
    return [_without_nothing(one) for one in value] if isinstance(value, list) else value
