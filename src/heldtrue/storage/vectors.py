"""Vectors of memories and passages. All of them derived."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.domain.rows import VectorRow
from heldtrue.storage.connector import Row
from heldtrue.storage.runner import Runner


class VectorPart:
    """What embedding models made of documents, shelf by shelf."""

    __slots__ = ("_sql",)

    def __init__(self, sql: Runner) -> None:
        self._sql = sql

    def model(self, name: str) -> tuple[int, int] | None:
        row = self._sql.row("model_named", name=name)
        return (int(row[0]), int(row[1])) if row else None

    def of_shelf(self, model: int, shelf: int, *, with_tokens: bool) -> list[VectorRow]:
        if with_tokens:
            return self._read(self._sql.rows("vectors_of", model=model, shelf=shelf))
        return self._read([(*row, b"") for row in self._sql.rows("bare_vectors_of", model=model, shelf=shelf)])

    def numbered(self, model: int, shelf: int, docs: Sequence[int]) -> list[VectorRow]:
        rows = self._sql.rows("vectors_numbered", model=model, shelf=shelf, docs=self._sql.listing(docs))
        return self._read(rows)

    def _read(self, rows: list[Row]) -> list[VectorRow]:
        return [VectorRow(*row) for row in self._sql.sound("vectors", rows, _is_sound)]

    def tokens(self, model: int, shelf: int, docs: Sequence[int]) -> dict[int, bytes]:
        rows = self._sql.rows("vector_tokens", model=model, shelf=shelf, docs=self._sql.listing(docs))
        return {row[0]: row[1] for row in rows if isinstance(row[1], bytes)}

    def has_any(self, model: int) -> bool:
        return self._sql.row("any_vector", model=model) is not None

    def documents_written(self, *, after: int, until: int) -> list[tuple[int, int]]:
        return [(row[0], row[1]) for row in self._sql.rows("documents_written", after=after, until=until)]

    def count_documents(self, *, after: int) -> int:
        return self._sql.number("count_documents", after=after)

    def register(self, name: str, dimension: int) -> int:
        known = self.model(name)
        if known is None:
            self._sql.run("insert_model", name=name, dimension=dimension)
            known = self.model(name)
        assert known is not None
        return known[0]

    def add(self, model: int, rows: Sequence[tuple[int, VectorRow]]) -> None:
        values = [{"model": model, "shelf": shelf} | msgspec.structs.asdict(row) for shelf, row in rows]
        self._sql.run_many("insert_vector", values)

    def drop(self, *, keep: int | None) -> None:
        self._sql.run("drop_vectors", keep=-1 if keep is None else keep)


_TYPES = (int, int, bytes, bytes)


def _is_sound(row: Row) -> bool:
    return all(map(isinstance, row, _TYPES))
