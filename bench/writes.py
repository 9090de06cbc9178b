"""How fast memories are written, against a bare loop that commits one row at a time with the same settings."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

import apsw

from bench.material import sentences
from heldtrue import Memory

SINGLES = 400
BATCH = 1_000
ROUNDS = 5


def _rate(count: int, work: Callable[[], object]) -> tuple[float, float]:
    """Things done a second, and CPU milliseconds for each."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return count / (time.perf_counter() - wall), (time.process_time() - cpu) * 1000 / count


def bare_loop(folder: Path, texts: Sequence[str]) -> tuple[float, float]:
    """What every write is held against: one row a transaction, with our settings; rate and CPU as of `_rate`."""
    connection = apsw.Connection(str(folder / f"bare-{time.monotonic_ns()}.db"))
    connection.execute("PRAGMA journal_mode = wal").fetchall()
    connection.execute("PRAGMA synchronous = full").fetchall()
    connection.execute("CREATE TABLE row (id TEXT PRIMARY KEY, content TEXT)").fetchall()

    def work() -> None:
        for text in texts:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO row VALUES (?, ?)", (os.urandom(16).hex(), text))
            connection.execute("COMMIT")

    try:
        return _rate(len(texts), work)
    finally:
        connection.close()


def measure() -> list[dict[str, float | str]]:
    """Rounds of bare loop, single learns and a batch, taken in turn so that a busy disk hits all alike."""
    bare, single, batch = [], [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Memory.open(folder / "home") as memory:
            for text in sentences(200, seed=1):
                memory.learn(text)
            for turn in range(ROUNDS):
                singles = list(sentences(SINGLES, seed=100 + turn))
                bare.append(bare_loop(folder, singles))
                single.append(_rate(SINGLES, partial(_learn_each, memory, singles)))
                many = [{"content": text} for text in sentences(BATCH, seed=200 + turn)]
                batch.append(_rate(BATCH, partial(memory.learn_many, many)))
            kept = memory.status().active
        size = (folder / "home" / "heldtrue.db").stat().st_size / kept
    share = median(run[0] / base[0] for run, base in zip(single, bare, strict=True))
    gain = median(run[0] / alone[0] for run, alone in zip(batch, single, strict=True))
    return [
        {"what": "bare one-row commits a second", "value": f"{median(r for r, _ in bare):,.0f}"},
        {"what": "single learns a second, fully durable", "value": f"{median(r for r, _ in single):,.0f}"},
        {"what": "  as a share of the bare loop", "value": f"{share:.2f}", "bar": "at least 0.40"},
        {"what": "  CPU of one learn, ms", "value": f"{median(c for _, c in single):.2f}", "bar": "at most 1"},
        {"what": f"learns a second in a batch of {BATCH:,}", "value": f"{median(r for r, _ in batch):,.0f}"},
        {"what": "  times the single rate", "value": f"{gain:.1f}", "bar": "20"},
        {"what": "bytes on disk for each memory (no vectors yet)", "value": f"{size:,.0f}", "bar": "at most 2,000"},
    ]


def _learn_each(memory: Memory, texts: Sequence[str]) -> None:
    for text in texts:
        memory.learn(text)
