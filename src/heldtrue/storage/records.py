"""What surrounds memories: evidence, tombstones, links, conflicts and saved views."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heldtrue.domain.ids import ENDING_CHARS_MIN
from heldtrue.domain.principal import EVERYTHING, Sight
from heldtrue.domain.records import Conflict, Evidence, Link, SavedView, Source, Tombstone, TombstonesMoved
from heldtrue.storage.runner import Runner, until

_EVIDENCE_WIDTH = len(Evidence.__struct_fields__)


class RecordPart:
    """The records that speak of memories."""

    __slots__ = ("_sql",)

    def __init__(self, sql: Runner) -> None:
        self._sql = sql

    def evidence_of(self, memory_ids: Sequence[str], seq: int | None = None) -> list[tuple[Evidence, Source]]:
        rows = self._sql.rows("evidence_of_memories", ids=self._sql.listing(memory_ids), seq=until(seq))
        return [(Evidence(*row[:_EVIDENCE_WIDTH]), Source(*row[_EVIDENCE_WIDTH:])) for row in rows]

    def has_evidence_by(self, memory_id: str, author: str) -> bool:
        return self._sql.row("evidence_by", memory_id=memory_id, author=author) is not None

    def tombstones_by_keys(self, keys: Iterable[int]) -> list[Tombstone]:
        return [Tombstone(*row) for row in self._sql.rows("tombstones_by_keys", keys=self._sql.listing(keys))]

    def tombstones_of(self, memory_id: str, seq: int | None = None) -> list[Tombstone]:
        return [Tombstone(*row) for row in self._sql.rows("tombstones_of_memory", memory_id=memory_id, seq=until(seq))]

    def tombstones_moved(self) -> TombstonesMoved:
        row = self._sql.row("tombstones_moved")
        return TombstonesMoved(*row) if row else TombstonesMoved()

    def tombstones_since(self, laid: int, lifted: int) -> list[Tombstone]:
        return [Tombstone(*row) for row in self._sql.rows("tombstones_since", laid=laid, lifted=lifted)]

    def rejections_page(
        self, *, by_agents: bool, lifted: bool, before: tuple[int | None, str], limit: int
    ) -> list[Tombstone]:
        wanted = {"by_agents": int(by_agents), "lifted": int(lifted)}
        page = {"before": until(before[0]), "before_id": before[1], "limit": limit}
        return [Tombstone(*row) for row in self._sql.rows("rejections_page", **wanted, **page)]

    def links_of(self, refs: Sequence[str], seq: int | None = None) -> list[Link]:
        return [Link(*row) for row in self._sql.rows("links_of_memories", ids=self._sql.listing(refs), seq=until(seq))]

    def links_ever_to(self, refs: Sequence[str], relationship: str) -> list[Link]:
        rows = self._sql.rows("links_ever_to", ids=self._sql.listing(refs), relationship=relationship)
        return [Link(*row) for row in rows]

    def open_link(self, from_id: str, to_ref: str, relationship: str) -> Link | None:
        row = self._sql.row("open_link", from_id=from_id, to_ref=to_ref, relationship=relationship)
        return Link(*row) if row else None

    def conflict(self, conflict_id: str) -> Conflict | None:
        row = self._sql.row("conflict", id=conflict_id)
        return Conflict(*row) if row else None

    def conflicts_of(self, memory_ids: Sequence[str], seq: int | None = None) -> list[Conflict]:
        rows = self._sql.rows("conflicts_of_memories", ids=self._sql.listing(memory_ids), seq=until(seq))
        return [Conflict(*row) for row in rows]

    def conflicts_by_pairs(self, pair_keys: Iterable[int]) -> list[Conflict]:
        rows = self._sql.rows("conflicts_by_pairs", pair_keys=self._sql.listing(pair_keys))
        return [Conflict(*row) for row in rows]

    def conflicts_page(
        self, *, pending: bool, sight: Sight, after: tuple[int, str] = (0, ""), limit: int
    ) -> list[Conflict]:
        page = {"pending": int(pending), "after": after[0], "after_id": after[1], "limit": limit}
        return [Conflict(*row) for row in self._sql.sighted("conflicts_page", sight, **page)]

    def is_doubted(self, memory_id: str, *, besides: str) -> bool:
        return self._sql.row("is_doubted", memory_id=memory_id, besides=besides) is not None

    def saved_view(self, author: str, name: str) -> SavedView | None:
        row = self._sql.row("saved_view", author=author, name=name)
        return SavedView(*row) if row else None

    def saved_views(self, author: str | None) -> list[SavedView]:
        rows = self._sql.rows("saved_views_of", everyone=int(author is None), author=author or "")
        return [SavedView(*row) for row in rows]

    def ids_ending(self, what: str, ending: str, *, limit: int, sight: Sight = EVERYTHING) -> list[tuple[str, str]]:
        wanted = {"last": ending[-ENDING_CHARS_MIN:], "pattern": f"%{ending}", "limit": limit}
        return [(row[0], row[1]) for row in self._sql.sighted(f"{what}_ids_ending", sight, **wanted)]
