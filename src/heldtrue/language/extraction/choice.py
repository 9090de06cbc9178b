"""What of a sentence is kept, and as what: the whole sentence where the reader is sure of it, else its clauses.

All thresholds of extraction are here. `python -m bench extraction --thresholds` shows what others would give.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec

from heldtrue.domain.judged import UnitJudgement
from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.judgements import JudgedSentence


class Thresholds(msgspec.Struct, frozen=True):
    """How sure the reader must be, from 0 to 1."""

    sentence: float = 0.5
    """To keep a whole sentence of a message."""
    document: float = 0.5
    """To keep a sentence or a row of a document, which has less that passes."""
    clause: float = 0.5
    """To keep a clause of a sentence that is not kept whole."""
    apart: float = 0.85
    """Of each of two clauses, to keep them as two statements although the whole sentence is sure enough."""
    marked: float = 0.2
    """To keep what the text itself marks."""
    quoted: float = 0.9
    """To keep as a quotation what cannot be said in the third person."""


THRESHOLDS = Thresholds()
_current: ContextVar[Thresholds] = ContextVar("thresholds", default=THRESHOLDS)


@contextmanager
def try_thresholds(thresholds: Thresholds) -> Iterator[None]:
    """Within this context, choose by other thresholds."""
    token = _current.set(thresholds)
    try:
        yield
    finally:
        _current.reset(token)


def current_thresholds() -> Thresholds:
    """The thresholds to choose by."""
    return _current.get()


class Choice(msgspec.Struct, frozen=True):
    """Clauses of a sentence that are kept together."""

    first: int
    last: int
    """The number of the first and of the last clause, from 0."""
    kind: Kind
    score: float
    """How sure the reader is."""


def choose(judged: JudgedSentence, *, is_document: bool = False) -> list[Choice]:
    """What the reader keeps of a sentence. A question is not kept, but what its sentence says before may be."""
    if judged.whole is None or not judged.clauses:
        return []
    thresholds = current_thresholds()
    last = len(judged.clauses) - 1
    if is_question(judged.sentence.text):
        return _choose_clauses(judged.parts[:last], thresholds.clause)
    if judged.whole.score < (thresholds.document if is_document else thresholds.sentence):
        return _choose_clauses(judged.parts, thresholds.clause)
    starts = [number for number, part in enumerate(judged.parts) if part.score >= thresholds.apart]
    if len(starts) < 2:
        return [Choice(0, last, judged.whole.kind, judged.whole.score)]
    ends = [*(start - 1 for start in starts[1:]), last]
    return [_choose_run(judged.parts, first, end) for first, end in zip([0, *starts[1:]], ends, strict=True)]


def is_doubted(judged: JudgedSentence) -> bool:
    """Whether there is a reader that sees nothing worth keeping in a sentence, marked or not."""
    return judged.whole is not None and judged.whole.keep < current_thresholds().marked


def is_question(text: str) -> bool:
    """Whether a sentence ends in a question mark."""
    return text.rstrip("\"')*_ ").endswith(("?", "？"))


def _choose_clauses(parts: Sequence[UnitJudgement], sure: float) -> list[Choice]:
    """The clauses that are sure enough, neighbours as one."""
    kept = [number for number, part in enumerate(parts) if part.score >= sure]
    firsts = [number for number in kept if number - 1 not in kept]
    lasts = [number for number in kept if number + 1 not in kept]
    return [_choose_run(parts, first, last) for first, last in zip(firsts, lasts, strict=True)]


def _choose_run(parts: Sequence[UnitJudgement], first: int, last: int) -> Choice:
    surest = max(parts[first : last + 1], key=lambda part: part.score)
    return Choice(first, last, surest.kind, surest.score)
