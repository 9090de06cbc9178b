"""Finds the memories near a statement, for whoever compares them: by words, and by vectors where they cost little."""

from __future__ import annotations

from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.principal import Principal
from heldtrue.recall.candidates import choose_memories
from heldtrue.recall.documents import Hits
from heldtrue.recall.links import follow_near
from heldtrue.recall.meaning import find_by_meaning
from heldtrue.recall.pipeline import plan_search
from heldtrue.recall.ports import RecallReadTransaction
from heldtrue.recall.query import RecallQuery, SearchSettings, Standpoint
from heldtrue.recall.scope import open_shelves
from heldtrue.recall.tools import RecallTools
from heldtrue.recall.words import find_by_words


def find_near(
    reading: RecallReadTransaction,
    text: str,
    standpoint: Standpoint,
    tools: RecallTools,
    settings: SearchSettings,
) -> list[MemoryVersion]:
    """The active memories of some scopes that are nearest to a statement, in no particular order."""
    if tools.embedder is not None and not tools.embedder.is_quick:
        tools = tools.without_models()
    query = RecallQuery(context=text, within=("memory", "items"))
    search = open_shelves(reading, plan_search(reading, query, standpoint, tools, settings, words=text), tools.words)
    words, _ = find_by_words(reading, search, tools.words)
    vectors, _ = find_by_meaning(reading, search, words, tools)
    hits = Hits(words, vectors, follow_near(reading, search))
    nearest = vectors.memories if vectors is not None else None
    found = choose_memories(reading, search.chosen, hits.words.memories, nearest, (), limit=search.limit)
    return reading.memories.versions_numbered(document.no for document in found)


def look_from(principal: Principal, scope: str, now: int) -> Standpoint:
    """A search of one scope now, with the sight of a principal."""
    return Standpoint(principal=principal, now=now, moment=now, scopes=(scope,))
