"""The fakes that ship: alike everywhere, near by shared words, and obedient when told to fail."""

from __future__ import annotations

import subprocess
import sys
from math import hypot
from operator import mul

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldtrue.domain.errors import ModelProblem
from heldtrue.models.packing import mend_text, pack_numbers
from heldtrue.models.scripted import ScriptedEmbedder, ScriptedReranker

PRINT_VECTOR = """
import sys
from heldtrue.models.scripted import ScriptedEmbedder
print(ScriptedEmbedder().embed_question("the otter sleeps afloat").vector.hex())
print(sorted({"numpy", "tokenizers", "onnxruntime"} & set(sys.modules)))
"""


def unpack(vector: bytes) -> list[int]:
    return [byte - 256 if byte > 127 else byte for byte in vector]


def cosine(left: bytes, right: bytes) -> float:
    first, second = unpack(left), unpack(right)
    return float(sum(map(mul, first, second)) / (hypot(*first) * hypot(*second)))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50))
def test_a_packed_vector_points_the_same_way_and_its_largest_part_is_127(numbers: list[float]) -> None:
    packed = unpack(pack_numbers(numbers))
    largest = max(map(abs, numbers))
    assert max(map(abs, packed)) == (127 if largest else 0)
    pairs = zip(packed, numbers, strict=True)
    assert all(abs(part / 127 * largest - number) <= largest * (0.5 / 127 + 1e-9) for part, number in pairs)


def test_half_a_character_is_mended_and_whole_ones_are_left_alone() -> None:
    assert mend_text("a\ud800b") == "a?b"
    assert mend_text("naïve 😀 日本") == "naïve 😀 日本"


def test_the_same_words_give_the_same_vector_in_any_order_and_any_case() -> None:
    embedder = ScriptedEmbedder()
    one, other = embedder.embed(["The otter sleeps afloat", "afloat SLEEPS the otter, the otter"])
    assert one == other
    assert embedder.embed_question("The otter sleeps afloat") == one


def test_shared_words_make_texts_near() -> None:
    asked, near, far = ScriptedEmbedder(dimension=256).embed(
        ["where does the otter sleep", "the otter can sleep afloat", "invoices are paid on Mondays"]
    )
    assert cosine(asked.vector, near.vector) > 0.4
    assert abs(cosine(asked.vector, far.vector)) < 0.25


def test_a_synonym_is_the_word_it_stands_for() -> None:
    embedder = ScriptedEmbedder(synonyms={"automobile": "car"})
    assert embedder.embed_question("my automobile") == embedder.embed_question("my car")
    assert ScriptedEmbedder().embed_question("my automobile") != ScriptedEmbedder().embed_question("my car")


@pytest.mark.parametrize("text", ["", "  \n", "?!", "\ud800"])
def test_a_text_without_words_is_noughts(text: str) -> None:
    assert ScriptedEmbedder().embed_question(text).vector == bytes(64)


def test_another_process_makes_the_same_vector_and_needs_no_library() -> None:
    printed = subprocess.run([sys.executable, "-c", PRINT_VECTOR], capture_output=True, text=True, check=True).stdout
    vector = ScriptedEmbedder().embed_question("the otter sleeps afloat").vector
    assert printed.splitlines() == [vector.hex(), "[]"]


def test_it_fails_from_the_call_it_was_told_and_recovers_when_told_so() -> None:
    embedder = ScriptedEmbedder(fails_from=2)
    embedder.embed(["one", "two"])
    for _ in range(2):
        with pytest.raises(ModelProblem):
            embedder.embed(["three"])
    embedder.fails_from = None
    assert len(embedder.embed(["three"])) == 1
    assert embedder.calls == 4


def test_it_is_slow_only_by_the_sleep_it_was_given() -> None:
    slept: list[float] = []
    embedder = ScriptedEmbedder(pause_seconds=3.5, sleep=slept.append)
    embedder.embed(["one", "two"])
    embedder.embed_question("three")
    assert slept == [3.5, 3.5]


def test_it_can_become_another_model() -> None:
    embedder = ScriptedEmbedder()
    embedder.name, embedder.dimension = "scripted-2/96", 96
    assert len(embedder.embed_question("otter").vector) == 96


def test_the_reranker_prefers_what_covers_the_question() -> None:
    reranker = ScriptedReranker()
    texts = ["The otter sleeps afloat.", "Otters eat urchins.", "Where does the otter sleep?"]
    assert reranker.rerank("where does the otter sleep", texts) == [0.4, 0.0, 1.0]
    assert reranker.rerank("", ["anything"]) == [0.0]


def test_the_reranker_fails_when_told_to() -> None:
    with pytest.raises(ModelProblem):
        ScriptedReranker(fails_from=1).rerank("otter", ["otter"])
