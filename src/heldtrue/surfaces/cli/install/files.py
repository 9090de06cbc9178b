"""The configuration files of other programs: copied before a change, and replaced atomically."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

import msgspec

from heldtrue.domain.errors import StorageProblem, WrongState
from heldtrue.domain.limits import INSTALL_FILE_BYTES_MAX

_MARK = "\ufeff"
_BACKUP = ".before-heldtrue"
_PRIVATE, _SHARED = 0o600, 0o644


class NotEditable(WrongState):
    """A configuration file cannot be edited safely; nothing was changed."""

    code = "not_editable"
    exit_status = 5
    http_status = 409


class ConfigFile(msgspec.Struct, frozen=True):
    """A configuration file as it was read."""

    named: Path
    """The path that its program uses."""
    path: Path
    """The real path, with links resolved."""
    data: bytes | None
    """Its content; None if there is no file."""
    shared: bool = False
    """Whether it belongs to a project and is shared."""

    @property
    def link(self) -> Path | None:
        """What leads elsewhere on the way to it: the file itself, or the nearest of its folders that is a link."""
        return next((path for path in (self.named, *self.named.parents) if path.is_symlink()), None)

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
            raise NotEditable(
                f"because of a symbolic link, {named} is outside the project, at {path}", field="file", hint=_NO_LINK
            )
        data = _read_plain(path)
    except (OSError, RuntimeError) as problem:
        raise StorageProblem(f"{named} cannot be read: {getattr(problem, 'strerror', problem)}", field="file") from None
    if data is not None:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as problem:
            line = data.count(b"\n", 0, problem.start) + 1
            raise NotEditable(f"{path} is not valid UTF-8 in line {line}", field="file", hint=_BY_HAND) from None
    return ConfigFile(named, path, data, shared=project is not None)


_NO_LINK = "nothing was changed; replace the link with a file or folder inside the project, then run the command again"
_BY_HAND = "nothing was changed; fix the file, or add the output of --print to it by hand"


def _read_plain(path: Path) -> bytes | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise NotEditable(f"{path} is not a regular file", field="file", hint=_BY_HAND)
    if found.st_size > INSTALL_FILE_BYTES_MAX:
        raise NotEditable(f"{path} is larger than {INSTALL_FILE_BYTES_MAX:,} bytes", field="file", hint=_BY_HAND)
    return path.read_bytes()


def read_backup(file: ConfigFile) -> bytes | None:
    """The backup from before Heldtrue was added, if there is one."""
    try:
        return None if file.backup.is_symlink() else _read_plain(file.backup)
    except (OSError, NotEditable):
        return None


def write_config(file: ConfigFile, data: bytes | None, *, keep_copy: bool, private: bool = False) -> None:
    """Replace or delete a file, after a backup of it was written beside it."""
    try:
        if _read_plain(file.path) != file.data:
            raise WrongState(
                f"{file.path} was just changed by another program",
                field="file",
                hint="the file was not changed; run the command again",
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
            f"{file.path} cannot be written: {problem.strerror}", field="file", hint="the file was not changed"
        ) from None


def drop_backup(file: ConfigFile) -> None:
    with suppress(OSError):
        file.backup.unlink(missing_ok=True)


def _replace(path: Path, data: bytes, mode: int) -> None:
    """Write a temporary file, flush it to disk, and rename it."""
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
