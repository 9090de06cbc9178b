"""Small words that change what a sentence says: denial, amount, order, time, chance, wish and condition."""

from __future__ import annotations

from collections.abc import Sequence

from heldtrue.language.claims.copula import VALUE_OPPOSITES
from heldtrue.language.claims.parse import VERB_OPPOSITES
from heldtrue.language.grammar.lexicon import ADVERBS, VERBS
from heldtrue.language.terms import stem_word

LIGHT = frozenset(
    """the an really actually basically currently now still already simply definitely certainly also please indeed
    clearly obviously very quite nowadays presently truly surely""".split()
)
"""Words that may come and go without changing the facts."""
LIGHT_STEMS = frozenset(
    stem_word(word)
    for word in """actually almost already always basically certainly clearly completely currently definitely directly
    especially every everything exactly explicitly finally fully generally indeed instead just mainly merely mostly
    normally now obviously often only overall particularly please precisely properly quickly quite rather really
    recently regularly respectively several shall should simply specifically still strictly surely totally truly
    typically usually various very well whole""".split()
)
"""Stems that do not change what a statement is about: two texts that differ only in these may be near."""
UNIVERSAL = frozenset({"all", "always"})
"""Words that say no more than their absence, as long as nothing is denied."""

# Each word stands for itself, or for what is written before the colon.
_TABLE = """
not: not never no without avoid nor neither instead hardly barely
every: every each
will: will shall gonna
should: should ought
until: until till
when: when whenever
approximately: approximately about around roughly nearly almost circa
generally: generally general typically normally usually
maybe: maybe perhaps possibly probably apparently likely
default: default defaults defaulting defaulted
todo: todo fixme
only some any most few many several would could might may can must before after unless except if into from than more
less least first then last next since once while during between within above below over under off out up down against
sometimes rarely seldom often mostly mainly primarily his her their your its this these those today tomorrow yesterday
again both ever fewer further later earlier he she it they him them
"""
# What somebody wants, thinks, begins or gives up is not yet, or no longer, so.
_STANCES = frozenset(
    """want plan decide agree choose need hope try become remain stay switch migrate relocate move start begin continue
    stop consider propose suggest recommend attempt intend think believe guess suspect assume expect claim
    say""".split()
)
_BE = frozenset("is are am be been being was were".split())
_HAVE = frozenset("has have had having".split())
_PAST = frozenset("was were had did".split())


def _build_senses() -> dict[str, str]:
    senses: dict[str, str] = {}
    for line in _TABLE.strip().splitlines():
        name, found, words = line.partition(": ")
        senses.update(dict.fromkeys(words.split(), name) if found else {word: word for word in line.split()})
    senses.update((form, base) for form, (base, _) in VERBS.items() if base in _STANCES)
    senses.update((form, "not") for form, (base, _) in VERBS.items() if base in VERB_OPPOSITES)
    senses.update(dict.fromkeys(VALUE_OPPOSITES, "not"))
    return senses


SENSES = _build_senses()


def read_senses(words: Sequence[str]) -> list[str]:
    """The meaning words of a text and the tenses of its verbs, in order, each by the name of what it means."""
    senses: list[str] = []
    auxiliary = ""
    every = False
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < len(words) else ""
        if word in UNIVERSAL:
            every = True
        elif (sense := SENSES.get(word)) is not None:
            senses.append(sense)
        elif word == "just" and place:
            senses.append("only")  # `use just tabs`; but `just use tabs` says no more than `use tabs`
        if word in _BE:
            senses += ["past"] * (word in _PAST) + ["perfect"] * (auxiliary == "have" and word == "been")
            auxiliary = "be"
        elif word in _HAVE:
            senses += ["past"] * (word == "had") + ["have to"] * (following == "to")
            auxiliary = "have"
        elif word not in ADVERBS and word != "not":
            senses += _read_tense(word, following, auxiliary)
            auxiliary = ""
    if every and "not" in senses:
        senses.append("all")  # `not all` is not `none`
    return senses


def _read_tense(word: str, following: str, auxiliary: str) -> tuple[str, ...]:
    if word == "did":
        return ("past",)
    if VERBS.get(word, ("", ""))[1] != "d":
        return ()
    if auxiliary == "have":
        return ("perfect",)
    if word == "used" and following == "to" and not auxiliary:
        return ("used to",)
    return () if auxiliary else ("past",)
