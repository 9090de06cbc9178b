"""The verb after I or we: adverbs and denials aside, its base and form, and whether it is said to be a habit."""

from __future__ import annotations

import re
from functools import cache

from heldtrue.language.extraction.cues.cue import cue_pattern
from heldtrue.language.extraction.cues.tasks import WHEN
from heldtrue.language.extraction.first_person_words import HABIT
from heldtrue.language.grammar.lexicon import ADVERBS, VERBS

POINTED = frozenset("you your it this that these those him her them".split())
SKIPPED = ADVERBS | frozenset(
    """not all both quite rather very so more much even personally kinda honestly too pretty absolutely almost nearly
    no longer mainly largely sorta prolly""".split()
)
_DENYING = frozenset("not don't dont never no can't cannot cant couldn't won't wouldn't".split())
_MODALS = {"can't": "can", "cannot": "can", "cant": "can", "couldn't": "can", "won't": "will", "wouldn't": "will"}
_STRESSED = _DENYING | {"really", "always", "like", "love"}


@cache
def habit_rule() -> re.Pattern[str]:
    """What marks a habit: always, every, on Mondays."""
    return re.compile(HABIT)


@cache
def when_rule() -> re.Pattern[str]:
    """What names a day."""
    return cue_pattern(WHEN)


def skip_adverbs(words: list[str]) -> tuple[bool, list[str]]:
    """Whether it is denied, and the words from the verb on."""
    denied = False
    for place, word in enumerate(words):
        if word in _DENYING:
            denied = True
            if word in _MODALS:
                return True, [_MODALS[word], *skip_adverbs(words[place + 1 :])[1]]
        elif word == "do" and not _STRESSED.isdisjoint(words[place + 1 : place + 2]):
            continue
        elif word not in SKIPPED and not (word.endswith("ly") and word not in VERBS):
            return denied, words[place:]
    return denied, []


def base_of(word: str) -> tuple[str, str]:
    """A verb's base and form; a word that no list knows counts as a base."""
    return VERBS.get(word, (word, "d" if word.endswith("ed") else "g" if word.endswith("ing") else "b"))
