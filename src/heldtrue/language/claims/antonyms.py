"""Antonyms: each word as its pair and the side of it, so that a word and its opposite are found under one name."""

from __future__ import annotations

from functools import lru_cache

from heldtrue.language.terms import stem_word

# The word of the pair, words for the same side, and after the bar words for the other side.
_SIDES = """
allow permit permitted tolerate legal lawful | forbid forbidden prohibit ban banned disallow outlaw bar illegal
require required mandatory compulsory obligatory | optional voluntary
include | exclude omit
accept | reject refuse decline
approve | disapprove veto
open | close closed shut
enable enabled | disable disabled
present | absent missing
pass succeed | fail
like love enjoy | dislike hate loathe detest
trust | distrust mistrust
agree | disagree
lock locked | unlock unlocked
support supported | unsupported
visible | invisible hidden
alive | dead
full | empty
true | false
right correct | wrong incorrect
public | private confidential secret
internal | external
permanent | temporary
manual | automatic
synchronous | asynchronous
online | offline
active | inactive
vacant | occupied
awake | asleep
guilty | innocent
genuine authentic | fake counterfeit
raw | cooked
wet | dry
clean | dirty
intact | broken
rise grow increase | fall shrink decrease
cheap inexpensive | expensive costly
easy | hard difficult
simple | complex complicated
fast quick | slow
strong | weak
high | low
tall long | short
wide broad | narrow
deep | shallow
thick | thin
early | late
quiet | loud noisy
busy | idle
sharp | blunt
fresh | stale
hot warm | cold
big large | small tiny
safe harmless | unsafe dangerous harmful
married | unmarried single
edible | inedible poisonous
rough | smooth
lenient | strict
formal | informal
concise brief | verbose detailed
left | right
obey | disobey
attend | skip
remember | forget
win | lose
"""
# Real words that deny what they are made from; the rest follow the spelling `un` and `non`.
_DENIED = """
in: accessible accurate active adequate appropriate capable complete compatible consistent convenient correct definite
in: dependent direct discreet distinct divisible edible effective efficient eligible equal expensive experienced finite
in: flexible formal frequent secure sensitive separable significant sincere soluble stable sufficient tolerant
in: valid visible voluntary elastic audible curable destructible exact
im: balanced mature mobile moral movable mutable partial passable patient perfect permeable polite possible practical
im: precise probable proper pure
ir: rational regular relevant replaceable responsible reversible revocable
il: legal legitimate literate logical
dis: abled advantageous allowed assembled connected continued honest infected loyal mounted obedient organised organized
dis: qualified satisfied similar
"""
_NO_PREFIX = frozenset("under until unit union uniqu univers uniform unanim unless unveil undergo understand".split())


def _cut_able(stem: str) -> str:
    """`drinkabl` as `drink`, which is what the stem of `undrinkable` ends with."""
    return stem[:-3] if stem.endswith(("abl", "ibl")) and len(stem) > 6 else stem


def _read_sides() -> dict[str, tuple[str, bool]]:
    sides: dict[str, tuple[str, bool]] = {}
    for line in _SIDES.strip().splitlines():
        same, _, other = line.partition("|")
        name = stem_word(same.split()[0])
        for words, side in ((same, True), (other, False)):
            for word in words.split():
                sides.setdefault(stem_word(word), (name, side))
    for line in _DENIED.strip().splitlines():
        prefix, _, words = line.partition(": ")
        for word in words.split():
            base, side = sides.get(stem_word(word), (_cut_able(stem_word(word)), True))
            sides.setdefault(stem_word(prefix + word), (base, not side))
    return sides


_SIDES_OF = _read_sides()


def has_opposite(stem: str) -> bool:
    """Whether a stem stands in the table of opposites."""
    return stem in _SIDES_OF


@lru_cache(maxsize=16384)
def find_antonym_pair(stem: str) -> tuple[str, bool]:
    """The pair that a stem belongs to and its side; a stem without an opposite is its own pair."""
    known = _SIDES_OF.get(stem)
    if known is not None:
        return known
    for prefix in ("un", "non"):
        if stem.startswith(prefix) and len(stem) >= len(prefix) + 3 and not stem.startswith(tuple(_NO_PREFIX)):
            base, side = _SIDES_OF.get(stem[len(prefix) :], (_cut_able(stem[len(prefix) :]), True))
            return base, not side
    return _cut_able(stem), True
