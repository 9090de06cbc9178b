"""What the reader is asked about a text, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from heldtrue.domain.memory import Kind


class TextSort(StrEnum):
    """What a text is as a whole."""

    STATEMENT = "statement"
    """A fact, a rule, a decision or a preference."""
    OPINION = "opinion"
    """A judgement of taste or value that nobody can act on."""
    CHATTER = "chatter"
    """Greetings, thanks, moods, narration of what is being done."""
    INSTRUCTION = "instruction"
    """A request or an order for this moment."""
    TRANSCRIPT = "transcript"
    """Raw dialogue, logs, tool output or code."""


class UnitInContext(msgspec.Struct, frozen=True):
    """A sentence or a clause in the text around it."""

    text: str
    start: int
    end: int
    role: str
    """`user`, `assistant`, `tool`, `document`, or `statement` for a text that is judged alone."""
    has_project: bool
    before: str
    """The turn before."""


class UnitJudgement(msgspec.Struct, frozen=True):
    """Whether a unit is worth keeping, and as what; each from 0 to 1."""

    keep: float
    kinds: Mapping[Kind, float]

    @property
    def kind(self) -> Kind:
        """The kind that it most likely is."""
        return max(self.kinds, key=lambda kind: self.kinds[kind])

    @property
    def score(self) -> float:
        """How surely it is worth keeping as that kind."""
        return float((self.keep * self.kinds[self.kind]) ** 0.5)


class TextJudgement(msgspec.Struct, frozen=True):
    """What a text is as a whole, and what kind of memory it would be; each from 0 to 1."""

    sorts: Mapping[TextSort, float]
    """They add up to 1."""
    kinds: Mapping[Kind, float]

    @property
    def sort(self) -> TextSort:
        """The sort that it most likely is."""
        return max(self.sorts, key=lambda sort: self.sorts[sort])

    @property
    def factual(self) -> float:
        """From opinion (0) to fact (1)."""
        return 1.0 - self.sorts[TextSort.OPINION]

    @property
    def useful(self) -> float:
        """From chatter and instructions (0) to worth storing (1)."""
        return 1.0 - self.sorts[TextSort.CHATTER] - self.sorts[TextSort.INSTRUCTION]


JudgeUnits = Callable[[Sequence[UnitInContext]], Sequence[UnitJudgement]]


class StatementRelation(NamedTuple):
    """What one statement says of another, each from 0 to 1."""

    says: float
    """Whoever believes the first must believe the second."""
    contradicts: float
    """Both cannot be true at the same time."""
