"""A server keeps its home in order by itself: what is overdue runs, with the settings of the home."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from heldtrue import ManualClock, Memory
from tests.service.server import Server
from tests.waiting import wait_until

SETTINGS = """
[recall]
vector_model = "none"
[retention]
retracted_days = 1
[[retention.rules]]
source = "conversation"
days = 2
"""


@pytest.mark.covers("A32")
def test_a_server_compacts_by_its_schedule_and_logs_what_it_archived(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "heldtrue.toml").write_text(SETTINGS, "utf-8")
    with Memory.open(home, clock=ManualClock(datetime.now(UTC) - timedelta(days=3))) as owner:
        codex = owner.as_agent("codex")
        owner.work()  # from here on the nightly job can be overdue
        gone = [
            codex.learn("The daily queue has nine jobs.", staleness="daily").memory.id,
            owner.learn("The hourly queue has two jobs.", staleness="hourly").memory.id,
            codex.learn("The gauge may read four bar.", confidence=0.2).memory.id,
            codex.learn("The ferry leaves at nine.").memory.id,
        ]
        owner.forget(gone[-1], reason="it was cancelled")
        kept = codex.learn("The lamp is on the left wall.").memory.id
        talk = [{"name": "Mira", "content": "The heron stands in the reeds."}]
        owner.capture(messages=talk, thread="monday", extract=False)
        assert owner.recall("heron reeds", within=["sessions"]).results, "the control: it can be found"
    running = Server(home).start()
    try:
        memory = running.owner()
        wait_until(lambda: [job for job in memory.jobs().items if job.name == "compact" and job.state == "done"])
        assert {memory.get(name).memory.status for name in gone} == {"archived"}
        assert {memory.get(name).memory.cause for name in gone} == {"stale", "doubtful", "retired"}
        assert memory.get(kept).memory.status == "active"
        assert memory.recall("heron reeds", within=["sessions"]).results == []
    finally:
        running.stop()
    assert any("1 doubtful, 1 retired, 1 sources, 2 stale" in line for line in running.log), running.log
