"""Tool calls of a model, as an object of a vendor's library or as a dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heldtrue.domain.errors import InvalidInput


def read_call(call: Any) -> Mapping[str, Any]:
    """The fields of a call."""
    if isinstance(call, Mapping):
        return call
    if hasattr(call, "model_dump"):
        fields: Mapping[str, Any] = call.model_dump()
        return fields
    raise InvalidInput(
        f"a {type(call).__name__} is not a tool call",
        field="tool_call",
        hint="pass the tool call from the model's response",
    )


def need(fields: Mapping[str, Any], name: str) -> Any:
    """A required field of a tool call."""
    if name not in fields:
        raise InvalidInput(
            f"the tool call has no {name}", field="tool_call", hint="pass the tool call from the model's response"
        )
    return fields[name]
