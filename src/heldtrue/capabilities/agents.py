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
from heldtrue.domain.agent import AgentRow, check_token, digest_token, mint_token, read_agent
from heldtrue.domain.decision import OutcomeKind
from heldtrue.domain.errors import InvalidInput, NotFound, WrongState
from heldtrue.domain.principal import OWNER, PrincipalKind, Role, agent_principal, new_agent
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
    """The agent's name in the history, for example agent:codex."""
    role: Standing
    projects: list[str]
    repos: list[str]
    teams: list[str]
    has_token: bool
    """Whether the agent has a valid token in this home. Backups and exports do not contain tokens."""
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
    """The new token. It is shown only once; Heldtrue stores only its digest."""
    seq: int
    changed: bool = True
    """False if the token had already been revoked."""


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
            description="What the agent may use. admin: everything; general: global, and every project, repo and "
            "session; project: its own projects, and read-only access to global; skill: only what is shared with it."
        ),
    ] = Role.PROJECT
    projects: Annotated[
        list[str] | None, Meta(description="The projects that the agent works in. Default: the caller's project.")
    ] = None
    repos: Annotated[
        list[str] | None, Meta(description="The repos that the agent works in. Default: the caller's repo.")
    ] = None
    teams: Annotated[list[str] | None, Meta(description="The teams that the agent belongs to.")] = None
    writes_per_minute: Annotated[
        _Rate | None, Meta(description="Maximum writes per minute. Default: the value in the settings.")
    ] = None
    requests_per_second: Annotated[
        _Rate | None, Meta(description="Maximum requests per second. Default: the value in the settings.")
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
    """Add an agent with a role and projects. The new token is shown only once."""
    principal = agent_principal(request.name)
    if principal.name.casefold() == OWNER.name:
        raise InvalidInput(
            "the name `owner` is reserved for the owner of the store", field="name", hint="choose another name"
        )
    groups = {
        "project": _named("project", request.projects, call.project),
        "repo": _named("repo", request.repos, call.repo),
        "team": _named("team", request.teams, None),
    }
    if request.role is Role.PROJECT and not any(groups.values()):
        raise InvalidInput(
            "a project agent needs a project, repo or team",
            field="projects",
            hint="specify one with `projects`, `repos` or `teams`",
        )
    token = mint_token()

    def act(session: WriteSession) -> AgentAnswer:
        before = session.transaction.agents.named(request.name)
        if before is not None and before.revoked_at is None and before.token_check is not None:
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
            writes_per_minute=request.writes_per_minute,
            requests_per_second=request.requests_per_second,
            created_at=session.now,
            changed_at=session.now,
        )
        builder = EntryBuilder(session, "memory.add_agent")
        is_anew = before is not None and before.revoked_at is not None
        if is_anew:
            _forget(builder, row.principal.id)
        return _keep(builder, row, OutcomeKind.ADMITTED, token, answers_forgotten=is_anew)

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
    """Replace an agent's token. The old token stops working at once. For your own token, use the name `owner`."""
    token = mint_token()

    def act(session: WriteSession) -> AgentAnswer:
        row = _owner_row(session) if request.name == OWNER.name else _existing(session, request.name)
        changed = msgspec.structs.replace(row, revoked_at=None)
        return _keep(EntryBuilder(session, "memory.rotate_agent"), changed, OutcomeKind.ROTATED, token)

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
    """Revoke an agent's token. The agent's memories stay, and its unfinished jobs are suspended."""

    def act(session: WriteSession) -> AgentAnswer:
        present = _existing(session, request.name)
        if present.revoked_at is not None:
            return AgentAnswer(agent=_view(present), token=None, seq=session.head.seq, changed=False)
        changed = msgspec.structs.replace(present, revoked_at=session.now)
        # The owner acts on this machine with and without a token.
        is_agent = present.kind is PrincipalKind.AGENT
        suspended = suspend_jobs(session.transaction, present.principal.id, now=session.now) if is_agent else 0
        builder = EntryBuilder(session, "memory.revoke_agent")
        return _keep(builder, changed, OutcomeKind.REVOKED, None, jobs_suspended=suspended)

    return call.submit(act, AgentAnswer)


