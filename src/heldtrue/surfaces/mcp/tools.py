"""Capabilities as tools. All of it is made from their declarations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from heldtrue.access.policy import is_allowed, is_skill_agent
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.registry import CAPABILITIES, Capability
from heldtrue.capabilities.verb_index import all_capabilities, find_capability, find_verb
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import HeldtrueError
from heldtrue.domain.principal import Principal, PrincipalKind
from heldtrue.surfaces.mcp.answers import give_answer
from heldtrue.surfaces.schemas import outline_of_answer, schema_of_answer, schema_of_few, schema_of_request
from heldtrue.surfaces.tool_catalogue import say_for_tools, tool_name, verb_of_tool

Offer = Literal["default", "all"]
WRITTEN_DOWN = Path(__file__).with_name("tools.json")
"""The everyday tools, as `make reference` writes them: loading every capability takes longer than a whole first answer
may. A test keeps it up to date.
"""
ERROR_KEY = "heldtrue/error"
_ANY_AGENT = Principal(PrincipalKind.AGENT, "unknown")
"""Stands for a caller that is not known yet."""


def describe_tool(capability: Capability, *, in_full: bool = False) -> dict[str, Any]:
    """A tool as a client sees it: an everyday one in few words, all others in full."""
    told = capability.declared.tool if not in_full else None
    return {
        "name": tool_name(capability.verb),
        "description": capability.summary if told is None else told.description,
        "inputSchema": schema_of_request(capability) if told is None else schema_of_few(capability, told.arguments),
        "outputSchema": schema_of_answer(capability) if told is None else outline_of_answer(capability),
        "annotations": _annotate(capability),
    }


def _annotate(capability: Capability) -> dict[str, bool]:
    """Hints for a client that asks its user before some calls. Where the protocol assumes what is so, nothing is."""
    if capability.effect is Effect.READ:
        return {"readOnlyHint": True, "openWorldHint": False}
    hints = {"openWorldHint": False}
    if not capability.declared.destructive:
        hints["destructiveHint"] = False
    if capability.declared.repeatable:
        hints["idempotentHint"] = True
    return hints


def describe_all(principal: Principal | None) -> list[dict[str, Any]]:
    """Every capability that a caller may use as a tool, in full."""
    return [describe_tool(one, in_full=True) for one in all_capabilities().values() if may_use(principal, one.verb)]


class WrittenTool(msgspec.Struct):
    """An everyday tool as it is written down."""

    verb: str
    rank: int
    skill_agents: bool
    tool: msgspec.Raw


def write_tool(capability: Capability) -> WrittenTool | None:
    """What is written down of a capability; none where it is not an everyday tool."""
    told = capability.declared.tool
    if told is None:
        return None
    tool = msgspec.Raw(msgspec.json.encode(describe_tool(capability)))
    return WrittenTool(capability.verb, told.rank, told.skill_agents, tool)


def write_down() -> bytes:
    """The everyday tools, as the file that is read instead of loading all capabilities."""
    written = [one for each in all_capabilities().values() if (one := write_tool(each)) is not None]
    lines = [msgspec.json.encode(one) for one in sorted(written, key=_place)]
    return b"[\n" + b",\n".join(lines) + b"\n]\n"


def _place(one: WrittenTool) -> tuple[bool, int, str]:
    return one.skill_agents, one.rank, one.verb


def may_use(principal: Principal | None, verb: str) -> bool:
    """Whether a caller may use a capability at all, with the right arguments; one not known may be any agent."""
    known = find_verb(verb)
    return known is not None and is_allowed(principal or _ANY_AGENT, known.action(verb))


class Tools:
    """What is offered to a client, and how it is called."""

    def __init__(self, offer: Offer = "default") -> None:
        self._offer = offer

    def list(self, principal: Principal | None) -> list[Any]:
        """Every tool on offer that the caller may use, as it is put into an answer."""
        if self._offer == "all":
            # Made anew each time: a capability may have been declared since.
            return describe_all(principal)
        is_skilled = principal is not None and is_skill_agent(principal)
        offered = [one for one in self._everyday() if one.skill_agents is is_skilled]
        return [one.tool for one in offered if may_use(principal, one.verb)]

    def _everyday(self) -> Sequence[WrittenTool]:
        """What is written down, and what was declared since."""
        known = {one.verb for one in self._written_down}
        fresh = [write_tool(one) for one in CAPABILITIES.values() if one.verb not in known]
        return sorted([*self._written_down, *(one for one in fresh if one is not None)], key=_place)

    @cached_property
    def _written_down(self) -> Sequence[WrittenTool]:
        return msgspec.json.decode(WRITTEN_DOWN.read_bytes(), type=tuple[WrittenTool, ...])

    def find(self, name: str) -> Capability | None:
        """The capability behind a tool on offer, with no more loaded than it takes."""
        verb = verb_of_tool(name)
        known = find_verb(verb) if verb is not None else None
        if verb is None or known is None or (self._offer == "default" and known.tool != name):
            return None
        return find_capability(verb)

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
        known = find_verb(verb)
        is_offered = known is not None and (self._offer == "all" or known.tool is not None)
        return is_offered and may_use(principal, verb)
