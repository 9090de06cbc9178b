"""What auditing and moving a larger history costs, and that upkeep does not hold writers up."""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path

from bench.material import sentences
from heldtrue import Memory

MEMORIES = 20_000


def _seconds(work: object) -> float:
    started = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - started


def measure() -> list[dict[str, float | str]]:
    """Verify, export, import, backup and restore of 20,000 memories."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Memory.open(folder / "home") as memory, Memory.open(folder / "copy") as copy:
            texts = [{"content": text} for text in sentences(MEMORIES, seed=9)]
            fill = _seconds(lambda: [memory.learn_many(texts[i : i + 1000]) for i in range(0, MEMORIES, 1000)])
            verify = _seconds(memory.verify)
            export = _seconds(lambda: memory.export(str(folder / "all.jsonl")))
            backup, waited = _backup_beside_writer(memory, folder)
            restore = _seconds(lambda: copy.restore_backup(str(folder / "backup.db")))
            records = memory.verify().records
    return [
        {"what": "memories learned in batches, a second", "value": f"{MEMORIES / fill:,.0f}"},
        {"what": "records verified a second", "value": f"{records / verify:,.0f}", "bar": "at least 20,000"},
        {"what": "ledger entries exported a second", "value": f"{MEMORIES / export:,.0f}"},
        {"what": "verified backup, s", "value": f"{backup:.2f}"},
        {"what": "  longest wait of a writer beside it, ms", "value": f"{waited * 1000:.0f}"},
        {"what": "ledger entries restored a second", "value": f"{MEMORIES / restore:,.0f}"},
    ]


def _backup_beside_writer(memory: Memory, folder: Path) -> tuple[float, float]:
    longest, stop = 0.0, threading.Event()

    def write() -> None:
        nonlocal longest
        for text in sentences(100_000, seed=11):
            if stop.is_set():
                return
            longest = max(longest, _seconds(lambda text=text: memory.learn(text)))

    writer = threading.Thread(target=write)
    writer.start()
    took = _seconds(lambda: memory.backup(str(folder / "backup.db")))
    stop.set()
    writer.join()
    return took, longest
