"""Moving a space: export, import, backup and restore."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from heldtrue.audit.verify import Verifier
from heldtrue.capabilities.arguments import AsOf, Reason
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.files import as_path, is_file, open_file, target_file, whole_file, write_whole
from heldtrue.capabilities.registry import Effect, capability, explain_line
from heldtrue.capabilities.shapes import HeadText, Id, ImportWay
from heldtrue.capabilities.views import MemoryView
from heldtrue.capabilities.writing import LearnInput, WriteAnswer, answer_of, propose
from heldtrue.domain.errors import InvalidInput, NotFound, Untrusted, WrongState
from heldtrue.domain.exported import Header
from heldtrue.domain.ids import ends_id, is_id, plain_reference
from heldtrue.domain.ledger import EMPTY_HEAD, Head
from heldtrue.domain.limits import IMPORT_BATCH_ENTRIES
from heldtrue.domain.memory import MemoryVersion
from heldtrue.domain.principal import require_person
from heldtrue.domain.records import Tombstone
from heldtrue.ingest import retire
from heldtrue.ingest.adopt import adopt_memory
from heldtrue.ingest.intake import Intake
from heldtrue.ingest.journal import Pen
from heldtrue.ingest.learn import learn as learn_candidate
from heldtrue.ingest.replay import Replay, numbered_lines, read_header, read_lines
from heldtrue.ports import NoHeads, Reading, Store
from heldtrue.projections.export import export_lines

_SQLITE_MAGIC = b"SQLite format 3\x00"
TargetPath = Annotated[str, Meta(min_length=1, description="The file to write.")]
Overwrite = Annotated[bool, Meta(description="Whether a file that is there already may be replaced.")]


class ExportAnswer(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    entries: int
    bytes: int
    head: HeadText


class ImportAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What an import did: `replayed` word for word, or `proposed` each memory at the gate."""

    how: ImportWay
    entries: int
    counts: dict[str, int]
    refused: list[str]
    """Why, for the first refusals."""


