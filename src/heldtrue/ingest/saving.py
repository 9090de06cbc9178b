"""Saved views: a question with its filters, kept under a name for whoever saved it."""

from __future__ import annotations

import msgspec

from heldtrue.domain.principal import Principal, PrincipalKind
from heldtrue.domain.records import SavedView
from heldtrue.domain.scope import GLOBAL
from heldtrue.ingest.journal import Journal, Pen


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """What saving or dropping a view came to."""

    outcome: str
    view: SavedView
    seq: int


def save_view(pen: Pen, name: str, arguments: str) -> Saved:
    """Keep a question under a name; one that its author kept under that name before is replaced."""
    before = pen.transaction.saved_view(pen.actor.id, name)
    if before is not None and before.arguments == arguments:
        return Saved(outcome="unchanged", view=before, seq=pen.head.seq)
    journal = Journal(pen, "memory.save_view")
    if before is not None:
        journal.close(before, closed_by=journal.actor, close_reason="saved anew")
    view = journal.insert(
        SavedView(
            id=journal.fresh_id(),
            seq=journal.seq,
            name=name,
            arguments=arguments,
            author=journal.actor,
            scope=_scope_of(pen.actor),
            recorded_from=journal.at,
        )
    )
    outcome = "saved" if before is None else "replaced"
    entry = journal.finish(
        outcome, target=view.id, scope=view.scope, reason=None, replaces=before.id if before is not None else None
    )
    return Saved(outcome=outcome, view=view, seq=entry.seq)


def drop_view(pen: Pen, view: SavedView) -> Saved:
    """Take a view out of use; it stays in history."""
    journal = Journal(pen, "memory.drop_view")
    closed = journal.close(view, closed_by=journal.actor, close_reason="dropped")
    entry = journal.finish("dropped", target=view.id, scope=view.scope, reason=None)
    return Saved(outcome="dropped", view=closed, seq=entry.seq)


def _scope_of(author: Principal) -> str:
    """What an agent saves is its own, like its agent scope."""
    return f"agent:{author.name}" if author.kind is PrincipalKind.AGENT else GLOBAL
