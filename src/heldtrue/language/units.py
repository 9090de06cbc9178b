"""The units of a text that the reader judges: each sentence, and the clauses of a sentence that has several."""

from __future__ import annotations

from heldtrue.language.extraction.clause_spans import split_clause_spans
from heldtrue.language.extraction.sentence_spans import split_sentences


def units_of(text: str) -> list[tuple[int, int]]:
    """The start and end of every unit of a text, in order; a sentence comes before its clauses."""
    spans: dict[tuple[int, int], None] = {}
    for sentence in split_sentences(text):
        spans[sentence.start, sentence.end] = None
        clauses = split_clause_spans(sentence)
        if len(clauses) > 1:
            spans |= dict.fromkeys((clause.start, clause.end) for clause in clauses)
    return list(spans)
