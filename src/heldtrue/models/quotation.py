"""Finds the position of quoted words in a text."""

from __future__ import annotations

import re
from bisect import bisect_right

_WORD = re.compile(r"\S+")
_TYPEWRITTEN = str.maketrans("‘’‚‛“”„‟‐‑‒–—−", "''''\"\"\"\"------")
"""Quotation marks and dashes that are often copied as plain ones; each is one character for one."""


class Quotable:
    """A text in which quotations are looked up, with whatever white space lies between their words."""

    def __init__(self, text: str) -> None:
        words = list(_WORD.finditer(text))
        self._folded = " ".join(word.group() for word in words).translate(_TYPEWRITTEN)
        self._starts = [word.start() for word in words]
        self._offsets: list[int] = []
        """The start of each word in the folded text."""
        offset = 0
        for word in words:
            self._offsets.append(offset)
            offset += word.end() - word.start() + 1

    def find(self, quotation: str) -> tuple[int, int] | None:
        """The span of the first occurrence of a quotation; None if it is empty or does not occur."""
        wanted = " ".join(quotation.split()).translate(_TYPEWRITTEN)
        found = self._folded.find(wanted) if wanted else -1
        if found < 0:
            return None
        return self._unfold(found), self._unfold(found + len(wanted) - 1) + 1

    def _unfold(self, offset: int) -> int:
        """Where a character that is no white space is in the text."""
        word = bisect_right(self._offsets, offset) - 1
        return self._starts[word] + offset - self._offsets[word]
