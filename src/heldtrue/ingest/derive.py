"""What follows from the records of an entry: words and keys of versions, passages of sources, and what is hidden."""

from __future__ import annotations

from collections.abc import Iterable

from heldtrue.domain.ledger import Record
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.records import Quarantine, Source, Tombstone
from heldtrue.ingest.match import version_keys, version_words
from heldtrue.ingest.passages import index_source, judge_evidence, judge_source
from heldtrue.ports import Writing


def derive_rows(transaction: Writing, written: Iterable[Record], closed: Iterable[Record]) -> None:
    """Write the derived rows of what one entry wrote and closed, in the order in which the act itself would have."""
    written = list(written)
    for source in in_order(record for record in written if isinstance(record, Source)):
        index_source(transaction, source)
    space_key = transaction.space().key
    for version in sorted((one for one in written if isinstance(one, MemoryVersion)), key=lambda one: one.no):
        transaction.index_version(version, version_keys(space_key, version), version_words(version))
    touched = [*written, *closed]
    judge_evidence(transaction, [one for one in touched if isinstance(one, Tombstone)])
    for quarantine in touched:
        if isinstance(quarantine, Quarantine):
            judge_source(transaction, quarantine.source_id)


def in_order(sources: Iterable[Source]) -> list[Source]:
    """The sources of one entry as they follow each other in their threads."""
    return sorted(sources, key=lambda one: (one.thread or "", -1 if one.place is None else one.place, one.id))
