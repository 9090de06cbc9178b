"""The log of recalls: written a moment later, once, whole, and never at the cost of a recall."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heldtrue as package
from heldtrue.domain.errors import Busy, StorageProblem
from heldtrue.domain.ids import is_id, new_id
from heldtrue.domain.limits import RECALL_LOG_BATCH_MAX
from heldtrue.domain.rows import RecallRow, Use
from heldtrue.recall import log_writer as module
from heldtrue.recall.log_rows import (
    LoggedQuery,
    LoggedRecall,
    LoggedResult,
    make_plain,
    make_row,
    read_query,
    read_results,
    recall_id_of,
)
from heldtrue.recall.log_writer import RecallLog
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore
from heldtrue.wiring.background import BackgroundThread
from tests.waiting import wait_until

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(package.__file__).parents[1])}
NOON = 1_777_885_200_000_000
OpenStore = Callable[[], SqlStore]


@pytest.fixture(params=["memory", "file", "postgres"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens one and the same space, again and again; in memory, the one store there is."""
    opened: list[SqlStore] = []
    space = request.getfixturevalue("postgres_space") if request.param == "postgres" else ""

    def make() -> SqlStore:
        if request.param == "memory" and opened:
            return opened[0]
        if request.param == "postgres":
            from heldtrue.storage.postgres import open_connector

            opened.append(SqlStore(open_connector(request.getfixturevalue("postgres_dsn"), space)))
        else:
            opened.append(SqlStore(SqliteConnector(None if request.param == "memory" else tmp_path / "space.db")))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def background() -> Iterator[BackgroundThread]:
    made = BackgroundThread()
    yield made
    made.drain(10)


@pytest.fixture
def log(open_store: OpenStore, background: BackgroundThread) -> RecallLog:
    return RecallLog(open_store(), background)


def logged_row(**fields: Any) -> RecallRow:
    return make_row(LoggedRecall(**fields))


def row_of(
    number: int, *, at: int | None = None, principal: str = "agent:scout", injected: str | None = None
) -> RecallRow:
    now = NOON + number if at is None else at
    results = [LoggedResult(id=f"memory-{number}", version=1, score=0.5, parts={"text": 0.5})]
    if injected:
        results.append(LoggedResult(id=injected, injected=True))
    return logged_row(
        id=recall_id_of(now=now, parts=[str(number)]),
        now=now,
        principal=principal,
        channel="sdk",
        verb="recall",
        question="?",
        query=LoggedQuery(arguments={"limit": number}),
        tier="items",
        results=results,
        cost={"ms": 1.5},
    )


def logged(store: SqlStore) -> list[str]:
    """The ids that are written, oldest first."""
    with store.read() as reading:
        return [row.id for row in reversed(reading.log.recalls(principal=None, before=2**62, limit=100_000))]


def uses(store: SqlStore, *memory_ids: str) -> dict[str, Use]:
    with store.read() as reading:
        return {use.memory_id: use for use in reading.log.uses(memory_ids)}


class Unwilling:
    """A store that refuses to be written until it is told otherwise."""

    read_only = False

    def __init__(self, store: SqlStore, problem: Exception | None) -> None:
        self._store = store
        self.problem = problem
        self.tries = 0

    def read(self) -> Any:
        return self._store.read()

    def write(self, *, patience_ms: int | None = None) -> Any:
        self.tries += 1
        if self.problem is not None:
            raise self.problem
        return self._store.write(patience_ms=patience_ms)


# Ids


@pytest.mark.covers("D21")
def test_the_same_question_at_the_same_moment_has_the_same_id() -> None:
    parts: list[bytes | str] = ["which port?", b"\x00\x01", "limit=3"]
    assert recall_id_of(now=NOON, parts=parts) == recall_id_of(now=NOON, parts=parts)
    others: list[list[bytes | str]] = [
        ["which port?", b"\x00\x01"],
        ["which port", b"?\x00\x01", "limit=3"],
        [*parts, ""],
        [],
    ]
    assert len({recall_id_of(now=NOON, parts=changed) for changed in [parts, *others]}) == 5


@given(st.integers(0, 2**55), st.integers(1, 2**40), st.lists(st.text() | st.binary()))
def test_an_id_has_the_form_of_any_other_and_sorts_by_its_moment(
    now: int, later: int, parts: list[str | bytes]
) -> None:
    first, second = recall_id_of(now=now, parts=parts), recall_id_of(now=now + later, parts=parts)
    assert is_id(first)
    assert first[:18] == new_id(now)[:18]
    assert (first[14], first[19] in "89ab") == ("7", True)
    assert first < second
    assert recall_id_of(now=now, parts=[*parts, "\ud800"]) != first, "any text will do"


