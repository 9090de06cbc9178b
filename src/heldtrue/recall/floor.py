"""Stage: drops results that are not good enough."""

from __future__ import annotations

from collections.abc import Sequence

from heldtrue.model_ports import Embedder
from heldtrue.recall.answer import NoteCode, RecallNote
from heldtrue.recall.documents import RankedDocument
from heldtrue.recall.profiles import DEFAULT
from heldtrue.recall.query import SearchSettings
from heldtrue.recall.search import Search

_WORDS_FLOOR = 0.13
"""The score that the best result must have where there are only words to go by."""
_FEW_TERMS = 2
"""Up to how many words besides a time make a question one about that time, whatever its words."""


def choose_floor(settings: SearchSettings, profile: str, embedder: Embedder | None) -> float:
    """The score that the best result must have; only the default profile has scores that mean the same everywhere."""
    if profile != DEFAULT:
        return 0.0
    if settings.recall_floor is not None:
        return settings.recall_floor
    return embedder.floor if embedder is not None else _WORDS_FLOOR


def drop_weak(search: Search, ranked: Sequence[RankedDocument]) -> list[RankedDocument]:
    """Drop all results if even the best is too weak, else those far below it. Without a floor, keep every match."""
    fitting = [document for document in ranked if document.fits]
    if not fitting or not search.floor:
        return fitting
    best = fitting[0]
    is_about_period = best.is_in_period and len(search.question.terms) <= _FEW_TERMS
    if _match(best) < search.floor and not is_about_period:
        return []
    return [document for document in fitting if document.score >= search.weak_share * best.score]


def _match(document: RankedDocument) -> float:
    """The score without who speaks: everything that someone says is by that person, whatever it is about."""
    weight = document.weights.get("speaker", 0.0)
    rest = document.score - weight * document.parts.get("speaker", 0.0)
    return rest / (1 - weight) if weight < 1 else document.score


def note_weak(weak: int) -> list[RecallNote]:
    """A note about weak matches, for an answer without results."""
    if not weak:
        return []
    left = f"{weak:,} weak matches" if weak > 1 else "1 weak match"
    return [RecallNote(NoteCode.NOTHING_GOOD, f"no strong match; {left} not shown")]
