"""A text as tokens: words, marks, quotations, and values taken as one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from heldtrue.domain.claim import DateMention, Identifier, Quantity
from heldtrue.language.guard import spend
from heldtrue.language.normalise import fold_text

_WORDLIKE = r"[\w\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff]"
_TOKEN = re.compile(rf"{_WORDLIKE}+(?:[-'’./&+]{_WORDLIKE}+)*(?:\+\+|#)?|[^\w\s]")
_QUOTED = re.compile(
    r"`[^`\n]{1,400}`|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|「[^」\n]{1,400}」|(?<!\w)'[^'\n]{1,200}'(?!\w)"
)
_QUOTE_HINT = re.compile("[`\"“«「']")


class Token(msgspec.Struct, frozen=True, gc=False):
    """A word, a mark, a quotation, or a value (identifier, quantity, date) taken as one."""

    low: str
    """Lower-case word; for a value or quotation its canonical form."""
    kind: str
    """`word`, `name` (capitalised), `mark`, `value` or `quote`."""
    start: int
    end: int


def read_tokens(
    text: str, identifiers: Sequence[Identifier], quantities: Sequence[Quantity], dates: Sequence[DateMention]
) -> list[Token]:
    """The text as tokens; identifiers, quantities, dates and quotations are one token each."""
    spend(len(text))
    spans = [(name.start, name.end, name.canonical, "value") for name in identifiers]
    spans += [(amount.start, amount.end, f"{amount.number} {amount.unit}".rstrip(), "value") for amount in quantities]
    spans += [(date.start, date.end, date.canonical, "value") for date in dates]
    if _QUOTE_HINT.search(text):
        spans += [(found.start(), found.end(), "", "quote") for found in _QUOTED.finditer(text)]
    if len(spans) > 1:
        spans.sort(key=lambda span: (span[0], -span[1]))
    tokens: list[Token] = []
    position = 0
    for start, end, canonical, kind in spans:
        if start < position:
            continue
        _read_words(text, position, start, tokens)
        tokens.append(Token(canonical or fold_text(text[start + 1 : end - 1]), kind, start, end))
        position = end
    _read_words(text, position, len(text), tokens)
    return tokens


def _read_words(text: str, start: int, end: int, tokens: list[Token]) -> None:
    for word in _TOKEN.findall(text, start, end):
        start = text.index(word, start)  # between tokens stands nothing but white space
        low, kind = _classify(word)
        stop = start + len(word)
        tokens.append(Token(low, kind, start, stop))
        start = stop


@lru_cache(maxsize=16384)
def _classify(word: str) -> tuple[str, str]:
    """The word in lower case with a plain apostrophe, and its kind."""
    low = word.lower().replace("’", "'")
    if len(word) == 1 and not word.isalnum() and word != "_":
        return low, "mark"
    return low, "word" if word == word.lower() else "name"
