"""Words that lean on the clock: `yesterday`, `last week`, `the past two months`, `next Friday`, `this summer`."""

from __future__ import annotations

from datetime import date, timedelta

from heldtrue.language.periods.counted import read_count
from heldtrue.language.periods.months import means_month
from heldtrue.language.periods.parts import read_ordinal
from heldtrue.language.periods.question_view import View, month_at
from heldtrue.language.periods.spans import (
    HOUR_US,
    Span,
    add_months,
    day_of,
    day_span,
    month_span,
    shift_day,
    span_of,
    unit_span,
)
from heldtrue.language.periods.words import ARTICLES, DAYTIMES, LAST, NEXT, SEASONS, SHORT_DAYS, UNITS, WEEKDAYS


def read_near_day(view: View, place: int) -> Span | None:
    """Yesterday, today, tomorrow, with the time of day that may follow, and the days beside them."""
    low = view.low(place)
    after = place + 1
    offset = {"yesterday": -1, "tomorrow": 1}.get(low, 0)
    if low == "earlier":
        return _read_earlier(view, place)
    if view.low(after) in DAYTIMES:
        after += 1
    return day_span(view.today + timedelta(days=offset), after)


def _read_earlier(view: View, place: int) -> Span | None:
    """`earlier today`, `earlier this week`: the part that is not over is left in, since nothing lies there yet."""
    return view.read(place + 1) if view.low(place + 1) in ("today", "this") else None


def read_which(view: View, place: int) -> Span | None:
    """Last, this or next, and then a unit, a count of units, a weekday, month, season or part of the day."""
    low, following = view.low(place), view.low(place + 1)
    step = -1 if low in LAST else 1 if low in NEXT else 0
    if low == "last" and (span := read_ordinal(view, place)):
        return span
    count = read_count(view, place + 1)
    if step and count and following not in ("a", "an") and (unit := UNITS.get(view.low(count[2]))):
        return _rolling(view, step, count[1], unit, count[2] + 1)
    if unit := UNITS.get(following):
        return _which_unit(view, place, step, unit)
    if following in DAYTIMES and low in ("this", "last"):
        return day_span(view.today + timedelta(days=step), place + 2)
    return _which_named(view, place, step)


def _which_unit(view: View, place: int, step: int, unit: str) -> Span | None:
    low, after = view.low(place), place + 2
    if view.low(place + 1) == "night":
        return day_span(view.today + timedelta(days=step), after) if low in ("last", "this") else None
    if view.low(place + 1).endswith("s") or (view.low(after) == "of" and view.low(after + 1) in ARTICLES):
        return None
    rolls = low == "past" or (low == "last" and view.low(place - 1) == "the" and unit != "quarter")
    if unit in ("minute", "hour", "day") and step == 0:
        return None
    if rolls or unit in ("minute", "hour"):
        return _rolling(view, step, 1, unit, after)
    span = unit_span(shift_day(view.today, step, unit), unit, after)
    if unit == "year" and view.low(after) in ("in", ",") and (month := month_at(view, after + 1)):
        return month_span(day_of(span.start).year, month, after + 2)
    return span


def _rolling(view: View, step: int, count: int, unit: str, after: int) -> Span:
    """So many units up to now, or from now on; whole days unless the unit is shorter."""
    if unit in ("minute", "hour"):
        length = count * (HOUR_US if unit == "hour" else HOUR_US // 60)
        return Span(min(view.now, view.now + step * length), max(view.now, view.now + step * length), "range", after)
    tomorrow = view.today + timedelta(days=1)
    if step > 0:
        return span_of(view.today, shift_day(tomorrow, count, unit), "range", after)
    return span_of(shift_day(view.today, -count, unit), tomorrow, "range", after)


def _which_named(view: View, place: int, step: int) -> Span | None:
    """`last Friday`, `next May`, `this summer`, `last weekend`."""
    name, after = view.low(place + 1), place + 2
    today = view.today
    if view.low(place) == "past":
        return None
    if name == "weekend":
        saturday = today + timedelta(days=5 - today.weekday() + 7 * step)
        if step < 0 and today.weekday() < 5:
            saturday = today - timedelta(days=today.weekday() + 2)
        return span_of(saturday, saturday + timedelta(days=2), "range", after)
    if name in WEEKDAYS and (name not in SHORT_DAYS or view.words[place + 1].capital):
        return _which_weekday(view, step, WEEKDAYS[name], after + (view.low(after) in DAYTIMES))
    if name in SEASONS:
        first = date(today.year - (today.month < 3 and name == "winter"), SEASONS[name], 1)
        if step:
            first = _nearest(first, today, step, add_months(first, 3) > today)
        return span_of(first, add_months(first, 3), "season", after)
    if (month := month_at(view, place + 1)) and (step or means_month(view, place + 1)):
        first = date(today.year, month, 1)
        first = _nearest(first, today, step, add_months(first, 1) > today) if step else first
        return month_span(first.year, month, after)
    return None


def _nearest(first: date, today: date, step: int, unfinished: bool) -> date:
    """This year's, or the year's before or after: the last one is over, the next has not begun."""
    if step < 0:
        return first.replace(year=first.year - unfinished)
    return first.replace(year=first.year + (first <= today))


def _which_weekday(view: View, step: int, weekday: int, after: int) -> Span:
    today = view.today
    if step < 0:
        day = today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    elif step > 0:
        day = today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    else:
        day = today + timedelta(days=weekday - today.weekday())
    return day_span(day, after)
