"""MCP over HTTP at `/mcp`, behind the same admission as everything else."""

from __future__ import annotations

from functools import cache

from starlette.requests import Request
from starlette.responses import Response

from heldtrue.surfaces.mcp.http import answer_http
from heldtrue.surfaces.mcp.server import McpServer
from heldtrue.surfaces.mcp.tools import Offer
from heldtrue.surfaces.rest.service import Service, read_body

_server = cache(McpServer)


async def answer_mcp(service: Service, request: Request) -> Response:
    """Answer one message, without state. `?tools=all` offers every capability."""
    call = service.call_of(request, channel="mcp")
    body = await read_body(request)
    tools: Offer = "all" if request.query_params.get("tools") == "all" else "default"
    answer = await service.run(lambda: answer_http(_server(tools), request.method, request.headers, body, call))
    return Response(answer.body, answer.status, answer.headers)
