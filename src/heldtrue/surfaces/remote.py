"""A store on a server: the same capabilities over HTTP."""

from __future__ import annotations

import asyncio
import http.client
import os
import threading
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from http.client import HTTPMessage
from typing import Any, BinaryIO
from urllib.parse import urlsplit
from weakref import WeakSet

import msgspec

from heldtrue.access.rates import TooOften
from heldtrue.capabilities.registry import IDEMPOTENCY, Capability
from heldtrue.capabilities.verb_index import find_capability, verbs
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import HeldtrueError, InvalidInput, StorageUnavailable
from heldtrue.domain.limits import CLIENT_SECONDS_MAX, FILE_SECONDS_MAX, REFUSAL_BYTES_MAX
from heldtrue.environment import read_variable
from heldtrue.surfaces.following import Following, Stream
from heldtrue.surfaces.wire import FILE_TYPE
from heldtrue.wiring.homes import URL_VARIABLE

TOKEN_VARIABLE = "HELDTRUE_TOKEN"  # noqa: S105 - the name of the variable that holds it


class Remote:
    """A server. It is safe to share between threads: each keeps its own connection."""

    def __init__(
        self,
        url: str | None,
        token: str | None,
        *,
        project: str | None = None,
        repo: str | None = None,
        session: str | None = None,
        timeout_seconds: float = CLIENT_SECONDS_MAX,
    ) -> None:
        url = url or read_variable(URL_VARIABLE) or ""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput("is not a server URL", given=url, field="url", hint="for example http://127.0.0.1:7373")
        path = parts.path.rstrip("/").removesuffix("/v1")
        self._address = (parts.scheme, parts.hostname, parts.port, path)
        self._timeout = timeout_seconds
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if secret := token or read_variable(TOKEN_VARIABLE):
            self._headers["Authorization"] = f"Bearer {secret}"
        around = {"Heldtrue-Project": project, "Heldtrue-Repo": repo, "Heldtrue-Session": session}
        self._headers |= {name: value for name, value in around.items() if value is not None}
        self._held = threading.local()
        self.url = url

    @property
    def place(self) -> str:
        """The address of the server, for display; without the token and without a password in the URL."""
        scheme, host, port, path = self._address
        at = f"{scheme}://{f'[{host}]' if ':' in host else host}{f':{port}' if port else ''}{path}"
        return f"at {at}, {'with a' if 'Authorization' in self._headers else 'without a'} token"

    def use(self, capability: Capability, arguments: Mapping[str, Any]) -> bytes:
        """Invoke a capability and return the raw response.

        A write has an idempotency key, so that it is carried out only once, even if it is sent again after a lost
        response.
        """
        if capability.uses_file(arguments):
            from heldtrue.surfaces.remote_files import use_file

            return use_file(self, capability, arguments)
        given = dict(arguments)
        if capability.effect is Effect.WRITE:
            given[IDEMPOTENCY] = given.get(IDEMPOTENCY) or str(uuid.uuid4())
        body = msgspec.json.encode(given)
        try:
            status, headers, answer = self._ask(
                f"/v1/{capability.name}", body, again=capability.effect is not Effect.ADMIN
            )
        except (OSError, http.client.HTTPException) as problem:
            raise self.unreachable(problem) from problem
        if status >= http.client.MULTIPLE_CHOICES:
            raise read_problem(status, headers, answer)
        return answer

    def unreachable(self, problem: Exception) -> StorageUnavailable:
        """The error for a failed connection."""
        return StorageUnavailable(
            f"the server at {self.url} cannot be reached: {str(problem) or type(problem).__name__}",
            field="url",
            hint="start it with heldtrue serve",
        )

    def open_stream(
        self, connection: http.client.HTTPConnection, path: str, headers: Mapping[str, str], *, quiet_seconds: float
    ) -> http.client.HTTPResponse:
        """The streaming response to a GET; it fails after too long without data."""
        connection.connect()
        connection.sock.settimeout(quiet_seconds)
        connection.request("GET", self._address[3] + path, headers={**self._headers, **headers})
        return connection.getresponse()

    def exchange_file(
        self, method: str, path: str, body: BinaryIO | None, receive: Callable[[http.client.HTTPResponse], bytes]
    ) -> bytes:
        """Send a file or fetch one on a connection of its own, and return what `receive` makes of the response."""
        connection = self.new_connection(FILE_SECONDS_MAX)
        headers = self._headers | ({"Content-Type": FILE_TYPE} if body is not None else {})
        if body is not None:
            headers["Content-Length"] = str(os.fstat(body.fileno()).st_size)
        try:
            try:
                connection.request(method, self._address[3] + path, body, headers)
            except ConnectionError:
                # A server that refuses a file answers and does not read on; the answer says why.
                if connection.sock is None:
                    raise
            response = connection.getresponse()
            if response.status >= http.client.MULTIPLE_CHOICES:
                raise self.read_refusal(response)
            return receive(response)
        except (OSError, http.client.HTTPException) as problem:
            raise self.unreachable(problem) from problem
        finally:
            connection.close()

    def read_refusal(self, response: http.client.HTTPResponse) -> HeldtrueError:
        """The error that a response reports."""
        return read_problem(response.status, response.headers, response.read(REFUSAL_BYTES_MAX))

    def _ask(self, path: str, body: bytes, *, again: bool) -> tuple[int, HTTPMessage, bytes]:
        held = getattr(self._held, "connection", None)
        try:
            return self._send(held or self._connect(), path, body)
        except (OSError, http.client.HTTPException):
            # A connection that was kept may have been closed meanwhile: that says nothing about the server.
            self.close()
            if held is None or not again:
                raise
        return self._send(self._connect(), path, body)

    def _connect(self) -> http.client.HTTPConnection:
        connection = self._held.connection = self.new_connection(self._timeout)
        return connection

    def new_connection(self, timeout_seconds: float) -> http.client.HTTPConnection:
        """A new connection for the caller, not open yet."""
        scheme, host, port, _ = self._address
        kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
        return kind(host, port, timeout=timeout_seconds)

    def _send(self, connection: http.client.HTTPConnection, path: str, body: bytes) -> tuple[int, HTTPMessage, bytes]:
        connection.request("POST", self._address[3] + path, body, self._headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()

    def close(self) -> None:
        """Close this thread's connection."""
        held = getattr(self._held, "connection", None)
        if held is not None:
            held.close()
            self._held.connection = None


def read_problem(status: int, headers: HTTPMessage, body: bytes) -> HeldtrueError:
    """The error of a server response, as the exception that a local home would raise."""
    try:
        told = msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError):
        told = {}
    if "code" not in told:
        return StorageUnavailable(
            f"the server returned status {status} with an unreadable body",
            field="url",
            hint="check that the URL points to a Heldtrue server",
        )
    words = {"field": told.get("field"), "hint": told.get("hint")}
    kind = _kinds().get(str(told.get("code")), HeldtrueError)
    problem = kind(str(told.get("detail") or status), **words)
    if isinstance(problem, TooOften):
        problem.retry_after_seconds = float(headers.get("Retry-After", 1))
    return problem


