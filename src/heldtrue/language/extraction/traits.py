"""What can be told of a clause without understanding it: its words, the shape of its grammar, and what stands around.

Each trait is a short string. Nothing here decides; the weights that were learned for them do (learned.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise

import msgspec
import Stemmer

from heldtrue.language.extraction import fact_words, first_person_words
from heldtrue.language.extraction.filters import (
    is_condition,
    is_guess,
    is_hearsay,
    is_momentary,
    is_mood,
    is_question,
    is_quoted,
    takes_back,
)
from heldtrue.language.extraction.requests import is_order, strip_please
from heldtrue.language.grammar.lexicon import (
    ADVERBS,
    AUXILIARIES,
    CONNECTORS,
    DETERMINERS,
    NOUNISH,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    VERBS,
)

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+(?:[.:,]\d+)*|[?!,:;().\"`/%€$£=+*>…–—-]")
_IDENTIFIER = re.compile(r"\w[_/.]\w|`")
_WORDS_READ = 80
_AROUND_WORDS = 3
"""How many words of the sentence before and after are looked at."""
_CLOSED = (
    DETERMINERS
    | PREPOSITIONS
    | SUBORDINATORS
    | ADVERBS
    | PRONOUNS
    | CONNECTORS
    | frozenset(AUXILIARIES)
    | frozenset(
        """me us him them mine yours ours hers theirs myself yourself not and or nor please pls let lets let's i'm i've
        i'll i'd im ive we're we've we'll we'd you're you've you'll it's that's there's he's she's they're won't didn't
        more most less much many few little bit lot too very quite than same other others own such here why how where
        yes yeah nope ok okay thanks thank sorry hey hi lol haha ugh oh well anyway maybe perhaps else even yet ago
        later soon yesterday tomorrow tonight once twice everything nothing something anything anyone get got gets
        getting go going gone goes gonna gotta wanna kind sort thing things stuff way""".split()
    )
)
"""Words that keep their place in the shape of a sentence: all others count there only by their form."""
_CALENDAR = {
    "DAY": """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
        saturdays sundays mon tue wed thu fri sat sun""",
    "MONTH": """january february march april june july august september october november december jan feb mar apr jun
        jul aug sep sept oct nov dec""",
    "UNIT": """minute minutes min mins hour hours hrs day days week weeks month months year years second seconds euro
        euros dollars pounds percent km miles kg grams ml degrees am pm o'clock gb mb ms quid""",
}
_CLASSES = {
    first_person_words: """LIKING LIFE CHOOSING PASSING EVENTS BEING FOND OWNED KIN SELF STATES MENTAL REPORTING
        GROUP_WAYS ILLS COUNTS""",
    fact_words: "META STATIVE SHALLOW FLEETING JUDGING HIDDEN CHANGED BROKEN SETTLED",
}
_SPEAKER = frozenset("i i'm i've i'll i'd im ive".split())
_OWN = _SPEAKER | frozenset("my me mine".split())
_GROUP = frozenset("we our us we're we've ours".split())
_ADDRESSED = frozenset("you your you're u ur".split())
_SUBJECTS = frozenset("NAME Vb Vg Vd X Xs # it this that he she they there you my our the we".split())


class Unit(msgspec.Struct, frozen=True, gc=False):
    """A clause, or a whole sentence of several, as something that could be kept."""

    text: str
    joint: str = ""
    place: int = 0
    """Which clause of its sentence it is, from 0."""
    count: int = 1
    """How many clauses its sentence has."""
    is_whole: bool = False


class SentenceContext(msgspec.Struct, frozen=True, gc=False):
    """What stands around a clause."""

    sentence: str
    before: str = ""
    after: str = ""
    place: int = 0
    """Which sentence of the text it is, from 0."""
    count: int = 1
    bullet: str = ""
    role: str = "user"
    is_document: bool = False
    has_project: bool = False


@cache
def _stem() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


@cache
def _calendar() -> dict[str, str]:
    return {word: name for name, words in _CALENDAR.items() for word in words.split()}


@cache
def _classes() -> dict[str, list[str]]:
    """For a word, the lists that it is on."""
    table: dict[str, list[str]] = {}
    for module, names in _CLASSES.items():
        for name in names.split():
            for word in getattr(module, name):
                table.setdefault(word, []).append(f"c={name}")
    return table


def read_traits(unit: Unit, around: SentenceContext) -> set[str]:
    """Every trait of a clause, each once."""
    tokens = _WORD.findall(unit.text)[:_WORDS_READ]
    lows = [token.lower() for token in tokens]
    shape = list(_read_shape(tokens, lows))
    traits = set(_read_words(lows))
    traits.update(_read_runs(shape))
    classes = _classes()
    traits.update(trait for low in lows for trait in classes.get(low, ()))
    # A sentence of one clause is asked about once, also for its neighbours.
    faults = find_faults(unit.text if unit.count > 1 else around.sentence)
    subject = _name_subject(lows, shape)
    traits.update(f"f={fault}" for fault in faults)
    traits.update(f"s{subject}f={fault}" for fault in faults)
    if unit.count > 1:
        traits.update(f"F={fault}" for fault in find_faults(around.sentence))
    traits.update(_read_form(unit, around, lows, shape, subject))
    traits.update(_read_neighbour("pv", around.before))
    traits.update(_read_neighbour("nx", around.after))
    return traits


