"""Likeness: for each token of the question the nearest one that a text, or what is around it, has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heldtrue.recall.index.likeness import compare_tokens
from tests.acceptance.homes import times

numpy = pytest.importorskip("numpy")


class Letters:
    """A matcher whose tokens are letters: the same letter is as near as can be, its capital half as near."""

    around = ((-1, 0.4), (1, 0.4))
    answer = 0.0

    def __init__(self, worth: Sequence[float] | None = None) -> None:
        self._worth = worth
        self.texts: list[bytes] = []

    def match(self, question: bytes, texts: Sequence[bytes]) -> Any:
        self.texts += texts
        near = [[1.0 if token in text else 0.5 if token ^ 32 in text else 0.0 for text in texts] for token in question]
        return numpy.array(near, dtype=numpy.float32)

    def blend(self, question: bytes, near: Sequence[tuple[Any, Any]]) -> Any:
        untold = numpy.ones_like(near[0][0])
        for best, weight in near:
            untold = untold * (1 - weight * best)
        worth = self._worth or [1 / len(question)] * len(question)
        return numpy.array(worth, dtype=numpy.float32) @ (1 - untold)


def compare(question: str, *texts: str, worth: Sequence[float] | None = None) -> list[float]:
    """How well each of some texts that stand by themselves covers a question."""
    tokens = [text.encode() for text in texts]
    return compare_tokens(Letters(worth), question.encode(), [(tokens, 1.0)])


@pytest.mark.covers("C14")
def test_it_is_the_share_of_the_question_that_a_text_covers() -> None:
    assert compare("abcd", "abcd", "dcba", "ab", "xyz", "aBcd") == pytest.approx([1, 1, 0.5, 0, 0.875])
    assert compare("abcd", "abcdxxxxxxxxxx") == pytest.approx([1]), "what else a text says takes nothing away"


@pytest.mark.covers("C14")
def test_a_token_that_is_worth_more_counts_more() -> None:
    assert compare("ab", "a", "b", "ab", worth=[0.8, 0.2]) == pytest.approx([0.8, 0.2, 1.0])


@pytest.mark.covers("C14", "C13")
def test_what_a_text_lacks_its_neighbours_may_say_for_less() -> None:
    columns = [([b"a", b"b", b"", b"x"], 1.0), ([b"b", b"", b"b", b"a"], 0.4)]
    found = compare_tokens(Letters(), b"ab", columns)
    assert found == pytest.approx([(1 + 0.4) / 2, 0.5, 0.4 / 2, 0.4 / 2])


def test_neighbours_add_up_and_never_beyond_the_whole() -> None:
    around = [([b"a"], 0.5), ([b"a"], 0.5)]
    assert compare_tokens(Letters(), b"a", [([b"a"], 1.0), *around]) == pytest.approx([1])
    assert compare_tokens(Letters(), b"a", [([b"x"], 1.0), *around]) == pytest.approx([0.75])


def test_without_tokens_on_either_side_there_is_no_likeness_and_nothing_to_compare() -> None:
    matcher = Letters()
    assert compare_tokens(matcher, b"", [([b"a"], 1.0)]) == [0.0]
    assert compare_tokens(matcher, b"a", [([b"", b""], 1.0)]) == [0.0, 0.0]
    assert compare_tokens(matcher, b"a", [([], 1.0)]) == []
    assert matcher.texts == []


def test_each_text_is_compared_once_however_many_lean_on_it() -> None:
    matcher = Letters()
    columns = [([b"a", b"b", b"b"], 1.0), ([b"b", b"b", b"a"], 0.3), ([b"", b"a", b"a"], 0.2)]
    compare_tokens(matcher, b"ab", columns)
    assert matcher.texts == [b"a", b"b"]


letters = st.text(alphabet="abcdABCD", max_size=8)


@pytest.mark.covers("B15", "B27")
@settings(max_examples=times(100))
@given(st.text(alphabet="abcd", min_size=1, max_size=6), st.lists(letters, min_size=1, max_size=6))
def test_a_likeness_is_a_share_and_does_not_depend_on_what_else_is_compared(question: str, texts: list[str]) -> None:
    whole = compare(question, *texts)
    assert all(0 <= share <= 1 + 1e-6 for share in whole)
    assert whole == pytest.approx([compare(question, text)[0] for text in texts], abs=1e-6)
    assert compare(question, *reversed(texts)) == pytest.approx(list(reversed(whole)), abs=1e-6)


@pytest.mark.covers("C14", "A29")
def test_by_the_default_table_the_same_words_are_like_and_kindred_ones_nearly() -> None:
    static = pytest.importorskip("heldtrue.models.static")
    embedder = static.open_static()
    texts = ["the car is parked outside", "an automobile stands in the street", "bananas are yellow"]
    tokens = [embedding.tokens for embedding in embedder.embed(texts)]
    asked = embedder.embed_question("car").tokens
    same, kindred, strange = compare_tokens(embedder.matcher, asked, [(tokens, 1.0)])
    assert 1.0 >= same > kindred > strange >= 0.0
