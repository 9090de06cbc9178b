"""Stage: the first documents in the order that a model gives them, which reads question and text together."""

from __future__ import annotations

from collections.abc import Sequence

from heldtrue.domain.errors import ModelProblem
from heldtrue.model_ports import Reranker
from heldtrue.ports import ReadTransaction
from heldtrue.recall.answer import NoteCode, RecallNote, tell_failure
from heldtrue.recall.documents import RankedDocument, read_texts
from heldtrue.recall.score import add_up
from heldtrue.recall.search import Search

_RERANKED = 20
_RERANKER_SHARE = 0.5
"""How many of the first documents a reranker reads, and what its word counts of their scores then."""


def rerank_documents(
    reading: ReadTransaction, search: Search, ranked: Sequence[RankedDocument], reranker: Reranker | None
) -> tuple[Sequence[RankedDocument], list[RecallNote]]:
    """The documents in their new order; as they were, with a note, where the model fails."""
    if reranker is None:
        return ranked, []
    texts = read_texts(reading, ranked[:_RERANKED], search.chosen.seq)
    first = [document for document in ranked[:_RERANKED] if texts.has(document)]
    try:
        scores = reranker.rerank(search.words, [texts.text_of(document) for document in first])
        if len(scores) != len(first) or not all(0 <= score <= 1 for score in scores):
            raise ModelProblem(f"{reranker.name} returned scores of the wrong number or size.")
    except ModelProblem as problem:
        told = tell_failure(problem, search.principal)
        return ranked, [RecallNote(NoteCode.RERANKER_FAILED, f"the reranker was not used: {told}")]
    for document, score in zip(first, scores, strict=True):
        document.parts["reranker"] = score
        own = {part: weight * (1 - _RERANKER_SHARE) for part, weight in document.weights.items()}
        add_up(document, {**own, "reranker": _RERANKER_SHARE}, search)
    first.sort(key=lambda document: -document.score)
    return [*first, *ranked[_RERANKED:]], []
