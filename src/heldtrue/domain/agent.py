"""Registered agents with their permissions, rate limits and tokens."""

from __future__ import annotations

import base64
import hashlib
import os
from typing import Any

import msgspec

from heldtrue.domain.principal import OWNER, Principal, PrincipalKind, Reach, Role
from heldtrue.domain.records import AgentRecord

TOKEN_PREFIX = "ht_"  # noqa: S105 - what every token begins with, so that a leaked one is recognised
_TOKEN_BYTES = 32
TOKENS_AFTER = "tokens_after"
"""The index state that names the last entry whose agents came to this home without their tokens."""


class AgentRow(msgspec.Struct, frozen=True, kw_only=True):
    """A registered agent, as its record says."""

    name: str
    kind: PrincipalKind
    role: Role
    projects: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    writes_per_minute: int | None = None
    requests_per_second: int | None = None
    """None means the value of the settings."""
    token_check: bytes | None = None
    has_token: bool = False
    """Whether the agent has a valid token in this home. Exports and backups do not contain tokens."""
    created_at: int
    changed_at: int
    revoked_at: int | None = None
    seq: int = 0
    """The ledger entry that wrote its record; 0 before it has one."""

    @property
    def principal(self) -> Principal:
        """Who acts with its token."""
        if self.kind is PrincipalKind.PERSON:
            return OWNER
        return Principal(self.kind, self.name, Reach(self.role, self.projects, self.repos, self.teams))

    def record(self, record_id: str, seq: int, recorded_from: int) -> AgentRecord:
        """The record of it that a ledger entry writes."""
        return AgentRecord(
            id=record_id,
            seq=seq,
            name=self.name,
            kind=str(self.kind.value),
            role=str(self.role.value),
            projects=pack_names(self.projects),
            repos=pack_names(self.repos),
            teams=pack_names(self.teams),
            writes_per_minute=self.writes_per_minute,
            requests_per_second=self.requests_per_second,
            token_check=self.token_check,
            created_at=self.created_at,
            revoked_at=self.revoked_at,
            recorded_from=recorded_from,
        )


def read_agent(record: AgentRecord, token_digest: bytes | None) -> AgentRow:
    """The agent of a record. A stored token that the record does not name is no token of it."""
    return AgentRow(
        name=str(record.name),
        kind=PrincipalKind(record.kind),
        role=Role(record.role),
        projects=unpack_names(record.projects),
        repos=unpack_names(record.repos),
        teams=unpack_names(record.teams),
        writes_per_minute=record.writes_per_minute,
        requests_per_second=record.requests_per_second,
        token_check=record.token_check,
        has_token=token_digest is not None and check_token(token_digest) == record.token_check,
        created_at=record.created_at,
        changed_at=record.recorded_from,
        revoked_at=record.revoked_at,
        seq=record.seq,
    )


def mint_token() -> str:
    """A new token: 256 bits that nobody can guess."""
    return TOKEN_PREFIX + base64.urlsafe_b64encode(os.urandom(_TOKEN_BYTES)).rstrip(b"=").decode()


def digest_token(token: str) -> bytes:
    """The stored form of a token. A token is random, so a plain digest does not reveal it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def check_token(token_digest: bytes) -> bytes:
    """What a record contains about a token: enough to recognise its digest, but not enough to authenticate."""
    return hashlib.sha256(b"heldtrue/token\n" + token_digest).digest()


def pack_names(names: Any) -> str:
    """Names as one column."""
    return msgspec.json.encode(list(names)).decode()


def unpack_names(column: str) -> tuple[str, ...]:
    return tuple(msgspec.json.decode(column, type=list[str]))
