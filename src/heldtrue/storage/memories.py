"""The versions of memories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heldtrue.domain.memory import STALE_AFTER_US, MemoryVersion
from heldtrue.domain.principal import Sight
from heldtrue.domain.rows import RankedHeader, VersionFilter
from heldtrue.storage.connector import Row
from heldtrue.storage.runner import LATEST, Runner, until


class MemoryPart:
    """Memories as they are now, and as they were."""

    __slots__ = ("_sql",)

    def __init__(self, sql: Runner) -> None:
        self._sql = sql

    def version(self, memory_id: str, seq: int | None = None) -> MemoryVersion | None:
        if seq is None:
            row = self._sql.row("current_version", memory_id=memory_id)
        else:
            row = self._sql.row("version_at", memory_id=memory_id, seq=seq)
        return MemoryVersion(*row) if row else None

    def versions(self, memory_id: str, seq: int | None = None) -> list[MemoryVersion]:
        return [MemoryVersion(*row) for row in self._sql.rows("versions_of", memory_id=memory_id, seq=until(seq))]

    def current_versions(self, memory_ids: Sequence[str]) -> list[MemoryVersion]:
        return [MemoryVersion(*row) for row in self._sql.rows("current_of_memories", ids=self._sql.listing(memory_ids))]

    def versions_numbered(self, numbers: Iterable[int]) -> list[MemoryVersion]:
        rows = self._sql.rows("versions_numbered", numbers=self._sql.listing(numbers))
        return [MemoryVersion(*row) for row in rows]

    def versions_page(self, *, after: int, limit: int) -> list[MemoryVersion]:
        return [MemoryVersion(*row) for row in self._sql.rows("versions_page", after=after, limit=limit)]

    def list_versions(self, chosen: VersionFilter, *, before: int | None, limit: int) -> list[MemoryVersion]:
        rows = self._sql.filtered("list_versions", chosen, before=LATEST if before is None else before, limit=limit)
        return [MemoryVersion(*row) for row in rows]

    def headers(self, numbers: Iterable[int], chosen: VersionFilter) -> list[RankedHeader]:
        return self._headers(self._sql.filtered("headers", chosen, numbers=self._sql.listing(numbers)))

    def newest_headers(self, chosen: VersionFilter, *, limit: int) -> list[RankedHeader]:
        return self._headers(self._sql.filtered("newest_headers", chosen, limit=limit))

    def _headers(self, rows: list[Row]) -> list[RankedHeader]:
        # Use counts that cannot be are left out; the memory itself is not.
        if not all(map(_has_use, rows)):
            self._sql.damaged.add("memory_use")
            rows = [row if _has_use(row) else (*row[:-2], None, None) for row in rows]
        return [RankedHeader(*row) for row in rows]

    def live_by_keys(self, keys: Iterable[int], *, limit: int) -> list[MemoryVersion]:
        # Nearly every new memory has no neighbour, and finding that out alone takes a sixth of the time.
        numbers = {row[1] for row in self._sql.rows("numbers_by_keys", keys=self._sql.listing(keys))}
        return self._live_by_numbers(numbers, limit=limit) if numbers else []

    def live_under_keys(self, keys: Iterable[int], *, limit: int) -> dict[int, list[MemoryVersion]]:
        listed = self._sql.listing(keys)
        pairs = self._sql.rows("numbers_by_keys", keys=listed)
        if len(pairs) > limit:
            pairs = self._sql.rows("first_by_keys", keys=listed, limit=limit)
        under: dict[int, list[int]] = {}
        for key, number in pairs:
            under.setdefault(number, []).append(key)
        found: dict[int, list[MemoryVersion]] = {}
        for version in self._live_by_numbers(under, limit=len(under)) if under else ():
            for key in under[version.no]:
                found.setdefault(key, []).append(version)
        return found

    def _live_by_numbers(self, numbers: Iterable[int], *, limit: int) -> list[MemoryVersion]:
        rows = self._sql.rows("live_by_numbers", numbers=self._sql.listing(numbers), limit=limit)
        return [MemoryVersion(*row) for row in rows]

    def numbers_sharing_keys(self) -> set[int]:
        return {row[0] for row in self._sql.rows("numbers_sharing_keys")}

    def next_version_no(self) -> int:
        return self._sql.number("next_version_no")

    def counts(self, *, sight: Sight, now: int) -> list[Row]:
        terms = {policy.value: now - term for policy, term in STALE_AFTER_US.items() if term}
        return self._sql.sighted("count_by", sight, **terms)


def _has_use(row: Row) -> bool:
    """Whether the priority and the count at the end of a row can be used, or are not there."""
    priority, recalled = row[-2], row[-1]
    return priority is None or (
        isinstance(priority, (float, int)) and isinstance(recalled, int) and -1 <= priority <= 1
    )
