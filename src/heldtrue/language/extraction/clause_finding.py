"""What a clause was taken for."""

from __future__ import annotations

import msgspec

from heldtrue.domain.memory import Kind, Strength


class ClauseFinding(msgspec.Struct, frozen=True, gc=False):
    """The kind of a clause, and why it was taken for that."""

    kind: Kind
    reason: str
    strength: Strength = Strength.EXPLICIT
