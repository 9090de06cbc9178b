"""An answer as a tool result: structured for programs, text for models, within the size that clients accept."""

from __future__ import annotations

from typing import Any

import msgspec

from heldtrue.capabilities.registry import Capability
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import TooLarge
from heldtrue.domain.limits import ANSWER_TOKENS_MAX, MCP_ANSWER_CHARS_MAX
from heldtrue.surfaces.mcp.messages import encode
from heldtrue.surfaces.mcp.telling import tell_answer

_PAGED = ("cursor", "after")
"""The arguments that continue a list after a page."""
SHORTENED_KEY = "heldtrue/shortened"


def give_answer(capability: Capability, answer: Any) -> dict[str, Any]:
    """The result of a tool."""
    told = msgspec.to_builtins(answer)
    shortened = _fit(capability, told)
    text = tell_answer(told)
    if shortened:
        text += f"\n{shortened}"
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "structuredContent": told}
    if shortened:
        result["_meta"] = {SHORTENED_KEY: shortened}
    return result


def _fit(capability: Capability, answer: dict[str, Any]) -> str | None:
    """Shorten the longest list of an answer that is too long, in place, and return a note about it.

    A page with a cursor is not shortened: the dropped items would be on no page.
    """
    size = len(encode(answer))
    if size <= MCP_ANSWER_CHARS_MAX:
        return None
    lists = {name: value for name, value in answer.items() if isinstance(value, list) and len(value) > 1}
    name = max(lists, key=lambda key: len(encode(lists[key])), default=None)
    if name is None or any(parameter.name in _PAGED for parameter in capability.parameters):
        if capability.effect is Effect.READ:
            raise TooLarge(
                f"the result has about {size // 4:,} tokens, but the maximum is {ANSWER_TOKENS_MAX:,}",
                hint="use a smaller `limit` or a narrower filter",
            )
        return None
    whole = answer[name]
    room = MCP_ANSWER_CHARS_MAX - (size - len(encode(whole)))
    kept = 0
    for item in whole:
        room -= len(encode(item)) + 1
        if room < 0:
            break
        kept += 1
    answer[name] = whole[: max(kept, 1)]
    return (
        f"Only {len(answer[name])} of {len(whole)} {name} are shown, because the full list is too long. Use a "
        "smaller limit."
    )
