"""Words to the canonical text that claims are compared by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from heldtrue.language.grammar.lexicon import ADVERBS
from heldtrue.language.grammar.tokens import Token
from heldtrue.language.normalise import fold_text
from heldtrue.language.terms import stem_word

ALIASES = {
    "e-mail": "email", "mail": "email", "colour": "color", "telephone": "phone", "favourite": "favorite",
    "postgresql": "postgres", "psql": "postgres", "k8s": "kubernetes", "js": "javascript", "vscode": "vs code",
    "authorise": "authorize", "nodejs": "node", "repository": "repo", "db": "database", "config": "configuration",
}  # fmt: skip
IDLE_WORDS = frozenset(
    "a an the our this that these those its their his her very quite really so please own".split()
) | ADVERBS - {"never", "only"}


@lru_cache(maxsize=16384)
def canonical_word(low: str) -> str:
    """A lower-case word folded and stemmed; the parts of a code name become words."""
    low = ALIASES.get(low, low)
    if low.endswith("'s"):
        low = low[:-2]
    if low.isalnum() and low.isascii():
        return stem_word(low)
    if "_" in low or "-" in low:
        return " ".join(canonical_word(part) for part in re.split("[_-]+", low) if part)
    return " ".join(stem_word(word) for word in fold_text(low).split())


def words_of(tokens: Sequence[Token]) -> list[str]:
    """Canonical words of a phrase: no articles, no marks, no idle adverbs."""
    words: list[str] = []
    for token in tokens:
        low, kind = token.low, token.kind
        if kind == "word" or kind == "name":
            if low not in IDLE_WORDS and (word := canonical_word(low)):
                words.append(word)
            elif low == "a" and kind == "name" and words and token is tokens[-1]:
                words.append(low)  # the name in `hall A`; an article is followed by its noun
        elif kind != "mark":
            words.append(low)
    return words


def phrase_of(tokens: Sequence[Token]) -> str:
    """The canonical words of a phrase as one text."""
    return " ".join(words_of(tokens))


def join_words(*parts: str) -> str:
    """The parts that are not empty, as one text."""
    return " ".join(filter(None, parts))
