"""Anthropic: the tools of `messages.create`, and the result block for a `tool_use` block."""

from __future__ import annotations

from typing import Any

from heldtrue.surfaces.adapters.calls import need, read_call
from heldtrue.surfaces.tools import Choice, Invoker, choose_tools, run_tool


def get_anthropic_tools(tools: Choice = None) -> list[dict[str, Any]]:
    """Tools for `messages.create(tools=...)`: the everyday set, `"all"`, or a list of names."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
        for tool in choose_tools(tools)
    ]


def run_anthropic_tool_call(memory: Invoker, tool_use_block: Any, tools: Choice = None) -> dict[str, Any]:
    """Run a `tool_use` block. Put the returned `tool_result` block into the next user message.

    `tools` is the choice given to `get_anthropic_tools`; the model can use no other tools. An error is a result with
    `is_error` that has the code, the message, the argument and a hint.
    """
    block = read_call(tool_use_block)
    reply = run_tool(memory, need(block, "name"), block.get("input"), tools)
    result = {"type": "tool_result", "tool_use_id": need(block, "id"), "content": reply.text}
    return {**result, "is_error": True} if reply.is_error else result
