"""Quarantine of a source and of the memories that rest only on it, and its end."""

from __future__ import annotations

import msgspec

from heldtrue.domain.cause import PendingCause
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import NotFound, WrongState
from heldtrue.domain.memory import MemoryVersion, Status, VersionChange
from heldtrue.domain.records import Quarantine, Source
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ingest.stages.conflicts import flag_contraries, keys_of
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.tombstones import judge_source, tombstones_over_memory


class QuarantineResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of starting or ending a quarantine."""

    outcome: OutcomeKind
    source: str
    passages: int
    """How many passages of it are hidden now, or shown again."""
    memories: tuple[str, ...]
    """The memories that are pending because of it, or active again."""
    conflicts: tuple[str, ...] = ()
    seq: int


def quarantine(session: WriteSession, source_id: str, reason: str) -> QuarantineResult:
    """Hide a source at every moment, and move memories with no other source to the inbox."""
    source = _find_source(session.transaction, source_id)
    present = session.transaction.sources.open_quarantine(source.id)
    if present is not None:
        raise WrongState(
            f"this source is already in quarantine: {present.reason}",
            field="source",
            hint="end the quarantine with `release`",
        )
    builder = EntryBuilder(session, "memory.quarantine")
    builder.insert(
        Quarantine(
            id=builder.fresh_id(),
            seq=builder.seq,
            source_id=source.id,
            author=builder.actor,
            scope=source.scope,
            reason=reason,
            recorded_from=builder.at,
        )
    )
    passages = judge_source(builder.transaction, source.id)
    memories = [_set_aside(builder, memory, reason) for memory in _resting_on(builder.transaction, source)]
    entry = builder.finish(
        OutcomeKind.QUARANTINED,
        target=source.id,
        scope=source.scope,
        reason=reason,
        memories=memories,
        passages=len(passages),
    )
    return QuarantineResult(
        outcome=OutcomeKind.QUARANTINED,
        source=source.id,
        passages=len(passages),
        memories=tuple(memories),
        seq=entry.seq,
    )


def _find_source(transaction: IngestReadTransaction, ref: str) -> Source:
    found = transaction.sources.get(ref.strip().lower())
    if found is None:
        raise NotFound(f"no source with id {ref!r}", field="source", hint="`explain` lists the sources of a memory")
    return found


def _resting_on(transaction: IngestReadTransaction, source: Source) -> list[MemoryVersion]:
    """The active memories of a source that no source which is still trusted supports."""
    found = transaction.memories.current_versions(transaction.sources.memories_of(source.id))
    active = [memory for memory in found if memory.status == Status.ACTIVE]
    return [memory for memory in active if not _has_trusted_source(transaction, memory)]


def _has_trusted_source(transaction: IngestReadTransaction, memory: MemoryVersion) -> bool:
    sources = {source.id for _, source in transaction.records.evidence_of([memory.memory_id])}
    return any(transaction.sources.open_quarantine(source_id) is None for source_id in sources)


def _set_aside(builder: EntryBuilder, memory: MemoryVersion, reason: str) -> str:
    keys = keys_of(builder, memory)
    why = f"its source is in quarantine: {reason}"
    builder.next_version(
        memory,
        keys,
        change=VersionChange.QUARANTINE,
        reason=why,
        cause=PendingCause.QUARANTINE,
        status=Status.INBOX.value,
    )
    return memory.memory_id


def release(session: WriteSession, source_id: str, reason: str) -> QuarantineResult:
    """End the quarantine of a source: show what nothing else hides, and reactivate memories that waited only for it."""
    source = _find_source(session.transaction, source_id)
    present = session.transaction.sources.open_quarantine(source.id)
    if present is None:
        raise WrongState("this source is not in quarantine", field="source")
    waiting = _waiting_for(session, source)
    builder = EntryBuilder(session, "memory.quarantine")
    builder.close(present, closed_by=builder.actor, close_reason=reason)
    judged = judge_source(builder.transaction, source.id)
    passages = [passage for passage in judged if passage.hidden_seq is None]
    back = [_bring_back(builder, memory, reason) for memory in waiting]
    conflicts = [conflict for memory in back for conflict in flag_contraries(builder, memory)]
    memories = [memory.memory_id for memory in back]
    entry = builder.finish(
        OutcomeKind.RELEASED,
        target=source.id,
        scope=source.scope,
        reason=reason,
        memories=memories,
        passages=len(passages),
        conflicts=conflicts,
    )
    return QuarantineResult(
        outcome=OutcomeKind.RELEASED,
        source=source.id,
        passages=len(passages),
        memories=tuple(memories),
        conflicts=tuple(conflicts),
        seq=entry.seq,
    )


def _waiting_for(session: WriteSession, source: Source) -> list[MemoryVersion]:
    """The memories that a quarantine made pending and that were neither changed nor rejected since."""
    found = session.transaction.memories.current_versions(session.transaction.sources.memories_of(source.id))
    aside = [memory for memory in found if memory.change == VersionChange.QUARANTINE and memory.status == Status.INBOX]
    return [memory for memory in aside if not tombstones_over_memory(session, memory)]


def _bring_back(builder: EntryBuilder, memory: MemoryVersion, reason: str) -> MemoryVersion:
    keys = keys_of(builder, memory)
    why = f"its source is trusted again: {reason}"
    return builder.next_version(memory, keys, change=VersionChange.RELEASE, reason=why, status=Status.ACTIVE.value)
