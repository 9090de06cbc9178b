"""A feed is a file to read: on disk or in an archive, with a name, a size and its bytes in chunks."""

from __future__ import annotations

import codecs
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from heldtrue.domain.errors import InvalidInput, TooLarge
from heldtrue.domain.limits import READ_BYTES_MAX, READ_CHUNK_BYTES, RECOGNISE_BYTES
from heldtrue.readers.plain import find_bom

Progress = Callable[[int], None]
"""Called with the number of bytes read so far."""
DAMAGE = (OSError, zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError, OverflowError)
"""The exceptions of a file system or an archive for unreadable bytes."""


class Meter:
    """Counts the bytes of one reading, and ends it at the limit."""

    def __init__(self, progress: Progress | None = None) -> None:
        self.total = 0
        self._progress = progress

    def add(self, count: int) -> None:
        self.total += count
        if self.total > READ_BYTES_MAX:
            raise TooLarge(
                f"the input is larger than {READ_BYTES_MAX:,} bytes", field="path", hint="import it in parts"
            )
        if self._progress is not None:
            self._progress(self.total)


@dataclass(frozen=True)
class Feed:
    """One file; where it comes out of a folder, it is to be read before the next one is asked for."""

    path: str
    """The path that references use."""
    size: int
    modified_at: int | None
    opener: Callable[[], BinaryIO]
    meter: Meter

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        stem, dot, suffix = self.name.rpartition(".")
        return f".{suffix.lower()}" if stem and dot else ""

    def chunks(self) -> Iterator[bytes]:
        """The raw bytes."""
        with self._open() as stream:
            while chunk := self._pull(stream, READ_CHUNK_BYTES):
                self.meter.add(len(chunk))
                yield chunk

    def _open(self) -> BinaryIO:
        try:
            return self.opener()
        except DAMAGE as problem:
            raise self._explain(problem) from None

    def _pull(self, stream: BinaryIO, most: int) -> bytes:
        try:
            return stream.read(most)
        except DAMAGE as problem:
            raise self._explain(problem) from None

    def _explain(self, problem: Exception) -> InvalidInput:
        why = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
        return InvalidInput(f"{self.path} cannot be read: {why}", field="path")

    def read(self, bytes_max: int) -> bytes:
        """The whole file, if it is small enough to be held in memory."""
        data = bytearray()
        for chunk in self.chunks():
            data += chunk
            if len(data) > bytes_max:
                raise TooLarge(
                    f"{self.path} is larger than {bytes_max:,} bytes", field="path", hint="split it, or skip it"
                )
        return bytes(data)

    def head(self, most: int = RECOGNISE_BYTES) -> bytes:
        """The start of the file, for format recognition; progress is not reported."""
        data = bytearray()
        with self._open() as stream:
            while len(data) < most and (chunk := self._pull(stream, most - len(data))):
                data += chunk
        return bytes(data)

    def text_chunks(self) -> Iterator[bytes]:
        """The bytes of a text without a byte order mark, as UTF-8 where the mark says that they are something else."""
        decoder: codecs.IncrementalDecoder | None = None
        waiting, begun = b"", False
        for chunk in self.chunks():
            if not begun:
                waiting += chunk
                if len(waiting) < len(codecs.BOM_UTF32_LE):
                    continue
                chunk, decoder = _begin(waiting)
                begun = True
            yield chunk if decoder is None else _as_utf8(decoder.decode(chunk))
        if not begun:
            chunk, decoder = _begin(waiting)
            yield chunk if decoder is None else _as_utf8(decoder.decode(chunk))
        if decoder is not None:
            yield _as_utf8(decoder.decode(b"", final=True))


def _begin(data: bytes) -> tuple[bytes, codecs.IncrementalDecoder | None]:
    found = find_bom(data)
    if found is None:
        return data, None
    mark, name = found
    decoder = None if name == "utf-8" else codecs.getincrementaldecoder(name)("replace")
    return data[len(mark) :], decoder


def _as_utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
