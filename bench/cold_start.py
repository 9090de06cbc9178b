"""How long one command takes from a cold shell, against an interpreter that does nothing."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from bench.material import sentences
from heldtrue import Memory
from heldtrue.wiring.settings import SETTINGS_FILE

ROUNDS = 25
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""As on a user's machine, where compiled modules are kept."""


def _command() -> list[str]:
    installed = Path(sys.executable).with_name("heldtrue")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "heldtrue"]


def _once(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=_ENVIRONMENT)
    return time.perf_counter() - started


def _first_answer(home: str, tool: str, arguments: dict[str, Any]) -> float:
    """Seconds of CPU until an agent that connects by MCP has the answer to its first call."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    asked = [("initialize", hello), ("tools/list", {}), ("tools/call", {"name": tool, "arguments": arguments})]
    command = [*_command(), "--home", home, "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_ENVIRONMENT) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for number, (method, params) in enumerate(asked):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            assert "result" in json.loads(server.stdout.readline())
        spent = psutil.Process(server.pid).cpu_times()
        server.stdin.close()
    return float(spent.user + spent.system)


def _cpu_figure(what: str, seconds: list[float]) -> dict[str, float | str]:
    """CPU is counted for the process alone, so most runs say the same; the best one is told beside the middle one."""
    middle = f"{statistics.median(seconds):.2f} ({min(seconds):.2f})"
    return {"what": f"mcp, CPU s to the first {what}: median (best)", "value": middle, "bar": "at most 0.30"}


def measure() -> list[dict[str, float | str]]:
    """Of times the best of many, all taken in turn; the best is the one least disturbed by other work."""
    with tempfile.TemporaryDirectory() as folder:
        home = f"{folder}/home"
        with Memory.open(home) as memory:
            memory.learn_many([{"content": text} for text in sentences(1_000, seed=7)])
        bare = f"{folder}/bare"
        shutil.copytree(home, bare)
        Path(bare, SETTINGS_FILE).write_text('[recall]\nvector_model = "none"\n')
        question = ["recall", "who prefers Postgres for the scheduler?"]
        recall, by_words = [*_command(), "--home", home, *question], [*_command(), "--home", bare, *question]
        learn = [*_command(), "--home", home, "learn"]
        for command in (recall, by_words, [*learn, "The first run compiles the modules"]):
            _once(command)
        nothing, recalls, by_word, learns, first_recalls, first_learns = [], [], [], [], [], []
        for turn in range(ROUNDS):
            nothing.append(_once([sys.executable, "-c", "pass"]))
            recalls.append(_once(recall))
            by_word.append(_once(by_words))
            learns.append(_once([*learn, f"The lamp number {turn} stands in room {turn}"]))
            first_recalls.append(_first_answer(home, "memory_recall", {"context": "who prefers Postgres?"}))
            first_learns.append(_first_answer(home, "memory_learn", {"content": f"Lamp {turn} stands in hall {turn}"}))
    floor = min(nothing)
    return [
        {"what": "python -c pass, ms", "value": f"{floor * 1000:.1f}"},
        {"what": "heldtrue recall by words, ms", "value": f"{min(by_word) * 1000:.1f}"},
        {"what": "  times python -c pass", "value": f"{min(by_word) / floor:.1f}", "bar": "at most 8"},
        {"what": "heldtrue recall with the table of vectors, ms", "value": f"{min(recalls) * 1000:.1f}"},
        {"what": "  times python -c pass", "value": f"{min(recalls) / floor:.1f}"},
        {"what": "heldtrue learn, ms", "value": f"{min(learns) * 1000:.1f}"},
        {"what": "  times python -c pass", "value": f"{min(learns) / floor:.1f}"},
        _cpu_figure("recall", first_recalls),
        _cpu_figure("learn", first_learns),
    ]
