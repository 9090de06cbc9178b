"""Units that are counted off: `two weeks ago`, `3 days before 20 May`, `years ago`."""

from __future__ import annotations

from datetime import date, timedelta

from heldtrue.language.periods.question_view import View, ends_at
from heldtrue.language.periods.spans import HOUR_US, Span, day_of, shift_day, span_of, unit_span
from heldtrue.language.periods.words import COUNTS, UNITS, VAGUE

_UNCOUNTED = (2, 10)
"""How many units are meant where no count is said."""


def read_count(view: View, place: int) -> tuple[int, int, int] | None:
    """A number in digits or words as the least and the most it may mean, and the place after it."""
    low = view.low(place)
    if view.kind(place) == "number":
        return int(low), int(low), place + 1
    if low == "a" and view.low(place + 1) in VAGUE:
        place, low = place + 1, view.low(place + 1)
    if low in VAGUE:
        least, most = VAGUE[low]
        return least, most, place + 2 if view.low(place + 1) == "of" else place + 1
    if low in COUNTS:
        return COUNTS[low], COUNTS[low], place + 1
    return None


def read_counted(view: View, place: int) -> Span | None:
    """`two weeks ago`, `3 days before 20 May`, `two months from now`."""
    count = read_count(view, place)
    unit = UNITS.get(view.low(count[2])) if count else None
    if count is None or unit is None or view.low(place - 1) in ("of", "$"):
        return None
    least, most, at = count
    after, side = at + 2, view.low(at + 1)
    if side in ("ago", "back") or (side == "earlier" and ends_at(view, after)):
        return _counted_off(view, view.today, -1, (least, most), unit, after)
    if side == "from" and view.low(after) == "now":
        return _counted_off(view, view.today, 1, (least, most), unit, after + 1)
    if side in ("before", "after") and unit not in ("minute", "hour"):
        anchor = view.expect(after)
        if anchor is None:
            return None
        day = day_of(anchor.start if side == "before" else anchor.end - 1)
        return _counted_off(view, day, -1 if side == "before" else 1, (least, most), unit, anchor.after)
    return None


def read_uncounted(view: View, place: int) -> Span | None:
    """`years ago`: more than one, and as many as people still say so of."""
    if view.low(place + 1) != "ago" or not view.low(place).endswith("s") or view.kind(place - 1) not in ("word", ""):
        return None
    return _counted_off(view, view.today, -1, _UNCOUNTED, UNITS[view.low(place)], place + 2)


def _counted_off(view: View, day: date, step: int, counts: tuple[int, int], unit: str, after: int) -> Span:
    """What lies so many units from a day: the day, seven days around it, or the calendar's month or year."""
    least, most = counts
    if unit in ("minute", "hour"):
        length = HOUR_US if unit == "hour" else HOUR_US // 60
        # nobody counts hours exactly: half as many more or less
        ends = sorted((view.now + step * least * length // 2, view.now + step * most * length * 3 // 2))
        return Span(ends[0], ends[1], "range", after)
    if least != most:
        near, far = sorted((shift_day(day, step * least, unit), shift_day(day, step * most, unit)))
        return span_of(near, far + timedelta(days=1), "range", after)
    there = shift_day(day, step * least, unit)
    if unit == "week":
        return span_of(there - timedelta(days=3), there + timedelta(days=4), "week", after)
    return unit_span(there, unit, after)
