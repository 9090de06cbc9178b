"""What is remembered about a store outside its home."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class ErasureNote(msgspec.Struct, frozen=True):
    """One erasure, without a word of what was erased."""

    seq: int
    """Its ledger entry."""
    recorded_at: int
    actor: str
    digests: tuple[str, ...]
    """The digests of the erased records, in hexadecimal."""


class CopyKind(StrEnum):
    """What a copy of a store, or of a part of it, is."""

    BACKUP = "backup"
    EXPORT = "export"
    ABOUT = "about"
    """What was held about a subject."""


class KnownCopy(msgspec.Struct, frozen=True):
    """A backup or an export of a store."""

    path: str
    kind: CopyKind
    entries: int
    """How many ledger entries it contains."""
    made_at: int
