"""Connect a client to a service, with the token of an agent, never of a person."""

from __future__ import annotations

from collections.abc import Mapping

from heldtrue.access.identity import NoCredential
from heldtrue.capabilities.verb_index import find_capability
from heldtrue.domain.errors import InvalidInput, NotAllowed
from heldtrue.surfaces.cli.install.clients import USER
from heldtrue.surfaces.cli.options import Options
from heldtrue.surfaces.remote import TOKEN_VARIABLE, Remote

_PLACE_OF_TOKEN = "THE_TOKEN_OF_AN_AGENT"  # noqa: S105 - what stands where one belongs


def find_token(
    url: str, client: str, scope: str, options: Options, environment: Mapping[str, str], *, is_shown: bool
) -> str:
    """The token for the client: an agent's, known to the service. With --print there is none."""
    for name in ("home", "agent", "project"):
        if getattr(options, name) is not None:
            raise InvalidInput(
                f"--{name} and --url cannot be used together",
                field=name,
                hint="remove one of them; when you use a service, the token determines the agent and its projects",
            )
    if scope != USER:
        raise InvalidInput(
            "a token must not be stored in a project's files, because others can read them",
            field="scope",
            hint=f"remove --scope {scope}",
        )
    remote = Remote(url, environment.get(TOKEN_VARIABLE))
    if is_shown:
        return _PLACE_OF_TOKEN
    token = environment.get(TOKEN_VARIABLE)
    if not token:
        raise NoCredential(
            f"connecting {client} to {url} needs a token",
            hint=f"to create one, run heldtrue agents add {client} --project ID; then set {TOKEN_VARIABLE} to that "
            "token and run this command again",
        )
    _refuse_person(remote, client)
    return token


def _refuse_person(remote: Remote, client: str) -> None:
    """Refuse the token of a person: anything an agent learned with it would count as stated by that person."""
    listing = find_capability("agents")
    assert listing is not None
    try:
        remote.use(listing, {})
    except NoCredential:
        raise
    except NotAllowed:
        return  # only a person may list the agents
    finally:
        remote.close()
    raise NotAllowed(
        f"{TOKEN_VARIABLE} is a person's token: everything that {client} learned with it would be recorded as that "
        "person's statement",
        field="url",
        hint=f"to create a token for the agent, run heldtrue agents add {client} --project ID; then set "
        f"{TOKEN_VARIABLE} to that token and run this command again",
    )
