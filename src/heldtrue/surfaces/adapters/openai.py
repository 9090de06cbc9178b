"""OpenAI and compatible APIs: tools for Chat Completions and Responses, and the message that answers a call."""

from __future__ import annotations

from typing import Any, Literal

from heldtrue.surfaces.adapters.calls import need, read_call
from heldtrue.surfaces.tools import Choice, Invoker, Tool, choose_tools, run_tool

_STRICT_KEYWORDS = frozenset(
    """type properties required additionalProperties items anyOf enum const description minimum maximum
    exclusiveMinimum exclusiveMaximum multipleOf pattern format minItems maxItems""".split()
)
"""The keywords that a strict schema may use; the API refuses a request with any other."""


def get_openai_tools(
    tools: Choice = None, *, api: Literal["chat", "responses"] = "chat", strict: bool = False
) -> list[dict[str, Any]]:
    """Tools for `chat.completions.create` or, with `api="responses"`, for `responses.create`.

    The everyday set, `"all"`, or a list of names. With `strict`, the model must follow the schema: it sends every
    argument, and null for unused ones. Tools whose arguments cannot be described by a strict schema are not strict.
    """
    return [_shape(tool, api, strict) for tool in choose_tools(tools)]


def run_openai_tool_call(memory: Invoker, tool_call: Any, tools: Choice = None) -> dict[str, Any]:
    """Run a tool call of either API, and return the message or item to append.

    `tools` is the choice given to `get_openai_tools`; the model can use no other tools. The model gets an error with
    its code, message, argument and hint.
    """
    call = read_call(tool_call)
    if "function" in call:
        function = read_call(call["function"])
        reply = run_tool(memory, need(function, "name"), function.get("arguments"), tools)
        return {"role": "tool", "tool_call_id": need(call, "id"), "content": reply.text}
    reply = run_tool(memory, need(call, "name"), call.get("arguments"), tools)
    return {"type": "function_call_output", "call_id": need(call, "call_id"), "output": reply.text}


def _shape(tool: Tool, api: str, strict: bool) -> dict[str, Any]:
    held = _make_strict(tool.schema) if strict else None
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema if held is None else held,
        # Said in any case: what holds where nothing is said differs from one API to the other.
        "strict": held is not None,
    }
    return {"type": "function", **function} if api == "responses" else {"type": "function", "function": function}


def _make_strict(schema: dict[str, Any]) -> dict[str, Any] | None:
    """A schema for strict mode; None if it cannot be expressed, such as an object with arbitrary keys."""
    kept = {key: value for key, value in schema.items() if key in _STRICT_KEYWORDS}
    if "anyOf" in kept:
        choices = [_make_strict(choice) for choice in kept["anyOf"]]
        return None if None in choices else {**kept, "anyOf": choices}
    if "items" in kept:
        inner = _make_strict(kept["items"])
        return None if inner is None else {**kept, "items": inner}
    if kept.get("type") != "object":
        return kept if "type" in kept else None
    return _make_strict_object(kept)


def _make_strict_object(schema: dict[str, Any]) -> dict[str, Any] | None:
    properties: dict[str, Any] = {}
    required = schema.get("required", ())
    if schema.get("additionalProperties") or "properties" not in schema:
        return None
    for name, field in schema["properties"].items():
        inner = _make_strict(field)
        if inner is not None:
            properties[name] = inner if name in required else _or_nothing(inner)
        elif name in required:
            return None
    return {**schema, "properties": properties, "required": list(properties), "additionalProperties": False}


def _or_nothing(schema: dict[str, Any]) -> dict[str, Any]:
    """The same or null, since strict mode has no optional arguments."""
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    if "enum" in schema:
        schema = {**schema, "enum": [*schema["enum"], None]}
    return {**schema, "type": [schema["type"], "null"]}
