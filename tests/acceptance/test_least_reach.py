"""An agent has the reach of its record. Without a record it has the least, until the owner names it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from heldtrue import Memory, NotAllowed
from heldtrue.access.identity import find_again, find_local, find_named
from heldtrue.domain.principal import LEAST_REACH, Principal
from tests.acceptance.homes import MakeHome


@pytest.fixture
def used(make_home: MakeHome) -> Iterator[Memory]:
    with Memory.open(make_home()) as memory:
        memory.learn("The vault code is 4711.", scope="project:bank")
        yield memory


def roles(memory: Memory) -> dict[str, str]:
    return {agent.name: agent.role for agent in memory.agents().items}


def local(memory: Memory, name: str) -> Principal:
    """The agent as a program such as an MCP server on this machine finds it."""
    with memory._call.instance.store.read() as reading:
        return find_local(reading, name)


@pytest.mark.covers("C11", "B1")
def test_the_owner_names_an_agent_and_its_first_write_records_it(used: Memory) -> None:
    assert local(used, "codex").reach == LEAST_REACH
    codex = used.as_agent("codex")
    assert codex.recall("vault code", scopes=["project:bank"]).results
    assert roles(used) == {}, "a read records nothing"
    before = used.status().ledger_entries
    assert codex.learn("The build takes nine minutes.").outcome == "created"
    assert used.status().ledger_entries == (before or 0) + 1, "the record is part of the first entry"
    assert roles(used) == {"codex": "general"}
    assert local(used, "codex").sight.reaches("project:bank")
    assert not used.agents().items[0].has_token
    assert used.verify().ok


@pytest.mark.covers("C11", "B1")
def test_a_program_that_names_an_agent_without_a_record_gets_the_least_reach(used: Memory) -> None:
    ghost = local(used, "ghost")
    memory = Memory.over(used._call.instance)
    memory._call = memory._call.__class__(instance=used._call.instance, principal=ghost, channel="mcp")
    for ask in (lambda: memory.recall("vault code"), lambda: memory.learn("The lamp is red."), memory.status):
        with pytest.raises(NotAllowed, match="not registered"):
            ask()
    assert memory.handed().items == []
    with used._call.instance.store.read() as reading:
        assert find_again(reading, "agent:ghost").reach == LEAST_REACH
    used.add_agent("ghost", role="general")
    assert local(used, "ghost").sight.reaches("project:bank"), "the owner has registered it"


@pytest.mark.covers("C11")
def test_a_name_that_only_another_agent_has_used_has_the_least_reach(used: Memory) -> None:
    used.add_agent("chief", role="admin")
    used.as_agent("chief").learn("The scout likes tea.", scope="agent:scout")
    with used._call.instance.store.read() as reading:
        assert find_named(reading, "scout").reach == LEAST_REACH
    used.learn("The guide likes coffee.", scope="agent:guide")
    assert roles(used) == {"chief": "admin", "guide": "general"}, "a person has named the guide"


@pytest.mark.covers("C11")
def test_an_agent_that_was_recorded_by_its_first_use_can_be_restricted(used: Memory) -> None:
    used.as_agent("codex").learn("The build takes nine minutes.")
    assert used.add_agent("codex", projects=["shop"]).token
    assert roles(used) == {"codex": "project"}
    with pytest.raises(NotAllowed):
        used.as_agent("codex").recall("vault code", scopes=["project:bank"])


@pytest.mark.covers("C11", "B29")
def test_names_keep_their_reach_in_an_export_of_the_past(used: Memory, make_home: MakeHome, tmp_path: Path) -> None:
    used.add_agent("spotter", role="skill")
    entry = used.status().ledger_entries
    used.as_agent("codex").learn("The build takes nine minutes.")
    used.export(tmp_path / "past", as_of=f"#{entry}")
    with Memory.open(make_home()) as restored:
        restored.import_(tmp_path / "past")
        assert roles(restored) == {"spotter": "skill"}
        assert local(restored, "codex").reach == LEAST_REACH
