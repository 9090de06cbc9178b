"""One transaction's statements, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from heldtrue.domain.principal import Sight
from heldtrue.domain.rows import VersionFilter
from heldtrue.storage.connector import Connection, Connector, Row
from heldtrue.storage.filters import spell_filter, spell_sight

LATEST = 2**62
"""A sequence after every other: as of now."""


def until(seq: int | None) -> int:
    """A sequence as a statement wants it."""
    return LATEST if seq is None else seq


def _is_count(row: Row) -> bool:
    return isinstance(row[0], int) and 0 <= row[0] < LATEST


class Runner:
    """Runs the named statements of a store inside one transaction."""

    __slots__ = ("_connection", "_connector", "_sql", "damaged")

    def __init__(self, connector: Connector, statements: Mapping[str, str], connection: Connection) -> None:
        self._connector = connector
        self._sql = statements
        self._connection = connection
        self.damaged: set[str] = set()
        """The tables in which derived rows with impossible values were found, and left out."""

    def sound(self, table: str, rows: list[Row], is_sound: Callable[[Row], bool]) -> list[Row]:
        """Those of some derived rows that can be what they say; of the others, the table is noted."""
        sound = [row for row in rows if is_sound(row)]
        if len(sound) != len(rows):
            self.damaged.add(table)
        return sound

    def rows(self, name: str, /, **values: object) -> list[Row]:
        return self._connection.rows(self._sql[name], values)

    def row(self, name: str, /, **values: object) -> Row | None:
        rows = self._connection.rows(self._sql[name], values)
        return rows[0] if rows else None

    def number(self, name: str, /, **values: object) -> int:
        """The first column of the first row; 0 where there is none."""
        rows = self._connection.rows(self._sql[name], values)
        return int(rows[0][0]) if rows else 0

    def counter(self, name: str) -> int:
        """A counter of the index; 0 where there is none, or what is there cannot be one."""
        rows = self.sound("index_state", self.rows("index_state", name=name), _is_count)
        return int(rows[0][0]) if rows else 0

    def run(self, name: str, /, **values: object) -> None:
        self._connection.run(self._sql[name], values)

    def run_many(self, name: str, values: Sequence[Mapping[str, object]]) -> None:
        """The same statement for many rows."""
        self._connection.run_many(self._sql[name], values)

    def run_columns(self, name: str, columns: Mapping[str, Sequence[object]]) -> None:
        """The same for very many rows, column by column."""
        self._connection.run_columns(self._sql[name], columns)

    def insert(self, table: str, record: msgspec.Struct) -> None:
        """Write a record with all its columns."""
        self._connection.run(self._sql[f"insert_{table}"], self._connector.row_of(record))

    def listing(self, values: Iterable[object]) -> object:
        """A list as a statement parameter."""
        return self._connector.listing(list(values))

    def filtered(self, name: str, chosen: VersionFilter, **values: object) -> list[Row]:
        """The rows of a statement with a `{filter}`."""
        conditions, wanted = spell_filter(chosen, self._connector)
        sql = self._sql[name].replace("{filter}", self._connector.spell(conditions))
        return self._connection.rows(sql, wanted | values)

    def sighted(self, name: str, sight: Sight, **values: object) -> list[Row]:
        """The rows of a statement that says where what may be seen is to be put in."""
        sql, seen = spell_sight(self._sql[name], sight, self._connector)
        return self._connection.rows(sql, seen | values)
