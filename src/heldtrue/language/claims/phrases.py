"""The object and the prepositional phrases after a verb, and phrases that qualify a claim."""

from __future__ import annotations

from collections.abc import Sequence

from heldtrue.language.claims.canonical import phrase_of
from heldtrue.language.grammar.lexicon import PREPOSITIONS
from heldtrue.language.grammar.tokens import Token

QUALIFIERS = {
    "in": "in", "on": "in", "at": "in", "under": "in", "during": "in", "within": "in", "for": "for", "as": "for",
    "of": "of",
}  # fmt: skip
CONDITIONS = frozenset("if when whenever unless until while once where after before".split())
_COMPARATORS = frozenset("about around over under up than between within".split())


Phrases = list[tuple[str, Sequence[Token]]]


def split_phrases(rest: Sequence[Token]) -> tuple[Sequence[Token], Phrases]:
    """The object, then every prepositional phrase as (preposition, phrase)."""
    starts: list[int] = []
    for place, token in enumerate(rest):
        low = token.low
        if low in PREPOSITIONS and token.kind == "word" and low != "of" and place + 1 < len(rest):
            following = rest[place + 1]
            compares = (
                low in _COMPARATORS and (following.kind == "value" or following.low == "to")
            ) or following.low in ("least", "most")
            if not compares and not (starts and starts[-1] == place - 1):
                starts.append(place)
    if not starts:
        return rest, []
    ends = [*starts[1:], len(rest)]
    head = rest[: starts[0]]
    return head, [(rest[start].low, rest[start + 1 : end]) for start, end in zip(starts, ends, strict=True)]


def qualify(preposition: str, phrase: Sequence[Token]) -> str:
    """A prepositional phrase in the form in which equal qualifiers are equal."""
    return f"{QUALIFIERS.get(preposition, preposition)} {phrase_of(phrase)}"


def read_qualifier(tokens: Sequence[Token]) -> str:
    """A time, place or condition in canonical form; what only says since when is none."""
    first = tokens[0].low
    if first in ("since", "from") or (first == "as" and len(tokens) > 1 and tokens[1].low == "of"):
        return ""
    return qualify(first, tokens[1:]).strip()