def _kinds() -> dict[str, type[HeldtrueError]]:
    """Every error by its code."""
    found: dict[str, type[HeldtrueError]] = {}
    waiting = [HeldtrueError]
    while waiting:
        kind = waiting.pop()
        found.setdefault(kind.code, kind)
        waiting += kind.__subclasses__()
    return found


class BrainClient:
    """A thin client that has every capability as a method and returns plain values. `client.aio` is the async version.

    The token defaults to the environment variable HELDTRUE_TOKEN.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        project: str | None = None,
        repo: str | None = None,
        session: str | None = None,
    ) -> None:
        self._remote = Remote(url, token, project=project, repo=repo, session=session)
        self._followed: WeakSet[Following[dict[str, Any]]] = WeakSet()
        self.aio = AsyncBrain(self)

    def call(self, name: str, /, **arguments: Any) -> Any:
        """Invoke a capability by name, for example `memory.recall`."""
        capability = find_capability(name.removeprefix("memory."))
        if capability is None:
            raise InvalidInput(f"no capability named {name!r}", field="name", hint="see /openapi.json on the server")
        return msgspec.json.decode(self._remote.use(capability, arguments))

    def follow(self, *, after: str | None = None, names: Sequence[str] | None = None) -> Following[dict[str, Any]]:
        """Follow events as they happen, starting after the event with this id, or now if none is given.

        A lost connection is resumed. Following ends when the returned iterator or the client is closed.
        """
        following = Following(Stream(self._remote, after, names, msgspec.json.Decoder(dict[str, Any]).decode))
        self._followed.add(following)
        return following

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        capability = find_capability(verb.rstrip("_")) if not verb.startswith("_") else None
        if capability is None:
            raise AttributeError(f"no capability named {verb!r}")
        places = [parameter.name for parameter in capability.parameters if parameter.positional]

        def use(*values: Any, **arguments: Any) -> Any:
            if len(values) > len(places):
                raise TypeError(f"{verb}() takes at most {len(places)} positional arguments")
            return self.call(capability.name, **dict(zip(places, values, strict=False)), **arguments)

        return use

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_verbs()})

    def __repr__(self) -> str:
        return f"<BrainClient {self._remote.place}>"

    def close(self) -> None:
        """Stop following events, and close this thread's connection."""
        for following in list(self._followed):
            following.close()
        self._remote.close()

    def __enter__(self) -> BrainClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncBrain:
    """The same methods for async code. Each call runs in a thread."""

    def __init__(self, client: BrainClient) -> None:
        self._client = client

    async def follow(
        self, *, after: str | None = None, names: Sequence[str] | None = None
    ) -> AsyncIterator[dict[str, Any]]:
        """Follow events: `async for event in client.aio.follow()`. Following starts when the loop starts."""
        # A thread of its own: one that waits for events must not take the place of those that ask.
        waiting = ThreadPoolExecutor(1, thread_name_prefix="heldtrue-follow")
        opened = waiting.submit(self._client.follow, after=after, names=names)
        try:
            following = await asyncio.wrap_future(opened)
            while (event := await asyncio.wrap_future(waiting.submit(next, following, None))) is not None:
                yield event
        finally:
            opened.add_done_callback(_end_following)
            waiting.shutdown(wait=False)

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        use = getattr(self._client, verb)

        async def ask(*values: Any, **arguments: Any) -> Any:
            return await asyncio.to_thread(use, *values, **arguments)

        return ask

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_verbs()})


def _verbs() -> list[str]:
    """Every capability by method name; a Python keyword gets an underscore."""
    from keyword import iskeyword

    return [f"{verb}_" if iskeyword(verb) else verb for verb in verbs()]


def _end_following(opened: Future[Following[Any]]) -> None:
    """Close a stream that was opened after its task was cancelled."""
    if not opened.cancelled() and opened.exception() is None:
        opened.result().close()