# Rows


def test_a_row_tells_what_was_asked_and_what_came_back() -> None:
    given_row = logged_row(
        id="id",
        now=NOON,
        principal="person:owner",
        channel="cli",
        verb="recall",
        question="which port?",
        query=LoggedQuery(arguments={"limit": 3, "kinds": ["note"]}, rewritten="port api"),
        tier="items",
        results=[LoggedResult(id="m", version=2, score=0.75, parts={"text": 0.5, "topic": 0.25}, injected=True)],
        cost={"ms": 1.25, "candidates": 7},
    )
    assert read_query(given_row) == LoggedQuery(arguments={"limit": 3, "kinds": ["note"]}, rewritten="port api")
    assert read_results(given_row)[0].parts == {"text": 0.5, "topic": 0.25}
    assert read_results(given_row)[0].injected
    assert json.loads(given_row.cost) == {"ms": 1.25, "candidates": 7}


TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


def test_no_secret_reaches_the_log() -> None:
    hidden = TOKEN[:10] + "\u200b" + TOKEN[10:]
    for text in (f"what is {TOKEN} for?", f"what is {hidden} for?", {"topic": ["x", f"key {TOKEN}"]}):
        assert TOKEN not in json.dumps(make_plain(text)).replace("\\u200b", "")
        assert "redacted" in json.dumps(make_plain(text))
    assert make_plain("which port?") == "which port?"
    assert make_plain({"limit": 3, "scopes": ["project:x"]}) == {"limit": 3, "scopes": ["project:x"]}


@pytest.mark.parametrize("odd", ["\x00", "a\x00b", "\ud800", "🐈", "\u202e", "a" * 2_000, "'; DROP TABLE recalls; --"])
def test_any_question_can_be_logged(log: RecallLog, open_store: OpenStore, odd: str) -> None:
    log.note(
        logged_row(
            id=recall_id_of(now=NOON, parts=[odd]),
            now=NOON,
            principal="agent:scout",
            channel="sdk",
            verb="recall",
            question=odd,
            query=LoggedQuery(arguments={"topic": odd, "scopes": [odd]}),
            tier="items",
            results=[],
            cost={},
        ),
        [],
    )
    assert log.flush()
    assert logged(open_store()) == [recall_id_of(now=NOON, parts=[odd])]


# Writing


