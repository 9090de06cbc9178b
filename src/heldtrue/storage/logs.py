"""The rows of the recall log, of use, and of saved views."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from heldtrue.domain.records import SavedView
from heldtrue.ports import RecallRow, Use
from heldtrue.storage.rows import Rows

_PLACE = "recalls"
"""The counter of logged recalls."""


class LogRows(Rows):
    """The recall log, and how memories were used."""

    def recall_row(self, recall_id: str) -> RecallRow | None:
        row = self._row("recall_row", id=recall_id)
        return RecallRow(*row) if row else None

    def recall_rows(
        self, *, principal: str | None, before: int, limit: int, without: Iterable[str] = ()
    ) -> list[RecallRow]:
        whose = {"everyone": int(principal is None), "principal": principal or ""}
        rows = self._rows("recall_rows", before=before, limit=limit, without=self._listing(without), **whose)
        return [RecallRow(*row) for row in rows]

    def recalls_after(self, *, principal: str | None, after: int, limit: int) -> list[tuple[int, RecallRow]]:
        values = {"everyone": int(principal is None), "principal": principal or ""}
        rows = self._rows("recalls_after", after=after, limit=limit, **values)
        return [(int(number), RecallRow(*rest)) for number, *rest in rows]

    def log_recalls(self, rows: Sequence[RecallRow]) -> None:
        # Counted on, also when older rows are dropped: whoever follows goes by the place.
        place = self._place()
        values = [msgspec.structs.asdict(row) | {"place": place + own} for own, row in enumerate(rows, 1)]
        self._connection.run_many(self._sql["insert_recall"], values)
        self._run("set_index_state", name=_PLACE, value=place + len(rows))

    def last_recall_place(self) -> int:
        return self._place()

    def _place(self) -> int:
        row = self._row("index_state", name=_PLACE)
        return int(row[0]) if row else 0

    def drop_recalls(self, before: int) -> int:
        row = self._row("count_recalls_before", before=before)
        self._run("drop_recalls", before=before)
        return int(row[0]) if row else 0

    def uses(self, memory_ids: Sequence[str]) -> list[Use]:
        return [Use(*row) for row in self._rows("uses", ids=self._listing(memory_ids))]

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
        rows = [added | {"memory_id": memory_id} for memory_id in memory_ids]
        self._connection.run_many(self._sql["count_use"], rows)

    def saved_view(self, author: str, name: str) -> SavedView | None:
        row = self._row("saved_view", author=author, name=name)
        return SavedView(*row) if row else None

    def saved_views(self, author: str | None) -> list[SavedView]:
        rows = self._rows("saved_views_of", everyone=int(author is None), author=author or "")
        return [SavedView(*row) for row in rows]
