"""The ledger, the records that it accounts for, and the answers kept for retries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from heldtrue.domain.carried import KeptAnswer
from heldtrue.domain.erasure import ERASABLE_NAMED
from heldtrue.domain.ledger import EMPTY_HEAD, SPEC_NAMED, SPEC_OF, Head, LedgerEntry, Record
from heldtrue.domain.records import UNBORN, Space
from heldtrue.storage.runner import Runner
from heldtrue.storage.runner import until as until_seq


class KnownSpace:
    """The record of a space, which never changes once it is written."""

    __slots__ = ("record",)

    def __init__(self) -> None:
        self.record: Space | None = None


class LedgerPart:
    """What was done, in order, and the rows that it wrote and closed."""

    __slots__ = ("_known", "_sql")

    def __init__(self, sql: Runner, known: KnownSpace) -> None:
        self._sql = sql
        self._known = known

    def space(self) -> Space:
        if self._known.record is None:
            row = self._sql.row("space")
            if row is None:
                return UNBORN
            self._known.record = Space(*row)
        return self._known.record

    def head(self) -> Head:
        row = self._sql.row("head")
        return Head(*row) if row else EMPTY_HEAD

    def head_at(self, moment: int) -> Head:
        row = self._sql.row("head_at_time", moment=moment)
        return Head(*row) if row else EMPTY_HEAD

    def entry(self, seq: int) -> LedgerEntry | None:
        row = self._sql.row("ledger_entry", seq=seq)
        return LedgerEntry(*row) if row else None

    def entries(self, *, after: int, until: int, limit: int) -> list[LedgerEntry]:
        return [LedgerEntry(*row) for row in self._sql.rows("ledger_range", after=after, until=until, limit=limit)]

    def refusals(self, *, actor: str | None, before: int | None, limit: int) -> list[LedgerEntry]:
        whose = {"everyone": int(actor is None), "actor": actor or ""}
        return [LedgerEntry(*row) for row in self._sql.rows("refusals", before=until_seq(before), limit=limit, **whose)]

    def refusals_about(self, memory_id: str, seq: int | None = None) -> list[LedgerEntry]:
        return [LedgerEntry(*row) for row in self._sql.rows("refusals_about", target=memory_id, seq=until_seq(seq))]

    def records_written(self, table: str, *, after: int, until: int) -> list[Any]:
        return [SPEC_NAMED[table].type(*row) for row in self._sql.rows(f"written_{table}", after=after, until=until)]

    def records_closed(self, table: str, *, after: int, until: int) -> list[Any]:
        return [SPEC_NAMED[table].type(*row) for row in self._sql.rows(f"closed_{table}", after=after, until=until)]

    def records_outside(self, table: str, *, until: int) -> list[Any]:
        rows = self._sql.rows(f"unwritten_{table}", until=until)
        if SPEC_NAMED[table].closing:
            rows += self._sql.rows(f"unclosed_{table}", until=until)
        return [SPEC_NAMED[table].type(*row) for row in rows]

    def opened(self, table: str, key: Mapping[str, object]) -> Any | None:
        row = self._sql.row(f"keyed_{table}", **key)
        return SPEC_NAMED[table].type(*row) if row else None

    def knows(self, table: str, name: str) -> bool:
        return self._sql.row(table, id=name) is not None

    def tally(self, name: str, **values: object) -> int:
        return self._sql.number(f"count_{name}", **values)

    def append(self, entry: LedgerEntry) -> None:
        self._sql.insert("ledger", entry)

    def insert(self, record: Record) -> None:
        self._sql.insert(SPEC_OF[type(record)].table, record)

    def close(self, record: Record) -> None:
        spec = SPEC_OF[type(record)]
        names = (*spec.key, *spec.closing, "closing_digest")
        self._sql.run(f"close_{spec.table}", **{name: getattr(record, name) for name in names})

    def erase(self, table: str, record: Any) -> None:
        """Replace the words of a record with what it has now, and destroy its salt."""
        spec = ERASABLE_NAMED[table]
        self._sql.run(f"erase_{table}", **{name: getattr(record, name) for name in (*spec.key, *spec.words)})

    def has_erased(self) -> bool:
        return self._sql.row("has_erased") is not None

    def erased_content(self, keys: Iterable[int]) -> set[int]:
        return {row[0] for row in self._sql.rows("erased_content", keys=self._sql.listing(keys))}

    def idempotent_answer(self, principal: str, key: str) -> tuple[bytes, str] | None:
        row = self._sql.row("idempotent_answer", principal=principal, key=key)
        return (row[0], row[1]) if row else None

    def keep_answer(self, kept: KeptAnswer) -> None:
        self._sql.run("keep_idempotent_answer", **msgspec.structs.asdict(kept))

    def drop_old_answers(self, before: int) -> None:
        self._sql.run("drop_old_answers", before=before)
