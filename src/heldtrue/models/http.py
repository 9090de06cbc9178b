"""A client for a JSON server, with retries and timeouts.

Neither the key nor a text ever gets into a message: what a server says about a refused request may repeat both.
"""

from __future__ import annotations

import http.client
import queue
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.client import HTTPException, HTTPResponse
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.limits import (
    EMBEDDING_ANSWER_BYTES_MAX,
    MODEL_CONNECT_SECONDS_MAX,
    MODEL_PAUSE_SECONDS_MAX,
    MODEL_REST_SECONDS,
    MODEL_RETRY_SECONDS,
    READ_CHUNK_BYTES,
)
from heldtrue.environment import read_variable
from heldtrue.models.outage import Outage, OutageNote

_TOO_MANY_REQUESTS = 429
_SERVER_FAULT = 500
Answer = TypeVar("Answer")


class NoAnswer(ModelProblem):
    """The server did not answer."""

    code = "no_answer"

    def __init__(
        self,
        message: str | None = None,
        *,
        field: str | None = None,
        hint: str | None = None,
        status: int | None = None,
    ) -> None:
        """`status` is the HTTP status of the answer; None if the server could not be reached."""
        super().__init__(message, field=field, hint=hint)
        self.status = status

    @property
    def may_pass(self) -> bool:
        """Whether the server is at fault, not the request."""
        return self.status is None or is_passing(self.status)


class _FailedTry(Exception):
    """An attempt failed; a retry may succeed."""

    def __init__(self, reason: str, *, status: int | None = None, wait_seconds: float = 0.0) -> None:
        super().__init__(reason)
        self.status = status
        self.wait_seconds = wait_seconds


class _TooSlow(_FailedTry):
    """A try took too long; so would another."""

    def __init__(self) -> None:
        super().__init__("did not respond in time")


def bearer(key: str) -> Mapping[str, str]:
    """The header that passes an API key to most servers; none without a key."""
    return {"Authorization": f"Bearer {key}"} if key else {}


