"""Which SQLite libraries may be trusted with several writers."""

from __future__ import annotations

from heldtrue.domain.errors import UnsafeLibrary

FIXED_SINCE = (3, 51, 3)
BACKPORTS = ((3, 50, 7), (3, 44, 6))
"""Patch releases of older lines that carry the same fix."""


def parse_version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:3])


def is_safe(version: tuple[int, ...]) -> bool:
    """Whether this SQLite is free of the write-ahead-log reset bug (3.7.0 to 3.51.2)."""
    return version >= FIXED_SINCE or any(version[:2] == line[:2] and version >= line for line in BACKPORTS)


def refuse_unsafe(text: str) -> None:
    """Raise, and say why and what to do, if several writers on this SQLite could corrupt a space."""
    if not is_safe(parse_version(text)):
        raise UnsafeLibrary(
            f"SQLite {text} can corrupt a database that several processes write and checkpoint at the same time "
            "(the WAL-reset bug, fixed in 3.51.3, 3.50.7 and 3.44.6)",
            hint="install a current apsw, which includes its own SQLite: pip install --upgrade 'apsw>=3.54'",
        )
