"""Whether an answer made use of a memory: how much of what only the memory says shows up again.

A memory and an answer to a question about it always share words: the topic is common to both. What tells are the words
that carry the news: numbers, names, and what is said of the subject rather than the subject. They are looked for close
together, as an answer that uses a sentence seldom spreads it over a page.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, islice

import msgspec

from heldtrue.domain.limits import USAGE_SENTENCES_MAX, USAGE_STRETCHES_MAX
from heldtrue.language.claims.canonical import ALIASES
from heldtrue.language.dates import find_dates
from heldtrue.language.grammar.lexicon import (
    ADVERBS,
    AUXILIARIES,
    CONNECTORS,
    DETERMINERS,
    NOUNISH,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    VERBS,
)
from heldtrue.language.grammar.sentences import read_sentences
from heldtrue.language.grammar.tokens import Token, read_tokens
from heldtrue.language.grammar.verbs import find_verb
from heldtrue.language.guard import guarded
from heldtrue.language.identifiers import find_identifiers
from heldtrue.language.normalise import fold_text
from heldtrue.language.quantities import find_quantities
from heldtrue.language.terms import STOPWORDS, index_terms

USED_AT_LEAST = 0.5
"""The share from which a memory counts as used: of our labelled pairs it tells all but the hardest apart."""
_SAME_TOPIC_SHARE = 0.3
"""What an answer can get that repeats the subject of a sentence but nothing that is said of it."""
_WINDOW = 3
"""Sentences of an answer, in a row, over which one sentence of a memory may be spread."""
_SENTENCE_SHARE = 0.9
"""A single sentence repeated in full is a little less than the whole memory."""


@guarded(lambda _memory_text, _answer: False)
def is_used(memory_text: str, answer: str) -> bool:
    """Whether the answer made use of the memory."""
    return used_in_answer(memory_text, answer) >= USED_AT_LEAST


def used_in_answer(memory_text: str, answer: str) -> float:
    """How much of what a memory says shows up in an answer, from 0 to 1.

    A memory repeated word for word is 1. Of a memory of several sentences the best one counts nearly as much as all.
    Sharing common words, or the subject alone, is never more than 0.3.
    """
    said = _index_answer(answer)
    sentences = list(islice(dict.fromkeys(facts for facts in _read_facts(memory_text) if facts), USAGE_SENTENCES_MAX))
    if not said or not sentences:
        return 0.0
    if f" {fold_text(memory_text)} " in f" {fold_text(answer)} ":
        return 1.0
    shares = [(_measure_share(facts, said), sum(fact.weight for fact in facts)) for facts in sentences]
    whole = sum(share * weight for share, weight in shares) / sum(weight for _, weight in shares)
    best = max(share for share, _ in shares)
    return round(max(whole, best * (_SENTENCE_SHARE if len(shares) > 1 else 1.0)), 4)


# --- what a text says ---------------------------------------------------------------------------------


class _Fact(msgspec.Struct, frozen=True, gc=False):
    """A word, name or value of a sentence."""

    key: str
    weight: float
    is_news: bool
    """Whether it is said of the subject, and not the subject itself."""


_VALUE, _NAME, _WORD, _VERB, _COMMON = 2.5, 1.4, 1.0, 0.4, 0.3
_TELLING = 0.5
_LEAST_TOTAL = 1.5
"""A sentence of one or two words is not used because one of them comes up."""
_COMMON_WORDS = frozenset(
    """people person thing things way time times day days week month year years work team teams project system file
    files code data user users problem question answer example case part place good new old big small important use
    used using make made need want know think say said tell get got go going come back well also much many lot really
    please thanks currently possible different same first last next best better more most value default number name
    kind type option setting settings information detail details help thank sure great nice""".split()
)


@cache
def _empty_words() -> frozenset[str]:
    grammar = STOPWORDS | PRONOUNS | PREPOSITIONS | DETERMINERS | ADVERBS | SUBORDINATORS | CONNECTORS
    return grammar.union(AUXILIARIES) | {"not", "or", "yes", "no", "ok"}


def _read_facts(text: str) -> Iterator[tuple[_Fact, ...]]:
    """The facts of each sentence of a text, each once."""
    tokens = _tokens_of(text)
    for start, end in read_sentences(text, tokens):
        verb = find_verb(tokens, start, end)
        facts: dict[str, _Fact] = {}
        for place in range(start, end):
            # without a verb all is news: `timeout: 30 s`
            for key, weight in _weigh_token(text, tokens[place], opens=place == start):
                if key not in facts:
                    facts[key] = _Fact(key, weight, verb < 0 or place > verb)
        yield tuple(fact if fact.is_news else _Fact(fact.key, fact.weight / 2, False) for fact in facts.values())


def _tokens_of(text: str) -> list[Token]:
    identifiers, dates = find_identifiers(text), find_dates(text)
    return read_tokens(text, identifiers, find_quantities(text, identifiers=identifiers, dates=dates), dates)


def _weigh_token(text: str, token: Token, *, opens: bool) -> Iterator[tuple[str, float]]:
    if token.kind == "mark":
        return
    if token.kind == "value":
        digits = token.low.split(" ")[0]
        yield token.low, 0.8 if digits == token.low and len(digits) < 2 else _VALUE
        return
    written = token.low if token.kind == "quote" else text[token.start : token.end]
    for word in written.split():
        yield from _weigh_word(word, is_name=token.kind == "name" and not opens)


def _weigh_word(word: str, *, is_name: bool) -> Iterator[tuple[str, float]]:
    low = word.lower().removesuffix("'s").removesuffix("’s")
    if low in _empty_words() and not (is_name and word.isupper()):
        return
    terms = index_terms(ALIASES.get(low, word if is_name else low))
    for term in terms:
        if is_name or "_" in low:
            yield term, _NAME / max(1, len(terms))
        elif low in _COMMON_WORDS:
            yield term, _COMMON
        elif low in VERBS:
            yield term, (_COMMON + _WORD) / 2 if VERBS[low][0] in NOUNISH else _VERB
        else:
            yield term, _WORD / max(1, len(terms)) ** 0.5


def tells(word: str) -> bool:
    """Whether a word carries a topic: no word of grammar, no everyday word, and no verb that is never a noun."""
    low = word.lower()
    if low in _empty_words() or low in _COMMON_WORDS or not any(map(str.isalpha, low)):
        return False
    return low not in VERBS or VERBS[low][0] in NOUNISH


# --- what the answer repeats --------------------------------------------------------------------------


def _index_answer(answer: str) -> dict[str, list[int]]:
    """Each key of the answer with the numbers of the sentences that have it."""
    said: dict[str, list[int]] = {}
    tokens = _tokens_of(answer)
    for number, (start, end) in enumerate(read_sentences(answer, tokens)):
        for token in tokens[start:end]:
            for key, _ in _weigh_token(answer, token, opens=False):
                places = said.setdefault(key, [])
                if not places or places[-1] != number:
                    places.append(number)
    return said


def _measure_share(facts: Sequence[_Fact], said: dict[str, list[int]]) -> float:
    """The share of a sentence, by weight, that the best stretch of the answer repeats."""
    total = max(_LEAST_TOTAL, sum(fact.weight for fact in facts))
    best = 0.0
    for first in _stretches(facts, said):
        shared = [fact for fact in facts if _stands_near(said.get(fact.key, ()), first)]
        share = sum(fact.weight for fact in shared) / total
        tells = any(fact.is_news and fact.weight >= _TELLING for fact in shared)
        best = max(best, share if tells else min(share, _SAME_TOPIC_SHARE))
    return min(1.0, best)


def _stands_near(places: Sequence[int], first: int) -> bool:
    """Whether one of the places, which are in order, lies in the stretch that begins with the first."""
    at = bisect_left(places, first)
    return at < len(places) and places[at] < first + _WINDOW


def _stretches(facts: Sequence[_Fact], said: dict[str, list[int]]) -> list[int]:
    """Where a stretch of the answer may start: at a sentence that has one of the facts; rare ones tell the place."""
    places = sorted((said[fact.key] for fact in facts if fact.key in said), key=len)
    return list(
        islice(dict.fromkeys(chain.from_iterable(some[:USAGE_STRETCHES_MAX] for some in places)), USAGE_STRETCHES_MAX)
    )
