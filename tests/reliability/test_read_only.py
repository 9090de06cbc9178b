"""A home on a read-only file system can be read, and says what it is."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from heldtrue import Memory
from tests.surfaces.conftest import ENVIRONMENT, Done

SCRIPT = """
set -e
mount --bind "$0" "$0"
mount -o remount,ro,bind "$0"
exec "$@"
"""

pytestmark = pytest.mark.skipif(
    shutil.which("unshare") is None
    or subprocess.run(["unshare", "--mount", "--map-root-user", "true"], check=False, capture_output=True).returncode
    != 0,
    reason="mounting a folder read-only needs a namespace of its own",
)


def run_read_only(home: Path, *words: str) -> Done:
    """A command, in a world where the home is mounted read-only."""
    done = subprocess.run(
        ["unshare", "--mount", "--map-root-user", "sh", "-c", SCRIPT, str(home),
         sys.executable, "-m", "heldtrue", "--home", str(home), *words],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return Done(done.returncode, done.stdout, " ".join(done.stderr.split()))


def fill(home: Path, *, log: str) -> None:
    """A home whose last write is in the database, in the log, or in a log without its index."""
    with Memory.open(home) as memory:
        memory.learn("The bell rings at noon.")
    if log == "none":
        return
    script = (
        "import os, sys; from heldtrue import Memory; memory = Memory.open(sys.argv[1]); "
        "memory.learn('The gate is green.'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", script, str(home)], env=ENVIRONMENT, check=True)
    if log == "without index":
        (home / "heldtrue.db-shm").unlink()


@pytest.mark.covers("B8")
@pytest.mark.parametrize("log", ["none", "whole", "without index"])
def test_everything_that_reads_works_on_a_read_only_file_system(tmp_path: Path, log: str) -> None:
    home = tmp_path / "home"
    fill(home, log=log)
    expected = 1 if log == "none" else 2
    status = json.loads(run_read_only(home, "status", "--json").out)
    assert status["active"] == expected
    assert any("read-only" in warning for warning in status["warnings"])
    assert "bell" in run_read_only(home, "recall", "bell").out
    assert "bell" in run_read_only(home, "inject", "when does the bell ring?").out
    assert len(json.loads(run_read_only(home, "list", "--json").out)["items"]) == expected
    verified = run_read_only(home, "verify")
    assert (verified.status, verified.err) == (0, "")
    for verb in ("export", "backup"):
        target = tmp_path / f"{verb}-{log.replace(' ', '-')}"
        done = run_read_only(home, verb, str(target))
        assert (done.status, target.exists()) == (0, True), done.err
    refused = run_read_only(home, "learn", "The shed is red.")
    assert refused.status == 7
    assert "cannot be written" in refused.err


@pytest.mark.covers("B8")
def test_a_service_on_a_read_only_file_system_answers_and_says_so(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Memory.open(home) as memory:
        memory.learn("The bell rings at noon.")
        token = memory.rotate_agent("owner").token
    script = """
import json, subprocess, sys, urllib.error, urllib.request
server = subprocess.Popen([sys.executable, "-m", "heldtrue", "--home", sys.argv[1], "--json", "serve", "--port", "0"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
url = json.loads(server.stdout.readline())["url"]
def ask(path, body=None):
    headers = {"Authorization": "Bearer " + sys.argv[2], "Content-Type": "application/json"}
    request = urllib.request.Request(url + path, None if body is None else json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as problem:
        return problem.code, problem.read().decode()
told = [ask("/readyz"), ask("/v1/recall?context=bell"), ask("/v1/memories", {"content": "The shed is red."})]
server.terminate()
server.wait()
print(json.dumps(told))
"""
    world = ["unshare", "--mount", "--map-root-user", "sh", "-c", SCRIPT, str(home)]
    done = subprocess.run(
        [*world, sys.executable, "-c", script, str(home), str(token)],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=90, check=True,
    )  # fmt: skip
    ready, recalled, learned = json.loads(done.stdout)
    assert (ready[0], "read-only" in ready[1]) == (200, True)
    assert (recalled[0], "bell" in recalled[1]) == (200, True)
    assert (learned[0], "read_only" in learned[1]) == (507, True)
