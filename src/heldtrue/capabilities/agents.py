"""Manage agents: add them, replace their tokens, revoke them."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from heldtrue.capabilities.call import Call
from heldtrue.capabilities.declaration import Group
from heldtrue.capabilities.parameters import NoArguments, Reference, Request
from heldtrue.capabilities.registry import capability
from heldtrue.capabilities.shapes import ListPage, Standing, When
from heldtrue.capabilities.views import to_iso
from heldtrue.domain.action import Audience, Effect
from heldtrue.domain.agent import AgentRow, digest_token, mint_token
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import InvalidInput, NotFound, WrongState
from heldtrue.domain.principal import OWNER, PrincipalKind, Role, agent_principal
from heldtrue.domain.scope import parse_scope, scope_name
from heldtrue.engine.queue import suspend_jobs
from heldtrue.ingest.stages.journal import EntryBuilder, WriteSession

AgentName = Annotated[
    str, Meta(description="The name of the agent, for example claude-code."), Reference(("agent",), "agents")
]
_Rate = Annotated[int, Meta(ge=1, le=1_000_000)]


class AgentView(msgspec.Struct, frozen=True, kw_only=True):
    """An agent, with its role and permissions."""

    name: str
    principal: str
    """The name it has in the history, for example agent:codex."""
    role: Standing
    projects: list[str]
    repos: list[str]
    teams: list[str]
    has_token: bool
    """False after it was revoked."""
    writes_per_minute: int | None
    requests_per_second: int | None
    created_at: When
    changed_at: When

    @property
    def known_by(self) -> str:
        """The name that identifies it in other requests."""
        return self.name


class AgentAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An agent after a change."""

    agent: AgentView
    token: str | None
    """Shown only once; only its digest is stored."""
    seq: int
    changed: bool = True
    """False if its token was already revoked."""


class AgentsAnswer(ListPage[AgentView], frozen=True, kw_only=True):
    """Agents."""


@capability(
    "memory.agents",
    Effect.READ,
    audience=Audience.PEOPLE,
    group=Group.AGENTS,
    synonyms=("users",),
    command=("agents", "list"),
)
def agents(call: Call, _request: NoArguments) -> AgentsAnswer:
    """List agents, their roles and permissions, and whether each has a token."""
    with call.instance.store.read() as reading:
        return AgentsAnswer(items=[_view(agent) for agent in reading.agents.known()], next_cursor=None)


class AddAgentRequest(Request):
    name: AgentName
    role: Annotated[
        Role,
        Meta(
            description="admin: everything; project: its own projects, and reads global; "
            "skill: only what is shared with it."
        ),
    ] = Role.PROJECT
    projects: Annotated[
        list[str] | None, Meta(description="The projects it works in. Default: the caller's project.")
    ] = None
    repos: Annotated[list[str] | None, Meta(description="The repos it works in. Default: the caller's repo.")] = None
    teams: Annotated[list[str] | None, Meta(description="The teams it belongs to.")] = None
    writes_per_minute: Annotated[_Rate | None, Meta(description="Maximum writes per minute. Default: the setting.")] = (
        None
    )
    requests_per_second: Annotated[
        _Rate | None, Meta(description="Maximum requests per second. Default: the setting.")
    ] = None


@capability(
    "memory.add_agent",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.AGENTS,
    positional=("name",),
    makes_home=True,
    command=("agents", "add"),
)
def add_agent(call: Call, request: AddAgentRequest) -> AgentAnswer:
    """Add an agent with a role and projects. Its token is shown only once."""
    principal = agent_principal(request.name)
    if principal.name.casefold() == OWNER.name:
        raise InvalidInput("owner is reserved for the owner", field="name", hint="choose another name")
    groups = {
        "project": _named("project", request.projects, call.project),
        "repo": _named("repo", request.repos, call.repo),
        "team": _named("team", request.teams, None),
    }
    if request.role is Role.PROJECT and not any(groups.values()):
        raise InvalidInput(
            "a project agent needs a project, repo or team", field="projects", hint="give one with `projects`"
        )
    token = mint_token()

    def act(session: WriteSession) -> AgentAnswer:
        before = session.transaction.agents.named(request.name)
        if before is not None and before.token_digest is not None:
            raise WrongState(
                f"agent {request.name} already exists",
                field="name",
                hint="to change its permissions, revoke it (`revoke_agent`) and add it again",
            )
        row = AgentRow(
            name=request.name,
            kind=PrincipalKind.AGENT,
            role=request.role,
            projects=tuple(groups["project"]),
            repos=tuple(groups["repo"]),
            teams=tuple(groups["team"]),
            token_digest=digest_token(token),
            writes_per_minute=request.writes_per_minute,
            requests_per_second=request.requests_per_second,
            created_at=session.now,
            changed_at=session.now,
        )
        if before is not None:
            # The new agent of this name may not be the old one: it gets none of its stored answers and messages.
            session.transaction.agents.forget(row.principal.id)
        return _keep(session, "memory.add_agent", row, OutcomeKind.ADMITTED, token)

    return call.submit(act, AgentAnswer)


