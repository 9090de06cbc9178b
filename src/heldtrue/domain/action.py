"""Actions and resources: the two values that a policy decides about."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from heldtrue.domain.privacy import Privacy


class Effect(StrEnum):
    """What an action does to a space."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class Audience(StrEnum):
    """Who an action is for."""

    PEOPLE = "people"
    AGENTS = "agents"
    EVERYONE = "everyone"


class Action(msgspec.Struct, frozen=True):
    """Something that a principal may want to do. Capabilities make theirs from their declaration."""

    name: str
    effect: Effect
    audience: Audience = Audience.EVERYONE
    skill_agents: bool = False
    """Whether agents with the role skill may do it too."""

    @property
    def verb(self) -> str:
        return self.name.rpartition(".")[2]


READ = Action("read", Effect.READ)
"""Read access, for any capability."""
WRITE = Action("write", Effect.WRITE)
"""Write access, for any capability."""


class SpaceResource(msgspec.Struct, frozen=True):
    """The space as a whole."""


class ScopeResource(msgspec.Struct, frozen=True):
    """Everything in one scope."""

    scope: str
    field: str | None = None
    """The argument that named it, for an error."""


class RowResource(msgspec.Struct, frozen=True):
    """One memory or source."""

    scope: str
    privacy: Privacy


class JobResource(msgspec.Struct, frozen=True):
    """One job in the queue."""

    scope: str
    """Empty for a job of the whole space."""
    asked_by: str
    is_suspended: bool = False
    """Whether its requester has lost its token since."""


Resource = SpaceResource | ScopeResource | RowResource | JobResource
SPACE = SpaceResource()
