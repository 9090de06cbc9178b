"""Whether a clause is worth keeping and as what, by weights that were learned from labelled text.

The weights come from `tools/train_extraction.py`; here they are only added up. A score is how sure it is, from 0 to 1,
that a clause kept as that kind would be right.
"""

from __future__ import annotations

import math
import zlib
from functools import cache
from pathlib import Path

import msgspec

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.traits import SentenceContext, Unit, read_traits

WEIGHTS = Path(__file__).with_name("weights.bin")
"""Names of traits and their weights, compressed; see `pack_weights`."""
KINDS = (
    Kind.PROFILE,
    Kind.PREFERENCE,
    Kind.DECISION,
    Kind.CONVENTION,
    Kind.PATTERN,
    Kind.PROJECT,
    Kind.LESSON,
    Kind.TASK_HINT,
    Kind.NOTE,
    Kind.ENTITY,
    Kind.CLAIM,
)
"""The kinds that are told apart, in the order of the weights."""
KEEPS = 0.75
"""How sure it has to be for a clause that no rule takes."""
SPARES = 0.4
"""How sure it has to be of the kind that a rule found, for the rule to count."""
SPARES_PLAIN = 0.04
"""Likewise in a text of few words, for which the rules were written: there only what is next to impossible falls."""
SPARES_WEAK = 0.7
"""Likewise for a rule that was wrong as often as right on texts by other hands; half as sure in a text of few words."""
OVERRULES = 0.15
"""How much surer it has to be of another kind than a rule found, to put that in its place."""
SCALE = 5.0
"""A clause of many traits counts as much as one of few: each is worth this, by the root of how many there are."""


class Weights(msgspec.Struct, frozen=True):
    """A row of small numbers for each trait, and what one of them is worth."""

    rows: dict[str, bytes]
    step: float


def pack_weights(rows: dict[str, bytes], step: float) -> bytes:
    """The weights as one file: the step, the names a line each, and a byte for every kind of every name."""
    names = "\n".join(rows).encode()
    return zlib.compress(f"{step!r}\n{len(names)}\n".encode() + names + b"".join(rows.values()), 9)


@cache
def load_weights() -> Weights:
    """The weights that are shipped, read once."""
    step, size, rest = zlib.decompress(WEIGHTS.read_bytes()).split(b"\n", 2)
    names = rest[: int(size)].decode().split("\n")
    width = len(KINDS)
    table = rest[int(size) :]
    rows = {name: table[place * width : (place + 1) * width] for place, name in enumerate(names)}
    return Weights(rows, float(step))


class KindScores(msgspec.Struct, frozen=True, gc=False):
    """How sure it is of each kind."""

    scores: tuple[float, ...]

    @property
    def best(self) -> float:
        return max(self.scores)

    @property
    def kind(self) -> Kind:
        """The kind that it is surest of."""
        return KINDS[self.scores.index(self.best)]

    def of(self, kind: Kind) -> float:
        """How sure it is of one kind; certain of those that it does not know."""
        return self.scores[KINDS.index(kind)] if kind in KINDS else 1.0


NOTHING = KindScores((0.0,) * len(KINDS))
"""What is said of a clause that the weights cannot judge."""


def judge_unit(unit: Unit, around: SentenceContext) -> KindScores:
    """What the weights say of a clause."""
    weights = load_weights()
    hits = [row for trait in read_traits(unit, around) if (row := weights.rows.get(trait))]
    # A byte holds its number plus 128.
    worth = weights.step * SCALE / math.sqrt(len(hits) or 1)
    totals = (sum(column) - 128 * len(hits) for column in zip(*hits, strict=True))
    return KindScores(tuple(1 / (1 + math.exp(-worth * total)) for total in totals)) if hits else NOTHING
