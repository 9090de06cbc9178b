"""What a person rejects for all is no longer believed in narrower scopes."""

from __future__ import annotations

import msgspec
import pytest

from heldtrue import Memory
from heldtrue.domain.principal import Principal, PrincipalKind
from tests.acceptance.homes import listed, recalled

PORT = "The Larkspur gateway listens on port 4410"


def as_person(memory: Memory, name: str) -> Memory:
    """The same space as another person sees it."""
    return Memory(msgspec.structs.replace(memory._call, principal=Principal(PrincipalKind.PERSON, name)))


@pytest.mark.covers("A5", "B8")
def test_a_persons_forgetting_reaches_the_copies_in_narrower_scopes(anywhere: Memory) -> None:
    codex = anywhere.as_agent("codex")
    copy = codex.learn(PORT, scope="project:beta").memory.id
    private = codex.learn(PORT, scope="agent:codex", visibility="private").memory.id
    other = codex.learn("The Larkspur gateway listens on port 4411", scope="project:gamma").memory.id
    held = anywhere.learn(PORT).memory.id
    answer = anywhere.forget(held, reason="decommissioned")
    assert answer.outcome == "retracted"
    assert answer.notes == ["2 copies retracted in agent:codex, project:beta"]
    for memory in (copy, private):
        told = anywhere.get(memory).memory
        assert (told.status, told.reason) == ("retracted", "rejected in global: decommissioned")
    assert anywhere.get(other).memory.status == "active", "another value is left alone"
    assert PORT not in recalled(anywhere, "which port does the Larkspur gateway listen on?", scopes=["project:beta"])
    assert codex.learn(PORT, scope="project:beta").outcome == "refused"
    assert anywhere.restore(copy, reason="it is still there").outcome == "restored"
    assert anywhere.verify().problems == []


def test_a_copy_that_another_person_verified_is_proposed_to_be_forgotten(owner: Memory) -> None:
    ana = as_person(owner, "ana")
    copy = ana.learn(PORT, scope="project:beta").memory.id
    own = owner.learn(PORT, scope="project:gamma").memory.id
    answer = owner.forget(owner.learn(PORT).memory.id, reason="decommissioned")
    assert owner.get(own).memory.status == "retracted"
    assert owner.get(copy).memory.status == "active"
    (conflict,) = answer.conflicts
    (item,) = owner.conflicts().items
    assert (item.conflict.id, item.conflict.finding) == (
        conflict,
        "person:owner rejected the same statement in global: decommissioned",
    )
    ana.resolve(conflict, "remove_both", reason="agreed")
    assert listed(owner, scopes=["project:beta"]) == []


def test_the_other_half_of_a_copy_stays(owner: Memory) -> None:
    codex = owner.as_agent("codex")
    codex.learn("The Petrel team sits in Turku and reports to Hanna Lind", scope="project:beta")
    owner.forget(owner.learn("The Petrel team sits in Turku").memory.id, reason="they moved")
    assert listed(owner, scopes=["project:beta"]) == ["The Petrel team reports to Hanna Lind"]


def test_forgetting_in_a_narrow_scope_and_by_an_agent_reaches_nothing_else(owner: Memory) -> None:
    codex = owner.as_agent("codex")
    wide, narrow = owner.learn(PORT).memory.id, owner.learn(PORT, scope="project:beta").memory.id
    owner.forget(narrow, reason="not here")
    assert owner.get(wide).memory.status == "active"
    mine = codex.learn("The Wren gateway listens on port 5510").memory.id
    theirs = owner.as_agent("gemini").learn("The Wren gateway listens on port 5510", scope="project:beta").memory.id
    codex.forget(mine, reason="guess")
    assert owner.get(theirs).memory.status == "active"


def test_an_inbox_item_that_was_rejected_for_all_is_rejected_elsewhere_too(owner: Memory) -> None:
    codex = owner.as_agent("codex")
    first = codex.learn("Mira is allergic to nuts", kind="profile").memory.id
    second = codex.learn("Mira is allergic to nuts", kind="profile", scope="project:beta").memory.id
    assert owner.reject(first, reason="she is not").notes == ["1 copy retracted in project:beta"]
    assert owner.get(second).memory.status == "rejected"
