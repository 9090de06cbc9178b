"""An agent on record: what it may reach, how fast, by which token; and what agents hand each other."""

from __future__ import annotations

import base64
import hashlib
import os
from typing import Any

import msgspec

from heldtrue.domain.principal import OWNER, Principal, PrincipalKind, Reach, Role

TOKEN_PREFIX = "ht_"  # noqa: S105 - what every token begins with, so that a leaked one is recognised
_TOKEN_BYTES = 32


class AgentRow(msgspec.Struct, frozen=True, kw_only=True):
    """One that may come by token. Of the token only a digest is kept."""

    name: str
    kind: PrincipalKind
    role: Role
    projects: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    token_digest: bytes | None
    """None once the token is taken away."""
    writes_per_minute: int | None = None
    requests_per_second: int | None = None
    """None is what the settings say."""
    created_at: int
    changed_at: int

    @property
    def principal(self) -> Principal:
        """Who acts with its token."""
        if self.kind is PrincipalKind.PERSON:
            return OWNER
        return Principal(self.kind, self.name, Reach(self.role, self.projects, self.repos, self.teams))


class HandedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A message from one agent to another, with the memories that come along."""

    id: str
    sender: str
    receiver: str
    type: str
    action: str
    memories: tuple[str, ...]
    note: str | None
    created_at: int
    expires_at: int


def mint_token() -> str:
    """A new token: 256 bits that nobody can guess."""
    return TOKEN_PREFIX + base64.urlsafe_b64encode(os.urandom(_TOKEN_BYTES)).rstrip(b"=").decode()


def digest_token(token: str) -> bytes:
    """What is kept of a token. It is random, so a plain digest tells nobody what it was."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def pack_names(names: Any) -> str:
    """Names as one column."""
    return msgspec.json.encode(list(names)).decode()


def unpack_names(column: str) -> tuple[str, ...]:
    return tuple(msgspec.json.decode(column, type=list[str]))
