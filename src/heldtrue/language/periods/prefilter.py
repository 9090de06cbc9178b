"""A quick look that tells most texts from those that may name a time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from heldtrue.language.periods.foreign_time_words import AGO, foreign_words
from heldtrue.language.periods.words import ALWAYS_TIMES, TELLING, Word

_ASCII_WORDS = "".join(chr(code).lower() if chr(code).isalnum() or code == ord("_") else " " for code in range(128))


def could_name_time(text: str) -> bool:
    """Whether the text has a number or a word without which there is no time; where not, nothing else need be asked."""
    needed, word_piece, number = _needed()
    # Most texts are ASCII, and then this is three times as fast as the pattern.
    pieces = text.translate(_ASCII_WORDS).split() if text.isascii() else word_piece.findall(text.lower())
    return not needed.isdisjoint(pieces) or number.search(text) is not None


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
