"""Maps credentials to principals. A credential is the only source of identity."""

from __future__ import annotations

from heldtrue.access.ports import AccessReadTransaction
from heldtrue.domain.agent import TOKEN_PREFIX, AgentRow, digest_token
from heldtrue.domain.errors import NotAllowed
from heldtrue.domain.principal import Principal, PrincipalKind, agent_principal, read_principal

_TOKEN_CHARS_MAX = 200


class NoCredential(NotAllowed):
    """Authentication required."""

    code = "no_credential"
    http_status = 401


def find_by_token(reading: AccessReadTransaction, token: str) -> AgentRow:
    """Return the agent of a token, or raise an error that does not say what was wrong with the token."""
    if token.startswith(TOKEN_PREFIX) and len(token) <= _TOKEN_CHARS_MAX:
        # Looked up by its digest: how long that takes tells nothing about a token.
        found = reading.agents.by_token(digest_token(token))
        if found is not None:
            return found
    raise NoCredential(
        "unknown token", hint="ask the owner for a token (`add_agent`), or for a new one (`rotate_agent`)"
    )


def find_local(reading: AccessReadTransaction, name: str) -> Principal:
    """Return the principal of an agent that runs on this machine, with the permissions of its record if it has one."""
    principal = agent_principal(name)
    found = reading.agents.named(principal.name)
    return found.principal if found is not None and found.kind is PrincipalKind.AGENT else principal


def find_again(reading: AccessReadTransaction, principal_id: str) -> Principal:
    """Return the principal that requested a job, with the permissions of its record."""
    principal = read_principal(principal_id)
    return find_local(reading, principal.name) if principal.kind is PrincipalKind.AGENT else principal
