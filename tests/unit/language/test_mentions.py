"""Mentions of a subject: what is one, what is none, and that no text or name makes the search slow or wrong."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from heldtrue.domain.errors import InvalidInput
from heldtrue.domain.limits import NAME_CHARS_MAX, SUBJECT_NAMES_MAX
from heldtrue.language.mentions import Mentions
from tests.effort import assert_linear

MENTIONED = [
    ("Ann", "Ann likes tea.", "Ann"),
    ("Ann", "I met ANN.", "ANN"),
    ("ann", "Ann's bike", "Ann"),
    ("Ann", "Ann\u2019s bike", "Ann"),
    ("Ann", "(Ann)", "Ann"),
    ("Ann", "Ann-Marie", "Ann"),
    ("Ann", "notes/ann_todo.md", "ann"),
    ("Ann", "An\u200bn hides", "An\u200bn"),
    ("Ann", "\uff21\uff4e\uff4e", "\uff21\uff4e\uff4e"),
    ("Ann", "\u0410nn with a Cyrillic letter", "\u0410nn"),
    ("Ann Smith", "Ann   Smith", "Ann   Smith"),
    ("Ann Smith", "by Ann\n\t Smith.", "Ann\n\t Smith"),
    ("Ann Smith", "Ann\u00a0Smith", "Ann\u00a0Smith"),
    ("Ann  Smith", "ann smith", "ann smith"),
    ("O'Brien", "Mrs O\u2019Brien", "O\u2019Brien"),
    ("Jean-Luc", "for Jean\u2011Luc", "Jean\u2011Luc"),
    ("C++", "writes C++ all day", "C++"),
    ("AT&T", "the AT&T contract", "AT&T"),
    ("Stra\u00dfe", "STRASSE", "STRASSE"),
    ("Jos\u00e9", "Jose\u0301 came", "Jose\u0301"),
    ("\u738b\u5c0f\u660e", "\u6211\u8ba4\u8bc6\u738b\u5c0f\u660e\u548c\u674e\u534e\u3002", "\u738b\u5c0f\u660e"),
    ("\u7530\u4e2d", "\u7530\u4e2d\u3055\u3093\u306f\u6771\u4eac\u306b\u3044\u308b", "\u7530\u4e2d"),
    ("\u30a2\u30f3", "\u30a2\u30f3\u3055\u3093", "\u30a2\u30f3"),
    ("\u30ac\u30f3", "\uff76\uff9e\uff9d\u3055\u3093", "\uff76\uff9e\uff9d"),
    ("Ann", "Ann\u3055\u3093\u3068Ann\u30c1\u30fc\u30e0", "Ann"),
    ("\uc548\ub098", "\uc548\ub098\ub294 \uc11c\uc6b8\uc5d0 \uc0b0\ub2e4", "\uc548\ub098"),
    ("\u0e40\u0e2d\u0e01", "\u0e19\u0e32\u0e22\u0e40\u0e2d\u0e01\u0e21\u0e32", "\u0e40\u0e2d\u0e01"),
    ("\u0930\u0940\u0924\u093e", "\u0930\u0940\u0924\u093e \u0918\u0930 \u092a\u0930", "\u0930\u0940\u0924\u093e"),
    ("K-10417", "order of k-10417.", "k-10417"),
    ("10417", "customer 10417, again", "10417"),
    ("10417", "10416,10417,10418", "10417"),
    ("ann@example.com", "mail Ann@Example.COM.", "Ann@Example.COM"),
    ("Ann@example.com", "<mailto:ann@example.com>", "ann@example.com"),
    ("ann@example.com", "\uff41\uff4e\uff4e\uff20example.com", "\uff41\uff4e\uff4e\uff20example.com"),
    ("+49 30 1234567", "call +49 (30) 123 45-67", "+49 (30) 123 45-67"),
    ("555-123-4567", "(555) 123-4567", "(555) 123-4567"),
    ("(555) 123-4567", "id 5551234567", "5551234567"),
    ("5551234567", "555.123.4567", "555.123.4567"),
    ("@ann", "thanks @Ann!", "@Ann"),
]

NOT_MENTIONED = [
    ("Ann", "Anna"),
    ("Ann", "planning"),
    ("Ann", "Ann2"),
    ("Ann", "Ann\u0101"),
    ("Ann", "A n n"),
    ("Ann Smith", "AnnSmith"),
    ("Ann Smith", "Ann, Smith"),
    ("Ann Smith", "Smith Ann"),
    ("Ann Smith", "Ann Smithers"),
    ("Jose", "Jos\u00e9"),
    ("\u30a2\u30f3", "\u30a2\u30f3\u30ca\u3055\u3093"),
    ("\u738b\u5c0f\u660e", "\u738b\u5c0f\u7ea2\u548c\u5c0f\u660e"),
    ("\u0930\u0940\u0924", "\u0930\u0940\u0924\u093e"),
    ("C++", "C"),
    ("10417", "104170"),
    ("10417", "10417.50"),
    ("K-10417", "K 10417"),
    ("ann@example.com", "joann@example.com"),
    ("ann@example.com", "x.ann@example.com"),
    ("ann@example.com", "ann@example.company"),
    ("@ann", "joe@ann.example.com"),
    ("@ann", "@ann_k"),
    ("@ann", "Ann"),
    ("+49 30 1234567", "+49 30 12345678"),
    ("a.n", "aXn"),
    ("(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    (".*x", "anything x"),
]


@pytest.mark.parametrize(("name", "text", "mention"), MENTIONED)
def test_a_subject_is_found_by_its_name(name: str, text: str, mention: str) -> None:
    mentions = Mentions([name])
    assert mentions.in_text(text)
    start, end = mentions.spans(text)[0]
    assert text[start:end] == mention
    assert len(mentions.names_in(text)) == 1


@pytest.mark.parametrize(("name", "text"), NOT_MENTIONED)
def test_what_only_contains_the_name_is_no_mention(name: str, text: str) -> None:
    mentions = Mentions([name])
    assert not mentions.in_text(text)
    assert mentions.spans(text) == []
    assert mentions.in_text(f"{text} {name} {text}")


def test_a_syllable_that_is_written_as_its_parts_is_found() -> None:
    name = "\uae40\uc548\ub098"
    text = unicodedata.normalize("NFD", f"{name}\ub294")
    assert Mentions([name]).spans(text) == [(0, len(unicodedata.normalize("NFD", name)))]


def test_every_mention_has_its_span_and_overlapping_ones_are_one() -> None:
    mentions = Mentions(["Ann Smith", "Smith Jones", "Smith", "ann@example.com"])
    text = "Ann Smith Jones and Smith wrote to ann@example.com."
    assert [text[start:end] for start, end in mentions.spans(text)] == ["Ann Smith Jones", "Smith", "ann@example.com"]
    assert mentions.names_in(text) == mentions.names
    assert mentions.names_in("only Smith") == ("Smith",)
    assert mentions.names_in("Ann Smith") == ("Ann Smith", "Smith")


@pytest.mark.parametrize("names", [[], [""], ["  "], ["Ann", "?!"], ["a" * (NAME_CHARS_MAX + 1)]])
def test_names_that_cannot_be_looked_for_are_refused(names: list[str]) -> None:
    with pytest.raises(InvalidInput) as refused:
        Mentions(names, field="also")
    assert refused.value.field == "also"


def test_there_is_a_limit_on_the_number_of_names() -> None:
    names = [f"name{number}" for number in range(SUBJECT_NAMES_MAX + 1)]
    assert Mentions(names[:-1]).in_text(f"about {names[-2]}")
    with pytest.raises(InvalidInput, match=str(SUBJECT_NAMES_MAX)):
        Mentions(names)


ANY_TEXT = st.text(max_size=60)
WORDS = st.text(st.sampled_from("abAB\u00e9\u0430\u4e2d\uac00\u30a2 '-.@_+1\u0301\u200b"), max_size=30)
NAMES = st.text(st.sampled_from("abB\u00e9\u4e2d -1'"), min_size=1, max_size=8).filter(
    lambda name: any(char.isalnum() for char in name)
)


@given(st.lists(NAMES, min_size=1, max_size=4), ANY_TEXT | WORDS)
@example(["1"], "\u00bd")
def test_spans_are_in_order_and_apart_and_agree_with_the_yes_or_no(names: list[str], text: str) -> None:
    mentions = Mentions(names)
    spans = mentions.spans(text)
    assert mentions.in_text(text) == bool(spans) == bool(mentions.names_in(text))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert all(mentions.in_text(text[start:end]) for start, end in spans)


@given(NAMES, ANY_TEXT | WORDS, ANY_TEXT | WORDS)
def test_a_name_between_blanks_is_always_found(name: str, before: str, after: str) -> None:
    text = f"{before} \n {name.upper()} {after}"
    assert Mentions([name]).in_text(text)


@given(st.lists(NAMES, min_size=1, max_size=4), WORDS)
def test_several_names_find_what_each_of_them_finds(names: list[str], text: str) -> None:
    mentions = Mentions(names)
    assert set(mentions.names_in(text)) == {name for name in mentions.names if Mentions([name]).in_text(text)}


@given(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20))
def test_any_word_is_found_by_itself(word: str) -> None:
    assert Mentions([word]).in_text(f"See {word}.")


@pytest.mark.parametrize(
    "run", ["a ", "a", "\u4e2d", "\u00e9 ", "a\u0301", "1.", "1-", "a@", "\u200b", "@a.", "\uff41"]
)
def test_a_text_is_searched_in_linear_time_whatever_the_names(run: str) -> None:
    long_names = [(run * NAME_CHARS_MAX)[: NAME_CHARS_MAX - 2 - length] + "z" for length in range(20)]
    mentions = Mentions([*long_names, "a " * 90 + "b", "ann@example.com", "+49 30 1234567"])
    assert_linear(mentions.spans, run * 20_000)
    assert mentions.in_text(run * 100 + " ann@example.com")
