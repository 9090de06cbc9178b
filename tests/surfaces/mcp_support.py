"""MCP as tests use it: messages handed to the server itself, and a plain HTTP service around it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from heldtrue.capabilities.call import Call, Instance
from heldtrue.domain.principal import Principal, new_agent
from heldtrue.surfaces.mcp.callers import KnownCaller
from heldtrue.surfaces.mcp.http import answer_http
from heldtrue.surfaces.mcp.server import McpServer
from heldtrue.surfaces.mcp.tools import Offer
from heldtrue.wiring.instance import open_instance
from tests.loopback import Quiet, serve

REVISION = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Desk:
    """A server on a space, asked by one agent, or by whoever is named."""

    def __init__(
        self, instance: Instance, tools: Offer = "default", agent: str = "codex", principal: Principal | None = None
    ) -> None:
        self.server = McpServer(tools)
        self.call = Call(instance=instance, principal=principal or new_agent(agent), channel="mcp")
        self._number = 0

    def send(self, message: Any) -> Any:
        """What comes back for a message, or for bytes that are none."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        answer = self.server.handle(data, KnownCaller(self.call))
        assert answer is None or b"\n" not in answer
        return None if answer is None else json.loads(answer)

    def ask(self, method: str, stateless: bool = False, **params: Any) -> Any:
        """The whole answer to a request."""
        self._number += 1
        if stateless:
            params["_meta"] = ENVELOPE
        return self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})

    def result(self, method: str, **params: Any) -> Any:
        answer = self.ask(method, **params)
        assert "error" not in answer, answer
        return answer["result"]

    def use(self, tool: str, **arguments: Any) -> Any:
        """The result of a tool."""
        return self.result("tools/call", name=tool, arguments=arguments)


@contextmanager
def http_service(
    home: Path, *, agent: str = "codex", tools: Offer = "default", token: str | None = None
) -> Iterator[str]:
    """A service at an address of this machine, until the block ends; with a token, for who has it."""
    desk = Desk(open_instance(home), tools, agent)

    class Handler(Quiet):
        def answer(self) -> None:
            body = self.read_body()
            if token is not None and self.headers.get("authorization") != f"Bearer {token}":
                self.reply(401, {}, b"who are you?")
                return
            answer = answer_http(desk.server, self.command, self.headers, body, desk.call)  # type: ignore[arg-type]
            self.reply(answer.status, answer.headers, answer.body)

        def reply(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_DELETE = answer  # noqa: N815

    try:
        with serve(Handler) as address:
            yield address
    finally:
        desk.call.instance.close()
