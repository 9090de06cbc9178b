"""An embedder somewhere else: any server that answers `/v1/embeddings` the way OpenAI's does.

Neither the key nor a text ever gets into a message: what a server says about a refused request may repeat both.
"""

from __future__ import annotations

import base64
import math
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from heldtrue.models.address import complete_url as complete_address
from heldtrue.models.http import JsonEndpoint, decode_answer
from heldtrue.models.packing import mend_text, pack_numbers
from heldtrue.ports import Embedded

BATCH = 64
"""Texts sent in one request."""
_QUESTION_SECONDS = 5.0
"""How long a recall waits for a sign of life when it asks for the vector of its question; it tries once."""


class _Row(msgspec.Struct):
    embedding: list[float] | str
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Row]


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
        self._server = JsonEndpoint(complete_url(url), "embeddings endpoint", key_variable=key_variable, sleep=sleep)
        self._model = model
        self._dimension = dimension
        self._timeout_seconds = timeout_seconds
        self._lock = threading.Lock()

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
        vectors: list[bytes] = []
        for start in range(0, len(spoken), BATCH):
            batch = spoken[start : start + BATCH]
            vectors += self._ask(batch, timeout_seconds=self._timeout_seconds)
        given = iter(vectors)
        return [Embedded(next(given) if text.strip() else bytes(self.dimension)) for text in texts]

    def embed_question(self, text: str) -> Embedded:
        """The vector of a question, soon or not at all."""
        if not text.strip():
            return Embedded(bytes(self.dimension))
        timeout_seconds = min(self._timeout_seconds, _QUESTION_SECONDS)
        (vector,) = self._ask([mend_text(text)], tries=1, timeout_seconds=timeout_seconds)
        return Embedded(vector)

    def _ask(self, texts: Sequence[str], *, timeout_seconds: float, tries: int | None = None) -> list[bytes]:
        body = self._server.ask({"model": self._model, "input": texts}, timeout_seconds=timeout_seconds, tries=tries)
        return self._read_vectors(body, len(texts))

    def _read_vectors(self, body: bytes, wanted: int) -> list[bytes]:
        try:
            rows = decode_answer(body, _Answer).data
            vectors = [read_embedding(row.embedding) for row in _in_order(rows)]
        except (ValueError, struct.error) as problem:
            raise self._server.problem("returned something other than embeddings") from problem
        if len(vectors) != wanted:
            raise self._server.problem(f"returned {len(vectors)} vectors for {wanted} texts")
        for vector in vectors:
            self._check_dimension(len(vector))
        return [pack_numbers(vector) for vector in vectors]

    def _check_dimension(self, length: int) -> None:
        with self._lock:
            if self._dimension is None and length:
                self._dimension = length
            expected = self._dimension
        if length != expected:
            raise self._server.problem(
                f"returned a vector of {length} dimensions instead of {expected or 'at least one'}"
            )


def complete_url(url: str) -> str:
    """The address to ask, from that of a server, of its `/v1` or of the embeddings themselves."""
    return complete_address(url, "/embeddings", what="an embeddings endpoint")


def read_embedding(embedding: list[float] | str) -> Sequence[float]:
    """The numbers of a vector that came as numbers, or as base64 of 32-bit floats."""
    if isinstance(embedding, list):
        return embedding
    raw = base64.b64decode(embedding, validate=True)
    numbers = struct.unpack(f"<{len(raw) // 4}f", raw)
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a vector component is not a number")
    return numbers


def _in_order(rows: Sequence[_Row]) -> Iterator[_Row]:
    """The rows in the order of the texts; servers that do not number them keep the order."""
    numbers = [number if row.index is None else row.index for number, row in enumerate(rows)]
    if sorted(numbers) != list(range(len(rows))):
        raise ValueError("the rows are not numbered from zero")
    return (row for _, row in sorted(zip(numbers, rows, strict=True), key=lambda pair: pair[0]))
