"""Remembers for a while that an endpoint failed, in this process and for the next ones.

Without it every command, every hook and every recall would wait for the same dead endpoint again.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from heldtrue.domain.limits import MODEL_REST_SECONDS, OUTAGE_NOTE_BYTES_MAX

_AT_ONCE = getattr(os, "O_NONBLOCK", 0)
"""Opening a file never waits, not even if someone put a pipe in its place."""


class OutageNote(msgspec.Struct, frozen=True):
    """What a process has found out about an endpoint."""

    failed_at: float
    """By the clock that counts from the start of the machine, which all its processes share and nobody sets."""
    reason: str
    """What the endpoint did, as it follows its name in a sentence."""


class Outage:
    """Whether one endpoint failed recently. Threads may share it; with a file, so do processes."""

    def __init__(self, file: Path | None = None, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._file = file
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._note: OutageNote | None = None

    def current(self) -> OutageNote | None:
        """The failure because of which the endpoint is not asked now.

        Once its time is over, the first caller gets None and tries the endpoint; until that caller is back, the others
        are still told of the failure.
        """
        with self._lock:
            note = self._note or self._read()
            if note is None:
                return None
            if 0 <= self.seconds_since(note) < MODEL_REST_SECONDS:
                return note
            self._write(OutageNote(self._monotonic(), note.reason))
            return None

    def seconds_since(self, note: OutageNote) -> float:
        """How long ago a failure was; negative if the machine has been restarted since."""
        return self._monotonic() - note.failed_at

    def begin(self, reason: str) -> None:
        """Note a failure: from now on the endpoint is not asked for a while."""
        with self._lock:
            self._write(OutageNote(self._monotonic(), reason))

    def end(self) -> None:
        """Note an answer: the endpoint works."""
        with self._lock:
            if self._note is None:
                return
            self._note = None
            if self._file is not None:
                with suppress(OSError):
                    self._file.unlink()

    def _read(self) -> OutageNote | None:
        """The note of another process. A file that cannot be read, or is not one of ours, says nothing."""
        if self._file is None:
            return None
        try:
            with os.fdopen(os.open(self._file, os.O_RDONLY | _AT_ONCE), "rb") as file:
                return msgspec.json.decode(file.read(OUTAGE_NOTE_BYTES_MAX), type=OutageNote)
        except (OSError, msgspec.DecodeError, RecursionError):
            return None

    def _write(self, note: OutageNote) -> None:
        self._note = note
        if self._file is None:
            return
        with suppress(OSError):  # a folder that cannot be written costs other processes their wait, and nothing else
            descriptor = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _AT_ONCE, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.encode(note))


def outage_file(home: Path | None, *parts: str) -> Path | None:
    """Where the failures of an endpoint are noted in a home; none for a space in memory."""
    if home is None:
        return None
    name = sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
    return home / f"endpoint-{name}.down"
