"""Connecting a client to a service: whose token it gets, and that it is no person's."""

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
    """The token that the client is to have: an agent's, which the service knows. What is only shown names none."""
    for name in ("home", "agent", "project"):
        if getattr(options, name) is not None:
            raise InvalidInput(
                f"--{name} and --url do not go together",
                field=name,
                hint="leave one of them out: at a service, the token says who acts and where",
            )
    if scope != USER:
        raise InvalidInput(
            "a token does not belong into the files of a project, which others read",
            field="scope",
            hint=f"leave out --scope {scope}",
        )
    remote = Remote(url, environment.get(TOKEN_VARIABLE))
    if is_shown:
        return _PLACE_OF_TOKEN
    token = environment.get(TOKEN_VARIABLE)
    if not token:
        raise NoCredential(
            f"no token says who {client} is at {url}",
            hint=f"make one with: heldtrue agents add {client} --project ID; then run this again with it as "
            f"{TOKEN_VARIABLE}",
        )
    _refuse_person(remote, client)
    return token


def _refuse_person(remote: Remote, client: str) -> None:
    """Refuse the token of a person: whatever an agent learned with it would count as said by that person."""
    listing = find_capability("agents")
    assert listing is not None
    try:
        remote.use(listing, {})
    except NoCredential:
        raise
    except NotAllowed:
        return  # only a person may see who may come
    finally:
        remote.close()
    raise NotAllowed(
        f"{TOKEN_VARIABLE} is the token of a person, and what {client} learned with it would count as said by them",
        field="url",
        hint=f"make one of its own with: heldtrue agents add {client} --project ID; then run this again with it as "
        f"{TOKEN_VARIABLE}",
    )
