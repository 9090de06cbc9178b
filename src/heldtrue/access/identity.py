"""Maps credentials to principals. A credential is the only source of identity."""

from __future__ import annotations

from heldtrue.access.ports import AccessReadTransaction
from heldtrue.domain.agent import TOKEN_PREFIX, AgentRow, digest_token
from heldtrue.domain.errors import NotAllowed
from heldtrue.domain.limits import TOKEN_CHARS_MAX
from heldtrue.domain.principal import Principal, PrincipalKind, agent_principal, new_agent, read_principal


class NoCredential(NotAllowed):
    """Authentication required."""

    code = "no_credential"
    http_status = 401


def find_by_token(reading: AccessReadTransaction, token: str) -> AgentRow:
    """Return the agent of a token, or raise an error that does not say what was wrong with the token."""
    if token.startswith(TOKEN_PREFIX) and len(token) <= TOKEN_CHARS_MAX:
        # Looked up by its digest: how long that takes tells nothing about a token.
        found = reading.agents.by_token(digest_token(token))
        if found is not None:
            return found
    raise NoCredential(
        "unknown token",
        hint="ask the owner to create a token for you (`add_agent`), or to replace a lost one (`rotate_agent`)",
    )


def find_local(reading: AccessReadTransaction, name: str) -> Principal:
    """Return the principal of an agent that a program on this machine names, with the permissions of its record.

    Without a record it has the least reach, since its name may have come with an import. In an empty space there is
    nothing to reach: the first agent there gets the default reach.
    """
    principal = agent_principal(name)
    found = reading.agents.named(principal.name)
    if found is not None and found.kind is PrincipalKind.AGENT:
        return found.principal
    return new_agent(name) if reading.ledger.head().seq == 0 else principal


def find_named(reading: AccessReadTransaction, name: str) -> Principal:
    """Return the principal of an agent that the owner names, on the command line or in a program.

    An agent that nobody has named before gets the default reach, and its first write records it.
    """
    principal = find_local(reading, name)
    is_known = reading.agents.named(principal.name) is not None or reading.ledger.knows("principal", principal.id)
    return principal if is_known else new_agent(name)


def find_again(reading: AccessReadTransaction, principal_id: str) -> Principal:
    """Return the principal that requested a job, with the permissions of its record."""
    principal = read_principal(principal_id)
    return find_local(reading, principal.name) if principal.kind is PrincipalKind.AGENT else principal
