"""What is to be done: promises, duties with a day, reminders, and what others took on."""

from __future__ import annotations

from holdfast.domain.memory import Kind
from holdfast.language.extraction.cues.cue import make_cue

_T = Kind.TASK_HINT

WHEN = (
    r"(?:\b(?:by|before|until|for|on|no later than|till|this|next|due|at|in|during)\s(?:the\s)?(?:end "
    r"of|early|late|mid|start of|beginning of|week|month|year|quarter|"
    r"<day>|weekend|tomorrow|noon|\d{1,2}(?:st|nd|rd|th|\.|:\d\d)?\b|january|february|march|april|may"
    r"|june|july|august|september|october|november|december"
    r"|spring|summer|autumn|fall|winter|christmas|easter|<number> (?:days?|weeks?|months?))"
    r"|\btomorrow\b|\b<day>\b|\b(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec) \d)"
)
_DO = (
    r"(?!be\b|see\b|have\b(?! (?:the|my|our|it|this) [\w ]{2,30}(?:ready|done|finished))|let\b|try\b"
    r"|look at (?:it|that)|get back|come back|think|wait|check it|do (?:it|that)|say|show|tell|explain"
    r"|know|need\b|take a look)[a-z]{2,14}"
)

TASKS = (
    make_cue(
        "says by when it has to be done",
        _T,
        "has have needs need must",
        rf"^(?!i\b|we\b|you\b|it\b|they\b|all\b|every\b|each\b)[a-z][^,]{{2,60}}? (?:(?:has|have|needs?) to"
        rf"|must) be \w[^,?]{{0,60}}?\b(?=by|before|until|no later){WHEN}",
    ),
    make_cue(
        "says who took it on",
        _T,
        "agreed promised offered volunteered",
        r"^(?!we\b|i\b|they\b|everyone\b|everybody\b|the\b|all\b|he\b|she\b)[a-z-]+ (?:has )?(?:agreed"
        r"|promised|offered|volunteered) to \w",
    ),
    make_cue("promised it", _T, "promised", r"\bi(?:'ve| have)? promised (?:[a-z]+ )?(?:to|that)\b"),
    make_cue(
        "plans to have it by a day",
        _T,
        "want plan aim intend hope",
        rf"\b(?:i|we) (?:want|plan|aim|intend) to {_DO} \w[^?]{{0,100}}?\b(?:by|before|until) {WHEN}".replace(
            r"\b(?:by|before|until) (?:\b", r"(?:\b"
        ),
    ),
    make_cue(
        "promises it for a day",
        _T,
        "i'll we'll will shall",
        rf"\b(?:i'll|i will|we'll|we will|i shall|we shall) (?:<adv>){_DO} \w[^?]{{0,160}}?{WHEN}",
    ),
    make_cue(
        "has to do it by a day",
        _T,
        "have need must should got",
        rf"\b(?:i|we) (?:still |really |also )?(?:(?:have|need|ought|'ve got) to|must|should) {_DO} "
        rf"\w[^?]{{0,160}}?{WHEN}",
    ),
    make_cue(
        "is going to do it on a day", _T, "going", rf"\b(?:i'm|i am|we're|we are) going to {_DO} \w[^?]{{0,160}}?{WHEN}"
    ),
    make_cue(
        "asks to be reminded",
        _T,
        "remind reminder forget",
        r"\bremind (?:me|us) (?:to|that|about)\b|\b(?:don't|do not|dont|must not|mustn't) (?:let me "
        r")?forget to\b",
    ),
    make_cue(
        "says who comes when",
        _T,
        "coming arriving visiting arrives visits comes",
        rf"^(?:the|our|my|[a-z]+) [^,]{{0,40}}?\b(?:is|are) (?:coming|arriving|visiting|due"
        rf"|expected)\b[^?]{{0,60}}?{WHEN}",
    ),
    make_cue(
        "has an appointment",
        _T,
        "appointment meeting interview exam deadline flight check-up checkup",
        rf"\b(?:i|we)(?: have|'ve got|'ve) (?:an?|the|my|our) [\w -]{{0,30}}?(?:appointment|interview|exam"
        rf"|deadline|flight|check-?up|viewing|presentation|talk|concert|gig)\b[^?]{{0,60}}?{WHEN}",
    ),
)
