"""Stretches of time that a question names: `in May`, `two weeks ago`, `between March and June`.

A question is asked at a moment, so unlike the dates of a stored text its times may lean on the clock. Days begin at
midnight UTC, weeks on Monday, seasons are those of the northern half of the world and begin on the first of a month.
What might as well be no time is none: `may I`, `spring boot`, `in 20 files`, `before the release`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from datetime import date, timedelta
from functools import cache
from itertools import pairwise

import msgspec

from holdfast.language.dates import _MONTH_NUMBERS as MONTH_NUMBERS
from holdfast.language.dates import find_dates
from holdfast.language.terms import STOPWORDS

_HOUR_US = 3_600_000_000
_DAY_US = 24 * _HOUR_US
_EPOCH = date(1970, 1, 1).toordinal()
_FIRST_DAY, _LAST_DAY = date(1, 1, 2).toordinal() - _EPOCH, date(9999, 12, 30).toordinal() - _EPOCH


class Period(msgspec.Struct, frozen=True, gc=False):
    """A stretch of time that a question names, and on which side of it the answer lies."""

    start: int
    """Microseconds since 1970 in UTC, the first inside."""
    end: int
    """Likewise, the first no longer inside."""
    words: str
    """The words of the question that name it, as written."""
    grain: str
    """One of `day`, `week`, `month`, `season`, `quarter`, `year`, `range`."""
    relation: str
    """Where the answer lies: `within` it, `before` its start, or `after` its end."""

    def covers(self, moment: int) -> bool:
        """Whether a moment lies where the question looks."""
        if self.relation == "before":
            return moment < self.start
        return moment >= self.end if self.relation == "after" else self.start <= moment < self.end


def find_periods(question: str, *, now: int) -> list[Period]:
    """Every period that the question names, in order; a month or day without a year is the last that has begun."""
    words = _read_words(question)
    if not _may_name_time(words):
        return []
    view = _View(_translate(words), _day_of(now), now)
    found: list[Period] = []
    place = 0
    while place < len(view.words):
        reading = _read_period(view, place)
        if reading is None:
            place += 1
            continue
        span, relation = reading
        said = question[view.words[place].start : view.words[span.after - 1].end]
        found.append(Period(span.start, span.end, said, span.grain, relation))
        place = span.after
    return found


def _may_name_time(words: Sequence[_Word]) -> bool:
    singles, _, units = _foreign()
    return any(
        word.kind != "word" or word.low in _TELLING or word.low in singles or word.low in units or word.low == "hier"
        for word in words
        if word.kind != "mark"
    )


# --- words of time ------------------------------------------------------------------------------------

_WEEKDAYS = {
    name: number
    for number, names in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())
    for name in (names, names[:3])
} | {"tues": 1, "thur": 3, "thurs": 3}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_UNITS = {
    "minute": "minute", "min": "minute", "hour": "hour", "hr": "hour", "day": "day", "night": "day", "week": "week",
    "month": "month", "quarter": "quarter", "year": "year", "yr": "year", "decade": "decade",
}  # fmt: skip
_UNITS |= {f"{word}s": unit for word, unit in _UNITS.items()}
_COUNTS = {
    word: number
    for number, words in enumerate(
        """a an one ein einer einem un une una|two zwei deux dos|three drei trois tres|four vier quatre cuatro
        |five fünf cinq cinco|six sechs seis|seven sieben sept siete|eight acht huit ocho|nine neun neuf nueve
        |ten zehn dix diez|eleven|twelve zwölf douze doce""".split("|"),
        1,
    )
    for word in words.split()
}
_VAGUE = {"couple": (2, 3), "few": (2, 5), "several": (3, 8)}
"""How many units such a word may mean, from and to."""
_UNCOUNTED = (2, 10)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "last": -1}
_PARTS = {
    "early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2,
}  # fmt: skip
_NEEDS_OF = frozenset("beginning start middle end".split())
_DAYTIMES = frozenset("morning afternoon evening night noon".split())
_LAST = frozenset("last previous past".split())
_NEXT = frozenset("next coming upcoming".split())
_THIS = frozenset("this current".split())

_BEFORE = frozenset("before until till by".split())
_RANGE_SIGNS = frozenset("- – — to through thru until till".split())
_CUES = frozenset("in during through throughout mid early late last next this".split())
"""Words after which a month may be meant by a word that means other things too."""
_DAY_CUES = frozenset("on by since before after until till from the of".split())
_NAMES_OF_PEOPLE = frozenset("april may june august jan".split())
_VERB_MONTHS = frozenset("may march".split())
_NO_MONTHS = frozenset("ago set".split())
_OPEN_MONTHS = frozenset("mar mars dec dez dic mai ene abr".split())
"""Short forms that are words elsewhere: after a cue they need a capital."""
_SHORT_DAYS = frozenset("mon tue wed thu fri sat sun".split())
_WEEKDAY_CUES = frozenset("on since before after until till by from".split())
_RECURRING = frozenset("every each black good any most a".split())
_SEASON_CUES = frozenset("in the during since before after over until by early late".split())
_QUARTER_CUES = frozenset("in for during since before after by of the until till from this early late mid".split())
_NO_YEAR_BEFORE_BY = frozenset("divided multiplied divide multiply times increased reduced grew rose fell".split())


# Every question is looked at for times and few name any: what only those few need is imported by them.


@cache
def _grammar() -> tuple[frozenset[str], dict[str, tuple[str, str, bool]], dict[str, tuple[str, str]]]:
    """Words that may follow a time without making it part of a name, the auxiliaries, and the verbs."""
    from holdfast.language.grammar.lexicon import AUXILIARIES, PREPOSITIONS, PRONOUNS, VERBS

    free = STOPWORDS | frozenset(AUXILIARIES) | PREPOSITIONS | PRONOUNS | {"or", "and", "please", "again"}
    return free, AUXILIARIES, VERBS


def _form_of(word: str) -> str:
    """The form in which a word is a verb: `b`, `s`, `d` or `g`; empty where it is none."""
    return _grammar()[2].get(word, ("", ""))[1]


def _is_unit(word: str) -> bool:
    from holdfast.language.quantities import is_unit

    return is_unit(word)


@cache
def _is_plain_month(low: str) -> bool:
    """Whether the word means nothing but a month."""
    return low in MONTH_NUMBERS and (len(low) > 5 or low == "july") and low not in ("august", "agosto", "janeiro")


class _Word(msgspec.Struct, frozen=True, gc=False):
    low: str
    """Lower case without a possessive ending; of a date its ISO form, of a number its digits."""
    kind: str
    """`word`, `number`, `ordinal`, `date` or `mark`."""
    start: int
    end: int
    capital: bool = False
    owns: bool = False


class _View(msgspec.Struct, frozen=True):
    """The words of a question and the day on which it is asked."""

    words: Sequence[_Word]
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


class _Span(msgspec.Struct, frozen=True, gc=False):
    """A stretch of time and the place of the first word after its name."""

    start: int
    end: int
    grain: str
    after: int
    month: int = 0
    """The month it names without a year, and the day; zero where the year is settled."""
    day: int = 0


_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_WHOLE_NUMBER = re.compile(r"(\d{1,4})(st|nd|rd|th)?")
_NUMBER_NEEDS_NO = re.compile(r"[.:,/\\$€£¥#@+=]\Z")
_NUMBER_GOES_ON = re.compile(r"[.:,]\d|[/\\%°_]|-[^\W\d]")


def _read_words(text: str) -> list[_Word]:
    """The text as words and marks, each stated date as one; digits of prices, versions, ports and ratios are marks."""
    words: list[_Word] = []
    position = 0
    for found in find_dates(text):
        words.extend(_split_words(text, position, found.start))
        words.append(_Word(found.canonical, "date", found.start, found.end))
        position = found.end
    words.extend(_split_words(text, position, len(text)))
    return words


def _split_words(text: str, start: int, end: int) -> Iterator[_Word]:
    for match in _WORD.finditer(text, start, end):
        word = match.group()
        low = word.lower().replace("’", "'")
        if number := _WHOLE_NUMBER.fullmatch(word):
            whole = not (
                _NUMBER_NEEDS_NO.search(text, max(0, match.start() - 1), match.start())
                or _NUMBER_GOES_ON.match(text, match.end())
            )
            kind = ("ordinal" if number[2] else "number") if whole else "mark"
            yield _Word(number[1] if whole and kind == "number" else low, kind, match.start(), match.end())
        elif word[0].isalpha():
            owns = low.endswith("'s")
            yield _Word(low[:-2] if owns else low, "word", match.start(), match.end(), word[0].isupper(), owns)
        else:
            yield _Word(low, "mark" if not word[0].isalnum() else "word", match.start(), match.end())


# --- other languages: their words of time become the English ones -----------------------------------------

_FOREIGN = """
gestern ayer:yesterday|vorgestern anteayer:day before yesterday|heute hoy aujourd'hui:today|demain:tomorrow
montag lundi lunes:monday|dienstag mardi martes:tuesday|mittwoch mercredi miércoles:wednesday
donnerstag jeudi jueves:thursday|freitag vendredi viernes:friday|samstag samedi sábado:saturday
sonntag dimanche domingo:sunday|im en:in|am:on|seit depuis desde:since|nach après después:after|avant antes:before
bis hasta:until|zwischen entre:between|und et y:and|sommer été verano:summer|frühling printemps primavera:spring
herbst automne otoño:autumn|hiver invierno:winter
"""
_FOREIGN_PHRASES = """
letzte_woche vorige_woche semaine_dernière semana_pasada:last week|letzten_monat mois_dernier mes_pasado:last month
letztes_jahr letzten_jahr année_dernière an_dernier l'année_dernière l'an_dernier año_pasado:last year
diese_woche cette_semaine esta_semana:this week|diesen_monat ce_mois este_mes:this month
dieses_jahr cette_année este_año:this year|letzten_sommer été_dernier l'été_dernier verano_pasado:last summer
letzten_montag lundi_dernier lunes_pasado:last monday|letzten_freitag vendredi_dernier viernes_pasado:last friday
antes_de:before|después_de:after|nächste_woche semaine_prochaine próxima_semana:next week
heute_morgen:today|gestern_abend:yesterday
"""
_FOREIGN_UNITS = {
    "day": "tag tage tagen jour jours día días dia dias", "week": "woche wochen semaine semaines semana semanas",
    "month": "monat monate monaten mois mes meses", "year": "jahr jahre jahren an ans année années año años",
}  # fmt: skip
_FRENCH = frozenset(
    "que quoi qui qu'est nous vous je j'ai il elle on est avons avez dit fait le la les était ça".split()
)
_GERMAN = frozenset("ist was wer wie wo der die das nicht und wir ich war sind".split())


@cache
def _foreign() -> tuple[dict[str, str], dict[tuple[str, str], str], dict[str, str]]:
    """Single words, pairs of words and units of other languages with what they are in English."""
    words: dict[str, str] = {}
    for row in _FOREIGN.strip().replace("\n", "|").split("|"):
        names, _, english = row.partition(":")
        words.update(dict.fromkeys(names.split(), english))
    pairs: dict[tuple[str, str], str] = {}
    for row in _FOREIGN_PHRASES.strip().replace("\n", "|").split("|"):
        names, _, english = row.partition(":")
        for name in names.split():
            first, _, second = name.partition("_")
            pairs[first, second] = english
    units = {word: unit for unit, names in _FOREIGN_UNITS.items() for word in names.split()}
    return words, pairs, units


def _translate(words: list[_Word]) -> list[_Word]:
    """The same words, those of time in German, French and Spanish in English; each keeps its place in the text."""
    singles, pairs, _ = _foreign()
    if singles.keys().isdisjoint(word.low for word in words) and not any(
        word.low in ("hier", "vor", "il", "hace") or (word.low, following.low) in pairs
        for word, following in pairwise(words)
    ):
        return _translate_hier(words)
    out: list[_Word] = []
    place = 0
    while place < len(words):
        low = words[place].low
        english = pairs.get((low, words[place + 1].low)) if place + 1 < len(words) else None
        count = 2 if english else 1
        if ago := _foreign_ago(words, place):
            out.extend(ago)
            place += len(ago) - 1 + (2 if low == "il" else 0)
            continue
        english = english or ("before" if low == "vor" else singles.get(low))
        out.extend(_as_english(words[place], words[place + count - 1].end, english) if english else [words[place]])
        place += count
    return _translate_hier(out)


def _as_english(word: _Word, end: int, english: str) -> list[_Word]:
    return [_Word(low, "word", word.start, end, word.capital) for low in english.split()]


def _foreign_ago(words: list[_Word], place: int) -> list[_Word]:
    """`vor zwei Wochen`, `il y a deux semaines` and `hace dos semanas` as `two weeks ago`."""
    low = words[place].low
    first = place + 3 if low == "il" else place + 1
    if low not in ("vor", "hace", "il") or first + 1 >= len(words):
        return []
    if low == "il" and [word.low for word in words[place + 1 : first]] != ["y", "a"]:
        return []
    unit = _foreign()[2].get(words[first + 1].low)
    if unit is None or not (words[first].kind == "number" or words[first].low in _COUNTS):
        return []
    start, end = words[place].start, words[first + 1].end
    spoken = ((words[first].low, words[first].kind), (unit, "word"), ("ago", "word"))
    return [_Word(text, kind, start, end) for text, kind in spoken]


def _translate_hier(words: list[_Word]) -> list[_Word]:
    """`hier` is yesterday in French and here in German: the words around it tell."""
    lows = {word.low for word in words}
    if "hier" not in lows or lows.isdisjoint(_FRENCH) or not lows.isdisjoint(_GERMAN):
        return words
    return [_Word("yesterday", "word", word.start, word.end) if word.low == "hier" else word for word in words]


# --- days and spans -----------------------------------------------------------------------------------


def _day_of(moment: int) -> date:
    return date.fromordinal(min(max(moment // _DAY_US, _FIRST_DAY), _LAST_DAY) + _EPOCH)


def _moment(day: date) -> int:
    return (day.toordinal() - _EPOCH) * _DAY_US


def _span(start: date, end: date, grain: str, after: int) -> _Span:
    return _Span(_moment(start), _moment(end), grain, after)


def _add_months(day: date, months: int) -> date:
    """The first of the month so many months away."""
    count = day.year * 12 + day.month - 1 + months
    return date(count // 12, count % 12 + 1, 1)


def _shift(day: date, count: int, unit: str) -> date:
    """The same day so many units later, or the last day of that month where it has no such day."""
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    first = _add_months(day, count * {"month": 1, "quarter": 3, "year": 12, "decade": 120}[unit])
    return min(first + timedelta(days=day.day - 1), _add_months(first, 1) - timedelta(days=1))


def _month_span(year: int, month: int, after: int, *, months: int = 1, grain: str = "month") -> _Span:
    first = date(year, month, 1)
    return _span(first, _add_months(first, months), grain, after)


def _year_span(year: int, after: int) -> _Span:
    return _month_span(year, 1, after, months=12, grain="year")


def _day_span(day: date, after: int) -> _Span:
    return _span(day, day + timedelta(days=1), "day", after)


def _unit_span(day: date, unit: str, after: int) -> _Span:
    """The calendar's day, week, month, quarter, year or decade that a day lies in."""
    if unit == "day":
        return _day_span(day, after)
    if unit == "week":
        first = day - timedelta(days=day.weekday())
        return _span(first, first + timedelta(days=7), "week", after)
    if unit == "month":
        return _month_span(day.year, day.month, after)
    if unit == "quarter":
        return _month_span(day.year, (day.month - 1) // 3 * 3 + 1, after, months=3, grain="quarter")
    if unit == "decade":
        return _month_span(day.year // 10 * 10, 1, after, months=120, grain="range")
    return _year_span(day.year, after)


def _resolve_month(view: _View, month: int, day: int, after: int) -> _Span:
    """The last such month, or day of a month, that has begun; it remembers that no year was said."""
    year = view.today.year - ((month, day or 1) > (view.today.month, view.today.day))
    span = _dated(year, month, day, after)
    return _Span(span.start, span.end, span.grain, after, month, day)


def _dated(year: int, month: int, day: int, after: int) -> _Span:
    if (month, day) == (2, 29):
        while year % 4 or (year % 100 == 0 and year % 400):
            year -= 1
    return _day_span(date(year, month, day), after) if day else _month_span(year, month, after)


# --- how a period stands in the question --------------------------------------------------------------

_Reading = tuple[_Span, str]


def _read_period(view: _View, place: int) -> _Reading | None:
    """The period whose words start at this place, with its relation."""
    try:
        return _read_relation(view, place)
    except (ValueError, OverflowError):
        return None  # the calendar has no such day


def _read_relation(view: _View, place: int) -> _Reading | None:
    low = view.low(place)
    if low in ("between", "from") and (span := _read_range(view, place + 1, "and" if low == "between" else "")):
        return span, "within"
    if low in ("since", "from") and (span := _read_expected(view, place + 1)):
        return _read_since(view, span, place, low)
    if low in _BEFORE or low == "after" or (low == "prior" and view.low(place + 1) == "to"):
        span = _read_expected(view, place + (2 if low == "prior" else 1))
        if span is None or (low == "by" and _is_by_somebody(view, place, span)):
            return None
        return span, "after" if low == "after" else "before"
    if view.kind(place) in ("word", "date", "number", "ordinal"):
        span = _read_range(view, place, "") or _read_time(view, place)
        return (span, "within") if span else None
    return None


_ARTICLES = frozenset({"the", "about", "around"})
_DEPTH_MAX = 3


def _skip(view: _View, place: int, words: frozenset[str]) -> int:
    """The place after at most two of the words: more would be no sentence, and a long text of them slow."""
    for _ in range(2):
        place += view.low(place) in words
    return place


def _read_since(view: _View, span: _Span, place: int, low: str) -> _Reading | None:
    """Everything from the start of a time until today; `from May` alone may be a person, `from May on` is not."""
    after = span.after
    if low == "from":
        if view.low(after) not in ("on", "onward", "onwards", "forward"):
            doubtful = span.month and not span.day and view.low(place + 1) in _NAMES_OF_PEOPLE
            return None if doubtful else (span, "within")
        after += 1
    end = max(span.end, _moment(view.today) + _DAY_US)
    return _Span(span.start, end, "range", after), "within"


def _is_by_somebody(view: _View, place: int, span: _Span) -> bool:
    """`written by April`, `divided by 2000`: the word before tells that no time follows."""
    before = view.low(place - 1)
    if before in _NO_YEAR_BEFORE_BY:
        return True
    return bool(span.month) and view.low(place + 1) in _NAMES_OF_PEOPLE and _form_of(before) == "d"


def _read_range(view: _View, place: int, joint: str) -> _Span | None:
    """`March and June` after between, `March to June`, `7-9 May`: from the start of the one to the end of the other."""
    place = _skip(view, place, _ARTICLES)
    cued = view.low(place - 1) in ("between", "from", "the")
    if not cued and view.low(place + 1) in _RANGE_SIGNS and _month_at(view, place):
        cued = bool(_month_at(view, place + 2)) or view.kind(place + 2) == "date"
    left = _read_expected(view, place) if cued else _read_time(view, place)
    if left is None and view.kind(place) in ("number", "ordinal") and _has_joint(view, place + 1, joint):
        return _read_days_of_month(view, place)
    if left is None or not _has_joint(view, left.after, joint) or left.grain == "range":
        return None
    start = _skip(view, left.after + 1, _ARTICLES)
    if left.grain == "day" and view.kind(start) in ("number", "ordinal") and _month_at(view, start + 1) == 0:
        return _read_last_day(view, left, start)
    right = _read_expected(view, start)
    return _join(left, right) if right else None


def _has_joint(view: _View, place: int, joint: str) -> bool:
    low = view.low(place)
    return low == joint or low in _RANGE_SIGNS if joint else low in _RANGE_SIGNS


def _join(left: _Span, right: _Span) -> _Span | None:
    """One span of two; a year said once counts for both, and without any the first is the last that has begun."""
    if left.month and not right.month:
        year = _day_of(right.start).year
        left = _dated(year, left.month, left.day, left.after)
        if left.start > right.start:
            left = _dated(year - 1, _day_of(left.start).month, _day_of(left.start).day * (left.grain == "day"), 0)
    elif right.month:
        year = _day_of(left.start).year
        month, day, after = right.month, right.day, right.after
        right = _dated(year, month, day, after)
        if right.end <= left.start:
            right = _dated(year + 1, month, day, after)
    if right.start <= left.start:
        return None
    return _Span(left.start, right.end, "range", right.after)


def _read_days_of_month(view: _View, place: int) -> _Span | None:
    """`7-9 May`, `3 and 9 May 2023`: the month is said once, after the second day."""
    right = _read_expected(view, place + 2)
    if right is None or right.grain != "day":
        return None
    last = _day_of(right.start)
    first = _number(view, place)
    if not 0 < first < last.day:
        return None
    return _span(last.replace(day=first), last + timedelta(days=1), "range", right.after)


def _read_last_day(view: _View, left: _Span, place: int) -> _Span | None:
    """`May 7-9`, `May 7 to 9, 2023`: the month is said once, before the first day."""
    first, last = _day_of(left.start), _number(view, place)
    year, after = _year_at(view, place + 2 if view.low(place + 1) == "," else place + 1)
    if left.month and year:
        first = first.replace(year=year)
    if not first.day < last <= 31 or _counts(view, place):
        return None
    return _span(first, first.replace(day=last) + timedelta(days=1), "range", after if year else place + 1)


# --- one time -----------------------------------------------------------------------------------------


def _read_expected(view: _View, place: int) -> _Span | None:
    """The time named from this place on, after words that announce one."""
    if view.depth == _DEPTH_MAX:
        return None
    place = _skip(view, place, _ARTICLES)
    return _read_time(_View(view.words, view.today, view.now, place, view.depth + 1), place)


def _read_time(view: _View, place: int) -> _Span | None:
    """The time named from this place on."""
    kind = view.kind(place)
    if kind == "date":
        return _read_date(view, place)
    if kind in ("number", "ordinal"):
        return _read_numbered(view, place)
    low = view.low(place)
    if kind != "word" or low not in _TRIGGERS:
        return None
    for vocabulary, rule in _RULES:
        if low in vocabulary and (span := rule(view, place)):
            return span
    return None


def _read_date(view: _View, place: int) -> _Span | None:
    iso = view.low(place)
    year, month, day = int(iso[:4]), int(iso[5:7] or 0), int(iso[8:10] or 0)
    if view.low(place - 1) in ("version", "build"):
        return None
    if month:
        return _dated(year, month, day, place + 1)
    if _is_unit(view.low(place + 1)) or (view.low(place - 1) == "by" and view.low(place - 2) in _NO_YEAR_BEFORE_BY):
        return None  # `in 2000 ms`
    return _year_span(year, place + 1)


def _read_numbered(view: _View, place: int) -> _Span | None:
    """What starts with a number: `12 May`, `3 days ago`, `the 5th`, and a bare year where a time is expected."""
    number = _number(view, place)
    first = place + 1
    if view.low(first) in (".", "of", "de"):
        first += 1
    if (month := _month_at(view, first)) and 0 < number <= 31 and _is_day_then_month(view, place, first):
        return _with_year(view, month, number, first + 1)
    if view.kind(place) == "number" and (span := _read_counted(view, place)):
        return span
    if view.kind(place) == "ordinal" and (span := _read_ordinal(view, place)):
        return span
    if view.kind(place) == "ordinal" and view.low(place - 1) == "the" and view.low(place - 2) == "on":
        return _read_day_number(view, place) if _is_free(view, place + 1) else None
    return _read_bare_year(view, place, number)


def _read_bare_year(view: _View, place: int, number: int) -> _Span | None:
    """A year where a time is expected, after another year, or before a quarter."""
    if not 1900 <= number < 2100 or _counts(view, place):
        return None
    if view.low(place + 1) in _QUARTERS and view.low(place + 1)[0] == "q":
        month = int(view.low(place + 1)[1]) * 3 - 2
        return _month_span(number, month, place + 2, months=3, grain="quarter")
    joined = view.low(place - 1) in ("and", "or") and view.kind(place - 2) == "date"
    return _year_span(number, place + 1) if joined or view.expected == place else None


def _is_day_then_month(view: _View, day: int, month: int) -> bool:
    """Not `step 3 may fail`: a month that is a verb as well needs a capital, an ordinal or a cue."""
    word = view.words[month]
    if word.owns and word.low in _NAMES_OF_PEOPLE:
        return False
    if word.low not in _VERB_MONTHS or word.capital or view.kind(day) == "ordinal" or _ends(view, month + 1):
        return True
    return (
        (view.expected == day or view.low(day - 1) in _DAY_CUES)
        and _is_free(view, month + 1)
        and view.low(month + 1) != "be"
    )


def _read_day_number(view: _View, place: int) -> _Span | None:
    """`on the 5th`: of this month, or of the month before where that day is still to come."""
    day = _number(view, place)
    first = view.today.replace(day=1)
    month = first if day <= view.today.day else _add_months(first, -1)
    return _day_span(month.replace(day=day), place + 1)


def _number(view: _View, place: int) -> int:
    digits = view.low(place).rstrip("stndrh")
    return int(digits) if digits.isdecimal() else 0


def _counts(view: _View, place: int) -> bool:
    """Whether the number here counts what follows: `20 files`, `2000 ms`."""
    following = view.low(place + 1)
    if view.kind(place + 1) != "word" or following in _grammar()[0]:
        return False
    return following.endswith("s") or _is_unit(following) or following in ("people", "percent", "of")


def _is_free(view: _View, place: int) -> bool:
    """Whether no noun follows that would make the word before it a part of another name: `spring boot`."""
    if place >= len(view.words):
        return True
    word = view.words[place]
    if word.kind == "mark":
        return word.low in "?.,;:!)…\"'”»" or word.start > view.words[place - 1].end
    return word.kind == "date" or word.low in _grammar()[0] or word.low in _TRIGGERS


# --- months -------------------------------------------------------------------------------------------


def _month_at(view: _View, place: int) -> int:
    low = view.low(place)
    return MONTH_NUMBERS.get(low, 0) if view.kind(place) == "word" and low not in _NO_MONTHS else 0


def _year_at(view: _View, place: int) -> tuple[int, int]:
    """The year said here and the place after it, or zero: `2022`, `of 2022`, `last year`."""
    if view.low(place) in ("of", "in") and (view.kind(place + 1) == "date" or view.low(place + 1) in _YEARLY):
        place += 1
    low = view.low(place)
    if (view.kind(place) == "date" and len(low) == 4) or (view.kind(place) == "number" and 1900 <= int(low) < 2100):
        return int(low), place + 1
    if low in _YEARLY and view.low(place + 1) == "year":
        return view.today.year + _YEARLY[low], place + 2
    return 0, place


_YEARLY = {"last": -1, "previous": -1, "this": 0, "next": 1}


def _with_year(view: _View, month: int, day: int, after: int) -> _Span:
    year, beyond = _year_at(view, after + 1 if view.low(after) == "," and day else after)
    return _dated(year, month, day, beyond) if year else _resolve_month(view, month, day, after)


def _read_month(view: _View, place: int) -> _Span | None:
    """`May 7th`, `in May`, `May last year`, `January`."""
    month, word = _month_at(view, place), view.words[place]
    if word.owns and word.low in _NAMES_OF_PEOPLE:
        return None
    day = _number(view, place + 1) if view.kind(place + 1) in ("number", "ordinal") else 0
    exact = word.capital or view.kind(place + 1) == "ordinal" or word.low not in _VERB_MONTHS
    if 0 < day <= 31 and exact and not _counts(view, place + 1):
        return _with_year(view, month, day, place + 2)
    if not _means_month(view, place):
        return None
    return _with_year(view, month, 0, place + 1)


def _means_month(view: _View, place: int) -> bool:
    word, cue, expected = view.words[place], view.low(place - 1), view.expected == place
    if _is_plain_month(word.low) or _year_at(view, place + 1)[0]:
        return True
    if word.low in _OPEN_MONTHS and not word.capital and cue != "in":
        return False
    if word.low == "mars" and view.low(place - 1) == "in" and word.capital:
        return False  # the planet; French writes its month small
    if cue == "of":
        return expected or view.low(place - 2) in _PARTS or view.low(place - 2) == "month"
    if cue == "this" and not (word.capital and _is_free(view, place + 1)):
        return _ends(view, place + 1)
    if cue != "in" and word.low in _NAMES_OF_PEOPLE and _form_of(view.low(place + 1)) in ("s", "d"):
        return False  # `after June left`
    return expected or cue in _CUES


def _ends(view: _View, place: int) -> bool:
    return place >= len(view.words) or (view.kind(place) == "mark" and view.low(place) in "?.,;!")


# --- words that lean on the clock ---------------------------------------------------------------------


def _read_near_day(view: _View, place: int) -> _Span | None:
    """Yesterday, today, tomorrow, with the time of day that may follow, and the days beside them."""
    low = view.low(place)
    after = place + 1
    offset = {"yesterday": -1, "tomorrow": 1}.get(low, 0)
    if low == "earlier":
        return _read_earlier(view, place)
    if view.low(after) in _DAYTIMES:
        after += 1
    return _day_span(view.today + timedelta(days=offset), after)


def _read_earlier(view: _View, place: int) -> _Span | None:
    """`earlier today`, `earlier this week`: the part that is not over is left in, since nothing lies there yet."""
    return _read_time(view, place + 1) if view.low(place + 1) in ("today", "this") else None


def _read_which(view: _View, place: int) -> _Span | None:
    """Last, this or next, and then a unit, a count of units, a weekday, month, season or part of the day."""
    low, following = view.low(place), view.low(place + 1)
    step = -1 if low in _LAST else 1 if low in _NEXT else 0
    if low == "last" and (span := _read_ordinal(view, place)):
        return span
    count = _read_count(view, place + 1)
    if step and count and following not in ("a", "an") and (unit := _UNITS.get(view.low(count[2]))):
        return _rolling(view, step, count[1], unit, count[2] + 1)
    if unit := _UNITS.get(following):
        return _which_unit(view, place, step, unit)
    if following in _DAYTIMES and low in ("this", "last"):
        return _day_span(view.today + timedelta(days=step), place + 2)
    return _which_named(view, place, step)


def _which_unit(view: _View, place: int, step: int, unit: str) -> _Span | None:
    low, after = view.low(place), place + 2
    if view.low(place + 1) == "night":
        return _day_span(view.today + timedelta(days=step), after) if low in ("last", "this") else None
    if view.low(place + 1).endswith("s") or (view.low(after) == "of" and view.low(after + 1) in _ARTICLES):
        return None
    rolls = low == "past" or (low == "last" and view.low(place - 1) == "the" and unit != "quarter")
    if unit in ("minute", "hour", "day") and step == 0:
        return None
    if rolls or unit in ("minute", "hour"):
        return _rolling(view, step, 1, unit, after)
    span = _unit_span(_shift(view.today, step, unit), unit, after)
    if unit == "year" and view.low(after) in ("in", ",") and (month := _month_at(view, after + 1)):
        return _month_span(_day_of(span.start).year, month, after + 2)
    return span


def _rolling(view: _View, step: int, count: int, unit: str, after: int) -> _Span:
    """So many units up to now, or from now on; whole days unless the unit is shorter."""
    if unit in ("minute", "hour"):
        length = count * (_HOUR_US if unit == "hour" else _HOUR_US // 60)
        return _Span(min(view.now, view.now + step * length), max(view.now, view.now + step * length), "range", after)
    tomorrow = view.today + timedelta(days=1)
    if step > 0:
        return _span(view.today, _shift(tomorrow, count, unit), "range", after)
    return _span(_shift(view.today, -count, unit), tomorrow, "range", after)


def _which_named(view: _View, place: int, step: int) -> _Span | None:
    """`last Friday`, `next May`, `this summer`, `last weekend`."""
    name, after = view.low(place + 1), place + 2
    today = view.today
    if view.low(place) == "past":
        return None
    if name == "weekend":
        saturday = today + timedelta(days=5 - today.weekday() + 7 * step)
        if step < 0 and today.weekday() < 5:
            saturday = today - timedelta(days=today.weekday() + 2)
        return _span(saturday, saturday + timedelta(days=2), "range", after)
    if name in _WEEKDAYS and (name not in _SHORT_DAYS or view.words[place + 1].capital):
        return _which_weekday(view, step, _WEEKDAYS[name], after + (view.low(after) in _DAYTIMES))
    if name in _SEASONS:
        first = date(today.year - (today.month < 3 and name == "winter"), _SEASONS[name], 1)
        if step:
            first = _nearest(first, today, step, _add_months(first, 3) > today)
        return _span(first, _add_months(first, 3), "season", after)
    if (month := _month_at(view, place + 1)) and (step or _means_month(view, place + 1)):
        first = date(today.year, month, 1)
        first = _nearest(first, today, step, _add_months(first, 1) > today) if step else first
        return _month_span(first.year, month, after)
    return None


def _nearest(first: date, today: date, step: int, unfinished: bool) -> date:
    """This year's, or the year's before or after: the last one is over, the next has not begun."""
    if step < 0:
        return first.replace(year=first.year - unfinished)
    return first.replace(year=first.year + (first <= today))


def _which_weekday(view: _View, step: int, weekday: int, after: int) -> _Span:
    today = view.today
    if step < 0:
        day = today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    elif step > 0:
        day = today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    else:
        day = today + timedelta(days=weekday - today.weekday())
    return _day_span(day, after)


# --- counts of units ----------------------------------------------------------------------------------


def _read_count(view: _View, place: int) -> tuple[int, int, int] | None:
    """A number in digits or words as the least and the most it may mean, and the place after it."""
    low = view.low(place)
    if view.kind(place) == "number":
        return int(low), int(low), place + 1
    if low == "a" and view.low(place + 1) in _VAGUE:
        place, low = place + 1, view.low(place + 1)
    if low in _VAGUE:
        least, most = _VAGUE[low]
        return least, most, place + 2 if view.low(place + 1) == "of" else place + 1
    if low in _COUNTS:
        return _COUNTS[low], _COUNTS[low], place + 1
    return None


def _read_counted(view: _View, place: int) -> _Span | None:
    """`two weeks ago`, `3 days before 20 May`, `two months from now`."""
    count = _read_count(view, place)
    unit = _UNITS.get(view.low(count[2])) if count else None
    if count is None or unit is None or view.low(place - 1) in ("of", "$"):
        return None
    least, most, at = count
    after, side = at + 2, view.low(at + 1)
    if side in ("ago", "back") or (side == "earlier" and _ends(view, after)):
        return _counted_off(view, view.today, -1, (least, most), unit, after)
    if side == "from" and view.low(after) == "now":
        return _counted_off(view, view.today, 1, (least, most), unit, after + 1)
    if side in ("before", "after") and unit not in ("minute", "hour"):
        anchor = _read_expected(view, after)
        if anchor is None:
            return None
        day = _day_of(anchor.start if side == "before" else anchor.end - 1)
        return _counted_off(view, day, -1 if side == "before" else 1, (least, most), unit, anchor.after)
    return None


def _read_uncounted(view: _View, place: int) -> _Span | None:
    """`years ago`: more than one, and as many as people still say so of."""
    if view.low(place + 1) != "ago" or not view.low(place).endswith("s") or view.kind(place - 1) not in ("word", ""):
        return None
    return _counted_off(view, view.today, -1, _UNCOUNTED, _UNITS[view.low(place)], place + 2)


def _counted_off(view: _View, day: date, step: int, counts: tuple[int, int], unit: str, after: int) -> _Span:
    """What lies so many units from a day: the day, seven days around it, or the calendar's month or year."""
    least, most = counts
    if unit in ("minute", "hour"):
        length = _HOUR_US if unit == "hour" else _HOUR_US // 60
        # nobody counts hours exactly: half as many more or less
        ends = sorted((view.now + step * least * length // 2, view.now + step * most * length * 3 // 2))
        return _Span(ends[0], ends[1], "range", after)
    if least != most:
        near, far = sorted((_shift(day, step * least, unit), _shift(day, step * most, unit)))
        return _span(near, far + timedelta(days=1), "range", after)
    there = _shift(day, step * least, unit)
    if unit == "week":
        return _span(there - timedelta(days=3), there + timedelta(days=4), "week", after)
    return _unit_span(there, unit, after)


# --- units beside, or inside, another time ------------------------------------------------------------


def _read_beside(view: _View, place: int) -> _Span | None:
    """`the week of 5 June`, `the weekend before 20 May`, `the Sunday after 3 June`, `the day before yesterday`."""
    low, side = view.low(place), view.low(place + 1)
    if low == "weekend" or low in _WEEKDAYS:
        if side not in ("before", "after", "of"):
            return None
    elif low not in ("day", "week", "month", "year") or side not in ("before", "after", "of", "starting", "beginning"):
        return None
    anchor = _read_expected(view, place + 2)
    if anchor is None:
        return None
    first, last = _day_of(anchor.start), _day_of(anchor.end - 1)
    if side == "of":
        return _inside(low, first, anchor) if anchor.grain == "day" else None
    if low == "weekend" or low in _WEEKDAYS:
        return _named_beside(low, side, first, last, anchor.after)
    if side == "before":
        return _span(_shift(first, -1, low), first, low, anchor.after)
    return _span(last + timedelta(days=1), _shift(last + timedelta(days=1), 1, low), low, anchor.after)


def _inside(low: str, day: date, anchor: _Span) -> _Span | None:
    if low == "weekend":
        saturday = day + timedelta(days=5 - day.weekday())
        return _span(saturday, saturday + timedelta(days=2), "range", anchor.after)
    return _unit_span(day, "week", anchor.after) if low == "week" else None


def _named_beside(low: str, side: str, first: date, last: date, after: int) -> _Span:
    """The weekend or weekday next to a time, wholly before its first or after its last day."""
    weekday = 6 if low == "weekend" and side == "before" else 5 if low == "weekend" else _WEEKDAYS[low]
    if side == "before":
        day = first - timedelta(days=(first.weekday() - weekday - 1) % 7 + 1)
    else:
        day = last + timedelta(days=(weekday - last.weekday() - 1) % 7 + 1)
    if low != "weekend":
        return _day_span(day, after)
    saturday = day - timedelta(days=1) if side == "before" else day
    return _span(saturday, saturday + timedelta(days=2), "range", after)


def _read_ordinal(view: _View, place: int) -> _Span | None:
    """`the first week of June`, `the third quarter of 2022`, `the second half of 2023`, `the last day of May`."""
    ordinal, unit = _ORDINALS.get(view.low(place), 0), view.low(place + 1)
    if not ordinal or unit not in ("day", "week", "weekend", "quarter", "half") or view.low(place + 2) != "of":
        return None
    anchor = _read_expected(view, place + 3)
    if anchor is None:
        return None
    first, last = _day_of(anchor.start), _day_of(anchor.end - 1)
    if unit in ("quarter", "half"):
        return _part_of_year(ordinal, 3 if unit == "quarter" else 6, anchor)
    if anchor.grain != "month" or unit == "weekend":
        return None
    length = 7 if unit == "week" else 1
    start = last - timedelta(days=length - 1) if ordinal < 0 else first + timedelta(days=length * (ordinal - 1))
    return _span(start, start + timedelta(days=length), unit, anchor.after)


def _part_of_year(ordinal: int, months: int, anchor: _Span) -> _Span | None:
    parts = 12 // months
    number = parts if ordinal < 0 else ordinal
    if anchor.grain != "year" or number > parts:
        return None
    grain = "quarter" if months == 3 else "range"
    return _month_span(_day_of(anchor.start).year, (number - 1) * months + 1, anchor.after, months=months, grain=grain)


def _read_part(view: _View, place: int) -> _Span | None:
    """`early 2023`, `late last year`, `the end of March`, `mid-June`: one of three parts."""
    low = view.low(place)
    first = place + 1
    if view.low(first) == "-" and low == "mid":
        first += 1
    if view.low(first) in ("of", "in") and (low in _NEEDS_OF or view.low(first) == "in"):
        first += 1
    elif low in _NEEDS_OF:
        return None
    whole = _read_expected(view, first)
    if whole is None or whole.grain not in ("month", "season", "quarter", "year", "week"):
        return None
    return _third_of(whole, _PARTS[low])


def _third_of(whole: _Span, part: int) -> _Span:
    start = _day_of(whole.start)
    if whole.grain == "year":
        return _month_span(start.year, part * 4 + 1, whole.after, months=4, grain="range")
    end = _day_of(whole.end - 1) + timedelta(days=1)
    third = (end - start).days // 3
    first = start + timedelta(days=third * part)
    return _span(first, end if part == 2 else first + timedelta(days=third), "range", whole.after)


# --- seasons, quarters, decades, weekdays -------------------------------------------------------------


def _read_season(view: _View, place: int) -> _Span | None:
    name = view.low(place)
    year, after = _year_at(view, place + 1)
    if not year:
        if not (view.expected == place or view.low(place - 1) in _SEASON_CUES) or not _is_free(view, place + 1):
            return None
        if view.low(place + 1) == "of":
            return None  # `the fall of Rome`
        after = place + 1
        year = view.today.year - (view.today.month < _SEASONS[name])
    first = date(year, _SEASONS[name], 1)
    return _span(first, _add_months(first, 3), "season", after)


def _read_quarter(view: _View, place: int) -> _Span | None:
    """`Q3`, `Q3 2022`, and with a year also `H1 2023`."""
    low, word = view.low(place), view.words[place]
    year, after = _year_at(view, place + 1)
    months = 3 if low[0] == "q" else 6
    month = (int(low[1]) - 1) * months + 1
    if month > 12:
        return None
    if not year:
        opens = place == 0 and word.capital and view.low(1) not in (":", ".", ")")
        if months == 6 or not (opens or view.expected == place or view.low(place - 1) in _QUARTER_CUES):
            return None
        year, after = view.today.year - (month > view.today.month), place + 1
    return _month_span(year, month, after, months=months, grain="quarter" if months == 3 else "range")


def _read_weekend(view: _View, place: int) -> _Span | None:
    """`over the weekend`: the last one that has begun; what stands beside a date was read before."""
    if view.low(place - 1) not in ("the", "over") or not _is_free(view, place + 1) or view.low(place + 1) == "of":
        return None
    saturday = view.today - timedelta(days=(view.today.weekday() - 5) % 7)
    return _span(saturday, saturday + timedelta(days=2), "range", place + 1)


def _read_weekday(view: _View, place: int) -> _Span | None:
    """`on Friday`, `Friday morning`, and Friday at the end of a question: the last that has begun."""
    word, before = view.words[place], view.low(place - 1)
    after = place + 1
    daytime = view.low(after) in _DAYTIMES
    short = word.low in _SHORT_DAYS
    if before in _RECURRING or (short and (not word.capital or word.low == "sun")):
        return None
    if before in _RANGE_SIGNS and view.low(place - 2) in _WEEKDAYS and view.expected != place:
        return None  # `Monday to Friday` is every week
    alone = not short and (_ends(view, after) or view.low(after) in _YEARLY)
    if not (alone or daytime or view.expected == place or before in _WEEKDAY_CUES):
        return None
    if view.low(after) not in _WEEKDAYS and (span := _read_expected(view, after + (view.low(after) == ","))):
        if span.grain == "day":
            return span  # `on Monday, 5 June` is one day
        if span.grain == "week":
            day = _day_of(span.start) + timedelta(days=_WEEKDAYS[word.low])
            return _day_span(day, span.after)
    back = (view.today.weekday() - _WEEKDAYS[word.low]) % 7
    return _day_span(view.today - timedelta(days=back), after + daytime)


def _read_decade(view: _View, place: int) -> _Span | None:
    digits = view.low(place)[:-1]
    if view.low(place - 1) not in ("the", "early", "late", "mid") or not _is_free(view, place + 1):
        return None
    year = int(digits) if len(digits) == 4 else 1900 + int(digits)
    return _month_span(year, 1, place + 1, months=120, grain="range")


_Rule = Callable[[_View, int], _Span | None]

_QUARTERS = frozenset("q1 q2 q3 q4 h1 h2".split())
_DECADES = frozenset(f"{year}s" for year in range(1900, 2040, 10)) | frozenset("50s 60s 70s 80s 90s".split())
_NEAR_DAYS = frozenset("yesterday today tonight tomorrow earlier".split())
_BESIDE = _WEEKDAYS.keys() | {"day", "week", "weekend", "month", "year"}
_RULES: tuple[tuple[Set[str], _Rule], ...] = (
    (MONTH_NUMBERS.keys() - _NO_MONTHS, _read_month),
    (_NEAR_DAYS, _read_near_day),
    (_LAST | _NEXT | _THIS, _read_which),
    (_ORDINALS.keys() - {"last"}, _read_ordinal),
    (_COUNTS.keys() | _VAGUE.keys(), _read_counted),
    (_UNITS.keys(), _read_uncounted),
    (_PARTS.keys(), _read_part),
    (_BESIDE, _read_beside),
    (_SEASONS.keys(), _read_season),
    (_QUARTERS, _read_quarter),
    (frozenset({"weekend"}), _read_weekend),
    (_WEEKDAYS.keys(), _read_weekday),
    (_DECADES, _read_decade),
)
_TRIGGERS: frozenset[str] = frozenset().union(*(vocabulary for vocabulary, _ in _RULES))
_TELLING = (
    frozenset().union(MONTH_NUMBERS, _NEAR_DAYS, _UNITS, _DAYTIMES, _BESIDE, _SEASONS, _QUARTERS, _DECADES) - _NO_MONTHS
)
"""Words of which every period without a number has one: a question without them needs no closer look."""


# --- questions about time, and texts that say when ----------------------------------------------------

_ASKED = r"""(?x)
    \b(?:what|which)(?:'s|\s+is|\s+was)?(?:\s+the)?(?:\s+exact)?\s+
        (?:day|date|weekday|week|month|year|time|season|quarter|decade|hour)s?\b
        (?!\s+(?:zones?|limits?|series|outs?|formats?|complexity|stamps?|pickers?|ranges?|frames?|window)\b)
  | \bhow\s+(?:long\s+ago|long\s+since|recently|soon)\b
  | \bhow\s+many\s+(?:minutes|hours|days|weeks|months|years)\s+(?:ago|since|before|after|until|ha(?:s|ve)\s+it\s+been)\b
  | \bquel(?:le)?\s+(?:jour|date|année|mois)\b | \bquand\s*\W*$ | ^\W*(?:depuis\s+|et\s+)?quand\b
  | \bwann\b | \bcuándo\b | когда | 什么时候 | 什麼時候 | 何时 | 何時 | 哪天 | 哪年 | いつ | 언제
"""
_ASKING = frozenset(
    """tell know knows me us say says said see ask asks recall recalls forgot forget sure idea out about of wonder
    wondering and since until till by from exactly""".split()
)
"""Words before a `when` that asks."""
_SHORT_WHEN = frozenset("when's when'd when're when'll whens".split())


@cache
def _asked() -> re.Pattern[str]:
    return re.compile(_ASKED)


def asks_when(question: str) -> bool:
    """Whether the answer is a time: `when did`, `what year`, `how long ago`; not `what to do when it fails`."""
    low = question.lower().replace("’", "'")
    words = _WORD.findall(low)
    for place, word in enumerate(words):
        if word in _SHORT_WHEN:
            return True
        if word == "when" and _asks_here(words, place):
            return True
    if words[:1] == ["when"] and words[-1] == "?" and _OTHER_QUESTIONS.isdisjoint(words[1:]):
        return True  # `when Jon has lost his job?`
    return _asked().search(low) is not None


_OTHER_QUESTIONS = frozenset(
    "what who whom whose which where why how do does did should can could will would ,".split()
)


def _asks_here(words: Sequence[str], place: int) -> bool:
    following = words[place + 1] if place + 1 < len(words) else "?"
    if following == "exactly" or following in _grammar()[1] or not following[0].isalnum():
        return True
    if place == 0 or words[place - 1] not in _ASKING or following == "to":
        return False
    return "," not in words[place : place + 30]  # `and when it fails, what do we do?` asks for something else


_ALWAYS_TIMES = frozenset(
    """yesterday today tonight tomorrow mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends
    fortnight""".split()
) | frozenset(name for name in _WEEKDAYS if len(name) > 5)
_TIMES_ELSEWHERE = tuple(
    """昨天 今天 明天 前天 后天 上周 下周 上个月 下个月 去年 明年 昨日 今日 明日 先週 来週 先月 来月
    어제 오늘 내일 지난주 작년 вчера сегодня завтра позавчера""".split()
)
_ANY_MOMENT = 1_700_000_000_000_000


def has_time_words(text: str) -> bool:
    """Whether a stored text says when: a date, a weekday, a month, `yesterday`, `two days ago`, `next month`."""
    words = _read_words(text)
    if any(word.kind == "date" or word.low in _ALWAYS_TIMES for word in words):
        return True
    if not text.isascii() and any(word in text for word in _TIMES_ELSEWHERE):
        return True
    return _may_name_time(words) and bool(find_periods(text, now=_ANY_MOMENT))
