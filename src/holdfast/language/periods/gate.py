"""A quick look that tells most texts from those that may name a time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from holdfast.language.periods.translations import AGO, foreign_words
from holdfast.language.periods.words import ALWAYS_TIMES, TELLING, Word


def could_name_time(text: str) -> bool:
    """Whether the text has a number or a word without which there is no time; where not, nothing else need be asked."""
    low = text.lower()
    needed, pieces, numbers = _needed()
    return not needed.isdisjoint(pieces.findall(low)) or numbers.search(low) is not None


def may_name_time(words: Sequence[Word]) -> bool:
    """The closer look, at words that were read."""
    singles, _, units = foreign_words()
    return any(
        word.kind != "word" or word.low in TELLING or word.low in singles or word.low in units or word.low == "hier"
        for word in words
        if word.kind != "mark"
    )


@cache
def _needed() -> tuple[frozenset[str], re.Pattern[str], re.Pattern[str]]:
    """The words, the pieces of a text that are compared with them, and the numbers that need none: years and ordinals.

    A piece ends at an apostrophe, so the possessive of a word has it too, and of `aujourd'hui` the last piece counts.
    """
    singles, pairs, _ = foreign_words()
    names = {*TELLING, *ALWAYS_TIMES, *AGO, "hier"}
    names.update(word for word, english in singles.items() if _tells(english))
    names.update(second for (_, second), english in pairs.items() if _tells(english))
    needed = frozenset(name.rpartition("'")[2] for name in names)
    return needed, re.compile(r"\w+"), re.compile(r"\d(?:\d{3}|st|nd|rd|th)")


def _tells(english: str) -> bool:
    return not TELLING.isdisjoint(english.split())
