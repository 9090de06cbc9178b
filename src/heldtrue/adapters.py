"""Heldtrue in the frameworks of others: tools for OpenAI, Anthropic, LangChain and LlamaIndex, a store for LangGraph.

A framework is loaded when its adapter is first used. Each adapter needs the extra of the same name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldtrue.surfaces.adapters import load_adapter
from heldtrue.surfaces.adapters.anthropic import get_anthropic_tools, run_anthropic_tool_call
from heldtrue.surfaces.adapters.openai import get_openai_tools, run_openai_tool_call

if TYPE_CHECKING:
    from heldtrue.surfaces.adapters.langchain import get_langchain_tools
    from heldtrue.surfaces.adapters.langgraph import HeldtrueStore
    from heldtrue.surfaces.adapters.llamaindex import get_llamaindex_tools

__all__ = [
    "HeldtrueStore",
    "get_anthropic_tools",
    "get_langchain_tools",
    "get_llamaindex_tools",
    "get_openai_tools",
    "run_anthropic_tool_call",
    "run_openai_tool_call",
]


def __getattr__(name: str) -> object:
    return load_adapter(name)
