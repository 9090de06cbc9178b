"""Files that a caller names: read and written so that no home is harmed and nothing is ever half there."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from heldtrue.capabilities.call import Call
from heldtrue.domain.errors import InvalidInput, NotFound, StorageProblem
from heldtrue.domain.exported import Header
from heldtrue.ingest.replay import read_header


def as_path(path: str, field: str = "path") -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError as problem:
        raise InvalidInput(f"{path}: {problem}", field=field) from None


def refuse_own(call: Call, target: Path, path: str, field: str) -> None:
    """Refuse the files of the home itself, under whatever name."""
    home = call.instance.home
    if home is None:
        return
    inside = target.resolve().is_relative_to(home.resolve())
    same = target.exists() and any(own.is_file() and own.samefile(target) for own in home.iterdir())
    if inside or same:
        raise InvalidInput(f"{path} is inside the home itself", field=field, hint="choose a place outside the home")


def open_file(call: Call, path: str, *, field: str = "path") -> BinaryIO:
    """A file of the caller's, never one of the home's own: closing a database file would drop SQLite's locks on it."""
    given = as_path(path, field)
    try:
        found = given.stat()
        if not stat.S_ISREG(found.st_mode):
            raise InvalidInput(f"{path} is not an ordinary file", field=field, hint="name a file that export wrote")
        refuse_own(call, given, path, field)
        return given.open("rb")
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise NotFound(f"{path} cannot be read: {why}", field=field) from None


def target_file(call: Call, path: str, overwrite: bool) -> Path:
    """The file to write: never one of the home's own, and one that is there already only if that was asked for."""
    target = as_path(path)
    try:
        if target.is_dir() or not target.name:
            raise InvalidInput(f"{path} is a folder", field="path", hint="name the file to write")
        refuse_own(call, target, path, "path")
        if target.exists() and not overwrite:
            raise InvalidInput(f"{path} is there already", field="path", hint="choose another name, or say `overwrite`")
    except (OSError, ValueError) as problem:
        raise InvalidInput(f"{path} cannot be written: {problem}", field="path", hint="choose another place") from None
    return target


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """A file of ours to fill, which then takes the target's place, durably and at once; or nothing is there.

    Its name is one nobody could have laid a trap under, and nobody else can read it.
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
        raise StorageProblem(f"{target} cannot be written: {problem.strerror or problem}", field="path") from None
    finally:
        part.unlink(missing_ok=True)


def write_whole(target: Path, lines: Iterator[bytes]) -> Header:
    """Write an export so that it is either whole or not there."""
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
