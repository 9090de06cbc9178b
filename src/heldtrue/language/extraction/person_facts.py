"""What is said of a named person: who they are, what they like, cannot do or took on."""

from __future__ import annotations

import re
from functools import cache

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.extraction.cues.cue import cue_pattern
from heldtrue.language.extraction.cues.tasks import WHEN
from heldtrue.language.extraction.fact_words import ASSIGNED, OFTEN, ROLE, RUNS
from heldtrue.language.extraction.first_person_words import LIFE, LIKING, OWNED
from heldtrue.language.grammar.lexicon import VERBS

_UNABLE = re.compile(
    r"(?:really |ever )?(?:(?:eat|have|drink|drive|like|do|work|speak|handle|use)\b (?!it\b|this)|read$"
    r"|swim|walk|hear|see$|write$|cook|fly)"
)
_HOLDS = re.compile(r"(?:has|knows|keeps) (?:the|our|all)\b")
_MOVES = frozenset("moved joined turns retires retired".split())


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return cue_pattern(ASSIGNED), cue_pattern(OFTEN), cue_pattern(WHEN), cue_pattern(ROLE)


def read_person(tail: str, verb: str, project: str | None) -> ClauseFinding | None:
    """What a clause says of a person, from its verb on and in small letters."""
    assigned, often, when, role = _rules()
    after = tail.partition(" ")[2]
    if verb == "has" and not OWNED.isdisjoint(after.split()[:4]):
        return ClauseFinding(Kind.PROFILE, "says what somebody has")
    if assigned.match(tail) and not often.search(tail):
        return ClauseFinding(Kind.TASK_HINT, "says who does what")
    if _HOLDS.match(tail):
        return ClauseFinding(Kind.PROJECT if project else Kind.PROFILE, "says what somebody has or knows")
    if verb == "is" and after.split(" ", 1)[0].endswith("ing"):
        return ClauseFinding(Kind.TASK_HINT, "says who does what when") if when.search(tail) else None
    if verb in ("is", "are") and role.match(after):
        on_call = after.startswith(("on call", "in charge", "responsible", "the new"))
        return ClauseFinding(Kind.PROJECT if on_call and project else Kind.PROFILE, "says who somebody is")
    if verb in ("can't", "cannot", "can", "doesn't", "don't"):
        return ClauseFinding(Kind.PROFILE, "says what somebody cannot or does not do") if _UNABLE.match(after) else None
    return _read_life(verb, after, project)


def _read_life(verb: str, after: str, project: str | None) -> ClauseFinding | None:
    base, form = VERBS.get(verb, ("", ""))
    if form == "s" and base in LIKING:
        return ClauseFinding(Kind.PREFERENCE, "says what somebody likes or not")
    if form == "s" and base in ("eat", "drink", "wear") and " " in after:
        return ClauseFinding(Kind.PREFERENCE, "says what somebody eats or wears")
    if verb == "moved" and _rules()[2].search(after):
        return ClauseFinding(Kind.PROJECT, "says to when it moved")
    if verb in _MOVES or (form == "s" and base in LIFE):
        owns = base in RUNS and project is not None
        return ClauseFinding(Kind.PROJECT if owns else Kind.PROFILE, "says something of somebody")
    return None
