"""Stretches of time that a question names: `in May`, `two weeks ago`, `between March and June`.

A question is asked at a moment, so unlike the dates of a stored text its times may lean on the clock. Days begin at
midnight UTC, weeks on Monday, seasons are those of the northern half of the world and begin on the first of a month.
What might as well be no time is none: `may I`, `spring boot`, `in 20 files`, `before the release`.

Every text is looked at for times and few name any, so `prefilter` comes first. Only what passes it is read
(`reading`, and the rules it lists), and only then are the rules loaded.
"""

from __future__ import annotations

from heldtrue.language.periods.question_periods import Period, find_periods
from heldtrue.language.periods.time_questions import asks_when, has_time_words

__all__ = ["Period", "asks_when", "find_periods", "has_time_words"]
