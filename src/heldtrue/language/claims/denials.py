"""Whether one claim denies another: by `not`, by an opposite word, or by forbidding what the other allows."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from heldtrue.domain.claim import Claim
from heldtrue.language.claims.antonyms import find_antonym_pair
from heldtrue.language.claims.numeric_holes import MOODS
from heldtrue.language.terms import stem_word

_EVERY = ("everi ", "each ", "all ")
_LOOSE = frozenset("in on at be have do".split())
_STATES = frozenset("be seem remain stay look".split())
# Past by themselves: `agreed` is read as what holds since, `did not agree` as what did not happen.
_EVENTS = frozenset(
    stem_word(verb) for verb in "move switch decide choose rename change set deprecate release name call agree".split()
)
_ORDERS = re.compile(r"\b(?:must|may|shall|should)(?: not\b|n't\b)|\bmustn't\b|\bcan(?:not|'t)\b", re.IGNORECASE)
_DUTY = re.compile(r"\b(?:must|need|needs|should|shall|always|never)\b", re.IGNORECASE)
_CHANCE = re.compile(r"\b(?:might|could)\b", re.IGNORECASE)
_NOT_ALL = re.compile(
    r"\b(?:not|n't|never)\W+(?:all|every|each|always|only|just|necessarily|everyone)\b", re.IGNORECASE
)


_IS = re.compile(r"\b(?:is|are|was|were|be|been|stays?|remains?)\b|'s\b|'re\b", re.IGNORECASE)
_DOORS = frozenset({"open", "lock"})
"""States that somebody also brings about: who opens the shop may close it, too."""


class DenialForm(NamedTuple):
    """A claim as mood, words in order, and side."""

    mood: str
    words: tuple[str, ...]
    side: bool
    turned: bool
    """Whether one of the words has an opposite."""


def plain_subject(subject: str) -> str:
    """A subject without the word that says that all of them are meant."""
    return subject.split(" ", 1)[1] if subject.startswith(_EVERY) else subject


@lru_cache(maxsize=8192)
def _read_form(attribute: str, value: str) -> DenialForm:
    words = attribute.split()
    mood = words.pop(0) if words and words[0] in MOODS else ""
    rest = value.split()
    if words[:2] == ["have", "to"] and rest:
        mood, words = "must", [rest.pop(0), *words[2:]]
    verb = words.pop(0) if words else ""
    if mood == "past" and verb in _EVENTS:
        mood = ""
    pole, side = find_antonym_pair(verb)
    turned = pole != verb or not side
    if verb in _STATES and rest:
        if rest[0] == "non" and len(rest) > 1:
            rest[:2] = [f"non{rest[1]}"]
        first, side = find_antonym_pair(rest[0])
        turned = turned or first != rest[0] or not side
        rest[0] = first
    flat = f"{' '.join(words)} {' '.join(rest)}".replace("in all ", "").split()
    kept = tuple(word for word in (pole, *flat) if word not in _LOOSE)
    return DenialForm(mood, kept, side, turned)


def deny_each_other(new: Claim, old: Claim) -> bool:
    """Whether both say the same of one subject, one of them by denying it or with the opposite word."""
    ours, theirs = _read_form(new.attribute, new.value), _read_form(old.attribute, old.value)
    if (ours.side == new.positive) == (theirs.side == old.positive) or not _same_words(ours, theirs):
        return False
    doors = (ours.turned or theirs.turned) and not _DOORS.isdisjoint(ours.words)
    if doors and not (_IS.search(new.text) and _IS.search(old.text)):
        return False
    if _NOT_ALL.search(new.text) or _NOT_ALL.search(old.text):
        return False
    if ours.mood == theirs.mood:
        return ours.mood != "would" and not (_CHANCE.search(new.text) or _CHANCE.search(old.text))
    if {ours.mood, theirs.mood} == {"", "must"}:
        return bool(_DUTY.search((old if ours.mood == "must" else new).text))
    if {ours.mood, theirs.mood} != {"", "can"}:
        return False
    able, other = (new, old) if ours.mood == "can" else (old, new)
    if _CHANCE.search(able.text):
        return False
    return not able.positive or bool(_ORDERS.search(other.text))


def _same_words(ours: DenialForm, theirs: DenialForm) -> bool:
    if ours.words == theirs.words:
        return True
    if not ours.turned and not theirs.turned:
        return False
    # `is open to trucks` against `is closed to trucks`: an adjective and a participle are not read alike.
    one, other = ([word for word in words if word not in ("to", "for", "with")] for words in (ours.words, theirs.words))
    return one == other or (len(one) == 2 and one == other[::-1])
