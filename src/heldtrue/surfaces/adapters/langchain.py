"""LangChain: every tool as a `BaseTool`, sync and async."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException

from heldtrue.surfaces.tools import Choice, Invoker, Tool, choose_tools, run_tool


def get_langchain_tools(memory: Invoker, tools: Choice = None) -> list[BaseTool]:
    """Tools for a memory: the everyday set, `"all"`, or a list of names.

    A tool message contains the result as JSON, and the result object as its artifact. An error is a message with the
    status `error` that has the code, the message, the argument and a hint.
    """
    chosen = choose_tools(tools)
    offered = [tool.name for tool in chosen]
    return [_make_tool(memory, tool, offered) for tool in chosen]


def _make_tool(memory: Invoker, tool: Tool, offered: list[str]) -> BaseTool:
    def run(**arguments: Any) -> tuple[str, Any]:
        reply = run_tool(memory, tool.name, arguments, offered)
        if reply.is_error:
            raise ToolException(reply.text)
        return reply.text, reply.answer

    async def run_aside(**arguments: Any) -> tuple[str, Any]:
        # A memory is plain synchronous Python; in a thread of its own it keeps nobody waiting.
        return await asyncio.to_thread(lambda: run(**arguments))

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.schema,
        func=run,
        coroutine=run_aside,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )
