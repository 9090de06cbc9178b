"""A real HTTP server on this machine that plays a model's endpoint, well or badly, as each test tells it to."""

from __future__ import annotations

import json
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes | Iterator[bytes]]
Reply = Callable[[dict[str, Any]], Answer]


class ModelServer:
    """Answers with the next of its replies, the last one for ever; remembers what it was asked."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}/v1"
        self.replies: list[Reply] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.over = threading.Event()
        """Set when the test is over: whoever dawdles stops."""
        self._lock = threading.Lock()

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> Answer:
        with self._lock:
            self.paths.append(path)
            self.headers.append({name.lower(): value for name, value in headers.items()})
            self.asked.append(json.loads(body or b"{}"))
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
            asked = self.asked[-1]
        return reply(asked)

    def silence(self, seconds: float = 30.0) -> Reply:
        """Says nothing for a while, and then something that nobody waits for any more."""

        def keep_silent(_asked: dict[str, Any]) -> Answer:
            self.over.wait(seconds)
            return 200, {}, b"{}"

        return keep_silent


def says(status: int, body: object = None, **headers: str) -> Reply:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda _asked: (status, {name.replace("_", "-"): value for name, value in headers.items()}, raw)


def drips(body: bytes, *, pause_seconds: float) -> Reply:
    """Gives its answer byte by byte."""

    def drip() -> Iterator[bytes]:
        for index in range(len(body)):
            time.sleep(pause_seconds)
            yield body[index : index + 1]

    return lambda _asked: (200, {"Content-Length": str(len(body))}, drip())


def completes(content: object, *, read: int = 100, written: int = 20, finish: str = "stop") -> Reply:
    """What an OpenAI-compatible server answers: the content as it is if it is text, else as JSON."""
    text = content if isinstance(content, str) or content is None else json.dumps(content)
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    return says(200, {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice], "usage": usage})


def uses_tool(given: object, *, read: int = 100, written: int = 20, name: str = "answer") -> Reply:
    """What Anthropic answers when a tool is used."""
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "Here it is."},
        {"type": "tool_use", "id": "toolu_1", "name": name, "input": given},
    ]
    return sends(blocks, read=read, written=written, stop="tool_use")


def sends(blocks: list[dict[str, Any]], *, read: int = 100, written: int = 20, stop: str = "end_turn") -> Reply:
    """What Anthropic answers with some blocks."""
    usage = {"input_tokens": read, "output_tokens": written, "cache_read_input_tokens": 0}
    return says(
        200,
        {"id": "msg_1", "type": "message", "role": "assistant", "content": blocks, "stop_reason": stop, "usage": usage},
    )


@contextmanager
def serving() -> Iterator[ModelServer]:
    """A server, until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, headers, answer = told.answer(self.path, dict(self.headers), body)
            self.send_response(status)
            length = {"Content-Length": str(len(answer))} if isinstance(answer, bytes) else {}
            for name, value in {**length, **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            for part in [answer] if isinstance(answer, bytes) else answer:
                self.wfile.write(part)

        do_GET = do_POST  # noqa: N815  a redirect that was followed would come as one

        def log_message(self, *_arguments: object) -> None:
            return

    with _QuietServer(("127.0.0.1", 0), Handler) as running:
        told = ModelServer(running.server_port)
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield told
        finally:
            told.over.set()
            running.shutdown()
            thread.join()


class _QuietServer(ThreadingHTTPServer):
    def server_bind(self) -> None:
        """Without asking for the name of this machine, which may take long."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[0], self.server_address[1]  # type: ignore[assignment]

    def handle_error(self, *_arguments: object) -> None:
        """Whoever asked has gone away: many tests are about just that."""
