"""Marks of a text that are no words of it but can be looked up like words: who speaks, and what sort of thing it says.

A mark starts with a sign that no term starts with, so the two never meet.
"""

from __future__ import annotations

import re
from functools import cache

from heldtrue.domain.posting import Words
from heldtrue.language.guard import guarded
from heldtrue.language.terms import split_words, weigh_terms

SPEAKER_SIGN = "@"
SAYS_WHEN = "#when"
ROLES = frozenset("user assistant system tool human agent ai bot model developer".split())
"""Words that say in what role someone speaks; they name nobody."""


def speaker_marks(speaker: str | None) -> list[str]:
    """The marks of whoever speaks: one for each word of the name."""
    return [SPEAKER_SIGN + word for word in name_words(speaker or "") if word not in ROLES]


def name_words(text: str) -> list[str]:
    """The words of a text as names are compared: folded, without a possessive ending."""
    return [word.casefold().replace("’", "'").removesuffix("'s").rstrip("'") for word in split_words(text)]


@cache
def _lasting() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:\w+ (?:hours?|days?|nights?|weeks?|weekends?|months?|years?)|recently|lately|since|ago|daily|weekly"
        r"|monthly|yearly|annual(?:ly)?|birthday|anniversary|tonight|nowadays)\b",
        re.IGNORECASE,
    )


_HOW_LONG = re.compile(r"\bhow (?:long|often|old|soon|recently)\b", re.IGNORECASE)


@guarded(lambda _text: [])
def text_marks(text: str) -> list[str]:
    """What sort of thing a text says: so far, when something was, how long it took, or how often it is."""
    from heldtrue.language.periods import has_time_words

    return [SAYS_WHEN] if _lasting().search(text) or has_time_words(text) else []


def _count_plainly(*texts: str | None) -> Words:
    """The words of texts that could not be taken apart, without their marks."""
    words = " ".join(filter(None, texts)).casefold().split()
    return Words(dict.fromkeys(words, 1.0), len(words))


@guarded(_count_plainly)
def count_words(content: str, title: str | None, summary: str | None, topic: str | None) -> Words:
    """The words by which a memory is found."""
    fields = ((title, _TITLE_WEIGHT), (content, 1.0), (summary, 1.0), (topic, _TOPIC_WEIGHT))
    weights, length = weigh_terms(fields)
    return Words(weights | dict.fromkeys(text_marks(content), 1.0), length)


@guarded(_count_plainly)
def count_passage(text: str, around: str) -> Words:
    """The words by which a piece of evidence is found, and those of what it stands under."""
    from heldtrue.language.normalise import clean_text  # only a write needs it

    # Raw evidence may hide characters inside its words; the index has the words as a reader sees them.
    weights, length = weigh_terms(((clean_text(text), 1.0), (around, _AROUND_WEIGHT)))
    return Words(weights | dict.fromkeys(text_marks(text), 1.0), length, ends_asking(text))


_TITLE_WEIGHT, _TOPIC_WEIGHT = 2.0, 1.5
_AROUND_WEIGHT = 0.5
"""A word of the heading a passage stands under counts half of one in the passage itself."""


@guarded(lambda _question: False)
def wants_time(question: str) -> bool:
    """Whether a question asks when, how long or how often."""
    from heldtrue.language.periods import asks_when

    return asks_when(question) or _HOW_LONG.search(question) is not None


_ASIDE = re.compile(r"\s*\[[^\]]*\]\s*$")


@guarded(lambda _text: False)
def ends_asking(text: str) -> bool:
    """Whether a text ends with a question; a note in brackets after it does not count."""
    return _ASIDE.sub("", text[-500:]).rstrip().endswith(("?", "？"))
