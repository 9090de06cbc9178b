"""A client for a JSON server, with retries and timeouts.

Neither the key nor a text ever gets into a message: what a server says about a refused request may repeat both.
"""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from http.client import HTTPException, HTTPResponse
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec

from heldtrue.domain.errors import ModelProblem
from heldtrue.environment import read_variable

PAUSES_SECONDS = (0.5, 2.0)
"""How long to wait before each further try."""
_PAUSE_SECONDS_MAX = 10.0
"""The longest wait that a server may ask for."""
ANSWER_BYTES_MAX = 64 * 1024 * 1024
_PART_BYTES = 64 * 1024
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
        """`status` is what it gave instead, none if it could not be reached."""
        super().__init__(message, field=field, hint=hint)
        self.status = status

    @property
    def may_pass(self) -> bool:
        """Whether it is about the server, not about the request."""
        return self.status is None or is_passing(self.status)


class _FailedTry(Exception):
    """A try failed; another may not."""

    def __init__(self, reason: str, *, status: int | None = None, wait_seconds: float = 0.0) -> None:
        super().__init__(reason)
        self.status = status
        self.wait_seconds = wait_seconds


def bearer(key: str) -> Mapping[str, str]:
    """How a key is shown to most servers."""
    return {"Authorization": f"Bearer {key}"}


class JsonEndpoint:
    """One address that is asked with JSON. Threads may share it.

    `what` is what it is called in messages. `key_variable` is the name of the environment variable that holds the
    key; without one no key is sent, and it is read for each request.
    """

    def __init__(
        self,
        url: str,
        what: str,
        *,
        key_variable: str | None = None,
        show_key: Callable[[str], Mapping[str, str]] = bearer,
        headers: Mapping[str, str] | None = None,
        answer_bytes_max: int = ANSWER_BYTES_MAX,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = url
        self._what = f"{what} {urlsplit(url).netloc}"
        self._key_variable = key_variable
        self._show_key = show_key
        self._headers = {"Content-Type": "application/json", **(headers or {})}
        self._answer_bytes_max = answer_bytes_max
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirects())

    def ask(self, body: object, *, timeout_seconds: float, tries: int | None = None) -> bytes:
        """The server's answer. All tries are made unless told otherwise, and each may take as long as the timeout
        until a sign of life, and as long again until the answer is whole.
        """
        request = self._make_request(body)
        pauses = PAUSES_SECONDS if tries is None else PAUSES_SECONDS[: tries - 1]
        for pause in (*pauses, None):
            try:
                return self._send(request, timeout_seconds)
            except _FailedTry as refused:
                if pause is None:
                    raise self._no_answer(str(refused), refused.status) from refused.__cause__
                self._sleep(min(max(pause, refused.wait_seconds), _PAUSE_SECONDS_MAX))
        raise AssertionError("the last try returns or raises")

    def problem(self, what: str) -> ModelProblem:
        """A problem with this server, in words that hold nothing of what was asked or answered."""
        return ModelProblem(f"The {self._what} {what}.", hint=_HINT)

    def _no_answer(self, what: str, status: int | None) -> NoAnswer:
        return NoAnswer(f"The {self._what} {what}.", hint=_HINT, status=status)

    def _make_request(self, body: object) -> urllib.request.Request:
        request = urllib.request.Request(self._url, data=msgspec.json.encode(body), method="POST")  # noqa: S310  see complete_url
        key = read_key(self._key_variable) if self._key_variable else ""
        for name, value in {**self._headers, **(self._show_key(key) if key else {})}.items():
            request.add_header(name, value)
        return request

    def _send(self, request: urllib.request.Request, timeout_seconds: float) -> bytes:
        try:
            with self._opener.open(request, timeout=timeout_seconds) as response:
                body = self._read_body(response, until=time.monotonic() + timeout_seconds)
                missing: int | None = response.length
        except urllib.error.HTTPError as problem:
            with problem:
                raise self._judge_refusal(problem) from None
        except (OSError, HTTPException) as problem:
            reason = getattr(problem, "reason", problem)
            raise _FailedTry(f"cannot be reached: {type(reason).__name__}") from problem
        if len(body) > self._answer_bytes_max:
            raise self.problem("returned an answer that is too large")
        if missing:  # a read with a limit does not notice that the connection broke
            raise _FailedTry("closed the connection in the middle of its answer")
        return body

    def _read_body(self, response: HTTPResponse, *, until: float) -> bytes:
        body = bytearray()
        while len(body) <= self._answer_bytes_max and (part := response.read1(_PART_BYTES)):
            body += part
            if time.monotonic() > until:
                raise _FailedTry("did not answer in time")
        return bytes(body)

    def _judge_refusal(self, refusal: urllib.error.HTTPError) -> Exception:
        if not is_passing(refusal.code):
            return self._no_answer(f"refused the request with status {refusal.code}", refusal.code)
        wait = refusal.headers.get("Retry-After", "")
        wait_seconds = float(wait) if wait.isdecimal() else 0.0
        return _FailedTry(f"returned status {refusal.code}", status=refusal.code, wait_seconds=wait_seconds)


_HINT = "check the URL, the model and the key"


def is_passing(status: int) -> bool:
    """Whether the same request may be taken later."""
    return status == _TOO_MANY_REQUESTS or status >= _SERVER_FAULT


def decode_answer(body: bytes | str, shape: type[Answer]) -> Answer:
    """What an answer says; `ValueError` for whatever is not JSON of that shape, also where it is nested without end."""
    try:
        return msgspec.json.decode(body, type=shape)
    except RecursionError as problem:
        raise ValueError("it is nested too deeply") from problem


def read_key(variable: str) -> str:
    """The key that a variable holds; empty where none is set, since an endpoint of one's own often needs none."""
    key = (read_variable(variable) or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ModelProblem(
            f"The environment variable {variable} does not contain a valid key.",
            hint="set it to the API key of the endpoint",
        )
    return key


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Redirects are not followed: the texts were meant for this server."""

    def redirect_request(self, *_arguments: object) -> None:
        return None