def register_agent(call: Call, name: str) -> None:
    """Record an agent that the owner connects on this machine, with the default permissions and without a token.

    An agent that is already recorded stays as it is.
    """
    principal = new_agent(name)
    assert principal.reach is not None
    role = principal.reach.role

    def act(session: WriteSession) -> bool:
        if session.transaction.agents.named(name) is not None:
            return False
        row = AgentRow(name=name, kind=principal.kind, role=role, created_at=session.now, changed_at=session.now)
        _keep(EntryBuilder(session, "memory.add_agent"), row, OutcomeKind.ADMITTED, None)
        return True

    call.submit(act, bool)


def _named(kind: str, given: list[str] | None, around: str | None) -> list[str]:
    """The names of the projects, repos or teams, each once."""
    names = given if given is not None else [around] if around else []
    return list(dict.fromkeys(scope_name(parse_scope(f"{kind}:{name}", field=f"{kind}s")) for name in names))


def _owner_row(session: WriteSession) -> AgentRow:
    """Return the owner's record. It is created together with the owner's first token."""
    row = AgentRow(
        name=OWNER.name,
        kind=PrincipalKind.PERSON,
        role=Role.ADMIN,
        created_at=session.now,
        changed_at=session.now,
    )
    return session.transaction.agents.named(OWNER.name) or row


def _existing(session: WriteSession, name: str) -> AgentRow:
    found = session.transaction.agents.named(name)
    if found is None:
        raise NotFound(f"no agent named {name!r}", field="name", hint="list the agents with `agents`")
    return found


_REASONS = {
    OutcomeKind.ADMITTED: "was added",
    OutcomeKind.ROTATED: "got a new token",
    OutcomeKind.REVOKED: "had its token revoked",
}


def _forget(builder: EntryBuilder, principal: str) -> None:
    """Drop the stored answers and messages of an earlier agent with this name, which may be a different agent."""
    agents = builder.transaction.agents
    agents.forget_answers(principal)
    for message in agents.messages_to(principal):
        builder.close(message, closed_by=builder.actor, close_reason="the receiving agent was revoked and added again")


def _keep(
    builder: EntryBuilder,
    row: AgentRow,
    outcome: OutcomeKind,
    token: str | None,
    *,
    jobs_suspended: int = 0,
    answers_forgotten: bool = False,
) -> AgentAnswer:
    """Record an agent with a ledger entry, which never contains the token."""
    agents = builder.transaction.agents
    token_digest = None if token is None else digest_token(token)
    row = msgspec.structs.replace(
        row, token_check=None if token_digest is None else check_token(token_digest), changed_at=builder.at
    )
    if (before := agents.record(row.name)) is not None:
        builder.close(before, closed_by=builder.actor, close_reason=_REASONS[outcome])
    record = builder.insert(row.record(builder.fresh_id(), builder.seq, builder.at))
    agents.keep_token(row.name, token_digest)
    entry = builder.finish(
        outcome,
        target=record.id,
        scope=None,
        reason=f"{row.principal.id} {_REASONS[outcome]}",
        agent=row.principal.id,
        reach=[row.role.value, *row.projects, *row.repos, *row.teams],
        jobs_suspended=jobs_suspended,
        answers_forgotten=answers_forgotten,
    )
    return AgentAnswer(agent=_view(read_agent(record, token_digest)), token=token, seq=entry.seq)


def _view(row: AgentRow) -> AgentView:
    return AgentView(
        name=row.name,
        principal=row.principal.id,
        role="person" if row.kind is PrincipalKind.PERSON else row.role.value,
        projects=list(row.projects),
        repos=list(row.repos),
        teams=list(row.teams),
        has_token=row.has_token,
        writes_per_minute=row.writes_per_minute,
        requests_per_second=row.requests_per_second,
        created_at=to_iso(row.created_at),
        changed_at=to_iso(row.changed_at),
    )
