"""What counts without a question: the best of what is held, by how it stands."""

from __future__ import annotations

from heldtrue.ports import Reading
from heldtrue.recall.candidates import Candidate
from heldtrue.recall.index.words import WordHits
from heldtrue.recall.search import ParsedQuestion, Search
from heldtrue.recall.tell import Found, tell_results
from heldtrue.recall.weigh import absent_parts, add_up, fill_parts

_LOOKED_AT = 2_000
"""The newest so many are weighed against each other."""


def recall_standing(reading: Reading, question: Search) -> list[Found]:
    """The best of what the filter of a question lets through, by the parts that need no words."""
    asked = ParsedQuestion()
    words = WordHits()
    candidates = [Candidate(lead=lead) for lead in reading.newest_leads(question.chosen, limit=_LOOKED_AT)]
    absent = absent_parts(question, asked, words, vectors=False, tokens=False, links=False)
    weights = question.profile.in_play(absent)
    fill_parts(candidates, question, asked, words)
    for candidate in candidates:
        add_up(candidate, weights, question)
    ranked = sorted(candidates, key=lambda one: (-round(one.score, 9), -one.no))
    return tell_results(reading, question, asked, (), ranked, None)
