"""Capabilities as tools for a model in any framework: a name, a description, a schema and a call."""

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
"""Which tools to offer: the everyday set (None), all of them (`"all"`), or a list of names.

Administration is never part of the everyday set; a program must choose it explicitly.
"""


class Invoker(Protocol):
    """Anything that can invoke a capability: a `Memory`, embedded or remote."""

    def invoke(self, name: str, /, **arguments: Any) -> Any:
        """Invoke a capability by name."""


class Tool(msgspec.Struct, frozen=True):
    """A capability as a tool for a model."""

    name: str
    capability: str
    description: str
    schema: dict[str, Any]
    """The JSON Schema of its arguments: one self-contained object."""


class ToolReply(msgspec.Struct, frozen=True):
    """The result of a tool call."""

    text: str
    """For the model: the result as JSON, or the error with its field and a hint."""
    answer: Any
    """For a program; None after an error."""
    is_error: bool = False

    def __str__(self) -> str:
        return self.text


def choose_tools(tools: Choice = None) -> list[Tool]:
    """The chosen tools. They are built on every call, since a capability may have been declared meanwhile."""
    describe = _describe_briefly if tools is None else describe_tool
    return [describe(capability) for capability in _choose_capabilities(tools)]


def _choose_capabilities(tools: Choice) -> list[Capability]:
    held = all_capabilities()
    if tools is None:
        return [capability for capability in everyday_capabilities() if capability.effect is not Effect.ADMIN]
    if isinstance(tools, str):
        if tools != "all":
            raise InvalidInput(
                "is not a valid choice of tools", given=tools, field="tools", hint='use "all" or a list of names'
            )
        return list(held.values())
    return [_find(name, held.values()) for name in tools]


def everyday_capabilities(*, skill_agents: bool = False) -> list[Capability]:
    """The everyday tools in order: for skill agents, or for everyone else."""
    ranked = [(capability.declared.tool, capability) for capability in all_capabilities().values()]
    offered = [
        (tool.rank, capability.verb, capability)
        for tool, capability in ranked
        if tool and tool.skill_agents is skill_agents
    ]
    return [capability for _, _, capability in sorted(offered, key=lambda entry: entry[:2])]


def describe_tool(capability: Capability) -> Tool:
    """A tool with all its arguments and the full descriptions of the capability."""
    words = " ".join(capability.doc.split())
    return Tool(tool_name(capability.verb), capability.name, words, schema_of_request(capability))


def _describe_briefly(capability: Capability) -> Tool:
    """A tool with the short description and arguments for everyday use; it accepts the other arguments too."""
    told = capability.declared.tool
    assert told is not None
    schema = schema_of_few(capability, told.arguments)
    return Tool(tool_name(capability.verb), capability.name, told.description, schema)


def _find(name: str, among: Iterable[Capability]) -> Capability:
    """The capability of a tool; its own name and its verb are accepted too."""
    offered = {tool_name(capability.verb): capability for capability in among}
    for capability in offered.values():
        if name in (tool_name(capability.verb), capability.name, capability.verb, PREFIX + capability.verb):
            return capability
    import difflib

    # Without what they all begin with, which would make any two of them alike.
    bare = {tool.removeprefix(PREFIX): tool for tool in offered}
    close = difflib.get_close_matches(name.removeprefix(PREFIX), bare, 1, 0.6)
    hint = f"did you mean {bare[close[0]]}?" if close else f"the tools are: {', '.join(offered)}"
    raise InvalidInput(f"no tool named {name!r}", field="name", hint=hint)


def run_tool(
    memory: Invoker, name: str, arguments: Mapping[str, Any] | str | bytes | None, tools: Choice = None
) -> ToolReply:
    """Call a tool for a model, if the model was offered it.

    An error that the model can fix is a reply, and its hint names only tools that the model has.
    """
    offered = _choose_capabilities(tools)
    try:
        capability = _find(name, offered)
        answer = memory.invoke(capability.name, **_read_arguments(arguments))
    except HeldtrueError as problem:
        return ToolReply(_tell_problem(problem, offered), None, is_error=True)
    return ToolReply(_to_json(answer), answer)


def _read_arguments(arguments: Mapping[str, Any] | str | bytes | None) -> dict[str, Any]:
    """Parse arguments from an object or from JSON. A null argument counts as absent, as strict schemas require."""
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
        raise InvalidInput("the arguments must be a JSON object", field="arguments", hint="send one JSON object")
    return {name: value for name, value in arguments.items() if value is not None}


def _tell_problem(problem: HeldtrueError, offered: Sequence[Capability]) -> str:
    """An error with its code, field and hint, in the terms of a model with tools."""
    told = problem.as_answer()
    error = told["error"]
    if isinstance(error, dict) and error.get("hint"):
        error["hint"] = say_for_tools(error["hint"], {capability.verb for capability in offered}.__contains__)
    return _to_json(told)


def _to_json(answer: Any) -> str:
    """An answer for a model, without empty fields, to save tokens."""
    text = json.dumps(_without_nothing(msgspec.to_builtins(answer)), ensure_ascii=False, separators=(",", ":"))
    # A path may hold bytes that are no text.
    return text.encode("utf-8", "replace").decode("utf-8")


def _without_nothing(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nothing(item) for name, item in value.items() if item is not None}
    return [_without_nothing(item) for item in value] if isinstance(value, list) else value
