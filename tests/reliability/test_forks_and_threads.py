"""A fork, a crowd of short-lived threads and a full disk lose nothing and claim nothing false."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from heldtrue import Memory

pytestmark = pytest.mark.without_reader

FORKING = """
import os, sys
from heldtrue import Memory
memory = Memory.open(sys.argv[1])
memory.learn("The parent fact is alpha")
(child_said, tell_parent), (parent_said, tell_child) = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    memory.learn("The child fact is beta")
    os.write(tell_parent, b"!")
    os.read(parent_said, 1)
    for number in range(5):
        memory.learn(f"The late fact {number} concerns item {number}")
    os._exit(0)
os.read(child_said, 1)
memory.learn("The parent fact is gamma ray")
memory.close()
os.write(tell_child, b"!")
os.waitpid(child, 0)
"""


@pytest.mark.covers("B28")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_memory_opened_before_a_fork_may_be_used_on_both_sides(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", FORKING, str(tmp_path / "home")], check=True, timeout=60)
    with Memory.open(tmp_path / "home") as memory:
        assert memory.status().ledger_entries == 8
        assert memory.verify().ok
        assert memory.learn("Writing goes on").outcome == "created"


CROWDED = """
import os, sys, threading
from heldtrue import Memory
memory = Memory.open(sys.argv[1])
kept, failed = [], []
def write(name):
    for number in range(60):
        try:
            kept.append(memory.learn(f"Thread {name} put jar {number} on shelf {number}").outcome)
        except Exception as problem:
            failed.append(problem)
threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
for thread in threads:
    thread.start()
for _turn in range(20):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
for thread in threads:
    thread.join()
assert not failed, failed
assert len(kept) == 180
"""


@pytest.mark.covers("B28")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_forking_beside_writing_threads_fails_no_write(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", CROWDED, str(tmp_path / "home")], check=True, timeout=90)
    with Memory.open(tmp_path / "home") as memory:
        assert memory.status().active == 180
        assert memory.verify().ok


@pytest.mark.covers("B28")
def test_the_connection_of_a_thread_ends_with_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as memory:
        memory.learn("The thread is red")
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        files = Path("/proc/self/fd")
        open_now = len(list(files.iterdir())) if files.exists() else 100
        resource.setrlimit(resource.RLIMIT_NOFILE, (open_now + 40, hard))
        try:
            found: list[int] = []
            for _turn in range(60):
                thread = threading.Thread(target=lambda: found.append(len(memory.recall("thread").results)))
                thread.start()
                thread.join()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert found == [1] * 60


@pytest.mark.covers("C18")
def test_verifying_beside_other_writers_raises_no_false_alarm(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home") as memory, Memory.open(tmp_path / "home") as other:
        for number in range(20):
            memory.learn(f"The lamp {number} is lit in hall {number}")
        memory.recall("lamp")
        for number in range(60):
            other.learn(f"The door {number} is shut in hall {number}")
        assert memory.verify().problems == []
        stop = threading.Event()

        def write() -> None:
            for number in range(2_000):
                if stop.is_set():
                    return
                other.learn(f"The window {number} is open in hall {number}")

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for _turn in range(25):
                assert memory.verify().problems == []
                assert memory.status().warnings == []
        finally:
            stop.set()
            writer.join()
