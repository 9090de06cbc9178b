"""Calendar dates that a text states outright; relative dates need a clock and are left alone."""

from __future__ import annotations

import datetime
import re
from bisect import insort
from collections.abc import Iterator

from heldtrue.domain.claim import DateMention
from heldtrue.language.guard import spend
from heldtrue.language.identifiers import is_free

_Found = tuple[int, int, str]

_YEAR_HINT = re.compile(r"\d{4}(?:(?<!\w\d{4})(?!\w)|\s?[年년])")
_NUMERIC = re.compile(
    r"(?<![\w.\-/:])(?:(\d{4})([\-/.])(\d{1,2})(?:\2(\d{1,2}))?(?=T\d|(?![\w\-/]))(?!\.\d)|(\d{1,2})([./\-])(\d{1,2})\6(\d{4})(?![\w\-/])(?!\.\d))"
)
_EAST_ASIAN = re.compile(r"(?<!\d)(\d{4})\s?[年년](?:\s?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日일号])?)?")
_BARE_YEAR = re.compile(r"(?<![\w.,:/#$€£\-])((?:19|20)\d\d)(?![\w\-/%]|[.,:]\d)")
_WORD_BEFORE = re.compile(r"([^\W\d_]+(?:'en)?)[ \-]\Z")
_YEAR_CUES = frozenset(
    """in since by until till before after from during circa year early late mid of seit jahr ab bis en desde hasta año
    depuis jusqu'en с в до из από το منذ في عام מאז בשנת सन्""".split()
)
_MONTH_WORD = re.compile(r"[^\W\d_]{3,}")
_DAY_BEFORE = re.compile(r"(?<![\w.,:])(\d{1,2})(?:st|nd|rd|th|er|\.)?[ \-](?:of |de |d')?\Z")
_YEAR_AFTER = re.compile(r"\.?,?[ \-](?:of |de |del )?(?:(\d{1,2})(?:st|nd|rd|th)?,? )?(\d{4})(?![\w%]|[.,:]\d)")
_NEXT_WORD = re.compile(r"\s+([^\W\d_]+)")

_MONTHS = (
    "january jan januar janvier enero ene gennaio janeiro января январь ιανουαρίου",
    "february feb februar février fevrier febrero febbraio fevereiro февраля февраль φεβρουαρίου",
    "march mar märz mars marzo março марта март μαρτίου",
    "april apr avril abril abr aprile апреля апрель απριλίου",
    "may mai mayo maggio maio мая май μαΐου",
    "june jun juni juin junio giugno junho июня июнь ιουνίου",
    "july jul juli juillet julio luglio julho июля июль ιουλίου",
    "august aug août aout agosto ago августа август αυγούστου",
    "september sep sept septembre septiembre settembre setembro сентября сентябрь σεπτεμβρίου",
    "october oct oktober okt octobre octubre ottobre outubro октября октябрь οκτωβρίου",
    "november nov novembre noviembre novembro ноября ноябрь νοεμβρίου",
    "december dec dezember dez décembre decembre diciembre dic dicembre dezembro декабря декабрь δεκεμβρίου",
)
MONTH_NUMBERS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
"""The number of a month by its name or short form, in small letters."""

# After a bare year these words mean that the number counts something: "in 2000 rows".
_COUNTING_ENDS = ("s", "es")
_NOT_COUNTED = frozenset("is was as has does its his this us vs unless plus always".split())


def find_dates(text: str) -> tuple[DateMention, ...]:
    """Every absolute date of the text in order, as precise as stated."""
    spend(len(text))
    if not _YEAR_HINT.search(text):
        return ()
    chosen: list[tuple[int, int, str, str]] = []
    for start, end, canonical in _read_dates(text):
        if is_free(chosen, start, end):
            insort(chosen, (start, end, canonical, ""))
    return tuple(DateMention(text[start:end], canonical, start, end) for start, end, canonical, _ in chosen)


def _read_dates(text: str) -> Iterator[_Found]:
    """Candidates, the most precise shapes first."""
    for match in _NUMERIC.finditer(text):
        yield from _numeric_date(match)
    if "年" in text or "년" in text:
        for match in _EAST_ASIAN.finditer(text):
            yield from _dated(match.start(), match.end(), match[1], match[2], match[3])
    yield from _written_dates(text)
    for match in _BARE_YEAR.finditer(text):
        cue = _WORD_BEFORE.search(text, max(0, match.start() - 14), match.start())
        if cue and cue[1].lower() in _YEAR_CUES and not _counts_something(text, match.end()):
            yield match.start(), match.end(), str(int(match[1]))


def _written_dates(text: str) -> Iterator[_Found]:
    """`17 May 2026`, `May 17, 2026`, `May 2026`: a month in words with a year after it."""
    for match in _MONTH_WORD.finditer(text):
        month = MONTH_NUMBERS.get(match.group().lower())
        after = _YEAR_AFTER.match(text, match.end()) if month else None
        if after is None:
            continue
        before = None if after[1] else _DAY_BEFORE.search(text, max(0, match.start() - 10), match.start())
        start = before.start() if before else match.start()
        yield from _dated(start, after.end(), after[2], month, before[1] if before else after[1])


def _numeric_date(match: re.Match[str]) -> Iterator[_Found]:
    if match[1]:
        if match[4] or match[2] == "-":
            yield from _dated(match.start(), match.end(), match[1], match[3], match[4])
        return
    day, month = int(match[5]), int(match[7])
    if match[6] != "." and day <= 12 and month <= 12 and day != month:
        return  # 03/04/2026 is two different days in two countries: it states none.
    if match[6] != "." and month > 12:
        day, month = month, day
    yield from _dated(match.start(), match.end(), match[8], month, day)


def _dated(start: int, end: int, year: str, month: str | int | None, day: str | int | None) -> Iterator[_Found]:
    """The candidate, where the calendar has such a day."""
    try:
        date = datetime.date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return
    if date.year < 1000:
        return
    length = 10 if day else 7 if month else 4
    yield start, end, date.isoformat()[:length]


def _counts_something(text: str, end: int) -> bool:
    following = _NEXT_WORD.match(text, end)
    if following is None or not following[1].islower():
        return False
    return following[1].endswith(_COUNTING_ENDS) and following[1] not in _NOT_COUNTED
