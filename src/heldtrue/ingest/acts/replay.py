"""Import: replays an export exactly into an empty space and checks every line against the hash chain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

import msgspec

from heldtrue.domain.cause import read_cause
from heldtrue.domain.errors import InvalidInput, TooLarge, Untrusted, WrongState
from heldtrue.domain.exported import FORMAT, ExportHeader, ExportLine
from heldtrue.domain.ledger import (
    EMPTY_HEAD,
    SPEC_NAMED,
    Head,
    LedgerEntry,
    Record,
    TableSpec,
    chain_hash,
    closing_digest,
    hash_records,
    opening_digest,
    text_digest,
)
from heldtrue.domain.limits import IMPORT_BATCH_ENTRIES, IMPORT_LINE_BYTES_MAX
from heldtrue.domain.memory import Kind, MemoryVersion, Staleness, Status, Strength, Visibility
from heldtrue.ingest.acts.reindex import derive_rows
from heldtrue.ingest.ports import IngestStore, IngestWriteTransaction

_ENUMS = (Kind, Status, Visibility, Staleness, Strength)
Progress = Callable[[int, int], None]


_read_header = msgspec.json.Decoder(ExportHeader).decode
_read_line = msgspec.json.Decoder(ExportLine).decode


def numbered_lines(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something, with their numbers, none longer than the limit."""
    for number, line in enumerate(lines, 1):
        if len(line) > IMPORT_LINE_BYTES_MAX:
            raise TooLarge(f"line {number} is longer than {IMPORT_LINE_BYTES_MAX:,} bytes", field="path")
        if line.strip():
            yield number, line


def read_lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, none read further than the limit and one byte."""
    while line := file.readline(IMPORT_LINE_BYTES_MAX + 1):
        yield line


def read_header(line: bytes) -> ExportHeader | None:
    """The first line of a Heldtrue export; None for anything else."""
    try:
        header = _read_header(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if header.heldtrue != FORMAT:
        raise InvalidInput(
            f"this export has format {header.heldtrue}, but this version of Heldtrue reads format {FORMAT}",
            field="path",
            hint="update Heldtrue",
        )
    return header


class Replay:
    """Writes an export into a store exactly as it was, checking every line against the chain.

    `after` is the end of what the store already has of it; nothing, for an empty store.
    """

    def __init__(
        self, store: IngestStore, header: ExportHeader, *, after: Head = EMPTY_HEAD, progress: Progress | None = None
    ) -> None:
        self._store = store
        self._header = header
        self._progress = progress
        self.head: Head = after

    def run(self, lines: Iterator[tuple[int, bytes]]) -> Head:
        """Replay all lines; a line that does not fit the chain stops it, with the number of the line."""
        batch: list[tuple[int, ExportLine]] = []
        for number, raw in lines:
            try:
                batch.append((number, _read_line(raw)))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
                raise InvalidInput(f"line {number} is not a valid export line: {problem}", field="path") from None
            if len(batch) == IMPORT_BATCH_ENTRIES:
                self._write(batch)
                batch = []
        self._write(batch)
        if self.head.as_text() != self._header.head:
            raise Untrusted(
                f"the export is truncated: it ends at entry {self.head.seq} of {self._header.entries}",
                hint="use a complete export",
            )
        with self._store.read() as reading:
            if reading.ledger.space().id != self._header.space_id:
                raise Untrusted(
                    "the first line of the export names a different space from the rest",
                    hint="use an export that was not edited",
                )
        return self.head

    def _write(self, batch: list[tuple[int, ExportLine]]) -> None:
        with self._store.write() as transaction:
            if transaction.ledger.head() != self.head:
                raise WrongState(
                    f"another write reached this space during the import, after entry {self.head.seq}",
                    hint="import into a home that is not in use yet",
                )
            for number, line in batch:
                self._replay(transaction, number, line)
        if self._progress:
            self._progress(self.head.seq, self._header.entries)

    def _replay(self, transaction: IngestWriteTransaction, number: int, line: ExportLine) -> None:
        entry = line.entry
        try:
            written = [_read_record(table, row) for table, rows in line.written.items() for row in rows]
        except (KeyError, msgspec.ValidationError) as problem:
            raise InvalidInput(f"line {number} is not a valid export line: {problem}", field="path") from None
        closings = [_read_closing(number, table, row) for table, rows in line.closed.items() for row in rows]
        self._check_entry(number, entry, [record.digest for record in written] + [digest for *_, digest in closings])
        # What an entry closes was written by an earlier one, and must make room first.
        closed = [self._close(transaction, number, entry, spec, row, digest) for spec, row, digest in closings]
        for record in written:
            if record.seq != entry.seq or record.salt is None or opening_digest(record) != record.digest:
                raise _broken(number, "a record does not match its digest")
            transaction.ledger.insert(record)
        derive_rows(transaction, written, closed)
        transaction.ledger.append(entry)
        self.head = Head(entry.seq, entry.hash, entry.recorded_at)

    def _close(
        self,
        transaction: IngestWriteTransaction,
        number: int,
        entry: LedgerEntry,
        spec: TableSpec,
        row: dict[str, Any],
        digest: bytes,
    ) -> Record:
        opened = transaction.ledger.opened(spec.table, {name: row.get(name) for name in spec.key})
        if opened is None:
            raise _broken(number, "it closes a record that does not exist")
        closing = {name: row.get(name) for name in spec.closing}
        closed: Record = msgspec.structs.replace(opened, **closing, closing_digest=digest)
        if closing["seq_to"] != entry.seq or closing_digest(closed) != digest:
            raise _broken(number, "a closed record does not match its closing digest")
        transaction.ledger.close(closed)
        return closed

    def _check_entry(self, number: int, entry: LedgerEntry, digests: list[bytes]) -> None:
        follows = entry.seq == self.head.seq + 1 and entry.prev_hash == self.head.hash
        if not follows or entry.recorded_at <= self.head.recorded_at:
            raise _broken(number, "it does not follow the entry before it")
        words = entry.salt is not None and text_digest(entry.salt, entry.reason, entry.detail) == entry.digest
        whole = len(digests) == entry.records and hash_records(digests) == entry.records_hash
        if not words or not whole or chain_hash(entry) != entry.hash:
            raise _broken(number, "it does not match its hash")


def _read_record(table: str, row: dict[str, Any]) -> Any:
    """A record of an export, in which empty columns are left out."""
    spec = SPEC_NAMED[table]
    record = msgspec.convert(dict.fromkeys(spec.columns) | row, spec.type)
    if any(row.get(name) is not None for name in (*spec.closing, "closing_digest")):
        raise msgspec.ValidationError("a record is closed before it is written")
    if isinstance(record, MemoryVersion):
        values = (record.kind, record.status, record.visibility, record.staleness, record.strength)
        for kind, value in zip(_ENUMS, values, strict=True):
            msgspec.convert(value, kind)
        read_cause(record.cause)
    return record


def _read_closing(number: int, table: str, row: dict[str, Any]) -> tuple[TableSpec, dict[str, Any], bytes]:
    """A closing of an export, and its digest."""
    spec = SPEC_NAMED.get(table)
    try:
        digest = msgspec.convert(row.get("closing_digest"), bytes)
    except msgspec.ValidationError:
        digest = b""
    if spec is None or not spec.closing or not digest:
        raise _broken(number, "it closes a record that cannot be closed")
    return spec, row, digest


def _broken(number: int, why: str) -> Untrusted:
    return Untrusted(
        f"line {number} of the export was modified: {why}", field="path", hint="use an export that was not edited"
    )
