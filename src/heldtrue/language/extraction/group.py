"""What a group says of itself: we and a verb in the plain present, as a habit, a rule or a fact."""

from __future__ import annotations

import re

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.extraction.first_person_words import (
    COUNTS,
    GOING,
    GROUP_FACTS,
    GROUP_WAYS,
    KIN,
    LIKING,
    OWNED,
    PASSING,
)
from heldtrue.language.extraction.verb_phrase import POINTED, base_of, habit_rule, when_rule
from heldtrue.language.grammar.lexicon import AUXILIARIES, VERBS

_NORMS = re.compile(
    r"\b(?:for (?:all|every|each|any|new)|everywhere|throughout|in (?:all|every|our|this (?:repo|project"
    r"|codebase|team))"
    r"|by default|any ?more|at all|first|as the)\b"
)


def read_group(low: str, words: list[str], *, denied: bool, project: str | None) -> ClauseFinding | None:
    """What follows `we`, or none where it passes."""
    head, rest = words[0], words[1:]
    if head == "have":
        return _read_having(rest, project)
    base, form = base_of(head)
    if (head in AUXILIARIES and head != "do") or form != "b" or not rest or rest[0] in POINTED:
        return None
    if base == "keep" and rest[0].endswith("ing"):
        return None
    if not project and not KIN.isdisjoint(rest[:3]) and base not in PASSING:
        return ClauseFinding(Kind.PROFILE, "says who belongs to them")
    return _read_way(low, base, rest, denied=denied, project=project)


def _read_having(rest: list[str], project: str | None) -> ClauseFinding | None:
    nouns = rest[1:] if rest[:1] == ["got"] else rest
    if not project and not OWNED.isdisjoint(nouns[:5]):
        return ClauseFinding(Kind.PROFILE, "says what they have")
    counted = bool(nouns) and (nouns[0].isdigit() or nouns[0] in COUNTS)
    return ClauseFinding(Kind.PROJECT if project else Kind.PROFILE, "says what the group has") if counted else None


def _read_way(low: str, base: str, rest: list[str], *, denied: bool, project: str | None) -> ClauseFinding | None:
    often = habit_rule().search(low) is not None
    if base in LIKING or (base in PASSING and not (base in GROUP_WAYS and (often or denied))):
        return None
    if denied or often or _NORMS.search(low):
        known = (base in VERBS or base == "do" or "-" in base) and (base in GROUP_WAYS or often)
        return ClauseFinding(Kind.CONVENTION, "says what the group does by habit") if known else None
    counted = any(word[:1].isdigit() or word in COUNTS or word in ("one", "noon", "midnight") for word in rest)
    if base in GROUP_FACTS and (counted or base in ("sell", "offer", "employ", "own")):
        return ClauseFinding(Kind.PROJECT if project else Kind.NOTE, "says what the group does")
    usual = base in GROUP_WAYS or when_rule().search(low) is None
    known = base in VERBS and base not in GOING and usual
    told = known and len(rest) > 2 and POINTED.isdisjoint(rest[:3])
    return ClauseFinding(Kind.CONVENTION, "says how the group does it") if told else None
