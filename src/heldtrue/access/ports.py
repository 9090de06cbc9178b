"""What access needs of a store: the agents on record."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from heldtrue.domain.agent import AgentRow


class AgentDirectory(Protocol):
    """Agents by their name and by their token."""

    def named(self, name: str) -> AgentRow | None: ...
    def by_token(self, token_digest: bytes) -> AgentRow | None: ...


class AccessReadTransaction(Protocol):
    """Where a credential is looked up."""

    @property
    def agents(self) -> AgentDirectory: ...


class AccessStore(Protocol):
    """A space, as far as access looks at it."""

    def read(self) -> AbstractContextManager[AccessReadTransaction]: ...
