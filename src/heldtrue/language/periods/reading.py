"""How a period stands in a question: what begins one, what bounds it, and which rule reads the time in it."""

from __future__ import annotations

from collections.abc import Iterator, Set
from datetime import timedelta

from heldtrue.language.periods.counted import read_counted, read_uncounted
from heldtrue.language.periods.foreign_time_words import translate
from heldtrue.language.periods.months import read_date, read_month, read_numbered
from heldtrue.language.periods.named import read_decade, read_quarter, read_season, read_weekday, read_weekend
from heldtrue.language.periods.parts import read_beside, read_ordinal, read_part
from heldtrue.language.periods.question_view import (
    Rule,
    View,
    counts_something,
    form_of,
    month_at,
    number_at,
    skip_articles,
    year_at,
)
from heldtrue.language.periods.relative_times import read_near_day, read_which
from heldtrue.language.periods.spans import DAY_US, Span, dated_span, day_of, moment_of, span_of
from heldtrue.language.periods.words import (
    ARTICLES,
    BESIDE,
    COUNTS,
    DECADES,
    LAST,
    MONTHS,
    NAMES_OF_PEOPLE,
    NEAR_DAYS,
    NEXT,
    NO_YEAR_BEFORE_BY,
    ORDINALS,
    PARTS,
    QUARTERS,
    RANGE_SIGNS,
    SEASONS,
    THIS,
    TRIGGERS,
    UNITS,
    VAGUE,
    WEEKDAYS,
    Word,
)

_BEFORE = frozenset("before until till by".split())
_OPENERS = TRIGGERS | ARTICLES | _BEFORE | {"after", "between", "from", "prior", "since"}
"""Words with which a period can begin."""
_Reading = tuple[Span, str]


def read_periods(words: list[Word], *, now: int) -> Iterator[tuple[Span, str, Word, Word]]:
    """The span of each period in order, its relation, and its first and last word."""
    view = View(translate(words), day_of(now), now, _read_time)
    place = 0
    while place < len(view.words):
        reading = _read_period(view, place)
        if reading is None:
            place += 1
            continue
        span, relation = reading
        yield span, relation, view.words[place], view.words[span.after - 1]
        place = span.after


def _read_period(view: View, place: int) -> _Reading | None:
    """The period whose words start at this place, with its relation."""
    word = view.words[place]
    if word.kind == "mark" or (word.kind == "word" and word.low not in _OPENERS):
        return None
    try:
        return _read_relation(view, place)
    except (ValueError, OverflowError):
        return None  # the calendar has no such day


def _read_relation(view: View, place: int) -> _Reading | None:
    low = view.low(place)
    if low in ("between", "from") and (span := _read_range(view, place + 1, "and" if low == "between" else "")):
        return span, "within"
    if low in ("since", "from") and (span := view.expect(place + 1)):
        return _read_since(view, span, place, low)
    if low in _BEFORE or low == "after" or (low == "prior" and view.low(place + 1) == "to"):
        span = view.expect(place + (2 if low == "prior" else 1))
        if span is None or (low == "by" and _is_by_somebody(view, place, span)):
            return None
        return span, "after" if low == "after" else "before"
    span = _read_range(view, place, "") or view.read(place)
    return (span, "within") if span else None


def _read_since(view: View, span: Span, place: int, low: str) -> _Reading | None:
    """Everything from the start of a time until today; `from May` alone may be a person, `from May on` is not."""
    after = span.after
    if low == "from":
        if view.low(after) not in ("on", "onward", "onwards", "forward"):
            doubtful = span.month and not span.day and view.low(place + 1) in NAMES_OF_PEOPLE
            return None if doubtful else (span, "within")
        after += 1
    end = max(span.end, moment_of(view.today) + DAY_US)
    return Span(span.start, end, "range", after), "within"


def _is_by_somebody(view: View, place: int, span: Span) -> bool:
    """`written by April`, `divided by 2000`: the word before tells that no time follows."""
    before = view.low(place - 1)
    if before in NO_YEAR_BEFORE_BY:
        return True
    return bool(span.month) and view.low(place + 1) in NAMES_OF_PEOPLE and form_of(before) == "d"


