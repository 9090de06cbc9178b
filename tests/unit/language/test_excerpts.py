"""Excerpts: the sentences that mention a subject, and no others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from heldtrue.language.excerpts import quote_mentions
from heldtrue.language.mentions import Mentions
from tests.effort import assert_linear

ANN = Mentions(["Ann Quill", "Ann"])


def test_a_sentence_that_mentions_the_subject_is_quoted_whole() -> None:
    text = "Bob left. Ann Quill likes tea. The sea is calm.\n\n- Ask Ann!\n- Ask Cleo!"
    assert quote_mentions(text, ANN) == ["Ann Quill likes tea.", "Ask Ann!"]
    assert quote_mentions("Ann met Ann.", ANN) == ["Ann met Ann."]
    assert quote_mentions("Nobody is here.", ANN) == []


def test_a_name_that_is_broken_over_two_lines_is_quoted_with_both() -> None:
    assert quote_mentions("We asked Ann\nQuill about it. Bob left.", ANN) == ["We asked Ann\nQuill about it."]


def test_a_mention_in_a_very_long_line_is_quoted_with_what_is_around_it() -> None:
    (quoted,) = quote_mentions("x" * 5_000 + " Ann " + "y" * 5_000, ANN)
    assert "Ann" in quoted
    assert len(quoted) < 500


@given(st.lists(st.sampled_from(["Ann", "Bob", ".", "!", "\n", "\n\n", "- ", "Quill", "dr.", "x" * 900]), max_size=20))
def test_every_mention_is_quoted_and_every_quote_is_of_the_text(pieces: list[str]) -> None:
    text = " ".join(pieces)
    quoted = quote_mentions(text, ANN)
    assert all(part in text for part in quoted)
    assert sum(part.count("Ann") for part in quoted) == text.count("Ann")


def test_excerpts_take_linear_time() -> None:
    assert_linear(lambda text: quote_mentions(text, ANN), "Ann. Bob! Ann " * 4_000)
