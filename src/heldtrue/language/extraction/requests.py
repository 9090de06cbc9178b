"""Orders: how one is recognised, and how a lasting one is said of the person who gives it."""

from __future__ import annotations

import re
from itertools import pairwise

from heldtrue.language.grammar.lexicon import (
    ADVERBS,
    AUXILIARIES,
    DETERMINERS,
    NOUNISH,
    PREPOSITIONS,
    PRONOUNS,
    VERBS,
)

_NO_VERB = ADVERBS | PREPOSITIONS | DETERMINERS | PRONOUNS | frozenset("been had seen gone done better mind".split())
_NO_WHAT = frozenset(
    """one i we it that idea problem worries way need doubt wonder news luck clue rush hurry response answer reply sign
    joke offence pressure matter thanks more-or-less longer big sweat biggie point reason chance time""".split()
)  # fmt: skip
_OPENING = re.compile(
    r"^(?:please|pls|plz|kindly|so|just|and|then|also|when you [^,]{2,40},|when \w+ing [^,]{2,40},)\s+"
)
_ABOUT = re.compile(r"^[a-z][\w -]{1,30}: ")
_ASKED = PRONOUNS | DETERMINERS | frozenset("what how whether if why where which when sure".split())


def strip_please(low: str) -> int:
    """Where the order itself begins, after please and what introduces it."""
    found = _ABOUT.match(low)
    start = found.end() if found and is_order(low[found.end() :]) else 0
    for _step in range(4):
        found = _OPENING.match(low[start:])
        if found is None:
            break
        start += found.end()
    return start


def is_order(low: str) -> bool:
    """Whether a clause is an order: a plain verb, never, always, do not, no."""
    words = low.split(None, 8)[:8]
    if len(words) < 2:
        return False
    first, second = words[0], words[1].strip(",.")
    if first in ("never", "always"):
        verb = VERBS.get(second)
        unknown = verb is None and second not in _NO_VERB and not second.endswith(("ly", "ed", "ing", "s"))
        return (verb is not None and verb[1] == "b") or second in ("be", "have", "do") or unknown
    if first in ("don't", "dont", "stop", "avoid"):
        return second not in ("i", "we")
    if first == "do":
        return second in ("not", "never") or VERBS.get(second, ("", ""))[1] == "b"
    if first == "no":
        return second not in _NO_WHAT
    known = VERBS.get(first)
    if known is None or known[1] != "b" or second in AUXILIARIES or second in ("of", "and"):
        return False
    if (verb := VERBS.get(second)) and verb[1] == "s" and verb[0] not in NOUNISH:
        return False
    if first in NOUNISH:
        return not _has_own_verb(words)
    return not any(word in AUXILIARIES for word in words[2:4]) or not _ASKED.isdisjoint(words[1:4])


def _has_own_verb(words: list[str]) -> bool:
    """Whether a later word is a finite verb, so that the first is its subject: `test server has`."""
    for before, word in pairwise(words[1:-1]):
        known = VERBS.get(word)
        finite = word in AUXILIARIES or (known is not None and (known[1] == "s" or before.endswith("s")))
        if before in PRONOUNS or before in DETERMINERS or before in ("what", "how", "which", "and", "to", "all"):
            if finite:
                return False
        elif finite:
            return True
    return False


def word_wish(order: str, name: str) -> str:
    """An order as what its giver wants: `keep answers short` becomes `Tom asks to keep answers short`."""
    words = order.split(" ", 1)
    first, rest = words[0].lower(), words[1] if len(words) > 1 else ""
    if first in ("don't", "dont"):
        return f"{name} asks not to {rest}"
    if first == "do" and rest.lower().startswith("not "):
        return f"{name} asks not to {rest[4:]}"
    if first == "do":
        return f"{name} asks to {rest}"
    if first == "never":
        return f"{name} asks never to {rest}"
    if first == "always":
        return f"{name} asks always to {rest}"
    if first in ("no", "nothing"):
        return f"{name} asks for {first} {rest}"
    if first == "stop":
        return f"{name} asks to stop {rest}"
    return f"{name} asks to {first} {rest}"
