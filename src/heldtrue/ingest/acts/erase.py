"""Erasing: the words and salts of records are destroyed, and what is left proves that, when, by whom and why.

The ledger covers digests under salts (`domain/ledger.py`). Without its salt and its words a record keeps its place in
the chain, and its digest means nothing any more. An erased record is listed in `erased`, with a digest of what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from heldtrue.domain.carried import ANSWERS_AFTER
from heldtrue.domain.cause import ErasureCause
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.derived import REBUILDING
from heldtrue.domain.erasure import ERASABLE_NAMED, ERASED, NOTES_CONSIDERED, PAGES_PENDING, WORKING, blank, digest_rest
from heldtrue.domain.errors import Busy, InvalidInput, StorageProblem, WrongState
from heldtrue.domain.memory import MemoryVersion, Status, VersionChange
from heldtrue.domain.outside import ErasureNote
from heldtrue.domain.principal import Principal, read_principal
from heldtrue.domain.records import RELATIONSHIPS, ErasedRecord
from heldtrue.domain.times import to_iso
from heldtrue.ingest.acts.reindex import rebuild_index
from heldtrue.ingest.gateway import PlannedAct, Planning
from heldtrue.ingest.ports import ErasureNotes, IngestReadTransaction, IngestStore
from heldtrue.ingest.stages.conflicts import keys_of, settle_pending
from heldtrue.ingest.stages.erasing import ErasurePlan, Selection, is_id, plan_erasure
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession
from heldtrue.ingest.stages.keys import content_key
from heldtrue.ingest.stages.rejected import RejectedStatements
from heldtrue.ingest.stages.tombstones import bury, open_tombstones
from heldtrue.ports import ReadTransaction

Answer = TypeVar("Answer")
ERASE = "memory.erase"
REPEATED = "repeated"
"""The channel of an erasure that repeats, in a copy, those that are remembered outside. It is not remembered itself."""
_WHY = "erased"
"""The reason in records that an erasure writes: the entry itself has the person's reason."""
_CLOSED_FIRST = ("handed", "links", "quarantines", "saved_views")
"""Tables whose open records are closed before they lose their words.

A conflict is settled with its memory; one that only quotes erased words is still to be decided.
"""


class ErasureResult(msgspec.Struct, frozen=True, kw_only=True):
    """What an erasure destroyed."""

    plan: ErasurePlan
    seq: int


def erase_act(
    selection: Selection, reason: str, code: str | None, answer: Callable[[ErasureResult, WriteSession], Answer]
) -> PlannedAct[tuple[int, ErasurePlan], Answer]:
    """Erase what was selected, if it is still what the code stands for. The search is done before the write lock.

    Without a code, nobody has seen a list: the settings ask for it.
    """

    def plan(planning: Planning) -> tuple[int, ErasurePlan]:
        with planning.store.read() as reading:
            return reading.ledger.head().seq, plan_erasure(reading, selection)

    def carry_out(session: WriteSession, planned: tuple[int, ErasurePlan]) -> Answer:
        seq, found = planned
        if session.head.seq != seq:
            found = plan_erasure(session.transaction, selection)
        if code is not None:
            _refuse_changed(found, code)
            refuse_quoting(found, reason)
        return answer(erase(session, found, reason), session)

    return PlannedAct(plan, carry_out)


def _refuse_changed(plan: ErasurePlan, code: str) -> None:
    if plan.code != code:
        raise WrongState(
            "the code does not match: it was mistyped, or what would be erased has changed since the dry run",
            field="confirm",
            hint="run the dry run again, read its list, and use the code that it prints",
        )


def refuse_quoting(plan: ErasurePlan, reason: str) -> None:
    """Refuse a reason that repeats what is erased, since the reason is kept."""
    if plan.tainted.touches(reason):
        raise InvalidInput(
            "the reason repeats words that are to be erased, and the reason itself is kept",
            field="reason",
            hint="give a reason that mentions neither the subject nor the content, for example a ticket number",
        )


def erase(session: WriteSession, plan: ErasurePlan, reason: str) -> ErasureResult:
    """Destroy what a plan lists, in one ledger entry."""
    builder = EntryBuilder(session, ERASE)
    records = {table: {_name(table, record): record for record in found} for table, found in plan.records.items()}
    for item in plan.memories:
        _retire(builder, item.id)
    _close_open(builder, records)
    _read_again(builder, records)
    for table, found in records.items():
        for record in found.values():
            _destroy(builder, table, record, plan)
    rows = _drop_working(builder, plan)
    builder.transaction.index.clear()
    builder.transaction.index.set_state(REBUILDING, builder.transaction.index.state("folds"))
    builder.transaction.index.set_state(PAGES_PENDING, builder.seq)
    entry = builder.finish(
        OutcomeKind.ERASED,
        target=None,
        scope=None,
        reason=reason,
        erased_memories=len(plan.memories),
        erased_sources=len(plan.sources),
        erased_records=sum(map(len, records.values())),
        dropped_rows=rows,
    )
    return ErasureResult(plan=plan, seq=entry.seq)


