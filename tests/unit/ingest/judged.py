"""What the reader might say of a text."""

from __future__ import annotations

from heldtrue.domain.judged import TextJudgement, TextSort
from heldtrue.domain.memory import Kind


def judge_as(sort: TextSort, share: float = 1.0, *, profile: float = 0.0) -> TextJudgement:
    """The judgement that a text is of a sort with a share, and a statement for the rest."""
    sorts = dict.fromkeys(TextSort, 0.0) | {TextSort.STATEMENT: 1.0 - share}
    return TextJudgement(sorts | {sort: share}, {Kind.PROFILE: profile})
