"""Looking up words: how much of what a question asks for is said in a document, around it and in its thread.

All of it is read from postings (domain/posting.py): the text of a document is not needed to score it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

import msgspec

from heldtrue.domain.posting import PLACES_MAX, pack_posting
from heldtrue.language.features import SAYS_WHEN, SPEAKER_SIGN, ends_asking, speaker_marks, text_marks
from heldtrue.language.terms import stem_word, weigh_terms
from heldtrue.recall.index.best_scores import MemoryScores
from heldtrue.recall.index.mistyped import Readings, read_mistyped
from heldtrue.recall.index.postings import find_posting
from heldtrue.recall.index.scoring import (
    MANY_POSTINGS,
    find_asking,
    score_memories,
    score_passages,
    score_threads,
)
from heldtrue.recall.index.term_postings import TermPostings, WordIndex, gather_postings
from heldtrue.recall.search import ParsedQuestion


class PostedDocs(Container[int]):
    """The documents with a word, if they are too many to list; postings are sorted."""

    def __init__(self, lists: Sequence[Sequence[int]]) -> None:
        self._lists = lists

    def __contains__(self, doc: object) -> bool:
        return isinstance(doc, int) and any(find_posting(postings, doc) is not None for postings in self._lists)


class WordHits(msgspec.Struct, frozen=True, kw_only=True):
    """The result of looking up the words of a question."""

    memories: dict[int, float] | MemoryScores = {}
    passages: dict[int, float] = {}
    """The share of the question that a passage and its neighbours cover."""
    threads: dict[int, float] = {}
    """The same for a whole thread."""
    spoken: set[int] = set()
    """The passages of the speakers that the question names."""
    named: frozenset[str] = frozenset()
    """The terms of the question that name a speaker."""
    dated: tuple[Container[int], Container[int]] = (frozenset(), frozenset())
    """The memories and the passages that say when, where that was asked for."""
    asking: frozenset[int] = frozenset()
    """The passages that ask something, with one of the words."""
    documents: int = 0
    """How many documents the index has on these shelves."""
    missing: bool = False
    """Whether expected postings are missing."""
    read_as: Readings = {}
    """Words of the question that occur nowhere, and the words that they were read as."""


def find_words(index: WordIndex, question: ParsedQuestion) -> WordHits:
    """Score every document on the shelves of an index that has any of a question's words."""
    marks = (SAYS_WHEN,) if question.wants_time else ()
    memory, evidence = gather_postings(index, (*question.terms, *question.speakers, *marks))
    read_as = read_mistyped(index, question, memory, evidence)
    threads = index.reading.passages.count_threads([shelf.no for shelf in index.shelves]) if evidence.lists else 0
    return msgspec.structs.replace(
        _score_all(memory, evidence, question, threads),
        documents=memory.docs + evidence.docs,
        missing=not (memory.shelves or evidence.shelves) and _lacks_postings(index),
        read_as=read_as,
    )


def read_words(
    memories: Mapping[int, str], passages: Iterable[tuple[int, str, str | None]], question: ParsedQuestion
) -> WordHits:
    """The same from the texts themselves, for when there is no index; a passage comes with its speaker."""
    memory, evidence = TermPostings(), TermPostings()
    for number, text in memories.items():
        _add_text(memory, number, text, ())
    threads = set()
    for number, text, speaker in passages:
        _add_text(evidence, number, text, speaker_marks(speaker))
        threads.add(number // PLACES_MAX)
    return _score_all(memory, evidence, question, len(threads))


def _score_all(memory: TermPostings, evidence: TermPostings, question: ParsedQuestion, threads: int) -> WordHits:
    spoken, named = _find_speakers(evidence, question)
    terms = [term for term in question.terms if term not in named] or list(question.terms)
    return WordHits(
        memories=score_memories(memory, question.terms),
        passages=score_passages(evidence, terms),
        threads=score_threads(evidence, terms, threads),
        spoken=spoken,
        named=named,
        dated=(_dated(memory), _dated(evidence)),
        asking=find_asking(evidence, terms),
    )


def _add_text(postings: TermPostings, number: int, text: str, marks: Iterable[str]) -> None:
    terms, length = weigh_terms(((text, 1.0),))
    for term, weight in (terms | dict.fromkeys((*text_marks(text), *marks), 1.0)).items():
        lists = postings.lists.setdefault(term, [[]])
        lists[0] = [*lists[0], pack_posting(number, weight, length, asks=ends_asking(text))]
    postings.docs += 1
    postings.tokens += length


def _lacks_postings(index: WordIndex) -> bool:
    """Whether documents were posted on the shelves of an index, but no posting is there."""
    posted = [shelf.no for shelf in index.shelves if shelf.docs]
    return bool(posted) and not index.reading.index.has_postings(posted)


def _find_speakers(evidence: TermPostings, question: ParsedQuestion) -> tuple[set[int], frozenset[str]]:
    """The speakers that the question names, and their passages."""
    spoken: set[int] = set()
    named = set()
    for mark in question.speakers:
        if docs := evidence.docs_of(mark):
            named.add(stem_word(mark.removeprefix(SPEAKER_SIGN)))
            spoken |= docs
    return spoken, frozenset(named)


def _dated(postings: TermPostings) -> Container[int]:
    if postings.count(SAYS_WHEN) < MANY_POSTINGS:
        return postings.docs_of(SAYS_WHEN)
    return PostedDocs(postings.lists[SAYS_WHEN])
