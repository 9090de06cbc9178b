"""Whose a row is: everyone's who reaches its scope, or its author's alone.

Who sees a private row is decided in two places and nowhere else: `Sight.sees` (domain/principal.py) for a row that was
read, and storage/filters.py for rows that are still to be found.
"""

from __future__ import annotations

import msgspec


class Privacy(msgspec.Struct, frozen=True, gc=False):
    """Whether a row is shared in its scope or private to its author. Made by `of`, or `SHARED`."""

    author: str | None
    """Who alone may see the row; None for a shared one."""

    @classmethod
    def of(cls, visibility: str | None, author: str) -> Privacy:
        """What the visibility and the author of a row come to."""
        return cls(author) if visibility == "private" else SHARED

    @property
    def is_private(self) -> bool:
        return self.author is not None


SHARED = Privacy(None)
