"""What comes in bad faith is refused, costs little and leaves nothing behind.

`python -m bench hostile` sends 10,000 requests; here it is a part of them.
"""

from __future__ import annotations

import json
import random
import socket
import struct
import threading
import time
from http.client import HTTPConnection

import pytest

from bench.hostile import GROWTH_MIB_MAX, attack
from heldtrue.domain.limits import HEAD_BYTES_MAX, STREAMS_MAX
from tests.acceptance.homes import times
from tests.service.server import Server
from tests.waiting import wait_until

pytestmark = pytest.mark.without_reader


@pytest.mark.slow
def test_a_thousand_hostile_requests_break_nothing_and_take_little_memory(server: Server) -> None:
    met = attack(server, requests=1_200, idle=200)
    assert met.sent >= 1_150
    assert not met.broken, "\n".join(met.broken[:5])
    assert met.grown_mib <= GROWTH_MIB_MAX
    assert met.answers_after
    assert met.files_after <= met.files_before + 30
    # The control: the doors and the router were reached, and so were the capabilities.
    assert {"200", "400", "401", "404", "405"} <= met.statuses.keys()
    assert not [line for line in server.log if '"level":"error"' in line]


def count_taken(server: Server, data: bytes) -> int:
    """How many of some bytes can be sent before the server hangs up."""
    taken = 0
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        try:
            while taken < len(data):
                taken += connection.send(data[taken : taken + 65_536])
        except (ConnectionResetError, BrokenPipeError):
            pass
    return taken


def send(server: Server, data: bytes, *, timeout: float = 10) -> bytes:
    """Some bytes as they are, and what comes back."""
    received = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=timeout) as connection:
        try:
            connection.sendall(data)
            while part := connection.recv(65536):
                received += part
        except (ConnectionResetError, BrokenPipeError, TimeoutError):
            pass
    return received


def head(server: Server, *lines: str) -> bytes:
    usual = ("Host: localhost", f"Authorization: Bearer {server.token}", "Connection: close")
    return ("\r\n".join([lines[0], *usual, *lines[1:]]) + "\r\n\r\n").encode("latin-1")


def test_a_head_is_bounded_before_anyone_is_known(shared: Server) -> None:
    long = "x" * (HEAD_BYTES_MAX + 1)
    for data in (
        head(shared, "GET /v1/status HTTP/1.1", f"X-Long: {long}"),
        head(shared, f"GET /v1/status?{long} HTTP/1.1"),
        head(shared, "GET /v1/status HTTP/1.1", *(f"X-{number}: {number}" for number in range(20_000))),
    ):
        answer = send(shared, data)
        assert answer.startswith(b"HTTP/1.1 431 "), answer[:200]
        assert b"head_too_large" in answer
    # Without an end it is cut off long before all of it was taken.
    assert count_taken(shared, b"GET /v1/status HTTP/1.1\r\nX: " + b"y" * 50_000_000) < 25_000_000
    fine = head(shared, "GET /v1/status HTTP/1.1", f"X-Long: {'x' * (HEAD_BYTES_MAX - 2_000)}")
    assert send(shared, fine).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "header",
    ["Host: localhost", "Authorization: Bearer x", "Idempotency-Key: a", "Heldtrue-Project: p", "Origin: null"],
)
def test_a_header_that_decides_must_not_come_twice(shared: Server, header: str) -> None:
    answer = send(shared, head(shared, "GET /v1/status HTTP/1.1", header, header))
    assert answer.startswith(b"HTTP/1.1 400 "), answer[:200]
    assert b"a header was sent twice" in answer


def test_answers_to_requests_sent_ahead_come_in_order(shared: Server) -> None:
    asked = [
        f"GET /v1/{number} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {shared.token}\r\n\r\n"
        for number in range(30)
    ]
    answer = send(shared, "".join(asked).encode() + head(shared, "GET /healthz HTTP/1.1"))
    places = [answer.index(f'unknown path /v1/{number}"'.encode()) for number in range(30)]
    assert places == sorted(places)
    assert answer.endswith(b'{"status":"ok"}')


def test_an_address_has_one_spelling(shared: Server) -> None:
    assert shared.ask("GET", "/v1/memories").status == 200
    for path in ("/v1/memories/", "/v1//memories", "//v1/memories", "/v1/Memories", "/v1/memories/.."):
        assert shared.ask("GET", path).status == 404, path


def follow(server: Server, token: str) -> tuple[HTTPConnection, int]:
    """A stream of events that has begun, or was refused."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {token}"})
    return connection, connection.getresponse().status


def test_streams_are_counted_until_they_end_and_take_no_place_from_requests(server: Server) -> None:
    token = server.let_in("follower", projects=["p"])
    opened = [follow(server, token) for _ in range(STREAMS_MAX + 2)]
    assert [status for _, status in opened] == [200] * STREAMS_MAX + [429] * 2
    assert server.ask("POST", "/v1/memory.list", {}, token=token).status == 200
    assert server.ask("HEAD", "/v1/events").status == 200
    for connection, _ in opened:
        connection.close()

    def has_place() -> bool:
        late, status = follow(server, token)
        late.close()
        assert status in (200, 429)
        return status == 200

    wait_until(has_place, every=0.2)


def test_slow_clients_keep_nobody_waiting(shared: Server) -> None:
    over = threading.Event()

    def trickle() -> None:
        with socket.create_connection(("127.0.0.1", shared.port)) as connection:
            connection.sendall(
                head(shared, "POST /v1/memory.recall HTTP/1.1", "Content-Type: application/json", "Content-Length: 999")
            )
            while not over.wait(0.05):
                connection.sendall(b" ")

    slow = [threading.Thread(target=trickle) for _ in range(40)]
    for client in slow:
        client.start()
    try:
        for _ in range(20):
            assert shared.ask("POST", "/v1/memory.list", {}).status == 200
        assert all(client.is_alive() for client in slow), "they are still at it"
    finally:
        over.set()
        for client in slow:
            client.join(10)


@pytest.mark.covers("B28")
def test_a_retry_after_a_lost_answer_is_done_once(server: Server) -> None:
    """The connection breaks at any moment between the first byte of the request and the last of the answer."""
    chance, retries = random.Random(11), times(120)
    for number in range(retries):
        body = json.dumps({"content": f"Mooring {number} belongs to boat {number}", "scope": "project:quay"}).encode()
        lines = ["Content-Type: application/json", f"Content-Length: {len(body)}", f"Idempotency-Key: mooring-{number}"]
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall(head(server, "POST /v1/memories HTTP/1.1", *lines) + body)
            time.sleep(chance.choice((0, 0, 0.001, 0.003, 0.01)))
            # With no time to linger, closing it is a reset.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        headers = {"Idempotency-Key": f"mooring-{number}"}
        reply = server.ask("POST", "/v1/memories", body, headers=headers)
        assert (reply.status, reply.json["outcome"]) == (201, "created"), reply.body
    owner = server.owner()
    held = owner.list(scopes=["project:quay"], limit=1000).items
    assert owner.status().active == retries
    assert len(held) == len({memory.content for memory in held}) == min(retries, 1000)
    assert all(len(owner.history(memory.id).versions) == 1 for memory in held[:20])
    assert owner.verify().ok
