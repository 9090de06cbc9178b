"""What an export needs of a store beyond what others need too: the working rows that travel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from heldtrue.ports import ReadTransaction, Store, WriteTransaction


class CarriedReader(Protocol):
    """Working rows that travel with a space."""

    def all_rows(self) -> Iterator[tuple[str, Any]]:
        """Every row with the name of its table, in the order of the tables and their keys."""

    def rows_of(self, table: str) -> Iterator[Any]:
        """Every row of one table, in the order of its keys."""


class ExportReadTransaction(ReadTransaction, Protocol):
    """A consistent view of what an export contains."""

    @property
    def carried(self) -> CarriedReader: ...


ExportStore = Store[ExportReadTransaction, WriteTransaction]
