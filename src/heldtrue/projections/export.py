"""The whole of a space as JSON Lines: the space, each ledger entry in order, the working rows, and the end."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator
from typing import IO, Any

import msgspec

from heldtrue.domain.exported import FORMAT, EndLine, EntryLine, ExportHeader, RowLine
from heldtrue.domain.ledger import TABLES
from heldtrue.domain.limits import EXPORT_BATCH_ENTRIES, EXPORT_SPOOL_BYTES
from heldtrue.domain.space_key import SpaceKey
from heldtrue.ports import ReadTransaction
from heldtrue.projections.ports import ExportReadTransaction, ExportStore

_encode = msgspec.json.Encoder().encode


def export_lines(store: ExportStore, *, seq: int | None = None, key: SpaceKey | None = None) -> Iterator[bytes]:
    """The lines of an export, with an authentication code if a key is given.

    The history is as of a sequence, which alone fixes what is in it; so it can be read in short steps. Working rows
    have no history: they are read at once with the head, and an export as of an earlier sequence has none.
    """
    with tempfile.SpooledTemporaryFile(EXPORT_SPOOL_BYTES) as spool:
        with store.read() as reading:
            header, rows = _begin(reading, seq, spool)
        code = key.begin_code(header.space_id) if key else None
        for line in _all_lines(store, header, spool):
            if code:
                code.update(line)
            yield line
        end = EndLine(rows=rows, key=key.name if key else None, code=code.hexdigest() if code else None)
        yield _encode(end) + b"\n"


def _begin(reading: ExportReadTransaction, seq: int | None, spool: IO[bytes]) -> tuple[ExportHeader, int]:
    """The header, and the number of working rows that were spooled."""
    head, rows = reading.ledger.head(), 0
    if seq is not None and seq < head.seq:
        entry = reading.ledger.entry(seq)
        text = f"{seq}:{entry.hash.hex()}" if entry else f"0:{bytes(32).hex()}"
    else:
        seq, text = head.seq, head.as_text()
        for rows, (table, row) in enumerate(reading.carried.all_rows(), 1):  # noqa: B007 - it counts
            spool.write(_encode(RowLine(table=table, row=_filled(row))) + b"\n")
    return ExportHeader(heldtrue=FORMAT, space_id=reading.ledger.space().id, entries=seq, head=text), rows


def _all_lines(store: ExportStore, header: ExportHeader, spool: IO[bytes]) -> Iterator[bytes]:
    yield _encode(header) + b"\n"
    after = 0
    while after < header.entries:
        step = min(after + EXPORT_BATCH_ENTRIES, header.entries)
        with store.read() as reading:
            lines = list(_entry_lines(reading, after, step))
        yield from lines
        after = step
    spool.seek(0)
    yield from spool


def _entry_lines(reading: ReadTransaction, after: int, until: int) -> Iterator[bytes]:
    written: dict[int, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    closed: dict[int, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for spec in TABLES:
        blank = dict.fromkeys((*spec.closing, "closing_digest"))
        for record in reading.ledger.records_written(spec.table, after=after, until=until):
            # As it was first written: what closed it belongs to a later line, if the export reaches that far.
            opened = msgspec.structs.replace(record, **blank) if spec.closing else record
            written[record.seq][spec.table].append(_filled(opened))
        for record in reading.ledger.records_closed(spec.table, after=after, until=until) if spec.closing else ():
            wanted = (*spec.key, *spec.closing, "closing_digest")
            closed[record.seq_to][spec.table].append(
                {name: getattr(record, name) for name in wanted if getattr(record, name) is not None}
            )
    for entry in reading.ledger.entries(after=after, until=until, limit=until - after + 1):
        line = EntryLine(entry=entry, written=_sorted(written[entry.seq]), closed=_sorted(closed[entry.seq]))
        yield _encode(line) + b"\n"


def _filled(record: msgspec.Struct) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(record).items() if value is not None}


def _sorted(tables: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """In an order that does not depend on the database."""
    return {table: sorted(tables[table], key=_encode) for table in sorted(tables)}
