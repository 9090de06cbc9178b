"""JSON-RPC messages: parsed within limits, and written on one line."""

from __future__ import annotations

from typing import Any

import msgspec

from heldtrue.domain.limits import JSON_DEPTH_MAX, MCP_MESSAGE_BYTES_MAX
from heldtrue.surfaces.wire import find_repeated_key, is_deeper

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNREACHABLE = -31000
"""The service behind the proxy is not responding. The protocol has no code for this and reserves -32768 to -32000."""
RESOURCE_NOT_FOUND = -32002
"""Used before 2026-07-28; since then it is invalid parameters."""
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

MessageId = str | int


class ProtocolError(Exception):
    """An error response to a message."""

    def __init__(self, code: int, message: str, *, data: Any = None, reply_to: MessageId | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.reply_to = reply_to
        """The id of the request; None if it could not be read."""


class Message(msgspec.Struct, frozen=True):
    """A request or a notification."""

    method: str
    params: dict[str, Any]
    id: MessageId | None
    """None for a notification."""


def read_message(data: bytes) -> Message | None:
    """Parse a message; None for a response, since the server sends no requests."""
    if len(data) > MCP_MESSAGE_BYTES_MAX:
        raise ProtocolError(INVALID_REQUEST, f"the message is larger than {MCP_MESSAGE_BYTES_MAX:,} bytes")
    try:
        found = msgspec.json.decode(data)
    except RecursionError:
        raise _too_deep() from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as problem:
        # What is read here is a stranger's, and the words of the decoder tell where it went wrong without repeating it.
        raise ProtocolError(PARSE_ERROR, f"the message is not JSON: {_first_line(problem)}") from None
    if isinstance(found, list):
        raise ProtocolError(INVALID_REQUEST, "batches are not supported: send one message at a time")
    if not isinstance(found, dict):
        raise ProtocolError(INVALID_REQUEST, "the message must be an object")
    message = _check_shape(found)
    if message is not None and (key := find_repeated_key(data)) is not None:
        raise ProtocolError(INVALID_REQUEST, f"the key {key!r} occurs twice in one object", reply_to=message.id)
    return message


def _first_line(problem: Exception) -> str:
    return "the message is not UTF-8" if isinstance(problem, UnicodeDecodeError) else str(problem).split("\n", 1)[0]


def _too_deep(reply_to: MessageId | None = None) -> ProtocolError:
    return ProtocolError(
        INVALID_REQUEST, f"the message is nested more than {JSON_DEPTH_MAX} levels deep", reply_to=reply_to
    )


def _check_shape(message: dict[str, Any]) -> Message | None:
    message_id = message.get("id")
    known = message_id if _is_id(message_id) else None
    if "method" not in message and ("result" in message or "error" in message):
        return None
    if message.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, 'jsonrpc must be "2.0"', reply_to=known)
    if "id" in message and known is None:
        raise ProtocolError(INVALID_REQUEST, "id must be a string or an integer")
    method = message.get("method")
    if not isinstance(method, str):
        raise ProtocolError(INVALID_REQUEST, "method must be a string", reply_to=known)
    if is_deeper(message, JSON_DEPTH_MAX):
        raise _too_deep(known)
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "params must be an object", reply_to=known)
    return Message(method, params, known)


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def encode_result(message_id: MessageId, result: Any) -> bytes:
    """The answer to a request."""
    return encode({"jsonrpc": "2.0", "id": message_id, "result": result})


def encode_error(problem: ProtocolError, reply_to: MessageId | None = None) -> bytes:
    """The error response to a request; without an id if that could not be read."""
    error: dict[str, Any] = {"code": problem.code, "message": problem.message}
    if problem.data is not None:
        error["data"] = problem.data
    return encode({"jsonrpc": "2.0", "id": reply_to if reply_to is not None else problem.reply_to, "error": error})


def encode(document: Any) -> bytes:
    """JSON on one line."""
    try:
        return msgspec.json.encode(document)
    except UnicodeEncodeError:
        # A path may hold bytes that are no text, and so may what was kept from an export of long ago.
        import json

        plain = json.dumps(msgspec.to_builtins(document), ensure_ascii=False)
        return plain.encode("utf-8", "replace")
