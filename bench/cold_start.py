"""How long one command takes from a cold shell, against an interpreter that does nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.material import sentences
from holdfast import Memory

ROUNDS = 25
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""As on a user's machine, where compiled modules are kept."""


def _command() -> list[str]:
    installed = Path(sys.executable).with_name("holdfast")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "holdfast"]


def _once(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=_ENVIRONMENT)
    return time.perf_counter() - started


def measure() -> list[dict[str, float | str]]:
    """Best of many, the two taken in turn; the best is the one least disturbed by other work."""
    with tempfile.TemporaryDirectory() as folder:
        home = f"{folder}/home"
        with Memory.open(home) as memory:
            memory.learn_many([{"content": text} for text in sentences(1_000, seed=7)])
        recall = [*_command(), "--home", home, "recall", "who prefers Postgres for the scheduler?"]
        learn = [*_command(), "--home", home, "learn"]
        for command in (recall, [*learn, "The first run compiles the modules"]):
            _once(command)
        nothing, recalls, learns = [], [], []
        for turn in range(ROUNDS):
            nothing.append(_once([sys.executable, "-c", "pass"]))
            recalls.append(_once(recall))
            learns.append(_once([*learn, f"The lamp number {turn} stands in room {turn}"]))
    floor = min(nothing)
    return [
        {"what": "python -c pass, ms", "value": f"{floor * 1000:.1f}"},
        {"what": "holdfast recall, ms", "value": f"{min(recalls) * 1000:.1f}"},
        {"what": "  times python -c pass", "value": f"{min(recalls) / floor:.1f}", "bar": "at most 8"},
        {"what": "holdfast learn, ms", "value": f"{min(learns) * 1000:.1f}"},
        {"what": "  times python -c pass", "value": f"{min(learns) / floor:.1f}"},
    ]
