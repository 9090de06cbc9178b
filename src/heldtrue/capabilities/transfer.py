"""Export, import, backup and restore of a store."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from heldtrue.audit.verify import Verifier
from heldtrue.capabilities.arguments import AsOf
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import FileUse, Group
from heldtrue.capabilities.erasing import erase_again
from heldtrue.capabilities.file_access import resolve_path
from heldtrue.capabilities.files import note_copy, open_file, shown_path, target_file, whole_file, write_whole
from heldtrue.capabilities.importing import propose_entries
from heldtrue.capabilities.parameters import Mark, Request
from heldtrue.capabilities.registry import CAPABILITIES, capability
from heldtrue.capabilities.shapes import HeadText, ImportWay
from heldtrue.capabilities.writing import NewMemory, WriteAnswer, answer_of, propose
from heldtrue.domain.action import Audience, Effect
from heldtrue.domain.continuity import LedgerStep, has_head
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.erasure import NOTES_CONSIDERED
from heldtrue.domain.errors import InvalidInput, StorageProblem, Untrusted, WrongState
from heldtrue.domain.exported import ExportHeader
from heldtrue.domain.ledger import EMPTY_HEAD, Head
from heldtrue.domain.limits import IMPORT_BATCH_ENTRIES, REFUSALS_SHOWN_MAX
from heldtrue.domain.outside import CopyKind
from heldtrue.domain.space_key import SpaceKey
from heldtrue.engine.ports import EngineStore
from heldtrue.ingest.acts.import_memories import ExportTrust
from heldtrue.ingest.acts.learn import learn
from heldtrue.ingest.acts.replay import CodeCheck, Replay, numbered_lines, read_header, read_lines
from heldtrue.ingest.gate import IMPORTED
from heldtrue.ingest.stages.candidate import Candidate
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ports import NoHeads, ReadTransaction
from heldtrue.projections.export import export_lines

_SQLITE_MAGIC = b"SQLite format 3\x00"
_NOT_OURS = (
    "the export continues this store, but was written with a different key, so its history was not replayed; "
    "to replay it, run `export_key` on the machine that wrote the export, then `import_key` here"
)
TargetPath = Annotated[str, Meta(min_length=1, description="The file to write."), Mark.PATH]
Overwrite = Annotated[bool, Meta(description="Whether to overwrite an existing file.")]


class ExportAnswer(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    entries: int
    bytes: int
    head: HeadText
    has_code: bool
    """Whether the export is signed with the store's key, so that other copies of this store can continue from it."""


class ImportAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an import: `replayed` with its history, or `proposed` one memory at a time."""

    how: ImportWay
    entries: int
    """The number of imported ledger entries, or of lines if the file is not an export."""
    counts: dict[str, int]
    """What happened to the entries, counted by outcome. The numbers add up to `entries`."""
    refused: list[str]
    """The reasons of the first refusals."""
    left_out: dict[str, int] = {}
    """Entries that only a replayed import restores, by action. They are counted as `left_out`."""
    note: str | None = None
    """Why an export of this store was proposed and not replayed."""


class BackupAnswer(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    entries: int
    bytes: int
    head: HeadText
    """The ledger head. Save it, so that `heldtrue verify --head` can later prove that nothing before it has changed."""


class RestoreBackupAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a restore."""

    path: str
    entries: int
    """The number of ledger entries."""
    note: str | None = None
    """What was erased again, because it had been erased since the backup was made."""


class ExportRequest(Request):
    path: TargetPath
    as_of: AsOf = None
    overwrite: Overwrite = False


@capability(
    "memory.export",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.MOVE,
    synonyms=("dump",),
    positional=("path",),
    file=FileUse.WRITES,
    progress="exporting",
)
def export(call: Call, request: ExportRequest) -> ExportAnswer:
    """Export the whole store to a JSON Lines file: every id, time, link, status and ledger entry, in order."""
    target = target_file(call, request.path, request.overwrite)
    with call.instance.store.read() as reading:
        seq = call.state_at(reading, request.as_of).seq
        _refuse_before_erasure(reading, seq)
    key = _find_key(call)
    header = write_whole(target, _export(call, seq=seq, key=key))
    note_copy(call, target, CopyKind.EXPORT, header.space_id, header.entries)
    return ExportAnswer(
        path=shown_path(call, request.path, target),
        entries=header.entries,
        bytes=target.stat().st_size,
        head=header.head,
        has_code=key is not None,
    )