def erase_in_copy(store: IngestStore, notes: Sequence[ErasureNote], actor: Principal, now: int) -> int | None:
    """Erase from a store, before anyone reads it, what was erased from another state of it: a later one, or a copy.

    Returns the number of erased records; None if there was nothing to do. The logs go as a whole: which of their rows
    were erased is not known any more. The entry is appended without the gateway's checks of heads and clocks, which an
    earlier state does not pass.
    """
    with store.read() as reading:
        fresh = notes[reading.index.state(NOTES_CONSIDERED) :]
        if not fresh or not reading.ledger.head().seq:
            return None
        known = {record.record_digest for record in _all_erased(reading)}
        wanted = frozenset(bytes.fromhex(digest) for note in fresh for digest in note.digests) - known
        plan = plan_erasure(reading, Selection(digests=wanted))
        # An erasure without records has deleted rows of logs.
        if plan.has_records or not all(note.digests for note in fresh):
            plan = msgspec.structs.replace(plan, working=_past_work(reading, plan))
    with store.write() as transaction:
        transaction.index.set_state(NOTES_CONSIDERED, len(notes))
        if plan.is_empty:
            return None
        session = WriteSession(
            transaction,
            actor=actor,
            channel=REPEATED,
            now=now,
            known=set(),
            base_iri=transaction.ledger.space().base_iri,
            rejected=RejectedStatements(),
        )
        reason = f"it had been erased before, last by {fresh[-1].actor} on {to_iso(fresh[-1].recorded_at)[:10]}"
        erase(session, plan, reason)
        transaction.index.set_state(ANSWERS_AFTER, session.head.recorded_at + 1)
        session.chain_last()
    return sum(map(len, plan.records.values()))


def _past_work(reading: IngestReadTransaction, plan: ErasurePlan) -> dict[str, list[Any]]:
    """All working rows but the jobs that are still to be done and have nothing to do with what is erased."""
    rows = {table: list(reading.carried.rows_of(table)) for table in WORKING}
    touched = {job.id for job in plan.working["jobs"]}
    return rows | {"jobs": [job for job in rows["jobs"] if job.finished_at is not None or job.id in touched]}


def _all_erased(reading: ReadTransaction) -> list[ErasedRecord]:
    return reading.ledger.records_written("erased", after=0, until=reading.ledger.head().seq)


def _name(table: str, record: Any) -> tuple[Any, ...]:
    return tuple(getattr(record, column) for column in ERASABLE_NAMED[table].key)


def _retire(builder: EntryBuilder, memory_id: str) -> None:
    """Reject the statement of a memory and give the memory its last version, which has no words."""
    memory = builder.transaction.memories.version(memory_id)
    if memory is None or memory.cause == ErasureCause.ERASED:
        return
    settle_pending(builder, memory, _WHY)
    stones = open_tombstones(builder.transaction, memory_id)
    if not any(read_principal(stone.author).is_person for stone in stones):
        bury(builder, memory, reason=_WHY)
    blanked: MemoryVersion = blank(ERASABLE_NAMED["memory_versions"], memory)
    words = {name: getattr(blanked, name) for name in ERASABLE_NAMED["memory_versions"].words if name != "reason"}
    builder.next_version(
        memory,
        keys_of(builder, msgspec.structs.replace(memory, content=ERASED)),
        change=VersionChange.ERASE,
        reason=None,
        cause=ErasureCause.ERASED,
        status=Status.RETRACTED.value,
        **words,
    )


def _close_open(builder: EntryBuilder, records: dict[str, dict[tuple[Any, ...], Any]]) -> None:
    """Close what is still open and about to lose its words."""
    for table in _CLOSED_FIRST:
        for name, planned in records.get(table, {}).items():
            record = builder.transaction.ledger.opened(table, dict(zip(ERASABLE_NAMED[table].key, name, strict=True)))
            if record is not None and record.recorded_to is None:
                builder.close(planned, closed_by=builder.actor, close_reason=_WHY)


