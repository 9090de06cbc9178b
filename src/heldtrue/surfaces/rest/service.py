"""What every route of the service works with: the space, who asks, and the threads that do the work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import msgspec
from starlette.requests import Request

from heldtrue.capabilities.call import Call, Instance
from heldtrue.domain.agent import AgentRow
from heldtrue.domain.limits import BODY_SECONDS_MAX, REQUEST_BYTES_MAX
from heldtrue.surfaces.rest import admission, problems
from heldtrue.surfaces.rest.metrics import Metrics
from heldtrue.surfaces.wire import too_large

CHANNEL = "rest"
Answer = TypeVar("Answer")


class Service(msgspec.Struct, frozen=True):
    """What the routes work with."""

    instance: Instance
    counter: admission.Counter
    allowed_hosts: frozenset[str]
    pool: ThreadPoolExecutor
    identity_pool: ThreadPoolExecutor
    """Finds out who comes: however long others' requests take, that never waits for them."""
    metrics: Metrics
    closing: asyncio.Event
    streams: dict[str, int]
    """How many event streams each principal has open."""

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """Do something that takes a while beside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, work)

    async def run_short(self, work: Callable[[], Answer]) -> Answer:
        """Do something short that must not wait for what takes a while."""
        return await asyncio.get_running_loop().run_in_executor(self.identity_pool, work)

    async def identify(self, request: Request) -> AgentRow:
        """Find out who sends a request, and keep it with the request."""
        agent = await self.run_short(lambda: admission.identify(self.instance.store, request.headers))
        request.scope.setdefault("state", {})["agent"] = agent
        return agent

    def call_of(self, request: Request, *, channel: str = CHANNEL) -> Call:
        """Who asks, and in which surroundings. The surroundings only narrow what the token allows."""
        agent: AgentRow = request.state.agent
        headers = request.headers
        return Call(
            instance=self.instance,
            principal=agent.principal,
            channel=channel,
            project=headers.get("heldtrue-project"),
            repo=headers.get("heldtrue-repo"),
            session=headers.get("heldtrue-session"),
            meter=lambda effect, number: self.counter.count(agent, effect, number),
        )


async def read_body(request: Request) -> bytes:
    """The body, and never more of it than is allowed, whatever its length was said to be, nor for longer."""
    admission.check_media(request.method, request.headers)
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS_MAX):
            async for part in request.stream():
                body += part
                if len(body) > REQUEST_BYTES_MAX:
                    raise too_large("body")
    except TimeoutError:
        slow = f"the body had not arrived after {BODY_SECONDS_MAX:g} seconds"
        raise problems.TooSlow(slow, field="body", hint="send it at once") from None
    return bytes(body)
