"""The interface that the store needs from a database driver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import msgspec

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

    def writing(self) -> AbstractContextManager[Connection]:
        """The one write lock of the space, held until commit; durable when it returns."""

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

    def describe_schema(self) -> list[str]:
        """Every table, column, index and trigger, in a comparable form."""

    def pristine(self) -> Connector | None:
        """A new, empty database of the same kind to compare with, where that costs nothing."""

    def check_structure(self) -> list[str]:
        """The damage that the database itself reports."""

    def tidy(self) -> None:
        """Upkeep that changes no content, in a short step."""

    def copy_to(self, path: str) -> None:
        """A consistent copy as one file, where a space is a file."""

    def close(self) -> None: ...
