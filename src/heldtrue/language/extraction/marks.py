"""What a text marks in so many words: the label before a statement, the heading above it, the box beside it."""

from __future__ import annotations

from heldtrue.domain.memory import Kind
from heldtrue.language.extraction.clause_spans import ClauseSpan

_KINDS = {
    "lesson": Kind.LESSON,
    "convention": Kind.CONVENTION,
    "task": Kind.TASK_HINT,
    "decision": Kind.DECISION,
    "note": Kind.NOTE,
}
_REASONS = {
    Kind.LESSON: "is labelled a lesson",
    Kind.CONVENTION: "is labelled a rule",
    Kind.TASK_HINT: "is labelled a task",
    Kind.DECISION: "is labelled a decision",
    Kind.NOTE: "is labelled a note",
}
JUDGED = "the reader finds it worth keeping"
OPEN_BOX, DONE_BOX = "[ ]", "[x]"
_WORDS_AT_LEAST = 2


def find_mark(clause: ClauseSpan, section: str = "") -> Kind | None:
    """The kind that a clause is marked as: by its own label, by its box, or by the heading above it."""
    if clause.low.count(" ") + 1 < _WORDS_AT_LEAST:
        return None
    if clause.hint:
        return _KINDS[clause.hint]
    if clause.bullet == OPEN_BOX:
        return Kind.TASK_HINT
    return _KINDS[section] if section else None


def asks_to_keep(clause: ClauseSpan) -> bool:
    """Whether a mark asks for it to be kept, whatever it says: an open box, a reminder, `remember that`."""
    return clause.bullet == OPEN_BOX or clause.hint in ("note", "task")


def tell_mark(kind: Kind) -> str:
    """Why something marked as this kind is kept, in words."""
    return _REASONS[kind]
