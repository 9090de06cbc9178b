"""Slots that a claim fills without naming them: where a thing is, who is in charge of it, what the only one of it is.

An implied slot holds one value at a time. Two claims that fill the same slot differently contradict each other, unless
one value is only more precise than the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from heldtrue.domain.claim import Claim
from heldtrue.language.claims.antonyms import has_opposite
from heldtrue.language.claims.canonical import canonical_word
from heldtrue.language.claims.numeric_holes import MOODS
from heldtrue.language.terms import stem_word

ImpliedSlot = tuple[str, str]
"""A slot and its value."""


def _stems(words: str) -> frozenset[str]:
    return frozenset(canonical_word(word) for word in words.split())


# --- places -------------------------------------------------------------------------------------------

# A box may stand on a shelf in a room on a floor of a building: only places of one size exclude each other.
_PLACE_SIZES = {
    canonical_word(noun): size
    for size, nouns in {
        "case": "tin box jar bag envelope folder binder pocket wallet purse suitcase backpack basket bucket tray",
        "fitting": """drawer shelf cupboard cabinet safe locker wardrobe chest freezer fridge refrigerator door doormat
            mat hook rack desk table bed sofa bench counter oven windowsill vault""",
        "room": """kitchen bathroom bedroom canteen cafeteria hall auditorium room classroom studio
            corridor hallway lobby pantry""",
        "floor": "floor storey basement cellar attic loft rooftop",
        "room building": "garage library gym workshop",
        "building": """station church school hospital clinic hotel museum airport shed barn warehouse theatre
            theater cinema stadium bakery pub restaurant cafe pharmacy supermarket university""",
        "street": "street lane road avenue square boulevard",
    }.items()
    for noun in nouns.split()
}
_PLACE_SIZES["town hall"] = "building"
_SAME_PLACES = {
    "cellar": "basement",
    "loft": "attic",
    "refriger": "fridg",
    "cafeteria": "canteen",
    "hallway": "corridor",
}
_LYING = frozenset(
    stem_word(verb)
    for verb in "be hang keep store lie stand park locate sit mount install place put hide house display".split()
)
_GATHERING = frozenset(stem_word(verb) for verb in "happen occur rehearse meet practise practice be".split())
_PLACING = frozenset("in on at behind under inside above below from to".split())
_LEAVING = frozenset({"leav from", "depart from", "start from", "fly from", "arriv at"})


def _read_places(claim: Claim) -> Iterator[ImpliedSlot]:
    """The place after the verb and those that qualify it, each with its size."""
    words = claim.attribute.split()
    if not words or words[0] in MOODS:
        return
    noun = ""
    if "be" in words[1:3]:
        noun, words = words[0], words[words.index("be") :]  # `doctor be at`: the doctor of somebody
    if len(words) < 2 or words[1] not in _PLACING:
        return
    verb, attribute = words[0], " ".join(words[:2])
    if verb not in _LYING and verb not in _GATHERING and attribute not in _LEAVING:
        return
    if verb == "be" and not noun and _is_somebody(claim):
        return  # people are in one room now and in another soon
    if not _KNOWN_THING.match(claim.text):
        return  # towels are in the bathroom and in the bedroom
    phrases = [claim.value, *re.split(r"(?:\A| )in ", " ".join(words[2:]))]
    sizes = [(phrase, _size_of(phrase)) for phrase in phrases if phrase]
    slot = " ".join([attribute if attribute in _LEAVING else "place", *(one for one, size in sizes[1:] if not size)])
    for phrase, fits in sizes:
        for size in fits.split():
            yield f"{claim.subject} {noun} {slot} {size}", _SAME_PLACES.get(phrase, phrase)


def _is_somebody(claim: Claim) -> bool:
    """Whether the subject is one bare name, as people have."""
    first = claim.text.split(" ", 1)[0]
    return " " not in claim.subject and first[:1].isupper() and canonical_word(first.lower()) == claim.subject


def _size_of(phrase: str) -> str:
    """The size of the place that a phrase ends with, a letter or number of it left aside."""
    words = phrase.split()
    while len(words) > 1 and (len(words[-1]) == 1 or words[-1].isdigit()):
        words = words[:-1]
    if words[-2:] == ["town", "hall"]:
        return "building"
    return _PLACE_SIZES.get(words[-1], "") if words else ""


# --- people in charge ---------------------------------------------------------------------------------

_LEADING = frozenset(
    stem_word(verb)
    for verb in """lead head chair manage run coach captain conduct supervise teach handle maintain organise organize
    moderate administer direct oversee""".split()
)
_CREATING = frozenset(
    stem_word(verb) for verb in "write compose paint design build invent found direct discover author".split()
)
# Work of which one is the doer, where the thing done is spoken of: `the flour is delivered by the mill`.
_WORK = frozenset(
    stem_word(verb)
    for verb in """deliver govern operate host supply provide insure produce cater clean print own fund finance power
    guard develop edit translate publish manufacture collect sponsor store""".split()
)
_DONE_BY_ONE = _LEADING | _CREATING | _WORK
# Where all things of a kind are meant: `payments are processed by ...`.
_ROUTINE = _WORK | frozenset(stem_word(verb) for verb in "handle manage maintain administer process sign send".split())
_DONE_BY = re.compile(r"\bby\b", re.IGNORECASE)
_NAMED = re.compile(r"(?!I\b|We\b|They\b|He\b|She\b|It\b|You\b|Every|Some|No\b|All\b|Any)[A-Z][\w'-]*")
_KNOWN_THING = re.compile(r"(?:the|our|my|this)\b|[A-Z]\w+'s\b", re.IGNORECASE)
_LEADS_IT = re.compile(r"(?!We\b|They\b|He\b|She\b|It\b|You\b)[A-Z][\w'-]* \w+s (?:the|our|my|[A-Z])")
_ALL_OF_A_KIND = re.compile(r"[A-Z]\w*s are \w+ by ")
_WIDE = frozenset("thing everyth work it them him her that this".split())


def _read_doers(claim: Claim) -> Iterator[ImpliedSlot]:
    """Who is responsible for a thing, leads it, or does what is done with it."""
    words = claim.attribute.split()
    if not words or not claim.subject:
        return
    if claim.value == "respons" and words[:2] == ["be", "for"] and len(words) > 2 and _NAMED.match(claim.text):
        yield f"{' '.join(words[2:])} respons", claim.subject
        return
    if words == ["be", "in"] and claim.value.startswith("charg of ") and _NAMED.match(claim.text):
        yield f"{claim.value.removeprefix('charg of ')} respons", claim.subject
        return
    created = len(words) == 2 and words[0] == "past" and words[1] in _CREATING
    if claim.value in _WIDE or (len(words) != 1 and not created):
        return
    verb = words[-1]
    known = verb in _DONE_BY_ONE and _KNOWN_THING.match(claim.text)
    passive = (known or (verb in _ROUTINE and _ALL_OF_A_KIND.match(claim.text))) and _DONE_BY.search(claim.text)
    if passive or (verb in _LEADING and " " not in claim.subject and _LEADS_IT.match(claim.text)):
        yield f"{claim.value} {claim.attribute} by", claim.subject


# --- the one such thing -------------------------------------------------------------------------------

_ONLY = _stems("favourite favorite main primary preferred only best native principal chief official top")
# What a thing has one of at a time.
_ROLES = _stems(
    """target tool destination supplier venue strategy protocol layout material medium instrument profession occupation
    diet religion nationality breed species genre motto mascot backend engine brand surname fuel diagnosis major
    password currency cuisine"""
)
_ADJECTIVE_ENDS = (
    *"able ible ful ous ive less ish ed ing ical est er ent ant ly like".split(),
)  # fmt: skip
_ADJECTIVES = frozenset(
    """good bad nice great fine hard easy new old big small slow fast free full empty late early ready done open closed
    clear clean dirty safe sick ill well tired kind strict happy sad busy broken down up here there easy boring cheap
    hot cold warm cool dead alive young tall short long high low rich poor strong weak right wrong true false unknown
    unclear secret public private same different special local remote""".split()
)
_NOUNS = frozenset(
    "spring swimming cycling running climbing sailing skiing dancing reading painting cooking beer".split()
)
_IS = re.compile(r"\b(?:is|are)\b(?P<article> (?:the|a|an|our|my|his|her|their))? (?P<word>[\w'-]+)", re.IGNORECASE)


def _read_only_one(claim: Claim) -> Iterator[ImpliedSlot]:
    """`Greta's favourite subject is biology`, `the backup target is the tape library`: one at a time."""
    slot = claim.subject if claim.attribute == "be" else f"{claim.subject} {claim.attribute}"
    words = slot.split()
    if len(words) < 2 or not (words[-1] in _ROLES or not _ONLY.isdisjoint(words[:-1])) or "be" in words:
        return
    said = _IS.search(claim.text)
    if said and (said["article"] or not _is_adjective(said["word"].lower())) and not claim.value[:1].isdigit():
        yield f"{slot} be", claim.value


_ONE_EVER = _stems("winner author inventor founder architect composer discoverer designer killer")
"""Whoever was it, nobody else was."""


def _read_only_one_ever(claim: Claim) -> Iterator[ImpliedSlot]:
    words = claim.attribute.split()
    if len(words) == 2 and words[0] == "past" and words[1] in _ONE_EVER and _IS_NAMED.search(claim.text):
        yield f"{claim.subject} {claim.attribute}", claim.value


_IS_NAMED = re.compile(r"\bwas [A-Z]")


def _is_adjective(word: str) -> bool:
    if word in _NOUNS:
        return False
    return (
        word in _ADJECTIVES
        or has_opposite(stem_word(word))
        or word in ("not", "no", "never")
        or word.endswith(_ADJECTIVE_ENDS)
    )


_STUFFS = _stems("wood metal stone fabric textile plastic ceramic glass")
"""Kinds of which the others are sorts: what is made of oak is made of wood."""


def _read_material(claim: Claim) -> Iterator[ImpliedSlot]:
    if claim.attribute == "be" and claim.value.startswith("made of ") and _KNOWN_THING.match(claim.text):
        stuff = claim.value.removeprefix("made of ")
        kind = "kind" if stuff.rpartition(" ")[2] in _STUFFS else "sort"
        yield f"{claim.subject} made of {kind}", stuff


# --- all implied slots --------------------------------------------------------------------------------


def read_implied_slots(claim: Claim) -> list[ImpliedSlot]:
    """The implied slots of an affirmative claim; a denial has none."""
    if not claim.positive or not claim.subject:
        return []
    if claim.value.startswith("made of "):
        return list(_read_material(claim))
    verb, _, rest = claim.attribute.partition(" ")
    slots = list(_read_doers(claim)) if verb in _DOING else []
    if rest:
        slots += _read_places(claim)
    if verb == "past":
        slots += _read_only_one_ever(claim)
    elif verb not in MOODS:
        slots += _read_only_one(claim)
    return slots


_DOING = _DONE_BY_ONE | _ROUTINE | {"be", "past"}
_LISTS = frozenset({"and", "or"})


def implied_slots_clash(new: Claim, old: Claim) -> bool:
    """Whether a slot that both have holds two values of which neither says the other more precisely."""
    slots = read_implied_slots(new)
    held = dict(read_implied_slots(old)) if slots else {}
    for slot, value in slots:
        other = held.get(slot)
        if other is not None and other != value:
            ours, theirs = set(value.split()), set(other.split())
            if not (ours <= theirs or theirs <= ours or _LISTS & (ours | theirs)):
                return True
    return False
