"""A store that is deleted, replaced, emptied or put back beneath a running process: nothing is acknowledged into it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from bench.damage import DATABASE, DEEDS, replace_home
from heldtrue import Memory, StorageProblem, Untrusted
from heldtrue.domain.errors import Busy, HomeChanged, OutcomeUnknown
from tests.service.server import Server
from tests.surfaces.conftest import ENVIRONMENT
from tests.waiting import wait_until

pytestmark = pytest.mark.without_reader

HEAD = "ledger.head"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def prepare(home: Path, older: Path) -> None:
    """A home, and an older copy of it."""
    with Memory.open(home) as memory:
        memory.learn("The bell rings at noon.")
    shutil.copytree(home, older)
    with Memory.open(home) as memory:
        memory.learn("The gate is green.")


@pytest.mark.covers("A5")
@pytest.mark.parametrize("name", DEEDS)
def test_nothing_is_acknowledged_into_a_store_that_was_changed_beneath(home: Path, tmp_path: Path, name: str) -> None:
    older = tmp_path / "older"
    prepare(home, older)
    with Memory.open(home) as memory:
        assert memory.learn("The well is deep.").outcome == "created"  # the control: it can be written
        memory.recall("bell")
        memory._call.instance.refuse_changed()
        DEEDS[name](older, home)
        with pytest.raises((HomeChanged, StorageProblem)):
            memory._call.instance.refuse_changed()
        for number in range(3):
            with pytest.raises((HomeChanged, StorageProblem)):
                memory.learn(f"Lamp {number} is lit.")


@pytest.mark.covers("A5")
@pytest.mark.parametrize("forged", [0, 5], ids=["an older copy", "an older copy that was continued elsewhere"])
def test_reading_a_store_that_lost_its_past_says_so(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forged: int
) -> None:
    older = tmp_path / "older"
    prepare(home, older)
    with monkeypatch.context() as elsewhere, Memory.open(home) as memory:
        assert memory.recall("bell").note_codes == []  # the control
        assert memory.status().warnings == []
        elsewhere.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
        with Memory.open(older) as copy:
            for number in range(forged):
                copy.learn(f"Buoy {number} is red.")
    replace_home(older, home)
    with Memory.open(home) as memory:
        for caller in (memory, memory.as_agent("codex")):
            assert caller.recall("bell").note_codes == ["store_changed"]
            assert caller.inject("bell").note_codes[:1] == ["store_changed"]
        (warning,) = memory.status().warnings
        assert "entry 2" in warning


@pytest.mark.covers("A5")
@pytest.mark.parametrize("name", ["home deleted", "database replaced", "home overwritten by an older copy"])
def test_a_service_refuses_writes_and_is_not_ready(tmp_path: Path, name: str) -> None:
    home, older = tmp_path / "home", tmp_path / "older"
    prepare(home, older)
    server = Server(home).start()
    try:
        assert server.ask("GET", "/readyz").status == 200
        assert server.ask("POST", "/v1/memories", {"content": "The well is deep."}).status == 201
        DEEDS[name](older, home)
        assert server.ask("GET", "/readyz").status >= 500
        for number in range(3):
            reply = server.ask("POST", "/v1/memories", {"content": f"Lamp {number} is lit."})
            assert (reply.status >= 500, reply.json["code"] in ("home_changed", "storage")) == (True, True)
        assert server.ask("GET", "/healthz").status == 200
    finally:
        server.stop()


@pytest.mark.covers("A5")
def test_a_home_that_is_put_back_is_used_again(home: Path, tmp_path: Path) -> None:
    prepare(home, tmp_path / "older")
    with Memory.open(home) as memory:
        memory.learn("The well is deep.")
        home.rename(tmp_path / "away")
        with pytest.raises(HomeChanged, match="was deleted"):
            memory.learn("The shed is red.")
        (tmp_path / "away").rename(home)
        assert memory.learn("The shed is red.").outcome == "created"
    with Memory.open(home) as memory:
        assert memory.recall("shed").results
        assert memory.verify().ok


def test_a_checkpoint_by_another_process_is_no_change(home: Path) -> None:
    """The control of the check by time and size: what other processes write is not taken for damage."""
    with Memory.open(home) as first, Memory.open(home) as second:
        for number in range(20):
            assert first.learn(f"Lamp {number} is lit.").outcome == "created"
            second.maintain()
            assert second.learn(f"Door {number} is shut.").outcome == "created"
        assert first.verify().ok


# The file of the head


@pytest.mark.covers("C18")
@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_what_is_not_a_head_file_stops_writing_with_a_clear_error(home: Path, tmp_path: Path, kind: str) -> None:
    with Memory.open(home) as memory:
        memory.learn("The bell rings at noon.")
    (home / HEAD).unlink()
    if kind == "pipe":
        os.mkfifo(home / HEAD)
    elif kind == "folder":
        (home / HEAD).mkdir()
    else:
        (tmp_path / "elsewhere").write_text("mine")
        (home / HEAD).symlink_to(tmp_path / "elsewhere")
    with Memory.open(home) as memory:
        assert [problem.what for problem in memory.verify().problems] == ["head"]
        with pytest.raises(Untrusted, match=HEAD):
            memory.learn("The gate is green.")
        assert memory.recall("bell").results
    trusted = subprocess.run(
        [sys.executable, "-m", "heldtrue", "--home", str(home), "trust", "--yes"],
        env=ENVIRONMENT, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert trusted.returncode == 0, trusted.stderr
    with Memory.open(home) as memory:
        assert memory.learn("The gate is green.").outcome == "created"
    assert kind != "link" or (tmp_path / "elsewhere").read_text() == "mine"


@pytest.mark.covers("C18", "D2")
def test_a_head_file_that_was_deleted_is_noted_for_good(home: Path) -> None:
    with Memory.open(home) as memory:
        memory.learn("The bell rings at noon.")
        assert memory.verify().notes == []
        (home / HEAD).unlink()
        memory.learn("The gate is green.")
        memory.learn("The well is deep.")
        assert any("was missing and was recreated at entry 2" in note for note in memory.verify().notes)
        assert memory.verify().ok


@pytest.mark.covers("D2")
def test_a_head_file_deleted_together_with_the_end_of_the_ledger_is_given_away_outside(
    home: Path, tmp_path: Path
) -> None:
    older = tmp_path / "older"
    prepare(home, older)
    (older / HEAD).unlink()
    replace_home(older, home)
    with Memory.open(home) as memory:
        assert [problem.what for problem in memory.verify().problems] == ["head"]
        with pytest.raises(HomeChanged, match="restored from an older copy"):
            memory.learn("The shed is red.")


def test_many_writers_keep_the_head_at_the_end(home: Path) -> None:
    """Heads are stored after the lock is released, in any order: the last one is stored all the same."""

    def write(worker: int) -> None:
        with Memory.open(home) as memory:
            for number in range(25):
                memory.learn(f"Lamp {worker}x{number} is lit.")

    with Memory.open(home) as memory:
        memory.learn("The bell rings at noon.")
    threads = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Memory.open(home) as memory:
        with memory._call.instance.store.read() as reading:
            head = reading.ledger.head()
        assert [stored.head for stored in memory._call.instance.heads.stored()] == [head, head]
        assert memory.verify().notes == []


# A commit whose fate is not known


class FailingDisk(apsw.VFS):
    """Says that a log could not be saved, as a broken disk does; what was written is there all the same."""

    def __init__(self) -> None:
        self.fails = False
        super().__init__("failing-disk", "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - apsw's name
        return FailingFile(self, name, flags)


class FailingFile(apsw.VFSFile):
    def __init__(self, disk: FailingDisk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk = disk
        self._is_log = bool(flags[0] & apsw.SQLITE_OPEN_WAL)
        super().__init__("", name, flags)

    def xSync(self, flags: int) -> None:  # noqa: N802 - apsw's name
        if self._is_log and self._disk.fails:
            raise apsw.IOError("disk I/O error")
        super().xSync(flags)


@pytest.mark.covers("B8")
def test_a_commit_that_the_disk_does_not_confirm_is_said_to_be_unknown(home: Path) -> None:
    with Memory.open(home) as memory:
        memory.learn("The bell rings at noon.")
    disk = FailingDisk()
    with Memory.open(home) as memory:
        connector = memory._call.instance.store.connector  # type: ignore[attr-defined]
        connector.let_go()
        connector._name += "?vfs=failing-disk"
        assert memory.learn("The well is deep.").outcome == "created"  # the control: this disk can be written
        disk.fails = True
        with pytest.raises(OutcomeUnknown, match="not known whether") as told:
            memory.learn("The gate is green.", idempotency_key="gate")
        assert "same idempotency key" in (told.value.hint or "")
        disk.fails = False
        first = memory.learn("The gate is green.", idempotency_key="gate")
        again = memory.learn("The gate is green.", idempotency_key="gate")
        assert first == again
        assert len([found for found in memory.list(limit=50).items if "gate" in found.content]) == 1


# A writer that is stuck


@contextmanager
def stopped_writer(home: Path) -> Iterator[None]:
    """A process that was stopped while it held the write lock."""
    script = (
        "import apsw, sys; held = apsw.Connection(sys.argv[1]); held.execute('BEGIN IMMEDIATE'); "
        "print('held', flush=True); input()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(home / DATABASE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.kill()
        process.communicate()


@pytest.mark.covers("B8")
@pytest.mark.parametrize(
    "words",
    [
        ["recall", "bell"],
        ["list"],
        ["status"],
        ["inject", "bell"],
        ["hook", "prompt"],
        ["hook", "session-start"],
        ["hook", "stop"],
    ],
)
def test_a_stopped_writer_keeps_no_reader_and_no_hook_waiting(home: Path, words: list[str], tmp_path: Path) -> None:
    """A writer would wait for thirty seconds; a reader that ends well before that has not waited for the lock."""
    with Memory.open(home) as memory:
        memory.learn("The bell rings at noon.")
    transcript = tmp_path / "s.jsonl"
    transcript.write_text(
        '{"type":"user","sessionId":"s","timestamp":"2026-05-17T10:00:00Z","message":{"role":"user","content":"Hi"}}\n'
    )
    hook = f'{{"session_id":"s","prompt":"when does the bell ring?","transcript_path":"{transcript}"}}'
    with stopped_writer(home):
        done = subprocess.run(
            [sys.executable, "-m", "heldtrue", "--home", str(home), *words],
            input=hook, env=ENVIRONMENT, capture_output=True, text=True, timeout=20, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "bell" in done.stdout or words[0] in ("status", "hook"), "what an agent sees depends on its reach"


def test_a_writer_waits_as_long_as_it_says(home: Path) -> None:
    from heldtrue.wiring.instance import open_instance

    with Memory.open(home) as memory:
        memory.learn("The bell rings at noon.")
    tries = 0
    with stopped_writer(home):
        instance = open_instance(home, patience_ms=300)
        with pytest.raises(Busy, match=r"busy for over 0\.3 s"), instance.store.write():
            tries += 1
        instance.close()
    assert tries == 0
    wait_until(lambda: Memory.open(home).learn("The gate is green.").outcome == "created")
