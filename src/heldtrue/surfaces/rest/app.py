"""The application: capabilities as routes behind admission, each run in a worker thread."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
import threading
import time
import traceback
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from heldtrue.capabilities.call import Instance
from heldtrue.capabilities.file_access import NO_PATH, FileAccess
from heldtrue.domain.errors import HeldtrueError, InvalidInput, NotFound
from heldtrue.domain.ids import new_id
from heldtrue.domain.limits import FILE_BYTES_MAX, IDENTITY_THREADS_MAX, REQUEST_BYTES_MAX
from heldtrue.surfaces.rest import admission, problems
from heldtrue.surfaces.rest.events import stream_events
from heldtrue.surfaces.rest.file_bodies import file_endpoint
from heldtrue.surfaces.rest.metrics import Metrics
from heldtrue.surfaces.rest.protocol import CONNECTION, TARGET
from heldtrue.surfaces.rest.routes import FILES, Form, arguments_of_query, forms, join_arguments
from heldtrue.surfaces.rest.service import Service, read_body
from heldtrue.surfaces.wire import read_json, write_json

JSON = "application/json"
REQUEST_ID = "heldtrue.request"
"""The key of the request id in the ASGI scope."""
_WRONG_METHOD, _GONE = 405, 499
"""The second is not an HTTP status: in the log it stands for a client that disconnected."""
_NOT_READY = b'{"status":"not ready"}'
_AGAIN = "send the request again with the same idempotency key; it will not be carried out twice"
_STOPPED = "the server is stopping and could not wait for the request to finish"
_ENTITY_TAG = re.compile(r'(?:W/)?("[^"]*")')
_LOG = logging.getLogger("heldtrue.server")


def build_app(
    instance: Instance,
    limits: admission.Limits,
    allowed_hosts: frozenset[str],
    *,
    threads: int,
    files: FileAccess = NO_PATH,
) -> ServiceApp:
    """The whole service for an open space."""
    pool = ThreadPoolExecutor(threads, thread_name_prefix="heldtrue-request")
    service = Service(
        instance=instance,
        counter=admission.Counter(limits),
        allowed_hosts=admission.LOOPBACK | allowed_hosts,
        pool=pool,
        identity_pool=ThreadPoolExecutor(IDENTITY_THREADS_MAX, thread_name_prefix="heldtrue-identity"),
        metrics=Metrics(),
        closing=asyncio.Event(),
        streams={},
        files=files,
        people=set(),
    )
    return ServiceApp(FastRouter(_routes(service)), service)


def _routes(service: Service) -> list[Route]:
    from heldtrue.surfaces.rest.mcp_endpoint import answer_mcp
    from heldtrue.surfaces.rest.openapi import describe_api

    described = msgspec.json.encode(describe_api())

    async def openapi(_: Request) -> Response:
        return Response(described, media_type=JSON)

    async def health(_: Request) -> Response:
        return Response(b'{"status":"ok"}', media_type=JSON)

    async def ready(request: Request) -> Response:
        return await _tell_ready(service, request)

    async def metrics(request: Request) -> Response:
        call = service.call_of(request)
        if not call.principal.is_person:
            raise problems.not_for_agents("see the metrics")
        return Response(service.metrics.render(), media_type=service.metrics.media_type)

    async def events(request: Request) -> Response:
        return await stream_events(service, request)

    async def mcp(request: Request) -> Response:
        return await answer_mcp(service, request)

    made = [
        Route(form.path, (_endpoint if form.file is None else file_endpoint)(service, form), methods=[form.method])
        for form in forms()
    ]
    return [
        Route("/healthz", health),
        Route("/readyz", ready),
        Route("/metrics", metrics),
        Route("/openapi.json", openapi),
        Route("/v1/openapi.json", openapi),
        Route("/v1/events", events),
        Route("/mcp", mcp, methods=["GET", "POST", "DELETE"]),
        *made,
    ]


def _endpoint(service: Service, form: Form) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        arguments = await _arguments(form, request)
        replays: list[bool] = []
        call = msgspec.structs.replace(service.call_of(request), on_replay=lambda: replays.append(True))
        found = await service.run(lambda: form.capability.invoke(call, arguments, strict=form.in_body))
        response = _respond(form, request, found)
        if replays:
            response.headers["Idempotency-Replayed"] = "true"
        return response

    return answer


async def _arguments(form: Form, request: Request) -> dict[str, Any]:
    query = request.query_params.multi_items()
    if form.in_body and query:
        raise InvalidInput("the arguments must be in the body", field=query[0][0], hint="send a JSON object")
    given = read_json(await read_body(request) or b"{}") if form.in_body else arguments_of_query(form, query)
    if not isinstance(given, dict):
        raise InvalidInput("the body is not an object", field="body", hint="send a JSON object with the arguments")
    return join_arguments(form, given, request.path_params, request.headers.get("idempotency-key"))


def _respond(form: Form, request: Request, answer: Any) -> Response:
    body = write_json(answer)
    if form.method != "GET":
        outcome = getattr(answer, "outcome", None)
        if not (isinstance(outcome, str) and outcome in form.made):
            return Response(body, 200, media_type=JSON)
        made = getattr(getattr(answer, "memory", None), "id", None)
        where = {"Location": f"/v1/memories/{made}"} if made is not None else None
        return Response(body, 201, where, media_type=JSON)
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if _is_known(tag, request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers=headers)
    return Response(body, 200, headers, media_type=JSON)


def _is_known(tag: str, asked: str) -> bool:
    """Whether If-None-Match matches an answer: by weak comparison (RFC 9110, 13.1.2), or with `*`."""
    return asked.strip() == "*" or tag in _ENTITY_TAG.findall(asked)


async def _tell_ready(service: Service, request: Request) -> Response:
    """Whether requests can be answered: the store can be read, and is the one that was opened, with its history.

    The reason is only for people with a token, and for the log.
    """
    if service.closing.is_set():
        return Response(_NOT_READY, 503, media_type=JSON)
    try:
        await service.run_short(service.instance.refuse_changed)
    except HeldtrueError as problem:
        if service.is_from_person(request.headers):
            return problems.respond(problem, request.scope.get(REQUEST_ID))
        service.note_problem(problem)
        return Response(_NOT_READY, 503, media_type=JSON)
    is_read_only = service.instance.store.read_only
    return Response(b'{"status":"read-only"}' if is_read_only else b'{"status":"ready"}', media_type=JSON)


class FastRouter:
    """Finds the route of a path: directly if it has no parameters, otherwise with the router."""

    def __init__(self, routes: list[Route]) -> None:
        self._router = Router(routes, redirect_slashes=False)
        plain = [route for route in routes if "{" not in route.path]
        self._plain = {(method, route.path): route for route in plain for method in route.methods or ()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = self._plain.get((scope["method"], scope["path"]))
        try:
            if route is None:
                # With an application named, the router raises what it refuses instead of answering by itself.
                scope["app"] = self
                await self._router(scope, receive, send)
            else:
                scope["route"] = route
                response = await route.endpoint(Request(scope, receive))
                await response(scope, receive, send)
        except HTTPException as problem:
            await self._refuse(scope, problem)(scope, receive, send)

    def _refuse(self, scope: Scope, problem: HTTPException) -> Response:
        """The errors for unknown paths and methods."""
        if problem.status_code != _WRONG_METHOD:
            missing = NotFound(f"unknown path {scope['path']}", field="path", hint="see /openapi.json")
            return problems.respond(missing, scope.get(REQUEST_ID))
        # The router names the methods of the first route that fits; an address may have several.
        fitting = [route for route in self._router.routes if route.matches(scope)[0] is not Match.NONE]
        methods = {method for route in fitting if isinstance(route, Route) for method in route.methods or ()}
        wrong = problems.WrongMethod(
            f"{scope['path']} does not support {scope['method']}",
            field="method",
            hint=f"use {' or '.join(sorted(methods - {'HEAD'}))}; see /openapi.json",
        )
        response = problems.respond(wrong, scope.get(REQUEST_ID))
        response.headers["Allow"] = ", ".join(sorted(methods))
        return response


class ServiceApp:
    """Admission around the application, and one log line per request: caller, route, time, and no content."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    def close(self) -> None:
        """End the streams."""
        self._service.closing.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._live(receive, send)
            return
        request = Request(scope, receive)
        seen = ResponseTap(new_id(self._service.instance.clock.now()), send)
        scope[REQUEST_ID] = seen.id
        started = time.perf_counter()
        try:
            await self._pass(request, scope, receive, seen)
        finally:
            self._note(request, seen, time.perf_counter() - started)

    async def _live(self, receive: Receive, send: Send) -> None:
        """The ASGI lifespan of the server."""
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self.close()
        await send({"type": "lifespan.shutdown.complete"})

    def finish(self, seconds: float) -> bool:
        """Wait for the requests in progress up to a limit. Returns whether all finished."""

        def wait() -> None:
            self._service.pool.shutdown(wait=True)
            self._service.identity_pool.shutdown(wait=True)

        waiting = threading.Thread(target=wait, daemon=True)
        waiting.start()
        waiting.join(seconds)
        return not waiting.is_alive()

    async def _pass(self, request: Request, scope: Scope, receive: Receive, seen: ResponseTap) -> None:
        try:
            await self._admit(request, scope, receive, seen)
        except ClientDisconnect:
            seen.status = seen.status or _GONE
        except HeldtrueError as problem:
            await self._refuse(problem, scope, receive, seen)
        except asyncio.CancelledError:
            # The server is to stop and has waited long enough: the caller is told, and nobody waits any more.
            await self._refuse(problems.Stopping(_STOPPED, hint=_AGAIN), scope, receive, seen)
        except Exception as problem:  # noqa: BLE001 - the edge of the server: whatever it is, it is told and logged
            # Only what sort of error it was, and where: its words may hold what someone has sent.
            told = {"request": seen.id, "problem": type(problem).__name__, "where": _place_of(problem)}
            _LOG.error("unexpected", extra=told)
            clear = HeldtrueError("internal error", hint=f"look for the request id {seen.id} in the server's log")
            await self._refuse(clear, scope, receive, seen)

    async def _refuse(self, problem: HeldtrueError, scope: Scope, receive: Receive, seen: ResponseTap) -> None:
        if not seen.status:
            await problems.respond(problem, seen.id)(scope, receive, seen)

    async def _admit(self, request: Request, scope: Scope, receive: Receive, seen: ResponseTap) -> None:
        admission.check_once(scope["headers"])
        admission.check_origin(request.headers, self._service.allowed_hosts, target=scope.get(TARGET))
        if scope["path"] in admission.OPEN_PATHS:
            await self._app(scope, receive, seen)
            return
        agent = await self._service.identify(request)
        seen.principal = agent.principal.id
        is_file = scope["path"].startswith(f"{FILES}/")
        admission.check_length(request.headers, FILE_BYTES_MAX if is_file else REQUEST_BYTES_MAX)
        with self._service.counter.request(agent) as leave:
            if (connection := scope.get(CONNECTION)) is not None:
                connection.know()
            scope["state"]["leave"] = leave
            await self._app(scope, receive, seen)

    def _note(self, request: Request, seen: ResponseTap, seconds: float) -> None:
        route = request.scope.get("route")
        path = getattr(route, "path", "-")
        self._service.metrics.count(request.method, path, seen.status, seconds)
        _LOG.info(
            "request",
            extra={
                "request": seen.id,
                "method": request.method,
                "route": path,
                "status": seen.status,
                "ms": round(seconds * 1000, 2),
                "principal": seen.principal,
            },
        )


def _place_of(problem: BaseException) -> str:
    """The innermost file and line of this package in a traceback."""
    frames = [frame for frame, _ in traceback.walk_tb(problem.__traceback__) if "heldtrue" in frame.f_code.co_filename]
    code = frames[-1].f_code if frames else None
    return f"{Path(code.co_filename).name}:{frames[-1].f_lineno}" if code is not None else "-"


class ResponseTap:
    """Passes the response on, and remembers its status."""

    def __init__(self, request_id: str, send: Send) -> None:
        self.id = request_id
        self.status = 0
        self.principal: str | None = None
        self._send = send

    async def __call__(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            safe = [(b"x-content-type-options", b"nosniff"), (b"heldtrue-request", self.id.encode())]
            message = {**message, "headers": [*message.get("headers", []), *safe]}
        await self._send(message)
