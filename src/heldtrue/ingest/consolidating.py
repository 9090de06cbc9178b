"""What maintenance may do to memories, each as one entry of the ledger: promote, merge, archive, and take it back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from heldtrue.domain.errors import WrongState
from heldtrue.domain.memory import Kind, MemoryVersion, Status
from heldtrue.domain.promotion import PromotionRule
from heldtrue.domain.records import Evidence, Source
from heldtrue.ingest import feedback
from heldtrue.ingest.burial import stones_over
from heldtrue.ingest.conflicts import (
    hand_over_conflicts,
    keys_of,
    link_once,
    open_conflicts,
    reopen_conflicts,
    settle_pending,
    withdraw_conflicts,
)
from heldtrue.ingest.journal import Journal, Pen, is_live
from heldtrue.ingest.match import find_neighbours, owner_of_private, read_statement
from heldtrue.ingest.outcome import Outcome
from heldtrue.ingest.retire import contraries_of
from heldtrue.ingest.stones import stones_over_statement
from heldtrue.ports import Reading

EXTRACTED = "it was extracted, and waits until it is confirmed"
IMPORTED = "it was imported, and waits until it is confirmed"
CONFIRMABLE = (EXTRACTED, IMPORTED)
"""Why something waits that needs nothing but confirmation."""


def count_independent(evidence: Sequence[tuple[Evidence, Source]]) -> int:
    """How many sources say so independently.

    What one agent hands in counts once, however often: it could invent any number of conversations. What a person hands
    in counts by conversation or place, where one is not a copy of another.
    """
    places: dict[tuple[str, str], Source] = {}
    for _, source in evidence:
        is_person = source.author.startswith("person:")
        place = (source.thread or source.reference or source.id) if is_person else ""
        places.setdefault((source.author, place), source)
    return len({(source.author, source.speaker, source.content.strip()) for source in places.values()})


def reason_to_promote(
    versions: Sequence[MemoryVersion], evidence: Sequence[tuple[Evidence, Source]], rules: Sequence[PromotionRule]
) -> str | None:
    """Why a memory that waits may count without a person; None if it may not.

    Only what waits for nothing but confirmation is promoted, and never again what a person has taken back.
    """
    memory = versions[-1]
    if versions[0].reason not in CONFIRMABLE or any(map(was_undone, versions)):
        return None
    if memory.kind == Kind.DECISION and not (memory.rationale or read_statement(memory.content).has_rationale):
        return None
    sources = count_independent(evidence)
    if sources and any(rule.fits(memory, sources) for rule in rules):
        said = "one source says" if sources == 1 else f"{sources} independent sources say"
        return f"{said} so"
    return None


def promote(pen: Pen, memory: MemoryVersion, reason: str) -> Outcome | None:
    """Let a memory count that waits for nothing but confirmation; None where something else is in its way."""
    if is_in_the_way(pen.transaction, memory, actor=pen.actor.id):
        return None
    journal = Journal(pen, "memory.consolidate")
    active = journal.next_version(
        memory, keys_of(journal, memory), change="promote", reason=reason, status=Status.ACTIVE.value
    )
    conflicts = open_conflicts(journal, active, contraries_of(journal, active))
    entry = journal.finish("promoted", target=memory.memory_id, scope=memory.scope, reason=reason, conflicts=conflicts)
    return Outcome(outcome="promoted", memory=active, reason=reason, conflicts=tuple(conflicts), seq=entry.seq)


def is_in_the_way(reading: Reading, memory: MemoryVersion, *, actor: str, with_others: Sequence[str] = ()) -> bool:
    """Whether something stands against letting a memory count, itself and others that became part of it: a rejection,
    an open conflict, or that nothing is left to rest on.
    """
    stones = stones_over_statement(
        reading,
        reading.space().key,
        read_statement(memory.content),
        memory.scope,
        memory.project_id,
        # Maintenance acts for whoever a private memory belongs to.
        private_to=owner_of_private(memory) or actor,
    )
    if any(stone.memory_id != memory.memory_id for stone in stones):
        return True
    one = {memory.memory_id, *with_others}
    pending = [conflict for conflict in reading.conflicts_of(sorted(one)) if conflict.recorded_to is None]
    return any(not {conflict.old_id, conflict.new_id} <= one for conflict in pending) or _is_distrusted(
        reading, sorted(one)
    )


def _is_distrusted(reading: Reading, memory_ids: Sequence[str]) -> bool:
    """Whether nothing is left to rest on but sources in quarantine."""
    sources = {source.id for _, source in reading.evidence_of(memory_ids)}
    return sources == reading.quarantined(sources)


def was_undone(memory: MemoryVersion) -> bool:
    """Whether somebody has taken back what maintenance did to a memory: it is then left alone."""
    return memory.change == "undo"


def find_duplicate(memory: MemoryVersion, held: Sequence[MemoryVersion]) -> MemoryVersion | None:
    """A live memory of the same scope that says the same; never across scopes, never private with shared."""
    if was_undone(memory):
        return None
    others = [one for one in held if one.memory_id != memory.memory_id and is_live(one) and not was_undone(one)]
    neighbours = find_neighbours(
        read_statement(memory.content), others, scope=memory.scope, private_to=owner_of_private(memory)
    )
    alike = [one.memory for one in neighbours if one.comparison.relation in ("equal", "near")]
    return min(alike, key=lambda one: one.no, default=None)


def merge(pen: Pen, one: MemoryVersion, other: MemoryVersion, reason: str) -> Outcome:
    """Make one memory of two that say the same: the better supported one stays, with the evidence of both."""
    kept, gone = choose_kept(one, other)
    return merge_into(pen, kept, gone, reason, action="memory.consolidate")


def merge_into(
    pen: Pen, kept: MemoryVersion, gone: MemoryVersion, reason: str, *, action: str, **changes: Any
) -> Outcome:
    """Let one memory become part of another, which gets its evidence and its conflicts."""
    journal = Journal(pen, action)
    merged = journal.next_version(
        kept,
        keys_of(journal, kept),
        change="merge",
        reason=reason,
        confidence=max(kept.confidence, gone.confidence),
        **changes,
    )
    present = {source.id for _, source in journal.transaction.evidence_of([kept.memory_id])}
    for evidence, source in journal.transaction.evidence_of([gone.memory_id]):
        if source.id not in present:
            present.add(source.id)
            fresh = {"memory_id": merged.memory_id, "version": merged.version, "seq": journal.seq, "salt": None}
            journal.insert(msgspec.structs.replace(evidence, **fresh, digest=None))
    journal.next_version(gone, keys_of(journal, gone), change="merge", reason=reason, status=Status.SUPERSEDED.value)
    link_once(journal, merged, gone.memory_id, "supersedes", reason)
    conflicts = hand_over_conflicts(journal, gone, merged)
    entry = journal.finish(
        "merged",
        target=merged.memory_id,
        scope=merged.scope,
        reason=reason,
        replaced=gone.memory_id,
        conflicts=conflicts,
    )
    return Outcome(outcome="merged", memory=merged, reason=reason, conflicts=tuple(conflicts), seq=entry.seq)


def choose_kept(one: MemoryVersion, other: MemoryVersion) -> tuple[MemoryVersion, MemoryVersion]:
    """Of two that say the same, the one that stays and the one that becomes part of it."""
    kept, gone = sorted((one, other), key=_standing, reverse=True)
    return kept, gone


def _standing(memory: MemoryVersion) -> tuple[bool, bool, float, int]:
    """What decides which of two stays: that a person stands behind it, that it counts, how certain it is, its age."""
    return (
        memory.verified_by is not None,
        memory.status == Status.ACTIVE,
        memory.confidence,
        -memory.no,
    )


def archive(pen: Pen, memory: MemoryVersion, reason: str, *, action: str) -> Outcome:
    """Take a memory out of the working set, not out of history."""
    journal = Journal(pen, action)
    settle_pending(journal, memory, f"archived: {reason}")
    archived = journal.next_version(
        memory, keys_of(journal, memory), change="archive", reason=reason, status=Status.ARCHIVED.value
    )
    entry = journal.finish("archived", target=memory.memory_id, scope=memory.scope, reason=reason)
    return Outcome(outcome="archived", memory=archived, reason=reason, seq=entry.seq)


def unarchive(pen: Pen, memory: MemoryVersion, reason: str, *, action: str) -> Outcome | None:
    """Let an archived memory be again what it was before; None where it was rejected or distrusted meanwhile."""
    before = _version_before(pen.transaction, memory)
    if (
        before is None
        or not is_live(before)
        or stones_over(pen, before)
        or _is_distrusted(pen.transaction, [before.memory_id])
    ):
        return None
    journal = Journal(pen, action)
    back = journal.next_version(memory, keys_of(journal, memory), change="return", reason=reason, status=before.status)
    conflicts = open_conflicts(journal, back, contraries_of(journal, back)) if back.status == Status.ACTIVE else []
    entry = journal.finish("returned", target=memory.memory_id, scope=memory.scope, reason=reason, conflicts=conflicts)
    return Outcome(outcome="returned", memory=back, reason=reason, conflicts=tuple(conflicts), seq=entry.seq)


def undo(pen: Pen, seq: int, reason: str) -> Outcome:
    """Take back what an entry of maintenance changed, as far as nobody has changed it since."""
    entry = pen.transaction.ledger_entry(seq)
    if entry is None or entry.channel != "engine":
        raise WrongState(f"#{seq} is no entry of maintenance", field="entry", hint="see: `history`")
    if entry.action == feedback.ACTION:
        return Outcome(outcome="undone", memory=None, reason=reason, seq=feedback.undo_boost(pen, entry).seq)
    written: list[MemoryVersion] = pen.transaction.records_written("memory_versions", after=seq - 1, until=seq)
    links = [
        one for one in pen.transaction.records_written("links", after=seq - 1, until=seq) if one.recorded_to is None
    ]
    if not written and not links:
        raise WrongState(f"#{seq} changed no memory", field="entry", hint="see: `history`")
    for version in written:
        _refuse_changed_since(pen, version)
        _refuse_reviving(pen, version)
    journal = Journal(pen, "memory.undo")
    for version in written:
        _take_back(journal, version, f"undone: {reason}")
    for link in links:
        journal.close(link, closed_by=journal.actor, close_reason=reason)
    conflicts = _undo_conflicts(journal, seq, [version.memory_id for version in written], f"undone: {reason}")
    done = journal.finish(
        "undone", target=entry.target, scope=entry.scope, reason=reason, undone=seq, conflicts=conflicts
    )
    memory = pen.transaction.version(entry.target) if entry.target else None
    return Outcome(outcome="undone", memory=memory, reason=reason, seq=done.seq)


def _undo_conflicts(journal: Journal, seq: int, memory_ids: Sequence[str], why: str) -> list[str]:
    """Let conflicts follow memories that are as they were: those the entry raised fall, those it settled are back."""
    reading, only = journal.transaction, {"after": seq - 1, "until": seq}
    opened = [one for one in reading.records_written("conflicts", **only) if one.recorded_to is None]
    withdraw_conflicts(journal, opened, why)
    for memory in reading.current_versions(memory_ids):
        if not is_live(memory):
            settle_pending(journal, memory, why)
    return reopen_conflicts(journal, reading.records_closed("conflicts", **only))


def _refuse_changed_since(pen: Pen, version: MemoryVersion) -> None:
    standing = [one.version for one in standing_versions(pen.transaction.versions(version.memory_id))]
    if standing[-1:] == [version.version]:
        return
    is_undone = version.version not in standing
    what, hint = ("undone already", None) if is_undone else ("changed since", "undo the later change first")
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


def _refuse_reviving(pen: Pen, version: MemoryVersion) -> None:
    """What was rejected or put into quarantine meanwhile does not come back by an undo."""
    before = _version_before(pen.transaction, version)
    if before is None or not is_live(before) or is_live(version):
        return
    if stones_over(pen, before) or _is_distrusted(pen.transaction, [before.memory_id]):
        what = f"what memory {version.memory_id} says was rejected or distrusted since"
        raise WrongState(what, field="entry", hint="a person can bring it back with `restore`")


def _version_before(reading: Reading, version: MemoryVersion) -> MemoryVersion | None:
    return next((one for one in reading.versions(version.memory_id) if one.version == version.version - 1), None)


def _take_back(journal: Journal, version: MemoryVersion, reason: str) -> None:
    """Let a memory say again what it said before a version; one that began with it is withdrawn."""
    before = _version_before(journal.transaction, version)
    was, current = before or version, journal.transaction.version(version.memory_id)
    assert current is not None
    changes = {name: getattr(was, name) for name in _OWN}
    if before is None:
        changes["status"] = Status.RETRACTED.value
    journal.next_version(current, keys_of(journal, was), change="undo", reason=reason, **changes)


_OWN = (
    "kind", "title", "content", "summary", "rationale", "status", "confidence", "strength", "topic", "category",
    "sentiment", "staleness", "verified_by", "valid_from", "valid_to", "observed_at",
)  # fmt: skip
"""What a version says; the rest of it tells which version it is."""
