"""What a speaker says of themself or of the group: subject, verb and what follows tell the kind, not set phrases."""

from __future__ import annotations

import re

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.extraction.first_person_words import CALLINGS, EVENTS, OWNED
from heldtrue.language.extraction.group import read_group
from heldtrue.language.extraction.habits import DOES, LIKES, read_habit
from heldtrue.language.extraction.states import read_ability, read_being, read_having
from heldtrue.language.extraction.verb_phrase import POINTED, base_of, skip_adverbs
from heldtrue.language.grammar.lexicon import AUXILIARIES

_SHORT = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
_JOINED = {"im": "i'm", "ive": "i've", "weve": "we've"}
_LEADING = frozenset(
    """in on at for since from as after before during until these most every outside apart with between by and but
    because personally when whenever once nowadays here usually normally to""".split()
)
_NEVER = re.compile(r"would never|'d never")


def read_own(low: str, words: list[str], *, text: str, project: str | None) -> ClauseFinding | None:
    """What a clause in small letters says of I or we, or none where it does not last."""
    place = _find_speaker(words)
    if place < 0:
        return None
    subject, words = words[place], words[place + 1 :]
    who, _, short = _JOINED.get(subject, subject).partition("'")
    if short and "'" + short not in _SHORT:
        return None
    if short:
        words = [_SHORT["'" + short], *words]
    denied, rest = skip_adverbs(words)
    if not rest:
        return None
    if who == "i":
        return _read_me(low, rest, denied=denied, named=_names_more(text))
    return read_group(low, rest, denied=denied, project=project)


def _find_speaker(words: list[str]) -> int:
    """Where I or we stands as the subject: first, or after words that say when, where or as what."""
    for place, word in enumerate(words[:9]):
        if word.partition("'")[0] in ("i", "we") or word in _JOINED:
            if words[0] in ("when", "whenever", "once"):
                return next((at for at in range(place + 2, min(len(words), 14)) if words[at] in ("i", "we")), -1)
            opened = place == 0 or words[0] in _LEADING
            return place if opened and not any(one in AUXILIARIES for one in words[:place]) else -1
    return -1


def _names_more(text: str) -> bool:
    """Whether a name or a number stands in what follows the first words."""
    return any(
        word[:1].isdigit() or (any(char.isupper() for char in word) and word.rstrip(".,") not in ("I", "I'm", "OK"))
        for word in text.split()[2:]
    )


def _read_me(low: str, words: list[str], *, denied: bool, named: bool) -> ClauseFinding | None:
    head = words[0]
    rest = skip_adverbs(words[1:])[1]
    if head in ("am", "was"):
        return read_being(low, rest, past=head == "was") if rest else None
    if head in ("have", "got", "own") and rest:
        return read_having(low, rest)
    if head in ("would", "will"):
        rather = rest[:1] in (["prefer"], ["sooner"]) or words[1:2] == ["rather"] or _NEVER.search(low)
        return ClauseFinding(Kind.PREFERENCE, LIKES) if rather and rest else None
    if head == "can":
        return read_ability(low, rest, denied=denied or " only " in low) if rest else None
    return _read_verb(low, words, rest, denied=denied, named=named)


def _read_verb(low: str, words: list[str], rest: list[str], *, denied: bool, named: bool) -> ClauseFinding | None:
    head = words[0]
    if head == "used" and rest[:1] == ["to"]:
        return ClauseFinding(Kind.PROFILE, "says what they used to do")
    base, form = base_of(head)
    if base == "keep" and rest and rest[0].endswith("ing"):
        return None
    if (form == "d" or head in EVENTS) and head not in ("read", "cut", "put", "set"):
        changed = head in EVENTS or (head in ("sold", "bought", "opened", "built") and not OWNED.isdisjoint(rest[:3]))
        lasting = changed and len(rest) > 1 and POINTED.isdisjoint(rest[:2])
        return ClauseFinding(Kind.PROFILE, "says what changed in their life") if lasting else None
    if not rest:
        return ClauseFinding(Kind.PROFILE, DOES) if base in CALLINGS and len(words) == 1 else None
    return read_habit(low, base, words[1:], denied=denied, named=named) if form == "b" else None
