"""The whole of a space as JSON Lines, in the order it happened: one line for the space, one for each ledger entry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from heldtrue.domain.exported import FORMAT, ExportHeader, ExportLine
from heldtrue.domain.ledger import TABLES
from heldtrue.domain.limits import VERIFY_BATCH_ENTRIES
from heldtrue.ports import AnyStore, ReadTransaction

_encode = msgspec.json.Encoder().encode


def export_lines(store: AnyStore, *, seq: int | None = None) -> Iterator[bytes]:
    """The lines of an export, as of a sequence, which alone fixes what is in it; so it can be read in short steps."""
    with store.read() as reading:
        head = reading.ledger.head()
        if seq is not None and seq < head.seq:
            entry = reading.ledger.entry(seq)
            text = f"{seq}:{entry.hash.hex()}" if entry else f"0:{bytes(32).hex()}"
        else:
            seq, text = head.seq, head.as_text()
        space_id = reading.ledger.space().id
    yield _encode(ExportHeader(heldtrue=FORMAT, space_id=space_id, entries=seq, head=text)) + b"\n"
    after = 0
    while after < seq:
        step = min(after + VERIFY_BATCH_ENTRIES, seq)
        with store.read() as reading:
            lines = list(_lines(reading, after, step))
        yield from lines
        after = step


def _lines(reading: ReadTransaction, after: int, until: int) -> Iterator[bytes]:
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
        line = ExportLine(entry=entry, written=_sorted(written[entry.seq]), closed=_sorted(closed[entry.seq]))
        yield _encode(line) + b"\n"


def _filled(record: msgspec.Struct) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(record).items() if value is not None}


def _sorted(tables: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """In an order that does not depend on the database."""
    return {table: sorted(tables[table], key=_encode) for table in sorted(tables)}
