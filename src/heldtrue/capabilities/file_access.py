"""Which files a call may use: any on this machine, those in a server's files folder, or the file that it sent."""

from __future__ import annotations

from pathlib import Path

import msgspec

from heldtrue.domain.errors import InvalidInput, NotAllowed


class AnyPath(msgspec.Struct, frozen=True):
    """A process on this machine: the system decides what its user may read and write."""


class PathsBelow(msgspec.Struct, frozen=True):
    """A service that uses only files inside the folder in its settings."""

    folder: Path


class NoPath(msgspec.Struct, frozen=True):
    """A service without a files folder in its settings."""


class SentFile(msgspec.Struct, frozen=True):
    """A file that was sent with a request, or is sent back in the response.

    The `path` in the request is only the file's name.
    """

    path: Path


FileAccess = AnyPath | PathsBelow | NoPath | SentFile
ANY_PATH = AnyPath()
NO_PATH = NoPath()


def resolve_path(access: FileAccess, path: str, *, field: str = "path") -> Path:
    """Return the file that a caller's path refers to, or refuse it."""
    try:
        match access:
            case AnyPath():
                return Path(path).expanduser()
            case SentFile():
                return access.path
            case PathsBelow():
                return _below(access.folder, path, field)
            case NoPath():
                raise NotAllowed(
                    "this server does not read or write files on its own machine",
                    field=field,
                    hint="send the file with the request (/v1/files), or set server.files to a folder",
                )
    except (RuntimeError, ValueError, OSError) as problem:
        raise InvalidInput(f"{path}: {problem}", field=field) from None


def _below(folder: Path, path: str, field: str) -> Path:
    # Links are followed before it is decided: one that leads out of the folder is refused.
    root = folder.resolve()
    found = (root / path).resolve()
    if not found.is_relative_to(root):
        raise NotAllowed(
            f"{path} is not inside this server's files folder",
            field=field,
            hint="use a path inside the folder set in `server.files`",
        )
    return found
