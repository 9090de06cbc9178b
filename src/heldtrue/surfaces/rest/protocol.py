"""HTTP with limits on what an unauthenticated client can send: length, time and number."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from heldtrue.domain.limits import HEAD_BYTES_MAX, HEAD_SECONDS_MAX
from heldtrue.surfaces.rest import problems
from heldtrue.surfaces.rest.connections import Door

CONNECTION = "heldtrue.connection"
"""The key of the connection in the ASGI scope."""
TARGET = "heldtrue.target"
"""The key of a request target that names a host itself (RFC 9112, 3.2.2)."""


def _refusal() -> bytes:
    """The raw HTTP response; the application does not handle the request yet."""
    long = f"the URL and the headers are longer than {HEAD_BYTES_MAX:,} bytes"
    response = problems.respond(problems.HeadTooLarge(long, hint="send fewer headers, and put arguments in the body"))
    headers = b"".join(b"%s: %s\r\n" % pair for pair in [*response.raw_headers, (b"connection", b"close")])
    return b"HTTP/1.1 431 Request Header Fields Too Large\r\n" + headers + b"\r\n" + bytes(response.body)


class Bounded(HttpToolsProtocol):
    """One connection. The parser accepts a head of any length, so the limits are enforced here, before admission."""

    def __init__(self, *given: Any, door: Door, **named: Any) -> None:
        super().__init__(*given, **named)
        self._door = door
        self._head_bytes = 0
        self._in_head = True
        self._is_refused = False
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._set_deadline()
        self._door.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._clear_deadline()
        self._door.leave(self)
        super().connection_lost(exc)

    @property
    def is_idle(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def cut(self) -> None:
        self.transport.abort()

    def know(self) -> None:
        """A token was shown on this connection."""
        self._door.know(self)

    def data_received(self, data: bytes) -> None:
        # Before it is read: the parser joins the parts of a header one by one, so that a long one takes ever longer.
        if self._in_head and self._head_bytes > HEAD_BYTES_MAX:
            self._refuse_head()
            return
        super().data_received(data)
        if self._in_head:
            self._head_bytes += len(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_bytes, self._in_head = 0, True
        self._set_deadline()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._clear_deadline()
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > HEAD_BYTES_MAX:
            self._is_refused = True
            raise problems.HeadTooLarge
        scope: dict[str, Any] = self.scope  # type: ignore[assignment]
        scope[CONNECTION] = self
        if not self.url.startswith(b"/"):
            scope[TARGET] = self.url
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer a request that the parser could not read or was stopped from reading."""
        if self._is_refused:
            self._refuse_head()
        else:
            super().send_400_response(msg)

    def on_message_complete(self) -> None:
        self._clear_deadline()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        # The rest of an unread body is discarded, but not for ever.
        if self.cycle.more_body:
            self._set_deadline()
        super().on_response_complete()

    def _refuse_head(self) -> None:
        self.transport.write(_refusal())
        self.transport.close()

    def _set_deadline(self) -> None:
        self._clear_deadline()
        self._deadline = self.loop.call_later(HEAD_SECONDS_MAX, self._end)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end(self) -> None:
        """Close a connection that takes too long, unless a response is still being sent."""
        if not self.is_idle:
            self._set_deadline()
        elif not self.transport.is_closing():
            self.transport.close()
