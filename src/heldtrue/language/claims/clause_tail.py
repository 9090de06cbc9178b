"""What ends the words after a verb: a reason, a condition, or `not Y` after `X`."""

from __future__ import annotations

from collections.abc import Sequence

from heldtrue.language.claims.parse import Parse
from heldtrue.language.claims.phrases import CONDITIONS, read_qualifier
from heldtrue.language.grammar.lexicon import DETERMINERS, NOUNISH, PREPOSITIONS, PRONOUNS, VERBS
from heldtrue.language.grammar.tokens import Token

_REASONS = frozenset("because since so as which who although though".split())
_PURPOSES = frozenset("in to due".split())
_REASONS_OR_CONDITIONS = _REASONS | _PURPOSES | CONDITIONS
_DENIED_AFTER = {",": "not", "but": "not", "instead": "of", "rather": "than"}


def cut_reason(parse: Parse) -> Sequence[Token]:
    """The rest without its reason; a condition at the end becomes a qualifier."""
    rest = parse.rest
    for place, token in enumerate(rest):
        low = token.low
        if low not in _REASONS_OR_CONDITIONS or token.kind == "value":
            continue
        if not place and low not in ("because", "so") and low not in CONDITIONS:
            continue
        is_date = place + 1 < len(rest) and rest[place + 1].kind == "value"
        if low in _REASONS and (low not in ("as", "so") or (place + 1 < len(rest) and rest[place + 1].low in PRONOUNS)):
            return _strip_marks(rest[:place])
        if _opens_purpose(rest, place):
            return _strip_marks(rest[:place])
        if low in CONDITIONS and not is_date and (low not in ("after", "before") or parse.verb == "be"):
            parse.qualifiers += (read_qualifier(rest[place:]),)
            return _strip_marks(rest[:place])
    return rest


def _opens_purpose(rest: Sequence[Token], place: int) -> bool:
    """`in order to ...`, `due to ...`, `to keep the ...`; but not `to host Beta`, where the word is a noun."""
    if place + 1 >= len(rest):
        return False
    low, following = rest[place].low, rest[place + 1].low
    if (low == "in" and following == "order") or low == "due":
        return True
    if low != "to" or rest[place + 1].kind != "word" or VERBS.get(following, ("", ""))[1] != "b":
        return False
    return following not in NOUNISH or (place + 2 < len(rest) and rest[place + 2].low in DETERMINERS)


def _strip_marks(tokens: Sequence[Token]) -> Sequence[Token]:
    end = len(tokens)
    while end and _adds_nothing(tokens[end - 1]):
        end -= 1
    return tokens[:end]


def _adds_nothing(token: Token) -> bool:
    """Whether a token at the end of a phrase adds nothing to it."""
    return (token.kind == "mark" and token.low not in "%)") or token.low in ("anymore", "longer", "but", "and")


def cut_alternative(rest: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
    """Split `X, not Y`, `X but not Y`, `X instead of Y`, `X rather than Y` into X and the denied Y."""
    for place in range(1, len(rest) - 1):
        low = rest[place].low
        if low in _DENIED_AFTER and rest[place + 1].low == _DENIED_AFTER[low]:
            return _share_phrase(_strip_marks(rest[:place]), _strip_marks(rest[place + 2 :]))
        if low == "not" and rest[place - 1].kind != "mark" and place > 1:
            return _strip_marks(rest[:place]), _strip_marks(rest[place + 1 :])
    return _strip_marks(rest), ()


def _share_phrase(chosen: Sequence[Token], denied: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
    """`ruff instead of flake8 for linting`: what follows the denied half holds for both."""
    start = next(
        (place for place, token in enumerate(denied) if place and token.low in PREPOSITIONS and token.low != "of"), 0
    )
    if start and not any(token.low in PREPOSITIONS for token in chosen):
        return [*chosen, *denied[start:]], denied
    return chosen, denied


def put_alternative(rest: Sequence[Token], alternative: Sequence[Token]) -> Sequence[Token]:
    """The rest with Y in the place of X: what stands around X holds for Y too."""
    if alternative[0].low in PREPOSITIONS:
        return alternative
    if rest and rest[0].low in PREPOSITIONS:
        return [rest[0], *alternative]
    own = next((place for place, token in enumerate(alternative) if token.low in PREPOSITIONS and token.low != "of"), 0)
    shared = next(
        (place for place, token in enumerate(rest) if token.low in PREPOSITIONS and token.low != "of"), len(rest)
    )
    return alternative if own else [*alternative, *rest[shared:]]
