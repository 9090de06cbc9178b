"""Whether a ledger still contains a head that was stored outside of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from heldtrue.domain.errors import HomeChanged
from heldtrue.domain.ledger import Head, LedgerEntry
from heldtrue.domain.times import to_iso

FindEntry = Callable[[int], LedgerEntry | None]
TRUST_HINT = (
    "run heldtrue verify; then restore a newer backup into a new home, or run heldtrue trust to accept the store as it "
    "is"
)


class StoredHead(msgspec.Struct, frozen=True, gc=False):
    """A ledger head that was stored outside the database."""

    where: str
    """The file that it is stored in."""
    space_id: str
    head: Head
    since: int
    """The first entry that was stored there; later than 1 if the file was missing before."""


class UnreadableHead(msgspec.Struct, frozen=True):
    """A file for the ledger head that does not contain one."""

    where: str
    problem: str


class LedgerStep(msgspec.Struct, frozen=True, gc=False):
    """A committed write: the head before it and after it."""

    space_id: str
    before: Head
    head: Head


OutsideHead = StoredHead | UnreadableHead
CheckedHeads = Sequence[StoredHead | None]
"""What each file contained when it was checked; None for a file that did not exist."""


def has_head(current: Head, known: Head, find_entry: FindEntry) -> bool:
    """Whether a ledger that ends at `current` contains `known`."""
    if known.seq >= current.seq:
        return known.seq == current.seq and known.hash == current.hash
    entry = find_entry(known.seq)
    return entry is not None and entry.hash == known.hash


def find_lost(stored: Sequence[OutsideHead], current: Head, find_entry: FindEntry) -> list[Head]:
    """The stored heads that a ledger no longer contains, which were read before the view of the ledger began."""
    heads = [outside.head for outside in stored if isinstance(outside, StoredHead)]
    return [head for head in heads if not has_head(current, head, find_entry)]


def describe_loss(known: Head, current: Head) -> str:
    """Describe what happened to a ledger that no longer contains a head."""
    ended = f"entry {known.seq:,} ({to_iso(known.recorded_at)})"
    if current.seq == 0:
        return f"the database is empty, but it once contained {ended}: it was emptied or recreated"
    if current.seq < known.seq:
        return (
            f"the ledger ends at entry {current.seq:,}, but it once contained {ended}: it was truncated or restored "
            "from an older copy"
        )
    return f"the ledger no longer contains {ended}: it was changed, or replaced with another copy"


def lost_head(known: Head, current: Head) -> HomeChanged:
    """The error for a ledger that no longer contains a head."""
    return HomeChanged(f"{describe_loss(known, current)}; nothing was written", hint=TRUST_HINT)
