"""Imports an export into a space that already has a history, and counts what happens to every entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import groupby

import msgspec

from heldtrue.capabilities.call import Call
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.job import JobState
from heldtrue.domain.ledger import LedgerEntry
from heldtrue.domain.limits import IMPORT_PROPOSED_ENTRIES, REFUSALS_SHOWN_MAX
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.records import Source
from heldtrue.engine.extraction_job import ExtractionArguments
from heldtrue.engine.ports import EngineReadTransaction, EngineStore
from heldtrue.engine.queue import NewJob, ask_for
from heldtrue.ingest.acts.import_evidence import ForeignSource, RefusedSource, check_source, import_evidence
from heldtrue.ingest.acts.import_memories import ExportTrust, Foreign, import_memory
from heldtrue.ingest.gate import ConflictRule
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ingest.stages.tombstones import open_tombstones

_LEFT_OUT_TABLES = ("agents", "archived_sources", "handed", "links", "quarantines", "saved_views")


class Account(StrEnum):
    """What happened to an entry of the export, besides the outcomes of the gate."""

    CAPTURED = "captured"
    """Its evidence was imported."""
    ALREADY_HERE = "already_here"
    REFUSED = "refused"
    HISTORY = "history"
    """It changed only what an earlier entry introduced. Memories are imported in their current version."""
    LEFT_OUT = "left_out"
    """The entry concerns agents, archived sources, links, quarantines, shares or saved views. They are restored only
    if the import replays the whole history."""


class Accounts:
    """Counts what happened to each entry."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.refused: list[str] = []
        self.left_out: dict[str, int] = {}

    def add(self, what: str) -> None:
        word = str(what)
        self.counts[word] = self.counts.get(word, 0) + 1

    def refuse(self, reasons: Sequence[str]) -> None:
        self.refused += reasons[: max(0, REFUSALS_SHOWN_MAX - len(self.refused))]

    def leave_out(self, entry: LedgerEntry) -> None:
        self.add(Account.LEFT_OUT)
        self.left_out[entry.action] = self.left_out.get(entry.action, 0) + 1


class ForeignEntry(msgspec.Struct, frozen=True):
    """An entry of an export with what it introduced, in the state of the export's end."""

    entry: LedgerEntry
    sources: Sequence[ForeignSource | RefusedSource]
    memories: Sequence[Foreign]
    is_left_out: bool
    """Whether it is about something that only a replayed import restores."""


class EntryResult(msgspec.Struct, frozen=True):
    """What happened to the evidence and the memories of an entry."""

    outcomes: list[str]
    refused: list[str]
    sources: list[str]
    """The ids of the imported sources."""


def propose_entries(call: Call, scratch: EngineStore, trust: ExportTrust) -> Accounts:
    """Send each memory of an export through the gate and store its evidence, in the order of the entries."""
    accounts = Accounts()
    waiting = _unextracted(scratch)
    for batch in _batches(scratch, trust):
        for foreign, result in zip(batch, _import_batch(call, batch, waiting), strict=True):
            _account(accounts, foreign, result)
    return accounts


def _account(accounts: Accounts, foreign: ForeignEntry, result: EntryResult) -> None:
    accounts.refuse(result.refused)
    if not result.outcomes:
        if foreign.is_left_out:
            accounts.leave_out(foreign.entry)
        else:
            accounts.add(Account.HISTORY)
        return
    # An entry counts once: by what it brought, and only otherwise by what it did not.
    brought = [what for what in result.outcomes if what not in (Account.ALREADY_HERE, Account.REFUSED)]
    accounts.add((brought or result.outcomes)[0])


def _batches(scratch: EngineStore, trust: ExportTrust) -> Iterator[list[ForeignEntry]]:
    after = 0
    while True:
        with scratch.read() as reading:
            until = after + IMPORT_PROPOSED_ENTRIES
            entries = reading.ledger.entries(after=after, until=until, limit=IMPORT_PROPOSED_ENTRIES)
            introduced = _introduced(reading, after, until, trust)
            sources = _sources(reading, after, until)
            left_out = _left_out(reading, after, until)
        if not entries:
            return
        yield [
            ForeignEntry(
                entry,
                [check_source(source, is_quarantined=hidden) for source, hidden in sources.get(entry.seq, ())],
                introduced.get(entry.seq, ()),
                entry.seq in left_out,
            )
            for entry in entries
        ]
        after = entries[-1].seq


