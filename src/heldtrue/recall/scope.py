"""Stage: which part of a space a query covers, as far as the caller may see it."""

from __future__ import annotations

import msgspec

from heldtrue.domain.memory import Kind, Status
from heldtrue.domain.principal import Sight
from heldtrue.domain.rows import Collection, VersionFilter
from heldtrue.domain.times import parse_span
from heldtrue.ports import ReadTransaction
from heldtrue.recall.answer import NoteCode, RecallNote
from heldtrue.recall.index.cache import IndexCache
from heldtrue.recall.query import RecallQuery, Standpoint
from heldtrue.recall.search import Search

ITEM_KINDS = (Kind.ENTITY, Kind.CLAIM, Kind.ARTIFACT)
"""What is taken from documents: the items of a project."""


class SearchScope(msgspec.Struct, frozen=True, kw_only=True):
    """Which documents a search may find."""

    chosen: VersionFilter
    collections: tuple[Collection, ...]


def choose_scope(query: RecallQuery, standpoint: Standpoint) -> SearchScope:
    """The filter and the collections that a query asks for."""
    moment = standpoint.moment
    collections, kinds = _what_is_searched(query)
    chosen = VersionFilter(
        sight=Sight(standpoint.scopes, reader=standpoint.principal.sight.reader),
        statuses=(Status.ACTIVE.value,),
        kinds=kinds,
        min_confidence=query.min_confidence or None,
        verified_only=query.trusted,
        seq=standpoint.seq,
        valid_at=standpoint.valid_at,
        observed_after=max(0, moment - parse_span(query.max_age, field="max_age")) if query.max_age else None,
        not_ended_by=moment if standpoint.valid_at is None else None,
    )
    return SearchScope(chosen=chosen, collections=collections)


def _what_is_searched(query: RecallQuery) -> tuple[tuple[Collection, ...], tuple[str, ...]]:
    """The collections and kinds that a search covers."""
    within = set(query.within or ("memory", "items", "sources"))
    kinds = tuple(kind.value for kind in query.kinds or ())
    items = {kind.value for kind in ITEM_KINDS}
    if not kinds and {"memory", "items"} & within != {"memory", "items"}:
        kinds = tuple(kind.value for kind in Kind if (kind.value in items) == ("items" in within))
    collections = [Collection.MEMORY] if {"memory", "items"} & within else []
    collections += [name for name in (Collection.SOURCES, Collection.SESSIONS) if name.value in within]
    return tuple(collections), kinds if Collection.MEMORY in collections else ()


def open_shelves(reading: ReadTransaction, search: Search, cache: IndexCache) -> Search:
    """The search with the shelves that it looks on, and the passages there that count nowhere."""
    chosen = search.chosen
    shelves = cache.shelves(reading, search.state, search.collections, chosen.sight)
    opened = msgspec.structs.replace(search, shelves=tuple(shelves))
    evidence = opened.evidence_shelves
    return msgspec.structs.replace(opened, unseen=reading.passages.unseen(evidence, chosen.seq)) if evidence else opened


def note_unsearched(reading: ReadTransaction, search: Search) -> list[RecallNote]:
    """A note about captured conversations, where there are some that were not searched."""
    if Collection.SESSIONS in search.collections:
        return []
    if not reading.index.shelves((Collection.SESSIONS,), search.chosen.sight):
        return []
    text = "conversations were not searched; to include them, use `within` memory,items,sources,sessions"
    return [RecallNote(NoteCode.SESSIONS_NOT_SEARCHED, text)]
