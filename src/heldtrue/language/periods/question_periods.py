"""The periods of a question."""

from __future__ import annotations

import msgspec

from heldtrue.language.guard import guarded
from heldtrue.language.periods.prefilter import could_name_time, may_name_time
from heldtrue.language.periods.words import read_words


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


@guarded(lambda _question, *, now: [])  # noqa: ARG005 - the shape of find_periods
def find_periods(question: str, *, now: int) -> list[Period]:
    """Every period that the question names, in order; a month or day without a year is the last that has begun."""
    if not could_name_time(question):
        return []
    words = read_words(question)
    if not may_name_time(words):
        return []
    from heldtrue.language.periods.reading import read_periods

    return [
        Period(span.start, span.end, question[first.start : last.end], span.grain, relation)
        for span, relation, first, last in read_periods(words, now=now)
    ]
