"""The MCP server: answers messages, independent of the transport and without state."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from heldtrue.access.policy import is_skill_agent
from heldtrue.domain.errors import HeldtrueError, NotFound
from heldtrue.domain.principal import Principal
from heldtrue.surfaces.mcp import revisions
from heldtrue.surfaces.mcp.callers import Caller
from heldtrue.surfaces.mcp.messages import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    Message,
    ProtocolError,
    encode_error,
    encode_result,
    read_message,
)
from heldtrue.surfaces.mcp.prompts import fill_prompt, list_prompts
from heldtrue.surfaces.mcp.tools import Offer, ToolSet

_OUR_FAULT = 500
"""From this exit status on, the caller cannot fix the error."""
Handler = Callable[[Message, Caller], dict[str, Any]]


class McpServer:
    """The protocol over one set of tools. Safe to use from several threads."""

    def __init__(self, tools: Offer = "default") -> None:
        self._tools = ToolSet(tools)
        shared: dict[str, Handler] = {
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            "resources/list": self._list_resources,
            "resources/templates/list": self._list_templates,
            "resources/read": self._read_resource,
            "prompts/list": self._list_prompts,
            "prompts/get": self._get_prompt,
            "completion/complete": self._complete,
        }
        self._stateless: dict[str, Handler] = {**shared, "server/discover": lambda _m, _c: revisions.discover()}
        self._handshake: dict[str, Handler] = {
            **shared,
            "initialize": lambda message, _c: revisions.initialize(message.params),
            "ping": lambda _m, _c: {},
        }

    def handle(self, data: bytes, caller: Caller) -> bytes | None:
        """The answer to a message, on one line; None for a notification."""
        try:
            message = read_message(data)
            if message is None:
                return None
            return self.answer(message, caller)
        except ProtocolError as problem:
            return encode_error(problem)

    def answer(self, message: Message, caller: Caller) -> bytes | None:
        """The answer to a parsed message."""
        if message.id is None:
            return None
        try:
            return encode_result(message.id, self._result(message, caller))
        except ProtocolError as problem:
            return encode_error(problem, message.id)
        except Exception as problem:  # noqa: BLE001 - the edge of the program: whatever it is, the client is answered
            _report(message, problem)
            return encode_error(ProtocolError(INTERNAL_ERROR, "internal error"), message.id)

    def _result(self, message: Message, caller: Caller) -> dict[str, Any]:
        stateless = revisions.is_stateless(message)
        if stateless:
            revisions.check_envelope(message)
        handler = (self._stateless if stateless else self._handshake).get(message.method)
        if handler is None:
            raise ProtocolError(METHOD_NOT_FOUND, f"unknown method {message.method[:80]!r}")
        try:
            result = handler(message, caller)
        except HeldtrueError as problem:
            raise _as_protocol_error(problem, message, stateless) from None
        return revisions.finish(message.method, result) if stateless else result

    # ToolSet

    def _list_tools(self, message: Message, caller: Caller) -> dict[str, Any]:
        _refuse_cursor(message)
        return {"tools": self._tools.list(_who(caller))}

    def _call_tool(self, message: Message, caller: Caller) -> dict[str, Any]:
        name = _text(message, "name")
        arguments = message.params.get("arguments")
        if arguments is not None and not isinstance(arguments, dict):
            raise ProtocolError(INVALID_PARAMS, "arguments must be an object")
        capability = self._tools.find(name)
        if capability is None:
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name[:80]}")
        try:
            call = caller()
        except HeldtrueError as problem:
            return self._tools.tell_problem(problem)
        return self._tools.call(capability, call, arguments or {})

    # Resources and prompts

    def _list_resources(self, message: Message, caller: Caller) -> dict[str, Any]:
        from heldtrue.surfaces.mcp.resources import RESOURCES

        _refuse_cursor(message)
        return {"resources": [] if _is_skilled(caller) else RESOURCES}

    def _list_templates(self, message: Message, caller: Caller) -> dict[str, Any]:
        from heldtrue.surfaces.mcp.resources import TEMPLATES

        _refuse_cursor(message)
        return {"resourceTemplates": [] if _is_skilled(caller) else TEMPLATES}

    def _read_resource(self, message: Message, caller: Caller) -> dict[str, Any]:
        from heldtrue.surfaces.mcp.resources import read_resource

        return {"contents": read_resource(_text(message, "uri"), caller())}

    def _list_prompts(self, message: Message, caller: Caller) -> dict[str, Any]:
        _refuse_cursor(message)
        return {"prompts": [] if _is_skilled(caller) else list_prompts()}

    def _get_prompt(self, message: Message, caller: Caller) -> dict[str, Any]:
        given = message.params.get("arguments")
        if given is not None and not isinstance(given, dict):
            raise ProtocolError(INVALID_PARAMS, "arguments must be an object")
        return fill_prompt(_text(message, "name"), given or {}, caller)

    def _complete(self, message: Message, caller: Caller) -> dict[str, Any]:
        from heldtrue.surfaces.mcp.completing import complete

        return {"completion": complete(message.params, caller)}


def _who(caller: Caller) -> Principal | None:
    """The caller of a listing. If it cannot be determined, the first tool call reports the error."""
    try:
        return caller.who()
    except HeldtrueError:
        return None


def _is_skilled(caller: Caller) -> bool:
    """Whether the caller is a skill agent, which can only read what was shared with it."""
    principal = _who(caller)
    return principal is not None and is_skill_agent(principal)


def _text(message: Message, name: str) -> str:
    value = message.params.get(name)
    if not isinstance(value, str):
        raise ProtocolError(INVALID_PARAMS, f"{message.method} needs {name} as a string")
    return value


def _refuse_cursor(message: Message) -> None:
    """Refuse a cursor: every list has one page."""
    if message.params.get("cursor") is not None:
        raise ProtocolError(INVALID_PARAMS, "this list has only one page: remove the cursor")


def _as_protocol_error(problem: HeldtrueError, message: Message, stateless: bool) -> ProtocolError:
    """The protocol error for resources and prompts, which have no error results."""
    code = INTERNAL_ERROR
    if isinstance(problem, NotFound) and message.method == "resources/read" and not stateless:
        code = RESOURCE_NOT_FOUND
    elif problem.http_status < _OUR_FAULT:
        code = INVALID_PARAMS
    data = problem.as_answer()["error"]
    if message.method == "resources/read":
        data = {"uri": message.params.get("uri"), **data}  # type: ignore[dict-item]
    return ProtocolError(code, str(problem), data=data)


def _report(message: Message, problem: Exception) -> None:
    """Log a failure for the operator, without the content of the message."""
    print(f"heldtrue mcp: {message.method[:80]!r} failed: {type(problem).__name__}", file=sys.stderr)
