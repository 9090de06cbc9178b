"""A real server process on a free port, for tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import heldtrue as package
from heldtrue import Memory

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(package.__file__).parents[1])}


@dataclass
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Server:
    """`heldtrue serve` as a process of its own."""

    home: Path
    options: tuple[str, ...] = ()
    url: str = ""
    token: str = ""
    process: Any = None
    told: dict[str, Any] = field(default_factory=dict)
    """What it said when it began to listen."""
    log: list[str] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    """Those that were connected, to be closed at the end."""
    reader: Any = None
    files: int | None = None
    """How many files it may open."""

    def start(self) -> Server:
        words = [sys.executable, "-m", "heldtrue", "--home", str(self.home), "--json", "serve"]
        words += () if "--port" in self.options else ("--port", "0")
        limit = () if self.files is None else ("sh", "-c", 'ulimit -n "$0" && exec "$@"', str(self.files))
        self.process = subprocess.Popen(
            [*limit, *words, *self.options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
        )
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(self.process.communicate()[1].decode())
        self.told = json.loads(line)
        self.url = self.told["url"]
        self.token = self.told["token"] or self.token
        self.reader = threading.Thread(target=self._read_log, daemon=True)
        self.reader.start()
        return self

    def _read_log(self) -> None:
        for line in self.process.stderr:
            self.log.append(line.decode("utf-8", "replace"))

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def stop(self) -> int:
        """Ask it to stop, and give its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = int(self.process.wait(30))
        self.reader.join(30)
        self.process.stdout.close()
        self.process.stderr.close()
        while self.memories:
            self.memories.pop().close()
        return status

    def let_in(self, name: str, **reach: Any) -> str:
        """The token of a new agent."""
        return str(self.owner().add_agent(name, **reach).token)

    def owner(self) -> Memory:
        return self.connect(self.token)

    def connect(self, token: str, **around: Any) -> Memory:
        self.memories.append(Memory.connect(self.url, token, **around))
        return self.memories[-1]

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = "",
        headers: dict[str, str] | None = None,
        timeout: float = 30,
    ) -> Reply:
        """One request, just as it is said; token "" is the owner's, None is none."""
        sent = dict(headers or {})
        if token is not None:
            sent.setdefault("Authorization", f"Bearer {token or self.token}")
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        connection = HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, data, sent)
            response: HTTPResponse = connection.getresponse()
            names = {name.lower(): value for name, value in response.headers.items()}
            return Reply(response.status, names, response.read())
        finally:
            connection.close()
