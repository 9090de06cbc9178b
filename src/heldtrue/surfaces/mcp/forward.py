"""Forward stdio to a running service: every message is posted there, and its answer is returned."""

from __future__ import annotations

import http.client
import select
import threading
from typing import Any
from urllib.parse import urlsplit

import msgspec

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.limits import MCP_FORWARD_BYTES_MAX, MCP_FORWARD_SECONDS_MAX
from heldtrue.surfaces.mcp import headers as names
from heldtrue.surfaces.mcp import revisions
from heldtrue.surfaces.mcp.messages import INTERNAL_ERROR, UNREACHABLE, Message, ProtocolError, encode_error

_PATH = "/mcp"
_HINTS = {
    401: "set HELDTRUE_TOKEN to this agent's token",
    403: "this agent has no permission, or the service does not accept this host name",
    404: "check that this is the address of a Heldtrue service",
    429: "too many requests; try again later",
}


class Forwarder:
    """Posts messages to a service; each thread keeps a connection of its own."""

    def __init__(self, url: str, token: str | None) -> None:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput("is not a service URL", given=url, field="url", hint="http://127.0.0.1:7777")
        self._url = f"{parts.scheme}://{parts.netloc}"
        self._address = (parts.scheme, parts.netloc)
        self._path = parts.path.rstrip("/").removesuffix(_PATH) + _PATH
        self._token = token
        self._revision: str | None = None
        self._own = threading.local()

    def answer(self, message: Message, line: bytes) -> bytes | None:
        """The answer of the service, or an error that says why there is none."""
        is_sent = False
        try:
            connection = self._connection()
            is_sent = True
            status, body = self._post(connection, message, line)
        except (OSError, http.client.HTTPException) as problem:
            self._drop()
            if message.id is None:
                return None
            return encode_error(_unreachable(self._url, problem, is_sent=is_sent), message.id)
        if message.id is None:
            return None
        if not _is_answer(body):
            return encode_error(_no_answer(self._url, status), message.id)
        if message.method == "initialize":
            self._note_revision(body)
        return body.replace(b"\n", b" ").replace(b"\r", b" ")

    def _note_revision(self, body: bytes) -> None:
        result = msgspec.json.decode(body).get("result")
        self._revision = result.get("protocolVersion") if isinstance(result, dict) else None

    def _post(self, connection: http.client.HTTPConnection, message: Message, line: bytes) -> tuple[int, bytes]:
        connection.request("POST", self._path, line, self._headers(message))
        answer = connection.getresponse()
        body = answer.read(MCP_FORWARD_BYTES_MAX)
        if answer.will_close or not answer.isclosed():
            self._drop()
        return answer.status, body

    def _headers(self, message: Message) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Mcp-Method": names.encode_value(message.method),
        }
        revision = self._revision
        if revisions.is_stateless(message):
            said = message.params.get("_meta")
            revision = said.get(revisions.REVISION_KEY) if isinstance(said, dict) else None
        if isinstance(revision, str):
            headers["MCP-Protocol-Version"] = names.encode_value(revision)
        about = names.name_in(message)
        if isinstance(about, str):
            headers["Mcp-Name"] = names.encode_value(about)
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        return headers

    def _connection(self) -> http.client.HTTPConnection:
        """The connection of this thread, reopened if the service closed it; nothing is sent twice."""
        kept: http.client.HTTPConnection | None = getattr(self._own, "connection", None)
        if kept is not None and kept.sock is not None and not select.select([kept.sock], [], [], 0)[0]:
            return kept
        self._drop()
        scheme, address = self._address
        kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
        fresh = kind(address, timeout=MCP_FORWARD_SECONDS_MAX)
        fresh.connect()
        self._own.connection = fresh
        return fresh

    def _drop(self) -> None:
        kept = getattr(self._own, "connection", None)
        if kept is not None:
            kept.close()
            self._own.connection = None


def _is_answer(body: bytes) -> bool:
    try:
        found: Any = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("jsonrpc") == "2.0"


def _unreachable(url: str, problem: Exception, *, is_sent: bool) -> ProtocolError:
    outcome = "the request may or may not have been carried out" if is_sent else "nothing was sent"
    return ProtocolError(
        UNREACHABLE,
        f"the service at {url} is not responding ({type(problem).__name__}); {outcome}. If it is not running, start "
        "it with heldtrue serve",
    )


def _no_answer(url: str, status: int) -> ProtocolError:
    hint = _HINTS.get(status)
    return ProtocolError(
        INTERNAL_ERROR if status >= 500 else UNREACHABLE,
        f"the service at {url} returned status {status}" + (f": {hint}" if hint else ""),
    )
