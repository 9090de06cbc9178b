"""A space on a server: the same capabilities, asked over HTTP."""

from __future__ import annotations

import asyncio
import http.client
import threading
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from http.client import HTTPMessage
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakSet

import msgspec

from heldtrue.access.rates import TooOften
from heldtrue.capabilities.registry import IDEMPOTENCY, Capability
from heldtrue.capabilities.verb_index import find_capability, verbs
from heldtrue.domain.action import Effect
from heldtrue.domain.errors import HeldtrueError, InvalidInput, StorageUnavailable
from heldtrue.environment import read_variable
from heldtrue.surfaces.following import Following, Stream
from heldtrue.wiring.instance import URL_VARIABLE

TOKEN_VARIABLE = "HELDTRUE_TOKEN"  # noqa: S105 - the name of the variable that holds it
_TIMEOUT_SECONDS = 60.0
_REFUSAL_BYTES_MAX = 65_536


class Remote:
    """A server that is asked. Threads may share it: each has a connection of its own, which is kept."""

    def __init__(
        self,
        url: str | None,
        token: str | None,
        *,
        project: str | None = None,
        repo: str | None = None,
        session: str | None = None,
        timeout_seconds: float = _TIMEOUT_SECONDS,
    ) -> None:
        url = url or read_variable(URL_VARIABLE) or ""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput(
                "is no address of a server", given=url, field="url", hint="such as http://127.0.0.1:7373"
            )
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
        """Where the server is and how one comes there, for people; never the token, nor a password in the address."""
        scheme, host, port, path = self._address
        at = f"{scheme}://{f'[{host}]' if ':' in host else host}{f':{port}' if port else ''}{path}"
        return f"at {at}, {'with a' if 'Authorization' in self._headers else 'without a'} token"

    def use(self, capability: Capability, arguments: Mapping[str, Any]) -> bytes:
        """The answer to a use of a capability, as it came.

        A write carries a key, so that it is done once even where its answer was lost and it is sent again.
        """
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
        """What is said where there was no answer."""
        return StorageUnavailable(
            f"the server at {self.url} cannot be reached: {str(problem) or type(problem).__name__}",
            field="url",
            hint="start it with: heldtrue serve",
        )

    def open_stream(
        self, connection: http.client.HTTPConnection, path: str, headers: Mapping[str, str], *, quiet_seconds: float
    ) -> http.client.HTTPResponse:
        """The answer to a GET that goes on, to be read as it comes; it fails where it is quiet for too long."""
        connection.connect()
        connection.sock.settimeout(quiet_seconds)
        connection.request("GET", self._address[3] + path, headers={**self._headers, **headers})
        return connection.getresponse()

    def read_refusal(self, response: http.client.HTTPResponse) -> HeldtrueError:
        """What an answer says that is not the one which was wanted."""
        return read_problem(response.status, response.headers, response.read(_REFUSAL_BYTES_MAX))

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
        """A connection that is the caller's own, not open yet."""
        scheme, host, port, _ = self._address
        kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
        return kind(host, port, timeout=timeout_seconds)

    def _send(self, connection: http.client.HTTPConnection, path: str, body: bytes) -> tuple[int, HTTPMessage, bytes]:
        connection.request("POST", self._address[3] + path, body, self._headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()

    def close(self) -> None:
        """Let go of this thread's connection."""
        held = getattr(self._held, "connection", None)
        if held is not None:
            held.close()
            self._held.connection = None


def read_problem(status: int, headers: HTTPMessage, body: bytes) -> HeldtrueError:
    """The error that a server has told, as the same error that a home on this machine would raise."""
    try:
        told = msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError):
        told = {}
    if "code" not in told:
        return StorageUnavailable(
            f"the server answered {status} and nothing that can be read",
            field="url",
            hint="is this the address of a Heldtrue server?",
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
    """A thin client: every capability by its verb, answers as plain values. `client.aio` is the same for async code.

    The token is the one given, or that of the environment variable HELDTRUE_TOKEN.
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
        """Use a capability by its name, such as `memory.recall`."""
        capability = find_capability(name.removeprefix("memory."))
        if capability is None:
            raise InvalidInput(f"there is no capability {name!r}", field="name", hint="see /openapi.json of the server")
        return msgspec.json.decode(self._remote.use(capability, arguments))

    def follow(self, *, after: str | None = None, names: Sequence[str] | None = None) -> Following[dict[str, Any]]:
        """What happens, event by event, as it happens: after the event of that id, or from now on.

        A connection that breaks is taken up where it was. It ends when it is closed, with the client at the latest.
        """
        following = Following(Stream(self._remote, after, names, msgspec.json.Decoder(dict[str, Any]).decode))
        self._followed.add(following)
        return following

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        capability = find_capability(verb.rstrip("_")) if not verb.startswith("_") else None
        if capability is None:
            raise AttributeError(f"there is no capability {verb!r}")
        places = [one.name for one in capability.parameters if one.positional]

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
        """End what is followed, and let go of this thread's connection."""
        for following in list(self._followed):
            following.close()
        self._remote.close()

    def __enter__(self) -> BrainClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncBrain:
    """The same verbs to be awaited: each is asked in a thread, so that there is one client and no twin of it."""

    def __init__(self, client: BrainClient) -> None:
        self._client = client

    async def follow(
        self, *, after: str | None = None, names: Sequence[str] | None = None
    ) -> AsyncIterator[dict[str, Any]]:
        """What happens, event by event: `async for event in client.aio.follow()`. It begins with the loop."""
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
    """Every capability as it is called here; a Python word has an underscore."""
    from keyword import iskeyword

    return [f"{verb}_" if iskeyword(verb) else verb for verb in verbs()]


def _end_following(opened: Future[Following[Any]]) -> None:
    """Close what was opened, also where nobody waited for it any more."""
    if not opened.cancelled() and opened.exception() is None:
        opened.result().close()
