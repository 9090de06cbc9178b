"""LlamaIndex: every tool as a `FunctionTool`, sync and async."""

from __future__ import annotations

from typing import Any

from llama_index.core.bridge.pydantic import BaseModel
from llama_index.core.tools import FunctionTool, ToolMetadata, ToolOutput

from heldtrue.surfaces.tools import Choice, Invoker, Tool, ToolReply, choose_tools, run_tool


def get_llamaindex_tools(memory: Invoker, tools: Choice = None) -> list[FunctionTool]:
    """Tools for a memory: the everyday set, `"all"`, or a list of names.

    The content of an output is the result as JSON; the result object is `raw_output.answer`. An error is an output
    with `is_error` that has the code, the message, the argument and a hint.
    """
    chosen = choose_tools(tools)
    offered = [tool.name for tool in chosen]
    return [_make_tool(memory, tool, offered) for tool in chosen]


def _make_tool(memory: Invoker, tool: Tool, offered: list[str]) -> FunctionTool:
    def run(**arguments: Any) -> ToolReply:
        return run_tool(memory, tool.name, arguments, offered)

    def tell_error(reply: ToolReply) -> ToolOutput | None:
        if not reply.is_error:
            return None
        return ToolOutput(tool_name=tool.name, content=reply.text, raw_input={}, raw_output=reply, is_error=True)

    metadata = ToolMetadata(name=tool.name, description=tool.description, fn_schema=_model_of(tool))
    return FunctionTool(fn=run, metadata=metadata, callback=tell_error)


def _model_of(tool: Tool) -> type[BaseModel]:
    """A stand-in for a Pydantic model: LlamaIndex only needs its schema, which the registry has."""

    class Arguments(BaseModel):
        @classmethod
        def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
            return tool.schema

    Arguments.__name__ = tool.name
    return Arguments
