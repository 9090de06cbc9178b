"""Find the servers of a home: each writes a note there that is valid while its process lives."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path

import msgspec

from heldtrue.domain.limits import SERVER_NOTE_BYTES_MAX

try:
    import fcntl
except ImportError:  # Windows: nobody can tell there whose process still lives, so nobody is named.
    fcntl = None  # type: ignore[assignment]

FOLDER = "serving"
_OURS = re.compile(r"\d{1,10}-[0-9a-f]{8}\.json")


class OtherServer(msgspec.Struct, frozen=True):
    """A server of the same home."""

    url: str
    pid: int


class Notice:
    """The note of one server. It is locked until it is removed or its process ends."""

    def __init__(self, home: Path, server: OtherServer) -> None:
        folder = home / FOLDER
        # Not by the process alone: in containers that share a home each may be the first.
        self._path = folder / f"{server.pid}-{os.urandom(4).hex()}.json"
        self._file: int | None = None
        self._home = home
        if folder.is_symlink():
            return
        # It is no more than a courtesy: a home whose folder cannot be written in is served all the same.
        with suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            making = self._path.with_suffix(".new")
            self._file = os.open(making, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_TRUNC, 0o600)
            if fcntl is not None:
                fcntl.flock(self._file, fcntl.LOCK_EX)
            os.write(self._file, msgspec.json.encode(server))
            # Seen by others only now that it is locked: one that is not counts as left behind.
            making.replace(self._path)

    def others(self) -> list[OtherServer]:
        """The other servers of the home."""
        return find_neighbours(self._home, but=self._path)

    def take_down(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._path.unlink()
            os.close(self._file)
            self._file = None


def find_neighbours(home: Path, *, but: Path | None = None) -> list[OtherServer]:
    """The running servers of a home; notes of dead processes are removed.

    A home may be untrusted: no link out of it is followed, and only notes are read or removed.
    """
    folder = home / FOLDER
    if folder.is_symlink() or not hasattr(os, "O_NOFOLLOW"):
        return []
    found = []
    for path in sorted(folder.glob("*.json")):
        if path == but or not _OURS.fullmatch(path.name):
            continue
        with suppress(OSError, msgspec.DecodeError):
            note = _read_held(path)
            if note is None:
                path.unlink()
            else:
                found.append(msgspec.json.decode(note, type=OtherServer))
    return found


def _read_held(path: Path) -> bytes | None:
    """A note whose process still lives; None otherwise."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(f"{path.name} is not a file")
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(file, SERVER_NOTE_BYTES_MAX)
    finally:
        os.close(file)
    return None
