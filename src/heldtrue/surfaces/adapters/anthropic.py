"""Anthropic: the tools of `messages.create`, and the result block for a `tool_use` block."""

from __future__ import annotations

from typing import Any

from heldtrue.surfaces.adapters.calls import need, read_call
from heldtrue.surfaces.tools import Choice, Invoker, choose_tools, run_tool


def get_anthropic_tools(tools: Choice = None) -> list[dict[str, Any]]:
    """Tools for `messages.create(tools=...)`: the daily ones, `"all"`, or those of some names."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
        for tool in choose_tools(tools)
    ]


def run_anthropic_tool_call(memory: Invoker, tool_use_block: Any, tools: Choice = None) -> dict[str, Any]:
    """Do what a `tool_use` block asks for; the `tool_result` block belongs into the next user message.

    `tools` are those that the model was offered, said as for `get_anthropic_tools`; it can use no others.
    A request that cannot be met is a result with `is_error`: its code, its message, the argument that is meant and a
    hint, so that the model can do better.
    """
    block = read_call(tool_use_block)
    reply = run_tool(memory, need(block, "name"), block.get("input"), tools)
    result = {"type": "tool_result", "tool_use_id": need(block, "id"), "content": reply.text}
    return {**result, "is_error": True} if reply.is_error else result
