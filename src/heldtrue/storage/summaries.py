"""Summaries of categories. All of them derived; the older ones are kept to look at."""

from __future__ import annotations

import msgspec

from heldtrue.domain.job import SummaryRow
from heldtrue.storage.runner import Runner


class SummaryPart:
    """What is known of a category in a scope, as text."""

    __slots__ = ("_sql",)

    def __init__(self, sql: Runner) -> None:
        self._sql = sql

    def of_category(self, scope: str, category: str, *, limit: int) -> list[SummaryRow]:
        return [SummaryRow(*row) for row in self._sql.rows("summaries_of", scope=scope, category=category, limit=limit)]

    def current(self) -> list[SummaryRow]:
        return [SummaryRow(*row) for row in self._sql.rows("current_summaries")]

    def keep(self, summary: SummaryRow) -> None:
        self.end(summary.scope, summary.category, summary.made_at)
        values = msgspec.structs.asdict(summary)
        self._sql.run("insert_summary", **{name: value for name, value in values.items() if name != "replaced_at"})

    def end(self, scope: str, category: str, moment: int) -> None:
        self._sql.run("replace_summary", scope=scope, category=category, replaced_at=moment)
