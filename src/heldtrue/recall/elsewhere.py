"""Stage: searches other projects if the caller's own scopes have no match."""

from __future__ import annotations

import msgspec

from heldtrue.access.policy import is_allowed
from heldtrue.domain.action import READ, ScopeResource
from heldtrue.domain.principal import Sight
from heldtrue.domain.rows import Collection
from heldtrue.ports import ReadTransaction
from heldtrue.recall.answer import NoteCode, RecallNote, SearchOutcome
from heldtrue.recall.query import RecallQuery
from heldtrue.recall.search import Search

_ELSEWHERE_SCORE = 0.5
"""The score that a memory of another project needs to be shown."""


def choose_elsewhere(reading: ReadTransaction, query: RecallQuery, search: Search) -> Search | None:
    """The same search in the other projects that the caller may see; None where there is nowhere else to look."""
    sight = search.chosen.sight
    if query.scopes or sight.scopes is None:
        return None
    shelves = reading.index.shelves((Collection.MEMORY,), Sight(reader=sight.reader))
    others = {shelf.scope for shelf in shelves if shelf.scope.startswith(("project:", "repo:"))} - set(sight.scopes)
    scopes = tuple(sorted(scope for scope in others if is_allowed(search.principal, READ, ScopeResource(scope))))
    if not scopes:
        return None
    chosen = msgspec.structs.replace(search.chosen, sight=msgspec.structs.replace(sight, scopes=scopes))
    return msgspec.structs.replace(search, chosen=chosen)


def keep_strong(outcome: SearchOutcome) -> SearchOutcome | None:
    """The strong matches from other projects, with a note that says so; None if there are none."""
    strong = tuple(result for result in outcome.results if result.score >= _ELSEWHERE_SCORE)
    if not strong:
        return None
    note = RecallNote(NoteCode.FROM_ELSEWHERE, "no match in your own scopes; these results are from other projects")
    return msgspec.structs.replace(outcome, results=strong, notes=(*outcome.notes, note))
