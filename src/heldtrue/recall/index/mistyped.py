"""Spelling correction: reads an unknown word of a question as a known word within one or two typing mistakes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heldtrue.recall.index.term_postings import TermPostings, WordIndex, gather_postings
from heldtrue.recall.search import ParsedQuestion

_LETTERS_FROM, _WORDS_TRIED, _VOCABULARY_TRIED = 4, 3, 5_000
"""From how many letters on a word may be mistyped, how many words of a question may be, and among how many known words
with the same first letter the right one is looked for."""

Readings = dict[str, tuple[str, set[tuple[bool, int]]]]
"""Each mistyped word, the word it was read as, and the documents that have that one (True for a memory)."""


def read_mistyped(index: WordIndex, question: ParsedQuestion, memory: TermPostings, evidence: TermPostings) -> Readings:
    """Replace unknown words with the nearest known words, and add the postings of those."""
    unknown = _unknown_words(question, memory, evidence)
    if not unknown:
        return {}
    read_as = _find_similar(index, unknown)
    if read_as:
        for postings, more in zip((memory, evidence), gather_postings(index, list(read_as.values())), strict=True):
            _add_under(read_as, postings, more)
    return {
        term: (word, {(True, doc) for doc in memory.docs_of(term)} | {(False, doc) for doc in evidence.docs_of(term)})
        for term, word in read_as.items()
    }


def _unknown_words(question: ParsedQuestion, memory: TermPostings, evidence: TermPostings) -> list[str]:
    """The words of a question that may be misspelled, because no document contains them."""
    unknown = [term for term in question.mistypable if term not in memory.lists and term not in evidence.lists]
    return [term for term in unknown if len(term) >= _LETTERS_FROM and term.isalpha()][:_WORDS_TRIED]


def _find_similar(index: WordIndex, unknown: Sequence[str]) -> dict[str, str]:
    """The nearest known word for each unknown word that has one near enough."""
    from heldtrue.language.names import near_names

    similar: dict[str, str] = {}
    for term in unknown:
        near = [word for word in near_names(term, _known_words(index, term[0])) if word.isalpha()]
        if near:
            similar[term] = near[0]
    return similar


def _known_words(index: WordIndex, letter: str) -> set[str]:
    """The known words with a given first letter on the shelves of a search."""
    numbers = [shelf.no for shelf in index.shelves]
    posted = index.reading.index.terms_between(numbers, letter, chr(ord(letter) + 1), limit=_VOCABULARY_TRIED)
    pending, _ = index.cache.follow(index.reading, index.state)
    fresh = (
        word
        for word, postings in list(pending.items())
        if word[0] == letter and any(number in numbers for number, _ in postings)
    )
    return {*posted, *fresh}


def _add_under(read_as: Mapping[str, str], postings: TermPostings, more: TermPostings) -> None:
    """Store the postings of the corrected words under the misspelled ones."""
    postings.lists |= {term: more.lists[word] for term, word in read_as.items() if word in more.lists}
    for shelf, lists in more.shelves.items():
        own = postings.shelves.setdefault(shelf, {})
        own |= {term: lists[word] for term, word in read_as.items() if word in lists}
