"""An embedder somewhere else: any server that answers `/v1/embeddings` the way OpenAI's does.

Neither the key nor a text ever gets into a message: what a server says about a refused request may repeat both.
"""

from __future__ import annotations

import base64
import math
import os
import struct
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.client import HTTPException
from urllib.parse import urlsplit

import msgspec

from holdfast.domain.errors import ModelProblem
from holdfast.models.packing import mend_text, pack_numbers
from holdfast.ports import Embedded

BATCH = 64
"""Texts sent in one request."""
PAUSES_SECONDS = (0.5, 2.0)
"""How long to wait before each further try."""
_PAUSE_SECONDS_MAX = 10.0
"""The longest wait that a server may ask for."""
_QUESTION_SECONDS = 5.0
"""How long a recall waits for a sign of life when it asks for the vector of its question; it tries once."""
_ANSWER_BYTES_MAX = 64 * 1024 * 1024
_TOO_MANY_REQUESTS = 429
_SERVER_FAULT = 500


class _Row(msgspec.Struct):
    embedding: list[float] | str
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Row]


class _Refused(Exception):
    """A try failed; another may not."""

    def __init__(self, reason: str, *, wait_seconds: float = 0.0) -> None:
        super().__init__(reason)
        self.wait_seconds = wait_seconds