def _read_range(view: View, place: int, joint: str) -> Span | None:
    """`March and June` after between, `March to June`, `7-9 May`: from the start of the one to the end of the other."""
    place = skip_articles(view, place)
    cued = view.low(place - 1) in ("between", "from", "the")
    if not cued and view.low(place + 1) in RANGE_SIGNS and month_at(view, place):
        cued = bool(month_at(view, place + 2)) or view.kind(place + 2) == "date"
    left = view.expect(place) if cued else view.read(place)
    if left is None and view.kind(place) in ("number", "ordinal") and _has_joint(view, place + 1, joint):
        return _read_days_of_month(view, place)
    if left is None or not _has_joint(view, left.after, joint) or left.grain == "range":
        return None
    start = skip_articles(view, left.after + 1)
    if left.grain == "day" and view.kind(start) in ("number", "ordinal") and month_at(view, start + 1) == 0:
        return _read_last_day(view, left, start)
    right = view.expect(start)
    return _join(left, right) if right else None


def _has_joint(view: View, place: int, joint: str) -> bool:
    low = view.low(place)
    return low == joint or low in RANGE_SIGNS if joint else low in RANGE_SIGNS


def _join(left: Span, right: Span) -> Span | None:
    """One span of two; a year said once counts for both, and without any the first is the last that has begun."""
    if left.month and not right.month:
        year = day_of(right.start).year
        left = dated_span(year, left.month, left.day, left.after)
        if left.start > right.start:
            left = dated_span(year - 1, day_of(left.start).month, day_of(left.start).day * (left.grain == "day"), 0)
    elif right.month:
        year = day_of(left.start).year
        month, day, after = right.month, right.day, right.after
        right = dated_span(year, month, day, after)
        if right.end <= left.start:
            right = dated_span(year + 1, month, day, after)
    if right.start <= left.start:
        return None
    return Span(left.start, right.end, "range", right.after)


def _read_days_of_month(view: View, place: int) -> Span | None:
    """`7-9 May`, `3 and 9 May 2023`: the month is said once, after the second day."""
    right = view.expect(place + 2)
    if right is None or right.grain != "day":
        return None
    last = day_of(right.start)
    first = number_at(view, place)
    if not 0 < first < last.day:
        return None
    return span_of(last.replace(day=first), last + timedelta(days=1), "range", right.after)


def _read_last_day(view: View, left: Span, place: int) -> Span | None:
    """`May 7-9`, `May 7 to 9, 2023`: the month is said once, before the first day."""
    first, last = day_of(left.start), number_at(view, place)
    year, after = year_at(view, place + 2 if view.low(place + 1) == "," else place + 1)
    if left.month and year:
        first = first.replace(year=year)
    if not first.day < last <= 31 or counts_something(view, place):
        return None
    return span_of(first, first.replace(day=last) + timedelta(days=1), "range", after if year else place + 1)


def _read_time(view: View, place: int) -> Span | None:
    """The time named from this place on."""
    kind = view.kind(place)
    if kind == "date":
        return read_date(view, place)
    if kind in ("number", "ordinal"):
        return read_numbered(view, place)
    low = view.low(place)
    if kind != "word" or low not in TRIGGERS:
        return None
    for vocabulary, rule in _RULES:
        if low in vocabulary and (span := rule(view, place)):
            return span
    return None


_RULES: tuple[tuple[Set[str], Rule], ...] = (
    (MONTHS, read_month),
    (NEAR_DAYS, read_near_day),
    (LAST | NEXT | THIS, read_which),
    (ORDINALS.keys() - {"last"}, read_ordinal),
    (COUNTS.keys() | VAGUE.keys(), read_counted),
    (UNITS.keys(), read_uncounted),
    (PARTS.keys(), read_part),
    (BESIDE, read_beside),
    (SEASONS.keys(), read_season),
    (QUARTERS, read_quarter),
    ({"weekend"}, read_weekend),
    (WEEKDAYS.keys(), read_weekday),
    (DECADES, read_decade),
)
