"""What is remembered about a store outside its home."""

from __future__ import annotations

import msgspec


class ErasureNote(msgspec.Struct, frozen=True):
    """One erasure, without a word of what was erased."""

    seq: int
    """Its ledger entry."""
    recorded_at: int
    actor: str
    reason: str
    digests: tuple[str, ...]
    """The digests of the erased records, in hexadecimal."""


class KnownCopy(msgspec.Struct, frozen=True):
    """A backup or an export of a store."""

    path: str
    kind: str
    """`backup` or `export`."""
    entries: int
    """How many ledger entries it contains."""
    made_at: int
