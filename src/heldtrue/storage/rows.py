"""One transaction's statements, by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from heldtrue.domain.principal import Sight
from heldtrue.ports import VersionFilter
from heldtrue.storage.connector import Connection, Row
from heldtrue.storage.filters import spell_filter, spell_sight

if TYPE_CHECKING:
    from heldtrue.storage.store import SqlStore

LATEST = 2**62
"""A sequence after every other: as of now."""


def until(seq: int | None) -> int:
    return LATEST if seq is None else seq


class Rows:
    """Runs the named statements of a store inside one transaction."""

    def __init__(self, store: SqlStore, connection: Connection) -> None:
        self._store = store
        self._connection = connection
        self._sql = store.statements

    def _rows(self, name: str, /, **values: object) -> list[Row]:
        return self._connection.rows(self._sql[name], values)

    def _row(self, name: str, /, **values: object) -> Row | None:
        rows = self._connection.rows(self._sql[name], values)
        return rows[0] if rows else None

    def _run(self, name: str, /, **values: object) -> None:
        self._connection.run(self._sql[name], values)

    def _listing(self, values: Iterable[object]) -> object:
        return self._store.connector.listing(list(values))

    def _filtered(self, name: str, chosen: VersionFilter, **values: object) -> list[Row]:
        conditions, wanted = spell_filter(chosen, self._store.connector)
        sql = self._sql[name].replace("{filter}", self._store.connector.spell(conditions))
        return self._connection.rows(sql, wanted | values)

    def _sighted(self, name: str, sight: Sight, **values: object) -> list[Row]:
        sql, seen = spell_sight(self._sql[name], sight, self._store.connector)
        return self._connection.rows(sql, seen | values)
