"""What is to be done: promises, duties with a day, reminders, and what others took on."""

from __future__ import annotations

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.cues.cue import make_cue

_T = Kind.TASK_HINT

WHEN = (
    r"(?:\b(?:by|before|until|for|on|no later than|till|this|next|due|at|in|during)\s(?:the\s)?(?:end "
    r"of|early|late|mid|start of|beginning of|week|month|year|quarter|"
    r"<day>|weekend|tomorrow|noon|\d{1,2}(?:st|nd|rd|th|:\d\d|\s?[ap]m|\s(?:of\s)?[jfmasond][a-z]{2,8})\b"
    r"|january|february|march|april|may"
    r"|june|july|august|september|october|november|december"
    r"|holidays?|spring|summer|autumn|fall|winter|christmas|easter|<number> (?:days?|weeks?|months?))"
    r"|\b(?:by|before|until|at)\s\d{1,2}\b|\btomorrow\b|\b<day>\b|\b(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov"
    r"|dec) \d|\b\d{1,2} (?:jan|feb|mar|apr|may|jun"
    r"|jul|aug|sep|oct|nov|dec))"
)
_DO = (
    r"(?!be\b(?! (?:done|ready))|see\b|have\b(?! (?:the|my|our|it|this) [\w ]{2,30}(?:ready|done|finished))|let\b|try\b"
    r"|look at (?:it|that)|come back|think|wait|check it|do (?:it|that)|say|show|tell|explain"
    r"|know|need\b|take a look|miss\b)[a-z]{2,14}"
)
_DUTY = r"(?:(?:have|need|ought|'ve got|got|want|plan|aim|intend|am due|promised) to|must|should|gotta|shall|will)"

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
        r"^(?!we\b|i\b|they\b|everyone\b|everybody\b|the\b|all\b|he\b|she\b)(?:[a-z.-]+ )?[a-z-]+ (?:has )?(?:agreed"
        r"|promised|offered|volunteered) to \w",
    ),
    make_cue("promised it", _T, "promised", r"\bi(?:'ve| have)? promised (?:(?:the |my )?[a-z]+ )?(?:to|that|i)\b"),
    make_cue(
        "has to do it by a day",
        _T,
        "have need must should got gotta i'll we'll will shall want plan aim intend promised going",
        rf"(?:\b(?:i|we) (?:still |really |also |just )?{_DUTY}|\b(?:i'll|we'll|i've got to|i'm going to|i am going to"
        rf"|we're going to|we are going to)) (?:<adv>){_DO}\b[^?]{{1,160}}?{WHEN}",
    ),
    make_cue(
        "still has to do it",
        _T,
        "still owe turn remember sure",
        r"\b(?:i|we) still (?:(?:need|have|got) to|must) (?!know\b|think\b|be\b|see\b|laugh\b|cry\b)[a-z]{3,14} \w"
        r"|\bi(?:'ve)? still haven't [a-z]+ \w|\bi owe (?!you (?:one|a lot|big|an apology))[\w ]{2,30}\b"
        r"|\b(?:it's|it is) (?:my|our) turn to \w|\b(?:i|we) (?:must|need to|have to) (?:remember to|make sure)\b",
    ),
    make_cue(
        "needs it by a day",
        _T,
        "need needs want",
        rf"\b(?:i|we|[a-z]+) needs? (?:the|a|an|all|my|our|your|\d+|two|three|this"
        rf"|that)\b[^?,]{{2,80}}?\b(?=by |before "
        rf"|until |no later){WHEN}",
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
        rf"^(?:the|our|my|[a-z]+) [^,]{{0,40}}?(?:\b(?:is|are)|'s) (?:coming|arriving|visiting|due"
        rf"|expected)\b[^?]{{0,60}}?{WHEN}",
    ),
    make_cue(
        "has an appointment",
        _T,
        "appointment interview exam deadline flight check-up checkup viewing presentation talk concert gig surgery "
        "hearing meeting exams test",
        rf"\b(?:i|we)(?: have|'ve got|'ve|'m having| am having|ve got) (?:an?|the|my|our) [\w -]{{0,30}}?(?:appointment"
        rf"|interview|exams?|deadline|flight|check-?up|viewing|presentation|talk|concert|gig|surgery|hearing|test)\b"
        rf"[^?]{{0,60}}?{WHEN}",
    ),
)
