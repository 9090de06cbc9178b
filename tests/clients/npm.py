"""npm for tests: the packages of a folder, installed once from its lock file."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_STAMP = ".installed-lock"
_ENVIRONMENT = os.environ | {
    "npm_config_audit": "false",
    "npm_config_fund": "false",
    "npm_config_update_notifier": "false",
    "npm_config_prefer_offline": "true",
    "npm_config_loglevel": "error",
}


def install_packages(folder: Path) -> None:
    """Bring node_modules in line with the lock file, where it is not already; no package may run a script."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("Node.js with npm is not installed, and this test runs a program with it")
    lock = folder / "package-lock.json"
    with alone(lock):
        stamp = folder / "node_modules" / _STAMP
        wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
        if not stamp.exists() or stamp.read_text() != wanted:
            run_tool("npm", "ci", "--ignore-scripts", folder=folder)
            stamp.write_text(wanted)


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """Let tests that run beside this one in other processes wait until it is done."""
    with file.open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def run_tool(*command: str, folder: Path, seconds: float = 120, **environment: str) -> str:
    """What a tool printed; where it fails, the test does, with all that it said."""
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=seconds,
        env=_ENVIRONMENT | environment,
        check=False,
    )
    assert done.returncode == 0, f"$ {' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout
