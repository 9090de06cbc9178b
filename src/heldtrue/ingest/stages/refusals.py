"""Refusals: what the ledger keeps of one, and which were recorded before."""

from __future__ import annotations

from heldtrue.domain.decision import Refused
from heldtrue.domain.limits import REFUSED_CHARS_MAX
from heldtrue.ingest.stages.candidate import Candidate
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ingest.stages.keys import lookup_key


def cut_said(content: str) -> str:
    """As much of a refused text as the ledger keeps."""
    return content if len(content) <= REFUSED_CHARS_MAX else content[: REFUSED_CHARS_MAX - 1] + "…"


def find_refusal(session: WriteSession, candidate: Candidate, decision: Refused) -> int | None:
    """The entry by which the same was refused to the same author before, for the same cause and the same rejection."""
    return session.transaction.index.state(_pointer(session, candidate, decision)) or None


def note_refusal(session: WriteSession, candidate: Candidate, decision: Refused, seq: int) -> None:
    """Remember the entry of a refusal. If that is lost, the worst is that it is recorded once more."""
    session.transaction.index.set_state(_pointer(session, candidate, decision), seq)


def _pointer(session: WriteSession, candidate: Candidate, decision: Refused) -> str:
    parts = (session.actor.id, candidate.scope, decision.cause.value, decision.tombstone_id or "", candidate.content)
    return f"refused:{lookup_key(session.space.key, 'refused', *parts)}"
