"""The derived rows: writing those of one ledger entry, and rebuilding all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from heldtrue.domain.derived import REBUILDING
from heldtrue.domain.errors import WrongState
from heldtrue.domain.ledger import TABLES, Record
from heldtrue.domain.limits import REINDEX_BATCH_ENTRIES, REINDEX_BATCH_RECORDS_MAX
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.records import Quarantine, Source, Tombstone
from heldtrue.ingest.ports import IngestStore, IngestWriteTransaction
from heldtrue.ingest.stages.evidence import index_source, write_passages
from heldtrue.ingest.stages.match import version_keys, version_words
from heldtrue.ingest.stages.tombstones import judge_evidence, judge_source
from heldtrue.ports import ReadTransaction


def derive_rows(transaction: IngestWriteTransaction, written: Iterable[Record], closed: Iterable[Record]) -> None:
    """Write the derived rows of what one entry wrote and closed, in the order in which the act itself would have."""
    written = list(written)
    for source in _in_order(record for record in written if isinstance(record, Source)):
        index_source(transaction, source)
    space_key = transaction.ledger.space().key
    versions = [record for record in written if isinstance(record, MemoryVersion)]
    for version in sorted(versions, key=lambda version: version.no):
        transaction.index.add_version(version, version_keys(space_key, version), version_words(version))
    touched = [*written, *closed]
    judge_evidence(transaction, [record for record in touched if isinstance(record, Tombstone)])
    for quarantine in touched:
        if isinstance(quarantine, Quarantine):
            judge_source(transaction, quarantine.source_id)


def _in_order(sources: Iterable[Source]) -> list[Source]:
    """The sources of one entry as they follow each other in their threads."""
    return sorted(
        sources, key=lambda source: (source.thread or "", -1 if source.place is None else source.place, source.id)
    )


def copy_records(reading: ReadTransaction, target: IngestStore) -> None:
    """Write all records and ledger entries that a transaction sees into an empty space, without any derived row."""
    last, after = reading.ledger.head().seq, 0
    while after < last:
        until = min(after + REINDEX_BATCH_ENTRIES, last)
        with target.write() as transaction:
            for spec in TABLES:
                for record in reading.ledger.records_written(spec.table, after=after, until=until):
                    transaction.ledger.insert(record)
            for entry in reading.ledger.entries(after=after, until=until, limit=until - after):
                transaction.ledger.append(entry)
        after = until


def rebuild_index(store: IngestStore, progress: Callable[[int], None] | None = None) -> int:
    """Drop all derived rows but the log and write them again in the order of the ledger, in short steps.

    Returns the versions indexed. What others write meanwhile is indexed too: memories at once, evidence when the
    rebuilding comes to it.
    """
    run = _begin(store)
    after = done = 0
    while True:
        with store.write() as transaction:
            if transaction.index.state(REBUILDING) != run:
                raise WrongState(
                    "another rebuild of the index has started", hint="wait until that rebuild has finished"
                )
            until = _end_of_step(transaction, after)
            if until == after:
                # In the same transaction that saw the end: nothing can come between.
                transaction.index.set_state(REBUILDING, 0)
                return done
            done += _index_step(transaction, after, until)
        after = until
        if progress:
            progress(done)


def _begin(store: IngestStore) -> int:
    """Delete everything and claim the index for this run."""
    with store.write() as transaction:
        transaction.index.clear()
        run = transaction.index.state("folds")
        transaction.index.set_state(REBUILDING, run)
    return run


def _end_of_step(transaction: ReadTransaction, after: int) -> int:
    """The last entry of a step: a few records, or one entry with many."""
    records, last = 0, after
    for entry in transaction.ledger.entries(
        after=after, until=transaction.ledger.head().seq, limit=REINDEX_BATCH_ENTRIES
    ):
        records += entry.records
        if records > REINDEX_BATCH_RECORDS_MAX and last > after:
            break
        last = entry.seq
    return last


def _index_step(transaction: IngestWriteTransaction, after: int, until: int) -> int:
    """Index what some entries wrote; which passages are hidden follows from all that is recorded."""
    sources: list[Source] = transaction.ledger.records_written("sources", after=after, until=until)
    versions: list[MemoryVersion] = transaction.ledger.records_written("memory_versions", after=after, until=until)
    space_key = transaction.ledger.space().key
    for seq in sorted({source.seq for source in sources} | {version.seq for version in versions}):
        for source in _in_order(source for source in sources if source.seq == seq and source.thread is not None):
            write_passages(transaction, source)
        for version in sorted((version for version in versions if version.seq == seq), key=lambda version: version.no):
            # One that was written since the rows were dropped has its rows.
            if not transaction.index.is_indexed(version.no):
                transaction.index.add_version(version, version_keys(space_key, version), version_words(version))
    return len(versions)
