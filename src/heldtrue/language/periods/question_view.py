"""The words of a question as the rules see them, and what several rules ask of a place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import cache

import msgspec

from heldtrue.domain.limits import PERIOD_DEPTH_MAX
from heldtrue.language.dates import MONTH_NUMBERS
from heldtrue.language.periods.spans import Span
from heldtrue.language.periods.words import ARTICLES, MONTHS, TRIGGERS, YEARLY, Word
from heldtrue.language.terms import STOPWORDS


class View(msgspec.Struct, frozen=True):
    """The words of a question and the day on which it is asked."""

    words: Sequence[Word]
    today: date
    now: int
    reader: Rule
    """What reads any time: many a rule tells its own from another."""
    expected: int = -1
    """The place where the words before have announced a time, so that words with other meanings count too."""
    depth: int = 0
    """How many times this one is told from: `the day before the Friday before 20 May`."""

    def low(self, place: int) -> str:
        return self.words[place].low if 0 <= place < len(self.words) else ""

    def kind(self, place: int) -> str:
        return self.words[place].kind if 0 <= place < len(self.words) else ""

    def read(self, place: int) -> Span | None:
        """The time named from this place on."""
        return self.reader(self, place)

    def expect(self, place: int) -> Span | None:
        """The time named from this place on, after words that announce one."""
        if self.depth == PERIOD_DEPTH_MAX:
            return None
        place = skip_articles(self, place)
        return View(self.words, self.today, self.now, self.reader, place, self.depth + 1).read(place)


Rule = Callable[[View, int], Span | None]
"""What reads one sort of time from a place on, or says that there is none."""


def skip_articles(view: View, place: int) -> int:
    """The place after at most two articles: more would be no sentence, and a long text of them slow."""
    for _ in range(2):
        place += view.low(place) in ARTICLES
    return place


def number_at(view: View, place: int) -> int:
    digits = view.low(place).rstrip("stndrh")
    return int(digits) if digits.isdecimal() else 0


def month_at(view: View, place: int) -> int:
    low = view.low(place)
    return MONTH_NUMBERS[low] if view.kind(place) == "word" and low in MONTHS else 0


def year_at(view: View, place: int) -> tuple[int, int]:
    """The year said here and the place after it, or zero: `2022`, `of 2022`, `last year`."""
    if view.low(place) in ("of", "in") and (view.kind(place + 1) == "date" or view.low(place + 1) in YEARLY):
        place += 1
    low = view.low(place)
    if (view.kind(place) == "date" and len(low) == 4) or (view.kind(place) == "number" and 1900 <= int(low) < 2100):
        return int(low), place + 1
    if low in YEARLY and view.low(place + 1) == "year":
        return view.today.year + YEARLY[low], place + 2
    return 0, place


def counts_something(view: View, place: int) -> bool:
    """Whether the number here counts what follows: `20 files`, `2000 ms`."""
    following = view.low(place + 1)
    if view.kind(place + 1) != "word" or following in _grammar()[0]:
        return False
    return following.endswith("s") or is_measure(following) or following in ("people", "percent", "of")


def is_free(view: View, place: int) -> bool:
    """Whether no noun follows that would make the word before it a part of another name: `spring boot`."""
    if place >= len(view.words):
        return True
    word = view.words[place]
    if word.kind == "mark":
        return word.low in "?.,;:!)…\"'”»" or word.start > view.words[place - 1].end
    return word.kind == "date" or word.low in _grammar()[0] or word.low in TRIGGERS


def ends_at(view: View, place: int) -> bool:
    return place >= len(view.words) or (view.kind(place) == "mark" and view.low(place) in "?.,;!")


# Few times need to know more of the words around them: what only those few need is imported by them.


@cache
def _grammar() -> tuple[frozenset[str], dict[str, tuple[str, str]]]:
    """Words that may follow a time without making it part of a name, and the verbs."""
    from heldtrue.language.grammar.lexicon import AUXILIARIES, PREPOSITIONS, PRONOUNS, VERBS

    free = STOPWORDS | frozenset(AUXILIARIES) | PREPOSITIONS | PRONOUNS | {"or", "and", "please", "again"}
    return free, VERBS


def form_of(word: str) -> str:
    """The form in which a word is a verb: `b`, `s`, `d` or `g`; empty where it is none."""
    return _grammar()[1].get(word, ("", ""))[1]


def is_measure(word: str) -> bool:
    """Whether the word is a unit in which things are measured: `ms`, `percent`."""
    from heldtrue.language.quantities import is_unit

    return is_unit(word)
