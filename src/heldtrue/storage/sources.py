"""Sources, the threads they stand in, their archiving and their quarantine."""

from __future__ import annotations

from collections.abc import Iterable

from heldtrue.domain.limits import SOURCE_HEAD_CHARS_MAX
from heldtrue.domain.privacy import Privacy
from heldtrue.domain.records import Quarantine, Source, SourceKind
from heldtrue.domain.rows import SourceHead
from heldtrue.storage.filters import owner_of
from heldtrue.storage.runner import Runner


class SourcePart:
    """Raw evidence, as it was captured."""

    __slots__ = ("_sql",)

    def __init__(self, sql: Runner) -> None:
        self._sql = sql

    def get(self, source_id: str) -> Source | None:
        row = self._sql.row("source", id=source_id)
        return Source(*row) if row else None

    def by_lookup(self, lookup_key: int) -> Source | None:
        row = self._sql.row("source_by_lookup", lookup_key=lookup_key)
        return Source(*row) if row else None

    def memories_of(self, source_id: str) -> list[str]:
        return [row[0] for row in self._sql.rows("memories_of_source", source_id=source_id)]

    # Threads

    def thread_length(self, thread: str, scope: str, privacy: Privacy) -> int:
        return self._sql.number("thread_length", thread=thread, scope=scope, owner=owner_of(privacy))

    def thread_turns(self, thread: str, scope: str, privacy: Privacy, *, limit: int) -> list[Source]:
        rows = self._sql.rows("thread_turns", thread=thread, scope=scope, owner=owner_of(privacy), limit=limit)
        return [Source(*row) for row in rows]

    def turns_before(self, source: Source, *, limit: int) -> list[Source]:
        return [Source(*row) for row in reversed(self._sql.rows("turns_before", **_place_of(source), limit=limit))]

    def documents_after(self, source: Source) -> list[Source]:
        return self._documents("documents_after", source)

    def documents_before(self, source: Source) -> list[Source]:
        return self._documents("documents_before", source)

    def _documents(self, name: str, source: Source) -> list[Source]:
        if source.kind != SourceKind.DOCUMENT:
            return []
        # What has no thread, reference or place is compared with nothing and so has no other texts.
        values = _place_of(source) | {"reference": source.reference, "author": source.author}
        return [Source(*row) for row in self._sql.rows(name, **values)]

    def documents_between(self, after: str, last: str, *, author: str, scope: str) -> list[tuple[str, str, str]]:
        rows = self._sql.rows("documents_between", after=after, last=last, author=author, scope=scope)
        return [(source_id, thread, reference) for source_id, thread, reference in rows]

    # Archiving

    def archivable(
        self, scope: str, *, latest: int, after: str, limit: int, archived_too: bool = False
    ) -> list[SourceHead]:
        where = {"everywhere": int(not scope), "scope": scope, "latest": latest, "after": after}
        where["archived_too"] = int(archived_too)
        rows = self._sql.rows("archivable_sources", **where, chars=SOURCE_HEAD_CHARS_MAX, limit=limit)
        return [SourceHead(*row) for row in rows]

    def was_archived(self, source_id: str) -> bool:
        return self._sql.number("archivings_of_source", source_id=source_id) > 0

    # Quarantine

    def open_quarantine(self, source_id: str) -> Quarantine | None:
        row = self._sql.row("open_quarantine", source_id=source_id)
        return Quarantine(*row) if row else None

    def quarantined(self, source_ids: Iterable[str]) -> set[str]:
        return {row[0] for row in self._sql.rows("quarantined", ids=self._sql.listing(source_ids))}


def _place_of(source: Source) -> dict[str, object]:
    """Where a source stands in its thread."""
    return {"thread": source.thread, "scope": source.scope, "owner": owner_of(source.privacy), "place": source.place}
