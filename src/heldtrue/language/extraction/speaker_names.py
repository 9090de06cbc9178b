"""Who is meant: the speaker behind I, the project or group behind we, and what it or that stands for."""

from __future__ import annotations

import re
from functools import cache

import msgspec

from heldtrue.language.grammar.lexicon import (
    ADVERBS,
    AUXILIARIES,
    CONNECTORS,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    VERBS,
)
from heldtrue.language.names import find_names

_SMALL = ADVERBS | PREPOSITIONS | PRONOUNS | SUBORDINATORS | CONNECTORS | DETERMINERS | frozenset(AUXILIARIES)
ROLES = frozenset("user assistant tool system human ai bot model agent function developer".split())
_PHRASE = r"\b(?:the|our|my|your|this|that) ((?:[\w'-]+ ){0,3}?[\w'-]+)"
_POINTING = r"""(?x)\b(?:it(?!\s(?:when|if)\b)|it's|its|they|they're|them|he|she|he's|she's|him|these|those|that's)\b
    |\b(?:this|that)\s(?=is\b|was\b|has\b|will\b|needs?\b|goes\b|works\b|'s\b)|\b(?:this|that)$|\bthe(?:\s[a-z]+)?\sones?\b
    |\b(?:use|using|do|did|like|love|hate|prefer|want|for|with|of|about|on|in|to)\s(?:this|that)(?=\s(?:and|because|since|by|on|for|too|instead)\b|,)"""


_MENDED = re.compile(r"\b(?:fixed|solved|resolved|cured|sorted|since then|ever since|and now),? (it|them|that|this)\b")
_IT_IS = re.compile(r"it is(?=$|,| then| since| because)")
_NEVER_PUT = frozenset("he she he's she's him these those".split())


class People(msgspec.Struct, frozen=True):
    """The names that stand for the persons of a text."""

    me: str | None
    """Who says I; none where nobody is known to."""
    us: str | None
    """Who says we."""
    us_plural: bool = True
    """Whether `us` takes the verb of several."""
    ours: str | None = None
    """Who owns what is ours, where that is said differently."""


def name_people(speaker: str | None, role: str, project: str | None) -> People:
    """Who speaks in a message: a named person, the user, or the assistant; we are the project, or they and others."""
    name = (
        speaker if speaker and speaker.lower() not in ROLES else "The assistant" if role == "assistant" else "The user"
    )
    if project:
        return People(name, project, us_plural=False, ours=project)
    return People(name, f"{name} and others", us_plural=True, ours=name)


def name_authors(project: str | None) -> People:
    """Who speaks in a document: nobody in particular, and for the group its project."""
    return People(None, project or "The group", us_plural=False, ours=project or "The group")


@cache
def _rules() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(_PHRASE), re.compile(_POINTING)


def points_back(text: str) -> tuple[int, int] | None:
    """Where a clause says it, they or that with nothing in the clause itself that it could stand for."""
    low = text.lower()
    found = _rules()[1].search(low)
    if found and low.startswith("no ") and found.group() in ("it", "them"):
        return found.span()
    if found is None or _names_thing(text[: found.start()]) or _IT_IS.match(low, found.start()):
        return None
    return found.span()


def _names_thing(left: str) -> bool:
    """Whether a noun stands there already, so that the word after it points inside the clause; a bare name is none."""
    words = re.findall(r"[\w'-]+", left)
    if len(words) > 2 and words[-1].lower() in ("because", "since", "as"):
        return True
    named = any(word[0].isupper() and word.lower() not in _SMALL and "'" not in word for word in words[1:])
    return named or any(_is_noun(word, before.lower()) for before, word in zip(["", *words], words, strict=False))


def _is_noun(word: str, before: str) -> bool:
    low = word.lower()
    if before in DETERMINERS or low[0].isdigit():
        return True
    plain = word == low and len(low) > 2 and "'" not in low
    return plain and low not in _SMALL and low not in VERBS and not low.endswith("ly")


