"""The files of other programs: read whole, copied before they are changed, and changed all at once or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

import msgspec

from heldtrue.domain.errors import StorageProblem, WrongState

FILE_BYTES_MAX = 32 * 1024 * 1024
_MARK = "\ufeff"
_BACKUP = ".before-heldtrue"
_PRIVATE, _SHARED = 0o600, 0o644


class NotEditable(WrongState):
    """A configuration file is not one that can be edited safely; nothing was changed."""

    code = "not_editable"
    exit_status = 5
    http_status = 409


class ConfigFile(msgspec.Struct, frozen=True):
    """A configuration file as it was found."""

    named: Path
    """Where its program looks for it."""
    path: Path
    """Where it is: links are followed once, here, and told."""
    data: bytes | None
    """What is in it; none where there is no file yet."""
    shared: bool = False
    """Whether it lies in a project, for all who work on it."""

    @property
    def link(self) -> Path | None:
        """What leads elsewhere on the way to it: the file itself, or the nearest of its folders that is a link."""
        return next((one for one in (self.named, *self.named.parents) if one.is_symlink()), None)

    @property
    def text(self) -> str:
        return "" if self.data is None else self.data.decode("utf-8").removeprefix(_MARK)

    @property
    def backup(self) -> Path:
        return self.path.with_name(self.path.name + _BACKUP)

    def encode(self, text: str) -> bytes:
        """A text as the bytes of this file: with its byte order mark, if it has one."""
        return f"{_MARK if self._has_mark else ''}{text}".encode()

    @property
    def _has_mark(self) -> bool:
        return self.data is not None and self.data.startswith(_MARK.encode())


def read_config(named: Path, *, project: Path | None = None) -> ConfigFile:
    """The file that a program reads, links followed; only a plain file of text is taken.

    What lies in a project came from whoever made it: its links are not followed out of the project.
    """
    try:
        path = named.resolve()
        if project is not None and not path.is_relative_to(project.resolve()):
            raise NotEditable(f"{named} leads out of the project, to {path}", field="file", hint=_NO_LINK)
        data = _read_plain(path)
    except (OSError, RuntimeError) as problem:
        raise StorageProblem(f"{named} cannot be read: {getattr(problem, 'strerror', problem)}", field="file") from None
    if data is not None:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as problem:
            line = data.count(b"\n", 0, problem.start) + 1
            raise NotEditable(f"{path} is not UTF-8: line {line}", field="file", hint=_BY_HAND) from None
    return ConfigFile(named, path, data, shared=project is not None)


_NO_LINK = "put a file or folder of the project in the place of the link, and run it again; nothing was changed"
_BY_HAND = "mend the file, or add by hand what --print shows; nothing was changed"


def _read_plain(path: Path) -> bytes | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise NotEditable(f"{path} is no plain file", field="file", hint=_BY_HAND)
    if found.st_size > FILE_BYTES_MAX:
        raise NotEditable(f"{path} is larger than {FILE_BYTES_MAX:,} bytes", field="file", hint=_BY_HAND)
    return path.read_bytes()


def read_backup(file: ConfigFile) -> bytes | None:
    """The copy from before Heldtrue was added, if it is there."""
    try:
        return None if file.backup.is_symlink() else _read_plain(file.backup)
    except (OSError, NotEditable):
        return None


def write_config(file: ConfigFile, data: bytes | None, *, keep_copy: bool, private: bool = False) -> None:
    """Put other bytes in the place of a file, or take it away; as it was found, it is kept beside it first."""
    try:
        if _read_plain(file.path) != file.data:
            raise WrongState(
                f"{file.path} was changed by another program just now",
                field="file",
                hint="run it again; it is as it was",
            )
        mode = stat.S_IMODE(file.path.stat().st_mode) if file.data is not None else None
        mode = mode if mode is not None else _SHARED if file.shared else _PRIVATE
        if keep_copy and file.data is not None:
            _replace(file.backup, file.data, mode)
        if data is None:
            file.path.unlink(missing_ok=True)
        else:
            file.path.parent.mkdir(parents=True, exist_ok=True)
            _replace(file.path, data, mode & _PRIVATE if private else mode)
    except OSError as problem:
        raise StorageProblem(
            f"{file.path} cannot be written: {problem.strerror}", field="file", hint="nothing of it was changed"
        ) from None


def drop_backup(file: ConfigFile) -> None:
    with suppress(OSError):
        file.backup.unlink(missing_ok=True)


def _replace(path: Path, data: bytes, mode: int) -> None:
    """Write beside it, make sure that it is on the disk, and only then let it take the name."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # some systems cannot open a folder; the rename is whole either way
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
