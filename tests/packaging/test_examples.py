"""The programs in examples/ run as they are, and print what they promise to show."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.environments import PROJECT, offline

EXAMPLES = PROJECT / "examples"
SHOWN = {
    "two_agents.py": [
        "  codex:  created",
        "  gemini: The staging database lives in Frankfurt [unconfirmed]",
        "  gemini: pending",
        "  codex:  The staging database lives in Frankfurt [conflicting, unconfirmed]",
        "  agent:codex says: The staging database lives in Frankfurt",
        "  agent:gemini says: The staging database lives in Dublin",
        "  codex:  The staging database lives in Dublin [no warnings]",
        "  codex:  refused",
    ],
    "agent_loop.py": [
        "user:      Please remember: we deploy the shop on Tuesdays.",
        "           created: We deploy the shop on Tuesdays (note)",
        "           created: The user prefers short answers (preference)",
        "user:      When do we deploy the shop?",
        "assistant: We deploy the shop on Tuesdays",
        "           used 1 of 1 recalled memories",
    ],
    "audit.py": [
        "  Invoices are kept for ten years",
        "  Invoices are kept for six years",
        "  2026-03-02  learn by agent:codex: active",
        "  2026-03-02  approve by person:owner: active",
        "  2026-05-04  correct by person:owner: superseded",
        "  evidence: wiki/finance.md:8, given by agent:codex",
        "  the auditor showed us the law; since then: Invoices are kept for ten years",
        "Is the history intact? True: 3 entries, 15 records checked",
        "Is the history intact? False: 1 problem found",
    ],
}


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_prints_what_it_shows(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / name],
        cwd=tmp_path,
        env=offline(HOME=str(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = iter(done.stdout.splitlines())
    missing = [line for line in SHOWN[name] if line not in printed]
    assert missing == [], done.stdout
    assert list(tmp_path.iterdir()) == [], "an example leaves nothing behind"


def test_every_example_is_run_and_listed() -> None:
    programs = {path.name for path in EXAMPLES.glob("*.py")}
    assert programs == set(SHOWN)
    page = (EXAMPLES / "README.md").read_text("utf-8")
    assert all(f"[{name}]({name})" in page for name in programs)
