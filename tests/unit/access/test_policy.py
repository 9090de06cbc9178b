"""One function decides who may do what: it is asked here with every kind of principal and resource."""

from __future__ import annotations

import pytest

from heldtrue import NotAllowed
from heldtrue.access.policy import Refusal, is_allowed, may, require
from heldtrue.capabilities.verb_index import all_capabilities
from heldtrue.domain.action import (
    READ,
    SPACE,
    WRITE,
    Action,
    Audience,
    Effect,
    JobResource,
    RowResource,
    ScopeResource,
)
from heldtrue.domain.principal import OWNER, Principal, PrincipalKind, Reach, Role
from heldtrue.domain.privacy import SHARED, Privacy


def agent(role: Role, *projects: str) -> Principal:
    return Principal(PrincipalKind.AGENT, "codex", Reach(role, tuple(projects)))


GENERAL, ADMIN, PROJECT, SKILL = agent(Role.GENERAL), agent(Role.ADMIN), agent(Role.PROJECT, "shop"), agent(Role.SKILL)
EVERYONE = (OWNER, GENERAL, ADMIN, PROJECT, SKILL)


@pytest.mark.covers("C11")
@pytest.mark.parametrize(
    ("action", "allowed"),
    [
        (Action("memory.look", Effect.READ), (OWNER, GENERAL, ADMIN, PROJECT)),
        (Action("memory.look", Effect.READ, skill_agents=True), EVERYONE),
        (Action("memory.change", Effect.WRITE), (OWNER, GENERAL, ADMIN, PROJECT)),
        (Action("memory.tidy", Effect.ADMIN), (OWNER, GENERAL, ADMIN)),
        (Action("memory.decide", Effect.WRITE, Audience.PEOPLE), (OWNER,)),
        (Action("memory.report", Effect.WRITE, Audience.AGENTS), (GENERAL, ADMIN, PROJECT)),
    ],
)
def test_an_action_is_for_those_whom_it_is_declared_for(action: Action, allowed: tuple[Principal, ...]) -> None:
    assert tuple(principal for principal in EVERYONE if is_allowed(principal, action)) == allowed


@pytest.mark.covers("C11")
def test_every_capability_is_decided_by_its_declaration() -> None:
    for capability in all_capabilities().values():
        for principal in EVERYONE:
            expected = capability.declared.audience is not Audience.PEOPLE or principal is OWNER
            if principal is SKILL:
                expected = capability.declared.skill_agents
            if principal is PROJECT and capability.effect is Effect.ADMIN:
                expected = False
            assert is_allowed(principal, capability.action, SPACE) is expected, (capability.name, principal)


@pytest.mark.covers("C11")
@pytest.mark.parametrize(
    ("scope", "readers", "writers"),
    [
        ("global", (OWNER, GENERAL, ADMIN, PROJECT), (OWNER, GENERAL, ADMIN)),
        ("project:shop", (OWNER, GENERAL, ADMIN, PROJECT), (OWNER, GENERAL, ADMIN, PROJECT)),
        ("project:bank", (OWNER, GENERAL, ADMIN), (OWNER, GENERAL, ADMIN)),
        ("agent:codex", (OWNER, GENERAL, ADMIN, PROJECT), (OWNER, GENERAL, ADMIN, PROJECT)),
        ("agent:other", (OWNER, ADMIN), (OWNER, ADMIN)),
        ("team:core", (OWNER, ADMIN), (OWNER, ADMIN)),
    ],
)
def test_a_scope_is_read_and_written_by_those_whose_it_is(
    scope: str, readers: tuple[Principal, ...], writers: tuple[Principal, ...]
) -> None:
    assert tuple(principal for principal in EVERYONE if is_allowed(principal, READ, ScopeResource(scope))) == readers
    assert tuple(principal for principal in EVERYONE if is_allowed(principal, WRITE, ScopeResource(scope))) == writers


@pytest.mark.covers("B10")
def test_a_private_row_is_for_its_author_and_a_person() -> None:
    own = RowResource("global", Privacy("agent:codex"))
    other = RowResource("global", Privacy("agent:other"))
    assert [is_allowed(principal, READ, own) for principal in EVERYONE] == [True, True, True, True, False]
    assert [is_allowed(principal, READ, other) for principal in EVERYONE] == [True, False, False, False, False]
    assert is_allowed(GENERAL, READ, RowResource("global", SHARED))


def test_a_job_is_for_whoever_asked_and_a_person_and_once_suspended_only_a_person_changes_it() -> None:
    own = JobResource("", "agent:codex")
    assert is_allowed(GENERAL, READ, own)
    assert is_allowed(GENERAL, WRITE, own)
    assert not is_allowed(GENERAL, READ, JobResource("", "agent:other"))
    assert not is_allowed(PROJECT, READ, JobResource("project:bank", "agent:codex"))
    suspended = JobResource("", "agent:codex", is_suspended=True)
    assert is_allowed(GENERAL, READ, suspended)
    assert not is_allowed(GENERAL, WRITE, suspended)
    assert is_allowed(OWNER, WRITE, suspended)


def test_a_refusal_carries_the_error_that_says_why_and_what_to_do() -> None:
    verdict = may(PROJECT, WRITE, ScopeResource("project:bank", "scope"))
    assert isinstance(verdict, Refusal)
    assert (verdict.error.field, verdict.error.hint) == ("scope", "write to project:shop or agent:codex")
    with pytest.raises(NotAllowed, match="only a person may use decide; agent:codex is not a person"):
        require(GENERAL, Action("memory.decide", Effect.WRITE, Audience.PEOPLE))
