"""The words of a question as the rules see them, and what several rules ask of a place."""

from __future__ import annotations



@cache
def _grammar() -> tuple[frozenset[str], dict[str, tuple[str, str, bool]], dict[str, tuple[str, str]]]:
    """Words that may follow a time without making it part of a name, the auxiliaries, and the verbs."""
    from holdfast.language.grammar.lexicon import AUXILIARIES, PREPOSITIONS, PRONOUNS, VERBS

    free = STOPWORDS | frozenset(AUXILIARIES) | PREPOSITIONS | PRONOUNS | {"or", "and", "please", "again"}
    return free, AUXILIARIES, VERBS


def form_of(word: str) -> str:
    """The form in which a word is a verb: `b`, `s`, `d` or `g`; empty where it is none."""
    return _grammar()[2].get(word, ("", ""))[1]


def is_unit_word(word: str) -> bool:
    from holdfast.language.quantities import is_unit

    return is_unit(word)


@cache
def _is_plain_month(low: str) -> bool:
    """Whether the word means nothing but a month."""
    return low in MONTH_NUMBERS and (len(low) > 5 or low == "july") and low not in ("august", "agosto", "janeiro")


class View(msgspec.Struct, frozen=True):
    """The words of a question and the day on which it is asked."""

    words: Sequence[Word]
    today: date
    now: int
    expected: int = -1
    """The place where the words before have announced a time, so that words with other meanings count too."""
    depth: int = 0
    """How many times this one is told from: `the day before the Friday before 20 May`."""

    def low(self, place: int) -> str:
        return self.words[place].low if 0 <= place < len(self.words) else ""

    def kind(self, place: int) -> str:
        return self.words[place].kind if 0 <= place < len(self.words) else ""


ARTICLES = frozenset({"the", "about", "around"})
_DEPTH_MAX = 3


def skip_words(view: View, place: int, words: frozenset[str]) -> int:
    """The place after at most two of the words: more would be no sentence, and a long text of them slow."""
    for _ in range(2):
        place += view.low(place) in words
    return place


def _read_expected(view: View, place: int) -> Span | None:
    """The time named from this place on, after words that announce one."""
    if view.depth == _DEPTH_MAX:
        return None
    place = skip_words(view, place, ARTICLES)
    return _read_time(View(view.words, view.today, view.now, place, view.depth + 1), place)


def number_at(view: View, place: int) -> int:
    digits = view.low(place).rstrip("stndrh")
    return int(digits) if digits.isdecimal() else 0


def counts_something(view: View, place: int) -> bool:
    """Whether the number here counts what follows: `20 files`, `2000 ms`."""
    following = view.low(place + 1)
    if view.kind(place + 1) != "word" or following in _grammar()[0]:
        return False
    return following.endswith("s") or is_unit_word(following) or following in ("people", "percent", "of")


def is_free(view: View, place: int) -> bool:
    """Whether no noun follows that would make the word before it a part of another name: `spring boot`."""
    if place >= len(view.words):
        return True
    word = view.words[place]
    if word.kind == "mark":
        return word.low in "?.,;:!)…\"'”»" or word.start > view.words[place - 1].end
    return word.kind == "date" or word.low in _grammar()[0] or word.low in TRIGGERS


def month_at(view: View, place: int) -> int:
    low = view.low(place)
    return MONTH_NUMBERS.get(low, 0) if view.kind(place) == "word" and low not in NO_MONTHS else 0


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


YEARLY = {"last": -1, "previous": -1, "this": 0, "next": 1}


def ends_at(view: View, place: int) -> bool:
    return place >= len(view.words) or (view.kind(place) == "mark" and view.low(place) in "?.,;!")
