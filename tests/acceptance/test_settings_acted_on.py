"""What the settings of a home say is done, and not only read."""

from __future__ import annotations

from pathlib import Path

import pytest

from heldtrue import ManualClock, Memory
from tests.acceptance.homes import MakeHome

SETTINGS = """
[project]
name = "harbour"
base_iri = "https://example.org/harbour/"

[storage]
url = "elsewhere.db"

[memory]
default_scope = "project:quay"
default_visibility = "private"
default_staleness = "daily"
max_facts = 1
"""


@pytest.mark.covers("A19")
def test_name_iri_store_defaults_and_the_soft_limit_of_the_file_hold(make_home: MakeHome) -> None:
    home = make_home(settings=SETTINGS)
    with Memory.open(home, agent="codex") as codex, Memory.open(home) as owner:
        learned = codex.learn("The pier closes at 18:00.").memory
        assert (learned.scope, learned.visibility, learned.staleness) == ("project:quay", "private", "daily")
        assert learned.iri == f"https://example.org/harbour/memory/{learned.id}"
        said = codex.learn("The lamp runs on 24 volts.", scope="global", visibility="local", staleness="stable").memory
        assert (said.scope, said.visibility, said.staleness) == ("global", "local", "stable"), "what is said goes first"
        status = owner.status()
        assert status.name == "harbour"
        assert any("soft limit" in warning for warning in status.warnings)
    assert (home / "elsewhere.db").exists()
    assert not (home / "heldtrue.db").exists()


@pytest.mark.covers("A19")
@pytest.mark.parametrize(("is_on", "statuses"), [(True, ["archived"]), (False, ["active"])])
def test_a_home_is_compacted_when_it_is_opened_where_its_settings_say_so(
    kind: str, make_home: MakeHome, clock: ManualClock, is_on: bool, statuses: list[str]
) -> None:
    home = make_home(kind, settings=f"[memory]\ncompact_on_start = {str(is_on).lower()}\n")
    with Memory.open(home, clock=clock) as owner:
        gone = owner.as_agent("codex").learn("The queue holds 12 jobs.", staleness="hourly").memory.id
        kept = owner.as_agent("codex").learn("The queue server stands in room 4.").memory.id
    clock.advance(hours=2)
    with Memory.open(home, clock=clock) as owner:
        assert [owner.get(gone).memory.status] == statuses
        assert owner.get(kept).memory.status == "active"
        assert owner.verify().ok
        assert [job.trigger for job in owner.jobs().items] == ["start", "start"] * is_on, "once at each opening"


@pytest.mark.covers("A19")
def test_a_home_in_memory_or_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    for home in (":memory:", tmp_path / "home"):
        with Memory.open(home) as owner:
            learned = owner.learn("The pier closes at 18:00.").memory
            assert (learned.scope, learned.visibility, learned.staleness) == ("global", "local", "stable")
            assert learned.iri == f"urn:heldtrue:memory/{learned.id}"
            assert (owner.status().name, owner.status().warnings) == ("memory", [])
