"""Asking a server for vectors: a real one, on this machine, that does what each test tells it to."""

from __future__ import annotations

import base64
import json
import logging
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldtrue.domain.errors import ModelProblem
from heldtrue.domain.limits import EMBEDDING_BATCH_MAX
from heldtrue.models.endpoint import EndpointEmbedder, complete_url

KEY = "sk-very-secret"
TEXT = "the otter's secret holt"


class Server:
    """Answers with the next of its replies, the last one for ever; remembers what it was asked."""

    def __init__(self, address: str) -> None:
        self.url = address
        self.replies: list[Callable[[list[str]], tuple[int, dict[str, str], bytes]]] = [embeddings]
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.lock = threading.Lock()

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        with self.lock:
            self.paths.append(path)
            self.headers.append(headers)
            self.asked.append(json.loads(body or b"{}"))
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
            return reply(self.asked[-1].get("input", []))


def embeddings(texts: list[str]) -> tuple[int, dict[str, str], bytes]:
    """The length of a text and its first letter, as three numbers; the rows in the wrong order."""
    rows = [{"index": index, "embedding": vector_of(text)} for index, text in enumerate(texts)]
    return 200, {}, json.dumps({"object": "list", "data": rows[::-1]}).encode()


def vector_of(text: str) -> list[float]:
    return [len(text) / 8, -ord(text[0]) / 8, 0.0]


def in_base64(texts: list[str]) -> tuple[int, dict[str, str], bytes]:
    rows = [{"index": n, "embedding": encode_floats(vector_of(text))} for n, text in enumerate(texts)]
    return 200, {}, json.dumps({"data": rows}).encode()


