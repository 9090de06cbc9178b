"""Stage: what the words of a question find, with the word index or without it."""

from __future__ import annotations

from collections.abc import Sequence

from heldtrue.domain.limits import UNINDEXED_DOCUMENTS_MAX
from heldtrue.ports import ReadTransaction
from heldtrue.recall.answer import NoteCode, RecallNote
from heldtrue.recall.documents import RankedDocument
from heldtrue.recall.index.cache import IndexCache
from heldtrue.recall.index.term_postings import WordIndex
from heldtrue.recall.index.words import WordHits, find_words, read_words
from heldtrue.recall.search import Search

_ONLY_NEWEST = f"so only the newest {UNINDEXED_DOCUMENTS_MAX} memories and passages were searched"


def find_by_words(reading: ReadTransaction, search: Search, cache: IndexCache) -> tuple[WordHits, list[RecallNote]]:
    """Score the documents that have any of the question's words; a note says if the index is missing."""
    index = WordIndex(reading, search.state, search.shelves, cache, search.unseen)
    hits = find_words(index, search.question)
    if hits.missing or (not hits.documents and _is_unindexed(reading, search)):
        note = RecallNote(NoteCode.INDEX_MISSING, f"the word index is missing, {_ONLY_NEWEST}; run heldtrue reindex")
        return read_directly(reading, search), [note]
    return hits, []


def _is_unindexed(reading: ReadTransaction, search: Search) -> bool:
    """Whether there is something to be found, though the index knows of nothing."""
    if search.wants_memories and reading.memories.newest_headers(search.chosen, limit=1):
        return True
    evidence = search.evidence_shelves
    return bool(evidence and reading.passages.newest(evidence, search.chosen, limit=1))


def read_directly(reading: ReadTransaction, search: Search) -> WordHits:
    """Do without the word index: read the newest documents themselves."""
    headers = reading.memories.newest_headers(search.chosen, limit=UNINDEXED_DOCUMENTS_MAX)
    memories = {
        version.no: "\n".join(filter(None, (version.title, version.content, version.summary, version.topic)))
        for version in reading.memories.versions_numbered([header.no for header in headers])
    }
    passages = reading.passages.newest(search.evidence_shelves, search.chosen, limit=UNINDEXED_DOCUMENTS_MAX)
    found = reading.passages.texts([passage.no for passage in passages], search.chosen.seq)
    texts = {text.no: text.text for text in found}
    spoken = [(passage.no, texts.get(passage.no, ""), passage.speaker) for passage in passages]
    return read_words(memories, spoken, search.question)


def note_read_as(hits: WordHits, candidates: Sequence[RankedDocument]) -> list[RecallNote]:
    """What a mistyped word was read as, where a document that the caller may see has that word."""
    if not hits.read_as:
        return []
    seen = {(document.is_memory, document.no) for document in candidates}
    return [
        RecallNote(NoteCode.READ_AS, f'"{word}" does not occur, so "{near}" was searched for')
        for word, (near, documents) in hits.read_as.items()
        if not seen.isdisjoint(documents)
    ]
