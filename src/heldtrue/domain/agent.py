"""Registered agents with their permissions, rate limits and tokens, and the messages between agents."""

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
    """A registered agent. Only a digest of its token is stored."""

    name: str
    kind: PrincipalKind
    role: Role
    projects: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    token_digest: bytes | None
    """None once the token was revoked."""
    writes_per_minute: int | None = None
    requests_per_second: int | None = None
    """None means the value of the settings."""
    created_at: int
    changed_at: int

    @property
    def principal(self) -> Principal:
        """Who acts with its token."""
        if self.kind is PrincipalKind.PERSON:
            return OWNER
        return Principal(self.kind, self.name, Reach(self.role, self.projects, self.repos, self.teams))


class HandedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A message from one agent to another, with the memories it shares."""

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
    """The stored form of a token. A token is random, so a plain digest does not reveal it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def pack_names(names: Any) -> str:
    """Names as one column."""
    return msgspec.json.encode(list(names)).decode()


def unpack_names(column: str) -> tuple[str, ...]:
    return tuple(msgspec.json.decode(column, type=list[str]))
