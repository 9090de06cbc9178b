"""The log of recalls, and how memories have been used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import NoneType

import msgspec

from heldtrue.domain.rows import RecallRow, Use
from heldtrue.domain.times import is_moment
from heldtrue.storage.connector import Row
from heldtrue.storage.runner import Runner

LAST_RECALL = "recalls"
"""The counter of logged recalls."""


class LogPart:
    """What was asked, and what became of it."""

    __slots__ = ("_sql",)

    def __init__(self, sql: Runner) -> None:
        self._sql = sql

    def recall(self, recall_id: str) -> RecallRow | None:
        row = self._sql.row("recall_row", id=recall_id)
        return RecallRow(*row) if row else None

    def recalls(
        self, *, principal: str | None, before: int, limit: int, without: Iterable[str] = ()
    ) -> list[RecallRow]:
        whose = {"everyone": int(principal is None), "principal": principal or ""}
        rows = self._sql.rows("recall_rows", before=before, limit=limit, without=self._sql.listing(without), **whose)
        return [RecallRow(*row) for row in rows]

    def recalls_after(self, *, principal: str | None, after: int, limit: int) -> list[tuple[int, RecallRow]]:
        whose = {"everyone": int(principal is None), "principal": principal or ""}
        rows = self._sql.rows("recalls_after", after=after, limit=limit, **whose)
        return [(int(position), RecallRow(*rest)) for position, *rest in rows]

    def last_place(self) -> int:
        return self._sql.counter(LAST_RECALL)

    def uses(self, memory_ids: Sequence[str]) -> list[Use]:
        rows = self._sql.rows("uses", ids=self._sql.listing(memory_ids))
        return [Use(*row) for row in self._sql.sound("memory_use", rows, _is_sound)]

    def add(self, rows: Sequence[RecallRow]) -> None:
        # Counted on, also when older rows are dropped: whoever follows goes by the position.
        last = self.last_place()
        values = [msgspec.structs.asdict(row) | {"place": last + own} for own, row in enumerate(rows, 1)]
        self._sql.run_many("insert_recall", values)
        self._sql.run("set_index_state", name=LAST_RECALL, value=last + len(rows))

    def drop(self, before: int) -> int:
        dropped = self._sql.number("count_recalls_before", before=before)
        self._sql.run("drop_recalls", before=before)
        return dropped

    def count_uses(
        self,
        memory_ids: Sequence[str],
        *,
        recalled: int = 0,
        injected: int = 0,
        used: int = 0,
        ignored: int = 0,
        priority: float = 0.0,
        at: int | None = None,
    ) -> None:
        added = {
            "recalled": recalled, "injected": injected, "used": used, "ignored": ignored, "at": at,
            "priority": max(-1.0, min(1.0, priority)),
        }  # fmt: skip
        self._sql.run_many("count_use", [added | {"memory_id": memory_id} for memory_id in memory_ids])


_TYPES: tuple[type | tuple[type, ...], ...] = (str, int, int, int, int, (float, int), (int, NoneType))


def _is_sound(row: Row) -> bool:
    return all(map(isinstance, row, _TYPES)) and (row[6] is None or is_moment(row[6]))
