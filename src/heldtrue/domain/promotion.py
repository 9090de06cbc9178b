"""When a memory that waits may count without a person: rules that are data."""

from __future__ import annotations

import msgspec

from heldtrue.domain.memory import Kind, MemoryVersion, Strength

_STRENGTHS = (Strength.INFERRED, Strength.IMPLIED, Strength.EXPLICIT)
"""From the weakest on."""


class PromotionRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a memory that waits must have to count by itself."""

    kinds: list[Kind] = []
    """Which kinds it is for; none means all but profile, which only a rule that names it promotes."""
    strength: Strength = Strength.EXPLICIT
    """How outright it must be said, at least."""
    sources: int = 2
    """How many independent sources must say so."""
    confidence: float = 0.0
    """How certain it must be, at least."""

    def fits(self, memory: MemoryVersion, sources: int) -> bool:
        kind = Kind(memory.kind)
        named = kind in self.kinds if self.kinds else kind is not Kind.PROFILE
        strong = _STRENGTHS.index(Strength(memory.strength)) >= _STRENGTHS.index(self.strength)
        return named and strong and sources >= self.sources and memory.confidence >= self.confidence
