"""Derived rows as they are, table by table, to be compared with what they should be."""

from __future__ import annotations

from collections.abc import Iterator

from heldtrue.domain.derived import DERIVED_NAMED
from heldtrue.domain.limits import DERIVED_PAGE_ROWS
from heldtrue.storage.connector import Row
from heldtrue.storage.runner import Runner


class DerivedPart:
    """Whole tables of derived rows, read page by page."""

    __slots__ = ("_sql",)

    def __init__(self, sql: Runner) -> None:
        self._sql = sql

    def all_rows(self, table: str) -> Iterator[Row]:
        spec = DERIVED_NAMED[table]
        columns = {name: spec.columns.index(name) for name in spec.key}
        page = self._sql.rows(f"first_{table}", limit=DERIVED_PAGE_ROWS)
        while page:
            yield from page
            after = {f"after_{name}": page[-1][column] for name, column in columns.items()}
            page = self._sql.rows(f"next_{table}", limit=DERIVED_PAGE_ROWS, **after)
