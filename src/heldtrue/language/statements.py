"""A text taken apart: claims, identifiers, quantities, dates, terms, and whether it says why."""

from __future__ import annotations

from collections.abc import Sequence

from heldtrue.domain.claim import Claim, Statement
from heldtrue.language.claims.find import find_claims
from heldtrue.language.dates import find_dates
from heldtrue.language.grammar.clauses import read_clauses
from heldtrue.language.grammar.tokens import Token, read_tokens
from heldtrue.language.guard import guarded
from heldtrue.language.identifiers import find_identifiers, is_free
from heldtrue.language.normalise import fold_text
from heldtrue.language.quantities import find_quantities
from heldtrue.language.terms import STOPWORDS, index_terms

_REASON_WORDS = frozenset("because therefore rationale weil damit denn porque puisque afin owing".split())
_SUBJECT_PRONOUNS = frozenset("it we they he she i you this that there".split())
_REASON_PAIRS = {
    "so": frozenset({"that"}),
    "in": frozenset({"order", "case"}),
    "due": frozenset({"to"}),
    "thanks": frozenset({"to"}),
    "the": frozenset({"reason"}),
    "that's": frozenset({"why"}),
    "is": frozenset({"why"}),
    "given": frozenset({"that"}),
    "as": _SUBJECT_PRONOUNS,
    "to": frozenset("avoid prevent ensure reduce keep".split()),
    "since": _SUBJECT_PRONOUNS,
    "ya": frozenset({"que"}),
    "para": frozenset({"que"}),
    "parce": frozenset({"que", "qu'il", "qu'elle", "qu'on"}),
    "car": frozenset("il elle nous on c'est".split()),
}
_FOREIGN_REASONS = (
    *"потому что|так как|поскольку|чтобы|επειδή|διότι|لأن|بسبب|כדי|מפני ש|כי |क्योंकि|ताकि".split("|"),
    *"因为|因為|由于|以便|なぜなら|ため|ので|때문|왜냐하면".split("|"),
)


def _says_why(text: str, tokens: Sequence[Token]) -> bool:
    before: frozenset[str] = frozenset()
    for token in tokens:
        low = token.low
        if low in _REASON_WORDS or low in before:
            return True
        before = _REASON_PAIRS.get(low, _NOTHING)
    return not text.isascii() and any(reason in text for reason in _FOREIGN_REASONS)


_NOTHING: frozenset[str] = frozenset()


def _leave_whole(text: str) -> Statement:
    """A text that could not be taken apart: one claim that says its wording."""
    folded = fold_text(text)
    whole = Claim(text, 0, len(text), "", "", folded or text, positive=True, exclusive=False)
    return Statement(text, (whole,), (), (), (), frozenset(folded.split()), has_rationale=False)


@guarded(_leave_whole)
def analyse_statement(text: str) -> Statement:
    """Take a text apart by rules alone: the same text always gives the same statement."""
    identifiers = find_identifiers(text)
    dates = find_dates(text)
    if dates and identifiers:
        taken = [(name.start, name.end, "", "") for name in identifiers]
        dates = tuple(date for date in dates if is_free(taken, date.start, date.end))
    quantities = find_quantities(text, identifiers=identifiers, dates=dates)
    tokens = read_tokens(text, identifiers, quantities, dates)
    claims = find_claims(read_clauses(text, tokens), text)
    terms = frozenset(index_terms(text)).difference(STOPWORDS)
    return Statement(text, claims, identifiers, quantities, dates, terms, _says_why(text, tokens))
