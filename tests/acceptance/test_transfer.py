"""A space moves whole between stores, and a file that was touched moves nothing."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from heldtrue import HeldtrueError, InvalidInput, ManualClock, Memory, NotFound, StorageProblem, Untrusted, WrongState
from tests.acceptance.homes import MakeHome, entries, head_of, listed, new_clock, recalled
from tests.reliability.prepared import prepare_home


@pytest.fixture
def filled(make_home: MakeHome) -> Path:
    """A home with a little of everything."""
    home = make_home()
    prepare_home(home)
    return home


def export(home: Path, file: Path) -> bytes:
    with Memory.open(home) as memory:
        memory.export(str(file))
    return file.read_bytes()


@pytest.mark.covers("B29", "D28", "B27")
def test_an_export_passes_through_the_other_store_and_back_without_a_byte_changed(
    filled: Path, make_home: MakeHome, tmp_path: Path
) -> None:
    first = export(filled, tmp_path / "first")
    home, seen = filled, [first]
    for step, kind in enumerate(("postgres", "sqlite", "postgres")):
        home = make_home(kind)
        with Memory.open(home) as memory:
            source = tmp_path / f"step-{step}"
            source.write_bytes(seen[-1])
            answer = memory.import_(str(source))
            assert (answer.how, answer.entries) == ("replayed", json.loads(first.splitlines()[0])["entries"])
            assert memory.verify().problems == []
        seen.append(export(home, tmp_path / f"out-{step}"))
    assert [text == first for text in seen] == [True] * 4
    assert len(first) > 20_000, "there was something to carry"


@pytest.mark.covers("B29", "B27", "B10")
def test_a_moved_space_answers_every_question_alike(filled: Path, make_home: MakeHome, tmp_path: Path) -> None:
    export(filled, tmp_path / "file")
    moved = make_home("postgres")
    clock = new_clock()
    clock.advance(days=30)
    with Memory.open(filled, clock=clock) as here, Memory.open(moved, clock=clock) as there:
        there.import_(str(tmp_path / "file"))
        statuses: list[Any] = ["active", "inbox", "superseded", "contradicted", "rejected", "retracted"]
        held = here.list(statuses=statuses, limit=1_000)
        assert there.list(statuses=statuses, limit=1_000) == held
        for item in held.items:
            assert there.get(item.id) == here.get(item.id)
            assert there.history(item.id) == here.history(item.id)
            assert there.explain(item.id) == here.explain(item.id)
        assert there.conflicts(settled=True) == here.conflicts(settled=True)
        assert there.diff("#0") == here.diff("#0")
        for question in ("PostgreSQL backend", "timeout of the API", "build minutes", "Sebas"):
            assert there.recall(question).results == here.recall(question).results


@pytest.mark.covers("B29")
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_moved_space_goes_on_where_it_left_off(filled: Path, kind: str, make_home: MakeHome, tmp_path: Path) -> None:
    export(filled, tmp_path / "file")
    with Memory.open(make_home(kind)) as memory:
        memory.import_(str(tmp_path / "file"))
        before = len(entries(memory))
        answer = memory.as_agent("codex").learn("The build takes nine minutes.", scope="repo:beta-web")
        assert answer.outcome in ("refreshed", "corroborated"), "it still knows what it holds"
        assert answer.seq == before + 1
        assert memory.verify().ok


def change_text(lines: list[bytes]) -> list[bytes]:
    return [line.replace(b"PostgreSQL", b"OracleSQL9") for line in lines]


def change_reason(lines: list[bytes]) -> list[bytes]:
    return [line.replace(b"not so", b"so so!") for line in lines]


def change_actor(lines: list[bytes]) -> list[bytes]:
    return [*lines[:3], lines[3].replace(b"person:owner", b"agent:codex!"), *lines[4:]]


def change_time(lines: list[bytes]) -> list[bytes]:
    line = json.loads(lines[5])
    line["entry"]["recorded_at"] += 1
    return [*lines[:5], json.dumps(line).encode() + b"\n", *lines[6:]]


def remove_salts(lines: list[bytes]) -> list[bytes]:
    """The text of a memory is changed and the salts are taken away, so that no digest can be checked."""
    changed = []
    for raw in lines[1:]:
        line = json.loads(raw)
        for record in line.get("written", {}).get("memory_versions", []):
            record.pop("salt", None)
            record["content"] = "All is well."
        changed.append(json.dumps(line).encode() + b"\n")
    return [lines[0], *changed]


def remove_entry_salt(lines: list[bytes]) -> list[bytes]:
    line = json.loads(lines[4])
    line["entry"] |= {"salt": None, "reason": "it was always so"}
    return [*lines[:4], json.dumps(line).encode() + b"\n", *lines[5:]]


def drop_tombstones(lines: list[bytes]) -> list[bytes]:
    changed = []
    for raw in lines[1:]:
        line = json.loads(raw)
        line.get("written", {}).pop("tombstones", None)
        changed.append(json.dumps(line).encode() + b"\n")
    return [lines[0], *changed]


def change_head(lines: list[bytes]) -> list[bytes]:
    header = json.loads(lines[0])
    header["head"] = f"{header['entries']}:{'0' * 64}"
    return [json.dumps(header).encode() + b"\n", *lines[1:]]


def change_space(lines: list[bytes]) -> list[bytes]:
    header = json.loads(lines[0])
    header["space_id"] = header["space_id"][:-1] + ("1" if header["space_id"].endswith("0") else "0")
    return [json.dumps(header).encode() + b"\n", *lines[1:]]


DAMAGES: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "a changed text": change_text,
    "a changed reason": change_reason,
    "a changed actor": change_actor,
    "a changed time": change_time,
    "texts without salts": remove_salts,
    "an entry without its salt": remove_entry_salt,
    "rejections left out": drop_tombstones,
    "a changed head": change_head,
    "another space's name": change_space,
    "a line left out": lambda lines: [*lines[:6], *lines[7:]],
    "a line doubled": lambda lines: [*lines[:6], lines[5], *lines[6:]],
    "two lines swapped": lambda lines: [*lines[:6], lines[7], lines[6], *lines[8:]],
    "the end cut off": lambda lines: lines[:-3],
    "a line cut in the middle": lambda lines: [*lines[:-1], lines[-1][: len(lines[-1]) // 2]],
    "only the first line": lambda lines: lines[:1],
    "a line that is no line": lambda lines: [*lines[:4], b"{}\n", *lines[4:]],
    "an unknown table": lambda lines: [line.replace(b'"sources":', b'"sourcez":') for line in lines],
    "a newer format": lambda lines: [lines[0].replace(b'"heldtrue":1', b'"heldtrue":2'), *lines[1:]],
}


@pytest.mark.covers("B29", "D2")
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_export_is_refused_and_nothing_is_written(
    filled: Path, damage: Callable[[list[bytes]], list[bytes]], make_home: MakeHome, tmp_path: Path
) -> None:
    lines = export(filled, tmp_path / "good").splitlines(keepends=True)
    damaged = damage(list(lines))
    assert damaged != lines
    (tmp_path / "bad").write_bytes(b"".join(damaged))
    with Memory.open(make_home()) as empty, Memory.open(make_home()) as used:
        used.learn("Something is held already.")
        for memory in (empty, used):
            head = head_of(memory)
            with pytest.raises((Untrusted, InvalidInput)) as refused:
                memory.import_(str(tmp_path / "bad"))
            assert refused.value.message
            assert head_of(memory) == head
            with pytest.raises(HeldtrueError):
                memory.restore_backup(str(tmp_path / "bad"))
            assert head_of(memory) == head
        assert empty.import_(str(tmp_path / "good")).how == "replayed", "the file it was made from is fine"


@pytest.mark.covers("B29")
def test_an_import_into_a_home_with_a_history_proposes_each_memory(
    filled: Path, make_home: MakeHome, tmp_path: Path
) -> None:
    export(filled, tmp_path / "file")
    with Memory.open(make_home()) as memory:
        memory.learn("The canteen opens at noon.")
        first = memory.import_(str(tmp_path / "file"))
        assert first.how == "proposed"
        assert first.counts.get("created", 0) > 5
        assert "The canteen opens at noon." in listed(memory)
        assert memory.get(memory.recall("Svelte").results[0].memory.id).evidence[0].kind == "import"
        again = memory.import_(str(tmp_path / "file"))
        assert not {"created", "pending"} & again.counts.keys(), "a second time there is nothing new"
        assert memory.verify().ok


@pytest.mark.covers("B29")
def test_lines_of_plain_memories_are_learned_and_a_bad_line_is_named(owner: Memory, tmp_path: Path) -> None:
    file = tmp_path / "plain.jsonl"
    good = {"content": "The canteen opens at noon.", "kind": "note", "topic": "canteen", "scope": "project:alpha"}
    file.write_text(json.dumps(good) + "\n\n" + json.dumps({"content": "The gate is blue."}) + "\n", "utf-8")
    answer = owner.import_(str(file))
    assert (answer.how, answer.counts) == ("proposed", {"created": 2})
    assert owner.recall("canteen").results[0].memory.scope == "project:alpha"
    for bad in ('{"content": ""}', '{"text": "x"}', "not json", '{"content": "x", "kind": "fact"}', "[]"):
        file.write_text(json.dumps({"content": "A fine line."}) + "\n" + bad, "utf-8")
        head = head_of(owner)
        with pytest.raises(InvalidInput, match="line 2"):
            owner.import_(str(file))
        assert head_of(owner) == head
    with pytest.raises(NotFound):
        owner.import_(str(tmp_path / "nowhere"))
    (tmp_path / "empty").touch()
    assert owner.import_(str(tmp_path / "empty")).counts == {}


# Backups


class Writers:
    """Threads that write to a home until told to stop."""

    def __init__(self, home: Path, count: int) -> None:
        self.stop = threading.Event()
        self.written: list[int] = []
        self._threads = [threading.Thread(target=self._write, args=(home, number)) for number in range(count)]

    def _write(self, home: Path, worker: int) -> None:
        with Memory.open(home, agent=f"worker-{worker}") as memory:
            number = 0
            while not self.stop.is_set():
                number += 1
                memory.learn(f"Crate c{worker}x{number} holds part p{worker}y{number}.")
            self.written.append(number)

    def __enter__(self) -> Writers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        for thread in self._threads:
            thread.join()


@pytest.mark.covers("B29", "B28")
@pytest.mark.parametrize(("kind", "into"), [("sqlite", "sqlite"), ("sqlite", "postgres"), ("postgres", "sqlite")])
def test_a_backup_taken_while_others_write_restores_to_the_head_it_names(
    kind: str, into: str, make_home: MakeHome, tmp_path: Path
) -> None:
    home = make_home(kind)
    with Memory.open(home) as memory:
        memory.learn("The backup starts from here.")
        with Writers(home, 2) as writers:
            heads = [memory.backup(str(tmp_path / f"backup-{number}")).head for number in range(4)]
        assert len(writers.written) == 2
        assert sum(writers.written) + 1 == len(entries(memory)), "no writer lost anything"
        assert memory.verify().ok
        final = memory.backup(str(tmp_path / "final")).head
        assert final == head_of(memory)
        assert not list(tmp_path.glob(".*.part")), "nothing half-made is left"
        kept = memory.verify(head=heads[0])
        assert kept.ok, "a noted head proves that the past is the same"
    for number, head in enumerate([*heads, final]):
        name = "final" if number == len(heads) else f"backup-{number}"
        with Memory.open(make_home(into)) as restored:
            answer = restored.restore_backup(str(tmp_path / name))
            assert (answer.entries, head_of(restored)) == (int(head.partition(":")[0]), head)
            assert restored.verify(head=head).ok
            assert restored.as_agent("codex").learn("The backup starts at 3:00.").outcome == "created"


@pytest.mark.covers("B29")
def test_a_restore_never_overwrites_a_home_with_a_history(filled: Path, make_home: MakeHome, tmp_path: Path) -> None:
    with Memory.open(filled) as memory:
        memory.backup(str(tmp_path / "backup"))
        memory.export(str(tmp_path / "export"))
        for file in ("backup", "export"):
            head = head_of(memory)
            with pytest.raises(WrongState, match="never overwrites"):
                memory.restore_backup(str(tmp_path / file))
            assert head_of(memory) == head
    with Memory.open(make_home()) as empty:
        assert empty.restore_backup(str(tmp_path / "backup")).entries > 0


@pytest.mark.covers("B29", "D2")
def test_a_damaged_backup_is_not_restored(filled: Path, make_home: MakeHome, tmp_path: Path) -> None:
    with Memory.open(filled) as memory:
        memory.backup(str(tmp_path / "backup"))
    raw = (tmp_path / "backup").read_bytes()
    damaged = {
        "changed": raw.replace(b"PostgreSQL 16", b"PostgreSQL 61"),
        "cut": raw[: len(raw) // 2],
        "other": b"SQLite format 3\x00" + b"\x00" * 4096,
        "text": b"just a text",
        "nothing": b"",
    }
    for name, content in damaged.items():
        assert content != raw
        (tmp_path / name).write_bytes(content)
        with Memory.open(make_home()) as empty:
            with pytest.raises((Untrusted, StorageProblem, InvalidInput)):
                empty.restore_backup(str(tmp_path / name))
            assert empty.status().ledger_entries == 0
            assert empty.restore_backup(str(tmp_path / "backup")).entries > 0


@pytest.mark.covers("B29", "D2")
def test_a_space_that_does_not_verify_is_not_backed_up(filled: Path, tmp_path: Path) -> None:
    import apsw

    database = apsw.Connection(str(filled / "heldtrue.db"))
    database.execute("DROP TRIGGER sources_no_update").fetchall()
    database.execute("UPDATE sources SET content = 'forged' WHERE rowid = 3").fetchall()
    database.close()
    with Memory.open(filled) as memory:
        with pytest.raises(Untrusted):
            memory.backup(str(tmp_path / "backup"))
        assert not (tmp_path / "backup").exists()


@pytest.mark.covers("B29")
@pytest.mark.parametrize("verb", ["export", "backup"])
def test_a_file_that_cannot_be_written_is_said_to_be_so(owner: Memory, verb: str, tmp_path: Path) -> None:
    owner.learn("The canteen opens at noon.")
    for target in (tmp_path / "no" / "such" / "folder" / "file", tmp_path):
        with pytest.raises(HeldtrueError) as refused:
            owner.invoke(f"memory.{verb}", path=str(target))
        assert refused.value.field == "path"
    assert list(tmp_path.glob(".*.part")) == []
    answer: Any = owner.invoke(f"memory.{verb}", path=str(tmp_path / "file"))
    assert (tmp_path / "file").stat().st_mode & 0o077 == 0, "only its owner may read it"
    assert answer.bytes == (tmp_path / "file").stat().st_size


@pytest.mark.covers("B29", "B28")
def test_a_closed_home_can_be_copied_and_opened_elsewhere(filled: Path, tmp_path: Path, clock: ManualClock) -> None:
    shutil.copytree(filled, tmp_path / "copy")
    with Memory.open(tmp_path / "copy", clock=clock) as memory:
        assert memory.verify().ok
        assert recalled(memory, "Svelte")
