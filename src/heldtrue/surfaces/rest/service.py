"""The shared parts of all routes: the space, the caller, and the worker threads."""

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
    """The shared parts of all routes."""

    instance: Instance
    counter: admission.Counter
    allowed_hosts: frozenset[str]
    pool: ThreadPoolExecutor
    identity_pool: ThreadPoolExecutor
    """Threads for authentication, which never waits for other requests."""
    metrics: Metrics
    closing: asyncio.Event
    streams: dict[str, int]
    """How many event streams each principal has open."""

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """Run something slow in a worker thread."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, work)

    async def run_short(self, work: Callable[[], Answer]) -> Answer:
        """Run something short that must not wait for slow work."""
        return await asyncio.get_running_loop().run_in_executor(self.identity_pool, work)

    async def identify(self, request: Request) -> AgentRow:
        """Authenticate a request, and store its principal with it."""
        agent = await self.run_short(lambda: admission.identify(self.instance.store, request.headers))
        request.scope.setdefault("state", {})["agent"] = agent
        return agent

    def call_of(self, request: Request, *, channel: str = CHANNEL) -> Call:
        """The call of a request. Its project, repo and session can only narrow what the token allows."""
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
    """Read the body, with limits on its actual size and on the time."""
    admission.check_media(request.method, request.headers)
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS_MAX):
            async for part in request.stream():
                body += part
                if len(body) > REQUEST_BYTES_MAX:
                    raise too_large("body")
    except TimeoutError:
        slow = f"the body did not arrive within {BODY_SECONDS_MAX:g} seconds"
        raise problems.TooSlow(slow, field="body", hint="send it at once") from None
    return bytes(body)
