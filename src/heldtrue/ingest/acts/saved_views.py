"""Saved views: a question with its filters, kept under a name for whoever saved it."""

from __future__ import annotations

import msgspec

from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.principal import Principal, PrincipalKind
from heldtrue.domain.records import SavedView
from heldtrue.domain.scope import GLOBAL
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """The result of saving or dropping a view."""

    outcome: OutcomeKind
    view: SavedView
    seq: int


def save_view(session: WriteSession, name: str, arguments: str) -> Saved:
    """Save a question under a name; it replaces the author's earlier view of that name."""
    before = session.transaction.records.saved_view(session.actor.id, name)
    if before is not None and before.arguments == arguments:
        return Saved(outcome=OutcomeKind.UNCHANGED, view=before, seq=session.head.seq)
    builder = EntryBuilder(session, "memory.save_view")
    if before is not None:
        builder.close(before, closed_by=builder.actor, close_reason="replaced")
    view = builder.insert(
        SavedView(
            id=builder.fresh_id(),
            seq=builder.seq,
            name=name,
            arguments=arguments,
            author=builder.actor,
            scope=_scope_of(session.actor),
            recorded_from=builder.at,
        )
    )
    outcome = OutcomeKind.SAVED if before is None else OutcomeKind.REPLACED
    entry = builder.finish(
        outcome, target=view.id, scope=view.scope, reason=None, replaces=before.id if before is not None else None
    )
    return Saved(outcome=outcome, view=view, seq=entry.seq)


def drop_view(session: WriteSession, view: SavedView) -> Saved:
    """Drop a view; it stays in the history."""
    builder = EntryBuilder(session, "memory.drop_view")
    closed = builder.close(view, closed_by=builder.actor, close_reason="dropped")
    entry = builder.finish(OutcomeKind.DROPPED, target=view.id, scope=view.scope, reason=None)
    return Saved(outcome=OutcomeKind.DROPPED, view=closed, seq=entry.seq)


def _scope_of(author: Principal) -> str:
    """The scope of an agent's saved views is its own agent scope."""
    return f"agent:{author.name}" if author.kind is PrincipalKind.AGENT else GLOBAL