@pytest.mark.covers("B18")
def test_a_recall_is_written_within_half_a_second_and_found_before(
    log: RecallLog, open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store()
    delays: list[float] = []
    later = BackgroundThread.later

    def note_delay(self: BackgroundThread, *given: Any, delay_s: float, **more: Any) -> None:
        delays.append(delay_s)
        later(self, *given, delay_s=delay_s, **more)

    monkeypatch.setattr(BackgroundThread, "later", note_delay)
    log.note(row_of(1, injected="b"), ["a", "b"])
    log.note(row_of(2), ["b"])
    assert (log.find(row_of(1).id), log.waiting) == (row_of(1, injected="b"), 2)
    assert len(delays) == 2
    assert max(delays) <= 0.5
    wait_until(lambda: logged(store))
    assert logged(store) == [row_of(1).id, row_of(2).id]
    wait_until(lambda: log.waiting == 0)
    assert log.find(row_of(1).id) == row_of(1, injected="b")
    assert log.find(row_of(9).id) is None
    found = uses(store, "a", "b", "c")
    assert found["a"] == Use("a", 1, 0, 0, 0, 0.0, NOON + 1)
    assert found["b"] == Use("b", 2, 1, 0, 0, 0.0, NOON + 2)
    assert "c" not in found


def test_a_full_batch_is_written_at_once(
    log: RecallLog, open_store: OpenStore, background: BackgroundThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RECALL_LOG_DELAY_SECONDS", 3_600.0)
    store = open_store()
    for number in range(RECALL_LOG_BATCH_MAX - 1):
        log.note(row_of(number), ["a"])
    background.later("something else", threading.Event().set, delay_s=0.0)
    wait_until(lambda: len(background._runner._waiting) == 1)
    assert (log.waiting, logged(store)) == (RECALL_LOG_BATCH_MAX - 1, []), (
        "something else was done at once, this was not"
    )
    log.note(row_of(RECALL_LOG_BATCH_MAX), ["a"])
    wait_until(lambda: log.waiting == 0)
    assert len(logged(store)) == RECALL_LOG_BATCH_MAX
    assert uses(store, "a")["a"].recalled == RECALL_LOG_BATCH_MAX


@pytest.mark.covers("B18")
def test_the_same_recall_twice_is_one_row_and_counts_once(log: RecallLog, open_store: OpenStore) -> None:
    log.note(row_of(1), ["a"])
    log.note(row_of(1), ["a"])
    assert log.flush()
    log.note(row_of(1), ["a"])
    assert log.flush()
    other = RecallLog(open_store(), BackgroundThread())
    other.note(row_of(1), ["a"])
    assert other.flush()
    assert logged(open_store()) == [row_of(1).id]
    assert uses(open_store(), "a")["a"].recalled == 1
    log.note(row_of(2), ["a"])
    assert log.flush()
    assert uses(open_store(), "a")["a"].recalled == 2, "another one does count"


def test_while_another_holds_the_write_lock_a_recall_goes_on_and_is_logged_afterwards(
    log: RecallLog, open_store: OpenStore
) -> None:
    other, held, release = open_store(), threading.Event(), threading.Event()

    def hold() -> None:
        with other.write():
            held.set()
            assert release.wait(20)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(10)
    log.note(row_of(1), ["a"])
    assert log.find(row_of(1).id) == row_of(1)
    assert holder.is_alive(), "nobody waited for the lock"
    flushed: list[bool] = []
    flusher = threading.Thread(target=lambda: flushed.append(log.flush()))
    flusher.start()
    wait_until(log._writing.locked)
    assert (flushed, log.waiting) == ([], 1), "writing waits"
    release.set()
    flusher.join(20)
    holder.join(20)
    assert flushed == [True]
    assert logged(open_store()) == [row_of(1).id]
    assert uses(open_store(), "a")["a"].recalled == 1


@pytest.mark.parametrize("problem", [Busy(), StorageProblem("the disk is full")])
def test_a_store_that_cannot_be_written_costs_no_recall_and_loses_no_row(
    open_store: OpenStore, background: BackgroundThread, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    monkeypatch.setattr(module, "RECALL_LOG_DELAY_SECONDS", 0.01)
    monkeypatch.setattr(module, "RECALL_LOG_RETRY_SECONDS", 0.02)
    store = open_store()
    unwilling = Unwilling(store, problem)
    log = RecallLog(unwilling, background)  # type: ignore[arg-type]
    for number in range(5):
        log.note(row_of(number), ["a"])
    wait_until(lambda: unwilling.tries > 2)
    assert (log.waiting, log.dropped, log.flush()) == (5, 0, False)
    assert background.failures == {module.JOB: str(problem)}
    assert logged(store) == []
    unwilling.problem = None
    wait_until(lambda: log.waiting == 0)
    assert len(logged(store)) == 5
    wait_until(lambda: not background.failures)


def test_of_too_many_rows_that_wait_the_oldest_go_and_are_counted(
    open_store: OpenStore, background: BackgroundThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RECALL_LOG_WAITING_MAX", 10)
    store = open_store()
    unwilling = Unwilling(store, Busy())
    log = RecallLog(unwilling, background)  # type: ignore[arg-type]
    for number in range(25):
        log.note(row_of(number), ["a"])
    assert (log.waiting, log.dropped) == (10, 15)
    unwilling.problem = None
    assert log.flush()
    assert logged(store) == [row_of(number).id for number in range(15, 25)]


def test_rows_that_no_store_takes_do_not_hold_up_the_others(
    open_store: OpenStore, background: BackgroundThread
) -> None:
    store = open_store()
    unwilling = Unwilling(store, ValueError("what is this?"))
    log = RecallLog(unwilling, background)  # type: ignore[arg-type]
    log.note(row_of(1), [])
    background.drain(5)
    assert (log.waiting, log.dropped) == (0, 1)
    assert background.failures == {module.JOB: "what is this?"}
    unwilling.problem = None
    log.note(row_of(2), [])
    background.drain(5)
    assert logged(store) == [row_of(2).id]


def test_many_threads_log_and_flush_at_once(log: RecallLog, open_store: OpenStore) -> None:
    def work(worker: int) -> None:
        for number in range(60):
            log.note(row_of(worker * 1_000 + number), ["a", f"of {worker}"])
            assert log.find(row_of(worker * 1_000 + number).id) is not None
            if number % 20 == worker:
                assert log.flush()

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert log.flush()
    assert len(logged(open_store())) == 240
    assert uses(open_store(), "a")["a"].recalled == 240
    assert {use.recalled for use in uses(open_store(), *(f"of {worker}" for worker in range(4))).values()} == {60}


# Reading


@pytest.mark.covers("B18")
def test_the_log_is_read_page_by_page_newest_first_with_what_still_waits(log: RecallLog) -> None:
    chance = random.Random(3)
    rows = [
        row_of(number, at=NOON + number // 7, principal="agent:scout" if number % 3 else "agent:other")
        for number in range(60)
    ]
    chance.shuffle(rows)
    for row in rows[:40]:
        log.note(row, [])
    assert log.flush()
    for row in rows[40:]:
        log.note(row, [])
    for principal in (None, "agent:scout", "agent:nobody"):
        wanted = sorted(
            (row for row in rows if principal in (None, row.principal)),
            key=lambda row: (row.recorded_at, row.id),
            reverse=True,
        )
        for limit in (1, 4, 7, 100):
            seen: list[RecallRow] = []
            before = None
            while page := log.rows(principal=principal, before=before, limit=limit):
                assert len(page) <= limit
                seen += page
                before = (page[-1].recorded_at, page[-1].id)
            assert seen == wanted


# Processes

KILLED = """
import sys, time
from pathlib import Path
from heldtrue.recall.log_rows import LoggedRecall, make_row, recall_id_of
from heldtrue.recall.log_writer import RecallLog
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore
from heldtrue.wiring.background import BackgroundThread
log, number = RecallLog(SqlStore(SqliteConnector(Path(sys.argv[1]))), BackgroundThread()), 0
while True:
    now = time.time_ns() // 1000
    row = make_row(LoggedRecall(id=recall_id_of(now=now, parts=[str(number)]), now=now, principal="agent:scout",
                                channel="sdk", verb="recall", question="?"))
    log.note(row, ["a"])
    number += 1
    print(row.id, number - log.waiting, flush=True)
    time.sleep(0.004)
"""


@pytest.mark.covers("B18")
def test_a_kill_loses_only_what_still_waits_to_be_written_and_damages_nothing(tmp_path: Path) -> None:
    chance, everything = random.Random(7), 0
    for round_ in range(4):
        child = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path / "space.db")],
            stdout=subprocess.PIPE, text=True, env=ENVIRONMENT,
        )  # fmt: skip
        assert child.stdout is not None
        said: list[list[str]] = []
        while not said or said[-1][1] == "0":
            said.append(child.stdout.readline().split())
        said += [child.stdout.readline().split() for _ in range(chance.randrange(100))]
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read().splitlines(keepends=True)
        said += [line.split() for line in rest if line.endswith("\n")]
        child.wait()
        child.stdout.close()
        safe = {name for name, _ in said[: max(int(written) for _, written in said)]}
        assert safe, "there was something to lose"
        store = SqlStore(SqliteConnector(tmp_path / "space.db"))
        try:
            kept = logged(store)
            assert safe - set(kept) == set(), round_
            assert len(kept) == len(set(kept)) > everything
            everything = len(kept)
            assert uses(store, "a")["a"].recalled == len(kept), "rows and counts are written together"
            assert store.check_structure() == []
        finally:
            store.close()


FORKED = """
import os, sys, time
from pathlib import Path
from heldtrue.recall.log_rows import LoggedRecall, make_row, recall_id_of
from heldtrue.recall.log_writer import RecallLog
from heldtrue.storage.sqlite.connector import SqliteConnector
from heldtrue.storage.store import SqlStore
from heldtrue.wiring.background import BackgroundThread
store, background = SqlStore(SqliteConnector(Path(sys.argv[1]))), BackgroundThread()
log = RecallLog(store, background)
def note(name):
    row = make_row(LoggedRecall(id=recall_id_of(now=5, parts=[name]), now=5, principal=name, channel="sdk",
                                verb="recall", question="?"))
    log.note(row, [name])
note("parent")
log._held.acquire(); log._writing.acquire()
child = os.fork()
if child == 0:
    assert log.waiting == 0, "what waits is the parent's"
    note("child")
    background.drain(10)
    assert log.waiting == 0
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
log._held.release(); log._writing.release()
assert log.waiting == 1
background.drain(10)
with store.read() as reading:
    found = {row.principal for row in reading.log.recalls(principal=None, before=2**62, limit=10)}
    counts = {use.memory_id: use.recalled for use in reading.log.uses(["parent", "child"])}
assert found == {"parent", "child"}, found
assert counts == {"parent": 1, "child": 1}, counts
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_after_a_fork_each_process_logs_its_own(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKED, str(tmp_path / "space.db")],
        capture_output=True, text=True, timeout=60, env=ENVIRONMENT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
