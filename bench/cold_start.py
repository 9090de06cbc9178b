"""How long one command takes from a cold shell, against an interpreter that does nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

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
    return spent.user + spent.system


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
        nothing, recalls, learns, first_recalls, first_learns = [], [], [], [], []
        for turn in range(ROUNDS):
            nothing.append(_once([sys.executable, "-c", "pass"]))
            recalls.append(_once(recall))
            learns.append(_once([*learn, f"The lamp number {turn} stands in room {turn}"]))
            first_recalls.append(_first_answer(home, "memory_recall", {"context": "who prefers Postgres?"}))
            first_learns.append(_first_answer(home, "memory_learn", {"content": f"Lamp {turn} stands in hall {turn}"}))
    floor = min(nothing)
    return [
        {"what": "python -c pass, ms", "value": f"{floor * 1000:.1f}"},
        {"what": "holdfast recall, ms", "value": f"{min(recalls) * 1000:.1f}"},
        {"what": "  times python -c pass", "value": f"{min(recalls) / floor:.1f}", "bar": "at most 8"},
        {"what": "holdfast learn, ms", "value": f"{min(learns) * 1000:.1f}"},
        {"what": "  times python -c pass", "value": f"{min(learns) / floor:.1f}"},
        {"what": "mcp, CPU s to the first recall", "value": f"{min(first_recalls):.2f}", "bar": "at most 0.30"},
        {"what": "mcp, CPU s to the first learn", "value": f"{min(first_learns):.2f}", "bar": "at most 0.30"},
    ]
