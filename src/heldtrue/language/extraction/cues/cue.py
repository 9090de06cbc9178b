"""The form of a cue: a name, the words without which it is not tried, and a bounded pattern."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from heldtrue.domain.memory import Kind, Strength

_MACROS = {
    "<adv>": r"(?:(?:really|always|still|also|just|only|mostly|usually|much|never|often|even|now|both|all|then"
    r"|[a-z]{3,12}ly)\s){0,2}",
    "<i>": r"\bi(?:\shave|'ve|ve)?\s",
    "<im>": r"\b(?:i'm|i am|im)\s",
    "<we>": r"\b(?:we|the team|the board|the group|the committee|my (?:team|wife and i|partner and i|husband "
    r"and i|family)|everyone|the [a-z]{3,14} team)(?:\shave|'ve|\shas)?\s",
    "<were>": r"\b(?:we're|we are|the team is|i'm|i am)\s",
    "<well>": r"\b(?:we'll|we will|i'll|i will|the team will)\s",
    "<day>": r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?",
    "<number>": r"(?:\d[\d.,:]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty"
    r"|thirty|forty|fifty|hundred|thousand)",
}


class Cue(msgspec.Struct, frozen=True):
    """One way in which a clause tells its kind."""

    reason: str
    """What it says, in a few plain words."""
    kind: Kind
    words: frozenset[str]
    """The clause must have one of these words."""
    pattern: str
    strength: Strength = Strength.EXPLICIT
    template: str = ""
    """What is said instead of the clause, with the first group of the pattern in it; in the first person."""
    language: str = "en"
    takes_sentence: bool = False
    """Whether the clauses that follow after a comma belong to it, as a reason does to a decision."""


def make_cue(
    reason: str,
    kind: Kind,
    words: str,
    pattern: str,
    strength: Strength = Strength.EXPLICIT,
    *,
    takes_sentence: bool = False,
    template: str = "",
    language: str = "en",
) -> Cue:
    """A cue from a line of a table."""
    return Cue(reason, kind, frozenset(words.split()), pattern, strength, template, language, takes_sentence)


@lru_cache(maxsize=1024)
def cue_pattern(pattern: str) -> re.Pattern[str]:
    """The pattern of a cue, compiled when first needed."""
    for macro, meaning in _MACROS.items():
        pattern = pattern.replace(macro, meaning)
    return re.compile(pattern)
