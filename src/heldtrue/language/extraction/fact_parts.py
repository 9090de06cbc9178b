"""The parts of a plain statement: its subject, its verb, and whether something in it can be looked up again."""

from __future__ import annotations

from collections.abc import Sequence

from heldtrue.language.extraction.fact_words import DAYS, LEADING, META, NO_SUBJECT, NUMBERS, ORDINALS, TITLES
from heldtrue.language.grammar.lexicon import DETERMINERS, PREPOSITIONS, VERBS
from heldtrue.language.grammar.tokens import Token
from heldtrue.language.grammar.verbs import find_verb
from heldtrue.language.names import find_names


def skip_adverbial(tokens: list[Token]) -> list[Token]:
    """The tokens without only, and without a time or place in front: `since 1 February the nightly job runs`."""
    if tokens and tokens[0].low == "only":
        return tokens[1:]
    if not tokens or tokens[0].low not in LEADING:
        return tokens
    for place in range(2, min(6, len(tokens) - 2)):
        if tokens[place].low in ("the", "our") and tokens[place - 1].low not in PREPOSITIONS:
            return tokens[place:]
        before = tokens[place - 1]
        named = tokens[place].kind == "name" and tokens[place].low != "i" and before.kind == "word"
        if named and before.low not in PREPOSITIONS and before.low not in DETERMINERS:
            return tokens[place:]
        if tokens[place].low == "," and tokens[place + 1].low not in PREPOSITIONS:
            return tokens[place + 1 :]
    return tokens


def find_fact_verb(tokens: Sequence[Token]) -> int:
    """The finite verb; after a bare name also one that no list knows."""
    verb = find_verb(tokens, 0, len(tokens))
    if verb >= 1 or len(tokens) < 3 or tokens[0].kind == "mark":
        return verb
    if plural := _find_plural_verb(tokens):
        return plural
    second = tokens[1].low
    if second.endswith("'s"):
        return -1
    if tokens[0].low in ("the", "our") and len(tokens) > 4 and _looks_finite(tokens, 2):
        return 2
    is_verb = second.isalpha() and second.endswith("s") and not second.endswith("ss")
    follows = tokens[2].low in PREPOSITIONS or tokens[2].low in DETERMINERS
    return 1 if is_verb and follows and tokens[0].low not in DETERMINERS else -1


def _looks_finite(tokens: Sequence[Token], place: int) -> bool:
    word, following = tokens[place].low, tokens[place + 1].low
    return (
        word.isalpha() and word.endswith("s") and not word.endswith("ss") and following in (PREPOSITIONS | DETERMINERS)
    )


def _find_plural_verb(tokens: Sequence[Token]) -> int:
    """`Emergencies after eight go to`: a plain verb whose subject is the noun before the preposition."""
    prepositions = [place for place in range(1, min(5, len(tokens))) if tokens[place].low in PREPOSITIONS]
    if not prepositions or not any(token.low.endswith("s") for token in tokens[: prepositions[0]]):
        return 0
    for place in range(prepositions[0] + 2, min(8, len(tokens) - 1)):
        known = VERBS.get(tokens[place].low)
        if known and known[1] == "b" and tokens[place - 1].low not in DETERMINERS and tokens[place - 1].low != "to":
            return place
    return 0


def is_subject(subject: Sequence[Token]) -> bool:
    """Whether it can stand alone: no pronoun, and nothing that is spoken of in passing."""
    first, head = subject[0].low, subject[-1].low
    if first in NO_SUBJECT or any(
        token.low.partition("'")[0] in ("that", "who", "which", "i", "we", "you", "my") for token in subject
    ):
        return False
    short = len(subject) <= 2 or (len(subject) == 3 and subject[1].low in ORDINALS)
    return not (head in META and short and first in ("the", "your", head.rstrip("s"))) and head != "figure"


def names_person(text: str, subject: Sequence[Token]) -> bool:
    """Whether the subject is one bare name, as people have."""
    if (
        (len(subject) > 2 and subject[0].low not in TITLES)
        or len(subject) > 4
        or subject[0].kind != "name"
        or (text[subject[0].start : subject[0].end].isupper() and subject[0].end - subject[0].start > 1)
        or any(token.low[:1].isdigit() for token in subject)
        or not text[subject[0].start].isupper()
    ):
        return False
    if subject[0].low in TITLES:
        return True
    names = find_names(text)
    return bool(names) and names[0].text.startswith(text[subject[0].start : subject[0].end])


def has_anchor(text: str, rest: Sequence[Token]) -> bool:
    """A number, an identifier, code, a name or a day: something that can be looked up again."""
    for token in rest:
        if token.kind in ("value", "quote") or token.low[:1].isdigit() or token.low in NUMBERS:
            return True
        if token.kind == "name" and token.low not in ("i", "i'm", "ok"):
            return True
        if is_identifier(token) or token.low in DAYS:
            return True
    return "`" in text


def is_identifier(token: Token) -> bool:
    """Whether a word is a path, an address or a version."""
    inner = token.low[1:-1]
    return any(sign in inner for sign in "/_.") or (
        token.low[:1].isalpha() and any(char.isdigit() for char in token.low)
    )
