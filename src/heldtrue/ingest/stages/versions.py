"""Builds the first version of a memory, for writes and for the plan of a batch."""

from __future__ import annotations

import msgspec

from heldtrue.domain.cause import VersionCause
from heldtrue.domain.memory import MemoryVersion, Status, VersionChange
from heldtrue.domain.principal import Principal
from heldtrue.ingest.stages.candidate import Candidate
from heldtrue.ingest.stages.journal import EntryBuilder
from heldtrue.language.tone import NEUTRAL


class Stamp(msgspec.Struct, frozen=True):
    """Which version it is, when it is recorded, by whom and by which act."""

    no: int
    memory_id: str
    seq: int
    at: int
    actor: Principal
    change: str


def stamp_of(builder: EntryBuilder, memory_id: str | None = None) -> Stamp:
    """The stamp of a memory that a ledger entry begins."""
    return Stamp(
        no=builder.session.next_no(),
        memory_id=memory_id or builder.fresh_id(),
        seq=builder.seq,
        at=builder.at,
        actor=builder.session.actor,
        change=builder.action.removeprefix("memory."),
    )


class Standing(msgspec.Struct, frozen=True):
    """The status and confidence that the gate gives a new memory, and why."""

    status: Status
    confidence: float
    reason: str | None = None
    cause: VersionCause | None = None
    vouched: bool = True
    """Whether a person who submits it thereby verifies it."""


def first_version(candidate: Candidate, stamp: Stamp, standing: Standing) -> MemoryVersion:
    """The first version of a memory, from the candidate and the gate's decision."""
    proposal, author = candidate.proposal, stamp.actor.id
    verified = stamp.actor.is_person and standing.vouched and standing.status is Status.ACTIVE
    return MemoryVersion(
        no=stamp.no,
        memory_id=stamp.memory_id,
        version=1,
        seq=stamp.seq,
        kind=proposal.kind.value,
        title=candidate.title,
        content=candidate.content,
        summary=candidate.summary,
        rationale=candidate.rationale,
        scope=candidate.scope,
        project_id=candidate.project_id,
        repo_id=candidate.repo_id,
        visibility=proposal.visibility.value,
        status=standing.status.value,
        confidence=standing.confidence,
        strength=proposal.strength.value,
        topic=candidate.topic,
        category=candidate.category,
        staleness=proposal.staleness.value,
        author=author,
        verified_by=author if verified else None,
        valid_from=proposal.valid_from,
        valid_to=proposal.valid_to,
        observed_at=stamp.at if proposal.observed_at is None else proposal.observed_at,
        created_at=stamp.at,
        recorded_from=stamp.at,
        change=stamp.change,
        changed_by=author,
        reason=standing.reason,
        sentiment=None if candidate.tone == NEUTRAL else candidate.tone,
        cause=None if standing.cause is None else standing.cause.value,
    )


def split_off(old: MemoryVersion, stamp: Stamp, content: str) -> MemoryVersion:
    """The first version of a memory that keeps one part of an older one, with its status."""
    return msgspec.structs.replace(
        old,
        no=stamp.no,
        memory_id=stamp.memory_id,
        version=1,
        seq=stamp.seq,
        content=content,
        title=None,
        summary=None,
        created_at=stamp.at,
        recorded_from=stamp.at,
        change=VersionChange.KEEP.value,
        changed_by=stamp.actor.id,
        reason=f"the part of {old.memory_id} that the correction did not change",
        salt=None,
        digest=None,
    )
