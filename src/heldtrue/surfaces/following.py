"""Follow events: in pages from a home, or as a stream from a server, none lost and none repeated."""

from __future__ import annotations

import http.client
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar
from urllib.parse import urlencode

from heldtrue.access.rates import TooOften
from heldtrue.domain.errors import HeldtrueError
from heldtrue.domain.limits import (
    EVENTS_MAX,
    EVENTS_POLL_SECONDS,
    RECONNECT_SECONDS_DEFAULT,
    RECONNECT_SECONDS_MAX,
    STREAM_CONNECT_SECONDS_MAX,
    STREAM_QUIET_SECONDS_MAX,
)

if TYPE_CHECKING:
    from heldtrue.capabilities.following import Event, EventsAnswer

Told = TypeVar("Told")
Has = TypeVar("Has", covariant=True)
Watcher = Callable[[HeldtrueError | None], None]
"""Called with the reason when a connection is lost, and with None when it is back."""
_DOUBLINGS = 10
_PATH, _MEDIA_TYPE = "/v1/events", "text/event-stream"
_OK, _TOO_OFTEN, _OF_SERVER = 200, 429, 500


class EventSource(Protocol[Has]):
    """A source of events."""

    def more(self) -> Sequence[Has]:
        """The events since the last call; it may wait for some, and can return none."""

    def end(self) -> None:
        """Close the source; a `more` that another thread waits in returns."""

    def watch(self, watcher: Watcher) -> None:
        """Report when the connection is lost, and when it is back."""


class Following(Generic[Told]):
    """Iterates over events as they happen, until it is closed; `after=event.id` continues after an event."""

    def __init__(self, source: EventSource[Told]) -> None:
        self._source = source
        self._ready: deque[Told] = deque()
        self._closed = threading.Event()

    def __iter__(self) -> Following[Told]:
        return self

    def __next__(self) -> Told:
        while not self._closed.is_set():
            if self._ready:
                return self._ready.popleft()
            try:
                self._ready.extend(self._source.more())
            except BaseException as problem:
                is_over = self._closed.is_set()
                self.close()
                # A memory that is closed while it is asked cannot answer, and need not.
                if not is_over or not isinstance(problem, HeldtrueError):
                    raise
        raise StopIteration

    def watch(self, watcher: Watcher) -> None:
        """Have `watcher` called when the connection to a server is lost, and when it is back."""
        self._source.watch(watcher)

    def close(self) -> None:
        """Stop following. This can be called from any thread; a loop that is waiting for an event ends at once."""
        self._closed.set()
        self._source.end()

    def __enter__(self) -> Following[Told]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Pages:
    """Events of a home on this machine."""

    def __init__(self, ask: Callable[[str | None], EventsAnswer], after: str | None) -> None:
        self._ask = ask
        self._ended = threading.Event()
        # Asked at once: a mistake is told before the loop begins, and what happens from here on is not missed.
        first = ask(after)
        self._first = first.items if after is not None else []
        self._cursor = first.next_cursor

    def more(self) -> Sequence[Event]:
        if self._first:
            events, self._first = self._first, []
            return events
        page = self._ask(self._cursor)
        if not page.items and not is_full(self._cursor, page.next_cursor):
            self._ended.wait(EVENTS_POLL_SECONDS)
        self._cursor = page.next_cursor
        return page.items

    def end(self) -> None:
        self._ended.set()

    def watch(self, watcher: Watcher) -> None:
        """There is no connection to lose."""


def is_full(before: str, after: str) -> bool:
    """Whether a page of events is full, so that there may be more already."""
    return _steps(after) - _steps(before) >= EVENTS_MAX


def _steps(cursor: str) -> int:
    return sum(int(number or 0) for number in cursor.split("."))


class StreamServer(Protocol):
    """A server that a stream is read from."""

    def new_connection(self, timeout_seconds: float) -> http.client.HTTPConnection:
        """A new connection for the caller, not open yet."""

    def open_stream(
        self, connection: http.client.HTTPConnection, path: str, headers: Mapping[str, str], *, quiet_seconds: float
    ) -> http.client.HTTPResponse:
        """The streaming response to a GET; it fails after too long without data."""

    def read_refusal(self, response: http.client.HTTPResponse) -> HeldtrueError:
        """The error that a response reports."""

    def unreachable(self, problem: Exception) -> HeldtrueError:
        """The error for a failed connection."""


