"""The default embedder, on the real table that the package carries."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heldtrue.distribution import suggest_install
from heldtrue.domain.errors import ModelProblem
from heldtrue.models.packing import pack_numbers, pack_rows
from heldtrue.models.static import TOKENS_KEPT, StaticEmbedder, WordTable, open_static, space_words

EMBED_BEFORE_AND_AFTER_A_FORK = """
import os, sys
from heldtrue.models.static import open_static
embedder = open_static()
texts = ["The otter sleeps afloat.", "καλημέρα 😀", ""]
print([one.vector.hex() + one.tokens.hex() for one in embedder.embed(texts)], flush=True)
child = os.fork()
if child == 0:
    print([one.vector.hex() + one.tokens.hex() for one in embedder.embed(texts)], flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(sorted({"wordllama", "pydantic", "requests", "safetensors"} & set(sys.modules)))
"""


@pytest.fixture(scope="module")
def static() -> StaticEmbedder:
    return open_static()


def cosine(embedder: StaticEmbedder, left: str, right: str) -> float:
    first, second = (
        numpy.frombuffer(embedded.vector, dtype=numpy.int8).astype(float) for embedded in embedder.embed([left, right])
    )
    return float(first @ second / (numpy.linalg.norm(first) * numpy.linalg.norm(second)))


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("Which database do we use?", "We store everything in PostgreSQL.", "The cat slept all afternoon."),
        ("What is she allergic to?", "Peanuts give her a rash.", "The build takes nine minutes."),
        ("How do we deploy?", "Releases go to production with a script.", "He was born in Kenya."),
        ("Where does he live?", "His flat is in the centre of Oslo.", "Tests must not touch the network."),
        ("holiday plans", "They will travel to the beach in August.", "The parser rejects trailing commas."),
        ("Wo wohnt der Arzt?", "Der Doktor hat ein Haus in Wien.", "La soupe est froide."),
    ],
)
def test_what_is_about_the_same_is_nearer(static: StaticEmbedder, question: str, near: str, far: str) -> None:
    assert cosine(static, question, near) > cosine(static, question, far) + 0.05


def test_unrelated_texts_are_not_near(static: StaticEmbedder) -> None:
    assert cosine(static, "The otter sleeps afloat.", "Invoices are due after thirty days.") < 0.2
    assert cosine(static, "The otter sleeps afloat.", "An otter sleeps while floating.") > 0.5


def test_its_name_tells_the_table_and_its_dimension(static: StaticEmbedder, tmp_path: Path) -> None:
    assert re.fullmatch(r"wordllama-[0-9a-f]{8}/256", static.name)
    assert open_static().name == static.name
    tables = [WordTable(write_table(tmp_path / f"{first}.safetensors", first=first)) for first in (0, 0, 1)]
    names = [StaticEmbedder(table, tmp_path / "tokenizer.json").name for table in tables]
    assert names[0] == names[1] != names[2]


def test_it_is_quick_and_of_the_dimension_of_its_table(static: StaticEmbedder) -> None:
    assert (static.dimension, static.is_quick) == (256, True)


def test_a_question_is_a_text_like_any_other(static: StaticEmbedder) -> None:
    texts = ["one text", "another"]
    assert static.embed(texts) == [static.embed_question(text) for text in texts]
    assert static.embed([]) == []


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "...", "«—»", "\ud800", "\x00", "𐍈𐍉", "﷽", "ጠባቂው"])
def test_a_text_without_words_is_noughts_and_has_no_tokens(static: StaticEmbedder, text: str) -> None:
    embedded = static.embed_question(text)
    assert (embedded.vector, embedded.tokens) == (bytes(256), b"")


@pytest.mark.parametrize(
    "text",
    ["日本語の文章", "नमस्ते दुनिया", "שלום עולם", "👩‍👩‍👧‍👦", "e\u0301té", "a\ud800b",
     "\u202eabc", "C++", "<s> </s> <unk>"],
)  # fmt: skip
def test_text_of_every_script_has_a_vector(static: StaticEmbedder, text: str) -> None:
    embedded = static.embed_question(text)
    assert len(embedded.vector) == 256
    assert any(embedded.vector)
    assert max(abs(part) for part in struct.unpack("256b", embedded.vector)) == 127


def test_two_spellings_of_one_text_are_one(static: StaticEmbedder) -> None:
    assert static.embed_question("e\u0301te\u0301") == static.embed_question("été")
    assert static.embed_question("“the otter”\n(sleeps)") == static.embed_question("the otter sleeps")


def test_what_looks_like_a_control_token_is_only_text(static: StaticEmbedder) -> None:
    assert 1 not in struct.unpack("<4H", static.embed_question("a <s> b c").tokens)


@given(st.text(max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    embedded = OPENED.embed_question(text)
    assert len(embedded.vector) == 256
    assert len(embedded.tokens) % 2 == 0


OPENED = open_static()


def test_tokens_are_in_order_and_cut_but_the_vector_is_made_of_the_whole_text(static: StaticEmbedder) -> None:
    start = "otter river fish " * 200
    short, long = static.embed([start, start + "invoice payment bank"])
    assert len(short.tokens) == len(long.tokens) == 2 * TOKENS_KEPT
    assert short.tokens == long.tokens
    assert short.vector != long.vector
    otter_river = static.embed_question("otter river").tokens
    assert long.tokens.startswith(otter_river)


def test_a_very_long_text_is_embedded_too(static: StaticEmbedder) -> None:
    assert any(static.embed_question("otter" * 20_000).vector)


def test_what_is_repeated_counts_once(static: StaticEmbedder) -> None:
    once, often = static.embed(["the otter sleeps", "the otter the otter the otter sleeps"])
    assert once.vector == often.vector
    assert once.tokens != often.tokens


def test_every_process_makes_the_same_vectors_also_after_a_fork_and_imports_no_more_than_it_must() -> None:
    run = subprocess.run(
        [sys.executable, "-c", EMBED_BEFORE_AND_AFTER_A_FORK], capture_output=True, text=True, check=True
    )
    texts = ["The otter sleeps afloat.", "καλημέρα 😀", ""]
    here = str([embedding.vector.hex() + embedding.tokens.hex() for embedding in OPENED.embed(texts)])
    assert run.stdout.splitlines() == [here, here, "[]"]
    assert run.stderr == ""


def test_rows_of_the_table_are_unit_vectors_and_near_by_meaning(static: StaticEmbedder) -> None:
    ids = [struct.unpack_from("<H", static.embed_question(word).tokens)[0] for word in ("king", "queen", "car")]
    rows = static.table.rows(numpy.array(ids, dtype="<u2"))
    assert rows.dtype == numpy.float32
    assert numpy.allclose(numpy.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2


def test_no_ids_are_no_rows(static: StaticEmbedder) -> None:
    assert static.table.rows(numpy.array([], dtype="<u2")).shape == (0, 256)


def test_the_table_stays_in_its_file(static: StaticEmbedder) -> None:
    raw = static.table._raw
    while isinstance(raw.base, numpy.ndarray):
        raw = raw.base
    assert isinstance(raw, numpy.memmap)
    assert not raw.flags.writeable


@pytest.mark.parametrize("part", ["wordllama", "tokenizers", "numpy"])
def test_a_missing_part_is_named_with_what_to_install(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, part, None)
    with pytest.raises(ModelProblem, match=part) as caught:
        open_static()
    assert suggest_install("vectors") in str(caught.value)


def test_a_package_without_its_table_is_told_from_a_missing_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wordllama").mkdir()
    (tmp_path / "wordllama" / "__init__.py").write_text("raise AssertionError('it must not be imported')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModelProblem, match="has no file weights/"):
        open_static()


def write_table(
    path: Path, *, kind: str = "F16", shape: tuple[int, ...] = (3, 4), missing: int = 0, first: int = 0
) -> Path:
    header = json.dumps({"__metadata__": {}, "t": {"dtype": kind, "shape": shape, "data_offsets": [0, 24]}}).encode()
    rows = numpy.arange(first, first + 12, dtype="<f2").tobytes()
    path.write_bytes(struct.pack("<Q", len(header)) + header + rows[: 24 - missing])
    return path


def test_a_table_is_found_by_its_header(tmp_path: Path) -> None:
    table = WordTable(write_table(tmp_path / "table.safetensors"))
    assert table.dimension == 4
    assert table._raw.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


@pytest.mark.parametrize(
    "damage", [{"kind": "BF16"}, {"shape": (12,)}, {"shape": (70_000, 4)}, {"shape": (6, 4)}, {"missing": 1}]
)
def test_a_damaged_table_is_a_model_problem(tmp_path: Path, damage: dict[str, object]) -> None:
    path = write_table(tmp_path / "table.safetensors", **damage)  # type: ignore[arg-type]
    with pytest.raises(ModelProblem, match=r"table\.safetensors cannot be read"):
        WordTable(path)


@pytest.mark.parametrize(
    "content", [b"", b"\x08\x00", b"\xff" * 64, struct.pack("<Q", 2) + b"[]", struct.pack("<Q", 3) + b"{}x"]
)
def test_a_file_that_is_no_table_is_a_model_problem(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table.safetensors"
    path.write_bytes(content)
    with pytest.raises(ModelProblem):
        WordTable(path)


def test_a_damaged_tokenizer_is_a_model_problem(tmp_path: Path, static: StaticEmbedder) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    with pytest.raises(ModelProblem, match=r"tokenizer\.json"):
        StaticEmbedder(static.table, path).embed(["text"])


@pytest.mark.parametrize(
    ("text", "spaced"),
    [
        ("src/app_main.py:42", "src app main py 42"),
        ("`max_retries=3`", "max retries 3"),
        ("C++ and C#, 50% of $9", "C++ and C# 50% of $9"),
        ("「東京」へ", "東京 へ"),
        ("ﬁne\u00a0print", "fine print"),
    ],
)
def test_words_are_set_apart(text: str, spaced: str) -> None:
    assert space_words(text) == spaced


@given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=1, max_size=20))
def test_both_ways_to_pack_agree(numbers: list[float]) -> None:
    one = struct.unpack(f"{len(numbers)}b", pack_numbers(numbers))
    other = struct.unpack(f"{len(numbers)}b", pack_rows(numpy.array(numbers, dtype=numpy.float64)))
    assert one == other
