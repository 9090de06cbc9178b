"""Stage: what is near a question in meaning, by the vectors of an embedding model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.rows import Collection
from heldtrue.language.terms import STOPWORDS, split_words, stem_word
from heldtrue.model_ports import Embedder
from heldtrue.recall.answer import NoteCode, RecallNote, tell_failure
from heldtrue.recall.documents import VectorHits
from heldtrue.recall.index.words import WordHits
from heldtrue.recall.ports import RecallReadTransaction
from heldtrue.recall.search import Search
from heldtrue.recall.tools import RecallTools

if TYPE_CHECKING:
    from heldtrue.recall.index.vectors import VectorCache


def find_by_meaning(
    reading: RecallReadTransaction, search: Search, words: WordHits, tools: RecallTools
) -> tuple[VectorHits | None, list[RecallNote]]:
    """The documents nearest to the question; None without a model, or where the profile has no use for it."""
    embedder, cache = tools.embedder, tools.vectors
    if embedder is None or cache is None or not search.profile.needs("meaning", "likeness"):
        return None, []
    try:
        plain = search.words if embedder.reads_sentences else plain_question(search.words, words.named)
        hits = _find_nearest(reading, search, embedder, cache, plain)
    except ModelProblem as problem:
        # A broken model costs the vectors and nothing else.
        told = tell_failure(problem, search.principal)
        return None, [RecallNote(NoteCode.VECTORS_FAILED, f"vectors were not used: {told}")]
    return hits, _note_missing(hits, search)


def plain_question(words: str, named: Iterable[str]) -> str:
    """A question as it is embedded: without the words that say nothing, and without those who are named in it."""
    names = frozenset(named)
    telling = [
        word
        for word in split_words(words)
        if word.casefold() not in STOPWORDS and stem_word(word.casefold().removesuffix("'s")) not in names
    ]
    return " ".join(telling) or words


def _find_nearest(
    reading: RecallReadTransaction, search: Search, embedder: Embedder, cache: VectorCache, question: str
) -> VectorHits:
    import numpy

    from heldtrue.recall.index.nearest import NearestDocuments, ShelfComparison

    embedded = embedder.embed_question(question)
    vector = numpy.frombuffer(embedded.vector, dtype=numpy.int8).astype(numpy.float32)
    length = float(numpy.linalg.norm(vector))
    vector = vector / length if length else vector
    matrices, missing = cache.matrices(reading, embedder, search.shelves, search.state, dimension=len(vector))
    compared = {shelf: ShelfComparison(matrix, vector) for shelf, matrix in matrices.items()}
    memories = [shelf.no for shelf in search.shelves if shelf.collection == Collection.MEMORY]
    passages = [shelf.no for shelf in search.shelves if shelf.collection != Collection.MEMORY]
    return VectorHits(
        vector=vector,
        tokens=embedded.tokens,
        shelves=compared,
        memory_shelves=tuple(memories),
        memories=NearestDocuments([compared[shelf] for shelf in memories]),
        passages=NearestDocuments([compared[shelf] for shelf in passages]),
        unrelated=embedder.unrelated,
        matcher=embedder.matcher,
        stores_tokens=not embedder.is_quick,
        model=search.state.model[0] if search.state.model else None,
        missing=missing,
        behind=max(missing, cache.behind),
    )


def _note_missing(hits: VectorHits, search: Search) -> list[RecallNote]:
    if not hits.missing:
        return []
    # They are those of the whole space: how many others have written is for a person to know.
    count = f"{hits.missing:,}" if search.principal.is_person else "some"
    text = f"{count} memories and passages have no vector yet; they were searched by keyword only"
    return [RecallNote(NoteCode.VECTORS_MISSING, text)]
