"""Making the derived rows anew from the records."""

from __future__ import annotations

from collections.abc import Callable

from heldtrue.domain.errors import WrongState
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.records import Source
from heldtrue.ingest.derive import in_order
from heldtrue.ingest.match import version_keys, version_words
from heldtrue.ingest.passages import REBUILDING, write_passages
from heldtrue.ports import Reading, Store, Writing

_RECORDS = 500
"""How many records are looked at in one step, so that other writers are never kept waiting long."""
_ENTRIES = 200


def rebuild_index(store: Store, progress: Callable[[int], None] | None = None) -> int:
    """Drop all derived rows but the log and write them again in the order of the ledger, in short steps.

    Returns the versions indexed. What others write meanwhile is indexed too: memories at once, evidence when the
    rebuilding comes to it.
    """
    run = _begin(store)
    after = done = 0
    while True:
        with store.write() as transaction:
            if transaction.index_state(REBUILDING) != run:
                raise WrongState("another rebuild of the index took over", hint="let that one finish")
            until = _end_of_step(transaction, after)
            if until == after:
                # In the same transaction that saw the end: nothing can come between.
                transaction.set_index_state(REBUILDING, 0)
                return done
            done += _index_step(transaction, after, until)
        after = until
        if progress:
            progress(done)


def _begin(store: Store) -> int:
    """Drop everything and claim the index for this run."""
    with store.write() as transaction:
        transaction.clear_index()
        run = transaction.index_state("folds")
        transaction.set_index_state(REBUILDING, run)
    return run


def _end_of_step(transaction: Reading, after: int) -> int:
    """The last entry of a step: a few records, or one entry with many."""
    records, last = 0, after
    for entry in transaction.ledger_range(after=after, until=transaction.head().seq, limit=_ENTRIES):
        records += entry.records
        if records > _RECORDS and last > after:
            break
        last = entry.seq
    return last


def _index_step(transaction: Writing, after: int, until: int) -> int:
    """Index what some entries wrote; which passages are hidden follows from all that is recorded."""
    sources: list[Source] = transaction.records_written("sources", after=after, until=until)
    versions: list[MemoryVersion] = transaction.records_written("memory_versions", after=after, until=until)
    space_key = transaction.space().key
    for seq in sorted({one.seq for one in sources} | {one.seq for one in versions}):
        for source in in_order(one for one in sources if one.seq == seq and one.thread is not None):
            write_passages(transaction, source)
        for version in sorted((one for one in versions if one.seq == seq), key=lambda one: one.no):
            # One that was written since the rows were dropped has its rows.
            if not transaction.is_indexed(version.no):
                transaction.index_version(version, version_keys(space_key, version), version_words(version))
    return len(versions)
