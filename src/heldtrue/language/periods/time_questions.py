"""Questions about time, and texts that say when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from heldtrue.language.periods.prefilter import could_name_time, may_name_time
from heldtrue.language.periods.words import ALWAYS_TIMES, read_words, word_pattern

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
_OTHER_QUESTIONS = frozenset(
    "what who whom whose which where why how do does did should can could will would ,".split()
)
_TIMES_ELSEWHERE = tuple(
    """昨天 今天 明天 前天 后天 上周 下周 上个月 下个月 去年 明年 昨日 今日 明日 先週 来週 先月 来月
    어제 오늘 내일 지난주 작년 вчера сегодня завтра позавчера""".split()
)
_ANY_MOMENT = 1_700_000_000_000_000


@cache
def _asked() -> re.Pattern[str]:
    return re.compile(_ASKED)


def asks_when(question: str) -> bool:
    """Whether the answer is a time: `when did`, `what year`, `how long ago`; not `what to do when it fails`."""
    low = question.lower().replace("’", "'")
    words = word_pattern().findall(low)
    for place, word in enumerate(words):
        if word in _SHORT_WHEN:
            return True
        if word == "when" and _asks_here(words, place):
            return True
    if words[:1] == ["when"] and words[-1] == "?" and _OTHER_QUESTIONS.isdisjoint(words[1:]):
        return True  # `when Jon has lost his job?`
    return _asked().search(low) is not None


def _asks_here(words: Sequence[str], place: int) -> bool:
    from heldtrue.language.grammar.lexicon import AUXILIARIES

    following = words[place + 1] if place + 1 < len(words) else "?"
    if following == "exactly" or following in AUXILIARIES or not following[0].isalnum():
        return True
    if place == 0 or words[place - 1] not in _ASKING or following == "to":
        return False
    return "," not in words[place : place + 30]  # `and when it fails, what do we do?` asks for something else


def has_time_words(text: str) -> bool:
    """Whether a stored text says when: a date, a weekday, a month, `yesterday`, `two days ago`, `next month`."""
    if not text.isascii() and any(word in text for word in _TIMES_ELSEWHERE):
        return True
    if not could_name_time(text):
        return False
    words = read_words(text)
    if any(word.kind == "date" or word.low in ALWAYS_TIMES for word in words):
        return True
    if not may_name_time(words):
        return False
    from heldtrue.language.periods.reading import read_periods

    return any(True for _ in read_periods(words, now=_ANY_MOMENT))
