"""The changes that maintenance may make, each as one ledger entry: promote, merge, archive, and undo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from heldtrue.domain.cause import CONFIRMABLE, ArchiveCause, read_cause
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import WrongState
from heldtrue.domain.memory import Kind, MemoryVersion, Status, VersionChange
from heldtrue.domain.promotion import PromotionRule
from heldtrue.domain.records import ArchivedSource, Evidence, Link, Source
from heldtrue.domain.rows import SourceHead
from heldtrue.ingest.acts import feedback
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.ports import IngestReadTransaction
from heldtrue.ingest.stages.conflicts import (
    flag_contraries,
    hand_over_conflicts,
    keys_of,
    link_once,
    reopen_conflicts,
    settle_pending,
    withdraw_conflicts,
)
from heldtrue.ingest.stages.evidence import rest_on_again
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.match import find_neighbours, read_statement
from heldtrue.ingest.stages.tombstones import holds_for, tombstones_over_text
from heldtrue.ports import ReadTransaction

# Promoting


def count_independent(evidence: Sequence[tuple[Evidence, Source]]) -> int:
    """How many independent sources support a memory.

    Sources from one agent count once, however many: it could invent any number of conversations. Sources from a person
    count by conversation or file, unless one is a copy of another.
    """
    origins: dict[tuple[str, str], Source] = {}
    for _, source in evidence:
        is_person = source.author.startswith("person:")
        origin = (source.thread or source.reference or source.id) if is_person else ""
        origins.setdefault((source.author, origin), source)
    return len({(source.author, source.speaker, source.content.strip()) for source in origins.values()})


def reason_to_promote(
    versions: Sequence[MemoryVersion], evidence: Sequence[tuple[Evidence, Source]], rules: Sequence[PromotionRule]
) -> str | None:
    """Why a pending memory may become active without a person; None if it may not.

    Only memories that merely need confirmation are promoted, and never one whose promotion a person has undone.
    """
    memory = versions[-1]
    if versions[0].cause not in CONFIRMABLE or any(map(was_undone, versions)):
        return None
    if memory.kind == Kind.DECISION and not (memory.rationale or read_statement(memory.content).has_rationale):
        return None
    sources = count_independent(evidence)
    if sources and any(rule.fits(memory, sources) for rule in rules):
        said = "one source says" if sources == 1 else f"{sources} independent sources say"
        return f"{said} so"
    return None


def promote(session: WriteSession, memory: MemoryVersion, reason: str) -> Outcome | None:
    """Promote a memory that merely needs confirmation; None if something else prevents it."""
    if is_in_the_way(session.transaction, memory, actor=session.actor.id) or _says_rejected(session, memory):
        return None
    builder = EntryBuilder(session, "memory.consolidate")
    active = builder.next_version(
        memory, keys_of(builder, memory), change=VersionChange.PROMOTE, reason=reason, status=Status.ACTIVE.value
    )
    conflicts = flag_contraries(builder, active)
    outcome = OutcomeKind.PROMOTED
    entry = builder.finish(outcome, target=memory.memory_id, scope=memory.scope, reason=reason, conflicts=conflicts)
    return Outcome(outcome=outcome, memory=active, reason=reason, conflicts=tuple(conflicts), seq=entry.seq)


def _says_rejected(session: WriteSession, memory: MemoryVersion) -> bool:
    """Whether a memory says in other words what was rejected since it was stored."""
    holds = holds_for(memory.privacy.author or session.actor.id)
    where = (memory.scope, memory.project_id)
    found = session.rejected.recognise(session.transaction, memory.content, where, holds)
    return found is not None and found.stone.memory_id != memory.memory_id


def is_in_the_way(
    reading: IngestReadTransaction, memory: MemoryVersion, *, actor: str, with_others: Sequence[str] = ()
) -> bool:
    """Whether something stands against letting a memory count, itself and others that became part of it: a rejection,
    an open conflict, or that nothing is left to rest on.
    """
    together = {memory.memory_id, *with_others}
    if _was_ruled_out(reading, memory, actor=actor, together=sorted(together)):
        return True
    pending = [conflict for conflict in reading.records.conflicts_of(sorted(together)) if conflict.recorded_to is None]
    return any(not {conflict.old_id, conflict.new_id} <= together for conflict in pending)


def _was_ruled_out(
    reading: IngestReadTransaction, memory: MemoryVersion, *, actor: str, together: Sequence[str]
) -> bool:
    """Whether the statement of a memory was rejected, or all of its sources are in quarantine."""
    stones = tombstones_over_text(reading, memory, memory.content, actor=actor)
    if any(stone.memory_id != memory.memory_id for stone in stones):
        return True
    sources = {source.id for _, source in reading.records.evidence_of(together)}
    return sources == reading.sources.quarantined(sources)


def was_undone(memory: MemoryVersion) -> bool:
    """Whether a maintenance change to a memory was undone; maintenance then leaves it alone."""
    return memory.change == VersionChange.UNDO


def was_brought_back(memory: MemoryVersion) -> bool:
    """Whether somebody has just brought a memory back; nothing archives it again before it is stated again."""
    return was_undone(memory) or memory.change == VersionChange.RESTORE


# Merging


def find_duplicate(memory: MemoryVersion, memories: Sequence[MemoryVersion]) -> MemoryVersion | None:
    """A live memory of the same scope that says the same; never across scopes, never private with shared."""
    if was_undone(memory):
        return None
    others = [
        other for other in memories if other.memory_id != memory.memory_id and other.is_live and not was_undone(other)
    ]
    neighbours = find_neighbours(
        read_statement(memory.content),
        others,
        scope=memory.scope,
        privacy=memory.privacy,
        valid_time=memory.valid_time,
    )
    alike = [neighbour.memory for neighbour in neighbours if neighbour.is_concurrent and neighbour.says_same]
    return min(alike, key=lambda duplicate: duplicate.no, default=None)


def merge(session: WriteSession, memory: MemoryVersion, twin: MemoryVersion, reason: str) -> Outcome:
    """Merge two memories that say the same: the better supported one stays, with the evidence of both."""
    kept, gone = choose_kept(memory, twin)
    return merge_into(session, kept, gone, reason, action="memory.consolidate")


def merge_into(
    session: WriteSession, target: MemoryVersion, gone: MemoryVersion, reason: str, *, action: str, **changes: Any
) -> Outcome:
    """Merge one memory into another, which gets its evidence and its conflicts."""
    builder = EntryBuilder(session, action)
    merged = builder.next_version(
        target,
        keys_of(builder, target),
        change=VersionChange.MERGE,
        reason=reason,
        confidence=max(target.confidence, gone.confidence),
        **changes,
    )
    present = {source.id for _, source in builder.transaction.records.evidence_of([target.memory_id])}
    for evidence, source in builder.transaction.records.evidence_of([gone.memory_id]):
        if source.id not in present:
            present.add(source.id)
            fresh = {"memory_id": merged.memory_id, "version": merged.version, "seq": builder.seq, "salt": None}
            builder.insert(msgspec.structs.replace(evidence, **fresh, digest=None))
    status = Status.SUPERSEDED.value
    builder.next_version(gone, keys_of(builder, gone), change=VersionChange.MERGE, reason=reason, status=status)
    link_once(builder, merged, gone.memory_id, "supersedes", reason)
    conflicts = hand_over_conflicts(builder, gone, merged)
    entry = builder.finish(
        OutcomeKind.MERGED,
        target=merged.memory_id,
        scope=merged.scope,
        reason=reason,
        replaced=gone.memory_id,
        conflicts=conflicts,
    )
    return Outcome(outcome=OutcomeKind.MERGED, memory=merged, reason=reason, conflicts=tuple(conflicts), seq=entry.seq)


def choose_kept(memory: MemoryVersion, twin: MemoryVersion) -> tuple[MemoryVersion, MemoryVersion]:
    """Of two memories that say the same, the one to keep and the one to merge into it."""
    kept, gone = sorted((memory, twin), key=_standing, reverse=True)
    return kept, gone


def _standing(memory: MemoryVersion) -> tuple[bool, bool, float, int]:
    """The sort key for the memory to keep: verified, active, confidence, age."""
    return (
        memory.verified_by is not None,
        memory.status == Status.ACTIVE,
        memory.confidence,
        -memory.no,
    )


# Archiving


def archive(session: WriteSession, memory: MemoryVersion, cause: ArchiveCause, reason: str, *, action: str) -> Outcome:
    """Archive a memory; it stays in the history."""
    builder = EntryBuilder(session, action)
    settle_pending(builder, memory, f"archived: {reason}")
    archived = builder.next_version(
        memory,
        keys_of(builder, memory),
        change=VersionChange.ARCHIVE,
        reason=reason,
        cause=cause,
        status=Status.ARCHIVED.value,
    )
    outcome = OutcomeKind.ARCHIVED
    entry = builder.finish(outcome, target=memory.memory_id, scope=memory.scope, reason=reason, cause=cause)
    return Outcome(outcome=outcome, memory=archived, reason=reason, cause=cause, seq=entry.seq)


def archive_source(session: WriteSession, source: SourceHead, reason: str, *, action: str) -> Outcome | None:
    """Archive a source, so that recall no longer finds it; None if it was archived before, even if that was undone."""
    if session.transaction.sources.was_archived(source.id):
        return None
    builder = EntryBuilder(session, action)
    builder.insert(
        ArchivedSource(
            id=builder.fresh_id(),
            seq=builder.seq,
            source_id=source.id,
            author=builder.actor,
            scope=source.scope,
            reason=reason,
            recorded_from=builder.at,
        )
    )
    outcome, cause = OutcomeKind.ARCHIVED, ArchiveCause.RETENTION
    entry = builder.finish(outcome, target=source.id, scope=source.scope, reason=reason, cause=cause)
    return Outcome(outcome=outcome, memory=None, reason=reason, cause=cause, seq=entry.seq)


def unarchive(
    session: WriteSession, memory: MemoryVersion, reason: str, *, action: str, source: Source | None = None
) -> Outcome | None:
    """Return an archived memory to its former status; None if it was rejected or quarantined meanwhile.

    `source` is one that says again what the memory rests on, if there is one.
    """
    before = _version_before(session.transaction, memory)
    if before is None or not before.is_live or _may_not_return(session, before):
        return None
    builder = EntryBuilder(session, action)
    back = builder.next_version(
        memory,
        keys_of(builder, memory),
        change=VersionChange.RETURN,
        reason=reason,
        cause=read_cause(before.cause),
        status=before.status,
    )
    if source is not None:
        rest_on_again(builder, back, source)
    conflicts = flag_contraries(builder, back) if back.status == Status.ACTIVE else []
    outcome = OutcomeKind.RETURNED
    entry = builder.finish(outcome, target=memory.memory_id, scope=memory.scope, reason=reason, conflicts=conflicts)
    return Outcome(outcome=outcome, memory=back, reason=reason, conflicts=tuple(conflicts), seq=entry.seq)


def _may_not_return(session: WriteSession, before: MemoryVersion) -> bool:
    """Whether a later rejection or quarantine prevents a memory from returning to its former status."""
    return _was_ruled_out(session.transaction, before, actor=session.actor.id, together=[before.memory_id])


# Undoing


def undo(session: WriteSession, seq: int, reason: str) -> Outcome:
    """Undo a maintenance entry, unless something has changed since."""
    entry = session.transaction.ledger.entry(seq)
    if entry is None or entry.channel != "engine":
        raise WrongState(f"#{seq} is not a maintenance entry", field="entry", hint="see `history`")
    outcome, why = OutcomeKind.UNDONE, f"undone: {reason}"
    if entry.action == feedback.ACTION:
        return Outcome(outcome=outcome, memory=None, reason=reason, seq=feedback.undo_boost(session, entry).seq)
    written, closable = _changes_to_undo(session, seq)
    builder = EntryBuilder(session, "memory.undo")
    for version in written:
        _take_back(builder, version, why)
    for record in closable:
        builder.close(record, closed_by=builder.actor, close_reason=reason)
    conflicts = _undo_conflicts(builder, seq, [version.memory_id for version in written], why)
    done = builder.finish(
        outcome, target=entry.target, scope=entry.scope, reason=reason, undone=seq, conflicts=conflicts
    )
    memory = session.transaction.memories.version(entry.target) if entry.target else None
    return Outcome(outcome=outcome, memory=memory, reason=reason, seq=done.seq)


def _changes_to_undo(session: WriteSession, seq: int) -> tuple[list[MemoryVersion], list[Link | ArchivedSource]]:
    """The versions of an entry, and its links and archived sources, if all of them can be undone."""
    ledger, only = session.transaction.ledger, {"after": seq - 1, "until": seq}
    written: list[MemoryVersion] = ledger.records_written("memory_versions", **only)
    made: list[Link] = ledger.records_written("links", **only)
    archived: list[ArchivedSource] = ledger.records_written("archived_sources", **only)
    links = [link for link in made if link.recorded_to is None]
    if not written and not links and not archived:
        raise WrongState(f"#{seq} changed neither a memory nor a source", field="entry", hint="see `history`")
    for version in written:
        _refuse_changed_since(session, version)
        _refuse_reviving(session, version)
    for record in archived:
        if record.recorded_to is not None:
            raise WrongState(f"the archiving of source {record.source_id} was already undone", field="entry")
    return written, [*links, *archived]


def _undo_conflicts(builder: EntryBuilder, seq: int, memory_ids: Sequence[str], why: str) -> list[str]:
    """Let conflicts follow memories that are as they were: those the entry raised fall, those it settled are back."""
    reading, only = builder.transaction, {"after": seq - 1, "until": seq}
    raised = reading.ledger.records_written("conflicts", **only)
    opened = [conflict for conflict in raised if conflict.recorded_to is None]
    withdraw_conflicts(builder, opened, why)
    for memory in reading.memories.current_versions(memory_ids):
        if not memory.is_live:
            settle_pending(builder, memory, why)
    return reopen_conflicts(builder, reading.ledger.records_closed("conflicts", **only))


def _refuse_changed_since(session: WriteSession, version: MemoryVersion) -> None:
    versions = session.transaction.memories.versions(version.memory_id)
    standing = [kept.version for kept in standing_versions(versions)]
    if standing[-1:] == [version.version]:
        return
    is_undone = version.version not in standing
    what, hint = ("already undone", None) if is_undone else ("has changed since then", "undo the later change first")
    raise WrongState(f"memory {version.memory_id} was {what}", field="entry", hint=hint)


def standing_versions(versions: Sequence[MemoryVersion]) -> list[MemoryVersion]:
    """The versions of a memory without those that were undone, and without the ones that undid them."""
    standing: list[MemoryVersion] = []
    for version in versions:
        if was_undone(version):
            del standing[-1:]
        else:
            standing.append(version)
    return standing


def _refuse_reviving(session: WriteSession, version: MemoryVersion) -> None:
    """Refuse an undo that would revive a statement that was rejected or quarantined meanwhile."""
    before = _version_before(session.transaction, version)
    if before is None or not before.is_live or version.is_live:
        return
    if _may_not_return(session, before):
        what = f"the statement of memory {version.memory_id} has been rejected, or its source quarantined, since then"
        raise WrongState(what, field="entry", hint="a person can use `restore`")


def _version_before(reading: ReadTransaction, version: MemoryVersion) -> MemoryVersion | None:
    earlier = reading.memories.versions(version.memory_id)
    return next((before for before in earlier if before.version == version.version - 1), None)


def _take_back(builder: EntryBuilder, version: MemoryVersion, reason: str) -> None:
    """Return a memory to its state before a version; withdraw it if that was its first version."""
    before = _version_before(builder.transaction, version)
    was, current = before or version, builder.transaction.memories.version(version.memory_id)
    assert current is not None
    changes = {name: getattr(was, name) for name in _OWN}
    if before is None:
        changes["status"] = Status.RETRACTED.value
    cause = None if before is None else read_cause(before.cause)
    builder.next_version(
        current, keys_of(builder, was), change=VersionChange.UNDO, reason=reason, cause=cause, **changes
    )


_OWN = (
    "kind", "title", "content", "summary", "rationale", "status", "confidence", "strength", "topic", "category",
    "sentiment", "staleness", "verified_by", "valid_from", "valid_to", "observed_at",
)  # fmt: skip
"""What a version says; the rest of it tells which version it is."""
