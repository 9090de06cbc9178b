"""Adapters: the tools in the form of each framework. A framework is loaded only when it is used."""

from __future__ import annotations

from importlib import import_module

from heldtrue.distribution import suggest_install

_HOMES = {
    "HeldtrueStore": ("langgraph", "langgraph"),
    "get_langchain_tools": ("langchain", "langchain_core"),
    "get_llamaindex_tools": ("llamaindex", "llama_index"),
}
"""Adapters that need a library: the module, which is also the name of the extra, and the name of the library."""


def load_adapter(name: str) -> object:
    """Load an adapter by name, or raise an error that says what to install."""
    if name not in _HOMES:
        raise AttributeError(f"module 'heldtrue.adapters' has no attribute {name!r}")
    extra, library = _HOMES[name]
    try:
        return getattr(import_module(f"{__name__}.{extra}"), name)
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] != library:
            raise
        raise ModuleNotFoundError(
            f"{name} needs {library}, which is not installed: {suggest_install(extra)}", name=problem.name
        ) from None
