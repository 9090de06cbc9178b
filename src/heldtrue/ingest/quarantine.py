"""Quarantine: a source is taken out with all that rests on it alone, and let back in."""

from __future__ import annotations

import msgspec

from heldtrue.domain.errors import NotFound, WrongState
from heldtrue.domain.memory import MemoryVersion, Status
from heldtrue.domain.principal import require_person
from heldtrue.domain.records import Quarantine, Source
from heldtrue.ingest.burial import stones_over
from heldtrue.ingest.conflicts import keys_of, open_conflicts
from heldtrue.ingest.journal import Journal, Pen
from heldtrue.ingest.passages import judge_source
from heldtrue.ingest.retire import contraries_of
from heldtrue.ports import Reading

CHANGE = "quarantine"
"""The change of a version that waits because its source was taken out."""


class Sifted(msgspec.Struct, frozen=True, kw_only=True):
    """What taking a source out, or letting it back in, came to."""

    outcome: str
    source: str
    passages: int
    """How many passages of it are hidden now, or shown again."""
    memories: tuple[str, ...]
    """The memories that wait because of it, or count again."""
    conflicts: tuple[str, ...] = ()
    seq: int


def quarantine(pen: Pen, source_id: str, reason: str) -> Sifted:
    """Hide a source as of every moment, and let what rests on nothing else wait for a person."""
    require_person(pen.actor, "take a source out")
    source = _find_source(pen.transaction, source_id)
    present = pen.transaction.open_quarantine(source.id)
    if present is not None:
        raise WrongState(
            f"this source is in quarantine already: {present.reason}", field="source", hint="let it out with `release`"
        )
    journal = Journal(pen, "memory.quarantine")
    journal.insert(
        Quarantine(
            id=journal.fresh_id(),
            seq=journal.seq,
            source_id=source.id,
            author=journal.actor,
            scope=source.scope,
            reason=reason,
            recorded_from=journal.at,
        )
    )
    passages = judge_source(journal.transaction, source.id)
    memories = [_set_aside(journal, memory, reason) for memory in _resting_on(journal.transaction, source)]
    entry = journal.finish(
        "quarantined", target=source.id, scope=source.scope, reason=reason, memories=memories, passages=len(passages)
    )
    return Sifted(
        outcome="quarantined", source=source.id, passages=len(passages), memories=tuple(memories), seq=entry.seq
    )


def _find_source(transaction: Reading, ref: str) -> Source:
    found = transaction.source(ref.strip().lower())
    if found is None:
        raise NotFound(
            f"there is no source {ref!r}", field="source", hint="the sources of a memory are in what `explain` answers"
        )
    return found


def _resting_on(transaction: Reading, source: Source) -> list[MemoryVersion]:
    """The active memories of a source that no source which is still trusted supports."""
    found = transaction.current_versions(transaction.memories_of_source(source.id))
    return [one for one in found if one.status == Status.ACTIVE and not _has_trusted_source(transaction, one)]


def _has_trusted_source(transaction: Reading, memory: MemoryVersion) -> bool:
    sources = {source.id for _, source in transaction.evidence_of([memory.memory_id])}
    return any(transaction.open_quarantine(source_id) is None for source_id in sources)


def _set_aside(journal: Journal, memory: MemoryVersion, reason: str) -> str:
    keys = keys_of(journal, memory)
    why = f"its source is in quarantine: {reason}"
    journal.next_version(memory, keys, change=CHANGE, reason=why, status=Status.INBOX.value)
    return memory.memory_id


def release(pen: Pen, source_id: str, reason: str) -> Sifted:
    """Trust a source again: show what nothing else hides, and let what only waited for it count."""
    require_person(pen.actor, "let a source out of quarantine")
    source = _find_source(pen.transaction, source_id)
    present = pen.transaction.open_quarantine(source.id)
    if present is None:
        raise WrongState("this source is not in quarantine", field="source")
    waiting = _waiting_for(pen, source)
    journal = Journal(pen, "memory.quarantine")
    journal.close(present, closed_by=journal.actor, close_reason=reason)
    passages = [one for one in judge_source(journal.transaction, source.id) if one.hidden_seq is None]
    back = [_bring_back(journal, memory, reason) for memory in waiting]
    conflicts = [found for memory in back for found in open_conflicts(journal, memory, contraries_of(journal, memory))]
    memories = [memory.memory_id for memory in back]
    entry = journal.finish(
        "released",
        target=source.id,
        scope=source.scope,
        reason=reason,
        memories=memories,
        passages=len(passages),
        conflicts=conflicts,
    )
    return Sifted(
        outcome="released",
        source=source.id,
        passages=len(passages),
        memories=tuple(memories),
        conflicts=tuple(conflicts),
        seq=entry.seq,
    )


def _waiting_for(pen: Pen, source: Source) -> list[MemoryVersion]:
    """The memories that a quarantine set aside, that nobody touched since, and that nobody rejected meanwhile."""
    found = pen.transaction.current_versions(pen.transaction.memories_of_source(source.id))
    aside = [one for one in found if one.change == CHANGE and one.status == Status.INBOX]
    return [one for one in aside if not stones_over(pen, one)]


def _bring_back(journal: Journal, memory: MemoryVersion, reason: str) -> MemoryVersion:
    keys = keys_of(journal, memory)
    why = f"its source is trusted again: {reason}"
    return journal.next_version(memory, keys, change="release", reason=why, status=Status.ACTIVE.value)
