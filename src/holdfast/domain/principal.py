"""Who acts, and what follows from it. Standing comes from here, never from what a text says of itself."""

from __future__ import annotations

import re
from enum import StrEnum

import msgspec

from holdfast.domain.errors import InvalidInput, NotAllowed
from holdfast.domain.limits import NAME_CHARS_MAX
from holdfast.domain.scope import GLOBAL, scope_kind


class PrincipalKind(StrEnum):
    PERSON = "person"
    AGENT = "agent"
    PEER = "peer"
    SYSTEM = "system"


class Principal(msgspec.Struct, frozen=True):
    """A person, an agent, a peer or the system, known by its credential."""

    kind: PrincipalKind
    name: str

    @property
    def id(self) -> str:
        return f"{self.kind}:{self.name}"

    @property
    def is_person(self) -> bool:
        return self.kind is PrincipalKind.PERSON

    def may_see(self, scope: str) -> bool:
        """A person owns the home and sees all; an agent sees the shared scopes and its own, never another agent's."""
        if self.is_person or self.kind is PrincipalKind.SYSTEM:
            return True
        kind = scope_kind(scope)
        if kind == "agent":
            return scope == f"agent:{self.name}"
        return scope == GLOBAL or kind in ("project", "repo", "session")


def require_person(principal: Principal, deed: str) -> None:
    """Refuse an agent what only a person may do."""
    if not principal.is_person:
        raise NotAllowed(f"only a person may {deed}; {principal.id} is not one", hint="ask a person to do it")


def read_principal(principal_id: str) -> Principal:
    """Who an id names that we made ourselves."""
    kind, _, name = principal_id.partition(":")
    return Principal(PrincipalKind(kind), name)


OWNER = Principal(PrincipalKind.PERSON, "owner")
SYSTEM = Principal(PrincipalKind.SYSTEM, "holdfast")
_NAME = re.compile(r"[^\s:*?%\x00-\x1f]+")


def agent_principal(name: str) -> Principal:
    """The agent of that name, or an error that says what a name may be."""
    if not _NAME.fullmatch(name) or not name.isprintable() or len(name) > NAME_CHARS_MAX:
        raise InvalidInput(
            f"{name!r} is not an agent name",
            field="agent",
            hint=f"use 1 to {NAME_CHARS_MAX} characters without spaces, colons or wildcards, for example claude-code",
        )
    return Principal(PrincipalKind.AGENT, name)