class BackupAnswer(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    entries: int
    bytes: int
    head: HeadText
    """Note it down: `heldtrue verify --head` proves later that nothing before it changed."""


class RestoreAnswer(msgspec.Struct, frozen=True, kw_only=True):
    outcome: str
    memory: MemoryView | None
    reason: str
    entries: int
    conflicts: list[Id] = []
    """Conflicts with what is held by now, for a person to settle."""
    seq: int


@capability("memory.export", Effect.ADMIN, for_persons=True)
def export(call: Call, path: TargetPath, *, as_of: AsOf = None, overwrite: Overwrite = False) -> ExportAnswer:
    """Write the whole space to a file of JSON Lines: every id, time, link, status and ledger entry, in order."""
    require_person(call.principal, "export the whole space")
    target = target_file(call, path, overwrite)
    with call.instance.store.read() as reading:
        seq = call.as_of_seq(reading, as_of)
    header = write_whole(target, export_lines(call.instance.store, seq=seq))
    return ExportAnswer(path=str(target), entries=header.entries, bytes=target.stat().st_size, head=header.head)


@capability("memory.import", Effect.ADMIN, for_persons=True)
def import_memories(
    call: Call, path: Annotated[str, Meta(min_length=1, description="The file to read.")]
) -> ImportAnswer:
    """Read an export, or a file with one memory per line as JSON with the arguments of learn.

    Into an empty space an export is replayed word for word, with its history, and every line is checked against
    its hash chain; into a space that the export goes on from, the rest is. Into any other space each memory is
    proposed at the gate like any other, and what was rejected in either stays rejected.
    """
    require_person(call.principal, "import a file")
    with open_file(call, path) as file:
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
            return _replay(call, header, scratch, here) if here else _adopt(call, header, scratch)
        finally:
            scratch.close()


def _common_end(store: Store, scratch: Store, header: Header) -> Head | None:
    """Where this space stands in the history of an export, if that history goes on from here."""
    with store.read() as reading:
        head, space = reading.head(), reading.space()
    if head.seq == 0:
        return head
    with scratch.read() as reading:
        entry = reading.ledger_entry(head.seq)
    goes_on = space.id == header.space_id and head.seq < header.entries
    return head if goes_on and entry is not None and entry.hash == head.hash else None


def _is_empty(store: Store) -> bool:
    with store.read() as reading:
        return reading.head().seq == 0


def _replay(call: Call, header: Header, scratch: Store, here: Head) -> ImportAnswer:
    exported = export_lines(scratch)
    rest = islice(exported, 1 + here.seq, None)
    head = Replay(call.instance.store, header, after=here).run(numbered_lines(rest))
    call.instance.heads.publish(header.space_id, head)
    new = head.seq - here.seq
    return ImportAnswer(how="replayed", entries=new, counts={"replayed": new}, refused=[])


def _adopt(call: Call, header: Header, scratch: Store) -> ImportAnswer:
    counts: dict[str, int] = {}
    refused: list[str] = []
    after = 0
    while True:
        with scratch.read() as reading:
            page = reading.versions_page(after=after, limit=IMPORT_BATCH_ENTRIES)
            current = [version for version in page if version.recorded_to is None]
            foreign = [(one, _open_stones(reading, one.memory_id)) for one in current]
        if not page:
            return ImportAnswer(how="proposed", entries=header.entries, counts=counts, refused=refused)
        after = page[-1].no
        _tally(_adopt_batch(call, foreign, header.space_id), counts, refused)


def _open_stones(reading: Reading, memory_id: str) -> list[Tombstone]:
    return [stone for stone in reading.tombstones_of(memory_id) if stone.recorded_to is None]


def _adopt_batch(call: Call, foreign: list[tuple[MemoryVersion, list[Tombstone]]], space_id: str) -> list[WriteAnswer]:
    rule = call.instance.settings.conflict_rule

    def act(pen: Pen) -> list[WriteAnswer]:
        return [answer_of(adopt_memory(pen, one, stones, space_id, rule), pen) for one, stones in foreign]

    return call.submit(act, list[WriteAnswer])


def _tally(answers: list[WriteAnswer], counts: dict[str, int], refused: list[str]) -> None:
    for answer in answers:
        counts[answer.outcome] = counts.get(answer.outcome, 0) + 1
        if answer.outcome == "refused" and len(refused) < 20:
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
            candidates.append(propose(call, msgspec.json.decode(line, type=LearnInput), vouched=False))
        except (msgspec.DecodeError, InvalidInput, UnicodeDecodeError, RecursionError) as problem:
            raise explain_line(problem, number, sum(counts.values())) from None
    rule = call.instance.settings.conflict_rule
    answers = call.submit(
        lambda pen: [answer_of(learn_candidate(pen, one, rule), pen) for one in candidates], list[WriteAnswer]
    )
    _tally(answers, counts, refused)
    return len(answers)


@capability("memory.backup", Effect.ADMIN, for_persons=True)
def backup(call: Call, path: TargetPath, *, overwrite: Overwrite = False) -> BackupAnswer:
    """Write a consistent, verified copy while others go on reading and writing.

    SQLite gives a database file, PostgreSQL an export; `restore` takes either, into either.
    """
    require_person(call.principal, "back up the space")
    target = target_file(call, path, overwrite)
    if not call.instance.store.is_file:
        header = write_whole(target, export_lines(call.instance.store))
        return BackupAnswer(path=str(target), entries=header.entries, bytes=target.stat().st_size, head=header.head)
    with whole_file(target) as part:
        call.instance.store.copy_to(str(part))
        head = _verify_copy(call, part)
    return BackupAnswer(path=str(target), entries=head.seq, bytes=target.stat().st_size, head=head.as_text())


def _verify_copy(call: Call, path: Path) -> Head:
    """Walk the history of a copy before it is called a backup."""
    copy = call.instance.open_file(path, True)
    try:
        report = Verifier(copy, NoHeads()).run()
        if not report.ok:
            problem = report.problems[0]
            raise Untrusted(
                f"the space does not verify, so this is no backup: {problem.what} {problem.where}: {problem.detail}",
                hint="see what is wrong with `verify`, and restore an earlier backup",
            )
        with copy.read() as reading:
            return reading.head()
    finally:
        copy.close()


@capability("memory.restore", Effect.WRITE, for_persons=True)
def restore(
    call: Call,
    target: Annotated[
        str, Meta(min_length=1, description="A memory, by id or IRI; or the file of a backup or export.")
    ],
    *,
    reason: Reason = "restored",
) -> RestoreAnswer:
    """Bring back a memory that was forgotten, rejected or replaced, or a whole space from a backup.

    A memory's rejected values are lifted with it, on the record. A backup is only ever restored into an empty home.
    Only a person can restore.
    """
    why = Intake().why(reason)
    name = plain_reference(target.rpartition("/")[2])
    if not is_id(name):
        # Which files are there is a person's to know.
        require_person(call.principal, "restore a space")
        if is_file(target):
            return _restore_file(call, as_path(target, "target"))
    if not is_id(name) and not ends_id(name):
        raise NotFound(
            f"{target} is neither a memory nor a file here", field="target", hint="name a memory's id, or a backup"
        )

    def act(pen: Pen) -> RestoreAnswer:
        answer = answer_of(retire.restore(pen, call.find(pen.transaction, target, field="target"), why), pen)
        return RestoreAnswer(
            outcome=answer.outcome,
            memory=answer.memory,
            reason=answer.reason,
            entries=1,
            conflicts=answer.conflicts,
            seq=answer.seq,
        )

    return call.submit(act, RestoreAnswer)


def _restore_file(call: Call, path: Path) -> RestoreAnswer:
    require_person(call.principal, "restore a space")
    if not _is_empty(call.instance.store):
        raise WrongState(
            "this home already has a history, and a restore never overwrites one",
            field="target",
            hint="restore into an empty home; on its machine: heldtrue --home NEW_FOLDER restore FILE",
        )
    with open_file(call, str(path), field="target") as file:
        is_database = file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC
    entries = _restore_database(call, path) if is_database else _restore_export(call, path)
    return RestoreAnswer(outcome="restored", memory=None, reason=f"restored from {path}", entries=entries, seq=entries)


def _restore_export(call: Call, path: Path) -> int:
    with open_file(call, str(path), field="target") as file:
        lines = numbered_lines(read_lines(file))
        header = read_header(next(lines, (0, b""))[1])
        if header is None:
            raise InvalidInput(
                f"{path} is neither a backup nor an export",
                field="target",
                hint="use a file that backup or export wrote",
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
            # What was derived is made anew here: a backup from before it had its present form is as good as any.
            if problems := [one for one in report.problems if one.what != "index"]:
                problem = problems[0]
                raise Untrusted(
                    f"the backup does not verify: {problem.what} {problem.where}: {problem.detail}", field="target"
                )
            exported = export_lines(store)
            header = read_header(next(exported))
            if header is None or not header.space_id:
                raise InvalidInput(
                    f"{path} is not a backup of a space", field="target", hint="use a file that backup wrote"
                )
            head = Replay(call.instance.store, header).run(numbered_lines(exported))
        finally:
            store.close()
    call.instance.heads.publish(header.space_id, head)
    return head.seq
