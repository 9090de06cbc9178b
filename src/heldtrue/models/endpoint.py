"""A remote embedder: any server that answers `/v1/embeddings` the way OpenAI's does.

Neither the key nor a text ever gets into a message: what a server says about a refused request may repeat both.
"""

from __future__ import annotations

import base64
import math
import struct
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from heldtrue.domain.limits import (
    EMBEDDING_BATCH_MAX,
    EMBEDDING_DOCUMENTS_SECONDS_MAX,
    EMBEDDING_QUESTION_SECONDS_MAX,
)
from heldtrue.model_ports import Embedded
from heldtrue.models.address import complete_url as complete_address
from heldtrue.models.http import JsonEndpoint, decode_answer
from heldtrue.models.outage import Outage
from heldtrue.models.packing import mend_text, pack_numbers


class _Row(msgspec.Struct):
    embedding: list[float] | str
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Row]


class Outages(msgspec.Struct, frozen=True):
    """What is noted of an endpoint that fails. It may answer a short question and be too slow for documents."""

    questions: Outage | None = None
    documents: Outage | None = None


class EndpointEmbedder:
    """Asks a server for vectors. Threads may share it.

    `key_variable` is the name of the environment variable that holds the key; without one no key is sent. Nothing is
    asked before the first text: the name needs no server, and the last answer tells the dimension.
    """

    is_quick = False
    matcher = None
    reads_sentences = True
    floor = 0.25
    weights: Mapping[str, float] = {"text": 2.0, "thread": 1.0, "meaning": 3.0}
    unrelated = 0.2
    """A typical value, because only the model's name is known."""

    def __init__(
        self,
        url: str,
        model: str,
        key_variable: str | None = None,
        *,
        timeout_seconds: float = EMBEDDING_DOCUMENTS_SECONDS_MAX,
        sleep: Callable[[float], None] = time.sleep,
        outages: Outages = Outages(),  # noqa: B008 - it has no state
    ) -> None:
        self._server = JsonEndpoint(
            complete_url(url),
            "embeddings endpoint",
            key_variable=key_variable,
            hint="start the endpoint, or check url, model and key_variable under [recall.endpoint] in heldtrue.toml",
            sleep=sleep,
        )
        self._model = model
        self._dimension: int | None = None
        self._timeout_seconds = timeout_seconds
        self._outages = outages

    @property
    def name(self) -> str:
        """The model's own name. The store keeps the dimension of its vectors, and compares."""
        return f"endpoint:{self._model}"

    @property
    def dimension(self) -> int:
        """How long the vectors of the last answer were; the server is asked if there was none yet."""
        if self._dimension is None:
            self._ask_question("dimension")
        assert self._dimension is not None
        return self._dimension

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """The vectors of the texts; a text without words has a zero vector and is not sent."""
        spoken = [mend_text(text) for text in texts if text.strip()]
        vectors: list[bytes] = []
        for start in range(0, len(spoken), EMBEDDING_BATCH_MAX):
            batch = spoken[start : start + EMBEDDING_BATCH_MAX]
            vectors += self._ask(batch, timeout_seconds=self._timeout_seconds, outage=self._outages.documents)
        given = iter(vectors)
        return [Embedded(next(given) if text.strip() else bytes(self.dimension)) for text in texts]

    def embed_question(self, text: str) -> Embedded:
        """The vector of a question, within a short timeout."""
        if not text.strip():
            return Embedded(bytes(self.dimension))
        return Embedded(self._ask_question(mend_text(text)))

    def _ask_question(self, text: str) -> bytes:
        timeout_seconds = min(self._timeout_seconds, EMBEDDING_QUESTION_SECONDS_MAX)
        (vector,) = self._ask([text], tries=1, timeout_seconds=timeout_seconds, outage=self._outages.questions)
        return vector

    def _ask(
        self, texts: Sequence[str], *, timeout_seconds: float, outage: Outage | None, tries: int | None = None
    ) -> list[bytes]:
        body = {"model": self._model, "input": texts}
        answer = self._server.ask(body, timeout_seconds=timeout_seconds, tries=tries, outage=outage)
        return self._read_vectors(answer, len(texts))

    def _read_vectors(self, body: bytes, wanted: int) -> list[bytes]:
        try:
            rows = decode_answer(body, _Answer).data
            vectors = [read_embedding(row.embedding) for row in _in_order(rows)]
        except (ValueError, OverflowError, struct.error) as problem:
            raise self._server.problem("returned something other than embeddings") from problem
        if len(vectors) != wanted:
            raise self._server.problem(f"returned {len(vectors)} vectors for {wanted} texts")
        self._dimension = self._check_lengths([len(vector) for vector in vectors])
        return [pack_numbers(vector) for vector in vectors]

    def _check_lengths(self, lengths: Sequence[int]) -> int:
        """The length of all vectors of one answer."""
        first = lengths[0]
        for length in lengths:
            if length != first or not length:
                expected = first or "at least one"
                raise self._server.problem(f"returned a vector of {length} dimensions instead of {expected}")
        return first


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
