"""The protocol over stdio: one message per line, several at a time, only messages on standard output.

A client starts this process and ends it by closing the pipe. Requests in progress are finished and answered first.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

import msgspec

from heldtrue.domain.limits import MCP_MESSAGE_BYTES_MAX, MCP_WORKERS_MAX
from heldtrue.environment import read_variable
from heldtrue.surfaces.mcp.messages import (
    INVALID_REQUEST,
    Message,
    MessageId,
    ProtocolError,
    encode_error,
    read_message,
)

if TYPE_CHECKING:
    from types import FrameType

    from heldtrue.capabilities.call import Call, Instance
    from heldtrue.domain.principal import Principal
    from heldtrue.surfaces.mcp.tools import Offer

AGENT = "mcp"
"""The agent's name if none is given."""
CHANNEL = "mcp"
CREDENTIAL = "HELDTRUE_TOKEN"
"""The environment variable with the token of the caller."""
_QUICK = frozenset({"initialize", "ping", "server/discover"})
"""Answered at once and in order: they do not use the store."""
_CANCEL = "notifications/cancelled"
_FOR_A_PERSON = (
    "This is an MCP server, waiting for protocol messages. You do not need to start it yourself: after "
    "heldtrue install, the client starts it. Press Ctrl-D to quit."
)

Answer = Callable[[Message, bytes], bytes | None]
"""Answers a message, given as parsed and as raw bytes."""


class StdioSurroundings(msgspec.Struct, frozen=True):
    """The caller on the pipe, its project and its home."""

    home: Path
    agent: str | None = None
    project: str | None = None
    repo: str | None = None
    session: str | None = None
    here: bool = False
    """Whether the project defaults to that of the folder this process was started in."""


def identify_caller(instance: Instance, agent: str | None, token: str | None) -> Principal:
    """The caller on this pipe: the agent named at the start, otherwise the owner of the token.

    Whoever starts this process has access to the home, so an explicit name wins over a token in the environment, which
    may be another agent's. The permissions on the agent's record apply in both cases.

    Read for every message, so that a revoked token or changed permissions take effect at once.
    """
    from heldtrue.access.identity import find_by_token, find_local

    with instance.store.read() as reading:
        if agent is None and token:
            return find_by_token(reading, token).principal
        return find_local(reading, agent or AGENT)


class LocalCaller:
    """Opens the home when the first message needs it; a listing does not create one."""

    def __init__(self, surroundings: StdioSurroundings, token: str | None) -> None:
        self._surroundings = surroundings
        self._token = token
        self._lock = threading.Lock()

    @cached_property
    def _instance(self) -> Instance:
        from heldtrue.wiring.instance import open_instance

        return open_instance(self._surroundings.home)

    def __call__(self) -> Call:
        from heldtrue.capabilities.call import Call
        from heldtrue.surfaces.projects import project_at_work

        around = self._surroundings
        principal = self._identify()
        return Call(
            instance=self._instance,
            principal=principal,
            channel=CHANNEL,
            project=around.project or (project_at_work(principal) if around.here else None),
            repo=around.repo,
            session=around.session,
        )

    def who(self) -> Principal:
        around = self._surroundings
        if not around.home.is_dir():
            # Nobody has a record or a token there: whoever asks will be an agent like any other.
            from heldtrue.domain.principal import new_agent

            return new_agent(around.agent or AGENT)
        return self._identify()

    def _identify(self) -> Principal:
        with self._lock:
            instance = self._instance
        return identify_caller(instance, self._surroundings.agent, self._token)

    def close(self) -> None:
        if "_instance" in self.__dict__:
            self._instance.close()


