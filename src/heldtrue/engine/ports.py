"""What the engine needs of a store beyond what ingest and recall need: the summaries. It is all of a transaction."""

from __future__ import annotations

from typing import Protocol

from heldtrue.audit.ports import DerivedReader
from heldtrue.domain.job import SummaryRow
from heldtrue.ingest.ports import CarriedWriter, IngestReadTransaction, IngestWriteTransaction
from heldtrue.ports import Store
from heldtrue.projections.ports import CarriedReader
from heldtrue.recall.ports import RecallReadTransaction, RecallWriteTransaction


class SummaryReader(Protocol):
    """What is known of a category in a scope, as text."""

    def of_category(self, scope: str, category: str, *, limit: int) -> list[SummaryRow]:
        """The summaries of a category in a scope, newest first."""

    def current(self) -> list[SummaryRow]: ...


class SummaryWriter(SummaryReader, Protocol):
    """Puts a summary in the place of the one before."""

    def keep(self, summary: SummaryRow) -> None:
        """Store a new summary; the previous one is kept."""

    def end(self, scope: str, category: str, moment: int) -> None:
        """End a summary whose category has no memories left."""


class EngineReadTransaction(IngestReadTransaction, RecallReadTransaction, Protocol):
    """A consistent view of a space with all its parts."""

    @property
    def summaries(self) -> SummaryReader: ...
    @property
    def carried(self) -> CarriedReader: ...
    @property
    def derived(self) -> DerivedReader: ...


class CarriedRows(CarriedReader, CarriedWriter, Protocol):
    """Working rows that travel, to be read and written."""


class EngineWriteTransaction(EngineReadTransaction, IngestWriteTransaction, RecallWriteTransaction, Protocol):
    """The one write transaction of a space with all its parts."""

    @property
    def summaries(self) -> SummaryWriter: ...
    @property
    def carried(self) -> CarriedRows: ...


EngineStore = Store[EngineReadTransaction, EngineWriteTransaction]