def _introduced(reading: EngineReadTransaction, after: int, until: int, trust: ExportTrust) -> dict[int, list[Foreign]]:
    """The memories whose first version some entries wrote, as they are at the end of the export."""
    versions: list[MemoryVersion] = reading.ledger.records_written("memory_versions", after=after, until=until)
    found: dict[int, list[Foreign]] = {}
    space_id = reading.ledger.space().id
    for version in sorted(versions, key=lambda version: version.no):
        current = reading.memories.version(version.memory_id) if version.version == 1 else None
        if current is not None:
            stones = open_tombstones(reading, version.memory_id)
            found.setdefault(version.seq, []).append(Foreign(current, stones, space_id, trust))
    return found


def _left_out(reading: EngineReadTransaction, after: int, until: int) -> set[int]:
    """The entries that wrote or closed a record that is not imported."""
    found: set[int] = set()
    for table in _LEFT_OUT_TABLES:
        found |= {record.seq for record in reading.ledger.records_written(table, after=after, until=until)}
        found |= {record.seq_to for record in reading.ledger.records_closed(table, after=after, until=until)}
    return found


def _sources(reading: EngineReadTransaction, after: int, until: int) -> dict[int, list[tuple[Source, bool]]]:
    """The evidence that some entries captured, by entry, each with whether it is in quarantine."""
    written: list[Source] = reading.ledger.records_written("sources", after=after, until=until)
    captured = [source for source in written if source.thread is not None]
    hidden = reading.sources.quarantined([source.id for source in captured])
    ordered = sorted(captured, key=lambda source: (source.seq, source.thread or "", source.place or 0, source.id))
    return {
        seq: [(source, source.id in hidden) for source in group]
        for seq, group in groupby(ordered, key=lambda source: source.seq)
    }


def _import_batch(call: Call, batch: Sequence[ForeignEntry], waiting: dict[str, str | None]) -> list[EntryResult]:
    rule_for = call.instance.settings.conflict_rule

    def act(session: WriteSession) -> list[EntryResult]:
        results = []
        for foreign in batch:
            result = _import_entry(session, foreign, rule_for)
            results.append(result)
            _ask_to_extract(session, foreign, [source for source in result.sources if source in waiting], waiting)
        return results

    return call.submit(act, list[EntryResult])


def _import_entry(session: WriteSession, foreign: ForeignEntry, rule_for: ConflictRule) -> EntryResult:
    outcomes: list[str] = []
    refused: list[str] = []
    for memory in foreign.memories:
        outcome = import_memory(session, memory, rule_for)
        outcomes.append(_word(outcome.outcome))
        if outcome.outcome is OutcomeKind.REFUSED:
            refused.append(outcome.reason)
    evidence = import_evidence(session, foreign.sources)
    outcomes += [Account.CAPTURED] * bool(evidence.imported)
    outcomes += [Account.REFUSED] * bool(evidence.refused)
    outcomes += [Account.ALREADY_HERE] * bool(evidence.known)
    return EntryResult(outcomes, [*refused, *evidence.refused], list(evidence.imported))


def _word(outcome: OutcomeKind) -> str:
    return Account.ALREADY_HERE if outcome in (OutcomeKind.UNCHANGED, OutcomeKind.KNOWN) else outcome.value


# Extraction that had not happened there happens here


def _unextracted(scratch: EngineStore) -> dict[str, str | None]:
    """The sources that the export's extraction jobs have not finished, each with the project of its job."""
    found: dict[str, str | None] = {}
    before = "~"
    with scratch.read() as reading:
        while page := reading.queue.jobs(
            names=("extract",), states=_UNFINISHED, asked_by=None, before=before, limit=IMPORT_PROPOSED_ENTRIES
        ):
            for job in page:
                given = msgspec.json.decode(job.arguments, type=ExtractionArguments)
                found |= dict.fromkeys(given.sources[job.done :], given.project)
            before = page[-1].id
    return found


_UNFINISHED = (JobState.WAITING.value, JobState.RUNNING.value, JobState.FAILED.value)


def _ask_to_extract(
    session: WriteSession, foreign: ForeignEntry, sources: Sequence[str], waiting: dict[str, str | None]
) -> None:
    if not sources:
        return
    new = NewJob(
        name="extract",
        scope=foreign.entry.scope or "",
        asked_by=session.actor.id,
        trigger="capture",
        arguments={"sources": list(sources), "project": waiting[sources[0]], "about": "an import"},
        total=len(sources),
    )
    ask_for(session.transaction, new, now=session.now)
