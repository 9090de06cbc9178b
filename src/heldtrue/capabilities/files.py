"""Read and write files for a caller, without touching the home's own files and without partial files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.file_access import SentFile, resolve_path
from heldtrue.domain.errors import InvalidInput, NotFound, StorageProblem
from heldtrue.domain.exported import ExportHeader
from heldtrue.domain.outside import CopyKind, KnownCopy
from heldtrue.ingest.acts.replay import read_header


def refuse_own(call: Call, target: Path, path: str, field: str) -> None:
    """Refuse the home's own files, under any name."""
    home = call.instance.home
    if home is None:
        return
    try:
        inside = target.resolve().is_relative_to(home.resolve())
        same = target.exists() and any(own.is_file() and own.samefile(target) for own in home.iterdir())
    except (OSError, RuntimeError, ValueError) as problem:
        raise InvalidInput(f"{path} cannot be used: {problem}", field=field, hint="choose another path") from None
    if inside or same:
        raise InvalidInput(f"{path} is inside the home", field=field, hint="choose a path outside the home")


def open_file(call: Call, path: str, *, field: str = "path") -> BinaryIO:
    """Open a caller's file, never one of the home's own: closing a database file would drop SQLite's locks on it."""
    given = resolve_path(call.files, path, field=field)
    try:
        found = given.stat()
        if not stat.S_ISREG(found.st_mode):
            raise InvalidInput(f"{path} is not a regular file", field=field, hint="use a file written by `export`")
        refuse_own(call, given, path, field)
        return given.open("rb")
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise NotFound(f"{path} cannot be read: {why}", field=field) from None


def target_file(call: Call, path: str, overwrite: bool, *, field: str = "path") -> Path:
    """Return the file to write. The home's own files are refused, and an existing file needs `overwrite`."""
    target = resolve_path(call.files, path, field=field)
    check_target(target, path, overwrite, field=field)
    refuse_own(call, target, path, field)
    return target


def check_target(target: Path, path: str, overwrite: bool, *, field: str = "path") -> None:
    """Refuse to write a folder, and an existing file without `overwrite`."""
    try:
        if target.is_dir() or not target.name:
            raise InvalidInput(f"{path} is a folder", field=field, hint="specify the path of a file")
        if target.exists() and not overwrite:
            raise InvalidInput(f"{path} already exists", field=field, hint="choose another name, or use `overwrite`")
    except (OSError, ValueError) as problem:
        raise InvalidInput(f"{path} cannot be written: {problem}", field=field, hint="choose another path") from None


def shown_path(call: Call, path: str, target: Path) -> str:
    """The path to report: the file's path, or the path as given if the file was sent with the request."""
    return path if isinstance(call.files, SentFile) else str(target)


@contextmanager
def whole_file(target: Path, *, field: str = "path") -> Iterator[Path]:
    """Create a temporary file that atomically and durably replaces the target at the end, or is removed on an error.

    Its name cannot be guessed, and nobody else can read it.
    """
    part = target.with_name(f".{target.name[:100]}.{os.urandom(8).hex()}.part")
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(target)
        sync_folder(target.parent)
    except OSError as problem:
        raise StorageProblem(f"{target} cannot be written: {problem.strerror or problem}", field=field) from None
    finally:
        part.unlink(missing_ok=True)


def write_whole(target: Path, lines: Iterator[bytes]) -> ExportHeader:
    """Write an export completely or not at all."""
    first = next(lines)
    header = read_header(first)
    assert header is not None
    with whole_file(target) as part, part.open("wb") as file:
        file.write(first)
        file.writelines(lines)
    return header


def sync_folder(folder: Path) -> None:
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def note_copy(call: Call, target: Path, kind: CopyKind, space_id: str, entries: int) -> None:
    """Remember where a copy is, so that an erasure can name it. A copy that cannot be remembered is still a copy."""
    with suppress(StorageProblem):
        copy = KnownCopy(str(target.absolute()), kind, entries, call.now)
        call.instance.outside.note_copy(space_id, copy)
