"""A long or hostile text keeps nobody else waiting, and a server stops in time whatever is under way."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from heldtrue.domain.limits import ANALYSIS_CHILDREN_MAX
from tests.service.server import Reply, Server
from tests.waiting import wait_until

HOSTILE = ["\n", ".", "key=", "a ", "!\n"]
"""Pieces of the texts that once stopped a server, and of others."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path / "home").start()
    yield running
    running.stop()


def start_request(server: Server, path: str, body: Any, replies: list[Reply]) -> threading.Thread:
    thread = threading.Thread(target=lambda: replies.append(server.ask("POST", path, body, timeout=300)))
    thread.start()
    return thread


def count_children(server: Server) -> int:
    return len(psutil.Process(server.process.pid).children(recursive=True))


@pytest.mark.parametrize("piece", HOSTILE)
def test_others_are_answered_while_a_long_text_is_analysed(server: Server, piece: str) -> None:
    assert count_children(server) == 0
    replies: list[Reply] = []
    text = "A" + piece * (500_000 // len(piece)) + "!"
    sending = start_request(server, "/v1/memory.capture", {"content": text}, replies)
    answered = 0
    while sending.is_alive():
        assert server.ask("GET", "/healthz", token=None, timeout=5).status == 200
        answered += 1
    assert replies[0].status == 201
    assert answered > 1
    assert not [note for note in replies[0].json["notes"] if "could not analyse" in note]

    seen = [count_children(server)]

    def is_extracted() -> bool:
        assert server.ask("GET", "/healthz", token=None, timeout=5).status == 200
        seen.append(count_children(server))
        return bool(server.owner().job(replies[0].json["job"]).job.state == "done")

    wait_until(is_extracted, seconds=120)
    assert server.owner().status().analysis_failures == 0
    assert 1 <= max(seen) <= ANALYSIS_CHILDREN_MAX


def test_a_server_stops_in_time_while_a_write_waits_for_the_database(server: Server) -> None:
    assert server.owner().learn("The deploy host is gimli.").outcome == "created"
    lock = sqlite3.connect(server.home / "heldtrue.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    replies: list[Reply] = []

    def send() -> None:
        with suppress(OSError):  # the server may end before it can answer
            replies.append(server.ask("POST", "/v1/memories", {"content": "The port is 8080."}, timeout=60))

    sending = threading.Thread(target=send)
    sending.start()
    wait_until(lambda: server.ask("GET", "/healthz", token=None).status == 200)
    server.process.terminate()
    # The lock is held until the end of the test, so an answer cannot be what ends the server.
    server.process.wait(15)
    sending.join()
    lock.close()
    assert not [reply for reply in replies if reply.status == 201]
