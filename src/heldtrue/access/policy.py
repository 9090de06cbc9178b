"""Who may do what to which part of a space. This is the only place that decides it."""

from __future__ import annotations

from typing import assert_never

import msgspec

from heldtrue.domain.action import (
    READ,
    SPACE,
    Action,
    Audience,
    Effect,
    JobResource,
    Resource,
    RowResource,
    ScopeResource,
    SpaceResource,
)
from heldtrue.domain.errors import NotAllowed
from heldtrue.domain.principal import Principal, Role
from heldtrue.domain.scope import GLOBAL, scope_kind

_ASK_A_PERSON = "ask a person to do it"


class Allowed(msgspec.Struct, frozen=True):
    """The principal may do it."""


class Refusal(msgspec.Struct, frozen=True):
    """The principal may not do it."""

    error: NotAllowed
    """What to raise: it says why, and what to do instead."""


Verdict = Allowed | Refusal
ALLOWED = Allowed()


def may(principal: Principal, action: Action, resource: Resource) -> Verdict:
    """Decide whether a principal may do something to a resource."""
    refusal = _refuse_action(principal, action)
    if refusal is not None:
        return refusal
    match resource:
        case SpaceResource():
            return ALLOWED
        case ScopeResource():
            return _reach_scope(principal, action, resource)
        case RowResource():
            return _reach_row(principal, action, resource)
        case JobResource():
            return _reach_job(principal, action, resource)
        case _:
            assert_never(resource)


def require(principal: Principal, action: Action, resource: Resource = SPACE) -> None:
    """Raise the refusal, if there is one."""
    verdict = may(principal, action, resource)
    if isinstance(verdict, Refusal):
        raise verdict.error


def is_allowed(principal: Principal, action: Action, resource: Resource = SPACE) -> bool:
    """Whether there is no refusal."""
    return may(principal, action, resource) is ALLOWED


def may_read(principal: Principal, resource: Resource) -> bool:
    """Whether a principal may look at something."""
    return may(principal, READ, resource) is ALLOWED


def is_skill_agent(principal: Principal) -> bool:
    """Whether this agent is handed what it needs and may ask for little else."""
    return principal.reach is not None and principal.reach.role is Role.SKILL


def _refuse_action(principal: Principal, action: Action) -> Refusal | None:
    """Refuse what is not for this kind of principal, whatever it would be done to."""
    if principal.reach is not None:
        if principal.reach.role is Role.SKILL and not action.skill_agents:
            return _refuse(
                f"{principal.id} is handed what it needs and may do nothing else",
                hint="read what was handed to you (handed), or ask for a share",
            )
        if action.effect is Effect.ADMIN and principal.reach.role is not Role.ADMIN:
            return _refuse(f"{principal.id} may not do the upkeep of a space", hint=_ASK_A_PERSON)
    if action.audience is Audience.PEOPLE and not principal.is_person:
        return _refuse(f"only a person may use {action.verb}; {principal.id} is not a person", hint=_ASK_A_PERSON)
    if action.audience is Audience.AGENTS and principal.is_person:
        return _refuse(f"only an agent may use {action.verb}; {principal.id} is a person", hint="act as an agent")
    return None


def _reach_scope(principal: Principal, action: Action, resource: ScopeResource) -> Verdict:
    scope = resource.scope
    if action.effect is Effect.READ:
        if principal.sight.reaches(scope):
            return ALLOWED
        return _refuse(f"{principal.id} may not read {scope}", field=resource.field, hint="leave it out")
    if _may_write(principal, scope):
        return ALLOWED
    return _refuse(
        f"{principal.id} may not write to {scope}",
        field=resource.field or "scope",
        hint=_where_to_write(principal, scope),
    )


def _may_write(principal: Principal, scope: str) -> bool:
    """What may be seen may be added to, but for the memory of all, which is an administrator's."""
    if principal.reach is None:
        return principal.sight.reaches(scope)
    return principal.reach.owns(principal.name, scope)


def _where_to_write(principal: Principal, scope: str) -> str:
    if principal.reach is not None:
        own = [one for one in principal.reach.scopes(principal.name) or () if one != GLOBAL]
        return f"write to {' or '.join(own)}" if own else "this agent is handed what it needs and writes nothing"
    if scope_kind(scope) == "team":
        return "only members of a team write to its memory"
    return "write to global, a project, a repo, or your own agent scope"


def _reach_row(principal: Principal, action: Action, resource: RowResource) -> Verdict:
    """A row is as its scope is; a private one is its author's, and a person's."""
    if not principal.sight.sees(resource.privacy):
        return _refuse(f"what {resource.privacy.author} keeps private is not for {principal.id}")
    return _reach_scope(principal, action, ScopeResource(resource.scope))


def _reach_job(principal: Principal, action: Action, resource: JobResource) -> Verdict:
    """A job is its asker's and a person's; once the asker has lost its token, only a person may change it."""
    if not principal.is_person and principal.id != resource.asked_by:
        return _refuse(f"the job is not one of {principal.id}", field="job")
    if resource.is_suspended and action.effect is not Effect.READ and not principal.is_person:
        return _refuse(
            f"only a person may change a job whose asker lost its token; {principal.id} is not a person",
            hint=_ASK_A_PERSON,
        )
    if resource.scope and not principal.sight.reaches(resource.scope):
        return _refuse(f"{principal.id} may not read {resource.scope}", field="job")
    return ALLOWED


def _refuse(message: str, *, field: str | None = None, hint: str | None = None) -> Refusal:
    return Refusal(NotAllowed(message, field=field, hint=hint))
