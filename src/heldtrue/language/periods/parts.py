"""Units beside another time, and parts of one: `the week of 5 June`, `the first week of June`, `early 2023`."""

from __future__ import annotations

from datetime import date, timedelta

from heldtrue.language.periods.question_view import View
from heldtrue.language.periods.spans import Span, day_of, day_span, month_span, shift_day, span_of, unit_span
from heldtrue.language.periods.words import ORDINALS, PARTS, WEEKDAYS

_NEEDS_OF = frozenset("beginning start middle end".split())


def read_beside(view: View, place: int) -> Span | None:
    """`the week of 5 June`, `the weekend before 20 May`, `the Sunday after 3 June`, `the day before yesterday`."""
    low, side = view.low(place), view.low(place + 1)
    if low == "weekend" or low in WEEKDAYS:
        if side not in ("before", "after", "of"):
            return None
    elif low not in ("day", "week", "month", "year") or side not in ("before", "after", "of", "starting", "beginning"):
        return None
    anchor = view.expect(place + 2)
    if anchor is None:
        return None
    first, last = day_of(anchor.start), day_of(anchor.end - 1)
    if side == "of":
        return _inside(low, first, anchor) if anchor.grain == "day" else None
    if low == "weekend" or low in WEEKDAYS:
        return _named_beside(low, side, first, last, anchor.after)
    if side == "before":
        return span_of(shift_day(first, -1, low), first, low, anchor.after)
    return span_of(last + timedelta(days=1), shift_day(last + timedelta(days=1), 1, low), low, anchor.after)


def _inside(low: str, day: date, anchor: Span) -> Span | None:
    if low == "weekend":
        saturday = day + timedelta(days=5 - day.weekday())
        return span_of(saturday, saturday + timedelta(days=2), "range", anchor.after)
    return unit_span(day, "week", anchor.after) if low == "week" else None


def _named_beside(low: str, side: str, first: date, last: date, after: int) -> Span:
    """The weekend or weekday next to a time, wholly before its first or after its last day."""
    weekday = 6 if low == "weekend" and side == "before" else 5 if low == "weekend" else WEEKDAYS[low]
    if side == "before":
        day = first - timedelta(days=(first.weekday() - weekday - 1) % 7 + 1)
    else:
        day = last + timedelta(days=(weekday - last.weekday() - 1) % 7 + 1)
    if low != "weekend":
        return day_span(day, after)
    saturday = day - timedelta(days=1) if side == "before" else day
    return span_of(saturday, saturday + timedelta(days=2), "range", after)


def read_ordinal(view: View, place: int) -> Span | None:
    """`the first week of June`, `the third quarter of 2022`, `the second half of 2023`, `the last day of May`."""
    ordinal, unit = ORDINALS.get(view.low(place), 0), view.low(place + 1)
    if not ordinal or unit not in ("day", "week", "weekend", "quarter", "half") or view.low(place + 2) != "of":
        return None
    anchor = view.expect(place + 3)
    if anchor is None:
        return None
    first, last = day_of(anchor.start), day_of(anchor.end - 1)
    if unit in ("quarter", "half"):
        return _part_of_year(ordinal, 3 if unit == "quarter" else 6, anchor)
    if anchor.grain != "month" or unit == "weekend":
        return None
    length = 7 if unit == "week" else 1
    start = last - timedelta(days=length - 1) if ordinal < 0 else first + timedelta(days=length * (ordinal - 1))
    return span_of(start, start + timedelta(days=length), unit, anchor.after)


def _part_of_year(ordinal: int, months: int, anchor: Span) -> Span | None:
    parts = 12 // months
    number = parts if ordinal < 0 else ordinal
    if anchor.grain != "year" or number > parts:
        return None
    grain = "quarter" if months == 3 else "range"
    return month_span(day_of(anchor.start).year, (number - 1) * months + 1, anchor.after, months=months, grain=grain)


def read_part(view: View, place: int) -> Span | None:
    """`early 2023`, `late last year`, `the end of March`, `mid-June`: one of three parts."""
    low = view.low(place)
    first = place + 1
    if view.low(first) == "-" and low == "mid":
        first += 1
    if view.low(first) in ("of", "in") and (low in _NEEDS_OF or view.low(first) == "in"):
        first += 1
    elif low in _NEEDS_OF:
        return None
    whole = view.expect(first)
    if whole is None or whole.grain not in ("month", "season", "quarter", "year", "week"):
        return None
    return _third_of(whole, PARTS[low])


def _third_of(whole: Span, part: int) -> Span:
    start = day_of(whole.start)
    if whole.grain == "year":
        return month_span(start.year, part * 4 + 1, whole.after, months=4, grain="range")
    end = day_of(whole.end - 1) + timedelta(days=1)
    third = (end - start).days // 3
    first = start + timedelta(days=third * part)
    return span_of(first, end if part == 2 else first + timedelta(days=third), "range", whole.after)
