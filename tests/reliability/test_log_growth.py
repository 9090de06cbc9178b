"""The write-ahead log stays short beside long readers (bar 14: at most 64 MiB)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from heldtrue import Memory
from heldtrue.domain.limits import WAL_SIZE_LIMIT_BYTES

pytestmark = pytest.mark.without_reader

READER = """
import sys, tempfile, itertools
from pathlib import Path
from heldtrue import Memory
memory = Memory.open(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    for turn in itertools.count():
        assert memory.verify().ok
        memory.export(str(Path(folder) / f"{turn}.jsonl"))
        memory.backup(str(Path(folder) / f"{turn}.db"))
        print(turn, flush=True)
"""


@pytest.mark.covers("B28")
def test_verifying_exporting_and_backing_up_do_not_let_the_log_grow(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Memory.open(home) as memory:
        memory.learn("The log is short")
        reader = subprocess.Popen([sys.executable, "-c", READER, str(home)], stdout=subprocess.PIPE, text=True)
        try:
            assert reader.stdout is not None
            assert reader.stdout.readline().strip() == "0", "the reader is at work"
            largest = 0
            for number in range(1_500):
                memory.learn(f"The lamp {number} hangs in hall {number} and shines on shelf {number}")
                largest = max(largest, (home / "heldtrue.db-wal").stat().st_size)
        finally:
            reader.kill()
            reader.wait()
        assert 1024 * 1024 < largest <= WAL_SIZE_LIMIT_BYTES, (
            "it grew, so it was looked at, and stayed within its limit"
        )
        assert memory.verify().ok
