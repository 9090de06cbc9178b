"""What somebody is, has and can: I am, I have, I can't, and what follows."""

from __future__ import annotations

import re

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.extraction.first_person_words import (
    ABLE,
    BEING,
    EVENTS,
    FOND,
    LASTING_ING,
    MENTAL,
    NATIONAL,
    NATIONS,
    NO_NATION,
    NO_NOUN,
    ON_WHAT,
    OWNED,
)
from heldtrue.language.extraction.habits import DOES, LIKES
from heldtrue.language.extraction.verb_phrase import POINTED, SKIPPED, base_of, habit_rule, when_rule
from heldtrue.language.grammar.lexicon import PREPOSITIONS

_IS, _HAS, _LONG = "says who they are", "says what they have", "says what they do since long"
_FAN = re.compile(r"\b(?:fan|lover|sucker|person|stickler|believer) ?(?:of|for|in|about|when)?\b")
_LASTED = re.compile(r"\b(?:for|until) (?:\w+ )?(?:\w+ )?(?:years|decades|\d)")
_STAGE = re.compile(r"^in (?:year|grade|class|form|charge|my (?:first|second|third|fourth|final|last) year)\b")
_AHEAD = re.compile(r"\bhours? (?:ahead|behind)\b")
_FOR_LONG = re.compile(r"\b(?:for|since|all my life|years)\b(?! ago)(?<!ever since)")
_BRIEFLY = re.compile(r"\b(?:minutes?|hours?)\b")
_ALWAYS = re.compile(r"\b(?:since|for (?:\w+ )?(?:years|decades|ages)|all my life|never|always)\b")
_TREATED = re.compile(r"\b(?:surgery|operation|stroke|removed|replaced|transplant|bypass|attack)\b")
_DAYS_OFF = re.compile(r"^(?:\w+ )?(?:mon|tues|wednes|thurs|fri|satur|sun)days\b")
_NO_MORE = re.compile(r"\b(?:any ?more|any longer|because of my|since my)\b")
_OVER_TIME = re.compile(r"\b(?:as an?|at|for|phd|degree|master'?s?|toward|in|my)\b")
_ONGOING = frozenset("living studying training learning raising expecting recovering applying".split())
_ENDS = PREPOSITIONS | frozenset("and or but which who that called named whose then every so because now it".split())


def read_being(low: str, words: list[str], *, past: bool) -> ClauseFinding | None:
    """What follows `I am`: a role, an age, a trait, a liking, what goes on, what is up to them."""
    head = words[0]
    after = words[1] if len(words) > 1 else ""
    if head in ("a", "an", "the", "one"):
        return _read_role(low, words, past=past)
    if head.isdigit():
        aged = after in ("", "years", "and", "now", "next", "this") or f" {head}," in low
        return ClauseFinding(Kind.PROFILE, "says how old they are") if aged and len(head) < 3 else None
    if (head in FOND and (after in PREPOSITIONS or head == "into")) or (head == "of" and after in ("a", "an")):
        return ClauseFinding(Kind.PREFERENCE, LIKES)
    if head in ("down", "supposed", "due", "meant", "scheduled") and after == "to":
        return ClauseFinding(Kind.TASK_HINT, "says what is up to them")
    if _is_trait(head, after, words) or _AHEAD.search(low) or (past and head in ("raised", "diagnosed")):
        return ClauseFinding(Kind.PROFILE, _IS)
    return _read_ongoing(low, head, words[1:]) if head.endswith("ing") and not past else None


def _read_role(low: str, words: list[str], *, past: bool) -> ClauseFinding | None:
    if words[1:3] == ["one", "who"]:
        return ClauseFinding(Kind.PROFILE, _IS)
    if _FAN.search(low):
        return ClauseFinding(Kind.PREFERENCE, LIKES)
    noun = next((word for word in words[1:] if word not in SKIPPED), "")
    lasted = not past or _LASTED.search(low)
    return ClauseFinding(Kind.PROFILE, _IS) if noun and noun not in NO_NOUN and lasted else None


def _is_trait(head: str, after: str, words: list[str]) -> bool:
    if head in BEING or head in NATIONAL or (head.endswith(NATIONS) and head not in NO_NATION) or head == "since":
        return True
    if head in ("good", "bad", "terrible", "hopeless", "useless", "better", "great") and after in ("at", "with"):
        return POINTED.isdisjoint(words[2:4])
    if head == "on":
        return after in ON_WHAT or words[-1] in (
            "team",
            "board",
            "committee",
            "shift",
            "medication",
            "tablets",
            "leave",
        )
    named = (head, after) in (("colour", "blind"), ("color", "blind"), ("used", "to"))
    return named or _STAGE.match(" ".join(words[:4])) is not None


def _read_ongoing(low: str, verb: str, rest: list[str]) -> ClauseFinding | None:
    """What goes on over time, and what is set for a day."""
    near = verb in ("reading", "running", "looking", "writing") or not POINTED.isdisjoint(rest[:2])
    if verb in _ONGOING or (verb in LASTING_ING and not near and _OVER_TIME.search(" ".join(rest[:4]))):
        return ClauseFinding(Kind.PROFILE, "says what they are doing over time")
    dated = verb != "going" and len(rest) > 2 and when_rule().search(low)
    return ClauseFinding(Kind.TASK_HINT, "says what they do on a day") if dated else None


def read_having(low: str, words: list[str]) -> ClauseFinding | None:
    """What follows `I have`: people, things, health, and what has been so for long."""
    if words[0] == "got" and len(words) > 1:
        words = words[1:]
    if words[0] == "been" and len(words) > 2:
        lasts = (_FOR_LONG.search(low) is not None and not _BRIEFLY.search(low)) or words[1] in BEING
        return ClauseFinding(Kind.PROFILE, _LONG) if lasts else None
    if words[0] == "had" and _TREATED.search(low):
        return ClauseFinding(Kind.PROFILE, "says what happened to their health")
    if words[-1] == "off" or _DAYS_OFF.search(" ".join(words)):
        return ClauseFinding(Kind.PROFILE, "says when they are not there")
    base, form = base_of(words[0])
    if words[0] == "had" or form == "d":
        changed = words[0] in EVENTS and len(words) > 1 and words[1] not in POINTED
        lasts = changed or (_ALWAYS.search(low) is not None and base not in MENTAL)
        return ClauseFinding(Kind.PROFILE, _LONG) if lasts else None
    head = words[: next((at for at, word in enumerate(words) if at and word in _ENDS), len(words))]
    owned = not OWNED.isdisjoint(head[-1:]) or (not OWNED.isdisjoint(head) and len(head) < 4)
    return ClauseFinding(Kind.PROFILE, _HAS) if owned and head[0] != "to" else None


def read_ability(low: str, words: list[str], *, denied: bool) -> ClauseFinding | None:
    """What follows `I can` and `I can't`: what they are able to in general."""
    verb = words[0]
    if not denied:
        return ClauseFinding(Kind.PROFILE, DOES) if verb in ("speak", "play", "drive", "swim", "cook") else None
    if verb in ("stand", "bear", "abide"):
        return ClauseFinding(Kind.PREFERENCE, LIKES)
    often = habit_rule().search(low) is not None
    if _NO_MORE.search(low) or (verb == "read" and often):
        return ClauseFinding(Kind.PROFILE, DOES)
    if verb not in ABLE or len(words) < 2 or not POINTED.isdisjoint(words[1:3]):
        return None
    short = verb == "have" and len(words) < 4
    usual = verb not in ("do", "make", "work", "meet", "take", "have", "handle", "sleep") or often or short
    return ClauseFinding(Kind.PROFILE, DOES) if usual else None
