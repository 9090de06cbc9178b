"""Whether another time or another number, all else being equal, excludes the first."""

from __future__ import annotations

import re
from typing import NamedTuple

from heldtrue.domain.claim import Claim
from heldtrue.language.claims.numeric_holes import MOODS, lead_of, read_skeleton
from heldtrue.language.terms import stem_word


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem_word(word) for word in words.split())


# What happens once to a thing, or bounds it: its other date is another one for the same event.
_ONCE = _stems(
    """expire end begin start finish close open leave depart arrive happen occur commence conclude terminate launch
    land found establish build construct erect sign file publish release issue bear die marry graduate retire
    incorporate inaugurate demolish invent discover elect appoint acquire ratify adopt complete resume
    lapse renew due introduce abolish premiere register deliver bury submit finish destroy resign hire accept approve
    reject ship shut resolve merge cancel deprecate fix enact arrest promote baptise purchase dissolve"""
)
# Upkeep, shows and the like, which are done to one thing again and again.
_REPEATED = _stems(
    """repair clean tune train test inspect check water use visit see show perform discuss contact call paint restart
    deploy review serve wash charge send sell buy amend change update modify extend improve expand raise increase lower
    restore renovate award print close open treat vaccinate measure audit mention play host hold feed read watch move
    elect nominate shut block rent borrow service sweep mow tend cut win lose attack flood damage"""
)
_WAS_DONE = re.compile(r"(?:the|our|my|[A-Z]\w+'s)\b.*\b(?:was|were)\b", re.IGNORECASE)
# Times of day: what keeps a timetable.
_TIMETABLE = _ONCE | _stems("serve come meet collect board sail run air deliver rehearse hold")
# What is arranged for one day of the week; opening or working on one day leaves the others free.
_WEEKLY = _stems(
    """happen occur meet collect deliver start begin end leave arrive depart come rehearse empty publish air
    hold pick"""
)
_WEEKLY_THINGS = re.compile(r"(?:the|our|my|this)\b|\w+'s\b|\w+s (?:are|\w+(?<!s))\b", re.IGNORECASE)
_PAST_STATES = _stems(
    """be retain last take cost weigh measure have contain hold reach cover span consist total grow fall rise drop
    increase decrease shrink lose seat comprise run start"""
)
_RECURRING = _stems("happen occur hold")
_ONCE_A = re.compile(r"\bonce (?:a|per|every)\b", re.IGNORECASE)
_LIMITS = frozenset("until till by".split())
_UNSURE = frozenset("more less than over under between".split())
_ROUGH = frozenset("about around roughli approxim near almost".split())
_ROUGHLY_SAME = 1.25
"""Up to this ratio two rough numbers may mean the same."""
_DEMANDS = re.compile(r"\b(?:must|needs?|requires?|should|shall|minimum)\b", re.IGNORECASE)
_VAGUE_SUBJECT = re.compile(r"(?:some|many|few|several|most|any|another|one|other|a|an)\b", re.IGNORECASE)


class _Change(NamedTuple):
    """The one hole that two claims fill differently."""

    words: tuple[str, ...]
    place: int
    one: str
    other: str
    text: str

    @property
    def lead(self) -> str:
        return lead_of(self.words[: self.place])

    @property
    def is_past(self) -> bool:
        return self.words[0] == "past"

    @property
    def verb(self) -> str:
        """The verb, or after `is` the participle that the value is: `was filed in 2019`."""
        verb = self.words[1 if self.words[0] in MOODS else 0]
        if verb == "be" and self.words[-2] == "|" and not self.words[-1].startswith("#"):
            return self.words[-1]
        return verb


def differ_in_hole(new: Claim, old: Claim) -> bool:
    """Whether two claims of one subject say the same with another time, or another number, that cannot also hold."""
    change = _find_change(new, old)
    if change is None or _VAGUE_SUBJECT.match(new.text) or _VAGUE_SUBJECT.match(old.text):
        return False
    match change.words[change.place]:
        case "#date" | "#day" | "#month":
            return _is_other_date(change)
        case "#clock":
            return change.words[0] not in MOODS and (change.lead in _LIMITS or change.verb in _TIMETABLE)
        case "#weekday":
            arranged = change.words[0] not in MOODS and (change.verb in _WEEKLY or change.lead in _LIMITS)
            return arranged and _WEEKLY_THINGS.match(change.text) is not None
        case _:
            return _is_other_amount(change)


def _find_change(new: Claim, old: Claim) -> _Change | None:
    """The hole that is filled differently, where it is one only and nothing says that the number is unsure."""
    ours, theirs = read_skeleton(new.attribute, new.value), read_skeleton(old.attribute, old.value)
    if ours.words != theirs.words or not _UNSURE.isdisjoint(ours.words):
        return None
    if "least" in ours.words and not _DEMANDS.search(new.text):
        return None  # at least 8 may be 12; but who must have 12 is not done with 8
    marks = [place for place, word in enumerate(ours.words) if word.startswith("#")]
    if not len(marks) == len(ours.filled) == len(theirs.filled):
        return None  # a word of the text itself begins with the sign of a hole
    changes = [
        _Change(ours.words, place, one, other, new.text)
        for place, one, other in zip(marks, ours.filled, theirs.filled, strict=True)
        if one != other
    ]
    return changes[0] if len(changes) == 1 else None


def _is_other_date(change: _Change) -> bool:
    one, other, words = change.one, change.other, change.words
    if words[change.place] == "#month" and one.split()[-1] == other.split()[-1]:
        return False  # late May is in May
    if one.startswith(other) or other.startswith(one):
        return False  # the year of a day says it less precisely
    if change.lead in _LIMITS and words[0] not in MOODS:
        return True
    if change.is_past and change.verb in _RECURRING and len(one) < len("2020-01-01") and words[change.place] != "#day":
        return False  # there was one in 2018 and one in 2019
    whole = change.verb == "be" and words[-2:] == ("|", words[change.place])
    if change.is_past and change.verb not in _REPEATED and not change.verb.startswith("re"):
        whole = whole or _WAS_DONE.match(change.text) is not None
    return (
        whole
        or (change.verb in _ONCE and not (change.is_past and change.verb == "close"))
        or _ONCE_A.search(change.text) is not None
    )


def _is_other_amount(change: _Change) -> bool:
    words = change.words
    if words[0] == "would" or (change.is_past and words[1] not in _PAST_STATES):
        return False  # what was done may have been done again
    if not _ROUGH.isdisjoint(words):
        small, large = sorted(abs(float(text.split()[0])) for text in (change.one, change.other))
        return large > small * _ROUGHLY_SAME
    return words[change.place] != "#amount byte" or not _is_binary_prefix(change.one, change.other)


def _is_binary_prefix(one: str, other: str) -> bool:
    """Whether one counts bytes by 1000 and the other by 1024: `1 GB` is `1024 MB` to many."""
    small, large = sorted((float(one.split()[0]), float(other.split()[0])))
    return small > 0 and any(abs(large / small - 1.024**power) < 1e-6 for power in (1, 2, 3, 4))
