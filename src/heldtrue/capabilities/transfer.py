"""Export, import, backup and restore of a space."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from heldtrue.audit.verify import Verifier
from heldtrue.capabilities.arguments import AsOf
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import Group
from heldtrue.capabilities.files import as_path, open_file, target_file, whole_file, write_whole
from heldtrue.capabilities.parameters import Mark, Request
from heldtrue.capabilities.registry import CAPABILITIES, capability
from heldtrue.capabilities.shapes import HeadText, ImportWay
from heldtrue.capabilities.writing import NewMemory, WriteAnswer, answer_of, propose
from heldtrue.domain.action import Audience, Effect
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import InvalidInput, Untrusted, WrongState
from heldtrue.domain.exported import ExportHeader
from heldtrue.domain.ledger import EMPTY_HEAD, Head
from heldtrue.domain.limits import IMPORT_BATCH_ENTRIES
from heldtrue.domain.records import Tombstone
from heldtrue.engine.ports import EngineStore
from heldtrue.ingest.acts.import_memories import Foreign, import_memory
from heldtrue.ingest.acts.learn import learn
from heldtrue.ingest.acts.replay import Replay, numbered_lines, read_header, read_lines
from heldtrue.ingest.gate import IMPORTED
from heldtrue.ingest.stages.journal import WriteSession
from heldtrue.ports import NoHeads, ReadTransaction
from heldtrue.projections.export import export_lines

_SQLITE_MAGIC = b"SQLite format 3\x00"
TargetPath = Annotated[str, Meta(min_length=1, description="The file to write."), Mark.PATH]
Overwrite = Annotated[bool, Meta(description="Whether to overwrite an existing file.")]


class ExportAnswer(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    entries: int
    bytes: int
    head: HeadText


class ImportAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an import: `replayed` with its history, or `proposed` memory by memory."""

    how: ImportWay
    entries: int
    counts: dict[str, int]
    refused: list[str]
    """The reasons of the first refusals."""


