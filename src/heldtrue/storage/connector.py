"""The interface that the store needs from a database driver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import msgspec

from heldtrue.domain.limits import BUSY_TIMEOUT_MS

Row = tuple[Any, ...]


class Connection(Protocol):
    """A transaction under way."""

    def rows(self, sql: str, values: Mapping[str, object]) -> list[Row]:
        """All rows of a statement."""

    def run(self, sql: str, values: Mapping[str, object] | Sequence[object]) -> None:
        """A statement without an answer."""

    def run_many(self, sql: str, values: Sequence[Mapping[str, object]]) -> None:
        """The same statement for many rows."""

    def run_columns(self, sql: str, columns: Mapping[str, Sequence[object]]) -> None:
        """The same for very many rows, given column by column; the statement is each database's own."""

    def run_script(self, sql: str) -> None:
        """The statements of a migration, in order."""


class SchemaPart(msgspec.Struct, frozen=True, order=True):
    """One thing that a schema consists of."""

    name: str
    """Its kind and its name, for example `trigger ledger_no_update`."""
    definition: str


class Connector(Protocol):
    """A database that a space lives in."""

    package: str
    """Where its own statements and migrations are."""
    is_file: bool
    """Whether a space is one database file."""
    read_only: bool
    """Whether it was opened to be looked at only."""

    def reading(self) -> AbstractContextManager[Connection]:
        """One consistent view, short-lived."""

    def writing(self, *, patience_ms: int = BUSY_TIMEOUT_MS) -> AbstractContextManager[Connection]:
        """The one write lock of the space, held until commit; durable when it returns.

        `Busy` if others keep the lock for longer than `patience_ms`.
        """

    def check_place(self) -> None:
        """Raise `HomeChanged` if the database that is open is no longer the one at its path."""

    def within(self, column: str, parameter: str) -> str:
        """The condition that a column is one of a list parameter."""

    def row_of(self, record: msgspec.Struct) -> Mapping[str, object] | Sequence[object]:
        """A record as the values of a statement that names all its columns in order."""

    def listing(self, values: Sequence[object]) -> object:
        """A list as a statement parameter."""

    def spell(self, sql: str) -> str:
        """A statement with its `:name` parameters as the driver wants them."""

    def size_bytes(self) -> int:
        """The size of the space on disk."""

    def describe_schema(self) -> list[SchemaPart]:
        """Every table, column, index, trigger, view and function, in a comparable form."""

    def describe_new(self, scripts: Sequence[str]) -> list[SchemaPart]:
        """What `describe_schema` would say of a new database that these scripts made."""

    def check_structure(self) -> list[str]:
        """The damage that the database itself reports."""

    def tidy(self) -> None:
        """Upkeep that changes no content, in a short step."""

    def scrub(self) -> None:
        """Leave nothing of what was deleted or overwritten in the database files. `Busy` if others prevent it."""

    def copy_to(self, path: str) -> None:
        """A consistent copy as one file, where a space is a file."""

    def close(self) -> None: ...