class EndpointEmbedder:
    """Asks a server for vectors. Threads may share it.

    `key_variable` is the name of the environment variable that holds the key; without one no key is sent. Where no
    dimension is given, the first vector tells it.
    """

    is_quick = False
    matcher = None
    reads_sentences = True
    floor = 0.25
    weights: Mapping[str, float] = {"text": 2.0, "thread": 1.0, "meaning": 3.0}
    unrelated = 0.2
    """Not known of a model that is only known by its name; most lie about here."""

    def __init__(
        self,
        url: str,
        model: str,
        key_variable: str | None = None,
        *,
        dimension: int | None = None,
        timeout_seconds: float = 30.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = complete_url(url)
        self._server = urlsplit(self._url).netloc
        self._model = model
        self._key_variable = key_variable
        self._dimension = dimension
        self._timeout_seconds = timeout_seconds
        self._sleep = sleep
        self._lock = threading.Lock()
        self._opener = urllib.request.build_opener(_NoRedirects())

    @property
    def name(self) -> str:
        """The model's own name and its dimension, for which the server may have to be asked once."""
        return f"endpoint:{self._model}/{self.dimension}"

    @property
    def dimension(self) -> int:
        """How long its vectors are, for which the server may have to be asked once."""
        if self._dimension is None:
            self._ask(["dimension"], tries=1, timeout_seconds=_QUESTION_SECONDS)
        assert self._dimension is not None
        return self._dimension

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """The vectors of some texts; a text without a word has noughts, and the server does not see it."""
        spoken = [mend_text(text) for text in texts if text.strip()]
        tries = 1 + len(PAUSES_SECONDS)
        vectors: list[bytes] = []
        for start in range(0, len(spoken), BATCH):
            batch = spoken[start : start + BATCH]
            vectors += self._ask(batch, tries=tries, timeout_seconds=self._timeout_seconds)
        given = iter(vectors)
        return [Embedded(next(given) if text.strip() else bytes(self.dimension)) for text in texts]

    def embed_question(self, text: str) -> Embedded:
        """The vector of a question, soon or not at all."""
        if not text.strip():
            return Embedded(bytes(self.dimension))
        timeout_seconds = min(self._timeout_seconds, _QUESTION_SECONDS)
        (vector,) = self._ask([mend_text(text)], tries=1, timeout_seconds=timeout_seconds)
        return Embedded(vector)

    def _ask(self, texts: Sequence[str], *, tries: int, timeout_seconds: float) -> list[bytes]:
        request = self._make_request(texts)
        for pause in (*PAUSES_SECONDS[: tries - 1], None):
            try:
                return self._read_vectors(self._send(request, timeout_seconds), len(texts))
            except _Refused as refused:
                if pause is None:
                    raise self._problem(str(refused)) from refused.__cause__
                self._sleep(min(max(pause, refused.wait_seconds), _PAUSE_SECONDS_MAX))
        raise AssertionError("the last try returns or raises")

    def _make_request(self, texts: Sequence[str]) -> urllib.request.Request:
        body = msgspec.json.encode({"model": self._model, "input": texts})
        request = urllib.request.Request(self._url, data=body, method="POST")  # noqa: S310  http or https: see complete_url
        request.add_header("Content-Type", "application/json")
        if self._key_variable and (key := self._read_key(self._key_variable)):
            request.add_header("Authorization", f"Bearer {key}")
        return request

    def _read_key(self, variable: str) -> str:
        """The key; empty where none is set, since an endpoint of one's own often needs none."""
        key = os.environ.get(variable, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise ModelProblem(
                f"The environment variable {variable} holds something that is no key.",
                hint="it holds the endpoint's key",
            )
        return key

    def _send(self, request: urllib.request.Request, timeout_seconds: float) -> bytes:
        try:
            with self._opener.open(request, timeout=timeout_seconds) as response:
                body: bytes = response.read(_ANSWER_BYTES_MAX + 1)
                missing: int | None = response.length
        except urllib.error.HTTPError as problem:
            with problem:
                raise self._judge_refusal(problem) from None
        except (OSError, HTTPException) as problem:
            reason = getattr(problem, "reason", problem)
            raise _Refused(f"cannot be reached: {type(reason).__name__}") from problem
        if len(body) > _ANSWER_BYTES_MAX:
            raise self._problem("answered with more than an answer can hold")
        if missing:  # a read with a limit does not notice that the connection broke
            raise _Refused("broke off its answer")
        return body

    def _judge_refusal(self, refusal: urllib.error.HTTPError) -> Exception:
        if refusal.code != _TOO_MANY_REQUESTS and refusal.code < _SERVER_FAULT:
            return self._problem(f"refused the request with status {refusal.code}")
        wait = refusal.headers.get("Retry-After", "")
        wait_seconds = float(wait) if wait.isdecimal() else 0.0
        return _Refused(f"answered with status {refusal.code}", wait_seconds=wait_seconds)

    def _read_vectors(self, body: bytes, wanted: int) -> list[bytes]:
        try:
            rows = msgspec.json.decode(body, type=_Answer).data
            vectors = [read_embedding(row.embedding) for row in _in_order(rows)]
        except (ValueError, struct.error) as problem:
            raise self._problem("answered with something other than embeddings") from problem
        if len(vectors) != wanted:
            raise self._problem(f"answered {wanted} texts with {len(vectors)} vectors")
        for vector in vectors:
            self._check_dimension(len(vector))
        return [pack_numbers(vector) for vector in vectors]

    def _check_dimension(self, length: int) -> None:
        with self._lock:
            if self._dimension is None and length:
                self._dimension = length
            expected = self._dimension
        if length != expected:
            raise self._problem(f"gave a vector of {length} dimensions where {expected or 'some'} were expected")

    def _problem(self, what: str) -> ModelProblem:
        return ModelProblem(
            f"The embeddings endpoint {self._server} {what}.", hint="check its address, the model and the key"
        )


def complete_url(url: str) -> str:
    """The address to ask, from that of a server, of its `/v1` or of the embeddings themselves."""
    try:
        parts = urlsplit(url.encode("ascii").decode())
    except ValueError as problem:
        raise ModelProblem("The address of an embeddings endpoint is not a valid one.") from problem
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ModelProblem("The address of an embeddings endpoint begins with http:// or https://.")
    if "@" in parts.netloc:
        raise ModelProblem("The address of an embeddings endpoint holds no password; name a variable that does.")
    path = parts.path.rstrip("/")
    if not path.endswith("/embeddings"):
        path = f"{path or '/v1'}/embeddings"
    return parts._replace(path=path, fragment="").geturl()


def read_embedding(embedding: list[float] | str) -> Sequence[float]:
    """The numbers of a vector that came as numbers, or as base64 of 32-bit floats."""
    if isinstance(embedding, list):
        return embedding
    raw = base64.b64decode(embedding, validate=True)
    numbers = struct.unpack(f"<{len(raw) // 4}f", raw)
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a part of the vector is no number")
    return numbers


def _in_order(rows: Sequence[_Row]) -> Iterator[_Row]:
    """The rows in the order of the texts; servers that do not number them keep the order."""
    numbers = [place if row.index is None else row.index for place, row in enumerate(rows)]
    if sorted(numbers) != list(range(len(rows))):
        raise ValueError("the rows are not numbered from nought")
    return (row for _, row in sorted(zip(numbers, rows, strict=True), key=lambda pair: pair[0]))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A server that points elsewhere is not followed: the texts were meant for this one."""

    def redirect_request(self, *_arguments: object) -> None:
        return None