class Pipe:
    """Reads messages and writes answers, with a few worker threads."""

    def __init__(self, source: BinaryIO, sink: BinaryIO, answer: Answer) -> None:
        self._source = source
        self._sink = sink
        self._answer = answer
        self._writing = threading.Lock()
        self._waiting: deque[tuple[Message, bytes]] = deque()
        self._changed = threading.Condition()
        self._workers: list[threading.Thread] = []
        self._idle = 0
        self._ended = False
        self._cancelled: set[MessageId] = set()
        self._under_way: set[MessageId] = set()

    def serve(self) -> None:
        """Answer until the pipe is closed or a signal arrives; requests in progress are answered first."""
        try:
            with suppress(_Stopped):
                while (line := self._read_line()) is not None:
                    self._take(line)
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()
            for worker in self._workers:
                worker.join()

    def _read_line(self) -> bytes | None:
        """The next line; a line that is too long is cut just above the limit. None at the end."""
        line = self._source.readline(MCP_MESSAGE_BYTES_MAX + 2)
        if not line:
            return None
        rest = line
        while not rest.endswith(b"\n") and (rest := self._source.readline(MCP_MESSAGE_BYTES_MAX)):
            pass
        return line.strip()

    def _take(self, line: bytes) -> None:
        if not line:
            return
        try:
            message = read_message(line)
            if message is not None:
                self._sort(message, line)
        except ProtocolError as problem:
            self._write(encode_error(problem))

    def _sort(self, message: Message, line: bytes) -> None:
        if message.id is None:
            if message.method == _CANCEL:
                self._cancel(message.params.get("requestId"))
            else:
                self._answer(message, line)
        elif message.method in _QUICK:
            self._write(self._answer(message, line))
        else:
            self._queue(message, line)

    def _queue(self, message: Message, line: bytes) -> None:
        assert message.id is not None
        with self._changed:
            if message.id in self._under_way:
                raise ProtocolError(INVALID_REQUEST, "a request with this id is still in progress", reply_to=message.id)
            self._under_way.add(message.id)
            self._waiting.append((message, line))
            if self._idle < len(self._waiting) and len(self._workers) < MCP_WORKERS_MAX:
                worker = threading.Thread(target=self._work, name=f"mcp-{len(self._workers)}", daemon=True)
                self._workers.append(worker)
                worker.start()
            self._changed.notify()

    def _cancel(self, message_id: object) -> None:
        """Cancel a request: do not start it, or drop its answer. Changes it already made stay."""
        with self._changed:
            if isinstance(message_id, str | int) and message_id in self._under_way:
                self._cancelled.add(message_id)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                while not self._waiting and not self._ended:
                    self._changed.wait()
                self._idle -= 1
                if not self._waiting:
                    return
                message, line = self._waiting.popleft()
                is_wanted = message.id not in self._cancelled
            answer = self._answer(message, line) if is_wanted else None
            with self._changed:
                assert message.id is not None
                self._under_way.discard(message.id)
                is_wanted = message.id not in self._cancelled
                self._cancelled.discard(message.id)
            if is_wanted:
                self._write(answer)

    def _write(self, answer: bytes | None) -> None:
        if answer is None:
            return
        # Whoever does not listen any more has closed the other half too: reading ends by itself.
        with self._writing, suppress(BrokenPipeError):
            self._sink.write(answer + b"\n")
            self._sink.flush()


class _Stopped(BaseException):
    """A signal arrived: stop reading."""


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    # Whoever asks twice is not kept waiting for what is under way.
    signal.signal(number, signal.SIG_DFL)
    raise _Stopped


def take_pipe() -> tuple[BinaryIO, BinaryIO]:
    """Reserve standard input and output for messages; other output of this process goes to standard error."""
    source, sink = os.dup(sys.stdin.fileno()), os.dup(sys.stdout.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return os.fdopen(source, "rb"), os.fdopen(sink, "wb")


def run_stdio(surroundings: StdioSurroundings, *, tools: Offer = "default", url: str | None = None) -> int:
    """Serve one client on standard input and output until it disconnects; with `url`, forward to that service."""
    if sys.stdin.isatty():
        print(_FOR_A_PERSON, file=sys.stderr)
    with suppress(_Stopped):
        signal.signal(signal.SIGTERM, _stop)
        signal.signal(signal.SIGINT, _stop)
        if url is not None:
            from heldtrue.surfaces.mcp.forward import Forwarder

            forwarder = Forwarder(url, read_variable(CREDENTIAL))
            Pipe(*take_pipe(), forwarder.answer).serve()
        else:
            _serve_home(surroundings, tools)
    return 0


def _serve_home(surroundings: StdioSurroundings, tools: Offer) -> None:
    from heldtrue.surfaces.mcp.server import McpServer

    server, caller = McpServer(tools), LocalCaller(surroundings, read_variable(CREDENTIAL))
    try:
        Pipe(*take_pipe(), lambda message, _line: server.answer(message, caller)).serve()
    finally:
        caller.close()