def encode_floats(numbers: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()


def says(status: int, body: object = None, **headers: str) -> Callable[[list[str]], tuple[int, dict[str, str], bytes]]:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda _texts: (status, {name.replace("_", "-"): value for name, value in headers.items()}, raw)


def rows_of(*vectors: object) -> dict[str, object]:
    return {"data": [{"index": index, "embedding": vector} for index, vector in enumerate(vectors)]}


class Handler(BaseHTTPRequestHandler):
    told: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, headers, answer = self.told.answer(self.path, dict(self.headers), body)
        self.send_response(status)
        for name, value in {"Content-Length": str(len(answer)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST  # noqa: N815  a redirect that was followed would come as one

    def log_message(self, *_arguments: object) -> None:
        return


@pytest.fixture(scope="module")
def running() -> Iterator[ThreadingHTTPServer]:
    """One server for all tests: to bind its address asks for the name of this machine, which may take long."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def server(running: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("OTTER_KEY", KEY)
    Handler.told = Server(f"http://127.0.0.1:{running.server_port}/v1")
    return Handler.told


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def embedder(server: Server, slept: list[float]) -> EndpointEmbedder:
    return EndpointEmbedder(server.url, "otter-small", "OTTER_KEY", sleep=slept.append, timeout_seconds=5)


def unpack(vector: bytes) -> tuple[int, ...]:
    return struct.unpack(f"{len(vector)}b", vector)


def expected(text: str) -> tuple[int, ...]:
    length, letter, _ = vector_of(text)
    largest = max(length, -letter)
    return (round(length / largest * 127), round(letter / largest * 127), 0)


def test_texts_get_their_own_vectors_whatever_the_order_of_the_answer(embedder: EndpointEmbedder) -> None:
    texts = ["a", "bb", "ccc"]
    assert [unpack(embedding.vector) for embedding in embedder.embed(texts)] == [expected(text) for text in texts]


def test_the_request_is_the_one_that_openai_describes(embedder: EndpointEmbedder, server: Server) -> None:
    embedder.embed(["a", "b"])
    assert server.asked == [{"model": "otter-small", "input": ["a", "b"]}]
    assert server.paths == ["/v1/embeddings"]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["Content-Type"] == "application/json"


def test_base64_means_the_same_as_numbers(embedder: EndpointEmbedder, server: Server) -> None:
    plain = embedder.embed(["a", "bb"])
    server.replies = [in_base64]
    assert embedder.embed(["a", "bb"]) == plain


def test_rows_without_numbers_are_in_order(embedder: EndpointEmbedder, server: Server) -> None:
    server.replies = [says(200, {"data": [{"embedding": [1, 0]}, {"embedding": [0, 1]}]})]
    assert [unpack(embedding.vector) for embedding in embedder.embed(["a", "b"])] == [(127, 0), (0, 127)]


def test_many_texts_go_in_batches(embedder: EndpointEmbedder, server: Server) -> None:
    texts = [f"{number} otters" for number in range(2 * EMBEDDING_BATCH_MAX + 1)]
    assert [unpack(embedding.vector) for embedding in embedder.embed(texts)] == [expected(text) for text in texts]
    assert [len(asked["input"]) for asked in server.asked] == [EMBEDDING_BATCH_MAX, EMBEDDING_BATCH_MAX, 1]


def test_the_name_needs_no_server_and_the_dimension_is_that_of_the_last_answer(
    embedder: EndpointEmbedder, server: Server
) -> None:
    assert embedder.name == "endpoint:otter-small"
    assert server.asked == []
    assert embedder.dimension == 3
    assert len(server.asked) == 1
    assert (embedder.is_quick, embedder.matcher) == (False, None)


def test_blank_texts_are_noughts_and_are_not_sent(embedder: EndpointEmbedder, server: Server) -> None:
    vectors = [unpack(embedding.vector) for embedding in embedder.embed(["", "a", " \n"])]
    assert vectors == [(0, 0, 0), expected("a"), (0, 0, 0)]
    assert unpack(embedder.embed_question("").vector) == (0, 0, 0)
    assert [asked["input"] for asked in server.asked] == [["a"]]


def test_text_of_every_kind_arrives_whole(embedder: EndpointEmbedder, server: Server) -> None:
    embedder.embed(["日本 😀 e\u0301", "half a \ud800 pair"])
    assert server.asked[0]["input"] == ["日本 😀 e\u0301", "half a ? pair"]


def test_without_a_variable_no_key_is_sent(server: Server) -> None:
    EndpointEmbedder(server.url, "otter-small").embed(["a"])
    assert "Authorization" not in server.headers[0]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_is_overwhelmed_is_asked_again_later(
    embedder: EndpointEmbedder, server: Server, slept: list[float], status: int
) -> None:
    server.replies = [says(status), says(status), embeddings]
    assert unpack(embedder.embed(["a"])[0].vector) == expected("a")
    assert slept == [0.5, 2.0]


def test_three_tries_are_all(embedder: EndpointEmbedder, server: Server, slept: list[float]) -> None:
    server.replies = [says(503)]
    with pytest.raises(ModelProblem, match="status 503"):
        embedder.embed(["a"])
    assert (len(server.asked), len(slept)) == (3, 2)


@pytest.mark.parametrize(("wanted", "waited"), [("4", 4.0), ("3600", 10.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.5)])
def test_a_server_may_ask_for_a_longer_pause_within_reason(
    embedder: EndpointEmbedder, server: Server, slept: list[float], wanted: str, waited: float
) -> None:
    server.replies = [says(429, Retry_After=wanted), embeddings]
    embedder.embed(["a"])
    assert slept == [waited]


@pytest.mark.parametrize("status", [400, 401, 404, 422])
def test_a_request_that_is_wrong_is_not_repeated(
    embedder: EndpointEmbedder, server: Server, slept: list[float], status: int
) -> None:
    server.replies = [says(status, {"error": f"bad key {KEY}, bad input {TEXT}"})]
    with pytest.raises(ModelProblem, match=f"status {status}") as caught:
        embedder.embed([TEXT])
    assert (len(server.asked), slept) == (1, [])
    assert KEY not in str(caught.value)
    assert TEXT not in str(caught.value)


def test_a_question_is_tried_once_so_that_a_recall_does_not_wait(
    embedder: EndpointEmbedder, server: Server, slept: list[float]
) -> None:
    assert unpack(embedder.embed_question("a").vector) == expected("a")
    server.replies = [says(503)]
    with pytest.raises(ModelProblem):
        embedder.embed_question("a")
    assert (len(server.asked), slept) == (2, [])


def test_a_server_that_is_down_is_a_model_problem(monkeypatch: pytest.MonkeyPatch, slept: list[float]) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    embedder = EndpointEmbedder(f"http://127.0.0.1:{port}", "otter-small", sleep=slept.append)
    with pytest.raises(ModelProblem, match="ConnectionRefusedError"):
        embedder.embed(["a"])
    assert slept == [0.5, 2.0]
    with pytest.raises(ModelProblem):
        _ = embedder.dimension


def test_a_server_that_never_answers_is_a_model_problem(monkeypatch: pytest.MonkeyPatch, slept: list[float]) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        embedder = EndpointEmbedder(url, "otter-small", sleep=slept.append, timeout_seconds=0.05)
        with pytest.raises(ModelProblem, match="did not respond in time"):
            embedder.embed(["a"])
    assert slept == []


def test_an_answer_that_breaks_off_is_asked_for_again(embedder: EndpointEmbedder, server: Server) -> None:
    server.replies = [says(200, b"{", Content_Length="5000"), embeddings]
    assert unpack(embedder.embed(["a"])[0].vector) == expected("a")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>welcome</html>",
        b"\xff\xfe",
        [],
        {},
        {"data": None},
        {"data": [{"index": 0}]},
        rows_of(["a"]),
        rows_of("not base64!"),
        rows_of(base64.b64encode(b"12345").decode()),
        rows_of(encode_floats([1.0, float("nan")])),
        {"data": [{"index": 7, "embedding": [1.0]}]},
        b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}',
        b'{"data": [], "other": ' + b"[" * 200_000,
    ],
)
def test_garbage_is_a_model_problem(embedder: EndpointEmbedder, server: Server, body: object) -> None:
    server.replies = [says(200, body)]
    with pytest.raises(ModelProblem, match="something other than embeddings"):
        embedder.embed(["a"])


_NUMBERS = st.one_of(st.integers(), st.floats(), st.just(1e308), st.just(10**400), st.none(), st.text())
_ROWS = st.lists(st.fixed_dictionaries({"embedding": st.one_of(st.lists(_NUMBERS), st.text())}))


@given(st.one_of(st.binary(), st.fixed_dictionaries({"data": _ROWS})))
def test_whatever_a_server_answers_is_vectors_or_a_model_problem(body: object) -> None:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    embedder = EndpointEmbedder("http://127.0.0.1:1", "otter-small")
    embedder._server.ask = lambda *_given, **_named: raw  # type: ignore[method-assign]
    try:
        vector = embedder.embed_question("a").vector
    except ModelProblem:
        return
    assert len(vector) == embedder.dimension > 0


@pytest.mark.parametrize("vectors", [[], [[1.0, 0.0, 0.0]] * 2])
def test_too_few_or_too_many_vectors_are_a_model_problem(
    embedder: EndpointEmbedder, server: Server, vectors: list[list[float]]
) -> None:
    server.replies = [says(200, rows_of(*vectors))]
    with pytest.raises(ModelProblem, match=f"returned {len(vectors)} vectors for 1 texts"):
        embedder.embed(["a"])


def test_a_wrong_dimension_does_not_stick(embedder: EndpointEmbedder, server: Server) -> None:
    server.replies = [says(200, rows_of([1.0, 2.0])), embeddings]
    embedder.embed_question("a")
    assert embedder.dimension == 2
    assert unpack(embedder.embed_question("a").vector) == expected("a"), "the server is right again"
    assert embedder.dimension == 3


def test_vectors_of_one_answer_must_be_of_one_dimension(embedder: EndpointEmbedder, server: Server) -> None:
    server.replies = [says(200, rows_of([1.0, 2.0], [1.0]))]
    with pytest.raises(ModelProblem, match="1 dimensions instead of 2"):
        embedder.embed(["a", "b"])


def test_an_empty_vector_is_no_vector(embedder: EndpointEmbedder, server: Server) -> None:
    server.replies = [says(200, rows_of([]))]
    with pytest.raises(ModelProblem, match="0 dimensions"):
        embedder.embed(["a"])


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_the_texts_do_not_follow_a_redirect(embedder: EndpointEmbedder, server: Server, status: int) -> None:
    server.replies = [says(status, Location=f"{server.url}/elsewhere"), embeddings]
    with pytest.raises(ModelProblem, match=f"status {status}"):
        embedder.embed([TEXT])
    assert server.paths == ["/v1/embeddings"]


@pytest.mark.parametrize("key", [None, "  "])
def test_without_a_key_the_endpoint_is_asked_without_one(
    embedder: EndpointEmbedder, server: Server, monkeypatch: pytest.MonkeyPatch, key: str | None
) -> None:
    monkeypatch.delenv("OTTER_KEY")
    if key is not None:
        monkeypatch.setenv("OTTER_KEY", key)
    embedder.embed([TEXT])
    assert "Authorization" not in server.headers[0]


def test_a_key_that_is_broken_is_named_by_its_variable_only(
    embedder: EndpointEmbedder, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTTER_KEY", "clé\nsecrète")
    with pytest.raises(ModelProblem, match=r"OTTER_KEY .*valid key") as caught:
        embedder.embed(["a"])
    assert "secr" not in str(caught.value)
    assert server.asked == []


def test_neither_key_nor_text_is_written_anywhere(
    embedder: EndpointEmbedder,
    server: Server,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    embedder.embed([TEXT])
    server.replies = [says(500, {"error": [KEY, TEXT]})]
    with pytest.raises(ModelProblem) as caught:
        embedder.embed([TEXT])
    problem: BaseException | None = caught.value
    while problem is not None:
        assert KEY not in f"{problem!r}"
        assert TEXT not in f"{problem!r}"
        problem = problem.__cause__ or problem.__context__
    written = caplog.text + "".join(capfd.readouterr()) + repr(vars(embedder))
    assert KEY not in written
    assert TEXT not in written


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("https://models.example", "https://models.example/v1/embeddings"),
        ("https://models.example/", "https://models.example/v1/embeddings"),
        ("https://models.example/v1", "https://models.example/v1/embeddings"),
        ("https://models.example/v1/embeddings", "https://models.example/v1/embeddings"),
        ("http://[::1]:8080/api/v2/", "http://[::1]:8080/api/v2/embeddings"),
        ("https://models.example/x/embeddings?api-version=3", "https://models.example/x/embeddings?api-version=3"),
    ],
)
def test_an_address_may_be_given_in_short(given: str, asked: str) -> None:
    assert complete_url(given) == asked


@pytest.mark.parametrize(
    "address",
    [
        "",
        "models.example",
        "file:///etc/passwd",
        "http://",
        "http://[::1",
        "https://me:pass@models.example",
        "http://mödels.example",
    ],
)
def test_an_address_that_cannot_be_asked_is_refused(address: str) -> None:
    with pytest.raises(ModelProblem) as caught:
        EndpointEmbedder(address, "otter-small")
    assert "pass@" not in str(caught.value)


def test_threads_may_share_it(embedder: EndpointEmbedder) -> None:
    found: list[tuple[int, ...]] = []
    threads = [
        threading.Thread(target=lambda: found.append(unpack(embedder.embed_question("otter").vector))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected("otter")] * 8
