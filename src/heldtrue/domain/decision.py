"""What the gateway may decide about a proposed memory. The set is closed: every write ends as one of these."""

from __future__ import annotations

import msgspec

from heldtrue.domain.memory import MemoryVersion


class Contrary(msgspec.Struct, frozen=True):
    """A held memory that says otherwise, and what disagrees."""

    memory: MemoryVersion
    finding: str
    pair_key: int
    weaker_is_new: bool


class Created(msgspec.Struct, frozen=True, tag="created"):
    """It is new and may be acted on; where the scope lets contrary memories coexist, they are flagged."""

    reason: str
    contraries: tuple[Contrary, ...] = ()


class Corroborated(msgspec.Struct, frozen=True, tag="corroborated"):
    """Another author already said so: the memory gains evidence, and confidence if the author is a new one."""

    memory: MemoryVersion
    gain: float
    reason: str


class Refreshed(msgspec.Struct, frozen=True, tag="refreshed"):
    """The same author said so before: the memory takes the fresher wording."""

    memory: MemoryVersion
    reason: str


class Superseded(msgspec.Struct, frozen=True, tag="superseded"):
    """It holds from a later date than what we have: the older memory ends where this one begins."""

    memory: MemoryVersion
    reason: str


class Pending(msgspec.Struct, frozen=True, tag="pending"):
    """It waits in the inbox for a person."""

    reason: str
    contraries: tuple[Contrary, ...] = ()


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """It is not kept."""

    reason: str
    hint: str | None = None
    memory_id: str | None = None
    """The memory whose rejection stands in the way, if that is why."""


Decision = Created | Corroborated | Refreshed | Superseded | Pending | Refused
