"""A posting: that a document has a word, in eight bytes, the same in every database.

The number of the document fills 48 bits, then come one bit for whether it ends with a question, seven for how much the
word counts in it (in halves, so that a word of the topic can count one and a half) and eight for how long it is.
Postings of a word are simply put one after another, so that new ones can be added to the end.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable

import msgspec

POSTING_BYTES = 8
DOCS_MAX = 1 << 48
"""Numbers that a document can have."""
PLACES_MAX = 1 << 20
"""Passages in one thread: the number of a passage is its thread's number times this, plus its position."""
_LENGTH_STEPS = 12.0
"""Steps in which a length doubles: fine enough that rounding never shows in a ranking."""
LENGTHS = tuple(2.0 ** (code / _LENGTH_STEPS) for code in range(256))
"""From the length byte of a posting to about how many words the document has."""


class Words(msgspec.Struct, frozen=True, gc=False):
    """The words of a document, counted."""

    weights: dict[str, float]
    """How much each word counts, and each mark of what sort of thing is said."""
    length: int
    """How many words there are."""
    asks: bool = False
    """Whether it ends with a question: what follows it is its answer."""


def length_code(length: int) -> int:
    """The byte that stands for a number of words."""
    return min(bisect_left(LENGTHS, length), 255)


def pack_posting(doc: int, weight: float, length: int, *, asks: bool = False) -> int:
    """One posting; `weight` is how often the word counts, `length` how many words the document has."""
    return doc << 16 | asks << 15 | min(127, round(2 * weight)) << 8 | length_code(length)


def to_bytes(postings: Iterable[int]) -> bytes:
    packed = array("Q", postings)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def from_bytes(data: bytes) -> array[int]:
    packed: array[int] = array("Q")
    packed.frombytes(data)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed


def passage_number(thread: int, position: int) -> int:
    return thread * PLACES_MAX + position


def thread_of(passage: int) -> int:
    return passage // PLACES_MAX
