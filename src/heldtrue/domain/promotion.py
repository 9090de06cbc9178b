"""Rules for promoting pending memories without a person."""

from __future__ import annotations

import msgspec

from heldtrue.domain.memory import Kind, MemoryVersion, Strength

_STRENGTHS = (Strength.INFERRED, Strength.IMPLIED, Strength.EXPLICIT)
"""From weakest to strongest."""


class PromotionRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a pending memory needs to become active without a person."""

    kinds: list[Kind] = []
    """Which kinds it is for; none means all but profile, which only a rule that names it promotes."""
    strength: Strength = Strength.EXPLICIT
    """The least strength it must have."""
    sources: int = 2
    """How many independent sources must support it."""
    confidence: float = 0.0
    """The least confidence it must have."""

    def fits(self, memory: MemoryVersion, sources: int) -> bool:
        kind = Kind(memory.kind)
        named = kind in self.kinds if self.kinds else kind is not Kind.PROFILE
        strong = _STRENGTHS.index(Strength(memory.strength)) >= _STRENGTHS.index(self.strength)
        return named and strong and sources >= self.sources and memory.confidence >= self.confidence
