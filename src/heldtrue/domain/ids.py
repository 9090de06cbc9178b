"""Time-ordered ids (UUID version 7, RFC 9562)."""

from __future__ import annotations

import os
import re

SHORT_CHARS_MIN = 8
"""The fewest characters by which something may be named instead of its whole id."""
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


def begins_id(text: str) -> bool:
    """Whether a text could be the beginning of an id, long enough to go by."""
    return SHORT_CHARS_MIN <= len(text) < len(_SHAPE) and is_id(text + _SHAPE[len(text) :])
