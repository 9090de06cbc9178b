"""What clauses say: subject, attribute, value, polarity, and whether another value would contradict it."""

from __future__ import annotations

from collections.abc import Sequence

from heldtrue.domain.claim import Claim
from heldtrue.language.claims.attributes import EXCLUSIVE
from heldtrue.language.claims.canonical import phrase_of
from heldtrue.language.claims.english_clauses import read_english
from heldtrue.language.claims.foreign_clauses import NEGATORS, read_foreign
from heldtrue.language.claims.parse import Draft
from heldtrue.language.claims.subjects import UNKNOWN_SUBJECTS
from heldtrue.language.grammar.clauses import Clause
from heldtrue.language.grammar.lexicon import AUXILIARIES
from heldtrue.language.grammar.tokens import Token
from heldtrue.language.guard import spend
from heldtrue.language.normalise import fold_text

_LABELS = frozenset(
    """note rule tip convention preference decision fact reminder todo important warning fyi remember update
    correction user memory""".split()
)
_OPENERS_TABLE = (
    ("i", "think", "that"), ("note", "that"), ("remember", "that"), ("i", "think"), ("i", "believe"),
    ("remember", "to"), ("make", "sure", "to"), ("it", "turns", "out", "that"), ("keep", "in", "mind", "that"),
    ("fyi",), ("actually",), ("btw",), ("please",), ("so",), ("also",), ("currently",), ("now",), ("well",), ("yes",),
    ("in", "general"), ("by", "default"), ("and",), ("but",),
)  # fmt: skip
_OPENERS = {first: [opener for opener in _OPENERS_TABLE if opener[0] == first] for first, *_ in _OPENERS_TABLE}


def find_claims(clauses: Sequence[Clause], text: str) -> tuple[Claim, ...]:
    """The claims of a text's clauses, in order: at least one a clause, two where it says `X, not Y`."""
    plain = text == text.lower()
    claims: list[Claim] = []
    antecedent = ""
    for clause in clauses:
        for subject, attribute, value, positive, exclusive in _read_clause(clause, plain):
            if antecedent and subject in ("he", "she", "it"):
                subject, exclusive = antecedent, exclusive or attribute in EXCLUSIVE
            claims.append(
                Claim(clause.sentence, clause.start, clause.end, subject, attribute, value, positive, exclusive)
            )
            if subject and subject not in UNKNOWN_SUBJECTS and subject not in ("we", "i"):
                antecedent = subject
    return tuple(claims)


def _read_clause(clause: Clause, plain: bool) -> list[Draft]:
    spend(clause.end - clause.start)
    tokens: Sequence[Token] = clause.tokens
    if tokens[-1].low not in ("?", "？", "؟"):
        drafts = read_foreign(clause)
        if not drafts:
            tokens = _drop_openers(tokens)
            if "," in clause.sentence or "(" in clause.sentence:
                tokens = _drop_asides(tokens)
            drafts = read_english(tokens, plain)
        drafts = [draft for draft in drafts if draft[2]]
        if drafts:
            return drafts
    return [_unparsed(clause)]


def _unparsed(clause: Clause) -> Draft:
    words = [token for token in clause.tokens if token.low not in NEGATORS or token.kind == "value"]
    value = phrase_of(words) or fold_text(clause.sentence) or clause.sentence
    return "", "", value, len(words) == len(clause.tokens), False


def _drop_openers(tokens: Sequence[Token]) -> Sequence[Token]:
    """Without what only introduces the statement: `Note that`, `FYI`, `Decision:`."""
    start = 0
    while len(tokens) > start + 2 and tokens[start + 1].low in (":", "-", "—") and tokens[start].low in _LABELS:
        start += 2
    tokens = tokens[start:]
    for opener in _OPENERS.get(tokens[0].low, ()):
        size = len(opener)
        if len(tokens) > size + 1 and all(tokens[i].low == opener[i] for i in range(size)):
            if size == 1 and tokens[size].low in AUXILIARIES and opener != ("please",):
                return tokens
            return tokens[size + (tokens[size].low == ",") :]
    return tokens


def _drop_asides(tokens: Sequence[Token]) -> Sequence[Token]:
    """Without bracketed asides and `, who ...,` between subject and verb."""
    kept: list[Token] = []
    closer = ""
    for place, token in enumerate(tokens):
        if closer:
            closer = "" if token.low == closer else closer
        elif token.low == "(" and place:
            closer = ")"
        elif token.low == "," and place + 1 < len(tokens) and tokens[place + 1].low in ("who", "which", "whose"):
            closer = ","
        else:
            kept.append(token)
    return kept or tokens
