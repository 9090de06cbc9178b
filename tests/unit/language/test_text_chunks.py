"""Pieces: long texts cut where they part by themselves, nothing lost, and the headings above each piece."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.language.text_chunks import context_title, split_chunks
from tests.effort import assert_linear

GUIDE = """# Guide

Welcome. This is what the guide is about.

## Install

Run the installer and wait.

### Linux

Use the package of your system.

## Use

Ask a question. Read the answer.
"""


def pieces_of(text: str, chars_max: int, overlap: int = 0) -> list[str]:
    return [text[start:end] for start, end in split_chunks(text, chars_max=chars_max, overlap=overlap)]


def test_a_short_text_is_one_piece() -> None:
    assert split_chunks("Just a note.") == [(0, 12)]
    assert split_chunks("") == []


def test_a_heading_starts_a_piece() -> None:
    starts = [piece.splitlines()[0] for piece in pieces_of(GUIDE, 100)]
    assert starts == ["# Guide", "## Install", "### Linux", "## Use"]


def test_short_sections_stay_together_where_there_is_room() -> None:
    assert len(pieces_of(GUIDE, 1200)) == 1


def test_a_long_paragraph_stays_apart_from_the_next() -> None:
    first, second = "One two three four. " * 5 + "\n\n", "Five six seven eight. " * 5
    assert pieces_of(first + second, 150) == [first, second]


def test_is_cut_after_a_sentence() -> None:
    text = "The first sentence is here. The second sentence is here. The third sentence is here."
    assert pieces_of(text, 60) == [
        "The first sentence is here. The second sentence is here. ",
        "The third sentence is here.",
    ]


def test_is_cut_after_a_sentence_of_another_script() -> None:
    assert pieces_of("我们决定保持三十秒。更短会失败！更长呢？不知道。", 18) == [
        "我们决定保持三十秒。更短会失败！",
        "更长呢？不知道。",
    ]


def test_the_number_of_a_list_entry_ends_no_sentence() -> None:
    text = "1. the first entry of the list\n2. the second entry of the list\n3. the third entry"
    assert [piece[:2] for piece in pieces_of(text, 34)] == ["1.", "2.", "3."]


def test_is_cut_between_words_where_no_sentence_ends() -> None:
    pieces = pieces_of("alpha beta gamma delta epsilon zeta eta theta", 16)
    assert all(len(piece) <= 16 and piece[-1] in " a" for piece in pieces)
    assert "".join(pieces).split() == "alpha beta gamma delta epsilon zeta eta theta".split()


def test_is_cut_anywhere_where_there_is_nothing_else() -> None:
    assert pieces_of("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]


CODE = "```python\n# no heading\nx = 1.\n\ny = 2\n```\n"
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"


@pytest.mark.parametrize("block", [CODE, TABLE, CODE.replace("```", "~~~~")])
def test_code_blocks_and_tables_stay_whole_where_they_fit(block: str) -> None:
    for before in range(10, 70, 5):
        text = "w " * before + "\n" + block + "\nAnd then some more words follow here. " * 3
        assert sum(block.strip() in piece for piece in pieces_of(text, 90)) == 1


def test_a_code_block_that_is_too_long_is_cut_between_lines() -> None:
    text = "```\n" + "".join(f"line {number}. done\n" for number in range(40)) + "```\n"
    assert all(piece.endswith("\n") and len(piece) <= 100 for piece in pieces_of(text, 100))


def test_a_piece_repeats_the_end_of_the_one_before_where_asked() -> None:
    text = "".join(f"Sentence number {number} is here. " for number in range(30))
    spans = split_chunks(text, chars_max=200, overlap=50)
    for (_, before), (start, end) in pairwise(spans):
        assert before - 50 <= start < before < end
        assert start == 0 or text[start - 1].isspace()
        assert end - start <= 200


@pytest.mark.parametrize(
    "letter",
    ["e\u0301", "👍🏽", "👩\u200d👩\u200d👧", "नि", "❤\ufe0f", "🇩🇪"],
    ids=["accent", "skin", "family", "vowel", "sign", "flag"],
)
def test_what_shows_as_one_character_is_not_cut(letter: str) -> None:
    for size in range(len(letter), 25):
        assert all(piece.count(letter) * len(letter) == len(piece) for piece in pieces_of(letter * 13, size))


# --- headings -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("Welcome", "Guide"),
        ("## Install", "Guide > Install"),
        ("Run the installer", "Guide > Install"),
        ("Use the package", "Guide > Install > Linux"),
        ("Ask a question", "Guide > Use"),
    ],
)
def test_says_under_which_headings_a_piece_stands(words: str, title: str) -> None:
    assert context_title(GUIDE, GUIDE.index(words)) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("", ""),
        ("plain words", ""),
        ("#no heading\nplain", ""),
        ("```\n# comment\n```\nplain", ""),
        ("Title\n=====\n\nplain", "Title"),
        ("Title\n=====\n\nPart\n----\nplain", "Title > Part"),
        ("| a |\n|---|\nplain", ""),
        ("- entry\n---\nplain", ""),
        ("### Deep\nplain", "Deep"),
        ("## **The** `code` [link](x) ##\nplain", "The code link"),
        ("# A\n\n### C\n\n## B\nplain", "A > B"),
        ("\n\n   # A\n\nplain", "A"),
    ],
)
def test_reads_headings_as_markdown_does(text: str, title: str) -> None:
    assert context_title(text, max(0, text.rfind("plain"))) == title


def test_blanks_before_a_heading_belong_to_it() -> None:
    assert context_title("# A\n\ntext\n\n# B\n", 9) == "B"


def test_a_place_outside_the_text_is_under_the_last_heading() -> None:
    assert context_title(GUIDE, 10_000) == "Guide > Use"


# --- any text -----------------------------------------------------------------------------------------

PARTS = st.sampled_from(
    [
        "# A\n",
        "## B\n",
        "\n",
        "\n\n",
        "```\n",
        "| a |\n",
        "word ",
        "End. ",
        "。",
        "e\u0301",
        "👍🏽",
        "x" * 30,
        "Title\n===\n",
        "\r\n",
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(), st.lists(PARTS, max_size=60).map("".join)), st.integers(-1, 80), st.integers(-1, 60))
def test_the_pieces_are_the_text(text: str, chars_max: int, overlap: int) -> None:
    spans = split_chunks(text, chars_max=chars_max, overlap=overlap)
    ends = [0] + [end for _, end in spans]
    assert ends[-1] == len(text)
    for (start, end), before in zip(spans, ends[:-1], strict=True):
        assert max(0, before - max(0, overlap)) <= start <= before < end
        assert end - start <= max(1, chars_max)
        context_title(text, start)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "e\u0301", "o\u0308\u0323", " ", "👍🏽", "\u200d", "नि"]), max_size=80).map("".join)
)
def test_marks_stay_with_their_letter(text: str) -> None:
    for _, end in split_chunks(text, chars_max=40):
        assert end == len(text) or not unicodedata.combining(text[end])


@pytest.mark.parametrize(
    "part",
    [
        "a",
        " ",
        "\n",
        "a\n",
        "# a\n",
        "```\n",
        "|\n",
        "\u0301",
        "a. ",
        "。",
        "🇩🇪",
        "a b ",
        "---\n",
        "x\n---\n",
        "1. a\n",
        "e.g. ",
    ],
)
def test_takes_linear_time(part: str) -> None:

    def cut(text: str) -> None:
        for start, _ in split_chunks(text, overlap=100):
            context_title(text, start)

    assert_linear(cut, part * (400_000 // len(part)))
