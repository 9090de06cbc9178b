"""The cues of each kind, and the table that finds those whose words a clause has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from heldtrue.language.extraction.cues.conventions import CONVENTIONS
from heldtrue.language.extraction.cues.cue import Cue, cue_pattern
from heldtrue.language.extraction.cues.decisions import DECISIONS
from heldtrue.language.extraction.cues.foreign_cues import FOREIGN
from heldtrue.language.extraction.cues.lessons import LESSONS, PATTERNS
from heldtrue.language.extraction.cues.preferences import PREFERENCES
from heldtrue.language.extraction.cues.profile import PROFILE
from heldtrue.language.extraction.cues.tasks import TASKS

__all__ = ["ALL_CUES", "Cue", "cue_pattern", "find_cue", "match_cues"]

ALL_CUES: tuple[Cue, ...] = (
    *TASKS,
    *PATTERNS,
    *DECISIONS,
    *LESSONS,
    *PREFERENCES,
    *PROFILE,
    *CONVENTIONS,
    *FOREIGN,
)
"""In the order in which they are tried: the more telling first."""


@cache
def _by_word() -> dict[str, tuple[int, ...]]:
    table: dict[str, list[int]] = {}
    for number, cue in enumerate(ALL_CUES):
        for word in cue.words:
            table.setdefault(word, []).append(number)
    return {word: tuple(numbers) for word, numbers in table.items()}


def match_cues(low: str, words: Iterable[str]) -> Iterator[Cue]:
    """The cues that a clause in small letters has, the more telling first."""
    table = _by_word()
    for number in sorted({number for word in words for number in table.get(word, ())}):
        if cue_pattern(ALL_CUES[number].pattern).search(low):
            yield ALL_CUES[number]


def find_cue(low: str, words: Iterable[str]) -> Cue | None:
    """The first of them."""
    return next(match_cues(low, words), None)