def find_subject_phrase(low: str, text: str, project: str | None = None) -> str | None:
    """The noun phrase that a clause is about, where it begins with one: `the release`, `our flour`."""
    if project and low.startswith((project.lower() + " ", project.lower() + "'s ")):
        return project
    found = re.match(
        r"(?:the|our|my|your) (?:[\w'-]+ ){0,3}?[\w'-]+(?= (?:is|are|was|were|has|have|will|must|can|comes?"
        r"|goes|runs?|needs?|lives?|failed|broke|crashed|\w+s) )",
        low,
    )
    if found is None or re.search(r"\b(?:cause|reason|problem|culprit|fix|solution|trick)$", found.group()):
        return None
    return text[: found.end()]


def put_phrase(text: str, phrase: str | None, *, mends: bool = False) -> str | None:
    """The text with it or that named, itself where nothing needs naming, none where nothing safe is known.

    What was mended is named too where it is known: `installing the package fixed them`.
    """
    span = points_back(text)
    if span is None:
        found = _MENDED.search(text) if mends and phrase else None
        return text[: found.start(1)] + _small_first(phrase) + text[found.end(1) :] if found and phrase else text
    word = text[span[0] : span[1]].lower().strip()
    if phrase is None or word in _NEVER_PUT or word.startswith("the "):
        return None
    named = phrase if span[0] == 0 else _small_first(phrase)
    if word in ("it's", "that's", "they're"):
        named += " are" if word == "they're" else " is"
    elif word == "its":
        named += "'s"
    return text[: span[0]] + named + text[span[1] :]


def _small_first(phrase: str) -> str:
    return phrase[0].lower() + phrase[1:] if phrase.split(" ", 1)[0].lower() in ("the", "our", "my", "your") else phrase


def find_only_phrase(last: str) -> str | None:
    """The one noun phrase with an article in the turn before; none where there are several, or none."""
    found = re.findall(
        r"\b(?:the|our|my|your) [\w' -]{2,40}?(?=[?.,!;]|$| (?:is|are|was|in|on|at|for|with|by|to|of)\b)", last.lower()
    )
    if len(found) != 1 or re.search(r"\b(?:and|or) (?:the|our|my|your) ", last.lower()):
        return None
    start = last.lower().index(found[0])
    phrase = last[start : start + len(found[0])].strip()
    return re.sub(r"^your\b", "the", phrase, flags=re.IGNORECASE)


def find_only_person(text: str, project: str | None) -> str | None:
    """The one name in a clause that can be a person's, also `my brother Tom`; none where there are several."""
    if not any(char.isupper() for char in text):
        return None
    names = [
        name.text for name in find_names(text) if name.text.isalpha() and name.text.lower() != (project or "").lower()
    ]
    names = [name for name in names if not re.search(rf"\b(?:in|at|to|from|on|near|for|of) {name}\b", text)]
    return names[0] if len(names) == 1 else None


def put_person(text: str, name: str | None) -> str:
    """The text with he or she at its start named, where one person was spoken of."""
    found = _HE.match(text) if name else None
    if found is None or name is None:
        return text
    short = {"'s": " is", "'ll": " will", "'d": " would"}.get(found[2] or "", "")
    return name + ("'s" if found[1].lower() in ("his", "her") else short) + text[found.end() :]


_HE = re.compile(r"(he|she|his|her)('s|'ll|'d)?\b(?= \w)", re.IGNORECASE)


def name_subject(text: str, topic: str | None, person: str | None) -> str:
    """The text with the it, they, he or she that it begins with named, where what was spoken of is known."""
    text = put_person(text, person)
    found = _IT.match(text) if topic else None
    if found is None or topic is None:
        return text
    named = {"'s": " is", "'re": " are", "s": "'s"}.get(found[2] or "", "")
    return topic + named + text[found.end() :]


_IT = re.compile(r"(it|they)('s|'re|s)?\b(?= \w)", re.IGNORECASE)
