"""Capabilities as tools. All of it is made from the registry but the choice of what is offered first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.homes import all_capabilities, find_capability
from heldtrue.capabilities.registry import Capability, Effect
from heldtrue.domain.errors import HeldtrueError
from heldtrue.domain.principal import Principal, Role
from heldtrue.surfaces.choice import CHOSEN, HANDED, PREFIX, Chosen, say_for_tools, tool_name
from heldtrue.surfaces.mcp.answers import give_answer
from heldtrue.surfaces.schemas import outline_of_answer, schema_of_answer, schema_of_few, schema_of_request

Offer = Literal["default", "all"]
WRITTEN_DOWN = Path(__file__).with_name("tools.json")
"""What `write_down` makes: loading every capability for it takes longer than a whole first answer may. A test keeps it
up to date; `python -m heldtrue.surfaces.mcp.tools` makes it anew.
"""
ERROR_KEY = "heldtrue/error"
_BY_NAME = {one.name: one for one in (*CHOSEN, HANDED)}
_DESTRUCTIVE = frozenset(
    "approve cancel compact consolidate correct drop_view forget import quarantine reject resolve restore review "
    "revoke_agent rotate_agent undo unlink".split()
)
"""Verbs that take something out of use or replace it; nothing of ours is ever lost, but a client should ask first."""
_REPEATABLE = frozenset("drop_view forget link save_view unlink".split())
"""Verbs that change nothing the second time, also without an idempotency key."""


def describe_tool(capability: Capability, chosen: Chosen | None) -> dict[str, Any]:
    """A tool as a client sees it."""
    if chosen is None:
        return {
            "name": PREFIX + capability.verb,
            "description": capability.summary,
            "inputSchema": schema_of_request(capability),
            "outputSchema": schema_of_answer(capability),
            "annotations": _annotate(capability),
        }
    return {
        "name": chosen.name,
        "description": chosen.description,
        "inputSchema": schema_of_few(capability, chosen.arguments),
        "outputSchema": outline_of_answer(capability),
        "annotations": _annotate(capability),
    }


def _annotate(capability: Capability) -> dict[str, bool]:
    """Hints for a client that asks its user before some calls. Where the protocol assumes what is so, nothing is."""
    if capability.effect is Effect.READ:
        return {"readOnlyHint": True, "openWorldHint": False}
    hints = {"openWorldHint": False}
    if capability.verb not in _DESTRUCTIVE:
        hints["destructiveHint"] = False
    if capability.verb in _REPEATABLE:
        hints["idempotentHint"] = True
    return hints


def _chosen() -> Iterator[tuple[Capability, Chosen]]:
    for one in CHOSEN:
        if (capability := find_capability(one.verb)) is not None:
            yield capability, one


def describe_chosen() -> list[dict[str, Any]]:
    """The tools that are always offered."""
    return [describe_tool(capability, one) for capability, one in _chosen()]


def describe_all(principal: Principal | None) -> list[dict[str, Any]]:
    """Every capability that a caller may use as a tool, in full."""
    usable = (one for one in all_capabilities().values() if may_use(principal, one))
    return [{**describe_tool(one, None), "name": tool_name(one.verb)} for one in usable]


def write_down() -> bytes:
    """The tools that are always offered, as the file that is read instead of loading all of them."""
    lines = [
        msgspec.json.encode({"for_persons": capability.for_persons, "tool": describe_tool(capability, one)})
        for capability, one in _chosen()
    ]
    return b"[\n" + b",\n".join(lines) + b"\n]\n"


def is_handed_all(principal: Principal | None) -> bool:
    """Whether a caller is an agent that is handed what it needs, and may ask for nothing else."""
    return principal is not None and principal.reach is not None and principal.reach.role is Role.SKILL


def may_use(principal: Principal | None, capability: Capability) -> bool:
    """Whether a caller may use a capability at all, with the right arguments; one not known may be any agent."""
    if principal is not None and principal.is_person:
        return True
    if is_handed_all(principal):
        return capability.for_skills
    reach = principal.reach if principal is not None else None
    if reach is not None and reach.role is not Role.ADMIN and capability.effect is Effect.ADMIN:
        return False
    return not capability.for_persons


class _Written(msgspec.Struct):
    """A tool as it is written down."""

    for_persons: bool
    tool: msgspec.Raw


class Tools:
    """What is offered to a client, and how it is called."""

    def __init__(self, offer: Offer = "default") -> None:
        self._offer = offer

    def list(self, principal: Principal | None) -> list[Any]:
        """Every tool on offer that the caller may use, as it is put into an answer."""
        if self._offer == "all":
            # Made anew each time: a capability may have been declared since.
            return describe_all(principal)
        if is_handed_all(principal):
            handed = find_capability(HANDED.verb)
            return [describe_tool(handed, HANDED)] if handed is not None else []
        is_person = principal is not None and principal.is_person
        return [one.tool for one in self._written_down if is_person or not one.for_persons]

    @cached_property
    def _written_down(self) -> Sequence[_Written]:
        return msgspec.json.decode(WRITTEN_DOWN.read_bytes(), type=list[_Written])

    def find(self, name: str) -> Capability | None:
        """The capability behind a tool on offer, with no more loaded than it takes."""
        if name in _BY_NAME:
            return find_capability(_BY_NAME[name].verb)
        if self._offer == "default" or not name.startswith(PREFIX):
            return None
        return find_capability(name.removeprefix(PREFIX))

    def call(self, capability: Capability, call: Call, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Use a tool. What a model can do something about is a result that says so, and no error of the protocol."""
        try:
            return give_answer(capability, capability.invoke(call, arguments))
        except HeldtrueError as problem:
            return self.tell_problem(problem, call.principal)

    def tell_problem(self, problem: HeldtrueError, principal: Principal | None = None) -> dict[str, Any]:
        """What went wrong, where, and what to do next."""
        lines = [f"{problem.code}: {problem.message}"]
        if problem.field:
            lines.append(f"field: {problem.field}")
        if problem.hint:
            told = say_for_tools(problem.hint, lambda verb: self._offers(verb, principal))
            lines.append(f"hint: {told}")
        error = problem.as_answer()["error"]
        # Not as structured content: clients hold that against the schema of the answer.
        return {
            "content": [{"type": "text", "text": "\n".join(lines)}],
            "isError": True,
            "_meta": {ERROR_KEY: error},
        }

    def _offers(self, verb: str, principal: Principal | None) -> bool:
        capability = self.find(tool_name(verb))
        return capability is not None and may_use(principal, capability)


if __name__ == "__main__":
    WRITTEN_DOWN.write_bytes(write_down())
