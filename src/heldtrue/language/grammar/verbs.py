"""The finite verb of a clause, told apart from nouns of the same spelling; and commands, which have no subject."""

from __future__ import annotations

from collections.abc import Sequence

from heldtrue.domain.limits import CLAUSE_TOKENS_MAX
from heldtrue.language.grammar.lexicon import (
    ADVERBS,
    AUXILIARIES,
    CONNECTORS,
    DETERMINERS,
    NOUNISH,
    PLURAL_SUBJECTS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    VERBS,
)
from heldtrue.language.grammar.tokens import Token

_FINITE_FORMS = frozenset(AUXILIARIES) | frozenset(form for form, known in VERBS.items() if known[1] != "g")
_SHORT_AUXILIARIES = ("'s", "'re", "'m", "'ve", "'ll")


def is_possessive(tokens: Sequence[Token], place: int) -> bool:
    """Whether `Alice's` at this place owns what follows, rather than being short for `Alice is`."""
    low = tokens[place].low
    if not low.endswith(("'s", "s'")) or tokens[place].kind == "value":
        return False
    if low[:-2] in PRONOUNS or low in ("let's", "what's", "where's", "here's"):
        return False
    following = tokens[place + 1].low if place + 1 < len(tokens) else "."
    return following not in PREPOSITIONS and following not in ("a", "an", "the", "not", "been", ".")


def find_verb(tokens: Sequence[Token], start: int, end: int) -> int:
    """Place of the finite verb of a clause with a subject in tokens[start:end], or -1."""
    # No subject is that long; and whoever looks again from each next place must not read all of a text each time.
    for place in range(start + 1, min(end, start + CLAUSE_TOKENS_MAX)):
        low = tokens[place].low
        if low in _FINITE_FORMS:
            if is_finite_verb(tokens, place, start, end):
                return place
        elif "'" in low and tokens[place].kind == "word" and _ends_in_auxiliary(tokens, place):
            return place
    return start if start < end and _ends_in_auxiliary(tokens, start) else -1


def _ends_in_auxiliary(tokens: Sequence[Token], place: int) -> bool:
    """Whether the word is short for itself and an auxiliary: `she's`, `we'll`."""
    return tokens[place].low.endswith(_SHORT_AUXILIARIES) and not is_possessive(tokens, place)


def is_finite_verb(tokens: Sequence[Token], place: int, start: int, end: int) -> bool:
    """Whether the word here is the verb of the subject before it: nouns of the same spelling are told apart."""
    token = tokens[place]
    if token.kind != "word":
        return False
    low, before = token.low, tokens[place - 1].low
    if low in AUXILIARIES:
        return before != "to"
    known = VERBS.get(low)
    if known is None or known[1] == "g" or (before in DETERMINERS and before not in PRONOUNS) or before in PREPOSITIONS:
        return False
    if (
        before in ("and", "or", "not", ",", "be", "been", "being")
        or before in AUXILIARIES
        or is_possessive(tokens, place - 1)
    ):
        return False
    following = tokens[place + 1] if place + 1 < end else None
    if known[1] == "b" and known[0] not in ("let",):
        return _takes_plural_verb(tokens, place, start) and (following is None or following.low not in AUXILIARIES)
    if known[1] == "s":
        return not _is_noun_before_verb(following) or _has_noun_object(known[0], following)
    return not _opens_short_relative(tokens, place, end)


def _takes_plural_verb(tokens: Sequence[Token], place: int, start: int) -> bool:
    before = tokens[place - 1]
    while (before.low in ADVERBS or before.low in ("no", "longer")) and place - 1 > start:
        place -= 1
        before = tokens[place - 1]
    if before.low in PLURAL_SUBJECTS:
        return True
    if (
        before.kind in ("word", "name")
        and before.low.endswith("s")
        and not before.low.endswith(("ss", "us", "is", "'s"))
    ):
        return before.low not in ADVERBS
    return any(token.low == "and" for token in tokens[max(start, place - 6) : place])


def _has_noun_object(verb: str, following: Token | None) -> bool:
    """`handles comments`, `takes place`: beside a word that is a verb only, one that may be a noun is its object."""
    return verb not in NOUNISH and following is not None and VERBS.get(following.low, ("", ""))[0] in NOUNISH


def _is_noun_before_verb(following: Token | None) -> bool:
    if following is None or following.kind != "word":
        return False
    return following.low in AUXILIARIES or (
        VERBS.get(following.low, ("", ""))[1] in ("b", "s")
        and following.low not in ("like", "use", "lint", "code", "test")
    )


def _opens_short_relative(tokens: Sequence[Token], place: int, end: int) -> bool:
    """Whether a past form only describes the noun before it: `the data stored in S3 is encrypted`."""
    if place + 1 >= end or tokens[place + 1].low not in PREPOSITIONS or tokens[place - 1].low in PRONOUNS:
        return False
    for token in tokens[place + 2 : min(end, place + 10)]:
        if token.low in CONNECTORS or token.low in SUBORDINATORS or token.kind == "mark":
            return False
        if token.low in AUXILIARIES:
            return True
    return False


def opens_imperative(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether the clause is a command or a rule: it starts with a plain verb, or with always, never, do not."""
    place = start
    while place < end and tokens[place].low in ("always", "never", "please", "only", "also", "just", "then"):
        place += 1
    if place >= end:
        return False
    low = tokens[place].low
    if low in ("don't", "dont", "do"):
        return low != "do" or (place + 1 < end and tokens[place + 1].low in ("not", "never"))
    known = VERBS.get(low)
    if known is None or known[1] != "b" or tokens[place].kind == "value":
        return place > start and tokens[place].kind == "word" and place + 1 < end
    if place > start or place + 1 == end:
        return place > start
    following = tokens[place + 1]
    return (
        following.kind != "mark"
        and following.low not in AUXILIARIES
        and (known[0] not in NOUNISH or following.low != "of")
    )
