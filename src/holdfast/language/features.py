"""Marks of a text that are no words of it but can be looked up like words: who speaks, and what sort of thing it says.

A mark starts with a sign that no term starts with, so the two never meet.
"""

from __future__ import annotations

import re

from holdfast.language.terms import split_words

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


def text_marks(text: str) -> list[str]:
    """What sort of thing a text says: so far, when something was."""
    from holdfast.language.periods import has_time_words

    return [SAYS_WHEN] if has_time_words(text) else []


_ASIDE = re.compile(r"\s*\[[^\]]*\]\s*$")


def ends_asking(text: str) -> bool:
    """Whether a text ends with a question; a note in brackets after it does not count."""
    return _ASIDE.sub("", text[-500:]).rstrip().endswith(("?", "？"))
