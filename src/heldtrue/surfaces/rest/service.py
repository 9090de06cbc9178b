"""The shared parts of all routes: the space, the caller, and the worker threads."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import msgspec
from starlette.requests import Request

from heldtrue.access.identity import NoCredential
from heldtrue.capabilities.call import Call, Instance
from heldtrue.capabilities.file_access import FileAccess
from heldtrue.domain.agent import AgentRow
from heldtrue.domain.errors import HeldtrueError, StorageProblem, StorageUnavailable
from heldtrue.domain.limits import BODY_SECONDS_MAX, REQUEST_BYTES_MAX
from heldtrue.surfaces.rest import admission, problems
from heldtrue.surfaces.rest.metrics import Metrics
from heldtrue.surfaces.wire import too_large

CHANNEL = "rest"
_LOG = logging.getLogger("heldtrue.server")
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
    files: FileAccess
    """Which files of this machine a request may name."""
    people: set[bytes]
    """Digests of the tokens that people have used here: they are told why the store fails while it cannot be asked."""

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """Run something slow in a worker thread."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, work)

    async def run_short(self, work: Callable[[], Answer]) -> Answer:
        """Run something short that must not wait for slow work."""
        return await asyncio.get_running_loop().run_in_executor(self.identity_pool, work)

    async def identify(self, request: Request) -> AgentRow:
        """Authenticate a request, and store its principal with it."""
        try:
            agent = await self.run_short(lambda: admission.identify(self.instance.store, request.headers))
        except NoCredential:
            self.people.discard(admission.digest_credential(request.headers))
            raise
        except StorageProblem as problem:
            if self.is_from_person(request.headers):
                raise
            self.note_problem(problem)
            raise StorageUnavailable("the store cannot be read", hint="see the server's log") from None
        if agent.principal.is_person:
            self.people.add(admission.digest_credential(request.headers))
        request.scope.setdefault("state", {})["agent"] = agent
        return agent

    def is_from_person(self, headers: Mapping[str, str]) -> bool:
        """Whether a request has a token that a person has used since the start of the server."""
        return admission.digest_credential(headers) in self.people

    def note_problem(self, problem: HeldtrueError) -> None:
        """Log why the store cannot be used; strangers are not told."""
        _LOG.error("the store cannot be read", extra={"problem": problem.code, "detail": problem.message})

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
            files=self.files,
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
        raise problems.TooSlow(slow, field="body", hint="send the whole body without pauses") from None
    return bytes(body)
