"""Asking a server with JSON: how long, how often, and what is never said about it."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import msgspec
import pytest

from heldtrue.domain.errors import ModelProblem
from heldtrue.models.address import complete_url
from heldtrue.models.http import JsonEndpoint, NoAnswer, decode_answer
from tests.model_server import ModelServer, drips, says, serving
from tests.waiting import wait_until

KEY = "sk-very-secret"
TEXT = "the otter's secret holt"
GOOD = says(200, {"well": "done"})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("OTTER_KEY", KEY)
    with serving() as running:
        running.replies = [GOOD]
        yield running


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def asked(server: ModelServer, slept: list[float]) -> JsonEndpoint:
    return JsonEndpoint(f"{server.url}/ask", "otter server", key_variable="OTTER_KEY", sleep=slept.append)


def ask(asked: JsonEndpoint, *, timeout_seconds: float = 5.0, tries: int | None = None) -> bytes:
    return asked.ask({"text": TEXT}, timeout_seconds=timeout_seconds, tries=tries)


def test_a_request_is_posted_as_json_with_the_key_as_the_server_wants_it(
    server: ModelServer, asked: JsonEndpoint
) -> None:
    assert ask(asked) == b'{"well": "done"}'
    other = JsonEndpoint(
        f"{server.url}/ask",
        "otter server",
        key_variable="OTTER_KEY",
        make_headers=lambda key: {"x-otter": key, "otter-version": "3"},
    )
    ask(other)
    assert server.asked == [{"text": TEXT}] * 2
    assert server.paths == ["/v1/ask"] * 2
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["content-type"] == "application/json"
    assert (server.headers[1]["x-otter"], server.headers[1]["otter-version"]) == (KEY, "3")
    assert "authorization" not in server.headers[1]


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_what_may_pass_is_tried_again_and_then_given_up(
    server: ModelServer, asked: JsonEndpoint, slept: list[float], status: int
) -> None:
    server.replies = [says(status), says(status), GOOD]
    assert ask(asked) == b'{"well": "done"}'
    assert slept == [0.5, 2.0]
    server.replies = [says(status)]
    with pytest.raises(NoAnswer, match=f"status {status}") as caught:
        ask(asked)
    assert (caught.value.status, caught.value.may_pass) == (status, True)
    assert len(server.asked) == 6


def test_as_many_tries_as_are_wanted(server: ModelServer, asked: JsonEndpoint, slept: list[float]) -> None:
    server.replies = [says(503)]
    for tries in (1, 2):
        with pytest.raises(NoAnswer):
            ask(asked, tries=tries)
    assert (len(server.asked), slept) == (3, [0.5])


@pytest.mark.parametrize("status", [400, 401, 404, 422, 301, 308])
def test_what_does_not_pass_is_not_tried_again(
    server: ModelServer, asked: JsonEndpoint, slept: list[float], status: int
) -> None:
    server.replies = [says(status, {"error": [KEY, TEXT]}, Location=f"{server.url}/elsewhere"), GOOD]
    with pytest.raises(NoAnswer, match=f"status {status}") as caught:
        ask(asked)
    assert (caught.value.status, caught.value.may_pass) == (status, False)
    assert (server.paths, slept) == (["/v1/ask"], [])
    assert ask(asked) == b'{"well": "done"}'


def test_nobody_there_is_told_without_a_status(slept: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(NoAnswer, match="ConnectionRefusedError") as caught:
        ask(JsonEndpoint(f"http://127.0.0.1:{port}", "otter server", sleep=slept.append))
    assert (caught.value.status, caught.value.may_pass, slept) == (None, True, [0.5, 2.0])


def test_silence_ends_with_the_timeout(server: ModelServer, asked: JsonEndpoint) -> None:
    server.replies = [server.silence(), GOOD]
    with pytest.raises(NoAnswer, match="did not respond in time"):
        ask(asked, timeout_seconds=0.1)
    assert len(server.asked) == 1, "it is not waited for three times"
    assert ask(asked) == b'{"well": "done"}'


def test_an_answer_that_only_drips_ends_with_the_timeout_too(server: ModelServer, asked: JsonEndpoint) -> None:
    body = b'{"well": "done"}'
    server.replies = [drips(body, pause_seconds=0.005)]
    assert ask(asked, timeout_seconds=5) == body
    server.replies = [drips(body * 1000, pause_seconds=0.02)]
    with pytest.raises(NoAnswer, match="did not respond in time"):
        ask(asked, timeout_seconds=0.1)


def test_headers_that_only_drip_end_with_the_timeout_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    over = threading.Event()

    def drip(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
            while not over.wait(0.02):
                connection.sendall(b"y")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        asked = JsonEndpoint(f"http://127.0.0.1:{listening.getsockname()[1]}", "otter server")
        asking = threading.Thread(target=lambda: drip(listening.accept()[0]))
        asking.start()
        with pytest.raises(NoAnswer, match="did not respond in time"):
            ask(asked, timeout_seconds=0.2)
        # Its connection was cut, so the thread that waited ends.
        wait_until(lambda: not [thread for thread in threading.enumerate() if thread.name == "heldtrue-endpoint"])
        over.set()
        asking.join()


def test_a_name_that_takes_for_ever_to_look_up_ends_with_the_timeout_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_given, **_named: over.wait(60) and [])
    with pytest.raises(NoAnswer, match="did not respond in time"):
        ask(JsonEndpoint("http://models.example", "otter server"), timeout_seconds=0.1)
    over.set()


def test_a_host_that_is_no_name_is_a_model_problem(slept: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with pytest.raises(NoAnswer, match="cannot be reached"):
        ask(JsonEndpoint(f"http://{'a' * 70}.example", "otter server", sleep=slept.append))


def test_an_answer_that_breaks_off_is_asked_for_again(server: ModelServer, asked: JsonEndpoint) -> None:
    server.replies = [says(200, b"{", Content_Length="5000"), GOOD]
    assert ask(asked) == b'{"well": "done"}'


def test_an_answer_without_a_length_is_read_to_its_end(server: ModelServer, asked: JsonEndpoint) -> None:
    server.replies = [lambda _asked: (200, {}, iter([b"[1,", b"2]"]))]
    assert ask(asked) == b"[1,2]"


def test_an_answer_is_as_long_as_it_may_be_and_no_longer(server: ModelServer) -> None:
    asked = JsonEndpoint(f"{server.url}/ask", "otter server", answer_bytes_max=100_000)
    server.replies = [says(200, b" " * 100_000)]
    assert len(ask(asked)) == 100_000
    server.replies = [says(200, b" " * 100_001)]
    with pytest.raises(ModelProblem, match="a response that is too large"):
        ask(asked)


def test_neither_key_nor_text_is_written_anywhere(
    server: ModelServer, asked: JsonEndpoint, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    for status in (400, 500):
        server.replies = [says(status, {"error": [KEY, TEXT]})]
        with pytest.raises(NoAnswer) as caught:
            ask(asked)
        problem: BaseException | None = caught.value
        while problem is not None:
            assert KEY not in f"{problem!r}"
            assert TEXT not in f"{problem!r}"
            problem = problem.__cause__ or problem.__context__
    written = caplog.text + "".join(capfd.readouterr()) + repr(vars(asked))
    assert KEY not in written
    assert TEXT not in written
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_a_key_that_is_broken_is_named_by_its_variable_only(
    server: ModelServer, asked: JsonEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTTER_KEY", "clé\nsecrète")
    with pytest.raises(ModelProblem, match=r"OTTER_KEY .*valid key") as caught:
        ask(asked)
    assert "secr" not in str(caught.value)
    assert server.asked == []
    monkeypatch.setenv("OTTER_KEY", " ")
    ask(asked)
    assert "authorization" not in server.headers[0]


class Well(msgspec.Struct):
    well: int


@pytest.mark.parametrize(
    "body", [b"", b"\xff", b"[]", b"{}", b'{"well": "done"}', b'{"well": 1, "other": ' + b"[" * 200_000]
)
def test_what_does_not_decode_is_a_value_error(body: bytes) -> None:
    assert decode_answer(b'{"well": 1, "other": [[]]}', Well) == Well(1)
    with pytest.raises(ValueError, match=r"."):
        decode_answer(body, Well)


@pytest.mark.parametrize(
    ("given", "tail", "expected"),
    [
        ("https://models.example", "/messages", "https://models.example/v1/messages"),
        ("https://models.example/v1/", "/messages", "https://models.example/v1/messages"),
        ("https://models.example/v1/messages", "/messages", "https://models.example/v1/messages"),
        ("http://[::1]:8080/api", "/chat/completions", "http://[::1]:8080/api/chat/completions"),
        ("https://m.example/x/chat/completions?v=3", "/chat/completions", "https://m.example/x/chat/completions?v=3"),
    ],
)
def test_an_address_may_be_given_in_short(given: str, tail: str, expected: str) -> None:
    assert complete_url(given, tail, what="an otter") == expected


@pytest.mark.parametrize("address", ["", "m.example", "file:///etc/passwd", "http://", "https://me:pass@m.example"])
def test_an_address_that_cannot_be_asked_is_refused(address: str) -> None:
    with pytest.raises(ModelProblem, match="an otter") as caught:
        complete_url(address, "/messages", what="an otter")
    assert "pass@" not in str(caught.value)
