"""The claims of an English clause: what stands before it, its parse, and one reading for each kind of verb."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heldtrue.language.claims.actions import read_active, read_passive
from heldtrue.language.claims.clause_tail import cut_alternative, cut_reason, put_alternative
from heldtrue.language.claims.copula import read_copula
from heldtrue.language.claims.parse import Draft, Parse, parse_clause
from heldtrue.language.claims.phrases import CONDITIONS, read_qualifier
from heldtrue.language.grammar.lexicon import AUXILIARIES, PREPOSITIONS, PRONOUNS
from heldtrue.language.grammar.tokens import Token

_ASSIGNMENT_SIGNS = frozenset(":=→：—")


def read_english(tokens: Sequence[Token], plain: bool, qualifiers: tuple[str, ...] = ()) -> list[Draft]:
    """The claims of a clause; `plain` text has no capitals, so that its names look like words."""
    if not qualifiers and (start := _preamble_end(tokens)):
        return read_english(tokens[start:], plain, (read_qualifier(tokens[:start]),))
    assigned = _assignment_place(tokens)
    if assigned:
        return read_copula(
            Parse(tokens[:assigned], "be", "now", True, tokens[assigned + 1 :], False, qualifiers), plain
        )
    parse = parse_clause(tokens)
    if parse is None:
        return []
    parse.qualifiers = qualifiers
    return _claims_of(parse, plain)


def _preamble_end(tokens: Sequence[Token]) -> int:
    """How many tokens stand before the main clause: `In production, ...`, `When deploying, ...`."""
    first = tokens[0].low
    if (first not in PREPOSITIONS and first not in CONDITIONS) or len(tokens) < 4:
        return 0
    for place in range(1, min(len(tokens) - 1, 14)):
        token = tokens[place]
        if token.low == ",":
            return place + 1
        if (
            place > 1
            and first in PREPOSITIONS
            and (token.low in PRONOUNS or token.low in ("the", "our", "my") or tokens[place - 1].kind == "value")
        ):
            return place
    return 0


def _assignment_place(tokens: Sequence[Token]) -> int:
    """Place of the sign in `API timeout: 30 s`, `api_timeout = 30s`; 0 where there is none."""
    for place in range(1, min(len(tokens) - 1, 8)):
        low = tokens[place].low
        if low in AUXILIARIES:
            return 0
        if low in _ASSIGNMENT_SIGNS and tokens[place].kind == "mark" and (low != "—" or place < 4):
            return place
    return 0


def _claims_of(parse: Parse, plain: bool) -> list[Draft]:
    parse.rest, alternative = cut_alternative(cut_reason(parse))
    drafts = _one_claim(parse, plain)
    if alternative and drafts:
        denied = msgspec.structs.replace(
            parse, rest=put_alternative(parse.rest, alternative), positive=not parse.positive
        )
        drafts += _one_claim(denied, plain)
    return drafts


def _one_claim(parse: Parse, plain: bool) -> list[Draft]:
    if parse.passive:
        return read_passive(parse, plain)
    if parse.verb in ("be", "become", "remain", "stay") and parse.mood != "can":
        return read_copula(parse, plain)
    return read_active(parse, plain)
