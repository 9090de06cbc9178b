"""What somebody does, likes and wants in general: I and a verb in the plain present."""

from __future__ import annotations

import re

from heldtrue.domain.memory import Kind, Strength
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.extraction.first_person_words import (
    AT_HAND,
    CHOOSING,
    ILLS,
    LIFE,
    LIKING,
    MENTAL,
    OWNED,
    PASSING,
    REFUSED,
    REPORTING,
)
from heldtrue.language.extraction.verb_phrase import POINTED, habit_rule, when_rule
from heldtrue.language.grammar.lexicon import DETERMINERS, PREPOSITIONS

LIKES, DOES = "says what they like or not", "says what they do"
_ASKING = frozenset("see know ask hear say thank add find understand check".split())
_JUDGED = re.compile(
    r"\bfind (?!out\b|it\b|the (?:bug|file))[^,]{2,60}?\s(?:un\w{4,}|\w{3,}ing|\w{3,}ful|\w{3,}less|hard|easier|harder"
    r"|clearer|nicer|ugly|boring|difficult|better|easy|best|more|confusing)\b"
)
_GENERAL = re.compile(
    r"\b(?:always|never|generally|in general|every|all|any|at (?:least|most)|no more than|only|rather than"
    r"|instead of)\b|, not \w"
)


def read_habit(low: str, base: str, rest: list[str], *, denied: bool, named: bool) -> ClauseFinding | None:
    """What a plain present says: a liking, a way of life, or what is said to be a habit."""
    first = rest[0]
    if rest[-1] == "else" or (base == "do" and first == "the"):
        return None
    if base in LIKING:
        return _read_liking(low, base, rest)
    if first in POINTED or (first in PREPOSITIONS and not POINTED.isdisjoint(rest[1:2])) or first == "into":
        return None
    if base == "get":
        return _read_getting(low, rest)
    if base == "look" and first == "after":
        return ClauseFinding(Kind.PROFILE, DOES)
    if base in ("want", "need", "find"):
        return _read_wish(low, base, rest, denied=denied)
    return _read_doing(low, base, rest, denied=denied, named=named)


def _read_liking(low: str, base: str, rest: list[str]) -> ClauseFinding | None:
    asks = (
        rest[0] in POINTED - {"it", "them"}
        or rest[0] in ("how", "where")
        or (rest[0] == "to" and not _ASKING.isdisjoint(rest[1:2]))
    )
    irony = " just love " in f" {low} "
    bare = base in ("fear", "struggle") and len(rest) < 2
    return None if asks or irony or bare else ClauseFinding(Kind.PREFERENCE, LIKES)


def _read_getting(low: str, rest: list[str]) -> ClauseFinding | None:
    usual = rest[0] in ("up", "paid", "home") and habit_rule().search(low) is not None
    return ClauseFinding(Kind.PROFILE, DOES) if usual or not (OWNED | ILLS).isdisjoint(rest[:3]) else None


def _read_wish(low: str, base: str, rest: list[str], *, denied: bool) -> ClauseFinding | None:
    if base == "find":
        found = _JUDGED.search(low)
        return ClauseFinding(Kind.PREFERENCE, "says how they find it", Strength.IMPLIED) if found else None
    if not _GENERAL.search(low) or rest[0] == "to" or (base == "need" and denied) or "you to" in low:
        return None
    return ClauseFinding(Kind.PREFERENCE, "says what they want in general")


def _read_doing(low: str, base: str, rest: list[str], *, denied: bool, named: bool) -> ClauseFinding | None:
    often = habit_rule().search(low) is not None
    if denied and base in REFUSED:
        return ClauseFinding(Kind.PREFERENCE, LIKES)
    if base in PASSING and not (often and (base in CHOOSING or base not in MENTAL)):
        return None
    if (often or denied) and (base in CHOOSING or (denied and often)) and base != "work":
        return ClauseFinding(Kind.PREFERENCE, "says what they usually do", Strength.IMPLIED)
    if base in ("read", "write", "edit", "help", "cook") and rest[0] == "the" and not often:
        return None
    if base in LIFE and not denied and _names_something(rest):
        return _read_life(base, rest[0])
    if base in PASSING:
        return None
    lasting = often or denied or _is_generic(low, base, rest, named=named)
    return ClauseFinding(Kind.PROFILE, DOES) if lasting and (often or len(rest) > 1) else None


def _read_life(base: str, first: str) -> ClauseFinding | None:
    if base == "run" and first in ("the", "into"):
        return None
    return ClauseFinding(Kind.PREFERENCE if base == "use" and first not in ("a", "an", "my") else Kind.PROFILE, DOES)


def _is_generic(low: str, base: str, rest: list[str], *, named: bool) -> bool:
    """Whether it is said of things in general or by name, not of what was just done: `I grow dahlias for the show`."""
    if base in REPORTING or when_rule().search(low):
        return False
    return named or (len(rest) > 2 and rest[0] not in DETERMINERS and rest[0] not in PREPOSITIONS)


def _names_something(rest: list[str]) -> bool:
    """Whether more follows than a thing at hand: `run the tests` is no way of life."""
    return AT_HAND.isdisjoint(rest[:4]) and rest[0] not in ("away", "out", "around", "forward", "now")
