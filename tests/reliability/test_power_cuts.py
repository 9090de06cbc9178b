"""A power cut at any instant loses nothing that was acknowledged, whatever the disk had not yet written (bar 2).

A real writer runs under a recorder (`recorder.c`, by LD_PRELOAD) that logs every write and every sync of its home. A
cut is a point in that log: what was synced by then is kept, and of the rest any 512-byte sectors, or none.
"""

from __future__ import annotations

import os
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from heldtrue import HeldtrueError, Memory
from heldtrue.wiring.known_homes import KnownHome
from tests.acceptance.homes import times

CUTS, SECTOR = 200, 512
HEADER = struct.Struct("<c3xIqq")
WRITER = """
import os, sys
from heldtrue import Memory
from tests.reliability.workers import describe_machine
home = sys.argv[1]
said = os.open(os.path.join(home, "acknowledged"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
for start in (0, 150):
    with Memory.open(home, agent="writer") as memory:
        for number in range(start, start + 150):
            os.write(said, memory.learn(describe_machine(1, number)).memory.id.encode() + b"\\n")
            if number % 70 == 69:
                memory.maintain()
"""
Event = tuple[str, str, int, bytes]

pytestmark = pytest.mark.skipif(
    shutil.which("gcc") is None or not sys.platform.startswith("linux"), reason="the recorder needs gcc and Linux"
)


def read_log(path: Path) -> Iterator[Event]:
    """What was done, to which file, where, with which bytes."""
    raw, place = path.read_bytes(), 0
    while place < len(raw):
        operation, path_length, offset, length = HEADER.unpack_from(raw, place)
        place += HEADER.size
        name = Path(os.fsdecode(raw[place : place + path_length])).name
        place += path_length
        data = raw[place : place + length] if operation == b"w" else b""
        place += len(data)
        yield operation.decode(), name, offset, data


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    """The log of a writer that opened a home twice, with upkeep in between, and closed it."""
    folder = tmp_path_factory.mktemp("recorded")
    library, log, home = folder / "recorder.so", folder / "log", folder / "home"
    home.mkdir()
    source = Path(__file__).with_name("recorder.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"], check=True)
    environment = os.environ | {
        "LD_PRELOAD": str(library),
        "RECORD_FOLDER": str(home.resolve()),
        "RECORD_LOG": str(log),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    subprocess.run([sys.executable, "-c", WRITER, str(home)], check=True, env=environment, timeout=120)
    return list(read_log(log))


class Disk:
    """Files of which only the synced part is sure to survive."""

    def __init__(self, *, syncs: bool = True) -> None:
        self.syncs = syncs
        self.durable: dict[str, bytearray] = {}
        self.waiting: dict[str, list[Event]] = {}

    def take(self, event: Event) -> None:
        operation, name, _, _ = event
        if operation == "u":
            self.durable.pop(name, None)
            self.waiting.pop(name, None)
        elif operation == "s":
            if self.syncs:
                self._settle(name, self.waiting.pop(name, []))
        else:
            self.waiting.setdefault(name, []).append(event)

    def cut(self, chance: random.Random) -> dict[str, bytes]:
        """The files after the power is gone: each unsynced sector made it, or not."""
        share = chance.choice((0.0, 0.5, 1.0, chance.random()))
        for name, events in self.waiting.items():
            kept = [piece for event in events for piece in _sectors(event) if chance.random() < share]
            self._settle(name, kept)
        return {name: bytes(content) for name, content in self.durable.items()}

    def _settle(self, name: str, events: list[Event]) -> None:
        content = self.durable.setdefault(name, bytearray())
        for operation, _, offset, data in events:
            if operation == "t":
                del content[offset:]
                content.extend(bytes(offset - len(content)))
            else:
                content.extend(bytes(max(0, offset + len(data) - len(content))))
                content[offset : offset + len(data)] = data


def _sectors(event: Event) -> Iterator[Event]:
    operation, name, offset, data = event
    if operation != "w":
        yield event
        return
    start = 0
    while start < len(data):
        end = start + SECTOR - (offset + start) % SECTOR
        yield "w", name, offset + start, data[start:end]
        start = end


def cut_power(events: list[Event], chance: random.Random, folder: Path, *, syncs: bool) -> tuple[Path, set[str]]:
    """A home as a cut at a random point leaves it, and what had been acknowledged by then."""
    disk, acknowledged = Disk(syncs=syncs), bytearray()
    for event in events[: chance.randrange(1, len(events))]:
        if event[1] == "acknowledged":
            acknowledged += event[3]
        elif not event[1].endswith("-shm"):
            disk.take(event)
    home = folder / "home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    for name, content in disk.cut(chance).items():
        (home / name).write_bytes(content)
    return home, set(acknowledged.decode().split())


def judge(home: Path, acknowledged: set[str]) -> str:
    """`whole` if all that was acknowledged is there and verifies, else what is wrong."""
    KnownHome(home).file.path.unlink(missing_ok=True)  # each cut is another world: the next knows nothing of this one
    try:
        with Memory.open(home) as memory:
            held = {item.id for item in memory.list(limit=1_000).items}
            report = memory.verify()
            if not report.ok:
                return f"{report.problems[0].what}: {report.problems[0].detail}"
            lost = acknowledged - held
            return f"lost {len(lost)}" if lost else "whole"
    except HeldtrueError as problem:
        return problem.message


@pytest.mark.slow
@pytest.mark.covers("B28", "D2")
def test_a_power_cut_loses_nothing_that_was_acknowledged(recorded: list[Event], tmp_path: Path) -> None:
    chance = random.Random(3)
    assert sum(event[0] == "s" for event in recorded) > 300, "every commit was made durable"
    verdicts = []
    for _ in range(times(CUTS)):
        home, acknowledged = cut_power(recorded, chance, tmp_path, syncs=True)
        verdicts.append(judge(home, acknowledged))
    assert [verdict for verdict in verdicts if verdict != "whole"] == []


@pytest.mark.covers("B28")
def test_on_a_disk_that_lies_about_syncing_the_same_cuts_do_lose(recorded: list[Event], tmp_path: Path) -> None:
    chance = random.Random(3)
    verdicts = [judge(*cut_power(recorded, chance, tmp_path, syncs=False)) for _ in range(20)]
    assert [verdict for verdict in verdicts if verdict != "whole"], "so the cuts do cut"
