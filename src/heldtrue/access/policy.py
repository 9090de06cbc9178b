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

_ASK_A_PERSON = "ask a person to do this"


class Allowed(msgspec.Struct, frozen=True):
    """The principal may do it."""


class Refusal(msgspec.Struct, frozen=True):
    """The principal may not do it."""

    error: NotAllowed
    """The error to raise, which says why and what to do instead."""


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
    """Whether an agent has the role skill: it can only read what was shared with it."""
    return principal.reach is not None and principal.reach.role is Role.SKILL


def _refuse_action(principal: Principal, action: Action) -> Refusal | None:
    """Refuse actions that this kind of principal may not do to any resource."""
    if action.audience is Audience.PEOPLE and not principal.is_person and not is_skill_agent(principal):
        return _refuse(f"only a person may use {action.verb}; {principal.id} is not a person", hint=_ASK_A_PERSON)
    if principal.reach is not None:
        if principal.reach.role is Role.SKILL and not action.skill_agents:
            return _refuse(
                f"{principal.id} has the skill role or is not registered, so it can only read what was shared with it",
                hint="read what was shared with you (`handed`), or ask the owner to register you (`add_agent`)",
            )
        if action.effect is Effect.ADMIN and not principal.reach.is_wide:
            return _refuse(f"maintenance needs the admin role, which {principal.id} does not have", hint=_ASK_A_PERSON)
    if action.audience is Audience.AGENTS and principal.is_person:
        return _refuse(f"only an agent may use {action.verb}; {principal.id} is a person", hint="call it as an agent")
    return None


def _reach_scope(principal: Principal, action: Action, resource: ScopeResource) -> Verdict:
    scope = resource.scope
    if action.effect is Effect.READ:
        if principal.sight.reaches(scope):
            return ALLOWED
        return _refuse(
            f"{principal.id} may not read {scope}",
            field=resource.field,
            hint="choose a scope that you may read, or omit the argument",
        )
    if _may_write(principal, scope):
        return ALLOWED
    return _refuse(
        f"{principal.id} may not write to {scope}",
        field=resource.field or "scope",
        hint=_where_to_write(principal, scope),
    )


def _may_write(principal: Principal, scope: str) -> bool:
    """An agent may write the scopes it may read; a project agent not `global`."""
    if principal.reach is None:
        return principal.sight.reaches(scope)
    return principal.reach.owns(principal.name, scope)


def _where_to_write(principal: Principal, scope: str) -> str:
    if principal.reach is not None and not principal.reach.is_wide:
        own = [scope for scope in principal.reach.scopes(principal.name) or () if scope != GLOBAL]
        return f"write to {' or '.join(own)}" if own else "agents with the skill role cannot write"
    if scope_kind(scope) == "team":
        return "only members of a team may write to its scope"
    return "write to global, a project, a repo, or your own agent scope"


def _reach_row(principal: Principal, action: Action, resource: RowResource) -> Verdict:
    """A row has the permissions of its scope; a private row is only for its author and for people."""
    if not principal.sight.sees(resource.privacy):
        return _refuse(f"this item is private to {resource.privacy.author}, so {principal.id} may not use it")
    return _reach_scope(principal, action, ScopeResource(resource.scope))


def _reach_job(principal: Principal, action: Action, resource: JobResource) -> Verdict:
    """A job belongs to its requester and to people; once the requester lost its token, only a person may change it."""
    if not principal.is_person and principal.id != resource.asked_by:
        return _refuse(f"this job does not belong to {principal.id}", field="job")
    if resource.is_suspended and action.effect is not Effect.READ and not principal.is_person:
        return _refuse(
            "the token of the agent that requested this job was revoked, so only a person may change the job",
            hint=_ASK_A_PERSON,
        )
    if resource.scope and not principal.sight.reaches(resource.scope):
        return _refuse(f"{principal.id} may not read {resource.scope}", field="job")
    return ALLOWED


def _refuse(message: str, *, field: str | None = None, hint: str | None = None) -> Refusal:
    return Refusal(NotAllowed(message, field=field, hint=hint))
