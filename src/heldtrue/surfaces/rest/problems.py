"""Errors as HTTP problem details (RFC 9457), with code, field and hint."""

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
from heldtrue.domain.limits import BUSY_RETRY_SECONDS
from heldtrue.surfaces.tool_catalogue import retell_commands
from heldtrue.surfaces.wire import write_json

PROBLEM_TYPE = "application/problem+json"


class ProblemDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Problem details (RFC 9457), with code, field and hint."""

    type: Annotated[
        str,
        Meta(description="A stable URI for this type of problem.", extra_json_schema={"format": "uri"}),
    ]
    title: Annotated[str, Meta(description="The type of problem in words.")]
    status: Annotated[int, Meta(description="The HTTP status.")]
    detail: Annotated[str, Meta(description="What went wrong in this case.")]
    code: Annotated[str, Meta(description="A stable error code: invalid_input, busy, ...")]
    field: Annotated[str | None, Meta(description="The argument with the problem.")]
    hint: Annotated[str | None, Meta(description="What to do next.")]
    instance: Annotated[
        str | None,
        Meta(
            description="The id of this request, as in its Heldtrue-Request header and in the server's log.",
            extra_json_schema={"format": "uri"},
        ),
    ] = None


class WrongMethod(InvalidInput):
    """Method not allowed."""

    code = "wrong_method"
    exit_status = 2
    http_status = 405


class WrongHost(NotAllowed):
    """Unknown host."""

    code = "wrong_host"
    exit_status = 4
    http_status = 421


class WrongMediaType(InvalidInput):
    """Unsupported media type; the body must be JSON."""

    code = "wrong_media_type"
    exit_status = 2
    http_status = 415


class Stopping(StorageUnavailable):
    """The server is stopping; the request may or may not have been carried out."""

    code = "stopping"
    exit_status = 7
    http_status = 503


class HeadTooLarge(TooLarge):
    """The URL and the headers are too long."""

    code = "head_too_large"
    exit_status = 2
    http_status = 431


class TooSlow(Busy):
    """Request timeout."""

    code = "too_slow"
    exit_status = 6
    http_status = 408


def describe(problem: HeldtrueError, request_id: str | None = None) -> ProblemDetails:
    """The problem details of an error."""
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
    """The name of a verb over HTTP."""
    return PREFIX + verb if find_verb(verb) is not None else None


def respond(problem: HeldtrueError, request_id: str | None = None) -> Response:
    """An error as a response."""
    headers = {}
    if isinstance(problem, NoCredential):
        headers["WWW-Authenticate"] = 'Bearer realm="heldtrue"'
    if isinstance(problem, TooOften):
        headers["Retry-After"] = str(max(1, math.ceil(problem.retry_after_seconds)))
    elif isinstance(problem, Busy):
        headers["Retry-After"] = str(BUSY_RETRY_SECONDS)
    body = write_json(describe(problem, request_id))
    return Response(body, problem.http_status, headers, media_type=PROBLEM_TYPE)


def not_for_agents(deed: str) -> NotAllowed:
    return NotAllowed(f"only a person may {deed}", hint="use the owner's token")
