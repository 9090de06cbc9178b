"""Where sentences end: not after an abbreviation, not inside a number, and at a line that starts a new thought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heldtrue.language.grammar.lexicon import DETERMINERS, PREPOSITIONS
from heldtrue.language.grammar.tokens import Token

_SENTENCE_ENDS = frozenset(".!?。！？؟।॥｡…")
_ENDS_WITHOUT_SPACE = frozenset("。！？؟।॥｡")
_ABBREVIATIONS = frozenset(
    """dr mr mrs ms prof st e.g i.e eg ie cf vs no nr approx ca fig sec vol ed al resp dept bzw z.b usw d.h sra
    ud pp incl""".split()
)
CLOSING_ABBREVIATIONS = frozenset("etc inc ltd co corp jr sr gmbh a.m p.m u.s u.k bros".split())

# A line that ends with one of these goes on in the next.
_LEAD_ON = PREPOSITIONS | DETERMINERS | {",", "and"}


def read_sentences(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Token ranges of the sentences; the closing marks belong to none."""
    start = 0
    has_lines = "\n" in text
    for place, token in enumerate(tokens):
        if token.kind == "mark":
            if token.low in _SENTENCE_ENDS and _ends_sentence(tokens, place):
                if place > start:
                    yield start, place + (token.low in "?？؟")
                start = place + 1
        elif has_lines and place > start and _starts_line(text, tokens, place):
            yield start, place - (tokens[place - 1].low in ("-", "*", "•"))
            start = place
    if start < len(tokens):
        yield start, len(tokens)


def _ends_sentence(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    if token.low in _ENDS_WITHOUT_SPACE or place + 1 == len(tokens):
        return True
    following = tokens[place + 1]
    if following.start == token.end:
        return False
    before = tokens[place - 1] if place and tokens[place - 1].end == token.start else None
    if token.low != "." or before is None:
        return True
    if before.low in _ABBREVIATIONS or (len(before.low) == 1 and before.kind == "name"):
        return False
    return before.low not in CLOSING_ABBREVIATIONS or following.kind == "name"


def _starts_line(text: str, tokens: Sequence[Token], place: int) -> bool:
    """Whether a new line here starts a new sentence: after an empty line, or at a bullet."""
    before = tokens[place - 1]
    gap = text[before.end : tokens[place].start]
    if before.low in ("-", "*", "•") and place > 1:
        return "\n" in text[tokens[place - 2].end : before.start]
    return gap.count("\n") > 1 or ("\n" in gap and tokens[place].kind == "name" and before.low not in _LEAD_ON)
