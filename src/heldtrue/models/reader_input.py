"""What the reader is given: tokens of two statements, or of a unit of text in its context.

Training and use share this module: a model that is asked in another form than it was trained in answers nonsense.
"""

from __future__ import annotations

from typing import Any

import msgspec

from heldtrue.domain.judged import TextSort, UnitInContext
from heldtrue.domain.memory import Kind

KINDS = (
    *(Kind.PROFILE, Kind.PREFERENCE, Kind.DECISION, Kind.CONVENTION, Kind.PATTERN, Kind.PROJECT),
    *(Kind.TASK_HINT, Kind.LESSON, Kind.ENTITY, Kind.CLAIM, Kind.NOTE),
)
SORTS = tuple(TextSort)
"""The answers of the head for units, in order: the kinds, whether it is worth keeping, and the sorts."""
TOKENS_MAX = 256
_START, _END = 101, 102
_UNIT_START, _UNIT_END = 2, 3
"""Two tokens that occur in no text; they stand before and after the unit."""
_BEFORE_CHARS = 160
_BEFORE_TOKENS, _AFTER_TOKENS = 80, 60
_SAID_TOKENS_MAX = 160
_TOKEN_CHARS_MAX = 24
"""Characters of a long word with its space, which may be one token."""


class PairInput(msgspec.Struct, frozen=True):
    """Two statements: what is said, and what it is compared with."""

    said: str
    held: str


class Tokens(msgspec.Struct, frozen=True):
    """One input of the network."""

    ids: list[int]
    first: int
    """The number of tokens of the first part."""
    start: int
    """Where the unit starts and ends; both 0 for a pair."""
    end: int


def pair_tokens(tokenizer: Any, given: PairInput) -> Tokens:
    """The tokens of two statements; the longer one is cut."""
    held = _encode(tokenizer, given.held)[: TOKENS_MAX - _SAID_TOKENS_MAX - 3]
    said = _encode(tokenizer, given.said)[:_SAID_TOKENS_MAX]
    return Tokens([_START, *said, _END, *held, _END], len(said) + 2, 0, 0)


def unit_tokens(tokenizer: Any, given: UnitInContext) -> Tokens:
    """The tokens of a unit between two marks, with the text around it behind a line about the whole."""
    about = f"{given.role}{' project' if given.has_project else ''} : {given.before[-_BEFORE_CHARS:]}"
    first = [_START, *_encode(tokenizer, about), _END]
    # Only as much of a long text as the tokens can come from: to read all of it for each unit would be quadratic.
    nearest = max(0, given.start - _BEFORE_TOKENS * _TOKEN_CHARS_MAX)
    earlier = _encode(tokenizer, given.text[nearest : given.start])[-_BEFORE_TOKENS:]
    unit = _encode(tokenizer, given.text[given.start : given.end])[: TOKENS_MAX - len(first) - 3]
    room = TOKENS_MAX - len(first) - len(unit) - 3
    earlier = earlier[max(0, len(earlier) - room // 2) :]
    after = given.text[given.end : given.end + _AFTER_TOKENS * _TOKEN_CHARS_MAX]
    later = _encode(tokenizer, after)[: min(_AFTER_TOKENS, room - len(earlier))]
    start = len(first) + len(earlier) + 1
    ids = [*first, *earlier, _UNIT_START, *unit, _UNIT_END, *later, _END]
    return Tokens(ids, len(first), start, start + len(unit))


def _encode(tokenizer: Any, text: str) -> list[int]:
    ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
    return ids