def _refuse_before_erasure(reading: ReadTransaction, seq: int | None) -> None:
    """Refuse a state from before an erasure: the words are gone, and the proof that this was on purpose comes later."""
    if seq is None or not reading.ledger.has_erased():
        return
    if erased := reading.ledger.records_written("erased", after=seq, until=reading.ledger.head().seq):
        raise WrongState(
            f"entry #{erased[-1].seq} erased something, so no earlier state can be exported",
            field="as_of",
            hint=f"export the present state, or one since #{erased[-1].seq}",
        )


def _export(call: Call, *, seq: int | None = None, key: SpaceKey | None) -> Iterator[bytes]:
    """The lines of an export of this space, including the logs at this point in time."""
    call.instance.recall_log.flush()
    return export_lines(call.instance.store, seq=seq, key=key)


def _find_key(call: Call) -> SpaceKey | None:
    """The key of this space; None if it has none and none can be stored."""
    with call.instance.store.read() as reading:
        space_id = reading.ledger.space().id
    try:
        return call.instance.keys.find_or_make(space_id) if space_id else None
    except StorageProblem:
        return None  # the answer says so: an export without a code is still an export


class ImportRequest(Request):
    path: Annotated[str, Meta(min_length=1, description="The file to read."), Mark.PATH]


@capability(
    "memory.import",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.MOVE,
    synonyms=("load",),
    positional=("path",),
    destructive=True,
    makes_home=True,
    file=FileUse.READS,
    progress="importing",
    examples=("heldtrue import memories.jsonl",),
)
def import_memories(call: Call, request: ImportRequest) -> ImportAnswer:
    """Import an export, or a JSON Lines file with one memory per line (with the arguments of `learn`).

    An export is replayed exactly into an empty store, with its history, agents, jobs and logs, and every line is
    verified against the hash chain. If this store is an earlier state of the export and has the same key, only the
    missing entries are added. In any other store, each memory is checked like a new one, captured evidence is
    added, and values that were rejected in either store stay rejected.
    """
    with open_file(call, request.path) as file:
        lines = numbered_lines(read_lines(file))
        number, first = next(lines, (0, b""))
        if not number:
            return ImportAnswer(how="proposed", entries=0, counts={}, refused=[])
        header = read_header(first)
        if header is None:
            return _learn_lines(call, chain([(number, first)], lines))
        # Read into a scratch space first: a file that turns out broken half-way leaves nothing behind.
        scratch = call.instance.open_scratch()
        try:
            code = CodeCheck(call.instance.keys.find(header.space_id), header, first)
            Replay(scratch, header, code=code).run(lines)
            erased = erase_again(call, scratch, header.space_id)
            answer = _take_over(call, header, scratch, is_ours=code.is_ours)
            return msgspec.structs.replace(answer, note=answer.note or erased)
        finally:
            scratch.close()


def _take_over(call: Call, header: ExportHeader, scratch: EngineStore, *, is_ours: bool) -> ImportAnswer:
    """Replay a verified export into this space if it may be replayed, and propose its content otherwise."""
    with call.instance.store.read() as reading:
        head, space = reading.ledger.head(), reading.ledger.space()
    if head.seq == 0:
        return _replay(call, header, scratch, head)
    trust, note = ExportTrust.FOREIGN, None
    if space.id == header.space_id:
        trust = ExportTrust.PROVEN if is_ours else ExportTrust.UNPROVEN
        if _continues(head, scratch, header):
            if is_ours:
                return _replay(call, header, scratch, head)
            note = _NOT_OURS
    accounts = propose_entries(call, scratch, trust)
    return ImportAnswer(
        how="proposed",
        entries=header.entries,
        counts=accounts.counts,
        refused=accounts.refused,
        left_out=accounts.left_out,
        note=note,
    )


def _continues(head: Head, scratch: EngineStore, header: ExportHeader) -> bool:
    """Whether the export goes on where this space ends."""
    with scratch.read() as reading:
        entry = reading.ledger.entry(head.seq)
    return head.seq < header.entries and entry is not None and entry.hash == head.hash


def _is_empty(store: EngineStore) -> bool:
    with store.read() as reading:
        return reading.ledger.head().seq == 0