class JsonEndpoint:
    """One address that is asked with JSON. Threads may share it.

    `what` is what it is called in messages, and `hint` says what to do about a problem. `key_variable` is the name of
    the environment variable that holds the key, which is read for each request. `make_headers` gets the key, which is
    empty if there is none.
    """

    def __init__(
        self,
        url: str,
        what: str,
        *,
        key_variable: str | None = None,
        make_headers: Callable[[str], Mapping[str, str]] = bearer,
        hint: str = "check the URL, the model and the key",
        answer_bytes_max: int = EMBEDDING_ANSWER_BYTES_MAX,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = url
        self._what = f"{what} {urlsplit(url).netloc}"
        self._key_variable = key_variable
        self._make_headers = make_headers
        self._hint = hint
        self._answer_bytes_max = answer_bytes_max
        self._sleep = sleep

    def ask(
        self, body: object, *, timeout_seconds: float, tries: int | None = None, outage: Outage | None = None
    ) -> bytes:
        """The server's answer. All tries are made unless told otherwise, and each takes at most the timeout.

        A server that did not respond in time is not tried again. With an outage, a failure that may pass is noted
        there, and while it is noted the server is not asked.
        """
        request = self._make_request(body)
        outage = outage or Outage()
        if (note := outage.current()) is not None:
            raise self._still_out(note, outage.seconds_since(note))
        try:
            pauses = MODEL_RETRY_SECONDS if tries is None else MODEL_RETRY_SECONDS[: tries - 1]
            answer = self._try_often(request, timeout_seconds, pauses)
        except _FailedTry as failed:
            outage.begin(str(failed))
            raise self._no_answer(str(failed), failed.status) from failed.__cause__
        except ModelProblem:
            outage.end()  # what it said is of no use, but it is there
            raise
        outage.end()
        return answer

    def _try_often(self, request: urllib.request.Request, timeout_seconds: float, pauses: tuple[float, ...]) -> bytes:
        """The answer of the first try that gets one."""
        for pause in pauses:
            try:
                return self._send(request, timeout_seconds)
            except _TooSlow:
                raise
            except _FailedTry as failed:
                self._sleep(min(max(pause, failed.wait_seconds), MODEL_PAUSE_SECONDS_MAX))
        return self._send(request, timeout_seconds)

    def _still_out(self, note: OutageNote, seconds_since: float) -> NoAnswer:
        again = max(1, round(MODEL_REST_SECONDS - seconds_since))
        told = f"failed {round(seconds_since)} seconds ago ({note.reason}) and will be tried again in {again} seconds"
        return self._no_answer(told, None)

    def problem(self, what: str) -> ModelProblem:
        """A problem with this server, in words that hold nothing of what was asked or answered."""
        return ModelProblem(f"The {self._what} {what}.", hint=self._hint)

    def _no_answer(self, what: str, status: int | None) -> NoAnswer:
        return NoAnswer(f"The {self._what} {what}.", hint=self._hint, status=status)

    def _make_request(self, body: object) -> urllib.request.Request:
        request = urllib.request.Request(self._url, data=msgspec.json.encode(body), method="POST")  # noqa: S310  see complete_url
        key = read_key(self._key_variable) if self._key_variable else ""
        for name, value in {"Content-Type": "application/json", **self._make_headers(key)}.items():
            request.add_header(name, value)
        return request

    def _send(self, request: urllib.request.Request, timeout_seconds: float) -> bytes:
        """One try, in a thread of its own: looking up a name cannot be interrupted, so what is late is left behind."""
        attempt = _Attempt()
        outcomes: queue.SimpleQueue[bytes | Exception] = queue.SimpleQueue()

        def send() -> None:
            try:
                outcomes.put(self._receive(attempt, request, timeout_seconds))
            except Exception as problem:  # noqa: BLE001 - raised again below, in the thread that asked
                outcomes.put(problem)

        try:
            threading.Thread(target=send, name="heldtrue-endpoint", daemon=True).start()
            outcome = outcomes.get(timeout=timeout_seconds)
        except queue.Empty:
            attempt.abandon()
            raise _TooSlow from None
        except RuntimeError as problem:  # no thread can be started: too many, or the interpreter is at its end
            raise _FailedTry("cannot be reached: no thread could be started") from problem
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _receive(self, attempt: _Attempt, request: urllib.request.Request, timeout_seconds: float) -> bytes:
        try:
            with attempt.opener.open(request, timeout=timeout_seconds) as response:
                body = self._read_body(response)
                missing: int | None = response.length
        except urllib.error.HTTPError as problem:
            with problem:
                raise self._judge_refusal(problem) from None
        except (OSError, HTTPException, ValueError) as problem:  # a host name that cannot be encoded is a ValueError
            reason = getattr(problem, "reason", problem)
            if isinstance(reason, TimeoutError):
                raise _TooSlow from problem
            raise _FailedTry(f"cannot be reached: {type(reason).__name__}") from problem
        if len(body) > self._answer_bytes_max:
            raise self.problem("returned a response that is too large")
        if missing:  # a read with a limit does not notice that the connection broke
            raise _FailedTry("closed the connection before the end of its response")
        return body

    def _read_body(self, response: HTTPResponse) -> bytes:
        body = bytearray()
        while len(body) <= self._answer_bytes_max and (part := response.read1(READ_CHUNK_BYTES)):
            body += part
        return bytes(body)

    def _judge_refusal(self, refusal: urllib.error.HTTPError) -> Exception:
        if not is_passing(refusal.code):
            return self._no_answer(f"refused the request with status {refusal.code}", refusal.code)
        wait = refusal.headers.get("Retry-After", "")
        wait_seconds = float(wait) if wait.isdecimal() else 0.0
        return _FailedTry(f"returned status {refusal.code}", status=refusal.code, wait_seconds=wait_seconds)


def is_passing(status: int) -> bool:
    """Whether the same request may succeed later."""
    return status == _TOO_MANY_REQUESTS or status >= _SERVER_FAULT


def decode_answer(body: bytes | str, shape: type[Answer]) -> Answer:
    """What an answer says; `ValueError` for whatever is not JSON of that shape, also where it is nested without end."""
    try:
        return msgspec.json.decode(body, type=shape)
    except RecursionError as problem:
        raise ValueError("it is nested too deeply") from problem


def read_key(variable: str) -> str:
    """The API key in an environment variable; empty if not set, because local endpoints often need none."""
    key = (read_variable(variable) or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ModelProblem(
            f"The environment variable {variable} does not contain a valid key.",
            hint="set it to the endpoint's API key",
        )
    return key


class _Attempt:
    """One try, which can be given up from another thread."""

    def __init__(self) -> None:
        self.opener = urllib.request.build_opener(_NoRedirects(), _PlainHandler(self), _SecureHandler(self))
        self._lock = threading.Lock()
        self._is_over = False
        self._socket: socket.socket | None = None

    def connected(self, connection: socket.socket) -> None:
        """Told of a connection as soon as there is one."""
        with self._lock:
            if self._is_over:
                raise TimeoutError
            self._socket = connection

    def abandon(self) -> None:
        """Cut the connection, so that the thread that waits at it ends."""
        with self._lock:
            self._is_over = True
            if self._socket is not None:
                with suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)


class _PlainConnection(http.client.HTTPConnection):
    """A connection that is made soon or not at all, and tells the attempt that it belongs to."""

    attempt: _Attempt

    def connect(self) -> None:
        whole = self.timeout or MODEL_CONNECT_SECONDS_MAX
        self.timeout = min(whole, MODEL_CONNECT_SECONDS_MAX)
        super().connect()
        self.sock.settimeout(whole)
        self.attempt.connected(self.sock)


class _SecureConnection(_PlainConnection, http.client.HTTPSConnection):
    """The same with TLS."""


class _PlainHandler(urllib.request.HTTPHandler):
    """Opens connections for one attempt."""

    def __init__(self, attempt: _Attempt) -> None:
        super().__init__()
        self._attempt = attempt

    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(self._connection, req)

    def _connection(self, host: str, **options: Any) -> http.client.HTTPConnection:
        connection = _PlainConnection(host, **options)
        connection.attempt = self._attempt
        return connection


class _SecureHandler(urllib.request.HTTPSHandler):
    """The same with TLS."""

    def __init__(self, attempt: _Attempt) -> None:
        super().__init__()
        self._attempt = attempt

    def https_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(self._connection, req)

    def _connection(self, host: str, **options: Any) -> http.client.HTTPConnection:
        connection = _SecureConnection(host, **options)
        connection.attempt = self._attempt
        return connection


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Does not follow redirects: the texts are meant for this server only."""

    def redirect_request(self, *_arguments: object) -> None:
        return None
