"""The form of what goes into a model and comes out: whole text, and vectors of one signed byte a dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy import ndarray

_LARGEST = 127


def mend_text(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair, which is no character and cannot be sent."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def pack_numbers(numbers: Sequence[float]) -> bytes:
    """A vector scaled so that its largest component is 127; a zero vector stays zero."""
    largest = max(map(abs, numbers), default=0.0)
    if not largest:
        return bytes(len(numbers))
    # The low byte of a negative number is what a signed byte holds.
    return bytes([round(number / largest * _LARGEST) & 0xFF for number in numbers])


def pack_rows(rows: ndarray[Any, Any]) -> bytes:
    """The same for each row of an array, concatenated."""
    largest = abs(rows).max(axis=-1, keepdims=True, initial=0.0)
    largest[largest == 0] = 1
    return bytes((rows / largest * _LARGEST).round().astype("int8").tobytes())