def _read_again(builder: EntryBuilder, records: dict[str, dict[tuple[Any, ...], Any]]) -> None:
    """Take the records as this entry has closed them, with the tombstones that it has laid."""
    for stone in builder.transaction.ledger.records_written("tombstones", after=builder.seq - 1, until=builder.seq):
        records.setdefault("tombstones", {})[_name("tombstones", stone)] = stone
    for table, found in records.items():
        if table == "ledger":
            continue
        for name in found:
            key = dict(zip(ERASABLE_NAMED[table].key, name, strict=True))
            found[name] = builder.transaction.ledger.opened(table, key)


def _destroy(builder: EntryBuilder, table: str, record: Any, plan: ErasurePlan) -> None:
    """Blank one record, and write down that this was done on purpose."""
    spec, space_key = ERASABLE_NAMED[table], builder.session.space.key
    blanked = blank(spec, record, keep=_kept_columns(table, record, plan))
    builder.insert(
        ErasedRecord(
            id=builder.fresh_id(),
            seq=builder.seq,
            entity=table,
            record_digest=record.digest,
            rest_digest=digest_rest(space_key, spec, blanked, seq=builder.seq),
            content_key=content_key(space_key, record.content) if table == "sources" and record.content else None,
            recorded_at=builder.at,
        )
    )
    builder.transaction.ledger.erase(table, blanked)


def _kept_columns(table: str, record: Any, plan: ErasurePlan) -> tuple[str, ...]:
    """The columns that need not be blanked: a thread that others share, a known relationship, the id of a memory."""
    if table == "sources" and not plan.takes_thread(record):
        return ("thread",)
    if table == "memory_versions" and record.memory_id not in plan.memory_ids:
        return tuple(name for name in ERASABLE_NAMED[table].words if name != "reason")
    if table == "links":
        is_known = record.relationship in RELATIONSHIPS
        return (*(("relationship",) if is_known else ()), *(("to_ref",) if is_id(record.to_ref) else ()))
    return ()


def _drop_working(builder: EntryBuilder, plan: ErasurePlan) -> int:
    """Delete the working rows of a plan, and the use counts of its memories."""
    gone = {item.id for item in plan.memories}
    uses = [row for row in builder.transaction.carried.rows_of("memory_use") if row.memory_id in gone]
    found: dict[str, Sequence[Any]] = {**plan.working, "memory_use": uses}
    for table, rows in found.items():
        if rows:
            builder.transaction.carried.drop(table, rows)
    return sum(map(len, found.values()))


# Afterwards


def finish_erasure(store: IngestStore, outside: ErasureNotes) -> bool:
    """Complete an erasure: note it outside the home, rebuild the index, and clean the files of the database.

    Returns whether nothing is left to do. A process that ended in between is completed by the next one that opens the
    store.
    """
    with store.read() as reading:
        pending, space_id = reading.index.state(PAGES_PENDING), reading.ledger.space().id
        is_rebuilding = bool(reading.index.state(REBUILDING))
        notes = _read_notes(reading) if pending else []
    if not pending:
        return True
    try:
        if is_rebuilding:
            rebuild_index(store)
        for note in notes:
            outside.note_erasure(space_id, note)
        _consider(store, notes, outside.erasures(space_id))
        store.scrub()
    except (Busy, WrongState, StorageProblem):
        return False  # another process is at it or has the database open, or the state folder cannot be written
    with store.write() as transaction:
        if transaction.index.state(PAGES_PENDING) == pending:
            transaction.index.set_state(PAGES_PENDING, 0)
    return True


def _consider(store: IngestStore, own: Sequence[ErasureNote], noted: Sequence[ErasureNote]) -> None:
    """Count the store's own erasures as taken in, unless one of a copy stands before them."""
    with store.write() as transaction:
        considered = transaction.index.state(NOTES_CONSIDERED)
        if all(note in own for note in noted[considered:]):
            transaction.index.set_state(NOTES_CONSIDERED, len(noted))


def _read_notes(reading: ReadTransaction) -> list[ErasureNote]:
    """The erasures of a space, as they are remembered outside it."""
    digests: dict[int, list[str]] = {}
    for record in _all_erased(reading):
        digests.setdefault(record.seq, []).append(record.record_digest.hex())
    last = reading.index.state(PAGES_PENDING)
    digests.setdefault(last, [])  # one that only deleted rows of logs
    notes = []
    for seq, erased in sorted(digests.items()):
        entry = reading.ledger.entry(seq)
        if entry is not None and entry.action == ERASE and entry.channel != REPEATED:
            notes.append(ErasureNote(seq, entry.recorded_at, entry.actor, tuple(sorted(erased))))
    return notes
