"""Work that nobody waits for: done soon, done once, finished at the end, and never a burden to anyone."""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import sys
import threading
import time
import weakref
from functools import partial
from pathlib import Path

import pytest

import heldtrue as package
from heldtrue.wiring import background as module
from heldtrue.wiring.background import BackgroundThread
from tests.waiting import wait_until

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(package.__file__).parents[1])}
AT_ONCE, NEVER = 0.0, 3_600.0


def workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "heldtrue-background"]


def run_script(script: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A Python of its own, which must end well."""
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, timeout=60, env=ENVIRONMENT, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


def test_there_is_no_thread_until_there_is_work() -> None:
    before = len(workers())
    background = BackgroundThread()
    assert len(workers()) == before
    done = threading.Event()
    background.later("a job", done.set, delay_s=AT_ONCE)
    assert done.wait(10)
    assert len(workers()) == before + 1
    background.drain(1)
    wait_until(lambda: len(workers()) == before)


def test_a_job_runs_after_its_delay_in_a_thread_of_its_own() -> None:
    background = BackgroundThread()
    ran: list[tuple[str, bool]] = []

    def note(name: str) -> None:
        ran.append((name, threading.current_thread().daemon))

    background.later("a job", partial(note, "a job"), delay_s=0.1)
    background.later("one without a delay", partial(note, "one without a delay"), delay_s=AT_ONCE)
    wait_until(lambda: len(ran) == 2)
    assert ran == [("one without a delay", True), ("a job", True)], "the threads keep no process alive"
    background.drain(1)


def test_a_job_that_waits_already_is_not_added_twice_but_moved_forward() -> None:
    background = BackgroundThread()
    ran: list[int | str] = []
    for number in range(5):
        background.later("a job", partial(ran.append, number), delay_s=NEVER)
    background.later("another", lambda: ran.append("another"), delay_s=NEVER)
    background.later("a job", lambda: ran.append("late"), delay_s=AT_ONCE)
    wait_until(lambda: ran)
    background.later("a third", lambda: ran.append("a third"), delay_s=AT_ONCE)
    wait_until(lambda: len(ran) > 1)
    assert ran == [0, "a third"], "once, and the other one still waits"
    background.later("a job", lambda: ran.append("again"), delay_s=AT_ONCE)
    wait_until(lambda: len(ran) == 3)
    assert ran == [0, "a third", "again"], "what has run may be asked for again"
    background.drain(1)
    assert ran == [0, "a third", "again", "another"]


def test_draining_runs_what_waits_here_and_now() -> None:
    background, ran = BackgroundThread(), []

    def note(name: str) -> None:
        ran.append((name, threading.get_ident()))

    for name in "abc":
        background.later(name, partial(note, name), delay_s=NEVER)
    background.drain(1)
    assert ran == [(name, threading.get_ident()) for name in "abc"]
    background.drain(1)
    assert len(ran) == 3


def test_draining_waits_for_the_job_that_is_under_way() -> None:
    background, order = BackgroundThread(), []
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        assert go_on.wait(10)
        order.append("under way")

    background.later("slow", slow, delay_s=AT_ONCE)
    assert begun.wait(10)
    background.later("next", lambda: order.append("next"), delay_s=NEVER)
    threading.Timer(0.1, go_on.set).start()
    background.drain(10)
    assert order == ["under way", "next"]


def test_draining_begins_nothing_after_its_time_and_does_not_wait_for_ever() -> None:
    background = BackgroundThread()
    go_on = threading.Event()
    ran: list[str] = []

    def wait_slowly() -> None:
        go_on.wait(60)
        ran.append("slow")

    background.later("slow", wait_slowly, delay_s=AT_ONCE)
    wait_until(lambda: not background._runner._waiting)
    background.later("first", lambda: time.sleep(0.1), delay_s=NEVER)
    background.later("second", lambda: ran.append("second"), delay_s=NEVER)
    background.drain(0.05)
    assert ran == [], "it came back before the slow one was done"
    go_on.set()
    background.drain(10)
    assert ran == ["slow", "second"], "it was not lost either"


def test_what_is_optional_is_done_in_time_and_left_out_at_the_end() -> None:
    background, ran = BackgroundThread(), []
    background.later("polish", lambda: ran.append("polish"), delay_s=AT_ONCE, optional=True)
    wait_until(lambda: ran)
    background.later("polish", lambda: ran.append("again"), delay_s=NEVER, optional=True)
    background.later("save", lambda: ran.append("save"), delay_s=NEVER)
    background.drain(1)
    assert ran == ["polish", "save"]


def test_a_job_that_asks_for_another_try_while_draining_does_not_get_it() -> None:
    background, tries = BackgroundThread(), []

    def try_again() -> None:
        tries.append(1)
        background.later("stubborn", try_again, delay_s=AT_ONCE)

    background.later("stubborn", try_again, delay_s=NEVER)
    background.drain(1)
    assert (len(tries), len(background._runner._waiting)) == (1, 0)
    background.later("stubborn", try_again, delay_s=AT_ONCE)
    wait_until(lambda: len(tries) > 2)
    background.drain(1)


def test_a_failure_is_told_once_counted_and_over_when_it_is_over(caplog: pytest.LogCaptureFixture) -> None:
    background, healthy = BackgroundThread(), False

    def work() -> None:
        if not healthy:
            raise OSError("the disk is on fire")

    with caplog.at_level(logging.WARNING, "heldtrue"):
        for _turn in range(3):
            background.later("burning", work, delay_s=NEVER)
            background.later("silent", lambda: 1 / 0, delay_s=NEVER)
            background.drain(1)
    assert background.failures == {"burning": "the disk is on fire", "silent": "division by zero"}
    assert background.failure_counts == {"burning": 3, "silent": 3}
    told = [record for record in caplog.records if "burning" in record.getMessage()]
    assert [record.getMessage() for record in told] == ["burning failed: the disk is on fire"]
    assert told[0].exc_info is None, "without a traceback"
    healthy = True
    background.later("burning", work, delay_s=NEVER)
    background.drain(1)
    assert background.failures == {"silent": "division by zero"}


def test_a_failure_does_not_end_the_thread() -> None:
    background, done = BackgroundThread(), threading.Event()
    background.later("broken", lambda: 1 / 0, delay_s=AT_ONCE)
    wait_until(lambda: background.failures)
    background.later("a job", done.set, delay_s=AT_ONCE)
    assert done.wait(10)
    background.drain(1)


def test_it_keeps_nothing_alive() -> None:
    class Space:
        def __init__(self) -> None:
            self.background = BackgroundThread()
            self.done = 0

        def work(self) -> None:
            self.done += 1

    spaces = [Space()]
    spaces[0].background.later("a job", spaces[0].work, delay_s=AT_ONCE)
    wait_until(lambda: spaces[0].done)
    known = weakref.ref(spaces.pop())
    wait_until(lambda: gc.collect() is not None and known() is None)


def test_the_thread_ends_when_there_has_been_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BACKGROUND_LINGER_SECONDS", 0.05)
    before, background, ran = len(workers()), BackgroundThread(), []
    for turn in range(2):
        background.later("a job", lambda: ran.append(1), delay_s=AT_ONCE)
        wait_until(lambda: len(ran) > turn)  # noqa: B023
        wait_until(lambda: len(workers()) == before)


def test_without_a_thread_to_be_had_the_work_is_done_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    background, ran = BackgroundThread(), []
    monkeypatch.setattr(threading.Thread, "start", refuse)
    background.later("a job", lambda: ran.append(1), delay_s=NEVER)
    assert ran == [1]
    monkeypatch.undo()
    background.later("a job", lambda: ran.append(2), delay_s=AT_ONCE)
    wait_until(lambda: ran == [1, 2])
    background.drain(1)


def test_many_threads_may_ask_at_once() -> None:
    background, ran, lock = BackgroundThread(), [], threading.Lock()

    def ask(name: str) -> None:
        for number in range(200):
            background.later(f"{name}{number}", lambda: ran.append(1), delay_s=AT_ONCE if number % 2 else NEVER)
            if number % 50 == 0:
                with lock:
                    background.drain(5)

    threads = [threading.Thread(target=ask, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    background.drain(10)
    assert len(ran) == 800


AT_EXIT = """
import sys, pathlib
from heldtrue.wiring.background import BackgroundThread
background = BackgroundThread()
background.later("a job", lambda: pathlib.Path(sys.argv[1]).write_text("done"), delay_s=3600)
background.later("broken", lambda: 1 / 0, delay_s=3600)
"""


def test_the_end_of_the_process_runs_what_waits_and_prints_no_traceback(tmp_path: Path) -> None:
    done = run_script(AT_EXIT, str(tmp_path / "file"))
    assert (tmp_path / "file").read_text("utf-8") == "done"
    assert done.stderr == "broken failed: division by zero\n"


FORKED = """
import os, sys, pathlib, threading, time
from heldtrue.wiring.background import BackgroundThread
file = pathlib.Path(sys.argv[1])
def note(what):
    with file.open("a") as opened:
        opened.write(what + " " + ("here" if os.getpid() == parent else "there") + chr(10))
parent = os.getpid()
background = BackgroundThread()
background.later("of the parent", lambda: note("parent"), delay_s=3600)
go_on = threading.Event()
background.later("under way", lambda: go_on.wait(20), delay_s=0)
while len(background._runner._waiting) > 1:
    time.sleep(0.001)
for _turn in range(3):
    child = os.fork()
    if child == 0:
        background.later("of the child", lambda: note("child"), delay_s=0)
        while not file.exists() or "child there" not in file.read_text():
            time.sleep(0.001)
        background.later("of the child at its end", lambda: note("end"), delay_s=3600)
        sys.exit()
    assert os.waitpid(child, 0)[1] == 0
    assert file.read_text() == "child there" + chr(10) + "end there" + chr(10)
    file.unlink()
go_on.set()
background.drain(10)
assert file.read_text() == "parent here" + chr(10)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_a_thread_of_its_own_and_leaves_the_parents_jobs_to_the_parent(tmp_path: Path) -> None:
    run_script(FORKED, str(tmp_path / "file"))
    assert (tmp_path / "file").read_text("utf-8") == "parent here\n"
