"""Stage: what the question itself tells: words, names, times, tone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from heldtrue.domain.limits import QUERY_TERMS_MAX
from heldtrue.language.dates import MONTH_NUMBERS
from heldtrue.language.features import ROLES, SPEAKER_SIGN, name_words, wants_time
from heldtrue.language.periods import Period, find_periods
from heldtrue.language.terms import STOP_STEMS, STOPWORDS, query_terms, split_words, words_of_terms
from heldtrue.recall.search import ParsedQuestion

_YEAR = re.compile(r"(?:19|20)\d\d")


def parse_question(words: str, *, now: int) -> ParsedQuestion:
    """Take a question apart, by rules alone."""
    names = dict.fromkeys(
        word for word in name_words(words) if len(word) > 1 and word not in STOPWORDS and word not in ROLES
    )
    from heldtrue.language.tone import read_tone

    periods = find_periods(words, now=now)
    terms = _without_times(words, periods)[:QUERY_TERMS_MAX]
    return ParsedQuestion(
        terms=tuple(terms),
        mistypable=tuple(terms if len(terms) == 1 else _capitalised(words, terms)),
        speakers=tuple(SPEAKER_SIGN + word for word in list(names)[:QUERY_TERMS_MAX]),
        periods=tuple(periods),
        wants_time=wants_time(words),
        tone=read_tone(words),
    )


def _without_times(words: str, periods: Sequence[Period]) -> list[str]:
    """The terms of a question without the words of the times it names: those are held against times, not texts.

    Months and years stay, since a text that names them means the same; its "last week" is another one.
    """
    rest = words
    for period in periods:
        named = (word for word in split_words(period.words) if word.lower() in MONTH_NUMBERS or _YEAR.fullmatch(word))
        rest = rest.replace(period.words, f" {' '.join(named)} ", 1)
    terms = query_terms(rest) if rest.strip() else []
    return terms if any(term not in STOP_STEMS for term in terms) else query_terms(words)


def _capitalised(words: str, terms: Sequence[str]) -> list[str]:
    """The terms of words with a capital letter, the first word aside."""
    _, _, rest = words.partition(" ")
    return [term for term, word in words_of_terms(rest, terms) if word != word.lower()]
