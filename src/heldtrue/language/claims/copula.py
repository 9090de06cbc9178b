"""Claims of `X is Y`: what a thing is, where it is, and what an attribute of it is."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.language.claims.attributes import ATTRIBUTE_STEMS, SINGLE_STEMS, mood_prefix
from heldtrue.language.claims.canonical import IDLE_WORDS, canonical_word, join_words, phrase_of
from heldtrue.language.claims.parse import Draft, Parse
from heldtrue.language.claims.phrases import CONDITIONS, QUALIFIERS, qualify, split_phrases
from heldtrue.language.claims.subjects import is_definite, name_slot
from heldtrue.language.grammar.lexicon import DETERMINERS, PREPOSITIONS, PRONOUNS, VERBS
from heldtrue.language.grammar.tokens import Token
from heldtrue.language.grammar.verbs import is_possessive

VALUE_OPPOSITES = {
    "disabled": "enabl", "forbidden": "allow", "prohibited": "allow", "disallowed": "allow", "banned": "allow",
    "unsupported": "support", "inactive": "activ", "unavailable": "avail", "unstable": "stabl", "insecure": "secur",
    "incompatible": "compat", "unnecessary": "necessari", "invalid": "valid", "unencrypted": "encrypt",
    "unreliable": "reliabl", "incorrect": "correct", "unsafe": "safe", "optional": "requir", "false": "true",
    "off": "on",
}  # fmt: skip


def read_copula(parse: Parse, plain: bool) -> list[Draft]:
    """`X is Y`: the value is what follows, or the phrase after the first preposition."""
    rest, positive = parse.rest, parse.positive
    if rest and rest[0].low == "due":
        return state_attribute(
            parse, "due", [token for token in rest[1:] if token.low not in ("on", "by", "at", "in")], exclusive=True
        )
    if rest and rest[0].low == "born":
        dated = any(token.kind == "value" for token in rest)
        return state_attribute(
            parse,
            "born on" if dated else "born in",
            rest[2:] if len(rest) > 2 and rest[1].low in PREPOSITIONS else rest[1:],
            exclusive=True,
        )
    head, phrases = split_phrases(rest)
    swapped = _swap_definition(parse, head)
    if swapped:
        parse = msgspec.structs.replace(parse, subject=swapped[0], rest=swapped[1])
        phrases = [phrase for phrase in phrases if phrase[0] != "for"]
        head = parse.rest
    subject, noun, qualifiers = name_slot(parse.subject)
    preposition = ""
    if not head and phrases:
        preposition, head = phrases[0]
        phrases = phrases[1:]
        if noun and preposition in ("on", "at", "by") and head[0].kind == "value":
            preposition = ""  # the birthday is on a date, the port at a number
    value_tokens = list(head)
    for place, phrase in phrases:
        if place not in QUALIFIERS and place not in CONDITIONS and place != "since" and not preposition:
            value_tokens += phrase
        elif place != "since":
            qualifiers.append(qualify(place, phrase))
    value, positive = _flip_opposite(value_tokens, positive)
    held = noun or preposition or _is_thing(parse.subject) or (bool(head) and head[0].kind == "value")
    telling = is_telling(head, plain) or (noun.rpartition(" ")[2] in SINGLE_STEMS and not _is_participle(head))
    exclusive = (
        bool(held)
        and preposition != "to"
        and telling
        and is_definite(parse.subject, subject)
        and parse.mood in ("now", "do")
    )
    attribute = noun if noun and not preposition else join_words(noun, "be", preposition)
    full = join_words(mood_prefix(parse.mood), attribute, *sorted({*qualifiers, *parse.qualifiers}))
    return [(subject, full, value, positive, exclusive)]


def _swap_definition(parse: Parse, head: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]] | None:
    """`Alice is the owner of the repo` read as `the owner of the repo is Alice`; `Alice is the owner` is left alone."""
    subject = parse.subject
    named = all(token.kind in ("name", "value") for token in subject) or (
        len(subject) == 1 and subject[0].low not in PRONOUNS
    )
    if not named or not subject or len(head) < 2 or any(token.kind == "mark" for token in head):
        return None
    if is_possessive(head, 0) or (head[0].low in ("the", "our", "my") and any(token.low == "of" for token in head)):
        return head, subject
    scoped = len(parse.rest) > len(head) and parse.rest[len(head)].low == "for"
    return (parse.rest, subject) if scoped and head[0].low in ("the", "our", "my") else None


def _flip_opposite(tokens: Sequence[Token], positive: bool) -> tuple[str, bool]:
    """`disabled` is said as `not enabled`, so that the two meet."""
    words = [token for token in tokens if token.low not in IDLE_WORDS and token.kind != "mark"]
    if len(words) == 1 and (opposite := VALUE_OPPOSITES.get(words[0].low)):
        return opposite, not positive
    return phrase_of(tokens), positive


def is_telling(tokens: Sequence[Token], plain: bool) -> bool:
    """Whether the value is a number, date, identifier, quotation or name: one of its kind."""
    kinds = {token.kind for token in tokens}
    if "value" in kinds or "quote" in kinds:
        return True
    words = [token for token in tokens if token.kind != "mark"]
    if not words or words[0].low in ("a", "an", "some", "any"):
        return False
    return "name" in kinds or (
        plain and len(words) == 1 and words[0].low not in VERBS and words[0].low not in VALUE_OPPOSITES
    )


def _is_participle(tokens: Sequence[Token]) -> bool:
    """`the main branch is protected` describes the branch, it does not name one."""
    return (
        len(tokens) > 0
        and tokens[0].kind == "word"
        and (tokens[0].low.endswith("ed") or VERBS.get(tokens[0].low, ("", ""))[1] == "d")
    )


def _is_thing(tokens: Sequence[Token]) -> bool:
    """Whether the subject is a thing (`the office`) and not a bare name, of which many things hold at once."""
    if not tokens or tokens[0].low in DETERMINERS or len(tokens) > 2:
        return bool(tokens)
    return (
        not all(token.kind in ("name", "quote") for token in tokens)
        or canonical_word(tokens[-1].low) in ATTRIBUTE_STEMS
    )


def state_attribute(parse: Parse, attribute: str, value: Sequence[Token], *, exclusive: bool) -> list[Draft]:
    """The claim that an attribute, named by the rule and not by the words, has this value."""
    subject, noun, qualifiers = name_slot(parse.subject)
    exclusive = exclusive and is_definite(parse.subject, subject) and parse.mood != "can"
    prefix = mood_prefix(parse.mood) if attribute not in ("born on", "born in", "name") else ""
    full = join_words(prefix, attribute, *sorted({*qualifiers, *parse.qualifiers}))
    return [(join_words(subject, noun), full, phrase_of(value), parse.positive, exclusive)]


def set_value(parse: Parse, subject: Sequence[Token], value: Sequence[Token], plain: bool) -> list[Draft]:
    """`the timeout was raised to 60 s`: since then it is 60 s."""
    mood = "now" if parse.mood == "past" else parse.mood
    return read_copula(msgspec.structs.replace(parse, subject=subject, rest=value, passive=False, mood=mood), plain)
