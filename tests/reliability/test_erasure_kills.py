"""A process that dies in the middle of an erasure: it has not begun, or the next process completes it."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

import pytest

from heldtrue import Memory
from tests.acceptance.homes import recalled, times
from tests.reliability.processes import join, start

pytestmark = pytest.mark.without_reader

WORD = "zanzibar"
STATEMENT = f"The {WORD.title()} relay listens on port 4410"


def erase_statement(home: str, state: str, memory_id: str, ready: str) -> None:
    """Plan an erasure, say so, and carry it out."""
    import os

    os.environ["XDG_STATE_HOME"] = state
    with Memory.open(home) as memory:
        planned = memory.erase(memories=[memory_id], reason="request 4711")
        Path(ready).touch()
        memory.erase(memories=[memory_id], reason="request 4711", confirm=planned.confirm)


def _is_left(home: Path) -> bool:
    return any(WORD.encode() in path.read_bytes().lower() for path in home.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A home with a few hundred memories, one of which is to be erased."""
    home = tmp_path_factory.mktemp("erasing") / "home"
    with Memory.open(home) as memory:
        memory.learn_many([{"content": f"Berth {number} is {number + 20} metres long"} for number in range(300)])
        memory.capture(messages=[{"role": "user", "content": f"{STATEMENT}. Lunch was nice."}], thread="talk")
        found = memory.learn(STATEMENT).memory.id
        memory.recall(f"where does the {WORD} relay listen?")
    return home, found


@pytest.mark.slow
@pytest.mark.covers("X1")
def test_an_erasure_that_is_killed_has_not_begun_or_is_completed_at_the_next_start(
    prepared: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, memory_id = prepared
    chosen = random.Random(7)
    erased = 0
    rounds = times(12)
    for number in range(rounds):
        home, state, ready = tmp_path / f"home-{number}", tmp_path / f"state-{number}", tmp_path / f"ready-{number}"
        shutil.copytree(original, home)
        process = start(erase_statement, str(home), str(state), memory_id, str(ready))
        while not ready.exists():
            time.sleep(0.001)
        time.sleep(chosen.uniform(0, 0.35))
        process.kill()
        join([process])
        monkeypatch.setenv("XDG_STATE_HOME", str(state))
        with Memory.open(home) as memory:
            is_erased = memory.get(memory_id).memory.cause == "erased"
            assert memory.verify(deep=True).problems == []
            # Without the word itself: the question is logged.
            found = STATEMENT in recalled(memory, "on which port does the relay listen?")
            assert "Berth 7 is 27 metres long" in recalled(memory, "how long is berth 7?", limit=5)
            assert found is not is_erased
        assert _is_left(home) is not is_erased
        erased += is_erased
        shutil.rmtree(home)
    assert erased > 0, "some were completed"
