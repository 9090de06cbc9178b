"""A zip as feeds: its members are streamed, never unpacked to disk, and suspicious ones are skipped."""

from __future__ import annotations

import stat
import struct
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, cast

from heldtrue.domain.errors import InvalidInput, TooLarge
from heldtrue.domain.limits import (
    ARCHIVE_DIRECTORY_BYTES_MAX,
    ARCHIVE_RATIO_MAX,
    ARCHIVE_SMALL_BYTES,
    FOLDER_ENTRIES_MAX,
    READ_BYTES_MAX,
)
from heldtrue.readers.feeds import DAMAGE, Feed, Meter
from heldtrue.readers.folders import BytesMax
from heldtrue.readers.passing import pass_member
from heldtrue.readers.values import Skipped

ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06")
_END, _END_64, _LOCATOR_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_END_BYTES, _LOCATOR_BYTES, _COMMENT_BYTES = 22, 20, 65_535
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def walk_archive(
    path: Path, *, bytes_max: BytesMax, meter: Meter, shown: frozenset[str] = frozenset()
) -> Iterator[Feed | Skipped]:
    """The members of a zip by name, and skipped ones. An archive that is too large is refused at once."""
    try:
        with path.open("rb") as file:
            _check_directory(file, path)
            with zipfile.ZipFile(file) as archive:
                members = _check_members(archive, path)
                for member in sorted(members, key=lambda member: member.filename):
                    if member.filename.endswith("/") and not member.file_size:
                        continue  # nothing is in it
                    yield _take_member(archive, member, bytes_max, meter, shown)
    except DAMAGE as problem:
        why = getattr(problem, "strerror", None) or problem
        raise InvalidInput(f"{path} is not a readable archive: {why}", field="path") from None


def _check_directory(file: BinaryIO, path: Path) -> None:
    """Refuse a list of members that is too long, before it is read."""
    size = file.seek(0, 2)
    tail_bytes = min(size, _END_BYTES + _COMMENT_BYTES + _LOCATOR_BYTES)
    file.seek(size - tail_bytes)
    tail = file.read(tail_bytes)
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_BYTES:
        raise InvalidInput(f"{path} is an incomplete zip file", field="path", hint="download it again")
    entries, directory = struct.unpack_from("<HL", tail, at + 10)
    located = tail[max(0, at - _LOCATOR_BYTES) : at]
    if located.startswith(_LOCATOR_64):
        file.seek(min(size, struct.unpack_from("<Q", located, 8)[0]))
        end = file.read(56)
        if not end.startswith(_END_64) or len(end) < 56:
            raise InvalidInput(f"{path} is an incomplete zip file", field="path", hint="download it again")
        entries, directory = struct.unpack_from("<QQ", end, 32)
    if entries > FOLDER_ENTRIES_MAX or directory > ARCHIVE_DIRECTORY_BYTES_MAX:
        raise TooLarge(
            f"{path} contains more than {FOLDER_ENTRIES_MAX:,} files", field="path", hint="import it in parts"
        )
    file.seek(0)


def _check_members(archive: zipfile.ZipFile, path: Path) -> list[zipfile.ZipInfo]:
    members = archive.infolist()
    if len(members) > FOLDER_ENTRIES_MAX:
        raise TooLarge(
            f"{path} contains more than {FOLDER_ENTRIES_MAX:,} files", field="path", hint="import it in parts"
        )
    unpacked, packed = sum(member.file_size for member in members), path.stat().st_size
    if unpacked > READ_BYTES_MAX:
        raise TooLarge(f"{path} unpacks to more than {READ_BYTES_MAX:,} bytes", field="path", hint="import it in parts")
    # Members may lie over one another: then each packs well, and together they are a bomb.
    if unpacked > max(ARCHIVE_SMALL_BYTES, packed * ARCHIVE_RATIO_MAX):
        raise TooLarge(f"{path} unpacks to more than {ARCHIVE_RATIO_MAX} times its size", field="path")
    return members


def _take_member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, bytes_max: BytesMax, meter: Meter, shown: frozenset[str]
) -> Feed | Skipped:
    name = member.filename.encode("utf-8", "replace").decode("utf-8")
    reason = _refuse_kind(member) or _refuse_name(name) or pass_member(name, shown)
    if reason is None and member.file_size > bytes_max(name):
        reason = f"it is larger than {bytes_max(name):,} bytes"
    if reason is not None:
        return Skipped(path=name[:2000], reason=reason)
    return Feed(name, member.file_size, None, partial(_open_member, archive, member), meter)


def _refuse_kind(member: zipfile.ZipInfo) -> str | None:
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "symbolic links are not followed"
    if member.filename.endswith("/") or kind not in (0, stat.S_IFREG):
        return "not a regular file"
    if member.flag_bits & _ENCRYPTED:
        return "it is protected by a password"
    if member.compress_type not in _METHODS:
        return "its compression method is not supported"
    if member.file_size > max(ARCHIVE_SMALL_BYTES, member.compress_size * ARCHIVE_RATIO_MAX):
        return f"it unpacks to more than {ARCHIVE_RATIO_MAX} times its size"
    return None


def _refuse_name(name: str) -> str | None:
    if name.startswith(("/", "\\")) or "\\" in name or name[1:2] == ":":
        return "its name is not a valid path inside the archive"
    if any(part in ("", ".", "..") for part in name.split("/")):
        return "its path points outside the archive"
    return None


def _open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> BinaryIO:
    stream: IO[bytes] = archive.open(member)
    if stream.read(4) in ZIP_MARKS:
        stream.close()
        raise OSError("nested archives are not read")
    stream.close()
    return cast(BinaryIO, archive.open(member))
