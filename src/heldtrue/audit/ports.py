"""What verification reads beyond what other packages do: agents with their tokens, and derived rows as they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

from heldtrue.domain.agent import AgentRow
from heldtrue.ports import ReadTransaction, Store, WriteTransaction


class AgentAudit(Protocol):
    """Agents on record, and the tokens that are stored for them."""

    def known(self) -> list[AgentRow]: ...
    def tokens(self) -> list[tuple[str, bytes]]:
        """The name of each agent that has a token here, with the digest of the token."""


class DerivedReader(Protocol):
    """Derived rows as they are."""

    def all_rows(self, table: str) -> Iterator[tuple[Any, ...]]:
        """Every row of a table of derived rows (`domain/derived.py`)."""


class EmbeddedReader(Protocol):
    """Which documents should have vectors."""

    def documents_written(self, *, after: int, until: int) -> list[tuple[int, int]]:
        """The shelf and the number of each document that the entries after a sequence, up to another, have written."""


class DerivedReadTransaction(Protocol):
    """Where derived rows are read."""

    @property
    def derived(self) -> DerivedReader: ...
    @property
    def vectors(self) -> EmbeddedReader: ...


class KeptReader(Protocol):
    """Working rows, table by table."""

    def rows_of(self, table: str) -> Iterator[Any]:
        """Every row of a table of working rows (`domain/carried.py`)."""


class AuditReadTransaction(DerivedReadTransaction, ReadTransaction, Protocol):
    """What verification looks at."""

    @property
    def agents(self) -> AgentAudit: ...
    @property
    def carried(self) -> KeptReader: ...


AuditStore = Store[AuditReadTransaction, WriteTransaction]


class Rebuilder(Protocol):
    """Makes the derived rows anew, in a temporary space, from the records that a transaction reads."""

    def rebuild(self, reading: AuditReadTransaction) -> AbstractContextManager[AuditReadTransaction]: ...
    @property
    def vector_model(self) -> str | None:
        """The embedding model whose vectors it makes anew; None where that would take a remote or a slow model."""
