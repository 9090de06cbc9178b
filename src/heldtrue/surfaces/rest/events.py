"""Server-sent events, which a client can resume after a lost connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from heldtrue.access.identity import NoCredential
from heldtrue.access.rates import TooOften
from heldtrue.capabilities.call import Call
from heldtrue.capabilities.following import EventsAnswer
from heldtrue.capabilities.verb_index import find_capability
from heldtrue.domain.errors import InvalidInput, NotAllowed
from heldtrue.domain.limits import EVENTS_MAX, EVENTS_POLL_SECONDS, STREAM_COMMENT_SECONDS, STREAMS_MAX
from heldtrue.surfaces.following import is_full
from heldtrue.surfaces.rest.routes import split_words
from heldtrue.surfaces.rest.service import Service
from heldtrue.surfaces.wire import write_json

_MEDIA_TYPE = "text/event-stream"


class _Stream(StreamingResponse):
    """A stream that counts as one of the principal's streams until it ends."""

    def __init__(self, service: Service, who: str, body: AsyncIterator[bytes], headers: Mapping[str, str]) -> None:
        super().__init__(body, media_type=_MEDIA_TYPE, headers=headers)
        self._open, self._who = service.streams, who
        self._open[who] = self._open.get(who, 0) + 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._open[self._who] -= 1
            if not self._open[self._who]:
                del self._open[self._who]


async def stream_events(service: Service, request: Request) -> Response:
    """Stream events from now on, or after the last event that the client has seen."""
    asked = dict(request.query_params)
    if unknown := sorted(asked.keys() - {"after", "names"}):
        raise InvalidInput(
            f"events has no argument {unknown[0]!r}", field=unknown[0], hint="its arguments are: after, names"
        )
    names = [name for given in request.query_params.getlist("names") for name in split_words(given)] or None
    after = request.headers.get("last-event-id") or asked.get("after")
    call = service.call_of(request)
    # Asked once before the stream begins, so that a mistake is an error and no silent stream.
    first = await _next(service, call, after, names)
    if after is None:
        first = msgspec.structs.replace(first, items=[])  # from now on: what was before is not told
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(media_type=_MEDIA_TYPE, headers=headers)
    who = call.principal.id
    if service.streams.get(who, 0) >= STREAMS_MAX:
        raise TooOften(f"{who} already has {STREAMS_MAX} open streams", hint="close one of them")
    # It has a limit of its own, and must not take the place of a request for as long as it goes on.
    request.state.leave()
    return _Stream(service, who, _follow(service, request, first, names, after or first.next_cursor), headers)


async def _next(service: Service, call: Call, after: str | None, names: list[str] | None) -> EventsAnswer:
    arguments = {"after": after, "names": names, "limit": EVENTS_MAX}
    capability = find_capability("events")
    assert capability is not None
    answer: EventsAnswer = await service.run(lambda: capability.invoke(call, arguments))
    return answer


async def _follow(
    service: Service, request: Request, page: EventsAnswer, names: list[str] | None, start: str
) -> AsyncIterator[bytes]:
    # A first word at once: the client knows where it stands before anything happens.
    yield f"id: {start}\nretry: 2000\n: following\n\n".encode()
    quiet, cursor = 0.0, start
    while not service.closing.is_set():
        for event in page.items:
            told = (event.id.encode(), event.event.value.encode(), write_json(event))
            yield b"id: %s\nevent: %s\ndata: %s\n\n" % told
        quiet = 0.0 if page.items else quiet + EVENTS_POLL_SECONDS
        if quiet >= STREAM_COMMENT_SECONDS:
            quiet = 0.0
            yield b": still here\n\n"
        if not is_full(cursor, page.next_cursor):
            await _pause(service)
        cursor = page.next_cursor
        try:
            # Who follows is asked anew each time: a token that is taken away ends its streams, too.
            await service.identify(request)
            page = await _next(service, service.call_of(request), page.next_cursor, names)
        except (NoCredential, NotAllowed):
            return


async def _pause(service: Service) -> None:
    try:
        await asyncio.wait_for(service.closing.wait(), EVENTS_POLL_SECONDS)
    except TimeoutError:
        return
