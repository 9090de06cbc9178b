"""Capabilities as tools for a model, whatever framework it is in: a name, a description, a schema, and a call."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol

import msgspec

from holdfast.capabilities.homes import all_capabilities
from holdfast.capabilities.registry import Capability
from holdfast.domain.errors import HoldfastError, InvalidInput
from holdfast.surfaces.choice import CHOSEN, PREFIX, say_for_tools, tool_name
from holdfast.surfaces.schemas import schema_of_few, schema_of_request

Choice = Literal["all"] | Iterable[str] | None
"""Which tools: those an agent needs every day (None), all of them, or some by name."""
_CHOSEN = {one.verb: one for one in CHOSEN}


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
    held = all_capabilities()
    if tools is None:
        return [_describe_briefly(held[verb]) for verb in _CHOSEN if verb in held]
    if isinstance(tools, str):
        if tools != "all":
            raise InvalidInput(f"{tools!r} is no choice of tools", field="tools", hint='say "all", or give a list')
        return [describe_tool(one) for one in held.values()]
    return [describe_tool(find_capability(name)) for name in tools]


def describe_tool(capability: Capability) -> Tool:
    """A tool with all its arguments, in the capability's own words."""
    words = " ".join(capability.doc.split())
    return Tool(tool_name(capability.verb), capability.name, words, schema_of_request(capability))


def _describe_briefly(capability: Capability) -> Tool:
    """A tool in the words and with the arguments that are chosen for a model's daily use; it takes the others too."""
    chosen = _CHOSEN[capability.verb]
    schema = schema_of_few(capability, chosen.arguments)
    return Tool(chosen.name, capability.name, chosen.description, schema)


def find_capability(name: str) -> Capability:
    """The capability behind a tool's name; its own name and its verb are understood as well."""
    held = {tool_name(one.verb): one for one in all_capabilities().values()}
    for one in held.values():
        if name in (tool_name(one.verb), one.name, one.verb, PREFIX + one.verb):
            return one
    import difflib

    close = difflib.get_close_matches(name, held, 1, 0.5)
    hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(held)}"
    raise InvalidInput(f"there is no tool {name!r}", field="name", hint=hint)


def run_tool(memory: Invoker, name: str, arguments: Mapping[str, Any] | str | bytes | None) -> Reply:
    """Use a tool as a model asks for it. What the model can do something about is a reply that says so."""
    try:
        capability = find_capability(name)
        answer = memory.invoke(capability.name, **_read_arguments(arguments))
    except HoldfastError as problem:
        return Reply(_tell_problem(problem), None, is_error=True)
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


def _tell_problem(problem: HoldfastError) -> str:
    """An error with its code, the argument that is meant and what to do next, in the words of a tool's user."""
    told = problem.as_answer()
    error = told["error"]
    if isinstance(error, dict) and error.get("hint"):
        error["hint"] = say_for_tools(error["hint"], lambda verb: verb in all_capabilities())
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
