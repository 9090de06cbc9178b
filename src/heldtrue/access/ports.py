"""What access needs of a store: the agents on record."""

from __future__ import annotations

from typing import Protocol

from heldtrue.domain.agent import AgentRow
from heldtrue.domain.ledger import Head


class AgentDirectory(Protocol):
    """Agents by their name and by their token."""

    def named(self, name: str) -> AgentRow | None: ...
    def by_token(self, token_digest: bytes) -> AgentRow | None: ...


class NameDirectory(Protocol):
    """Which names a space knows, and whether it knows any."""

    def head(self) -> Head: ...
    def knows(self, table: str, name: str) -> bool: ...


class AccessReadTransaction(Protocol):
    """Where a credential is looked up."""

    @property
    def agents(self) -> AgentDirectory: ...
    @property
    def ledger(self) -> NameDirectory: ...
