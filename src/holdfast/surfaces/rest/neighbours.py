"""Which servers serve a home: each leaves a note there that counts for as long as its process lives."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec

try:
    import fcntl
except ImportError:  # Windows: nobody can tell there whose process still lives, so nobody is named.
    fcntl = None  # type: ignore[assignment]

FOLDER = "serving"


class Neighbour(msgspec.Struct, frozen=True):
    """A server that serves the same home."""

    url: str
    pid: int


class Notice:
    """The note of one server. It is locked until it is taken down or its process ends, however that ends."""

    def __init__(self, home: Path, own: Neighbour) -> None:
        folder = home / FOLDER
        # Not by the process alone: in containers that share a home each may be the first.
        self._path = folder / f"{own.pid}-{os.urandom(4).hex()}.json"
        self._file: int | None = None
        self._home = home
        # It is no more than a courtesy: a home whose folder cannot be written in is served all the same.
        with suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            making = self._path.with_suffix(".new")
            self._file = os.open(making, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_TRUNC, 0o600)
            if fcntl is not None:
                fcntl.flock(self._file, fcntl.LOCK_EX)
            os.write(self._file, msgspec.json.encode(own))
            # Seen by others only now that it is locked: one that is not counts as left behind.
            making.replace(self._path)

    def others(self) -> list[Neighbour]:
        """The other servers that serve the home now."""
        return find_neighbours(self._home, but=self._path)

    def take_down(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._path.unlink()
            os.close(self._file)
            self._file = None


def find_neighbours(home: Path, *, but: Path | None = None) -> list[Neighbour]:
    """The servers that serve a home now; notes that were left behind are cleared away."""
    found = []
    for path in sorted((home / FOLDER).glob("*.json")):
        if path == but:
            continue
        with suppress(OSError, msgspec.DecodeError):
            if _is_held(path):
                found.append(msgspec.json.decode(path.read_bytes(), type=Neighbour))
            else:
                path.unlink()
    return found


def _is_held(path: Path) -> bool:
    """Whether the process that wrote a note still lives."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False
