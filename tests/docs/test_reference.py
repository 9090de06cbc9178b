"""The generated pages and the type stub say what the code says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.covers("A19", "A26")
@pytest.mark.parametrize("tool", ["tools/reference.py", "tools/stubs.py", "tools/examples.py", "tools/typescript.py"])
def test_generated_files_are_current(tool: str) -> None:
    done = subprocess.run([sys.executable, tool, "--check"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
