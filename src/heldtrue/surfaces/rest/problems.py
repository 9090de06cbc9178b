"""Errors as HTTP says them: problem details (RFC 9457), with our code, field and hint."""

from __future__ import annotations

import math
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.responses import Response

from heldtrue.access.identity import NoCredential
from heldtrue.access.rates import TooOften
from heldtrue.capabilities.verb_index import PREFIX, find_verb
from heldtrue.domain.errors import Busy, HeldtrueError, InvalidInput, NotAllowed, StorageUnavailable, TooLarge
from heldtrue.surfaces.tool_catalogue import retell_commands
from heldtrue.surfaces.wire import write_json

PROBLEM_TYPE = "application/problem+json"
_BUSY_SECONDS = 1


class ProblemDetails(msgspec.Struct, frozen=True, kw_only=True):
    """What went wrong, as RFC 9457 says it, with our code, field and hint."""

    type: Annotated[
        str,
        Meta(description="A name for this sort of problem, the same everywhere.", extra_json_schema={"format": "uri"}),
    ]
    title: Annotated[str, Meta(description="The same in words.")]
    status: Annotated[int, Meta(description="The status of the answer.")]
    detail: Annotated[str, Meta(description="What went wrong this time.")]
    code: Annotated[str, Meta(description="What went wrong, in a word that stays the same: invalid_input, busy, ...")]
    field: Annotated[str | None, Meta(description="The argument that is meant.")]
    hint: Annotated[str | None, Meta(description="What to do next.")]
    instance: Annotated[
        str | None,
        Meta(
            description="This request, by the id that its header Heldtrue-Request and the server's log have too.",
            extra_json_schema={"format": "uri"},
        ),
    ] = None


class WrongMethod(InvalidInput):
    """This address takes another method."""

    code = "wrong_method"
    exit_status = 2
    http_status = 405


class WrongHost(NotAllowed):
    """This server does not answer for that host."""

    code = "wrong_host"
    exit_status = 4
    http_status = 421


class WrongMediaType(InvalidInput):
    """The body must be JSON."""

    code = "wrong_media_type"
    exit_status = 2
    http_status = 415


class Stopping(StorageUnavailable):
    """The server stops before this is done; it may still be done, or not."""

    code = "stopping"
    exit_status = 7
    http_status = 503


class HeadTooLarge(TooLarge):
    """The address and the headers of the request are too long together."""

    code = "head_too_large"
    exit_status = 2
    http_status = 431


class TooSlow(Busy):
    """The request took too long to arrive."""

    code = "too_slow"
    exit_status = 6
    http_status = 408


def describe(problem: HeldtrueError, request_id: str | None = None) -> ProblemDetails:
    """An error in its wire shape."""
    return ProblemDetails(
        type=f"urn:heldtrue:problem:{problem.code}",
        title=(type(problem).__doc__ or "").strip().split("\n")[0].rstrip("."),
        status=problem.http_status,
        detail=problem.message,
        code=problem.code,
        field=problem.field,
        hint=retell_commands(problem.hint, _name_of) if problem.hint else None,
        instance=f"urn:uuid:{request_id}" if request_id is not None else None,
    )


def _name_of(verb: str) -> str | None:
    """What a command is called over HTTP."""
    return PREFIX + verb if find_verb(verb) is not None else None


def respond(problem: HeldtrueError, request_id: str | None = None) -> Response:
    """An error as a response."""
    headers = {}
    if isinstance(problem, NoCredential):
        headers["WWW-Authenticate"] = 'Bearer realm="heldtrue"'
    if isinstance(problem, TooOften):
        headers["Retry-After"] = str(max(1, math.ceil(problem.retry_after_seconds)))
    elif isinstance(problem, Busy):
        headers["Retry-After"] = str(_BUSY_SECONDS)
    body = write_json(describe(problem, request_id))
    return Response(body, problem.http_status, headers, media_type=PROBLEM_TYPE)


def not_for_agents(deed: str) -> NotAllowed:
    return NotAllowed(f"only a person may {deed}", hint="use the owner's token")
