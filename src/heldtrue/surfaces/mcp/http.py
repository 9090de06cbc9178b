"""The protocol over HTTP: one message per POST, one JSON answer, no sessions.

It depends on no web framework. Authentication and the origin check come before it.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from heldtrue.capabilities.call import Call
from heldtrue.domain.limits import MCP_MESSAGE_BYTES_MAX
from heldtrue.surfaces.mcp import headers as names
from heldtrue.surfaces.mcp import revisions
from heldtrue.surfaces.mcp.callers import KnownCaller
from heldtrue.surfaces.mcp.messages import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    Message,
    ProtocolError,
    encode_error,
    read_message,
)
from heldtrue.surfaces.mcp.server import McpServer

_JSON = "application/json"
_STATUSES = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
"""The HTTP status of a refusal since 2026-07-28; older revisions answer every parsed message with 200."""
_ONLY_ONCE = (names.REVISION, names.METHOD, names.NAME)


class HttpAnswer(msgspec.Struct, frozen=True):
    """The HTTP response."""

    status: int
    headers: dict[str, str]
    body: bytes = b""


def answer_http(server: McpServer, method: str, headers: Mapping[str, str], body: bytes, call: Call) -> HttpAnswer:
    """Answer a request at the endpoint of the protocol.

    `headers` may yield a name more than once; duplicates are detected.
    """
    if method != "POST":
        # There is no stream to listen to and no session to end.
        return HttpAnswer(405, {"allow": "POST"})
    given, doubled = _fold(headers)
    if _media_type(given.get("content-type", "")) != _JSON:
        return _refuse(415, ProtocolError(INVALID_REQUEST, f"Content-Type must be {_JSON}"))
    if not _accepts_json(given.get("accept", "*/*")):
        return _refuse(406, ProtocolError(INVALID_REQUEST, f"Accept must include {_JSON}"))
    if len(body) > MCP_MESSAGE_BYTES_MAX:
        return _refuse(
            413, ProtocolError(INVALID_REQUEST, f"the message is larger than {MCP_MESSAGE_BYTES_MAX:,} bytes")
        )
    try:
        message = read_message(body)
        if message is None:
            return HttpAnswer(202, {})
        stateless = _check_headers(message, given, doubled)
    except ProtocolError as problem:
        return _refuse(_STATUSES[problem.code], problem)
    answer = server.answer(message, KnownCaller(call))
    if answer is None:
        return HttpAnswer(202, {})
    return HttpAnswer(_status_of(answer) if stateless else 200, {"content-type": _JSON}, answer)


def _fold(headers: Mapping[str, str]) -> tuple[dict[str, str], set[str]]:
    """Headers by lower-case name, and the names that occur more than once."""
    given: dict[str, str] = {}
    doubled: set[str] = set()
    for name, value in headers.items():
        key = name.lower()
        if key in given:
            doubled.add(key)
        given.setdefault(key, value.strip(" \t"))
    return given, doubled


def _media_type(value: str) -> str:
    return value.partition(";")[0].strip().lower()


def _accepts_json(accept: str) -> bool:
    return any(_media_type(media_range) in (_JSON, "application/*", "*/*") for media_range in accept.split(","))


def _check_headers(message: Message, headers: Mapping[str, str], doubled: set[str]) -> bool:
    """Refuse headers that contradict the message. Returns whether the message is stateless."""
    revision = headers.get(names.REVISION)
    # A revision that is not known here is most likely a newer one, and those are stateless.
    stateless = revisions.is_stateless(message) or (
        revision is not None and revision not in revisions.HANDSHAKE_REVISIONS
    )
    if not stateless:
        return False
    if message.id is None:
        revisions.check_revision(revision or "")
        return True
    _compare(message, headers, doubled)
    return True


def _compare(message: Message, headers: Mapping[str, str], doubled: set[str]) -> None:
    """Refuse headers that do not match the message."""
    for name in _ONLY_ONCE:
        if name in doubled:
            raise _mismatch(message, f"the header {name} was sent more than once")
    revision = headers.get(names.REVISION)
    said = message.params.get("_meta")
    in_body = said.get(revisions.REVISION_KEY) if isinstance(said, dict) else None
    if in_body is None:
        if revision is not None:
            revisions.check_revision(revision, reply_to=message.id)
        revisions.check_envelope(message)
    if revision is None or revision != in_body:
        raise _mismatch(message, f"the header {names.REVISION} does not match the revision in params._meta")
    if headers.get(names.METHOD) != message.method:
        raise _mismatch(message, f"the header {names.METHOD} does not match the method of the message")
    about = names.name_in(message)
    if about is not None and names.decode_value(headers.get(names.NAME)) != about:
        raise _mismatch(message, f"the header {names.NAME} does not match the name in the message")


def _mismatch(message: Message, words: str) -> ProtocolError:
    return ProtocolError(HEADER_MISMATCH, words, reply_to=message.id)


class _Refusal(msgspec.Struct):
    code: int


class _Answered(msgspec.Struct):
    error: _Refusal | None = None


def _status_of(answer: bytes) -> int:
    error = msgspec.json.decode(answer, type=_Answered).error
    return _STATUSES.get(error.code, 200) if error is not None else 200


def _refuse(status: int, problem: ProtocolError) -> HttpAnswer:
    return HttpAnswer(status, {"content-type": _JSON}, encode_error(problem))
