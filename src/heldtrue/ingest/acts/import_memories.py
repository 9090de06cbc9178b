"""Importing memories from another space: each passes the gate, and what was rejected there stays rejected here."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import msgspec

from heldtrue.domain.cause import PendingCause, PendingReason
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.memory import Kind, MemoryVersion, Staleness, Status, Strength, VersionChange, Visibility
from heldtrue.domain.records import SourceKind, Tombstone
from heldtrue.ingest.acts.learn import gate_context, learn, open_memory
from heldtrue.ingest.gate import IMPORTED, ConflictRule, candidate_keys, neighbours_of
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.stages.candidate import Candidate, Proposal, prepare_candidate
from heldtrue.ingest.stages.conflicts import keys_of, settle_pending
from heldtrue.ingest.stages.decide import refuse_data
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.match import choose_equal
from heldtrue.ingest.stages.tombstones import is_for_everyone, lay_tombstones
from heldtrue.ingest.stages.versions import Standing
from heldtrue.language.masking import mask_text

ACTION = "memory.import"
_UNPROVEN = PendingReason(
    PendingCause.UNPROVEN, "the export claims to be from this store, but was not written with this store's key"
)
_PENDING_THERE = PendingReason(PendingCause.PENDING_ELSEWHERE, "it was waiting for review in the store it came from")


class ExportTrust(Enum):
    """How far an export is believed that was not replayed."""

    PROVEN = "proven"
    """It was written with the key of this space: what was retracted there is retracted here."""
    FOREIGN = "foreign"
    """It comes from another space: its memories are candidates."""
    UNPROVEN = "unproven"
    """It names this space, but may have been written by anybody: its memories wait for review."""


class Foreign(msgspec.Struct, frozen=True):
    """A memory of another space, with the tombstones over it there."""

    memory: MemoryVersion
    tombstones: Sequence[Tombstone]
    space_id: str
    trust: ExportTrust = ExportTrust.FOREIGN

    @property
    def reason(self) -> str:
        return mask_text(self.memory.reason or f"it was {self.memory.status} in the store it came from").text


def import_memory(session: WriteSession, foreign: Foreign, rule_for: ConflictRule) -> Outcome:
    """Propose a foreign memory as what it is there: a live one as a candidate, another as closed history."""
    present = session.transaction.memories.version(foreign.memory.memory_id)
    if present is not None:
        return _follow(session, present, foreign, rule_for)
    candidate = prepare_candidate(_propose(foreign))
    if (refusal := refuse_data(candidate)) is not None:
        return _leave(session, None, refusal.reason)
    if foreign.memory.is_live or foreign.trust is ExportTrust.UNPROVEN:
        return learn(session, candidate, rule_for, lane=IMPORTED, memory_id=foreign.memory.memory_id)
    return _keep_as_history(session, candidate, foreign, rule_for)


def _keep_as_history(session: WriteSession, candidate: Candidate, foreign: Foreign, rule_for: ConflictRule) -> Outcome:
    """Store a memory that is inactive there as inactive here, unless the same memory is active here."""
    held, memory, reason = gate_context(session, rule_for), foreign.memory, foreign.reason
    keys = candidate_keys(candidate, held)
    if choose_equal(neighbours_of(candidate, keys, held)) is not None:
        return _leave(session, None, f"it is {memory.status} in the store it came from, but active here")
    builder = EntryBuilder(session, ACTION)
    standing = Standing(Status(memory.status), memory.confidence, reason, vouched=False)
    kept = open_memory(builder, candidate, standing, keys, memory_id=memory.memory_id)
    _reject_alike(builder, kept, foreign)
    return _finish(builder, kept, foreign)


def _follow(session: WriteSession, present: MemoryVersion, foreign: Foreign, rule_for: ConflictRule) -> Outcome:
    """Update a memory that exists here too: if it was changed there, propose the change; if retracted, retract it."""
    there = foreign.memory
    if there.version <= present.version:
        return _leave(session, present, "already present")
    if there.is_live:
        if there.content == present.content:
            return _leave(session, present, "already present")
        return learn(session, prepare_candidate(_propose(foreign)), rule_for, lane=IMPORTED)
    if not present.is_live:
        return _leave(session, present, "already present")
    if not _may_retract(foreign, present):
        return _leave(session, present, f"it is {there.status} in the store it came from, but active here")
    builder = EntryBuilder(session, ACTION)
    settle_pending(builder, present, foreign.reason)
    keys = keys_of(builder, present)
    retracted = builder.next_version(
        present, keys, change=VersionChange.IMPORT, reason=foreign.reason, status=there.status
    )
    _reject_alike(builder, present, foreign)
    return _finish(builder, retracted, foreign)


def _may_retract(foreign: Foreign, present: MemoryVersion) -> bool:
    """Whether a retraction elsewhere holds here: another space's does not bind what a person here has verified."""
    match foreign.trust:
        case ExportTrust.PROVEN:
            return True
        case ExportTrust.FOREIGN:
            return present.verified_by is None
        case ExportTrust.UNPROVEN:
            return False


def _reject_alike(builder: EntryBuilder, memory: MemoryVersion, foreign: Foreign) -> None:
    """Reject here the values that a person has rejected there. What an agent rejected there holds for nobody here."""
    stones = filter(is_for_everyone, foreign.tombstones)
    plain = ((stone.grain, mask_text(stone.value).text, mask_text(stone.reason).text) for stone in stones)
    lay_tombstones(builder, memory, plain)


def _finish(builder: EntryBuilder, memory: MemoryVersion, foreign: Foreign) -> Outcome:
    outcome = OutcomeKind(memory.status)
    entry = builder.finish(outcome, target=memory.memory_id, scope=memory.scope, reason=foreign.reason)
    return Outcome(outcome=outcome, memory=memory, reason=foreign.reason, seq=entry.seq)


def _leave(session: WriteSession, memory: MemoryVersion | None, reason: str) -> Outcome:
    return Outcome(outcome=OutcomeKind.UNCHANGED, memory=memory, reason=reason, seq=session.head.seq)


def _propose(foreign: Foreign) -> Proposal:
    memory = foreign.memory
    return Proposal(
        content=memory.content,
        kind=Kind(memory.kind),
        title=memory.title,
        summary=memory.summary,
        rationale=memory.rationale,
        scope=memory.scope,
        project=memory.project_id,
        visibility=Visibility(memory.visibility),
        topic=memory.topic,
        category=memory.category,
        staleness=Staleness(memory.staleness),
        strength=Strength(memory.strength),
        confidence=memory.confidence,
        source=f"space {foreign.space_id}, {memory.memory_id}, said by {memory.author}",
        source_kind=SourceKind.IMPORT,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
        observed_at=memory.observed_at,
        hold_because=_why_held(foreign),
    )


def _why_held(foreign: Foreign) -> PendingReason | None:
    if foreign.trust is ExportTrust.UNPROVEN:
        return _UNPROVEN
    return _PENDING_THERE if foreign.memory.status == Status.INBOX else None
