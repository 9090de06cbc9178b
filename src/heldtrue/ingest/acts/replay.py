"""Import: replays an export exactly into an empty space and checks every line against the hash chain."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, assert_never

import msgspec

from heldtrue.domain.agent import TOKENS_AFTER
from heldtrue.domain.carried import ANSWER, ANSWERS_AFTER, read_carried
from heldtrue.domain.cause import read_cause
from heldtrue.domain.erasure import ERASABLE, digest_rest, erased_by_digest, is_erased
from heldtrue.domain.errors import InvalidInput, TooLarge, Untrusted, WrongState
from heldtrue.domain.exported import FORMAT, EndLine, EntryLine, ExportHeader, ExportLine, RowLine
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
from heldtrue.domain.limits import CARRIED_ROWS_MAX, IMPORT_BATCH_BYTES, IMPORT_BATCH_ENTRIES, IMPORT_LINE_BYTES_MAX
from heldtrue.domain.memory import Kind, MemoryVersion, Staleness, Status, Strength, Visibility
from heldtrue.domain.plural import count
from heldtrue.domain.records import AgentRecord, ErasedRecord
from heldtrue.domain.space_key import SpaceKey
from heldtrue.ingest.acts.reindex import derive_rows
from heldtrue.ingest.ports import IngestStore, IngestWriteTransaction
from heldtrue.ports import ReadTransaction

_ENUMS = (Kind, Status, Visibility, Staleness, Strength)

_read_header = msgspec.json.Decoder(ExportHeader).decode
_read_line: Callable[[bytes], ExportLine] = msgspec.json.Decoder(ExportLine).decode


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


class CodeCheck:
    """Computes the authentication code of an export while it is read, and compares it with the one in the file."""

    def __init__(self, key: SpaceKey | None, header: ExportHeader, first: bytes) -> None:
        self._key = key
        self._code = key.begin_code(header.space_id) if key else None
        self.is_ours = False
        """Whether the file was written with the key of this space and not changed since; known at its end."""
        self.add(first)

    def add(self, line: bytes) -> None:
        if self._code is not None:
            self._code.update(line.strip() + b"\n")

    def finish(self, end: EndLine) -> None:
        """Compare the codes. A file of our key with another code was modified."""
        if self._key is None or self._code is None or end.key != self._key.name:
            return
        if not hmac.compare_digest(self._code.hexdigest(), end.code or ""):
            raise Untrusted(
                "the export was modified: its authentication code does not match",
                field="path",
                hint="use an export that nobody has edited",
            )
        self.is_ours = True


class Replay:
    """Writes an export into a store exactly as it was, checking every line against the chain.

    `after` is the end of what the store already has of it; nothing, for an empty store.
    """

    def __init__(
        self, store: IngestStore, header: ExportHeader, *, after: Head = EMPTY_HEAD, code: CodeCheck | None = None
    ) -> None:
        self._store = store
        self._header = header
        self._code = code
        self._rows = 0
        self._is_ended = False
        self._unproven: set[bytes] = set()
        """Digests of records without words, which a later entry must list as erased."""
        self.head: Head = after

    def run(self, lines: Iterator[tuple[int, bytes]]) -> Head:
        """Replay all lines; a line that does not fit the chain stops it, with the number of the line."""
        entries: list[tuple[int, EntryLine]] = []
        rows: list[tuple[str, Any]] = []
        size = 0
        for number, raw in lines:
            size += len(raw)
            match line := self._read(number, raw):
                case EntryLine():
                    entries.append((number, line))
                case RowLine():
                    rows.append((line.table, _read_row(number, line)))
                case EndLine():
                    self._end(line)
                case _:
                    assert_never(line)
            if len(entries) == IMPORT_BATCH_ENTRIES or len(rows) == CARRIED_ROWS_MAX or size >= IMPORT_BATCH_BYTES:
                self._write(entries)
                self._put(rows)
                entries, rows, size = [], [], 0
        self._write(entries)
        self._put(rows)
        self._check_end()
        return self.head

    def _read(self, number: int, raw: bytes) -> ExportLine:
        if self._is_ended:
            raise _broken(number, "it follows the last line")
        try:
            line = _read_line(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            raise InvalidInput(f"line {number} is not a valid export line: {problem}", field="path") from None
        if isinstance(line, EntryLine) and self._rows:
            raise _broken(number, "a ledger entry follows the rows of jobs, logs and summaries")
        self._rows += isinstance(line, RowLine)
        if self._code is not None and not isinstance(line, EndLine):
            self._code.add(raw)
        return line

    def _end(self, line: EndLine) -> None:
        self._is_ended = True
        if line.rows != self._rows:
            raise Untrusted(
                f"the export is incomplete: it has {self._rows} of {line.rows} rows of jobs, logs and summaries",
                field="path",
                hint="use a complete export",
            )
        if self._code is not None:
            self._code.finish(line)

    def _matches(self, record: Any) -> bool:
        """Whether a record is what its digest says. One without words must be listed as erased by a later entry."""
        if is_erased(record):
            self._unproven.add(record.digest or b"")
            return bool(record.digest)
        return bool(opening_digest(record) == record.digest)

    def _check_end(self) -> None:
        if self._unproven:
            raise Untrusted(
                f"the export was modified: it has {count(len(self._unproven), 'record')} without text "
                "that no entry erased",
                field="path",
                hint="use an export that nobody has edited",
            )
        if self.head.as_text() != self._header.head or not self._is_ended:
            raise Untrusted(
                f"the export is truncated: it ends at entry {self.head.seq} of {self._header.entries}",
                hint="use a complete export",
            )
        with self._store.read() as reading:
            if changed := find_changed_rest(reading):
                raise Untrusted(
                    f"the export was modified: {changed} does not match what its erasure left of it",
                    field="path",
                    hint="use an export that nobody has edited",
                )
            if reading.ledger.space().id != self._header.space_id:
                raise Untrusted(
                    "the first line of the export belongs to a different store than the rest",
                    hint="use an export that nobody has edited",
                )

    def _put(self, rows: list[tuple[str, Any]]) -> None:
        if rows:
            with self._store.write() as transaction:
                transaction.carried.put(rows)

    def _write(self, batch: list[tuple[int, EntryLine]]) -> None:
        if not batch:
            return
        with self._store.write() as transaction:
            if transaction.ledger.head() != self.head:
                raise WrongState(
                    f"another program wrote to this store during the import, after entry {self.head.seq}",
                    hint="import into a new home that no other program is using",
                )
            for number, line in batch:
                self._replay(transaction, number, line)

    def _replay(self, transaction: IngestWriteTransaction, number: int, line: EntryLine) -> None:
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
            if record.seq != entry.seq or not self._matches(record):
                raise _broken(number, "a record does not match its digest")
            transaction.ledger.insert(record)
        self._unproven -= {record.record_digest for record in written if isinstance(record, ErasedRecord)}
        _expect_less(transaction, written, entry)
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
            raise _broken(number, "it sets an end on a record that does not exist")
        closing = {name: row.get(name) for name in spec.closing}
        closed: Record = msgspec.structs.replace(opened, **closing, closing_digest=digest)
        # What closed a record before it was erased can no longer be recomputed.
        is_provable = not is_erased(opened)
        if closing["seq_to"] != entry.seq or (is_provable and closing_digest(closed) != digest):
            raise _broken(number, "the end of a record does not match its digest")
        transaction.ledger.close(closed)
        return closed

    def _check_entry(self, number: int, entry: LedgerEntry, digests: list[bytes]) -> None:
        follows = entry.seq == self.head.seq + 1 and entry.prev_hash == self.head.hash
        if not follows or entry.recorded_at <= self.head.recorded_at:
            raise _broken(number, "it does not follow the entry before it")
        if entry.salt is None:
            words = bool(entry.digest) and entry.detail == "{}" and entry.reason is None
            self._unproven.add(entry.digest or b"")
        else:
            words = text_digest(entry.salt, entry.reason, entry.detail) == entry.digest
        whole = len(digests) == entry.records and hash_records(digests) == entry.records_hash
        if not words or not whole or chain_hash(entry) != entry.hash:
            raise _broken(number, "it does not match its hash")


def find_changed_rest(reading: ReadTransaction) -> str | None:
    """The first erased record whose rest does not match its proof."""
    if not reading.ledger.has_erased():
        return None
    last = reading.ledger.head().seq
    proofs = erased_by_digest(reading.ledger.records_written("erased", after=0, until=last))
    space_key = reading.ledger.space().key
    for spec in ERASABLE:
        records: list[Any] = (
            reading.ledger.entries(after=0, until=last, limit=last)
            if spec.table == "ledger"
            else reading.ledger.records_written(spec.table, after=0, until=last)
        )
        for record in records:
            proof = proofs.get(record.digest) if is_erased(record) else None
            if proof is not None and digest_rest(space_key, spec, record, seq=proof.seq) != proof.rest_digest:
                return f"a row of {spec.table}"
    return None


def _expect_less(transaction: IngestWriteTransaction, written: Iterable[Record], entry: LedgerEntry) -> None:
    """Tokens do not travel, and stored answers may have been dropped before: up to here, `verify` expects none."""
    for record in written:
        if isinstance(record, AgentRecord):
            transaction.agents.keep_token(record.name, None)
            transaction.index.set_state(TOKENS_AFTER, entry.seq)
    if f'"{ANSWER}":' in entry.detail:
        transaction.index.set_state(ANSWERS_AFTER, entry.recorded_at + 1)


def _read_record(table: str, row: dict[str, Any]) -> Any:
    """A record of an export, in which empty columns are left out."""
    spec = SPEC_NAMED[table]
    record = msgspec.convert(dict.fromkeys(spec.columns) | row, spec.type)
    if any(row.get(name) is not None for name in (*spec.closing, "closing_digest")):
        raise msgspec.ValidationError("a new record already has an end")
    if isinstance(record, MemoryVersion):
        values = (record.kind, record.status, record.visibility, record.staleness, record.strength)
        for kind, value in zip(_ENUMS, values, strict=True):
            msgspec.convert(value, kind)
        read_cause(record.cause)
    return record


def _read_row(number: int, line: RowLine) -> Any:
    """A working row of an export."""
    try:
        return read_carried(line.table, line.row)
    except msgspec.ValidationError as problem:
        raise InvalidInput(f"line {number} is not a valid export line: {problem}", field="path") from None


def _read_closing(number: int, table: str, row: dict[str, Any]) -> tuple[TableSpec, dict[str, Any], bytes]:
    """A closing of an export, and its digest."""
    spec = SPEC_NAMED.get(table)
    try:
        digest = msgspec.convert(row.get("closing_digest"), bytes)
    except msgspec.ValidationError:
        digest = b""
    if spec is None or not spec.closing or not digest:
        raise _broken(number, "it sets an end without a digest, or on a record of a type that has no end")
    return spec, row, digest


def _broken(number: int, why: str) -> Untrusted:
    return Untrusted(
        f"line {number} of the export was modified: {why}", field="path", hint="use an export that nobody has edited"
    )