def _replay(call: Call, header: ExportHeader, scratch: EngineStore, here: Head) -> ImportAnswer:
    exported = export_lines(scratch)
    present = read_header(next(exported)) or header
    rest = islice(exported, here.seq, None)
    head = Replay(call.instance.store, present, after=here).run(numbered_lines(rest))
    _store_head(call, header.space_id, here, head)
    # The scratch space has taken in what was erased since.
    with call.instance.store.write() as transaction:
        transaction.index.set_state(NOTES_CONSIDERED, len(call.instance.outside.erasures(header.space_id)))
    new = head.seq - here.seq
    return ImportAnswer(how="replayed", entries=new, counts={"replayed": new}, refused=[])


def _store_head(call: Call, space_id: str, here: Head, head: Head) -> None:
    """Store the head of a replay. A replay into an empty home is a restore, which defines where the history ends."""
    heads = call.instance.heads
    if here.seq == 0:
        heads.accept(space_id, head)
        return
    with call.instance.store.read() as reading:
        current = reading.ledger.head()
        checked = heads.check(reading, current)
        heads.publish(
            LedgerStep(space_id, here, current), checked, lambda known: has_head(current, known, reading.ledger.entry)
        )


def _tally(answers: list[WriteAnswer], counts: dict[str, int], refused: list[str]) -> None:
    for answer in answers:
        counts[answer.outcome] = counts.get(answer.outcome, 0) + 1
        if answer.outcome == OutcomeKind.REFUSED and len(refused) < REFUSALS_SHOWN_MAX:
            refused.append(answer.reason)


def _learn_lines(call: Call, lines: Iterable[tuple[int, bytes]]) -> ImportAnswer:
    counts: dict[str, int] = {}
    refused: list[str] = []
    candidates: list[Candidate] = []
    # Each line is read by itself: a batch holds what passed the limits of a memory, whatever the file contains.
    for number, line in lines:
        candidates.append(_read_candidate(call, number, line, done=sum(counts.values())))
        if len(candidates) == IMPORT_BATCH_ENTRIES:
            _tally(_learn_batch(call, candidates), counts, refused)
            candidates = []
    _tally(_learn_batch(call, candidates), counts, refused)
    return ImportAnswer(how="proposed", entries=sum(counts.values()), counts=counts, refused=refused)


def _read_candidate(call: Call, number: int, line: bytes, *, done: int) -> Candidate:
    try:
        return propose(call, msgspec.json.decode(line, type=NewMemory))
    except (msgspec.DecodeError, InvalidInput, UnicodeDecodeError, RecursionError) as problem:
        from heldtrue.capabilities.validation import explain_line

        raise explain_line(problem, CAPABILITIES["memory.learn_many"], number, done) from None


def _learn_batch(call: Call, candidates: list[Candidate]) -> list[WriteAnswer]:
    rule_for = call.instance.settings.conflict_rule

    def act(session: WriteSession) -> list[WriteAnswer]:
        outcomes = [learn(session, candidate, rule_for, lane=IMPORTED) for candidate in candidates]
        return [answer_of(outcome, session) for outcome in outcomes]

    return call.submit(act, list[WriteAnswer]) if candidates else []


class BackupRequest(Request):
    path: TargetPath
    overwrite: Overwrite = False


@capability(
    "memory.backup",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.MOVE,
    positional=("path",),
    file=FileUse.WRITES,
    progress="backing up",
)
def backup(call: Call, request: BackupRequest) -> BackupAnswer:
    """Write a consistent, verified copy of the store. Other programs can keep reading and writing meanwhile.

    With SQLite the copy is a database file, with PostgreSQL it is an export. `restore_backup` can restore either
    kind of copy into either database.
    """
    target = target_file(call, request.path, request.overwrite)
    if not call.instance.store.is_file:
        header = write_whole(target, _export(call, key=_find_key(call)))
        note_copy(call, target, CopyKind.BACKUP, header.space_id, header.entries)
        return BackupAnswer(
            path=shown_path(call, request.path, target),
            entries=header.entries,
            bytes=target.stat().st_size,
            head=header.head,
        )
    call.instance.recall_log.flush()
    with whole_file(target) as part:
        call.instance.store.copy_to(str(part))
        head = _verify_copy(call, part)
    with call.instance.store.read() as reading:
        note_copy(call, target, CopyKind.BACKUP, reading.ledger.space().id, head.seq)
    return BackupAnswer(
        path=shown_path(call, request.path, target), entries=head.seq, bytes=target.stat().st_size, head=head.as_text()
    )


