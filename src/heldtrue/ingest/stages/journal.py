"""Last stage: writes all changes of one act together with its ledger entry, or nothing."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any

import msgspec

from heldtrue.domain.agent import AgentRow
from heldtrue.domain.cause import Cause, VersionCause
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.ids import new_id
from heldtrue.domain.ledger import Head, LedgerEntry, R, Record, chain_entry, closing_digest, hash_records, seal
from heldtrue.domain.memory import MemoryVersion, VersionChange
from heldtrue.domain.posting import Words
from heldtrue.domain.principal import Principal, agent_principal, new_agent
from heldtrue.domain.records import Conflict, PrincipalRecord, Project, Repo, Space, Team
from heldtrue.domain.scope import scope_kind, scope_name
from heldtrue.ingest.ports import IngestWriteTransaction
from heldtrue.ingest.stages.match import version_words
from heldtrue.ingest.stages.neighbours import LiveNeighbours
from heldtrue.ingest.stages.rejected import RejectedStatements

_encode = msgspec.json.Encoder(order="sorted").encode


class WriteSession:
    """Writes entries one after another inside one transaction, each at its own moment of record."""

    def __init__(
        self,
        transaction: IngestWriteTransaction,
        *,
        actor: Principal,
        channel: str,
        now: int,
        known: set[str],
        base_iri: str,
        rejected: RejectedStatements,
    ) -> None:
        self.transaction = transaction
        self.actor = actor
        self.channel = channel
        self.now = now
        self.head: Head = transaction.ledger.head()
        self.space = transaction.ledger.space()
        self.is_founding = not self.space.id
        if self.is_founding:
            self.space = Space(new_id(now), self.head.seq + 1, base_iri, os.urandom(32), now)
        self._last: LedgerEntry | None = None
        """The newest entry, which is chained once it is known that nothing is added to it."""
        self._chained = self.head.hash
        self.neighbours = LiveNeighbours(transaction)
        self.rejected = rejected
        self.conflicts: dict[int, list[Conflict]] = {}
        """By the key of a pair of values, the conflicts between them that were looked up beforehand."""
        self.dismissed: dict[str, list[MemoryVersion]] = {}
        """By source, the memories that were dismissed from it, looked up once."""
        self._next_no: int | None = None
        self._known = known
        """Names already registered, as remembered by this process (they are never taken back)."""
        self.newly_known: set[str] = set()

    def look_up_conflicts(self, pairs: Collection[int]) -> None:
        """Ask in one go for the conflicts between some pairs of values; none is to be settled in this transaction."""
        self.conflicts |= {pair: [] for pair in pairs}
        for conflict in self.transaction.records.conflicts_by_pairs(pairs) if pairs else ():
            self.conflicts[conflict.pair_key].append(conflict)

    def next_no(self) -> int:
        number = self.transaction.memories.next_version_no() if self._next_no is None else self._next_no
        self._next_no = number + 1
        return number

    def add_entry(self, entry: LedgerEntry) -> None:
        """Take the next entry. It is written with the one after it, or when the session ends."""
        self.chain_last()
        self._last = entry
        self.head = Head(entry.seq, b"", entry.recorded_at)

    def chain_last(self, **detail: str) -> None:
        """Chain the newest entry to the ledger and write it, with some more detail."""
        entry, self._last = self._last, None
        if entry is None:
            return
        if detail:
            known = msgspec.json.decode(entry.detail, type=dict[str, Any])
            entry = msgspec.structs.replace(entry, detail=_encode(known | detail).decode())
        entry = chain_entry(msgspec.structs.replace(entry, prev_hash=self._chained))
        self.transaction.ledger.append(entry)
        self._chained = entry.hash
        self.head = Head(entry.seq, entry.hash, entry.recorded_at)

    def is_known(self, name: str) -> bool:
        return name in self._known or name in self.newly_known


class EntryBuilder:
    """Builds one ledger entry."""

    def __init__(self, session: WriteSession, action: str) -> None:
        self.session = session
        self.transaction = session.transaction
        self.action = action
        self.seq = session.head.seq + 1
        # Order is by sequence; the clock may jump, recorded time never goes back.
        self.at = max(session.now, session.head.recorded_at + 1)
        self.actor = session.actor.id
        self.changed: dict[str, tuple[int | None, int]] = {}
        """Each memory the entry changes, with its version before and after."""
        self._digests: list[bytes] = []
        if session.is_founding:
            # The first act in a space also records the space itself.
            self.insert(session.space)
            session.is_founding = False
        self._register(session.actor)

    def fresh_id(self) -> str:
        return new_id(self.at)

    def insert(self, record: R) -> R:
        """Insert a record; it never changes."""
        seal(record)
        self.transaction.ledger.insert(record)
        assert record.digest is not None
        self._digests.append(record.digest)
        return record

    def close(self, record: R, **closing: Any) -> R:
        """Close a record of an earlier entry."""
        assert record.seq < self.seq, "an entry does not close what it wrote itself"
        closed = msgspec.structs.replace(record, recorded_to=self.at, seq_to=self.seq, **closing)
        digest = closing_digest(closed)
        closed = msgspec.structs.replace(closed, closing_digest=digest)
        self.transaction.ledger.close(closed)
        self._digests.append(digest)
        return closed

    def open_version(self, version: MemoryVersion, keys: Collection[int], words: Words | None = None) -> MemoryVersion:
        """Write the first version of a memory."""
        self.register_scope(version.scope, version.project_id)
        self.insert(version)
        self.transaction.index.add_version(version, keys, words or version_words(version))
        self.session.neighbours.add(version, keys)
        self.changed[version.memory_id] = (None, version.version)
        return version

    def next_version(
        self,
        old: MemoryVersion,
        keys: Collection[int],
        *,
        change: VersionChange,
        reason: str | None,
        cause: VersionCause | None = None,
        **changes: Any,
    ) -> MemoryVersion:
        """Close a memory's current version and open the next one; a cause belongs to the status it was given with."""
        self.close(old)
        if cause is not None or "status" in changes:
            changes["cause"] = None if cause is None else cause.value
        version = msgspec.structs.replace(
            old,
            no=self.session.next_no(),
            version=old.version + 1,
            seq=self.seq,
            recorded_from=self.at,
            change=change.value,
            changed_by=self.actor,
            reason=reason,
            salt=None,
            digest=None,
            **changes,
        )
        self.insert(version)
        self.transaction.index.add_version(version, keys, version_words(version))
        self.session.neighbours.drop(old)
        self.session.neighbours.add(version, keys)
        self.changed[version.memory_id] = (old.version, version.version)
        return version

    def finish(
        self,
        outcome: OutcomeKind,
        *,
        target: str | None,
        scope: str | None,
        reason: str | None,
        cause: Cause | None = None,
        **detail: object,
    ) -> LedgerEntry:
        """Hand the entry to the session, which chains it; the transaction's commit makes all of it durable at once."""
        # That a new memory has a first version goes without saying.
        detail["changed"] = {name: both for name, both in self.changed.items() if name != target or both[0] is not None}
        entry = LedgerEntry(
            seq=self.seq,
            recorded_at=self.at,
            actor=self.actor,
            channel=self.session.channel,
            action=self.action,
            outcome=outcome.value,
            target=target,
            scope=scope,
            reason=reason,
            detail=_encode({name: value for name, value in detail.items() if value}).decode(),
            records=len(self._digests),
            records_hash=hash_records(self._digests),
            prev_hash=b"",
            hash=b"",
            cause=None if cause is None else cause.value,
        )
        self.session.add_entry(entry)
        return entry

    # Names are registered the first time they are used

    def _register(self, principal: Principal) -> None:
        record = PrincipalRecord(principal.id, self.seq, str(principal.kind.value), principal.name, self.at)
        self._insert_once("principal", principal.id, record)
        if principal.is_new:
            self._register_agent(principal)

    def _register_agent(self, principal: Principal) -> None:
        """Record an agent that was named for the first time, without a token."""
        known = f"agent {principal.name}"
        if self.session.is_known(known):
            return
        if self.transaction.agents.named(principal.name) is None:
            assert principal.reach is not None
            row = AgentRow(
                name=principal.name,
                kind=principal.kind,
                role=principal.reach.role,
                created_at=self.at,
                changed_at=self.at,
            )
            self.insert(row.record(self.fresh_id(), self.seq, self.at))
        self.session.newly_known.add(known)

    def register_scope(self, scope: str, project_id: str | None) -> None:
        """Make the project, repo, team or agent that a scope names known to the space."""
        kind, name = scope_kind(scope), scope_name(scope)
        if project_id:
            self._insert_once("project", project_id, Project(project_id, self.seq, self.at))
        if kind == "repo":
            # An agent of one project could else take a repo of others for its own.
            reach = self.session.actor.reach
            trusted = reach is None or reach.is_wide
            self._insert_once("repo", name, Repo(name, self.seq, project_id if trusted else None, self.at))
        elif kind == "team":
            self._insert_once("team", name, Team(name, self.seq, self.at))
        elif kind == "agent":
            # An agent that a person names is registered; one that another agent names has the least reach.
            self._register(new_agent(name) if self.session.actor.is_person else agent_principal(name))

    def _insert_once(self, table: str, name: str, record: Record) -> None:
        known = f"{table} {name}"
        if self.session.is_known(known):
            return
        if not self.transaction.ledger.knows(table, name):
            self.insert(record)
        self.session.newly_known.add(known)
