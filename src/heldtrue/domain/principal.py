"""Principals and their permissions. Trust comes from here, never from what a text claims about itself."""

from __future__ import annotations

import re
from enum import StrEnum

import msgspec

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.limits import NAME_CHARS_MAX
from heldtrue.domain.privacy import Privacy
from heldtrue.domain.scope import GLOBAL


class PrincipalKind(StrEnum):
    PERSON = "person"
    AGENT = "agent"
    PEER = "peer"
    SYSTEM = "system"


class Role(StrEnum):
    """The role of an agent, which decides what it may read and write."""

    ADMIN = "admin"
    GENERAL = "general"
    PROJECT = "project"
    SKILL = "skill"


class Sight(msgspec.Struct, frozen=True):
    """The scopes and private rows that a principal may read, as part of a query."""

    scopes: tuple[str, ...] | None = None
    """None means every scope."""
    beginnings: tuple[str, ...] = ()
    """Prefixes of further scopes that cannot be listed."""
    reader: str | None = None
    """Whose private memories may be read; None means everyone's."""

    def reaches(self, scope: str) -> bool:
        return self.scopes is None or scope in self.scopes or scope.startswith(self.beginnings)

    def sees(self, privacy: Privacy) -> bool:
        """Whether a row of some privacy is seen by someone who reaches its scope."""
        return privacy.author is None or self.reader in (None, privacy.author)

    def covers(self, scope: str, privacy: Privacy) -> bool:
        """Whether a row is seen."""
        return self.reaches(scope) and self.sees(privacy)


EVERYTHING = Sight()


class Reach(msgspec.Struct, frozen=True):
    """The permissions of a registered agent. A person sets them, never the agent."""

    role: Role
    projects: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()

    @property
    def is_wide(self) -> bool:
        """Whether the agent works for the whole space, not for some projects."""
        return self.role in (Role.ADMIN, Role.GENERAL)

    def beginnings(self, agent: str) -> tuple[str, ...]:
        """The prefixes of the scopes that are too many to list: a project agent's sessions, a general agent's work."""
        match self.role:
            case Role.GENERAL:
                return ("project:", "repo:", "session:")
            case Role.PROJECT:
                return (f"session:{agent}/",)
            case Role.ADMIN | Role.SKILL:
                return ()

    def owns(self, agent: str, scope: str) -> bool:
        """Whether the agent may write a scope: every scope it may read, but a project agent not `global`."""
        sight = Sight(self.scopes(agent), self.beginnings(agent))
        return (self.is_wide or scope != GLOBAL) and sight.reaches(scope)

    def scopes(self, agent: str) -> tuple[str, ...] | None:
        """What the agent reads: an administrator every scope, which is None; a project agent what is its own and
        `global`; a general agent also every project, repo and session; and a skill agent none, since it only reads
        what was shared with it.
        """
        match self.role:
            case Role.ADMIN:
                return None
            case Role.GENERAL:
                return (GLOBAL, f"agent:{agent}")
            case Role.SKILL:
                return ()
            case Role.PROJECT:
                own = [("project", self.projects), ("repo", self.repos), ("team", self.teams), ("agent", (agent,))]
                return (GLOBAL, *(f"{kind}:{name}" for kind, names in own for name in names))


DEFAULT_REACH = Reach(Role.GENERAL)
"""The permissions of an agent that the owner names for the first time."""
LEAST_REACH = Reach(Role.SKILL)
"""The permissions of an agent without a record: it reads what was shared with it."""


class Principal(msgspec.Struct, frozen=True):
    """A person, an agent, a peer or the system, known by its credential."""

    kind: PrincipalKind
    name: str
    reach: Reach | None = None
    """The permissions of an agent; None for a person, a peer and the system."""
    is_new: bool = False
    """Whether the owner names this agent for the first time: its first write records it."""

    @property
    def id(self) -> str:
        return f"{self.kind}:{self.name}"

    @property
    def is_person(self) -> bool:
        return self.kind is PrincipalKind.PERSON

    @property
    def sight(self) -> Sight:
        """A person owns the home and sees all; an agent sees what its record allows, never another agent's scope."""
        if self.is_person:
            return EVERYTHING
        if self.kind is PrincipalKind.SYSTEM:
            return Sight(reader=self.id)
        if self.reach is not None:
            return Sight(self.reach.scopes(self.name), self.reach.beginnings(self.name), self.id)
        return Sight((), reader=self.id)

    @property
    def own_project(self) -> str | None:
        """The one project that an agent works in, if there is just one."""
        projects = self.reach.projects if self.reach else ()
        return projects[0] if len(projects) == 1 else None


def read_principal(principal_id: str) -> Principal:
    """Parse the id of a principal that Heldtrue itself wrote. An agent has the least reach until it is looked up."""
    kind, _, name = principal_id.partition(":")
    return Principal(PrincipalKind(kind), name, LEAST_REACH if kind == PrincipalKind.AGENT else None)


OWNER = Principal(PrincipalKind.PERSON, "owner")
SYSTEM = Principal(PrincipalKind.SYSTEM, "heldtrue")
_NAME = re.compile(r"[^\s:*?%/\x00-\x1f]+")
"""No slash: the part before the slash in a session name is its owner."""


def agent_principal(name: str) -> Principal:
    """The agent of that name with the least reach, or an error that says what a name may be."""
    if not _NAME.fullmatch(name) or not name.isprintable() or len(name) > NAME_CHARS_MAX:
        raise InvalidInput(
            "is not an agent name",
            given=name,
            field="agent",
            hint=f"use 1 to {NAME_CHARS_MAX} characters without spaces, colons, slashes or wildcards: claude-code",
        )
    return Principal(PrincipalKind.AGENT, name, LEAST_REACH)


def new_agent(name: str) -> Principal:
    """An agent that the owner names for the first time."""
    return Principal(PrincipalKind.AGENT, agent_principal(name).name, DEFAULT_REACH, is_new=True)