@lru_cache(maxsize=256)
def find_faults(text: str) -> tuple[str, ...]:
    """The signs that a sentence is no lasting statement."""
    low = text.lower()
    signs = (
        ("guess", is_guess(low)),
        ("hearsay", is_hearsay(low)),
        ("moment", is_momentary(low)),
        ("mood", is_mood(low)),
        ("question", is_question(low)),
        ("condition", is_condition(low)),
        ("back", takes_back(low)),
        ("quoted", is_quoted(text)),
        ("order", is_order(low[strip_please(low) :])),
    )
    return tuple(name for name, holds in signs if holds)


def _read_words(lows: list[str]) -> list[str]:
    """The stems, pairs of them, and those it begins with."""
    stems = ["#" if low[0].isdigit() else low for low in _stem().stemWords(lows)]
    traits = [f"w={stem}" for stem in stems]
    traits += [f"b={first}_{second}" for first, second in pairwise(["^", *stems, "$"])]
    return traits + [f"p{place}={stem}" for place, stem in enumerate(stems[:3])]


def _read_shape(tokens: list[str], lows: list[str]) -> Iterator[str]:
    """Grammar words as they stand, all others by their form; plain words in a row count once."""
    last = ""
    for place, (token, low) in enumerate(zip(tokens, lows, strict=True)):
        form = _name_form(token, low, place == 0)
        if form != "X" or last != "X":
            yield form
        last = form


@lru_cache(maxsize=4096)
def _name_form(token: str, low: str, starts: bool) -> str:
    if low in _CLOSED:
        return low
    if named := _calendar().get(low):
        return named
    if not token[0].isalpha():
        return "#" if token[0].isdigit() else token
    if token[0].isupper() and not starts:
        return "NAME"
    verb = VERBS.get(low)
    if verb:
        return ("v" if verb[0] in NOUNISH and verb[1] in "bs" else "V") + verb[1]
    return next((form for ending, form in _ENDINGS if low.endswith(ending)), "X")


_ENDINGS = (("ing", "Xg"), ("ed", "Xd"), ("ly", "Xy"), ("s", "Xs"))


def _read_runs(shape: list[str]) -> list[str]:
    """Stretches of the shape: pairs, threes, and how it begins."""
    marked = ["^", *shape, "$"]
    runs = [f"k2={first}_{second}" for first, second in pairwise(marked)]
    runs += [f"k3={one}_{two}_{three}" for one, two, three in zip(marked, marked[1:], marked[2:], strict=False)]
    return [*runs, "k4=" + "_".join(marked[:4]), "k5=" + "_".join(marked[:5])]


def _name_subject(lows: list[str], shape: list[str]) -> str:
    if not lows:
        return "none"
    if lows[0] in _SPEAKER:
        return "I"
    first = "you" if lows[0].startswith("you") else shape[0]
    return first if first in _SUBJECTS else "other"


def _read_form(unit: Unit, around: SentenceContext, lows: list[str], shape: list[str], subject: str) -> Iterator[str]:
    """Its size and place, who is spoken of, and what could be looked up again."""
    kind = f"doc={around.is_document:d},project={around.has_project:d}"
    yield from (kind, f"subject={subject}", f"subject={subject},{kind}", f"role={around.role}")
    yield f"len={min(len(lows) // 4, 6)}"
    yield f"clause={min(unit.place, 2)}/{min(unit.count, 3)}"
    yield f"joint={unit.joint}"
    yield f"sentence={min(around.place, 3)}/{min(around.count, 4)}"
    yield f"last={around.place == around.count - 1:d}"
    yield f"bullet={around.bullet}"
    if unit.is_whole:
        yield "whole"
    holds = {
        "number": any(low[0].isdigit() for low in lows),
        "name": "NAME" in shape,
        "day": "DAY" in shape or "MONTH" in shape,
        "unit": "UNIT" in shape,
        "identifier": _IDENTIFIER.search(unit.text) is not None,
        "loud": "!" in around.sentence,
        "capital": unit.text[:1].isupper(),
        "own": not _OWN.isdisjoint(lows),
        "group": not _GROUP.isdisjoint(lows),
        "addressed": not _ADDRESSED.isdisjoint(lows),
    }
    yield from (name for name, held in holds.items() if held)


def _read_neighbour(side: str, text: str) -> Iterator[str]:
    if not text:
        yield f"{side}=none"
        return
    for fault in find_faults(text):
        yield f"{side}={fault}"
    words = re.findall(r"[a-z']+", text[:60].lower())[:_AROUND_WORDS]
    yield from (f"{side}w={stem}" for stem in _stem().stemWords(words))