class BackupAnswer(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    entries: int
    bytes: int
    head: HeadText
    """Save it: `heldtrue verify --head` later proves that nothing before it changed."""


class RestoreBackupAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a restore."""

    path: str
    entries: int
    """The number of ledger entries."""


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
    uses_files=True,
    progress="exporting",
)
def export(call: Call, request: ExportRequest) -> ExportAnswer:
    """Export the whole space to a JSON Lines file: every id, time, link, status and ledger entry, in order."""
    target = target_file(call, request.path, request.overwrite)
    with call.instance.store.read() as reading:
        seq = call.as_of_seq(reading, request.as_of)
    header = write_whole(target, export_lines(call.instance.store, seq=seq))
    return ExportAnswer(path=str(target), entries=header.entries, bytes=target.stat().st_size, head=header.head)


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
    uses_files=True,
    progress="importing",
    examples=("heldtrue import memories.jsonl",),
)
def import_memories(call: Call, request: ImportRequest) -> ImportAnswer:
    """Import an export, or a JSON Lines file with one memory per line (the arguments of learn).

    An export is replayed exactly, with its history, into an empty space, and every line is verified against the
    hash chain. A space that is an earlier state of the export gets the missing entries. In any other space, each
    memory is checked like a new one, and values that were rejected in either space stay rejected.
    """
    with open_file(call, request.path) as file:
        lines = numbered_lines(read_lines(file))
        number, first = next(lines, (0, b""))
        if not number:
            return ImportAnswer(how="proposed", entries=0, counts={}, refused=[])
        header = read_header(first)
        if header is None:
            return _learn_lines(call, number, first, lines)
        # Looked through in a scratch space first: a file that turns out broken half-way leaves nothing behind.
        scratch = call.instance.open_scratch()
        try:
            Replay(scratch, header).run(lines)
            here = _common_end(call.instance.store, scratch, header)
            return _replay(call, header, scratch, here) if here else _propose_all(call, header, scratch)
        finally:
            scratch.close()


def _common_end(store: EngineStore, scratch: EngineStore, header: ExportHeader) -> Head | None:
    """The head of this space, if the export continues its history."""
    with store.read() as reading:
        head, space = reading.ledger.head(), reading.ledger.space()
    if head.seq == 0:
        return head
    with scratch.read() as reading:
        entry = reading.ledger.entry(head.seq)
    goes_on = space.id == header.space_id and head.seq < header.entries
    return head if goes_on and entry is not None and entry.hash == head.hash else None


def _is_empty(store: EngineStore) -> bool:
    with store.read() as reading:
        return reading.ledger.head().seq == 0


def _replay(call: Call, header: ExportHeader, scratch: EngineStore, here: Head) -> ImportAnswer:
    exported = export_lines(scratch)
    rest = islice(exported, 1 + here.seq, None)
    head = Replay(call.instance.store, header, after=here).run(numbered_lines(rest))
    call.instance.heads.publish(header.space_id, head)
    new = head.seq - here.seq
    return ImportAnswer(how="replayed", entries=new, counts={"replayed": new}, refused=[])


def _propose_all(call: Call, header: ExportHeader, scratch: EngineStore) -> ImportAnswer:
    counts: dict[str, int] = {}
    refused: list[str] = []
    after = 0
    while True:
        with scratch.read() as reading:
            page = reading.memories.versions_page(after=after, limit=IMPORT_BATCH_ENTRIES)
            current = [version for version in page if version.recorded_to is None]
            foreign = [
                Foreign(memory, _open_tombstones(reading, memory.memory_id), header.space_id) for memory in current
            ]
        if not page:
            return ImportAnswer(how="proposed", entries=header.entries, counts=counts, refused=refused)
        after = page[-1].no
        _tally(_propose_batch(call, foreign), counts, refused)


def _open_tombstones(reading: ReadTransaction, memory_id: str) -> list[Tombstone]:
    return [stone for stone in reading.records.tombstones_of(memory_id) if stone.recorded_to is None]


def _propose_batch(call: Call, foreign: Sequence[Foreign]) -> list[WriteAnswer]:
    rule_for = call.instance.settings.conflict_rule

    def act(session: WriteSession) -> list[WriteAnswer]:
        return [answer_of(import_memory(session, memory, rule_for), session) for memory in foreign]

    return call.submit(act, list[WriteAnswer])


def _tally(answers: list[WriteAnswer], counts: dict[str, int], refused: list[str]) -> None:
    for answer in answers:
        counts[answer.outcome] = counts.get(answer.outcome, 0) + 1
        if answer.outcome == OutcomeKind.REFUSED and len(refused) < 20:
            refused.append(answer.reason)


def _learn_lines(call: Call, number: int, first: bytes, lines: Iterator[tuple[int, bytes]]) -> ImportAnswer:
    counts: dict[str, int] = {}
    refused: list[str] = []
    total = 0
    batch = [(number, first)]
    for pair in lines:
        batch.append(pair)
        if len(batch) == IMPORT_BATCH_ENTRIES:
            total += _learn_batch(call, batch, counts, refused)
            batch = []
    total += _learn_batch(call, batch, counts, refused)
    return ImportAnswer(how="proposed", entries=total, counts=counts, refused=refused)


def _learn_batch(call: Call, batch: list[tuple[int, bytes]], counts: dict[str, int], refused: list[str]) -> int:
    candidates = []
    for number, line in batch:
        try:
            candidates.append(propose(call, msgspec.json.decode(line, type=NewMemory)))
        except (msgspec.DecodeError, InvalidInput, UnicodeDecodeError, RecursionError) as problem:
            from heldtrue.capabilities.validation import explain_line

            many = CAPABILITIES["memory.learn_many"]
            raise explain_line(problem, many, number, sum(counts.values())) from None
    rule_for = call.instance.settings.conflict_rule

    def act(session: WriteSession) -> list[WriteAnswer]:
        outcomes = [learn(session, candidate, rule_for, lane=IMPORTED) for candidate in candidates]
        return [answer_of(outcome, session) for outcome in outcomes]

    answers = call.submit(act, list[WriteAnswer])
    _tally(answers, counts, refused)
    return len(answers)


class BackupRequest(Request):
    path: TargetPath
    overwrite: Overwrite = False


@capability(
    "memory.backup",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.MOVE,
    positional=("path",),
    uses_files=True,
    progress="backing up",
)
def backup(call: Call, request: BackupRequest) -> BackupAnswer:
    """Write a consistent, verified copy while others keep reading and writing.

    With SQLite the copy is a database file, with PostgreSQL an export. `restore_backup` restores both into both.
    """
    target = target_file(call, request.path, request.overwrite)
    if not call.instance.store.is_file:
        header = write_whole(target, export_lines(call.instance.store))
        return BackupAnswer(path=str(target), entries=header.entries, bytes=target.stat().st_size, head=header.head)
    with whole_file(target) as part:
        call.instance.store.copy_to(str(part))
        head = _verify_copy(call, part)
    return BackupAnswer(path=str(target), entries=head.seq, bytes=target.stat().st_size, head=head.as_text())


def _verify_copy(call: Call, path: Path) -> Head:
    """Verify the history of a copy before it counts as a backup."""
    copy = call.instance.open_file(path, True)
    try:
        report = Verifier(copy, NoHeads()).run()
        if not report.ok:
            problem = report.problems[0]
            raise Untrusted(
                f"no backup written, the space failed to verify: {problem.what} {problem.where}: {problem.detail}",
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
    uses_files=True,
    progress="restoring",
    examples=("heldtrue --home NEW_FOLDER restore-backup FILE",),
)
def restore_backup(call: Call, request: RestoreBackupRequest) -> RestoreBackupAnswer:
    """Restore a whole space from a backup or an export into an empty home.

    The history is verified before anything is written. A home that has a history is never overwritten.
    """
    path = as_path(request.path)
    if not _is_empty(call.instance.store):
        raise WrongState(
            "this home is not empty, and a restore never overwrites a history",
            field="path",
            hint="restore into an empty home; on its machine: heldtrue --home NEW_FOLDER restore-backup FILE",
        )
    with open_file(call, request.path) as file:
        is_database = file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC
    entries = _restore_database(call, path) if is_database else _restore_export(call, path)
    return RestoreBackupAnswer(path=str(path), entries=entries)


def _restore_export(call: Call, path: Path) -> int:
    with open_file(call, str(path)) as file:
        lines = numbered_lines(read_lines(file))
        header = read_header(next(lines, (0, b""))[1])
        if header is None:
            raise InvalidInput(
                f"{path} is neither a backup nor an export",
                field="path",
                hint="use a file written by backup or export",
            )
        scratch = call.instance.open_scratch()
        try:
            Replay(scratch, header).run(lines)
            return _replay(call, header, scratch, EMPTY_HEAD).entries
        finally:
            scratch.close()


def _restore_database(call: Call, path: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        # A copy: opening a database may write beside it, and a backup is not ours to touch.
        copied = Path(folder) / "restore.db"
        shutil.copyfile(path, copied)
        store = call.instance.open_file(copied, False)
        try:
            report = Verifier(store, NoHeads()).run()
            # Derived data is rebuilt here, so a backup with an older index format is valid.
            if problems := [found for found in report.problems if found.what != "index"]:
                problem = problems[0]
                raise Untrusted(
                    f"verification of the backup failed: {problem.what} {problem.where}: {problem.detail}", field="path"
                )
            exported = export_lines(store)
            header = read_header(next(exported))
            if header is None or not header.space_id:
                raise InvalidInput(
                    f"{path} is not a backup of a space", field="path", hint="use a file written by backup"
                )
            head = Replay(call.instance.store, header).run(numbered_lines(exported))
        finally:
            store.close()
    call.instance.heads.publish(header.space_id, head)
    return head.seq
