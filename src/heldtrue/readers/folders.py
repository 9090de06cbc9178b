"""A folder as feeds: in a stable order, within limits, and never out of the folder through a link."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from heldtrue.domain.errors import InvalidInput, NotFound, TooLarge
from heldtrue.domain.limits import FOLDER_ENTRIES_MAX, READ_BYTES_MAX, READ_NESTING_MAX
from heldtrue.readers.feeds import Feed, Meter
from heldtrue.readers.passing import ENVIRONMENT_MARK, pass_file, pass_folder
from heldtrue.readers.plain import moment_of_ns
from heldtrue.readers.values import Skipped

BytesMax = Callable[[str], int]
"""The maximum size of a file, by its name."""
_BY_FOLDER = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
# A pipe that stands where a file is expected must not make us wait.
_FILE_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)


@dataclass
class _Walk:
    """The options of a walk, and its progress."""

    bytes_max: BytesMax
    shown: frozenset[str]
    meter: Meter
    entries: int = 0
    total: int = 0

    def count(self, size: int = 0) -> None:
        self.entries += 1
        self.total += size
        if self.entries > FOLDER_ENTRIES_MAX:
            raise TooLarge(
                f"the folder contains more than {FOLDER_ENTRIES_MAX:,} files and folders",
                field="path",
                hint="choose a subfolder",
            )
        if self.total > READ_BYTES_MAX:
            raise TooLarge(
                f"the folder contains more than {READ_BYTES_MAX:,} bytes", field="path", hint="choose a subfolder"
            )


def walk_folder(
    root: Path, *, bytes_max: BytesMax, meter: Meter, shown: frozenset[str] = frozenset()
) -> Iterator[Feed | Skipped]:
    """The files of a folder by name, and skipped entries. A folder that is too large is refused before it is read.

    Each feed is to be read before the next is asked for: its folder is open only that long.
    """
    for _ in _walk(root, _Walk(bytes_max, shown, meter)):
        pass
    yield from _walk(root, _Walk(bytes_max, shown, meter))


def _walk(root: Path, walk: _Walk) -> Iterator[Feed | Skipped]:
    try:
        handle = os.open(root, _FOLDER_FLAGS)
    except (OSError, ValueError) as problem:
        raise NotFound(
            f"{root} cannot be read: {getattr(problem, 'strerror', None) or problem}", field="path"
        ) from None
    try:
        yield from _walk_open(handle, root, "", walk, 1)
    except OSError as problem:
        raise NotFound(f"{root} cannot be listed: {problem.strerror or problem}", field="path") from None
    finally:
        os.close(handle)


def _walk_open(handle: int, folder: Path, prefix: str, walk: _Walk, depth: int) -> Iterator[Feed | Skipped]:
    """The entries of an open folder; its path is used only where a system cannot open from a handle."""
    for entry in _list(handle, folder):
        path = prefix + _readable(entry.name)
        if entry.is_symlink():
            walk.count()
            yield Skipped(path=path, reason="symbolic links are not followed")
        elif entry.is_dir(follow_symlinks=False):
            walk.count()
            yield from _enter(handle, folder, entry.name, path, walk, depth)
        else:
            yield _take_file(handle, folder, entry, path, walk)


def _list(handle: int, folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(handle if _BY_FOLDER else folder) as found:
        entries = []
        for entry in found:
            entries.append(entry)
            if len(entries) > FOLDER_ENTRIES_MAX:
                break  # the count refuses it; the rest need not be held
        return sorted(entries, key=lambda entry: entry.name)


def _enter(handle: int, folder: Path, name: str, path: str, walk: _Walk, depth: int) -> Iterator[Feed | Skipped]:
    reason = pass_folder(name, walk.shown)
    if reason is None and depth >= READ_NESTING_MAX:
        reason = f"folders are nested deeper than {READ_NESTING_MAX} levels"
    if reason is not None:
        yield Skipped(path=path, reason=reason)
        return
    try:
        inner = _open_at(handle, folder, name, _FOLDER_FLAGS | _NO_LINKS)
    except OSError as problem:
        yield Skipped(path=path, reason=f"it cannot be opened: {problem.strerror}")
        return
    try:
        if _is_environment(inner, folder / name):
            yield Skipped(path=path, reason="a virtual environment")
        else:
            yield from _walk_open(inner, folder / name, f"{path}/", walk, depth + 1)
    except OSError as problem:
        yield Skipped(path=path, reason=f"it cannot be listed: {problem.strerror}")
    finally:
        os.close(inner)


def _is_environment(handle: int, folder: Path) -> bool:
    try:
        os.close(_open_at(handle, folder, ENVIRONMENT_MARK, _FILE_FLAGS | _NO_LINKS))
    except OSError:
        return False
    return True


def _take_file(handle: int, folder: Path, entry: os.DirEntry[str], path: str, walk: _Walk) -> Feed | Skipped:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError as problem:
        walk.count()
        return Skipped(path=path, reason=f"it cannot be accessed: {problem.strerror}")
    reason = pass_file(path, walk.shown)
    if reason is None and not stat.S_ISREG(found.st_mode):
        reason = "not a regular file"
    if reason is None and found.st_size > walk.bytes_max(path):
        reason = f"it is larger than {walk.bytes_max(path):,} bytes"
    if reason is not None:
        walk.count()
        return Skipped(path=path, reason=reason)
    walk.count(found.st_size)
    opener = partial(_open_file, handle, folder, entry.name)
    return Feed(path, found.st_size, moment_of_ns(found.st_mtime_ns), opener, walk.meter)


def _open_file(handle: int, folder: Path, name: str) -> BinaryIO:
    opened = _open_at(handle, folder, name, _FILE_FLAGS | _NO_LINKS)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise OSError("it is not a regular file")
    return open(opened, "rb")  # noqa: PTH123 - an open file has no path


def _open_at(handle: int, folder: Path, name: str, flags: int) -> int:
    return os.open(name, flags, dir_fd=handle) if _BY_FOLDER else os.open(folder / name, flags)


def _readable(name: str) -> str:
    """A file name for display: undecodable bytes are replaced."""
    return os.fsencode(name).decode("utf-8", "replace")


def open_single(path: Path, meter: Meter) -> Feed:
    """One file that the caller named; a link is followed, because the caller chose it."""
    try:
        found = path.stat()
    except (OSError, ValueError) as problem:
        raise NotFound(
            f"{path} cannot be read: {getattr(problem, 'strerror', None) or problem}", field="path"
        ) from None
    if not stat.S_ISREG(found.st_mode):
        raise InvalidInput(f"{path} is not a regular file", field="path", hint="choose a file, a folder or a zip file")
    if found.st_size > READ_BYTES_MAX:
        raise TooLarge(f"{path} is larger than {READ_BYTES_MAX:,} bytes", field="path", hint="split it")
    return Feed(_readable(path.name), found.st_size, moment_of_ns(found.st_mtime_ns), lambda: path.open("rb"), meter)
