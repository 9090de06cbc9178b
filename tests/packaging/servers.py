"""A server that was started as its unit, its image or its compose file says."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import wait_until

START_SECONDS = 60
"""How long a server may take to listen on the busiest machine."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def started(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    """The process of a server, until the end of the block; then it must stop cleanly."""
    process = subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        yield process
        process.terminate()
        printed, _ = process.communicate(timeout=START_SECONDS)
        assert process.returncode == 0, printed
        assert "ht_" not in printed, "a token must not end up in a log"
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def ask(
    port: int, path: str, *, host: str = "localhost", token: str | None = None, body: object = None
) -> tuple[int, str]:
    """The status and the text of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Host": f"{host}:{port}", "Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    try:
        connection.request("POST" if body else "GET", path, json.dumps(body) if body else None, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def wait_for(port: int, process: subprocess.Popen[str]) -> None:
    """Wait until the server says that it is healthy."""

    def listens() -> bool:
        try:
            status, _ = ask(port, "/healthz")
        except OSError:
            assert process.poll() is None, process.communicate()[0]
            return False
        assert status == 200
        return True

    wait_until(listens, seconds=START_SECONDS, every=0.1)
