"""Time-ordered ids (UUID version 7, RFC 9562)."""

from __future__ import annotations

import os
import re

ENDING_CHARS = 8
"""Characters of an id that are shown where its whole is too long to read: its end, which is random."""
ENDING_CHARS_MIN = 4
"""The fewest characters by which something may be named; the database finds ids by as many (`substr(id, 33)`)."""
_LEFT_OUT = ("…", "...")
"""What stands before the end of an id where it is shown."""
_SHAPE = "00000000-0000-0000-0000-000000000000"
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def new_id(moment: int) -> str:
    """A fresh id that sorts by its moment (microseconds): 60 bits of time, 62 of chance."""
    milliseconds, microseconds = divmod(max(moment, 0), 1000)
    tail = int.from_bytes(os.urandom(8), "big") & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    value = (milliseconds & 0xFFFF_FFFF_FFFF) << 80 | 7 << 76 | microseconds * 4096 // 1000 << 64 | tail
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def is_id(text: str) -> bool:
    """Whether a text has the form of an id."""
    return _UUID.fullmatch(text) is not None


def ends_id(text: str) -> bool:
    """Whether a text could be the end of an id, long enough to go by."""
    return ENDING_CHARS_MIN <= len(text) < len(_SHAPE) and is_id(_SHAPE[: -len(text)] + text)


def plain_reference(text: str) -> str:
    """An id, or the end of one, as it may be copied from a listing: `…4F9A21C3` is 4f9a21c3."""
    plain = text.strip().lower()
    for mark in _LEFT_OUT:
        plain = plain.removeprefix(mark)
    return plain


def ending_of(identifier: str) -> str:
    """The end of an id, by which people know it."""
    return identifier[-ENDING_CHARS:]
