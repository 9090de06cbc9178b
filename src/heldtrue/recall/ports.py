"""What recall needs of a store beyond what others need too: the vectors, and which evidence is in quarantine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from heldtrue.domain.rows import VectorRow
from heldtrue.ports import ReadTransaction, Store, WriteTransaction


class VectorReader(Protocol):
    """What embedding models made of documents, shelf by shelf."""

    def model(self, name: str) -> tuple[int, int] | None:
        """The number and the dimension of an embedding model that has vectors here."""

    def of_shelf(self, model: int, shelf: int, *, with_tokens: bool) -> list[VectorRow]:
        """The vectors of a shelf, by document; tokens are left empty where they are not asked for."""

    def numbered(self, model: int, shelf: int, docs: Sequence[int]) -> list[VectorRow]:
        """The vectors of some documents of a shelf."""

    def tokens(self, model: int, shelf: int, docs: Sequence[int]) -> dict[int, bytes]:
        """The tokens of the first pieces of some documents."""

    def has_any(self, model: int) -> bool: ...
    def documents_written(self, *, after: int, until: int) -> list[tuple[int, int]]:
        """The shelf and the number of each document that the entries after a sequence, up to another, have written."""

    def count_documents(self, *, after: int) -> int:
        """How many versions and passages were written after a sequence."""


class VectorWriter(VectorReader, Protocol):
    """Keeps and drops vectors."""

    def register(self, name: str, dimension: int) -> int:
        """The number of an embedding model, given on first use."""

    def add(self, model: int, rows: Sequence[tuple[int, VectorRow]]) -> None:
        """Keep vectors, each with its shelf; one that is there already is replaced."""

    def drop(self, *, keep: int | None) -> None:
        """Drop the vectors of all models but one."""


class EvidenceReader(Protocol):
    """Which sources nothing may be shown of."""

    def quarantined(self, source_ids: Iterable[str]) -> set[str]:
        """Those of some sources that are in quarantine."""


class EvidenceReadTransaction(ReadTransaction, Protocol):
    """What has to be looked at before evidence is shown."""

    @property
    def sources(self) -> EvidenceReader: ...


class RecallReadTransaction(EvidenceReadTransaction, Protocol):
    """What recall looks at."""

    @property
    def vectors(self) -> VectorReader: ...


class RecallWriteTransaction(RecallReadTransaction, WriteTransaction, Protocol):
    """What recall keeps: vectors, postings and its log."""

    @property
    def vectors(self) -> VectorWriter: ...


RecallStore = Store[RecallReadTransaction, RecallWriteTransaction]
