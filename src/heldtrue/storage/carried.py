"""Working rows that travel with a space, read and written as whole rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec

from heldtrue.domain.carried import CARRIED, CARRIED_NAMED, CarriedRecall, CarriedTable
from heldtrue.domain.limits import CARRIED_ROWS_MAX
from heldtrue.storage.log import LAST_RECALL
from heldtrue.storage.runner import Runner


class CarriedPart:
    """Jobs, logs, use counts, summaries and kept answers, for an export and an import."""

    __slots__ = ("_sql",)

    def __init__(self, sql: Runner) -> None:
        self._sql = sql

    def all_rows(self) -> Iterator[tuple[str, Any]]:
        """Every row with the name of its table, page by page, in the order of the keys."""
        for spec in CARRIED:
            yield from ((spec.table, row) for row in self.rows_of(spec.table))

    def rows_of(self, table: str) -> Iterator[Any]:
        """Every row of one table, page by page."""
        spec = CARRIED_NAMED[table]
        after = spec.lowest_key
        while page := self._page(spec, after):
            yield from page
            after = tuple(getattr(page[-1], name) for name in spec.key)

    def _page(self, spec: CarriedTable, after: Sequence[object]) -> list[Any]:
        bounds = {f"after_{name}": value for name, value in zip(spec.key, after, strict=True)}
        rows = self._sql.rows(f"carried_{spec.table}", limit=CARRIED_ROWS_MAX, **bounds)
        return [spec.type(*row) for row in rows]

    def drop(self, table: str, rows: Sequence[Any]) -> None:
        """Delete rows."""
        key = CARRIED_NAMED[table].key
        self._sql.run_many(f"drop_{table}_row", [{name: getattr(row, name) for name in key} for row in rows])

    def put(self, rows: Sequence[tuple[str, Any]]) -> None:
        """Write rows; one with the same key is replaced. An open job that waits under another id is kept instead."""
        for table, group in groupby(rows, key=lambda pair: pair[0]):
            values = [msgspec.structs.asdict(row) for _, row in group]
            key = CARRIED_NAMED[table].key
            self._sql.run_many(f"drop_{table}_row", [{name: value[name] for name in key} for value in values])
            self._sql.run_many(f"put_{table}_row", values)
        places = [row.place for _, row in rows if isinstance(row, CarriedRecall)]
        if places:
            last = max(*places, self._sql.counter(LAST_RECALL))
            self._sql.run("set_index_state", name=LAST_RECALL, value=last)