def _verify_copy(call: Call, path: Path) -> Head:
    """Verify the history of a copy before it is used as a backup."""
    copy = call.instance.open_file(path)
    try:
        report = Verifier(copy, NoHeads()).run()
        if not report.ok:
            problem = report.problems[0]
            raise Untrusted(
                "no backup was written because the store failed verification: "
                f"{problem.what} {problem.where}: {problem.detail}",
                hint="run `verify` for details, and restore an earlier backup",
            )
        with copy.read() as reading:
            return reading.ledger.head()
    finally:
        copy.close()


class RestoreBackupRequest(Request):
    path: Annotated[str, Meta(min_length=1, description="A backup file or an export file."), Mark.PATH]


@capability(
    "memory.restore_backup",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.MOVE,
    positional=("path",),
    destructive=True,
    makes_home=True,
    file=FileUse.READS,
    progress="restoring",
    examples=("heldtrue --home NEW_FOLDER restore-backup FILE",),
)
def restore_backup(call: Call, request: RestoreBackupRequest) -> RestoreBackupAnswer:
    """Restore a whole store from a backup or an export into an empty home.

    The history is verified before anything is written. A home that has a history is never overwritten.
    """
    path = resolve_path(call.files, request.path)
    if not _is_empty(call.instance.store):
        raise WrongState(
            "this home is not empty, and a restore never overwrites an existing history",
            field="path",
            hint="on the machine that will hold the store, run `heldtrue --home NEW_FOLDER restore-backup FILE`",
        )
    with open_file(call, request.path) as file:
        is_database = file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC
    entries, note = _restore_database(call, path) if is_database else _restore_export(call, request.path)
    return RestoreBackupAnswer(path=shown_path(call, request.path, path), entries=entries, note=note)


def _restore_export(call: Call, path: str) -> tuple[int, str | None]:
    with open_file(call, path) as file:
        lines = numbered_lines(read_lines(file))
        first = next(lines, (0, b""))[1]
        header = read_header(first)
        if header is None:
            raise _not_a_backup(path)
        scratch = call.instance.open_scratch()
        try:
            code = CodeCheck(call.instance.keys.find(header.space_id), header, first)
            Replay(scratch, header, code=code).run(lines)
            erased = erase_again(call, scratch, header.space_id)
            return _replay(call, header, scratch, EMPTY_HEAD).entries, erased
        finally:
            scratch.close()


def _restore_database(call: Call, path: Path) -> tuple[int, str | None]:
    with tempfile.TemporaryDirectory() as folder:
        # A copy: what was checked cannot change afterwards.
        copied = Path(folder) / "restore.db"
        shutil.copyfile(path, copied)
        store = call.instance.open_file(copied)
        try:
            _refuse_strange(store, path)
            exported = export_lines(store)
            header = read_header(next(exported))
            if header is None or not header.space_id:
                raise _not_a_backup(path)
            if call.instance.outside.erasures(header.space_id):
                return _restore_lines(call, header, exported)
            head = Replay(call.instance.store, header).run(numbered_lines(exported))
        finally:
            store.close()
    call.instance.heads.accept(header.space_id, head)
    return head.seq, None


def _restore_lines(call: Call, header: ExportHeader, exported: Iterator[bytes]) -> tuple[int, str | None]:
    """Restore through a temporary store, from which what was erased since is erased again."""
    scratch = call.instance.open_scratch()
    try:
        Replay(scratch, header).run(numbered_lines(exported))
        erased = erase_again(call, scratch, header.space_id)
        return _replay(call, header, scratch, EMPTY_HEAD).entries, erased
    finally:
        scratch.close()


def _refuse_strange(store: EngineStore, path: Path) -> None:
    """Refuse a database file that Heldtrue did not write, before reading any of its tables.

    Only the list of tables, indexes and triggers is read first, because a foreign trigger or view could run code.
    """
    if strange := store.check_schema():
        raise Untrusted(
            f"{path} is not a backup of this version of Heldtrue: {strange[0]}",
            field="path",
            hint="use a file written by `backup` or `export`",
        )
    report = Verifier(store, NoHeads()).run()
    # Derived data is rebuilt here, so it does not matter.
    if problems := [found for found in report.problems if found.what != "index"]:
        problem = problems[0]
        raise Untrusted(
            f"verification of the backup failed: {problem.what} {problem.where}: {problem.detail}", field="path"
        )


def _not_a_backup(path: str | Path) -> InvalidInput:
    return InvalidInput(
        f"{path} is neither a backup nor an export", field="path", hint="use a file written by `backup` or `export`"
    )
