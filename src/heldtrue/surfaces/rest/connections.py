"""Who may stay connected: connections without a token are few and short, and files are kept free for the database."""

from __future__ import annotations

import errno
import logging
import os
import socket
import weakref
from contextlib import suppress
from typing import Protocol

import msgspec

from heldtrue.domain.errors import StorageUnavailable
from heldtrue.domain.limits import (
    BACKLOG_MAX,
    CONNECTIONS_MAX,
    CONNECTIONS_MIN,
    FILES_FREE_MIN,
    FILES_MIN,
    THREAD_FILES_FREE_MIN,
    UNKNOWN_CONNECTIONS_MAX,
)

_EXHAUSTED = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))
_ACCEPT_SHARE = 4
"""Which part of the unknown connections is accepted before those that were accepted before are read."""
_LOG = logging.getLogger("heldtrue.server")


class ConnectionLimits(msgspec.Struct, frozen=True):
    """How many connections a server holds."""

    all: int
    unknown: int
    """Of those, the ones on which nobody has shown a token."""

    @property
    def accepted_at_once(self) -> int:
        return max(1, self.unknown // _ACCEPT_SHARE)


def choose_limits(threads: int) -> ConnectionLimits:
    """As many connections as leave the database its files; the limit of the process is raised where that is allowed."""
    reserved = FILES_FREE_MIN + THREAD_FILES_FREE_MIN * threads
    files = _raise_file_limit(CONNECTIONS_MAX + reserved)
    if files < FILES_MIN:
        raise StorageUnavailable(
            f"this process may open only {files} files, but the server needs at least {FILES_MIN}",
            hint="raise the limit with `ulimit -n`, or with LimitNOFILE in the service unit",
        )
    most = max(CONNECTIONS_MIN, min(CONNECTIONS_MAX, files - reserved))
    return ConnectionLimits(most, min(UNKNOWN_CONNECTIONS_MAX, most // 2))


def _raise_file_limit(wanted: int) -> int:
    """How many files this process may open."""
    try:
        import resource
    except ImportError:  # not on Windows, whose sockets are not files
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft != unlimited and soft < wanted:
        soft = wanted if hard == unlimited else min(wanted, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return wanted if soft == unlimited else soft


class Guest(Protocol):
    """A connection as the door sees it."""

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered on it."""

    def cut(self) -> None:
        """Close it at once."""


class Door:
    """Knows all connections. Only the event loop uses it."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._unknown: dict[Guest, None] = {}
        """Oldest first."""

    def take_in(self, connection: socket.socket) -> None:
        """Count a connection that was accepted."""
        self._sockets.add(connection)

    def enter(self, guest: Guest) -> None:
        """A connection on which nothing was said yet. The oldest idle ones make room for it."""
        self._unknown[guest] = None
        if len(self._unknown) > self.limits.unknown:
            self.make_room()

    def know(self, guest: Guest) -> None:
        """A token was shown on it."""
        self._unknown.pop(guest, None)

    leave = know

    @property
    def is_full(self) -> bool:
        return sum(connection.fileno() >= 0 for connection in self._sockets) >= self.limits.all

    def make_room(self) -> bool:
        """Cut the oldest idle connection without a token. Returns whether there was one."""
        for guest in self._unknown:
            if guest.is_idle:
                del self._unknown[guest]
                guest.cut()
                return True
        return False


class Listener(socket.socket):
    """A listening socket that accepts only what there is room for.

    asyncio calls `accept` until it would block, and writes a traceback for each call that finds no file left.
    """

    door: Door | None = None
    _spare: int | None = None
    """A file that is given up for a moment, so that a connection can be accepted in order to be closed."""

    def guard(self, door: Door) -> None:
        """From now on, let the door decide."""
        self.door = door
        self._spare = os.open(os.devnull, os.O_RDONLY)

    def listen(self, _backlog: int = BACKLOG_MAX, /) -> None:
        """Listen with room for those that wait; asyncio gives the number of those that it accepts at once."""
        super().listen(BACKLOG_MAX)

    def accept(self) -> tuple[socket.socket, object]:
        door = self.door
        if door is None:
            return super().accept()
        if door.is_full:
            # What is cut gives back its file when the event loop comes round; until then, the new one waits.
            if not door.make_room():
                self._turn_away("too many connections")
            raise BlockingIOError
        try:
            connection, address = super().accept()
        except OSError as problem:
            if problem.errno not in _EXHAUSTED:
                raise
            door.make_room()
            self._turn_away("the process has no free file descriptor for a connection")
            raise BlockingIOError from None
        door.take_in(connection)
        return connection, address

    def _turn_away(self, why: str) -> None:
        """Accept one connection and close it: left waiting, it would keep the event loop busy."""
        _LOG.warning(why)
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None
        with suppress(OSError):
            super().accept()[0].close()
        with suppress(OSError):
            self._spare = os.open(os.devnull, os.O_RDONLY)
