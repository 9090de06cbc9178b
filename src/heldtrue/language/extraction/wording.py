"""First person into third: `I prefer` becomes `Mira prefers`, `our` becomes the project's, and the verb agrees."""

from __future__ import annotations

import re
from functools import cache

from heldtrue.language.extraction.speaker_names import People
from heldtrue.language.grammar.lexicon import ADVERBS, DETERMINERS, PREPOSITIONS, VERBS

_PIECE = r"[^\W_]+(?:['-][^\W_]+)*|\s+|[^\w\s]|_"
_AGREED = {
    "am": "is", "are": "is", "have": "has", "do": "does", "don't": "does not", "dont": "does not", "haven't": "has not",
    "aren't": "is not", "were": "was", "weren't": "wasn't", "havent": "hasn't",
}  # fmt: skip
_SAME = frozenset(
    """can cannot can't cant could couldn't will won't wont would wouldn't shall should shouldn't must mustn't may
    might
    had hadn't did didn't was wasn't is isn't has hasn't does doesn't ought used bled broke burnt dug drew fed
    fought froze
    hung hurt knelt laid lent lit rang rode rose sank shook shot shrank slid sewn stole stuck struck stung swore
    swept tore
    threw trod wept wound woke bit blew bent dealt dreamt fled ground knit meant sought shone spun sprang stank
    strove swung
    quit""".split()
)  # fmt: skip
_SHORT_I = {"i'm": "is", "i've": "has", "i'll": "will", "i'd": "would", "im": "is", "ive": "has"}
_SHORT_WE = {"we'm": "are", "we're": "are", "we've": "have", "we'll": "will", "we'd": "would", "weve": "have"}
_SINGULAR = {"are": "is", "have": "has", "will": "will", "would": "would"}
_SKIPPED = ADVERBS | {"no", "longer", "do", "not", "all", "both", "usually", "mostly", "strongly", "much", "even"}


@cache
def _piece() -> re.Pattern[str]:
    return re.compile(_PIECE)


def third_person(base: str) -> str:
    """`prefer` as it follows she or it."""
    if base in _AGREED:
        return _AGREED[base]
    if base.endswith("y") and base[-2:-1] not in tuple("aeiou"):
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def owned_by(name: str) -> str:
    """The name as an owner."""
    return name + "'s"


def reword(text: str, people: People) -> str | None:
    """The sentence without I and we, or none where nobody is known who says it."""
    pieces = _piece().findall(text)
    said = {"me": False, "us": False}
    for place, piece in enumerate(pieces):
        low = piece.lower()
        known = True
        if low in ("i", "we") or low in _SHORT_I or low in _SHORT_WE:
            known = _put_subject(pieces, place, low, people, said)
        elif low in ("my", "mine", "me", "myself", "our", "ours", "us", "ourselves"):
            known = _put_object(pieces, place, low, people, said)
        if not known:
            return None
    return "".join(pieces)


def _put_subject(pieces: list[str], place: int, low: str, people: People, said: dict[str, bool]) -> bool:
    single = low[0] == "i"
    who = people.me if single else people.us
    if who is None:
        return False
    key = "me" if single else "us"
    plural = not single and people.us_plural
    short = _SHORT_I.get(low) or _SHORT_WE.get(low, "")
    if said[key]:
        who, plural = "they", True
        short = _SHORT_WE.get("we" + low[1:], short) if single else short
    if place and who.startswith("The "):
        who = who[0].lower() + who[1:]
    said[key] = True
    if short:
        verb = short if plural else _SINGULAR.get(short, short)
        pieces[place] = f"{who} {verb}"
    else:
        pieces[place] = who
        if not plural:
            _agree(pieces, place + 1)
        elif single:
            _agree_plural(pieces, place + 1)
    return True


def _agree_plural(pieces: list[str], place: int) -> None:
    for at in range(place, min(len(pieces), place + 4)):
        low = pieces[at].lower()
        if low in ("am", "was"):
            pieces[at] = "are" if low == "am" else "were"
            return


def _agree(pieces: list[str], place: int) -> None:
    """Put the verb after the subject into the third person, and plain verbs that are joined to it."""
    at = _find_verb(pieces, place)
    if at < 0:
        return
    low = pieces[at].lower()
    if not _is_plain(low):
        return
    pieces[at] = third_person(low)
    for joint in range(at + 1, len(pieces) - 4):
        if pieces[joint].lower() == "to" or pieces[joint] in (",", ";"):
            return
        after = pieces[joint + 2].lower()
        if pieces[joint].lower() in ("and", "or", "but") and VERBS.get(after, ("", ""))[1] == "b":
            following = pieces[joint + 4].lower()
            if following in DETERMINERS or following in PREPOSITIONS:
                pieces[joint + 2] = third_person(after)


def _find_verb(pieces: list[str], place: int) -> int:
    for at in range(place, min(len(pieces), place + 12)):
        low = pieces[at].lower()
        if low.isspace() or (low in _SKIPPED and low not in ("do",)) or (low.endswith("ly") and low not in VERBS):
            continue
        return at if low[0].isalpha() else -1
    return -1


def _is_plain(low: str) -> bool:
    """Whether a word is a verb in the form that follows I and we in the present."""
    if low in _AGREED:
        return True
    if low in _SAME:
        return False
    known = VERBS.get(low)
    return known[1] == "b" if known else not low.endswith(("ed", "ing"))


def _put_object(pieces: list[str], place: int, low: str, people: People, said: dict[str, bool]) -> bool:
    single = low[0] == "m"
    owner = people.me if single else people.ours
    if owner is None:
        return False
    key = "me" if single else "us"
    possessive = low in ("my", "our", "mine", "ours")
    if said[key] or (not single and said["me"] and owner == people.me):
        pronoun = "their" if single or people.us_plural else "its"
        pieces[place] = pronoun if possessive else "them" if pronoun == "their" else "it"
    else:
        who = owner if possessive or single else people.us or owner
        pieces[place] = owned_by(owner) if possessive else who
    said[key] = True
    return True


def finish_sentence(text: str, *, keeps_first: bool = False) -> str:
    """One line, a capital at the start unless a name begins it, and a full stop."""
    line = " ".join(text.split()).strip(" ,;:-–—")
    if not line:
        return ""
    first = line.split(" ", 1)[0]
    odd = any(not char.isalpha() for char in first.strip(",.'\"*")) or any(char.isupper() for char in first)
    if not keeps_first and not odd:
        line = line[0].upper() + line[1:]
    return line if line[-1] in ".!?。" else line + "."
