"""Connections without a token keep nobody out, take no file from the database, and fill no log."""

from __future__ import annotations

import json
import logging
import resource
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest

from heldtrue.domain.limits import FILES_MIN, REPEATED_LOG_SECONDS, UNKNOWN_CONNECTIONS_MAX
from heldtrue.surfaces.rest.connections import ConnectionLimits, Door, choose_limits
from heldtrue.surfaces.rest.logs import RepeatFilter
from tests.postgres_server import PostgresServer
from tests.service.server import Server
from tests.waiting import wait_until

LOG_BYTES_MAX = 200_000


@contextmanager
def running(home: Path, files: int) -> Iterator[Server]:
    server = Server(home, files=files).start()
    try:
        yield server
    finally:
        server.stop()


def connect_idle(stack: ExitStack, server: Server, number: int) -> list[socket.socket]:
    """Connections that say nothing."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    opened = []
    for _ in range(number):
        with suppress(OSError):
            opened.append(stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30)))
    return opened


def is_closed(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


@pytest.mark.slow
@pytest.mark.parametrize("files", [1024, FILES_MIN])
def test_a_thousand_idle_connections_keep_nobody_out_and_fail_no_write(tmp_path: Path, files: int) -> None:
    with running(tmp_path / "home", files) as server, ExitStack() as stack:
        token = server.let_in("codex", projects=["shop"])
        kept = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30))
        idle = connect_idle(stack, server, 1_000)
        assert len(idle) >= 900, "the control: they were opened"
        for number in range(40):
            written = server.ask("POST", "/v1/memories", {"content": f"Pier p{number}x is {number} metres long."})
            assert written.status == 201, written.body
            read = server.ask("GET", f"/v1/recall?context=pier+p{number}x&scopes=global", token=token)
            assert read.status == 200, read.body
        connect_idle(stack, server, 200)
        # One that has shown its token is not cut for those that have not.
        connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
        stack.callback(connection.close)
        shown = {"Authorization": f"Bearer {token}"}
        connection.request("GET", "/v1/status", headers=shown)
        assert connection.getresponse().read()
        port = connection.sock.getsockname()[1]
        connect_idle(stack, server, UNKNOWN_CONNECTIONS_MAX)
        connection.request("GET", "/v1/status", headers=shown)
        assert connection.getresponse().status == 200
        assert connection.sock.getsockname()[1] == port
        wait_until(lambda: is_closed(kept))
        wait_until(lambda: sum(map(is_closed, idle)) >= len(idle) - UNKNOWN_CONNECTIONS_MAX)
    log = "".join(server.log)
    assert len(log) < LOG_BYTES_MAX
    assert "Traceback" not in log
    assert '"status":507' not in log


def test_a_server_that_may_open_too_few_files_says_so_at_the_start(tmp_path: Path) -> None:
    words = ["sh", "-c", 'ulimit -n "$0" && exec "$@"', str(FILES_MIN - 1)]
    with pytest.raises(AssertionError, match=f"the server needs at least {FILES_MIN}"):
        Server(tmp_path / "home", files=FILES_MIN - 1).start()
    assert subprocess.run([*words, "true"], check=False).returncode == 0, "the control: the limit can be set"


def test_a_limit_that_may_be_raised_is_raised_and_the_files_of_the_database_stay_free() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), hard))
        few, many = choose_limits(threads=2), choose_limits(threads=64)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 256
        assert few.all >= many.all > many.unknown > many.accepted_at_once >= 1
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Guest:
    """A connection as the door sees it."""

    def __init__(self) -> None:
        self.is_idle = True
        self.is_cut = False

    def cut(self) -> None:
        self.is_cut = True


def test_the_oldest_idle_connection_without_a_token_makes_room() -> None:
    door = Door(ConnectionLimits(8, 3))
    busy, known, *others = guests = [Guest() for _ in range(5)]
    busy.is_idle = False
    for guest in guests[:3]:
        door.enter(guest)
    door.know(known)
    for guest in guests[3:]:
        door.enter(guest)
    assert [guest.is_cut for guest in guests] == [False, False, True, False, False]
    assert (door.make_room(), door.make_room(), door.make_room()) == (True, True, False)
    assert [guest.is_cut for guest in (busy, known)] == [False, False]
    assert all(guest.is_cut for guest in others)


def test_the_log_repeats_a_fault_once_a_minute_with_how_often_it_happened() -> None:
    now = [0.0]
    repeats = RepeatFilter(lambda: now[0])

    def told(level: int = logging.WARNING, message: str = "no file", **extra: str) -> logging.LogRecord | None:
        record = logging.makeLogRecord({"name": "x", "levelno": level, "msg": message, **extra})
        return record if repeats.filter(record) else None

    assert told() is not None
    assert [told() for _ in range(1_000)] == [None] * 1_000
    assert told(message="no file\nsocket: 7") is None, "what differs is on further lines"
    assert told(message="something else") is not None
    assert told(problem="busy") is not None
    assert told(logging.INFO) is not None
    assert [told(request=str(number)) is None for number in range(3)] == [False] * 3
    now[0] += REPEATED_LOG_SECONDS
    again = told()
    assert again is not None
    assert vars(again)["repeated"] == 1_001


@pytest.mark.slow
def test_strangers_are_not_told_why_a_service_is_not_ready(tmp_path: Path) -> None:
    database = PostgresServer()
    server = None
    try:
        home = tmp_path / "home"
        home.mkdir()
        (home / "heldtrue.toml").write_text(f'[storage]\nurl = "{database.dsn}"\nspace = "secret_space"\n', "utf-8")
        server = Server(home).start()
        assert server.ask("GET", "/readyz", token=None).json == {"status": "ready"}
        agent = server.let_in("codex", projects=["shop"])
        assert server.ask("GET", "/v1/status", token=agent).status == 200
        database.stop()
        for stranger in (None, "ht_made-up", agent):
            ready = server.ask("GET", "/readyz", token=stranger)
            assert (ready.status, ready.json) == (503, {"status": "not ready"})
            other = server.ask("GET", "/v1/status", token=stranger)
            assert other.status == (401 if stranger is None else 503)
            for secret in ("secret_space", "socket", str(tmp_path), "postgres"):
                assert secret not in (ready.body + other.body).decode()
        told = server.ask("GET", "/readyz")
        assert told.status == 503
        assert len(told.json["detail"]) > len("the store cannot be read"), "a person with a token is told why"
    finally:
        if server is not None:
            server.stop()
        database.stop()
    reasons = [line for line in server.log if "the store cannot be read" in line]
    assert len(reasons) == 1, "once a minute"
    assert '"detail":' in reasons[0]


def test_an_absolute_target_is_judged_by_its_own_host(shared: Server) -> None:
    def status(target: str, host: str = "localhost") -> int:
        lines = [f"GET {target} HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {shared.token}"]
        with socket.create_connection(("127.0.0.1", shared.port), timeout=30) as connection:
            connection.sendall(("\r\n".join([*lines, "Connection: close"]) + "\r\n\r\n").encode())
            return int(connection.makefile("rb").readline().split()[1])

    assert status("http://evil.example/v1/status") == 421
    assert status("http://evil.example:7373/v1/status") == 421
    assert status("http://localhost@evil.example/v1/status") == 421
    assert status("http://evil.example@localhost/v1/status") == 421
    assert status("ftp://localhost/v1/status") == 421
    assert status("//evil.example/v1/status") in (404, 421)
    assert status("http://localhost/v1/status", host="evil.example") == 421
    assert status("http://localhost/v1/status") == 200, "the control"
    assert status(f"HTTP://127.0.0.1:{shared.port}/healthz") == 200


def test_a_key_may_stand_once_in_an_object(shared: Server) -> None:
    twice = b'{"content": "The mole is closed.", "content": "The mole is open."}'
    reply = shared.ask("POST", "/v1/memories", twice)
    assert reply.status == 400, reply.body
    assert "content" in json.dumps(reply.json)
    nested = b'{"context": "mole", "weights": {"recency": 1, "recency": 2}}'
    assert shared.ask("POST", "/v1/memory.recall", nested).status == 400
    assert shared.ask("POST", "/v1/memory.recall", nested.replace(b', "recency": 2', b"")).status == 200