class Stream(Generic[Told]):
    """Events of a server. After a lost connection it continues after the last event."""

    def __init__(
        self, remote: StreamServer, after: str | None, names: Iterable[str] | None, read: Callable[[bytes], Told]
    ) -> None:
        query = urlencode([("names", name) for name in names or ()])
        self._path = f"{_PATH}?{query}" if query else _PATH
        self._remote = remote
        self._read = read
        self._last = after
        self._wait_seconds = RECONNECT_SECONDS_DEFAULT
        self._failures = 0
        self._told: Watcher | None = None
        self._ended = threading.Event()
        self._busy = threading.Lock()
        self._connection: http.client.HTTPConnection | None = None
        self._response: http.client.HTTPResponse | None = None
        self._begin()

    def _begin(self) -> None:
        """Connect, and wait for the first message: it has the start position, so that no later event is missed."""
        try:
            self._connect()
            self._next_message()
        except _Passing as problem:
            self._drop()
            raise problem.told from problem
        except BaseException:
            self._drop()
            raise

    def more(self) -> Sequence[Told]:
        try:
            with self._busy:
                return self._more() if not self._ended.is_set() else []
        finally:
            if self._ended.is_set():
                self._let_go()

    def _more(self) -> Sequence[Told]:
        try:
            if self._response is None:
                self._drop()
                self._connect()
            return self._next_message()
        except _Passing as problem:
            self._drop()
            self._pause_after(problem.told)
            return []

    def end(self) -> None:
        self._ended.set()
        if (connection := self._connection) is not None:
            _hang_up(connection)
        self._let_go()

    def _let_go(self) -> None:
        """Close the connection, unless another thread is reading: that thread sees its end and closes it."""
        if self._busy.acquire(blocking=False):
            try:
                self._drop()
            finally:
                self._busy.release()

    def _connect(self) -> None:
        headers = {"Accept": _MEDIA_TYPE} | ({"Last-Event-ID": self._last} if self._last is not None else {})
        try:
            connection = self._connection = self._remote.new_connection(STREAM_CONNECT_SECONDS_MAX)
            response = self._remote.open_stream(connection, self._path, headers, quiet_seconds=STREAM_QUIET_SECONDS_MAX)
            problem = None if _is_stream(response) else self._remote.read_refusal(response)
        except (OSError, http.client.HTTPException) as broken:
            raise _Passing(self._remote.unreachable(broken)) from broken
        if problem is not None:
            may_pass = response.status == _TOO_OFTEN or response.status >= _OF_SERVER
            raise _Passing(problem) if may_pass else problem
        self._response = response
        if self._failures:
            self._tell(None)
        self._failures = 0

    def _next_message(self) -> list[Told]:
        """The event of the next message; None if it only has a position, or if the stream has ended."""
        response = self._response
        if response is None:
            return []
        message = _Message()
        try:
            while (line := response.readline()) and line.strip(b"\r\n"):
                message.take(line.rstrip(b"\r\n"))
        except (OSError, http.client.HTTPException, ValueError) as broken:
            raise _Passing(self._remote.unreachable(broken)) from broken
        if not line:
            # A message that the stream ended in is asked for again.
            self._response = None
            self._pause(self._wait_seconds)
            return []
        self._wait_seconds = message.wait_seconds or self._wait_seconds
        if not message.data:
            # A cursor without an event is where the stream begins; it counts only for a client that had none yet.
            self._last = self._last or message.id
            return []
        self._last = message.id or self._last
        return [self._read(b"\n".join(message.data))]

    def _pause_after(self, problem: HeldtrueError) -> None:
        seconds = self._wait_seconds * 2 ** min(self._failures, _DOUBLINGS)
        if isinstance(problem, TooOften):
            seconds = max(seconds, problem.retry_after_seconds)
        if not self._failures:
            self._tell(problem)
        self._failures += 1
        self._pause(seconds)

    def watch(self, watcher: Watcher) -> None:
        self._told = watcher

    def _tell(self, problem: HeldtrueError | None) -> None:
        if self._told is not None:
            self._told(problem)

    def _pause(self, seconds: float) -> None:
        self._ended.wait(min(seconds, RECONNECT_SECONDS_MAX))

    def _drop(self) -> None:
        if (connection := self._connection) is not None:
            connection.close()
        self._connection = self._response = None


class _Passing(Exception):
    """A failure that may be temporary."""

    def __init__(self, error: HeldtrueError) -> None:
        super().__init__(error.message)
        self.told = error


class _Message:
    """One message of a stream, line by line."""

    def __init__(self) -> None:
        self.id: str | None = None
        self.data: list[bytes] = []
        self.wait_seconds: float | None = None

    def take(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"id" and b"\0" not in value:
            self.id = value.decode("utf-8", "replace")
        elif name == b"data":
            self.data.append(value)
        elif name == b"retry" and value.isdigit():
            self.wait_seconds = int(value) / 1000


def _is_stream(response: http.client.HTTPResponse) -> bool:
    return response.status == _OK and response.headers.get_content_type() == _MEDIA_TYPE


def _hang_up(connection: http.client.HTTPConnection) -> None:
    """Shut down a connection that another thread may be reading from; that thread sees its end."""
    line: socket.socket | None = connection.sock
    if line is not None:
        with suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)
