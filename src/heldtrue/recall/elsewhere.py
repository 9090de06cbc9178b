"""Stage: searches other projects if the caller's own scopes have no match."""

from __future__ import annotations

import msgspec

from heldtrue.access.policy import is_allowed
from heldtrue.domain.action import READ, ScopeResource
from heldtrue.ports import Collection, Reading
from heldtrue.recall.answer import Note, NoteCode, SearchOutcome
from heldtrue.recall.query import RecallQuery
from heldtrue.recall.search import Search

_SCORE_MIN = 0.5
"""The score that a memory of another project needs to be shown."""


def choose_elsewhere(reading: Reading, query: RecallQuery, search: Search) -> Search | None:
    """The same search in the other projects that the caller may see; None where there is nowhere else to look."""
    own = search.chosen.scopes
    if query.scopes or own is None:
        return None
    shelves = reading.shelves((Collection.MEMORY,), None, search.chosen.private_to)
    others = {shelf.scope for shelf in shelves if shelf.scope.startswith(("project:", "repo:"))} - set(own)
    scopes = tuple(sorted(scope for scope in others if is_allowed(search.principal, READ, ScopeResource(scope))))
    if not scopes:
        return None
    return msgspec.structs.replace(search, chosen=msgspec.structs.replace(search.chosen, scopes=scopes))


def keep_strong(outcome: SearchOutcome) -> SearchOutcome | None:
    """The strong matches from other projects, with a note that says so; None if there are none."""
    strong = tuple(result for result in outcome.results if result.score >= _SCORE_MIN)
    if not strong:
        return None
    note = Note(NoteCode.FROM_ELSEWHERE, "no match in your own scopes; these results are from other projects")
    return msgspec.structs.replace(outcome, results=strong, notes=(*outcome.notes, note))
