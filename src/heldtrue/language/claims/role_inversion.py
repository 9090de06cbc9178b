"""Who has a role: `Maria is the lead` is read as `the lead is Maria`, so that both orders are compared as one."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from heldtrue.domain.claim import Claim
from heldtrue.language.claims.attributes import ATTRIBUTE_STEMS, NOUN_SPELLINGS
from heldtrue.language.claims.canonical import canonical_word
from heldtrue.language.grammar.lexicon import is_pronoun

_NAMES_AN_OFFICE = re.compile(r"(?:is|'s|’s)(?: \w+ly| now)? (?:the|our|my) \S+(?: \S+)?\W*\Z", re.IGNORECASE)


def invert_role(claim: Claim) -> Claim:
    """The claim of one who holds an office as a claim of the office; every other claim as it is.

    A claim stays with the person, so that a correction of what Maria is leaves alone what she speaks.
    """
    if claim.subject == "there" and claim.attribute.startswith("be in "):
        return msgspec.structs.replace(claim, subject=claim.attribute[6:], attribute="have")
    if claim.attribute != "be" or not _NAMES_AN_OFFICE.search(claim.text):
        return claim
    holder, office = claim.subject, claim.value
    if not holder or " " in holder or is_pronoun(holder) or holder in ("i", "we") or office[:1].isdigit():
        return claim
    if holder not in (canonical_word(word) for word in re.findall(r"[\w'-]+", claim.text.lower())[:2]):
        return claim
    subject, _, noun = office.rpartition(" ")
    if subject and noun in ATTRIBUTE_STEMS:
        attribute = NOUN_SPELLINGS.get(noun, noun)
    else:
        subject, attribute = office, "be"
    return msgspec.structs.replace(claim, subject=subject, attribute=attribute, value=holder, exclusive=claim.positive)


def invert_roles(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """All claims of a statement, each turned where it names an office."""
    return tuple([invert_role(claim) if claim.attribute[:2] == "be" else claim for claim in claims])