class RotateAgentRequest(Request):
    name: AgentName


@capability(
    "memory.rotate_agent",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.AGENTS,
    positional=("name",),
    destructive=True,
    makes_home=True,
    command=("agents", "rotate"),
)
def rotate_agent(call: Call, request: RotateAgentRequest) -> AgentAnswer:
    """Replace an agent's token; the old one stops working at once. Use `owner` for your own."""
    token = mint_token()

    def act(session: WriteSession) -> AgentAnswer:
        row = _owner_row(session) if request.name == OWNER.name else _existing(session, request.name)
        changed = msgspec.structs.replace(row, token_digest=digest_token(token), changed_at=session.now)
        return _keep(session, "memory.rotate_agent", changed, OutcomeKind.ROTATED, token)

    return call.submit(act, AgentAnswer)


class RevokeAgentRequest(Request):
    name: AgentName


@capability(
    "memory.revoke_agent",
    Effect.ADMIN,
    audience=Audience.PEOPLE,
    group=Group.AGENTS,
    positional=("name",),
    destructive=True,
    command=("agents", "revoke"),
)
def revoke_agent(call: Call, request: RevokeAgentRequest) -> AgentAnswer:
    """Revoke an agent's token. Its memories stay; its unfinished jobs are suspended."""

    def act(session: WriteSession) -> AgentAnswer:
        present = _existing(session, request.name)
        if present.token_digest is None:
            return AgentAnswer(agent=_view(present), token=None, seq=session.head.seq, changed=False)
        changed = msgspec.structs.replace(present, token_digest=None, changed_at=session.now)
        # The owner acts on this machine with and without a token.
        is_agent = present.kind is PrincipalKind.AGENT
        suspended = suspend_jobs(session.transaction, present.principal.id, now=session.now) if is_agent else 0
        return _keep(session, "memory.revoke_agent", changed, OutcomeKind.REVOKED, None, jobs_suspended=suspended)

    return call.submit(act, AgentAnswer)


def _named(kind: str, given: list[str] | None, around: str | None) -> list[str]:
    """The names of the projects, repos or teams, each once."""
    names = given if given is not None else [around] if around else []
    return list(dict.fromkeys(scope_name(parse_scope(f"{kind}:{name}", field=f"{kind}s")) for name in names))


def _owner_row(session: WriteSession) -> AgentRow:
    """The owner's record; it is created with the owner's first token."""
    row = AgentRow(
        name=OWNER.name,
        kind=PrincipalKind.PERSON,
        role=Role.ADMIN,
        token_digest=None,
        created_at=session.now,
        changed_at=session.now,
    )
    return session.transaction.agents.named(OWNER.name) or row


def _existing(session: WriteSession, name: str) -> AgentRow:
    found = session.transaction.agents.named(name)
    if found is None:
        raise NotFound(f"no agent named {name!r}", field="name", hint="list them with `agents`")
    return found


_REASONS = {
    OutcomeKind.ADMITTED: "was added",
    OutcomeKind.ROTATED: "got a new token",
    OutcomeKind.REVOKED: "had its token revoked",
}


def _keep(
    session: WriteSession,
    action: str,
    row: AgentRow,
    outcome: OutcomeKind,
    token: str | None,
    *,
    jobs_suspended: int = 0,
) -> AgentAnswer:
    """Store an agent's record with a ledger entry, which never contains the token."""
    builder = EntryBuilder(session, action)
    session.transaction.agents.keep(row)
    reach = [row.role.value, *row.projects, *row.repos, *row.teams]
    entry = builder.finish(
        outcome,
        target=None,
        scope=None,
        reason=f"{row.principal.id} {_REASONS[outcome]}",
        agent=row.principal.id,
        reach=reach,
        jobs_suspended=jobs_suspended,
    )
    return AgentAnswer(agent=_view(row), token=token, seq=entry.seq)


def _view(row: AgentRow) -> AgentView:
    return AgentView(
        name=row.name,
        principal=row.principal.id,
        role="person" if row.kind is PrincipalKind.PERSON else row.role.value,
        projects=list(row.projects),
        repos=list(row.repos),
        teams=list(row.teams),
        has_token=row.token_digest is not None,
        writes_per_minute=row.writes_per_minute,
        requests_per_second=row.requests_per_second,
        created_at=to_iso(row.created_at),
        changed_at=to_iso(row.changed_at),
    )
