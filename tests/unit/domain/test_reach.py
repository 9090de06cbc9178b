"""What an agent with a record may reach."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldtrue.access.policy import is_allowed
from heldtrue.domain.action import WRITE, ScopeResource
from heldtrue.domain.principal import (
    OWNER,
    Principal,
    PrincipalKind,
    Reach,
    Role,
    agent_principal,
    new_agent,
    read_principal,
)

SCOPES = tuple(
    "global project:a project:b repo:r repo:s team:t team:u agent:me agent:meme session:me/1 session:meme/1 "
    "session:me".split()
)


def agent(role: Role, **reach: tuple[str, ...]) -> Principal:
    return Principal(PrincipalKind.AGENT, "me", Reach(role, **reach))


@pytest.mark.covers("C11")
def test_a_project_agent_reads_its_own_and_global_and_writes_its_own() -> None:
    me = agent(Role.PROJECT, projects=("a",), repos=("r",), teams=("t",))
    own = {"project:a", "repo:r", "team:t", "agent:me", "session:me/1"}
    assert {scope for scope in SCOPES if is_allowed(me, WRITE, ScopeResource(scope))} == own
    assert {scope for scope in SCOPES if me.sight.reaches(scope)} == own | {"global"}
    assert me.reach is not None
    assert set(me.reach.scopes("me") or ()) == {"global", "project:a", "repo:r", "team:t", "agent:me"}
    assert me.own_project == "a"
    assert agent(Role.PROJECT, projects=("a", "b")).own_project is None


@pytest.mark.covers("C11")
def test_an_administrator_reaches_all_and_a_skill_agent_nothing() -> None:
    admin, skill = agent(Role.ADMIN), agent(Role.SKILL, projects=("a",), teams=("t",))
    assert all(admin.sight.reaches(scope) and is_allowed(admin, WRITE, ScopeResource(scope)) for scope in SCOPES)
    assert not any(skill.sight.reaches(scope) or is_allowed(skill, WRITE, ScopeResource(scope)) for scope in SCOPES)
    assert (admin.reach and admin.reach.scopes("me"), skill.reach and skill.reach.scopes("me")) == (None, ())


@pytest.mark.covers("C11")
def test_an_agent_that_the_owner_names_works_everywhere_but_in_teams_and_with_other_agents() -> None:
    local = new_agent("me")
    assert {scope for scope in SCOPES if not local.sight.reaches(scope)} == {"team:t", "team:u", "agent:meme"}
    assert all(is_allowed(local, WRITE, ScopeResource(scope)) == local.sight.reaches(scope) for scope in SCOPES)
    assert all(is_allowed(OWNER, WRITE, ScopeResource(scope)) for scope in SCOPES)


@pytest.mark.covers("C11")
def test_an_agent_without_a_record_reaches_nothing() -> None:
    for unknown in (agent_principal("me"), read_principal("agent:me"), Principal(PrincipalKind.AGENT, "me")):
        assert not any(unknown.sight.reaches(scope) for scope in SCOPES)
        assert not any(is_allowed(unknown, WRITE, ScopeResource(scope)) for scope in SCOPES)


@given(st.sampled_from(Role), st.lists(st.sampled_from("abrstu"), max_size=3), st.sampled_from(SCOPES))
def test_what_may_be_written_may_be_read(role: Role, names: list[str], scope: str) -> None:
    one = agent(role, projects=tuple(names), repos=tuple(names), teams=tuple(names))
    assert one.sight.reaches(scope) or not is_allowed(one, WRITE, ScopeResource(scope))
