"""Plain statements about things and third persons: a subject, a verb that lasts, and something to hold on to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.clause_finding import ClauseFinding
from heldtrue.language.extraction.fact_parts import (
    find_fact_verb,
    has_anchor,
    is_identifier,
    is_subject,
    names_person,
    skip_adverbial,
)
from heldtrue.language.extraction.fact_words import NUMBERS, PLACE, SUBJECT_TOKENS
from heldtrue.language.extraction.person_facts import read_person
from heldtrue.language.extraction.thing_facts import is_fleeting, read_thing
from heldtrue.language.grammar.lexicon import ADVERBS, PREPOSITIONS, VERBS
from heldtrue.language.grammar.tokens import Token, read_tokens

_NO_NAMES = ("lovely", "glad", "nice", "happy", "good", "great", "sorry", "ready", "todo", "note", "tip", "fix")
_DATED = re.compile(
    r"^(?:next [\w ]{2,20}(?=:)|(?:[\w-]+ ){0,4}(?:meeting|deadline|release|launch|review|exam|inspection|delivery"
    r"|appointment|interview|demo|workshop|kick-?off|handover|rehearsal|party|trip|concert|holiday|gig|show|match"
    r"|training|session|class|lesson|surgery))(?: for [\w ]{2,40})?(?::| -"
    r"| on)? (?:the )?(?=[\w .]{0,8}\d)[\w .,:]{3,60}$",
    re.IGNORECASE,
)
_TAKES = re.compile(r"^([A-Z][\w-]{1,20})(?: (?:and|&) [A-Z][\w-]{1,20})?(?: to|:) ([a-z]{2,14}) \S")


def read_fact(text: str, *, project: str | None, is_document: bool = False) -> ClauseFinding | None:
    """What a clause states of a thing or a third person, if that lasts and names something."""
    if verbless := _read_verbless(text, project):
        return verbless
    tokens = skip_adverbial(read_tokens(text, (), (), ()))
    verb = find_fact_verb(tokens)
    if verb < 1 or verb > SUBJECT_TOKENS or verb + 1 >= len(tokens):
        return None
    subject, rest = tokens[:verb], tokens[verb + 1 :]
    while len(subject) > 1 and subject[-1].low in ADVERBS:
        subject = subject[:-1]
    if subject[0].low == "there":
        return _read_there(tokens[verb:], project) if is_document else None
    if subject[0].low in ("a", "an") and len(subject) > 1 and project and has_anchor(text, rest):
        subject = subject[1:]  # what holds of any: `a vaccination costs 68 euros`
    if not is_subject(subject):
        return None
    return _read_named(text, subject, tokens[verb:], project, is_document=is_document)


def _read_verbless(text: str, project: str | None) -> ClauseFinding | None:
    """`Astrid to ask about the scanner`, `Gig on the 21st`."""
    taken = _TAKES.match(text)
    if taken and VERBS.get(taken[2], ("", ""))[1] == "b":
        first = taken[1].lower()
        ordinary = first in VERBS or first in PREPOSITIONS or first in ADVERBS or first.endswith("ly")
        if not ordinary and not first.startswith(_NO_NAMES):
            return ClauseFinding(Kind.TASK_HINT, "says who is to do what")
    return ClauseFinding(Kind.PROJECT if project else Kind.NOTE, "says when it is") if _DATED.match(text) else None


def _read_named(
    text: str, subject: Sequence[Token], tokens: Sequence[Token], project: str | None, *, is_document: bool
) -> ClauseFinding | None:
    verb, rest = tokens[0], tokens[1:]
    is_project = project is not None and subject[0].low == project.lower()
    if not is_project and names_person(text, subject):
        found = read_person(text[verb.start :].lower(), verb.low, project)
        if found and not any(is_identifier(token) for token in rest):  # an address or a version: no person
            entity = is_document and found.kind is Kind.PROFILE and verb.low == "is"
            return ClauseFinding(Kind.ENTITY, "says what it is") if entity else found
        if found is None and verb.low == "is" and rest[0].low in PLACE and not has_anchor(text, rest):
            return None  # where somebody is just now
    if is_fleeting(tokens, is_document=is_document):
        return None
    if is_project and verb.low in ("is", "has") and rest[0].low in ("a", "an", "the", "no") and len(rest) > 1:
        return ClauseFinding(Kind.PROJECT, "says what the project is")
    return read_thing(text, subject, verb, rest, project)


def _read_there(tokens: Sequence[Token], project: str | None) -> ClauseFinding | None:
    """`There are four spaces behind the shop`: how many, and where."""
    words = [token.low for token in tokens]
    if words[0] not in ("is", "are") or len(words) < 5 or not (words[1] in NUMBERS or words[1].isdigit()):
        return None
    if PLACE.isdisjoint(words[3:]):
        return None
    return ClauseFinding(Kind.PROJECT if project else Kind.NOTE, "says what there is")
