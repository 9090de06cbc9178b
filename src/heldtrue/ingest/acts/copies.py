"""What a person rejects in a scope is rejected in narrower scopes too: the copies that are active or pending there."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from heldtrue.domain.limits import CANDIDATES_MAX
from heldtrue.domain.memory import MemoryVersion, Status, VersionChange
from heldtrue.domain.plural import count
from heldtrue.domain.principal import EVERYTHING
from heldtrue.domain.records import Tombstone
from heldtrue.domain.rows import Collection as ShelfCollection
from heldtrue.ingest.acts.correct import keep_standing
from heldtrue.ingest.stages.conflicts import ask_to_retract, keys_of, settle_pending
from heldtrue.ingest.stages.journal import EntryBuilder
from heldtrue.ingest.stages.keys import covering_scopes, index_keys
from heldtrue.ingest.stages.match import read_statement
from heldtrue.ingest.stages.tombstones import project_of_repo, tombstones_over


class Copies(msgspec.Struct, frozen=True):
    """What became of the copies of a rejected memory in narrower scopes."""

    retracted: tuple[MemoryVersion, ...] = ()
    conflicts: tuple[str, ...] = ()
    """Requests to forget copies that another person verified."""

    @property
    def notes(self) -> tuple[str, ...]:
        notes = []
        if self.retracted:
            scopes = ", ".join(sorted({copy.scope for copy in self.retracted}))
            notes.append(f"{count(len(self.retracted), 'copy', 'copies')} retracted in {scopes}")
        if self.conflicts:
            proposals = count(
                len(self.conflicts),
                "copy that another person verified is waiting",
                "copies that others verified are waiting",
            )
            notes.append(f"{proposals} for a decision; see `conflicts`")
        return tuple(notes)


def retract_copies(builder: EntryBuilder, memory: MemoryVersion, stones: Collection[Tombstone], reason: str) -> Copies:
    """Retract the copies of a memory that a person rejected. What another person verified is only proposed."""
    if not builder.session.actor.is_person or memory.privacy.is_private:
        return Copies()
    why = f"rejected in {memory.scope}: {reason}"
    retracted, conflicts = [], []
    for copy in _find_copies(builder, memory, {stone.id for stone in stones}):
        if copy.verified_by not in (None, builder.actor):
            conflicts.append(
                ask_to_retract(
                    builder, copy, f"{builder.actor} rejected the same statement in {memory.scope}: {reason}"
                ).id
            )
            continue
        settle_pending(builder, copy, why)
        claims = read_statement(copy.content).claims
        if len(claims) > 1:
            keep_standing(builder, copy, claims, why)
        status = Status.RETRACTED.value if copy.status == Status.ACTIVE else Status.REJECTED.value
        keys = keys_of(builder, copy)
        retracted.append(builder.next_version(copy, keys, change=VersionChange.FORGET, reason=why, status=status))
    return Copies(tuple(retracted), tuple(conflicts))


def _find_copies(builder: EntryBuilder, memory: MemoryVersion, stones: Collection[str]) -> list[MemoryVersion]:
    """The live memories elsewhere that say what some tombstones reject."""
    reading, space_key = builder.transaction, builder.session.space.key
    statement, own = read_statement(memory.content), (memory.scope, memory.privacy)
    shelves = reading.index.shelves((ShelfCollection.MEMORY,), EVERYTHING)
    keys = [
        key
        for shelf in shelves
        if (shelf.scope, shelf.privacy) != own
        for key in index_keys(space_key, statement, scope=shelf.scope, privacy=shelf.privacy)
    ]
    under_keys = reading.memories.live_under_keys(keys, limit=CANDIDATES_MAX) if keys else {}
    found = {other.memory_id: other for others in under_keys.values() for other in others}
    return [other for other in found.values() if _is_rejected(builder, other, memory.scope, stones)]


def _is_rejected(builder: EntryBuilder, copy: MemoryVersion, scope: str, stones: Collection[str]) -> bool:
    """Whether some tombstones of a scope cover what a memory says."""
    reading = builder.transaction
    where = (copy.scope, copy.project_id or project_of_repo(reading, copy.repo_id))
    if scope not in covering_scopes(*where):
        return False
    statement = read_statement(copy.content)
    covering = tombstones_over(reading, builder.session.space.key, statement, where, holds=lambda _stone, _memory: True)
    return any(stone.id in stones for stone in covering)
